import { createHash } from 'node:crypto'
import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/templates.ts'
import { LRUCache } from 'lru-cache'

interface StoreStateOptions {
  /**
   * Reads the state of the store as a short text that changes with every load and every ingest. Its first word stays
   * the same if concepts are added to a vocabulary and no statement about other concepts changes.
   */
  readState: (signal: AbortSignal | undefined) => Promise<string>
  /** How long data count as current after they were read, if other programs may write to the store. */
  maxStalenessMs: number
  /** Every write to the store changes a revision, because only this service, its commands and its instances write. */
  isExclusive?: boolean
  /** Others write to the store at any time, and a read must never give older data than the read before. */
  isReplica?: boolean
}

/** True: concepts were added to a vocabulary, and the statements about other concepts are the same. */
type ChangeListener = (isAddition: boolean) => void

/**
 * A result that takes long to read counts, or is not read again, for this many times as long as it took
 * (ARCHITECTURE.md, "What the service remembers of the store").
 */
export const REST = 50
/** Many requests at once share one look at the state. */
const NOW_MS = 50

/**
 * The last known state of the store. A state of a moment ago may stamp data before they are read; only `present` proves
 * that nothing has changed.
 *
 * A writer announces each change of this process with `changed` or `added`. `onChange` tells everyone who remembers
 * something.
 *
 * @example
 * const state = new StoreState({ readState: (signal) => readStoreState(client, signal), maxStalenessMs: 5000 })
 * const before = await state.recent(signal)
 * const records = await readRecords()
 * // The records are still true if this is so:
 * before === (await state.present(signal))
 */
export class StoreState {
  readonly #options: StoreStateOptions
  readonly #listeners: ChangeListener[] = []
  #last: { state: string; at: number } | undefined
  #reading: { state: Promise<string>; at: number } | undefined
  /** States read before this time do not count. */
  #since = 0
  /** When something was last read from a replica. */
  #readAt = -Infinity

  constructor(options: StoreStateOptions) {
    this.#options = options
  }

  /** How long data count after they were read while the state stays the same, in milliseconds. */
  get maxAgeMs(): number {
    return this.#options.isExclusive ? Infinity : this.#options.maxStalenessMs
  }

  /** True if what was read at this time counts in the state that was last looked at. */
  isYoung(readAt: number): boolean {
    return performance.now() - readAt < this.maxAgeMs
  }

  /** Announces a change: this process has written to the store. */
  changed(): void {
    this.#announce(false)
  }

  /** Announces that this process has added concepts to a vocabulary, without changing statements about others. */
  added(): void {
    this.#announce(true)
  }

  #announce(isAddition: boolean): void {
    if (this.#last) this.#last.at = -Infinity
    this.#reading = undefined
    this.#since = performance.now()
    this.#tell(isAddition)
  }

  /** Calls a function after every change, whether announced or found by a look at the state. */
  onChange(listener: ChangeListener): void {
    this.#listeners.push(listener)
  }

