/**
 * A batch of 100 queries of OpenRefine's kind beside one query: time, processor time of the service, and requests to
 * the store. Labels with one letter left out, ten candidates each, other ones in each round.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { composeReading } from '../src/compose.ts'
import { readConfig } from '../src/config.ts'
import { startApp } from '../test/app.ts'
import { median, timed } from './measure.ts'
import { FILES, reconcile, withStore, type Store, type StoreName } from './stand.ts'

const ROUNDS = 20
const BATCH = 100
const MOST_TIMES = 25
const POLL_MS = 500

/** Prints a line for each store; exit code 1 if a batch takes more than 25 times the time of one query. */
export async function batch(stores: readonly StoreName[]): Promise<void> {
  let isSlow = false
  for (const name of stores) {
    const ratio = await withStore(name, 'stw', { stw: FILES.stw }, measure)
    isSlow ||= ratio > MOST_TIMES
  }
  if (isSlow) process.exit(1)
}

async function measure({ name, endpoint, client }: Store): Promise<number> {
  let requests = 0
  const reading = composeReading(readConfig({ SPARQL_TIMEOUT_MS: '120000' }), endpoint, { onRequest: () => requests++ })
  const app = await startApp(endpoint, {}, reading)
  const rows = await client.select(`PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
    SELECT ?l { ?c skos:prefLabel ?l FILTER(LANG(?l) = "de" && STRLEN(?l) > 8) } ORDER BY ?l`)
  let next = 0
  const text = () => {
    const label = rows[(next += 7) % rows.length]!['l']!.value
    return label.slice(0, 4) + label.slice(5)
  }
  const ask = async (count: number) => {
    const queries = Array.from({ length: count }, () => ({ query: text() }))
    const before = { requests, processor: process.cpuUsage() }
    const milliseconds = await timed(async () => {
      const results = await reconcile(app.url, 'stw', queries)
      if (results.filter(({ length }) => length > 0).length < Math.floor(0.9 * count)) throw new Error('no candidates')
    })
    const { user, system } = process.cpuUsage(before.processor)
    return { milliseconds, processor: (user + system) / 1000, requests: requests - before.requests }
  }
  // Until then the index reads the labels.
  while ((await app.get('/search?search=a&limit=1')).status !== 200) await sleep(POLL_MS)
  await ask(1)
  const [singly, many] = [[] as Awaited<ReturnType<typeof ask>>[], [] as Awaited<ReturnType<typeof ask>>[]]
  for (let round = 0; round < ROUNDS; round++) {
    singly.push(await ask(1))
    many.push(await ask(BATCH))
  }
  const ofAll = (key: 'milliseconds' | 'processor' | 'requests') =>
    [singly, many].map((some) => median(some.map((outcome) => outcome[key]))) as [number, number]
  const [times, processor, sent] = [ofAll('milliseconds'), ofAll('processor'), ofAll('requests')]
  const ratio = ([single, several]: [number, number]) => several / single
  console.log(
    `${name}: ${BATCH} queries ${times[1].toFixed(0)} ms, one ${times[0].toFixed(0)} ms: ${ratio(times).toFixed(1)} times; ` +
      `processor time of the service ${processor[1].toFixed(0)} ms and ${processor[0].toFixed(1)} ms: ` +
      `${ratio(processor).toFixed(1)} times; requests to the store ${sent[1]} and ${sent[0]}`,
  )
  await app.close()
  return ratio(times)
}
