import { ByRevision } from '../memory/by-revision.ts'
import { statementsOf } from '../memory/store-state.ts'
import { rememberConcepts } from './concept-graph.ts'
import type { ReadDependencies } from './dependencies.ts'
import { inPieces } from './pieces.ts'

const PORTION = { size: 100, ahead: 1 }
/** After a change, this multiple of the last reading time passes before the concepts are read again. */
const REST_AFTER_CHANGE = 10
/** The memory that a concept is expected to take, in bytes. */
const EXPECTED_BYTES = 1200

/**
 * Reads concepts before anybody asks for them: in large pieces, each takes the store and the service a tenth of what a request for it alone
 * takes. Only vocabularies whose concepts all fit into the memory count, the small ones first.
 *
 * It reads only from a store that proves how long its statements are true: the embedded one, or one that counts its writes.
 */
export class ConceptsAhead {
  readonly #dependencies: ReadDependencies
  /** All vocabularies as one, because a load of one makes the service forget the concepts of all. */
  readonly #read: ByRevision<true>
  /** Aborted when the service stops; undefined: nothing is read ahead. */
  #signal: AbortSignal | undefined

  constructor(dependencies: ReadDependencies) {
    const { registry } = dependencies
    this.#dependencies = dependencies
    this.#read = new ByRevision({
      read: (_, { isWanted }) => this.#readAll(isWanted),
      restAfterChange: REST_AFTER_CHANGE,
      maxAgeMs: Infinity,
    })
    registry.onRead(() => this.#present())
  }

  /** From now on, reads the concepts as soon as a load is known. @param signal ends this. */
  begin(signal: AbortSignal): void {
    const { resources, state } = this.#dependencies
    const isProven = state.maxAgeMs === Infinity
    if (isProven && resources?.keepsStatements) this.#signal = signal
    this.#present()
  }

  #present(): void {
    if (!this.#signal || this.#signal.aborted) return
    const read = (state: string) => void this.#read.present({ uri: '', revision: statementsOf(state) })
    this.#dependencies.state.now().then(read, () => undefined)
  }

  async #readAll(isWanted: () => boolean): Promise<true> {
    const { registry, resources } = this.#dependencies
    const lengths = (await registry.list()).flatMap(({ uri, isSubset, lengths: { concepts = 0 } }) =>
      isSubset ? [] : { uri, concepts },
    )
    try {
      for (const { uri: vocabulary, concepts } of lengths.sort((one, other) => one.concepts - other.concepts)) {
        if (concepts * EXPECTED_BYTES > resources!.freeBytes) break
        const all = Array.from({ length: concepts }, (_, at) => at + 1)
        const read = (places: readonly number[]) =>
          rememberConcepts(this.#dependencies, { places, list: 'concepts', vocabulary }, this.#signal)
        const pieces = inPieces(all, PORTION, read)
        while (!(await pieces.next()).done) if (!isWanted()) return true
      }
    } catch {
      // The store is slow or away: it gets no further requests that nobody waits for until the next load.
    }
    return true
  }
}
