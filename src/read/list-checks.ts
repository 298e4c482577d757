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
    const check: Check = { started: performance.now(), result: this.#check(uri) }
    const before = this.#checks.get(uri)?.ended?.fits
    this.#checks.set(uri, check)
    const end = (fits: Fits) => {
      check.ended = { tookMs: performance.now() - check.started, fits }
    }
    check.result.then(end, () => {
      // If a store is too slow for a large check, do not ask again at once.
      if (isLarge) end(before ?? { concepts: true, topConcepts: true })
      else if (this.#checks.get(uri) === check) this.#checks.delete(uri)
    })
    return check
  }

  async #check(uri: string): Promise<Fits> {
    const query = queryTemplate('list/check').bind({ terms: { scheme: [iri(uri)], graph: [iri(uri)] } })
    const [row] = await this.#options.client.select(query, { template: 'list/check', timeoutMs: TIMEOUT_MS })
    const value = (name: string) => Number(row?.[name]?.value)
    const isDense = (length: number, all: number, placed: number, places: number) =>
      all === length && placed === length && places === (length * (length + 1)) / 2
    return {
      concepts: isDense(value('concepts'), value('allConcepts'), value('placed'), value('places')),
      topConcepts: isDense(value('topConcepts'), value('allTopConcepts'), value('topPlaced'), value('topPlaces')),
    }
  }
}
