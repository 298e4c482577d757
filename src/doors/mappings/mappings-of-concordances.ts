import { ApiError } from '../../base/errors.ts'
import { parseMapping, type Mapping } from '../../graph/jskos/mapping.ts'
import type { MappingsOfConcordances } from '../../interface/read/dependencies.ts'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import { ANY, EVERY_MAPPING } from '../../graph/index/mappings/mapping-reader.ts'
import type { IndexedMappings } from './indexed-mappings.ts'

/** Mappings that are read at a time. */
const PIECE = 1000

const QUESTION = { ...EVERY_MAPPING, partOf: [ANY], sort: 'created', order: 'asc' } as const

/**
 * Finds the mappings of concordances in the index. There are none until the index can be used, because records are
 * there without it; it
 * changes the state of the store as soon as it can, so that no answer of before is remembered.
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
