import { ByRevision } from '../memory/by-revision.ts'
import { Remembered } from '../memory/remembered.ts'
import type { StoreState } from '../memory/store-state.ts'
import type { LISTS } from '../namespaces.ts'
import { inBackground, type SparqlClient } from '../sparql/client.ts'
import { storeIsLate } from '../sparql/late.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { until } from '../until.ts'
import type { VocabularyRegistry } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

export type ListName = keyof typeof LISTS

export interface ListChecksOptions {
  client: SparqlClient
  registry: VocabularyRegistry
  state: StoreState
  /** Lists of vocabularies with more concepts do not wait for the check. */
  mostAwaited?: number
}

/** Their check takes about a tenth of a second. */
const MOST_AWAITED = 20_000
/** Vocabularies whose checks are remembered. */
const MOST_REMEMBERED = 10_000
/** A check may take longer than the requests that wait for it. */
const TIMEOUT_MS = 60_000

type Fits = Record<ListName, boolean>

/** The concepts with a place, and the sum of their places. */
interface Places {
  count: number
  sum: number
}

/** The numbers of `list/check`, NaN if the store has none; undefined: not asked for, or the store was too slow. */
interface Numbers {
  concepts?: number
  topConcepts?: number
  allConcepts?: number
  allTopConcepts?: number
  places?: Places
  topPlaces?: Places
}

const PARTS = ['allConcepts', 'allTopConcepts', 'places', 'topPlaces'] as const
type Part = (typeof PARTS)[number]

const FITS: Fits = { concepts: true, topConcepts: true }

/**
 * Checks that the positions that the service has written into a vocabulary still fit its concepts, because other programs
 * may add or remove concepts.
 */
export class ListChecks {
  readonly #options: ListChecksOptions
  /** Requests wait for these checks; simultaneous ones share them. */
  readonly #checks: Remembered<Promise<Fits>>
  /** Nobody waits for the checks of larger vocabularies. */
  readonly #largeChecks: ByRevision<Fits>

  constructor(options: ListChecksOptions) {
    const { registry, state } = options
    this.#options = options
    this.#checks = new Remembered({ state, maxSize: MOST_REMEMBERED, sizeOf: () => 1 })
    this.#largeChecks = new ByRevision({
      // If a store is too slow even for the parts of a large check, do not ask again at once.
      read: ({ uri }, { before }) => this.#check(uri, true).catch(() => before ?? FITS),
      registry,
      maxAgeMs: state.maxAgeMs,
    })
  }

  /**
   * True if the positions fit. A larger vocabulary counts as fitting until a check shows that it does not.
   *
   * @param signal ends the waiting; the check goes on, because the next request wants it, too.
   * @throws ApiError if the store fails.
   */
  async fits(vocabulary: Vocabulary, name: ListName, signal: AbortSignal): Promise<boolean> {
    const { state, mostAwaited = MOST_AWAITED } = this.#options
    const { uri, lengths } = vocabulary
    if ((lengths.concepts ?? 0) > mostAwaited) return (this.#largeChecks.present(vocabulary) ?? FITS)[name]
    const before = await state.recent(undefined)
    const known = this.#checks.peek(uri, before)
    if (known) return (await until(signal, known, storeIsLate))[name]
    const check = this.#check(uri, false)
    this.#checks.keep(uri, check, before)
    check.catch(() => this.#checks.forget(uri))
    return (await until(signal, check, storeIsLate))[name]
  }

  async #check(uri: string, isLarge: boolean): Promise<Fits> {
    const numbers: Numbers = {}
    let failure: unknown
    // One number after the other, because a store may be too slow for all of them in one request.
    for (const include of isLarge ? PARTS.map((part) => [part]) : [PARTS]) {
      try {
        Object.assign(numbers, await this.#count(uri, include))
      } catch (error) {
        if (!isLarge) throw error
        failure = error
      }
    }
    const { concepts, topConcepts, allConcepts, allTopConcepts, places, topPlaces } = numbers
    if (concepts === undefined || topConcepts === undefined) throw failure
    return {
      concepts: isDense(concepts, allConcepts, places),
      topConcepts: isDense(topConcepts, allTopConcepts, topPlaces),
    }
  }

  async #count(uri: string, include: readonly Part[]): Promise<Numbers> {
    const query = queryTemplate('list/check').bind({ terms: { scheme: [iri(uri)], graph: [iri(uri)] }, include })
    const [row] = await this.#options.client.select(query, { signal: inBackground(), timeoutMs: TIMEOUT_MS })
    const value = (name: string) => Number(row?.[name]?.value)
    const all: Required<Numbers> = {
      concepts: value('concepts'),
      topConcepts: value('topConcepts'),
      allConcepts: value('allConcepts'),
      allTopConcepts: value('allTopConcepts'),
      places: { count: value('placed'), sum: value('places') },
      topPlaces: { count: value('topPlaced'), sum: value('topPlaces') },
    }
    const { concepts, topConcepts } = all
    return { concepts, topConcepts, ...Object.fromEntries(include.map((part) => [part, all[part]])) }
  }
}

/** True if nothing is known that speaks against a list of this length with a concept at each place. */
function isDense(length: number, all: number | undefined, places: Places | undefined): boolean {
  const isComplete = all === undefined || all === length
  const isAtEach = places === undefined || (places.count === length && places.sum === (length * (length + 1)) / 2)
  return !Number.isNaN(length) && isComplete && isAtEach
}
