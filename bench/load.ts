/** The service under at least twice the load that it can serve. */
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import { median, megabytesOf, quantile } from './measure.ts'
import { startService, withStore, type StoreName } from './stand.ts'

/** The requests for the demo. */
export const PATHS = [
  '/data?uri=http://example.org/vocabulary/crafts/bookbinding',
  '/narrower?uri=http://example.org/vocabulary/crafts/textiles',
  '/voc/crafts/top',
  '/search?search=weav',
  '/suggest?search=buch',
  '/ancestors?uri=http://example.org/vocabulary/crafts/blaudruck',
]
const DEADLINE_MS = 10_000
const SAMPLE_MS = 1000
const EXPECTED = ['200', '304', '429', '503']
/** More than may wait for the service. Each sends at least one request a second. */
const CLIENTS = 600

interface Load {
  /** Answers by status; 0 if the connection failed. */
  statuses: Record<number, number>
  /** Milliseconds of the answers with 200, in order of size. */
  times: number[]
  /** Answers with 200 a second. */
  rate: number
}

async function send(url: string, duration: number, connections: number, connectionRate?: number): Promise<Load> {
  const statuses: Record<number, number> = {}
  const times: number[] = []
  const started = performance.now()
  const options = {
    url,
    connections,
    duration,
    timeout: 30,
    ...(connectionRate ? { connectionRate } : {}),
    requests: PATHS.map((path) => ({ method: 'GET' as const, path })),
  }
  const instance = autocannon(options, () => undefined)
  instance.on('response', (_client: unknown, status: number, _bytes: number, milliseconds: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1
    if (status === 200) times.push(milliseconds)
  })
  const [{ errors }] = (await once(instance, 'done')) as [autocannon.Result]
  if (errors > 0) statuses[0] = errors
  const elapsed = (performance.now() - started) / 1000
  times.sort((a, b) => a - b)
  return { statuses, times, rate: times.length / elapsed }
}

const p99 = ({ times }: Load) => (times.length > 0 ? Math.round(quantile(times, 0.99)) : 0)

/**
 * Prints what each store and the service over it did: capacity, then the overload, then the time after it.
 *
 * Sets the exit code to 1 after answers other than 200, 304, 429 and 503, memory that grows, answers later than the
 * deadline, or a service that is slower afterwards.
 */
export async function load(stores: readonly StoreName[], { seconds }: { seconds: number }): Promise<void> {
  for (const name of stores) {
    const wrong =
      name === 'fuseki'
        ? await withStore(name, 'load', {}, ({ endpoint }) => overload(name, seconds, endpoint))
        : await overload(name, seconds)
    for (const text of wrong) console.log(`WRONG: ${text}`)
    if (wrong.length > 0) process.exitCode = 1
  }
}

/** The violated expectations. */
async function overload(name: StoreName, seconds: number, endpoint?: StoreEndpoint): Promise<string[]> {
  const service = await startService(endpoint, { DEMO: 'true', SPARQL_TIMEOUT_MS: String(DEADLINE_MS) })
  const wrong: string[] = []
  try {
    await send(service.url, 5, 16)
    const capacity = await send(service.url, 8, 16)
    console.log(`${name}: ${Math.round(capacity.rate)} answers/s with 16 clients, p99 ${p99(capacity)} ms`)

    const memory: number[] = []
    const sampler = setInterval(
      () => void megabytesOf(service.pid, 'VmRSS').then((value) => memory.push(value)),
      SAMPLE_MS,
    )
    const over = await send(service.url, seconds, CLIENTS, Math.ceil((2 * capacity.rate) / CLIENTS))
    clearInterval(sampler)
    const sent = Object.values(over.statuses).reduce((sum, count) => sum + count, 0)
    console.log(
      `at least twice the load for ${seconds} s: ${Math.round(sent / seconds)} requests/s, by status ${JSON.stringify(over.statuses)}`,
    )
    console.log(
      `answers with 200: ${Math.round(over.rate)}/s, p99 ${p99(over)} ms, slowest ${Math.round(over.times.at(-1) ?? 0)} ms`,
    )

    // The first third is warm-up.
    const warm = memory.slice(Math.floor(memory.length / 3))
    const half = Math.ceil(warm.length / 2)
    const [early, late] = [median(warm.slice(0, half)), median(warm.slice(half))]
    console.log(
      `memory: ${memory[0]} MB at first, ${early} MB then ${late} MB in the two halves after warm-up, at most ${Math.max(...memory)} MB`,
    )

    await sleep(1000)
    const after = await send(service.url, 4, 16)
    console.log(
      `within 5 s after it: ${Math.round(after.rate)} answers/s, p99 ${p99(after)} ms, by status ${JSON.stringify(after.statuses)}`,
    )

    for (const status of Object.keys(over.statuses))
      if (!EXPECTED.includes(status)) wrong.push(`answers with status ${status}`)
    if (p99(over) > DEADLINE_MS) wrong.push('p99 beyond the deadline')
    if (late > early * 1.1 + 10) wrong.push('memory that grows')
    if (after.rate < 0.8 * capacity.rate) wrong.push('no full speed afterwards')
  } finally {
    const code = await service.stop()
    if (code !== 0) wrong.push(`the service ended with ${code}`)
  }
  return wrong
}
