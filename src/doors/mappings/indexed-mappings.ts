import type { SearchIndex } from '../../interface/search/search-index.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import type {
  FoundMappings,
  MappingQuestion,
  NotationCount,
  SchemeCount,
} from '../../graph/index/mappings/mapping-reader.ts'

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
