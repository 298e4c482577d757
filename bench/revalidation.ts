/** The cost of a conditional GET that ends in 304, beside the full answer of 1,000 records. */
import { startApp } from '../test/app.ts'
import { median, timed } from './measure.ts'
import { FILES, withStore, type Store, type StoreName } from './stand.ts'

const ROUNDS = 7
const RECORDS = 1000

/** Prints a line for each store and format. */
export async function revalidation(stores: readonly StoreName[]): Promise<void> {
  for (const name of stores) await withStore(name, 'iconclass', { iconclass: FILES.iconclass }, measure)
}

async function measure({ name, endpoint }: Store): Promise<void> {
  const app = await startApp(endpoint, { SPARQL_TIMEOUT_MS: '120000' })
  const { uri } = (await app.get('/voc/iconclass')).body[0]
  await app.get(`/voc/concepts?uri=${encodeURIComponent(uri)}&limit=10`)
  for (const format of ['json', 'turtle', 'ndjson']) {
    const path = `/voc/concepts?uri=${encodeURIComponent(uri)}&limit=${RECORDS}&format=${format}`
    const full: number[] = []
    const unchanged: number[] = []
    for (let round = 0; round <= ROUNDS; round++) {
      let etag = ''
      const first = await timed(async () => {
        const answer = await app.get(path)
        etag = answer.headers.get('etag')!
        if (answer.status !== 200 || (format === 'json' && answer.body.length !== RECORDS)) throw new Error(answer.text)
      })
      const again = await timed(async () => {
        const { status } = await app.get(path, { headers: { 'if-none-match': etag } })
        if (status !== 304) throw new Error(`expected 304, got ${status}`)
      })
      // The first round warms up.
      if (round > 0) {
        full.push(first)
        unchanged.push(again)
      }
    }
    const ratio = median(unchanged.map((value, index) => value / full[index]!))
    console.log(
      `${name}, ${format}: 304 ${median(unchanged).toFixed(1)} ms, ${RECORDS} records ${Math.round(median(full))} ms: ${ratio.toFixed(3)} times`,
    )
  }
  await app.close()
}
