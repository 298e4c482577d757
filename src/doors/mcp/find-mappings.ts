import { withoutUndefined } from '../../base/json.ts'
import { givenParameters, malformed } from '../../interface/http/parameters.ts'
import { conceptsOf, typeOf } from '../../graph/jskos/mapping.ts'
import { mappingsOfConcept } from '../mappings/find-mappings.ts'
import { listRequest } from '../../interface/read/request.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { COMPACT_FIELDS, compactConcept } from './concepts.ts'
import { fit, namingOf, requireConcept, vocabularyOfTool, type ToolCall } from './tool.ts'

/** The local name of a relation, such as `exactMatch` for its URI. */
export const relationOf = (type: string) => type.replace(/^.*[#/]/, '')

/** The relation of the other concept, for mappings that lead to the one asked for. */
const INVERSE: Readonly<Record<string, string>> = { broadMatch: 'narrowMatch', narrowMatch: 'broadMatch' }

const adviceFor = (isToOne: boolean) =>
  isToOne
    ? 'There are no mappings of this concept to this vocabulary. Leave vocabulary out, or search for its name there ' +
      'with match_terms.'
    : 'There are no mappings of this concept. Search for its name in other vocabularies with match_terms.'

/**
 * The answer of the tool find_mappings: the concepts to which a concept is mapped, with advice if there are none.
 *
 * @throws ApiError if the vocabulary is a subset or unknown, or if there is no such concept
 */
export async function findMappingsTool(
  call: ToolCall,
  { uri, vocabulary, language }: { uri: string; vocabulary?: string | undefined; language?: string | undefined },
): Promise<Record<string, unknown>> {
  const { dependencies, signal } = call
  const target = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
  if (target?.isSubset) throw malformed('vocabulary: expected a vocabulary; mappings lead to no subset')
  await requireConcept(call, uri)
  // By relation and URI: two vocabularies may state the same.
  const mapped = new Map<string, { relation: string; uri: string }>()
  for (const mapping of await mappingsOfConcept(dependencies, uri, signal)) {
    const isFrom = conceptsOf(mapping.from).some((concept) => concept.uri === uri)
    const stated = relationOf(typeOf(mapping))
    const relation = isFrom ? stated : (INVERSE[stated] ?? stated)
    for (const { uri: other } of conceptsOf(isFrom ? mapping.to : mapping.from)) {
      if (other !== undefined) mapped.set(`${relation} ${other}`, { relation, uri: other })
    }
  }
  const request = await listRequest(dependencies, { parameters: givenParameters({ language }), signal })
  const uris = [...new Set([...mapped.values()].map((mapping) => mapping.uri))]
  const present = await conceptsByUri(dependencies, request, uris, COMPACT_FIELDS)
  const naming = namingOf(call, language, target)
  const mappings = [...mapped.values()].flatMap((mapping) => {
    const record = present.get(mapping.uri)
    const isHere = record?.inScheme !== undefined
    const isWanted = !target || (isHere && record.inScheme!.some((scheme) => scheme.uri === target.uri))
    return isWanted
      ? [withoutUndefined({ ...mapping, concept: isHere ? compactConcept(record, naming) : undefined })]
      : []
  })
  const fitting = fit(mappings)
  const part = fitting.length < mappings.length ? `These are ${fitting.length} of ${mappings.length}.` : undefined
  const note = mappings.length === 0 ? adviceFor(target !== undefined) : part
  return { mappings: fitting, total: mappings.length, ...(note !== undefined && { note }) }
}
