/** A page of 100 of 10,000 format records beside its query alone. */
import { loadFormats } from '../src/doors/formats/load.ts'
import { queryTemplate } from '../src/graph/sparql/templates.ts'
import { literal } from '../src/graph/sparql/terms.ts'
import { formatRecord } from '../test/doors/formats/records.ts'
import { timedAnswer } from './measure.ts'
import { ratioOf } from './report.ts'
import { postQuery, startService, withStore, type Store, type StoreName } from './stand.ts'

const COUNT = 10_000
const ROUNDS = 15
const WARM_UP = 3

const records = Array.from({ length: COUNT }, (_, index) => formatRecord(index))

/** Pages, with the filter that their query has. */
const PAGES: [parameters: string, offset: number, application: string[]][] = [
  ['limit=100', 0, []],
  ['limit=100&offset=5000', 5000, []],
  ['limit=100&offset=9900', 9900, []],
  ['limit=100&application=application/schema|none', 0, ['application/schema', 'none']],
]

/** Prints a table for each store. */
export async function formats(stores: readonly StoreName[]): Promise<void> {
  for (const name of stores) await withStore(name, 'formats', {}, measure)
}

async function measure(store: Store): Promise<void> {
  await loadFormats(store.client, records)
  const service = await startService(store.endpoint)
  console.log(`\n${store.name}\n\n| page | raw ms | ours ms | ratio |\n|---|---|---|---|`)
  for (const [parameters, offset, application] of PAGES) {
    const terms = application.length > 0 ? { application: application.map((id) => literal(id)) } : {}
    const include = [...Object.keys(terms), ...(application.length > 1 ? ['several'] : []), 'order']
    const select = queryTemplate('formats/list').bindSubselect({ terms, include, limit: 100, offset })
    const { text: query } = queryTemplate('formats/describe').bind({ subselect: { slot: 'f', select } })
    const times: Record<'raw' | 'ours', number[]> = { raw: [], ours: [] }
    const ask = {
      raw: () => postQuery(store.endpoint, query),
      ours: () => fetch(`${service.url}/formats?${parameters}`),
    }
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      for (const side of ['raw', 'ours'] as const) {
        const { totalMs } = await timedAnswer(ask[side])
        if (round >= WARM_UP) times[side].push(totalMs)
      }
    }
    const { rawMs, oursMs, ratio } = ratioOf(times.raw, times.ours)
    console.log(`| ${parameters} | ${rawMs.toFixed(1)} | ${oursMs.toFixed(1)} | ${ratio.toFixed(2)} |`)
  }
  await service.stop()
}
