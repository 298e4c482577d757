/** Measures times, processor time and requests per second. */
import { readFile } from 'node:fs/promises'
import autocannon from 'autocannon'

/** Seconds before requests per second are counted: what has just been started is slower. */
const WARM_UP_S = 8
/** In less, the time until all connections have their first answer shows. */
const LEAST_LOAD_S = 6

export interface AnswerTime {
  totalMs: number
  firstByteMs: number
}

/** Requests per second that the service and the store answer. */
export interface Throughput {
  ours: number
  raw: number
  remembered: number
}

/** The milliseconds that a function takes. */
export async function timed(action: () => unknown): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

/**
 * The time until an answer has begun and until it has been read to the end.
 *
 * @throws Error if its status is not 2xx
 */
export async function timedAnswer(ask: () => Promise<Response>): Promise<AnswerTime> {
  const started = performance.now()
  const response = await ask()
  let firstByteMs = 0
  for await (const chunk of response.body ?? []) {
    if (firstByteMs === 0 && (chunk as Uint8Array).length > 0) firstByteMs = performance.now() - started
  }
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  return { totalMs: performance.now() - started, firstByteMs }
}

/** The value that a share of the values is below, such as 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** The value in the middle. */
export const median = (values: readonly number[]) => quantile(values, 0.5)

/** Requests that are sent in turn, each connection beginning with another one. */
function inTurn(url: string, requests: readonly autocannon.Request[]): autocannon.Options {
  let next = 0
  return {
    url,
    setupClient: (client) => {
      const from = next++ % requests.length
      client.setRequests([...requests.slice(from), ...requests.slice(0, from)].map((request) => ({ ...request })))
    },
  }
}

/**
 * Requests per second by number of connections: the store, the service, and a service that remembers its answers, in turn.
 *
 * @param paths of the answers at the service and at the one that remembers them
 * @param queries that the store answers at queryUrl
 */
export async function measureThroughput(
  { url, rememberingUrl, paths }: { url: string; rememberingUrl: string; paths: readonly string[] },
  { queryUrl, queries }: { queryUrl: string; queries: readonly string[] },
  connectionCounts: readonly number[],
  seconds: number,
): Promise<Record<string, Throughput>> {
  const perSecond: Record<string, Throughput> = {}
  const asked = paths.map((path) => ({ path }))
  const { pathname } = new URL(queryUrl)
  const headers = { accept: 'application/n-triples', 'content-type': 'application/x-www-form-urlencoded' }
  const posted = queries.map((query) => {
    const body = new URLSearchParams({ query }).toString()
    return { method: 'POST', path: pathname, headers, body } as const
  })
  const targets = {
    raw: inTurn(queryUrl, posted),
    ours: inTurn(url, asked),
    remembered: inTurn(rememberingUrl, asked),
  }
  const load = async (name: keyof typeof targets, connections: number, duration: number) => {
    const result = await autocannon({ ...targets[name], connections, duration })
    if (result.non2xx + result.errors > 0)
      console.log(`${name}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`)
    return result.requests.average
  }
  const duration = Math.max(LEAST_LOAD_S, seconds)
  for (const connections of connectionCounts) {
    for (const name of ['raw', 'ours', 'remembered'] as const) await load(name, connections, WARM_UP_S)
    const raw = await load('raw', connections, duration)
    const ours = await load('ours', connections, duration)
    const remembered = await load('remembered', connections, duration)
    perSecond[connections] = { ours, raw, remembered }
  }
  return perSecond
}

/** Of a tick of the kernel, in which it counts processor time (proc(5), sysconf(_SC_CLK_TCK)). */
const TICK_MS = 10

/** The processor time of a process and its threads since its start, in milliseconds; 0 where there is no /proc. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the process may have blanks in it; utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}
