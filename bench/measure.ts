/** Measures times, requests per second and memory. */
import autocannon from 'autocannon'

/** Seconds before requests per second are counted: what has just been started is slower. */
const WARM_UP_S = 3
/** In less, the time until all connections have their first answer shows. */
const LEAST_LOAD_S = 4

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

/**
 * Requests per second by number of connections: the store, the service, and a service that remembers the answer, in turn.
 *
 * @param url of the answer at the service, rememberingUrl at the other one
 * @param query that the store answers at queryUrl
 */
export async function measureThroughput(
  { url, rememberingUrl }: { url: string; rememberingUrl: string },
  { queryUrl, query }: { queryUrl: string; query: string },
  connectionCounts: readonly number[],
  seconds: number,
): Promise<Record<string, Throughput>> {
  const perSecond: Record<string, Throughput> = {}
  const toStore = {
    url: queryUrl,
    method: 'POST',
    headers: { accept: 'application/n-triples', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ query }).toString(),
  } as const
  const duration = Math.max(LEAST_LOAD_S, seconds)
  for (const target of [toStore, { url }, { url: rememberingUrl }])
    await autocannon({ ...target, connections: 16, duration: WARM_UP_S })
  for (const connections of connectionCounts) {
    const raw = await autocannon({ ...toStore, connections, duration })
    const ours = await autocannon({ url, connections, duration })
    const remembered = await autocannon({ url: rememberingUrl, connections, duration })
    if (ours.non2xx + ours.errors > 0)
      console.log(`${url}: ${ours.non2xx} answers other than 2xx, ${ours.errors} errors`)
    perSecond[connections] = {
      ours: ours.requests.average,
      raw: raw.requests.average,
      remembered: remembered.requests.average,
    }
  }
  return perSecond
}
