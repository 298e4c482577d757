/** Measures times, processor time and memory. */
import { readdir, readFile } from 'node:fs/promises'

export interface AnswerTime {
  totalMs: number
  firstByteMs: number
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

/** Of a tick of the kernel, in which it counts processor time (proc(5), sysconf(_SC_CLK_TCK)). */
const TICK_MS = 10

/** The processor time of a process and its threads since its start, in milliseconds; 0 where there is no /proc. */
export async function processorMsOf(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name of the process may have blanks in it; utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * TICK_MS
}

/**
 * The same for the threads that a process has at the moment, more exactly than by ticks: enough for a single request
 * (schedstat of proc(5)).
 */
export async function threadsMsOf(pid: number): Promise<number> {
  const tasks = await readdir(`/proc/${pid}/task`).catch(() => [])
  const times = tasks.map(async (task) => {
    const [ns = '0'] = (await readFile(`/proc/${pid}/task/${task}/schedstat`, 'utf8').catch(() => '0')).split(' ')
    return Number(ns) / 1e6
  })
  return (await Promise.all(times)).reduce((sum, ms) => sum + ms, 0)
}

/** The memory of a process at the moment (VmRSS) or at its peak (VmHWM), in megabytes; 0 where there is no /proc. */
export async function megabytesOf(pid: number, field: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  return Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024)
}
