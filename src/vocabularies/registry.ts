import { isVocabularyId } from '../jskos/record.ts'
import { compareRecords, smallest } from '../jskos/order.ts'
import { DCT, ID, NOTATION_TYPE, REVISION, SKOS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { isAbsoluteIri } from '../sparql/terms.ts'

/** A vocabulary or a subset in the store. */
export interface Vocabulary {
  uri: string
  /** Those of its notations that the loader has made its ids; none where something else wrote the vocabulary. */
  ids: string[]
  notations: string[]
  identifiers: string[]
  partOf: string[]
  isSubset: boolean
  /** Changes with every load and ingest; undefined where something else wrote the vocabulary. */
  revision: string | undefined
  /** Datatype IRIs and language tags that its notations carry, beside none: a look-up has to name them. */
  notationTypes: { language?: string; datatype?: string }[]
}

/** What the `voc` parameter selects. */
export interface Scope {
  /** Everything: no `voc` or `*`. */
  all: boolean
  schemes: Vocabulary[]
  subsets: Vocabulary[]
}

/** Nothing is filtered. */
export const EVERYTHING: Scope = { all: true, schemes: [], subsets: [] }

/**
 * The vocabularies of the store. What is known is kept for a short time, so that an id costs no request of its own;
 * an id that is not known is looked up again at once, so that a new vocabulary is there when its load has ended.
 */
export class VocabularyRegistry {
  readonly #client: SparqlClient
  readonly #maxAgeMs: number
  #known: { vocabularies: Vocabulary[]; at: number } | undefined
  #pending: Promise<Vocabulary[]> | undefined

  constructor(client: SparqlClient, maxAgeMs: number) {
    this.#client = client
    this.#maxAgeMs = maxAgeMs
  }

  /** Forgets what is known: something was written. */
  invalidate(): void {
    this.#known = undefined
    this.#pending = undefined
  }

  /** What was last known, however old; undefined where nothing is. */
  get last(): readonly Vocabulary[] | undefined {
    return this.#known?.vocabularies
  }

  /** All vocabularies and subsets as the store has them now, in the order of records. */
  async fresh(signal?: AbortSignal): Promise<Vocabulary[]> {
    const vocabularies = await this.#read(signal)
    this.#known = { vocabularies, at: performance.now() }
    return vocabularies
  }

  /** All vocabularies and subsets, at most `maxAgeMs` old. */
  async list(): Promise<Vocabulary[]> {
    if (this.#known && performance.now() - this.#known.at < this.#maxAgeMs) return this.#known.vocabularies
    // Requests that come together share one look; a signal of one of them must not end it for the others.
    this.#pending ??= this.fresh().finally(() => (this.#pending = undefined))
    return this.#pending
  }

  /** The vocabulary with this id, notation or URI. */
  async find(name: string): Promise<Vocabulary | undefined> {
    return lookUp(await this.list(), name) ?? lookUp(await this.fresh(), name)
  }

  /** What a list of ids, subset notations and URIs selects; unknown ones select nothing. */
  async scope(names: readonly string[]): Promise<Scope> {
    if (names.length === 0 || names.includes('*')) return EVERYTHING
    let known = await this.list()
    if (names.some((name) => !lookUp(known, name))) known = await this.fresh()
    const found = new Set(names.flatMap((name) => lookUp(known, name) ?? []))
    return {
      all: false,
      schemes: [...found].filter((vocabulary) => !vocabulary.isSubset),
      subsets: [...found].filter((vocabulary) => vocabulary.isSubset),
    }
  }

  async #read(signal?: AbortSignal): Promise<Vocabulary[]> {
    const rows = await this.#client.select(queryTemplate('voc').bind({}), { template: 'voc', signal })
    const vocabularies = new Map<string, Vocabulary>()
    for (const { scheme, p, o } of rows) {
      const uri = scheme!.value
      let vocabulary = vocabularies.get(uri)
      if (!vocabulary) {
        vocabulary = {
          uri,
          ids: [],
          notations: [],
          identifiers: [],
          partOf: [],
          isSubset: false,
          revision: undefined,
          notationTypes: [],
        }
        vocabularies.set(uri, vocabulary)
      }
      const { type, value } = o!
      if (p!.value === `${SKOS}notation`) vocabulary.notations.push(value)
      if (p!.value === `${DCT}identifier`) vocabulary.identifiers.push(value)
      if (p!.value === `${DCT}isPartOf`) vocabulary.partOf.push(value)
      if (p!.value === NOTATION_TYPE) {
        vocabulary.notationTypes.push(type === 'uri' ? { datatype: value } : { language: value })
      }
      if (p!.value === ID) vocabulary.ids.push(value)
      if (p!.value === REVISION) vocabulary.revision = value
    }
    for (const vocabulary of vocabularies.values()) {
      vocabulary.isSubset = vocabulary.notations.some((notation) => notation.startsWith('subset_'))
    }
    const key = ({ uri, notations }: Vocabulary) => ({ key: smallest(notations), uri })
    return [...vocabularies.values()].sort((a, b) => compareRecords(key(a), key(b)))
  }
}

/** The same for URIs that differ in http or https and in a trailing slash only (contract, section 4, `voc`). */
export function sameVocabularyKey(uri: string): string {
  return uri.replace(/^https:/i, 'http:').replace(/\/$/, '')
}

/** The vocabulary with this id, notation or URI among some. */
export function lookUp(vocabularies: readonly Vocabulary[], name: string): Vocabulary | undefined {
  // What is only a notation of one vocabulary may be the id of another.
  const byNotation =
    vocabularies.find(({ ids }) => ids.includes(name)) ?? vocabularies.find(({ notations }) => notations.includes(name))
  if (byNotation && (isVocabularyId(name) || !isAbsoluteIri(name))) return byNotation
  return (
    vocabularies.find(({ uri }) => uri === name) ??
    vocabularies.find(({ uri }) => sameVocabularyKey(uri) === sameVocabularyKey(name))
  )
}
