import type { LISTS } from '../namespaces.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

export type ListName = keyof typeof LISTS

export interface ListChecksOptions {
  client: SparqlClient
  /** How long a check counts, although other programs may write to the store. */
  maxAgeMs: number
  /** Lists of vocabularies with more concepts do not wait for the check. */
  mostAwaited?: number
}

/** Their check takes about a tenth of a second. */
const MOST_AWAITED = 20_000
/** After the check of a larger vocabulary, the next one waits this many times as long as the check took. */
const REST = 50
/** Nobody waits for the check of a larger vocabulary. */
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

interface Check {
  started: number
  result: Promise<Fits>
  /** Undefined during the check. */
  ended?: { tookMs: number; fits: Fits }
}

/**
 * Checks that the positions that the service has written into a vocabulary still fit its concepts, because other programs
 * may add or remove concepts.
 */
export class ListChecks {
  readonly #options: ListChecksOptions
  readonly #checks = new Map<string, Check>()

  constructor(options: ListChecksOptions) {
    this.#options = options
  }

  /** Forgets all checks, because the store has changed. */
  clear(): void {
    this.#checks.clear()
  }

  /**
   * True if the positions fit. A larger vocabulary counts as fitting until a check shows that it does not.
   *
   * @throws ApiError if the store fails.
   */
  async fits({ uri, lengths }: Vocabulary, name: ListName): Promise<boolean> {
    const { mostAwaited = MOST_AWAITED } = this.#options
    const isLarge = (lengths.concepts ?? 0) > mostAwaited
    const last = this.#checks.get(uri)
    const check = last && !this.#isOld(last, isLarge) ? last : this.#begin(uri, isLarge)
    if (!isLarge) return (await check.result)[name]
    return (check.ended ?? last?.ended)?.fits[name] ?? true
  }

  #isOld({ started, ended }: Check, isLarge: boolean): boolean {
    if (!ended) return false
    const { maxAgeMs } = this.#options
    return performance.now() - started >= (isLarge ? Math.max(maxAgeMs, REST * ended.tookMs) : maxAgeMs)
  }

  #begin(uri: string, isLarge: boolean): Check {
    const check: Check = { started: performance.now(), result: this.#check(uri, isLarge) }
    const before = this.#checks.get(uri)?.ended?.fits
    this.#checks.set(uri, check)
    const end = (fits: Fits) => {
      check.ended = { tookMs: performance.now() - check.started, fits }
    }
    check.result.then(end, () => {
      // If a store is too slow even for the parts of a large check, do not ask again at once.
      if (isLarge) end(before ?? { concepts: true, topConcepts: true })
      else if (this.#checks.get(uri) === check) this.#checks.delete(uri)
    })
    return check
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
    const [row] = await this.#options.client.select(query, { template: 'list/check', timeoutMs: TIMEOUT_MS })
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
