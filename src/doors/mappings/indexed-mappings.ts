import type { SearchIndex } from '../../interface/search/search-index.ts'
import { EVERYTHING, type VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import {
  type FoundMappings,
  type MappingQuestion,
  type NotationCount,
  type SchemeCount,
  ANY,
  EVERY_MAPPING,
} from '../../graph/index/mappings/mapping-reader.ts'
import { ApiError } from '../../base/errors.ts'
import { parseMapping, type Mapping } from '../../graph/jskos/mapping.ts'
import type { MappingsOfConcordances } from '../../interface/read/dependencies.ts'

/** The mappings of the search index. Each question may throw the errors of `SearchIndex.find`. */
export class IndexedMappings {
  readonly #index: Pick<SearchIndex, 'ask'>

  constructor(index: Pick<SearchIndex, 'ask'>) {
    this.#index = index
  }

  /** The mappings that a question finds, one page of them. */
  find(question: MappingQuestion, signal: AbortSignal): Promise<FoundMappings> {
    return this.#index.ask(EVERYTHING, signal, () => ['mappings', question])
  }

  /** The vocabularies of the mappings that a question finds, by URI. */
  schemes(question: MappingQuestion, signal: AbortSignal): Promise<SchemeCount[]> {
    return this.#index.ask(EVERYTHING, signal, () => ['mappedSchemes', question])
  }

  /**
   * Notations of mapped concepts that begin like a text, with the number of mappings, most first.
   *
   * @param schemes only mappings from or to one of these vocabularies, given by URI; undefined: all.
   */
  notations(beginning: string, schemes: readonly string[] | undefined, signal: AbortSignal): Promise<NotationCount[]> {
    return this.#index.ask(EVERYTHING, signal, () => ['mappedNotations', beginning, schemes])
  }

  /** The numbers of the mappings of concordances, by the URI of the concordance. */
  async sizes(signal: AbortSignal): Promise<ReadonlyMap<string, number>> {
    return new Map(await this.#index.ask(EVERYTHING, signal, () => ['concordanceSizes']))
  }
}

/** Mappings that are read at a time. */
const PIECE = 1000

const QUESTION = { ...EVERY_MAPPING, partOf: [ANY], sort: 'created', order: 'asc' } as const

/**
 * Finds the mappings of concordances in the index. There are none until the index can be used, because records are
 * there without it; it changes the state of the store as soon as it can, so that no answer of before is remembered.
 */
export function mappingsOfConcordances(
  registry: Pick<VocabularyRegistry, 'concordances'>,
  mappings: Pick<IndexedMappings, 'find'>,
): MappingsOfConcordances {
  return async (from, signal = new AbortController().signal) => {
    if ((await registry.concordances()).length === 0) return []
    const loaded: Mapping[] = []
    try {
      for (let offset = 0, total = 1; offset < total; offset += PIECE) {
        const page = { limit: PIECE, offset }
        const piece = await mappings.find({ ...QUESTION, from, page }, signal)
        loaded.push(...piece.mappings.flatMap(({ jskos }) => parseMapping(jskos ?? '') ?? []))
        total = piece.total
      }
    } catch (error) {
      if (error instanceof ApiError && error.name === 'ServiceUnavailableError') return []
      throw error
    }
    return loaded
  }
}
