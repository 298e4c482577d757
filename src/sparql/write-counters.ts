import { send } from './http.ts'

/** The counts of a store since its start. */
export interface WriteCounters {
  /** The time of its start. */
  startedAt: string
  /** The requests that may have written something, and those of them that have ended. */
  begun: number
  ended: number
}

/**
 * The requests of this process that the counters of a Fuseki do not tell from writes. All its threads count in the same memory.
 *
 * A thread that crashes leaves its request under way. Then no look at the counters proves anything until the next start.
 */
export class OwnWrites {
  /** Send this to a thread. */
  readonly memory: Int32Array<SharedArrayBuffer>

  constructor(memory = new Int32Array(new SharedArrayBuffer(8))) {
    this.memory = memory
  }

  /** Requests under way. */
  get pending(): number {
    return Atomics.load(this.memory, 0)
  }

  /** Requests that the store has certainly counted. */
  get counted(): number {
    return Atomics.load(this.memory, 1)
  }

  begin(): void {
    Atomics.add(this.memory, 0, 1)
  }

  count(): void {
    Atomics.add(this.memory, 1, 1)
  }

  end(): void {
    Atomics.sub(this.memory, 0, 1)
  }
}

/** Operations of Fuseki that write nothing. All others may, also those that are not known here. */
const READING = new Set(['query', 'gsp-r', 'shacl'])
/** A line such as `fuseki_requests_good{endpoint="update",operation="update"} 3.0`. */
const LINE = /^(?<name>fuseki_requests(?:_good|_bad)?|process_start_time_seconds)\{(?<labels>.*)\} (?<value>\S+)$/gm
const OPERATION = /(?:^|,)operation="([^"]*)"/

/**
 * Reads the counters of Fuseki, all its datasets together (`/$/metrics`, the text format of Prometheus).
 *
 * @throws Error if they cannot be read.
 */
export async function readWriteCounters(url: string, signal: AbortSignal): Promise<WriteCounters> {
  const response = await send(url, { method: 'GET', headers: { accept: 'text/plain' }, signal, isQuery: true })
  const text = await response.text()
  if (!response.ok) throw new Error(`The store answered ${response.status} instead of its counters.`)
  return writeCounters(text)
}

/** The counters in such a text. @throws Error if it has none. */
export function writeCounters(text: string): WriteCounters {
  let startedAt: string | undefined
  const sums = { fuseki_requests: 0, fuseki_requests_good: 0, fuseki_requests_bad: 0 }
  let isThere = false
  for (const { groups } of text.matchAll(LINE)) {
    const { name = '', labels = '', value = '' } = groups!
    if (name === 'process_start_time_seconds') startedAt = value
    else {
      isThere = true
      if (!READING.has(OPERATION.exec(labels)?.[1] ?? '')) sums[name as keyof typeof sums] += Number(value)
    }
  }
  const begun = sums.fuseki_requests
  const ended = sums.fuseki_requests_good + sums.fuseki_requests_bad
  if (startedAt === undefined || !isThere || Number.isNaN(begun + ended)) {
    throw new Error('The store has no counters of requests there.')
  }
  return { startedAt, begun, ended }
}
