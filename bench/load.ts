/**
 * The service under at least twice the load that it can serve: `npx tsx bench/load.ts [seconds] [embedded|fuseki]`, 60 seconds over
 * the embedded store unless it is said. Prints what was measured, and ends with 1 where something is not as it must be:
 * answers other than 200, 304, 429 and 503, memory that grows, answers later than the deadline, or no full speed afterwards.
 */
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { startService, storeEnv } from '../test/process.ts'
import { median, quantile } from './measure.ts'
import { startStore } from './stand.ts'

const PATHS = [
  '/data?uri=http://example.org/vocabulary/crafts/bookbinding',
  '/narrower?uri=http://example.org/vocabulary/crafts/textiles',
  '/voc/crafts/top',
  '/search?search=weav',
  '/suggest?search=buch',
  '/ancestors?uri=http://example.org/vocabulary/crafts/blaudruck',
]
const DEADLINE_MS = 10_000
const SAMPLE_MS = 1000
/** More than the service lets wait. Each sends at least one request a second. */
const CLIENTS = 600
const seconds = Number(process.argv[2] ?? 60)
const kind = process.argv[3] ?? 'embedded'
if (!(seconds >= 10) || !['embedded', 'fuseki'].includes(kind))
  throw new Error('usage: load.ts [seconds >= 10] [embedded|fuseki]')

interface Load {
  /** Answers by status; 0: none, the connection failed. */
  statuses: Record<number, number>
  /** Milliseconds of the answers with 200, in order of size. */
  times: number[]
  /** Answers with 200 a second. */
  rate: number
}

async function load(url: string, duration: number, connections: number, connectionRate?: number): Promise<Load> {
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

async function megabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)![1]) / 1024)
}

const say = (text: string) => void process.stdout.write(`${text}\n`)
const p99 = ({ times }: Load) => (times.length > 0 ? Math.round(quantile(times, 0.99)) : 0)

const fuseki = kind === 'fuseki' ? await startStore('fuseki', 'load', {}) : undefined
const service = await startService({
  ...(fuseki ? storeEnv(fuseki.endpoint) : {}),
  DEMO: 'true',
  SPARQL_TIMEOUT_MS: String(DEADLINE_MS),
})
try {
  await load(service.url, 5, 16)
  const capacity = await load(service.url, 8, 16)
  say(`${kind}: ${Math.round(capacity.rate)} answers/s with 16 clients, p99 ${p99(capacity)} ms`)

  const memory: number[] = []
  const sampler = setInterval(() => void megabytes(service.pid).then((value) => memory.push(value)), SAMPLE_MS)
  const over = await load(service.url, seconds, CLIENTS, Math.ceil((2 * capacity.rate) / CLIENTS))
  clearInterval(sampler)
  const sent = Object.values(over.statuses).reduce((sum, count) => sum + count, 0)
  say(
    `at least twice the load for ${seconds} s: ${Math.round(sent / seconds)} requests/s, by status ${JSON.stringify(over.statuses)}`,
  )
  say(
    `answers with 200: ${Math.round(over.rate)}/s, p99 ${p99(over)} ms, slowest ${Math.round(over.times.at(-1) ?? 0)} ms`,
  )

  // The first third is warm-up.
  const warm = memory.slice(Math.floor(memory.length / 3))
  const [early, late] = [warm.slice(0, Math.ceil(warm.length / 2)), warm.slice(Math.ceil(warm.length / 2))].map(median)
  say(
    `memory: ${memory[0]} MB at first, ${early} MB then ${late} MB in the two halves after warm-up, at most ${Math.max(...memory)} MB`,
  )

  await sleep(1000)
  const after = await load(service.url, 4, 16)
  say(
    `within 5 s after it: ${Math.round(after.rate)} answers/s, p99 ${p99(after)} ms, by status ${JSON.stringify(after.statuses)}`,
  )

  const wrong = [
    ...Object.keys(over.statuses)
      .filter((status) => !['200', '304', '429', '503'].includes(status))
      .map((status) => `answers with status ${status}`),
    ...(p99(over) > DEADLINE_MS ? ['p99 beyond the deadline'] : []),
    ...(late! > early! * 1.1 + 10 ? ['memory that grows'] : []),
    ...(after.rate < 0.8 * capacity.rate ? ['no full speed afterwards'] : []),
  ]
  for (const what of wrong) say(`WRONG: ${what}`)
  process.exitCode = wrong.length > 0 ? 1 : 0
} finally {
  const code = await service.stop()
  if (code !== 0) say(`WRONG: the service ended with ${code}`)
  await fuseki?.stop()
}
