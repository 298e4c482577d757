/** A page of 100 of 10,000 format records beside its query alone: `node --import tsx bench/formats.ts [fuseki|embedded]` */
import { loadFormats } from '../src/formats/load.ts'
import { queryTemplate } from '../src/sparql/queries.ts'
import { literal } from '../src/sparql/terms.ts'
import { formatRecord } from '../test/formats/records.ts'
import { median } from './measure.ts'
import { postQuery, startService, startStore, type StoreName } from './stand.ts'

const COUNT = 10_000
const ROUNDS = 15

const records = Array.from({ length: COUNT }, (_, index) => formatRecord(index))

/** Pages, with the filter that their query has. */
const PAGES: [parameters: string, offset: number, application: string[]][] = [
  ['limit=100', 0, []],
  ['limit=100&offset=5000', 5000, []],
  ['limit=100&offset=9900', 9900, []],
  ['limit=100&application=application/schema|none', 0, ['application/schema', 'none']],
]

for (const name of (process.argv[2] ?? 'fuseki,embedded').split(',') as StoreName[]) {
  const store = await startStore(name, 'formats', {})
  await loadFormats(store.client, records)
  const service = await startService(store.endpoint)
  console.log(`\n${name}\n\n| page | raw ms | ours ms | ratio |\n|---|---|---|---|`)
  for (const [parameters, offset, application] of PAGES) {
    const terms = application.length > 0 ? { application: application.map((id) => literal(id)) } : {}
    const include = [...Object.keys(terms), ...(application.length > 1 ? ['several'] : []), 'order']
    const select = queryTemplate('formats/list').bindSubselect({ terms, include, limit: 100, offset })
    const query = queryTemplate('formats/describe').bind({ subselect: { slot: 'f', select } })
    const times: Record<'raw' | 'ours', number[]> = { raw: [], ours: [] }
    const ask = {
      raw: () => postQuery(store.endpoint.queryUrl, query),
      ours: () => fetch(`${service.url}/formats?${parameters}`),
    }
    for (let round = 0; round < ROUNDS + 3; round++) {
      for (const side of ['raw', 'ours'] as const) {
        const started = performance.now()
        const response = await ask[side]()
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${side}, ${parameters}: ${response.status}`)
        if (round >= 3) times[side].push(performance.now() - started)
      }
    }
    const [raw, ours] = [median(times.raw), median(times.ours)]
    console.log(`| ${parameters} | ${raw.toFixed(1)} | ${ours.toFixed(1)} | ${(ours / raw).toFixed(2)} |`)
  }
  await service.stop()
  await store.stop()
}
process.exit()