  /** The present state of the store. */
  async present(signal?: AbortSignal): Promise<string> {
    const at = performance.now()
    const state = await this.#options.readState(signal)
    // A reading that began before a change of this process, or that ends after a later one, does not count.
    if (at < this.#since || at < (this.#last?.at ?? at)) return state
    const before = this.#last?.state
    this.#last = { state, at }
    if (state !== before)
      this.#tell(before !== undefined && revisionOfStatements(state) === revisionOfStatements(before))
    return state
  }

  /** The state of a moment ago. */
  async now(): Promise<string> {
    if (this.#isYounger(Math.min(NOW_MS, this.#options.maxStalenessMs))) return this.#last!.state
    if (!this.#reading || this.#reading.at <= Math.max(this.#readAt, this.#last?.at ?? -Infinity)) {
      const at = performance.now()
      // Without the signal of a request, because others wait for it, too.
      const state = this.present().finally(() => {
        if (this.#reading?.state === state) this.#reading = undefined
      })
      this.#reading = { state, at }
    }
    return this.#reading.state
  }

  /** The state of a short time ago, or of now. */
  async recent(signal: AbortSignal | undefined): Promise<string> {
    return this.#isYounger(this.#options.maxStalenessMs) ? this.#last!.state : this.present(signal)
  }

  /**
   * Call it after any other read from the store: a replica may have shown a later state than the known one, which makes
   * everything remembered with the known state too old.
   */
  hasRead(): void {
    if (this.#options.isReplica) this.#readAt = performance.now()
  }

  #tell(isAddition: boolean): void {
    for (const listener of this.#listeners) listener(isAddition)
  }

  #isYounger(milliseconds: number): boolean {
    const { at = -Infinity } = this.#last ?? {}
    return at > this.#readAt && performance.now() - at < milliseconds
  }
}

/** The part of a state on which the statements about existing concepts depend. */
export function revisionOfStatements(state: string): string {
  const [statements = ''] = state.split(' ', 1)
  return statements
}

/**
 * The state of all vocabularies as two short words. Both change with every load, an ingest changes only the second,
 * because it leaves the statements about existing concepts as they are. Neither changes if another program writes to
 * the store directly.
 *
 * @throws ApiError if the store fails.
 */
export async function readStoreState(client: SparqlClient, signal: AbortSignal | undefined): Promise<string> {
  const all = await readRevisions(client, signal)
  return `${loadsOf(all)} ${digestOfLines(all.map(({ graph, revision }) => `${graph} ${revision}`))}`
}

/**
 * The part of a state on which the statements about existing concepts depend, from the revisions of all graphs; or the
 * same of some graphs alone.
 */
export function loadsOf(all: readonly GraphRevision[], graphs?: readonly string[]): string {
  const of = graphs ? all.filter(({ graph }) => graphs.includes(graph)) : all
  return digestOfLines(of.map(({ graph, revision, load }) => `${graph} ${load ?? revision}`))
}

function digestOfLines(lines: readonly string[]): string {
  return createHash('sha1').update(lines.toSorted().join('\n')).digest('base64url')
}

/** A graph with bookkeeping: it has the URI of its vocabulary, subset or concordance. */
export interface GraphRevision {
  graph: string
  /** Changes with every load and every ingest. */
  revision: string
  /** Changes with every load; undefined if another program wrote the graph. */
  load: string | undefined
}

/** The revisions of the graphs of a store, in any order. @throws ApiError if the store fails. */
export async function readRevisions(client: SparqlClient, signal?: AbortSignal): Promise<GraphRevision[]> {
  const rows = await client.select(queryTemplate('revisions').bind(), { signal })
  return rows.map(({ scheme, revision, load }) => ({
    graph: scheme!.value,
    revision: revision!.value,
    load: load?.value,
  }))
}

interface StoreCacheOptions<Value> {
  state: StoreState
  /** Memory for all values, in the unit of `sizeOf`. */
  maxSize: number
  /** The memory that a value takes together with its key. */
  sizeOf: (value: Value, key: string) => number
  /** `get` does not keep values that took fewer milliseconds to find. */
  worthMs?: number
  /**
   * Values stay if concepts are added to a vocabulary. The caller compares states to find out which are still true.
   */
  outliveAdditions?: boolean
}

interface CachedValue<Value> {
  value: Value
  state: string
  at: number
}

/**
 * A cache of values that were read from the store. A value counts while the store has the state that it had before the
 * value was read. Other programs may change the store without changing that state; such a change stays unnoticed for
 * `StoreState.maxAgeMs` at most, after the value was read or a look has proved that nobody has written.
 *
 * @example
 * const lists = new StoreCache<string[]>({ state, maxSize: 1000, sizeOf: () => 1 })
 * const uris = await lists.get(query, () => readList(query), signal)
 */
export class StoreCache<Value extends NonNullable<unknown>> {
  readonly #options: StoreCacheOptions<Value>
  readonly #entries: LRUCache<string, CachedValue<Value>>

  constructor(options: StoreCacheOptions<Value>) {
    const { state, maxSize, sizeOf, outliveAdditions = false } = options
    this.#options = options
    this.#entries = new LRUCache({ maxSize, sizeCalculation: ({ value }, key) => sizeOf(value, key) })
    state.onChange((isAddition) => {
      if (!(isAddition && outliveAdditions)) this.#entries.clear()
    })
  }

  /** The memory that all values take, in the unit of `sizeOf`. */
  get size(): number {
    return this.#entries.calculatedSize
  }

  /** True if there is a value that may be young enough; it still counts if the store has the same state. */
  mayHave(key: string): boolean {
    return this.#candidate(key) !== undefined
  }

  /** The value for a key if it was kept at one of the states of the store that are true now. */
  peek(key: string, ...states: readonly string[]): Value | undefined {
    const entry = this.#entries.get(key)
    return entry && states.includes(entry.state) && this.#options.state.isYoung(entry.at) ? entry.value : undefined
  }

  /**
   * The value for a key if it still holds.
   *
   * @param look gives the state of the store; called only for a value that may be young enough. Undefined: the value is
   *    of no use.
   * @throws the errors of `look`.
   */
  async find(key: string, look: (value: Value) => Promise<string> | undefined): Promise<Value | undefined> {
    const entry = this.#candidate(key)
    if (!entry || (await look(entry.value)) !== entry.state) return undefined
    return this.#options.state.isYoung(entry.at) ? entry.value : undefined
  }

  /** @param state of the store before the value was read. */
  keep(key: string, value: Value, state: string): void {
    this.#entries.set(key, { value, state, at: performance.now() })
  }

  /**
   * The value for a key, or the result of `find`.
   *
   * @throws the errors of `find` and of the store.
   */
  async get(key: string, find: () => Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
    const { state, worthMs = 0 } = this.#options
    const cached = await this.find(key, () => state.present(signal))
    if (cached !== undefined) return cached
    const before = await state.recent(signal)
    const started = performance.now()
    const value = await find()
    if (performance.now() - started >= worthMs) this.keep(key, value, before)
    return value
  }

  #candidate(key: string): CachedValue<Value> | undefined {
    const entry = this.#entries.get(key)
    const { state } = this.#options
    return entry && state.isYoung(entry.at) ? entry : undefined
  }
}
