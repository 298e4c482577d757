import { conceptsOf, type ConceptBundle, type MappedConcept, type Mapping } from '../../graph/jskos/mapping.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { recordsIn } from '../../interface/read/list.ts'
import { changed } from '../../interface/read/pieces.ts'
import { listRequest } from '../../interface/read/request.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { EVERY_MAPPING, type FoundMapping, type MappingQuestion } from '../../graph/index/mappings/mapping-reader.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import { concordanceRecords, findConcordance } from './concordance.ts'
import type { IndexedMappings } from './indexed-mappings.ts'
import { mappingRecord, type MappingRecord } from './record.ts'
import { mappingName, type NamingContext } from './question.ts'

/** The dependencies of the endpoints of mappings. */
export interface MappingDependencies extends SearchDependencies, AnswerDependencies {
  indexedMappings: IndexedMappings
}

/** The dependencies for reading mappings. */
type MappingReading = Pick<MappingDependencies, 'registry' | 'index' | 'indexedMappings' | 'config'>

/** Mappings that are read and written at a time. */
const PIECE = 1000

/** The mappings with some URIs: those of files, and their addresses at this service. */
export async function mappingsNamed(
  dependencies: MappingReading,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  const identifier = uris.map((uri) => mappingName(uri, dependencies.config.baseUrl))
  return allMappings(dependencies, { identifier }, signal)
}

/**
 * The mappings from and to a concept, stated by vocabularies or loaded.
 *
 * @throws the errors of the store and of the index.
 */
export async function mappingsOfConcept(
  dependencies: MappingReading,
  uri: string,
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  return allMappings(dependencies, { from: [uri], direction: 'both' }, signal)
}

async function allMappings(
  dependencies: MappingReading,
  restricted: Partial<MappingQuestion>,
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  const question = { ...EVERY_MAPPING, ...restricted, page: { limit: Number.MAX_SAFE_INTEGER, offset: 0 } }
  return recordsIn(await findMappings(dependencies, question, signal))
}

/** The lists of names. @param names of concordances; missing names come from the store. */
export async function namingContext(
  { registry, config }: Pick<MappingDependencies, 'registry' | 'config'>,
  names: readonly string[] = [],
): Promise<NamingContext> {
  let vocabularies = await registry.list()
  let concordances = concordanceRecords(await registry.concordances())
  if (names.some((name) => name !== 'any' && name !== 'none' && !findConcordance(concordances, name))) {
    vocabularies = await registry.fresh()
    concordances = concordanceRecords(await registry.concordances())
  }
  return { vocabularies, concordances, baseUrl: config.baseUrl }
}

/** Gives the concepts of mappings the notations and labels that the store has. */
type Naming = (
  records: readonly MappingRecord[],
  indexed: readonly FoundMapping[],
  signal: AbortSignal,
) => Promise<MappingRecord[]>

/** @param isForTable true: loaded mappings, too, which otherwise come back to the letter. */
export function naming(dependencies: MappingDependencies, isForTable = false): Naming {
  return async (records, indexed, signal) => {
    const isNamed = (nth: number) => !isForTable && indexed[nth]!.jskos !== null
    const membersOf = ({ from, to }: Mapping) => [...conceptsOf(from), ...conceptsOf(to)]
    const unnamed = records.flatMap((record, nth) => (isNamed(nth) ? [] : membersOf(record)))
    const uris = unnamed.flatMap(({ uri, prefLabel }) => (uri !== undefined && !prefLabel ? [uri] : []))
    if (uris.length === 0) return [...records]
    const request = await listRequest(dependencies, { parameters: new Map(), signal })
    const concepts = await conceptsByUri(dependencies, request, uris, 'prefLabel,notation')
    const named = (member: MappedConcept | null): MappedConcept | null => {
      const concept = member?.uri === undefined ? undefined : concepts.get(member.uri)
      if (!concept) return member
      const { notation, prefLabel } = concept
      return { ...(notation && notation.length > 0 && { notation }), ...(prefLabel && { prefLabel }), ...member }
    }
    const side = (bundle: ConceptBundle): ConceptBundle =>
      Object.fromEntries(
        Object.entries(bundle).map(([name, value]) => [name, Array.isArray(value) ? value.map(named) : value]),
      )
    return records.map((record, nth) =>
      isNamed(nth) ? record : { ...record, from: side(record.from), to: side(record.to) },
    )
  }
}

/**
 * The mappings that a question finds, in pieces; they come from a single state of the index, or the list breaks off.
 *
 * @param name completes the concepts of a piece; absent: they stay as they are.
 */
export async function findMappings(
  { index, indexedMappings, registry, config }: MappingReading,
  question: MappingQuestion,
  signal: AbortSignal,
  name?: Naming,
): Promise<{ total: number; records: AsyncIterable<MappingRecord[]> }> {
  const view = { vocabularies: await registry.list(), baseUrl: config.baseUrl, contextUrl: config.jskosContextUrl }
  const { offset, limit } = question.page
  const read = (from: number) => {
    const page = { offset: from, limit: Math.min(PIECE, offset + limit - from) }
    return indexedMappings.find({ ...question, page }, signal)
  }
  const before = index.version
  const { total, mappings } = await read(offset)
  const end = Math.min(total, offset + limit)
  const recordsOf = async (indexed: readonly FoundMapping[]) => {
    const records = indexed.map((mapping) => mappingRecord(mapping, view))
    return name ? name(records, indexed, signal) : records
  }
  async function* pieces(): AsyncGenerator<MappingRecord[]> {
    yield await recordsOf(mappings)
    for (let from = offset + PIECE; from < end; from += PIECE) {
      const next = await read(from)
      if (index.version !== before) throw changed()
      yield await recordsOf(next.mappings)
    }
  }
  return { total, records: pieces() }
}
