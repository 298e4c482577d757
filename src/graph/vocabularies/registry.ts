import { ApiError } from '../../base/errors.ts'
import { quoted } from '../../base/unicode.ts'
import { BY_CODE_POINTS, compareRecords, ListOrder } from '../jskos/order.ts'
import type { SparqlClient } from '../sparql/client.ts'
import {
  findVocabulary,
  readGraphs,
  vocabulariesNamed,
  wholeOf,
  type Concordance,
  type StoredGraphs,
  type Vocabulary,
} from './vocabulary.ts'

/** The vocabularies and subsets that the `voc` parameter or the path selects. */
export interface Scope {
  /** True without `voc`, or for `*`. */
  all: boolean
  schemes: Vocabulary[]
  subsets: Vocabulary[]
  /** Another scope to stay within, too. */
  within?: Scope
}

/** Receives what the store has. */
type Listener = (vocabularies: readonly Vocabulary[], concordances: readonly Concordance[]) => void

/** The scope without a filter. */
export const EVERYTHING: Scope = { all: true, schemes: [], subsets: [] }

/** The scope of some vocabularies and subsets. */
export function scopeOf(vocabularies: Iterable<Vocabulary>): Scope {
  const all = [...vocabularies]
  return {
    all: false,
    schemes: all.filter((vocabulary) => !vocabulary.isSubset),
    subsets: all.filter((vocabulary) => vocabulary.isSubset),
  }
}

/** The error for an id that no vocabulary has. */
export function noVocabulary(id: string): ApiError {
  return new ApiError('EntityNotFoundError', `There is no vocabulary with the id ${quoted(id)}.`)
}

/**
 * The vocabularies of the store. The registry remembers them for a short time, so that resolving an id costs no
 * request. It looks up an unknown id again at once, so that a new vocabulary is available as soon as its load has
 * ended.
 *
 * @example
 * const registry = new VocabularyRegistry(client, 5000, 'de')
 * const vocabulary = await registry.find('stw')
 */
export class VocabularyRegistry {
  readonly #client: SparqlClient
  readonly #maxAgeMs: number
  readonly #language: string
  readonly #listeners: Listener[] = []
  #last: (StoredGraphs & { at: number }) | undefined
  #pending: Promise<Vocabulary[]> | undefined
  /** Lists requested before this time are not current. */
  #since = 0

  /** @param language of the labels that order a vocabulary. */
  constructor(client: SparqlClient, maxAgeMs: number, language: string) {
    this.#client = client
    this.#maxAgeMs = maxAgeMs
    this.#language = language
  }

  /** Call it after a write, because the known vocabularies are not current any more. */
  invalidate(): void {
    this.#since = performance.now()
    this.#pending = undefined
  }

  /** Calls a function after every reading, with what the store has. */
  onRead(listener: Listener): void {
    this.#listeners.push(listener)
  }

  /** The vocabularies as last known, however old; undefined if they were never read. */
  get last(): readonly Vocabulary[] | undefined {
    return this.#last?.vocabularies
  }

  /** All vocabularies and subsets as the store has them now, in the order of records. */
  async fresh(signal?: AbortSignal): Promise<Vocabulary[]> {
    const at = performance.now()
    const graphs = await readGraphs(this.#client, signal)
    // A reading that ends after a later one does not count.
    if (at < (this.#last?.at ?? at)) return graphs.vocabularies
    this.#last = { ...graphs, at }
    for (const listener of this.#listeners) listener(graphs.vocabularies, graphs.concordances)
    return graphs.vocabularies
  }

  /** All vocabularies and subsets, at most `maxAgeMs` old. */
  async list(): Promise<Vocabulary[]> {
    const { vocabularies, at = -Infinity } = this.#last ?? {}
    if (vocabularies && at >= this.#since && performance.now() - at < this.#maxAgeMs) return vocabularies
    // Simultaneous requests share one query, which the signal of one must not end for the others.
    if (!this.#pending) {
      const pending = this.fresh().finally(() => {
        if (this.#pending === pending) this.#pending = undefined
      })
      this.#pending = pending
    }
    return this.#pending
  }

  /** Their URIs. Concepts may also be in other concept schemes, such as microthesauri, which name no graph. */
  async uris(): Promise<ReadonlySet<string>> {
    return new Set((await this.list()).map(({ uri }) => uri))
  }

  /** The graphs of loaded mappings, as old as the vocabularies. */
  async concordances(): Promise<readonly Concordance[]> {
    await this.list()
    return this.#last?.concordances ?? []
  }

  /** The vocabulary with this id, notation or URI. */
  async find(name: string): Promise<Vocabulary | undefined> {
    return findVocabulary(await this.list(), name) ?? findVocabulary(await this.fresh(), name)
  }

  /** The same for a name that a request has. @throws ApiError EntityNotFoundError if there is none. */
  async require(name: string): Promise<Vocabulary> {
    const vocabulary = await this.find(name)
    if (!vocabulary) throw noVocabulary(name)
    return vocabulary
  }

  /** The vocabularies and subsets that IRIs name: by their URI, or by one of their identifiers. */
  async named(iris: readonly string[]): Promise<Vocabulary[]> {
    const vocabularies = await this.list()
    const isKnown = iris.every((iri) => vocabulariesNamed(vocabularies, [iri]).length > 0)
    return vocabulariesNamed(isKnown ? vocabularies : await this.fresh(), iris)
  }

  /** The scope of a list of ids, subset notations and URIs; unknown ones select nothing. */
  async scope(names: readonly string[]): Promise<Scope> {
    if (names.length === 0 || names.includes('*')) return EVERYTHING
    let vocabularies = await this.list()
    if (names.some((name) => !findVocabulary(vocabularies, name))) vocabularies = await this.fresh()
    return scopeOf(new Set(names.flatMap((name) => findVocabulary(vocabularies, name) ?? [])))
  }

  /** The order of the records of a scope. */
  async order(scope: Scope): Promise<ListOrder> {
    return orderOf(await this.list(), scope, this.#language)
  }
}

/** The order of the records of a scope among all vocabularies. */
export function orderOf(
  all: readonly Vocabulary[],
  { all: isAll, schemes, subsets }: Scope,
  language: string,
): ListOrder {
  if (all.every(({ order }) => order === 'code-point')) return BY_CODE_POINTS
  const listed = new Set(isAll ? all : [...schemes, ...subsets.map((subset) => wholeOf(subset, all) ?? subset)])
  const vocabularies = [...listed].filter(({ isSubset }) => !isSubset)
  // An id compares as it is written; a vocabulary without one comes last.
  const named = vocabularies.map(({ uri, ids, order }) => ({ uri, order, key: ids[0] }))
  return new ListOrder(named.sort(compareRecords), language)
}
