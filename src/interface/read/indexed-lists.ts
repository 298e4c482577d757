import { REST, type StoreState } from '../../graph/memory/store-state.ts'
import { inBackground, type SparqlClient } from '../../graph/sparql/client.ts'
import { storeIsLate } from '../../graph/sparql/http.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { until } from '../../base/clock.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** Lists of a vocabulary: all concepts, top concepts, and concepts in or below cycles, which no top concept reaches. */
export type ListName = 'concepts' | 'topConcepts' | 'unreached'

/** The lengths of the lists of a vocabulary. */
export type ListLengths = Record<ListName, number>

/** Asks for a page of a list of a vocabulary, of the concepts below one, or of very many directly below one. */
export interface ListQuestion {
  /** The URI of the vocabulary. */
  of: string
  /** The revision that the index must have. */
  revision: string
  list: ListName | { below: string } | { narrower: string }
  page: { limit: number; offset: number }
}

/** A page of a list, in the order of records. */
export interface ListPage {
  /** The length of the whole list. */
  total: number
  /** The first URIs of the page, at most `URIS_AT_A_TIME`. */
  uris: string[]
  /** The ids of the other concepts of the page: all come from one revision, and take little memory. */
  rest: Float64Array
}

/** URIs to read from the search index at a time. */
export const URIS_AT_A_TIME = 5000

/** The search index, as far as it has lists (src/interface/search/search-index.ts). */
export interface ListIndex {
  page(question: ListQuestion, signal: AbortSignal): Promise<ListPage | undefined>
  uris(ids: Float64Array, signal: AbortSignal): Promise<string[] | undefined>
  withManyNarrower(uri: string): Promise<string | undefined>
  lengths(vocabulary: Vocabulary): Promise<ListLengths | undefined>
  classes(vocabulary: Vocabulary, signal: AbortSignal): Promise<string[] | undefined>
  doubt(vocabulary: Vocabulary, sign: string): void
}

/** From so many narrower concepts on, the index finds a page of them much sooner than the store, which sorts all. */
export const MANY_NARROWER = 1000

/** A request waits this long for a count; the count goes on. */
const PATIENCE_MS = 200
const TIMEOUT_MS = 60_000

/** How many concepts the store has in the lists of a vocabulary. */
interface Count {
  revision: string
  /** When it began. */
  at: number
  /** Infinity until it has ended. */
  restsUntil: number
  ended: Promise<void>
  /** As JSON; undefined if the store was too slow. */
  lengths: string | undefined
}

/**
 * Pages of whole lists from the search index. Other programs may write to the store without a new revision, so the
 * store counts the concepts from time to time; while the numbers differ, the index does not answer, and reads the
 * vocabulary again.
 */
export class IndexedLists {
  readonly #client: SparqlClient
  readonly #state: StoreState
  readonly #index: ListIndex
  readonly #counts = new Map<string, Count>()

  constructor({ client, state, index }: { client: SparqlClient; state: StoreState; index: ListIndex }) {
    this.#client = client
    this.#state = state
    this.#index = index
    state.onChange((isAddition) => {
      if (!isAddition) for (const count of this.#counts.values()) count.at = -Infinity
    })
  }

  /**
   * A page of a list.
   *
   * @returns undefined if the index does not have the whole list as the store has it.
   * @throws ApiError TimeoutError
   */
  async page(
    vocabulary: Vocabulary,
    { list, page }: Pick<ListQuestion, 'list' | 'page'>,
    signal: AbortSignal,
  ): Promise<ListPage | undefined> {
    const { uri: of, revision } = vocabulary
    if (revision === undefined || !(await this.lengths(vocabulary, signal))) return undefined
    return this.#index.page({ of, revision, list, page }, signal)
  }

  /**
   * The URIs of the concepts with some ids, which `page` gave, without concepts that the index has no longer.
   *
   * @returns undefined if the index cannot be used.
   * @throws ApiError TimeoutError
   */
  uris(ids: Float64Array, signal: AbortSignal): Promise<string[] | undefined> {
    return this.#index.uris(ids, signal)
  }

  /** The lengths of the lists of a vocabulary; undefined if the index does not have them as the store has them. */
  async lengths(vocabulary: Vocabulary, signal: AbortSignal): Promise<ListLengths | undefined> {
    const lengths = await this.#index.lengths(vocabulary)
    return lengths && (await this.#agrees(vocabulary, lengths, signal)) ? lengths : undefined
  }

  /**
   * The URIs of the classes of the concepts of a vocabulary or subset.
   *
   * @param whole the vocabulary of a subset.
   * @returns undefined if the index does not have these graphs in their revisions.
   * @throws ApiError TimeoutError
   */
  async classes(
    vocabulary: Vocabulary,
    whole: Vocabulary | undefined,
    signal: AbortSignal,
  ): Promise<string[] | undefined> {
    for (const graph of vocabulary.isSubset ? [vocabulary, whole] : [vocabulary]) {
      if (!graph || !(await this.#index.lengths(graph))) return undefined
    }
    return this.#index.classes(vocabulary, signal)
  }

  /** The vocabulary in which a concept has `MANY_NARROWER` or more, as the index has it; undefined if there is none. */
  async withManyNarrower(uri: string, vocabularies: readonly Vocabulary[]): Promise<Vocabulary | undefined> {
    const graph = await this.#index.withManyNarrower(uri)
    return vocabularies.find((vocabulary) => vocabulary.uri === graph)
  }

  /** Reports that the store does not have all concepts of a page. @param sign the same one counts once. */
  doubt(vocabulary: Vocabulary, sign: string): void {
    this.#index.doubt(vocabulary, sign)
  }

  /** True if the store is not known to have other numbers of concepts. */
  async #agrees(vocabulary: Vocabulary, { concepts, topConcepts }: ListLengths, signal: AbortSignal): Promise<boolean> {
    const { uri, revision } = vocabulary
    if (this.#state.maxAgeMs === Infinity || revision === undefined) return true
    let count = this.#counts.get(uri)
    const isTrue = count?.revision === revision && this.#state.isYoung(count.at)
    if (!count || (!isTrue && performance.now() >= count.restsUntil)) count = this.#begin(uri, revision)
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    await until(patience, count.ended, storeIsLate).catch(() => undefined)
    if (count.revision !== revision || count.lengths === undefined) return true
    if (count.lengths === JSON.stringify({ concepts, topConcepts })) return true
    this.#index.doubt(vocabulary, count.lengths)
    return false
  }

  #begin(uri: string, revision: string): Count {
    const before = this.#counts.get(uri)
    const at = performance.now()
    const query = queryTemplate('list/lengths').bind({ terms: { of: [iri(uri)] } })
    const find = async () => {
      try {
        const [row] = await this.#client.select(query, { signal: inBackground(), timeoutMs: TIMEOUT_MS })
        const lengths = { concepts: Number(row?.['concepts']?.value), topConcepts: Number(row?.['topConcepts']?.value) }
        count.lengths = JSON.stringify(lengths)
      } catch {
        // The store is too slow or does not answer; requests for records report this.
        count.lengths = undefined
      }
      const now = performance.now()
      count.restsUntil = now - at > PATIENCE_MS ? now + REST * (now - at) : now
    }
    const lengths = before?.revision === revision ? before.lengths : undefined
    const count: Count = { revision, at, restsUntil: Infinity, lengths, ended: Promise.resolve().then(find) }
    this.#counts.set(uri, count)
    return count
  }
}
