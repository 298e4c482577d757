import { withPast, type HistoryDependencies } from './writing/history/past.ts'
import { givenParameters } from './interface/http/parameters.ts'
import type { JskosRecord } from './graph/jskos/record.ts'
import { withMappings } from './doors/mappings/concordance-answers.ts'
import type { MappingDependencies } from './doors/mappings/find-mappings.ts'
import { ancestors } from './interface/read/ancestors.ts'
import { collections } from './interface/read/collections.ts'
import { allConcepts, descendants, narrower, topConcepts } from './interface/read/concept-lists.ts'
import { concepts, data } from './interface/read/data.ts'
import { recordEndpoints, findRecords } from './interface/read/read.ts'
import { recordsIn, type RecordList } from './interface/read/list.ts'
import { listRequest } from './interface/read/request.ts'
import type { Route } from './interface/read/route.ts'
import { types, typesOfVocabulary } from './interface/read/types.ts'
import { vocabularies, vocabulary } from './interface/read/vocabularies.ts'
import { search } from './interface/search/search.ts'
import { suggest, suggestions, suggestVocabularies, searchVocabularies } from './interface/search/suggest.ts'

/** The dependencies of all endpoints that answer with records. */
export interface RouteDependencies extends MappingDependencies, HistoryDependencies {}

const SEARCH = ['search', 'searchQuery', 'use', 'searchIn', 'ancestors', 'type', 'count'] as const
const LONG_LIST =
  'If this list is very long, try again in a minute, ask for /voc/concepts of the vocabulary, or start at a narrower concept.'
const MANY_MATCHES = 'If very many concepts match, search for more letters or words, or in a smaller vocabulary (voc).'
const DATA = 'Needs exactly one of `uri`, `id` and `notation`. Leaves out values that match nothing.'
const TOP = 'The top concepts of vocabularies; of a subset the members without a broader member'
const CONCEPTS = 'All concepts of vocabularies, or members of subsets, to read or to download'
const VOC = ['subset', 'license', 'publisher', 'subject', 'vocType', 'partOf', 'sort', 'order'] as const

/**
 * THE table of the endpoints that answer with records. The first matching path counts.
 *
 * A list of concepts needs only a template and a line here: parameters fill the slots with the same names. `find` names
 * the function of a list that needs more.
 */
// oxfmt-ignore
const TABLE = [
  { path: '/data', statusName: 'data', find: withPast(withMappings(data)), parameters: ['uri', 'id', 'notation', 'at'], post: true, describes: true,
    summary: 'Concepts by URI, identifier or notation', description: DATA },
  { path: '/concepts', statusName: 'concepts', find: withPast(concepts), parameters: ['uri', 'id', 'notation', 'at'], describes: true,
    summary: 'Concepts by URI, identifier or notation; without these, all concepts', description: DATA },
  { path: '/broader', template: 'broader', parameters: ['requiredUri'] },
  { path: '/narrower', statusName: 'narrower', also: '/concepts/narrower', find: narrower, parameters: ['requiredUri'],
    summary: 'The directly subordinate concepts' },
  { path: '/descendants', find: descendants, parameters: ['requiredUri'], advice: LONG_LIST,
    summary: 'All subordinate concepts' },
  { path: '/ancestors', statusName: 'ancestors', also: '/concepts/ancestors', find: ancestors, parameters: ['oneUri'], ignores: ['limit'],
    summary: 'One chain of superordinate concepts, nearest first, up to a top concept',
    description: 'If a concept has several broader concepts, the shortest chain counts. The endpoint ignores `limit`.' },

  { path: '/voc', statusName: 'schemes', find: vocabularies, parameters: ['vocUri', 'vocId', 'vocNotation', ...VOC], records: 'Vocabulary',
    operationId: 'getVocabularies', summary: 'Vocabularies: all, or only some by id, URI or identifier' },
  { path: '/voc/top', statusName: 'top', find: topConcepts, parameters: ['requiredVocUri', 'type'],
    operationId: 'getTopConceptsByUri', summary: TOP },
  { path: '/voc/concepts', statusName: 'voc-concepts', find: allConcepts, parameters: ['requiredVocUri', 'type', 'download'], advice: LONG_LIST,
    operationId: 'getConceptsOfVocabulary', summary: CONCEPTS },
  { path: '/voc/search', statusName: 'voc-search', find: searchVocabularies, parameters: ['search', 'searchQuery', 'count', ...VOC], records: 'Vocabulary', limit: 100,
    operationId: 'searchVocabularies', summary: 'Vocabularies by words of their names, and by id, the best first' },
  { path: '/voc/suggest', statusName: 'voc-suggest', find: suggestVocabularies, parameters: ['search', 'searchQuery', 'count', 'suggestFormat', 'plain', ...VOC],
    records: 'Vocabulary', limit: 20, representation: suggestions, ignores: ['format'],
    operationId: 'suggestVocabularies', summary: 'Suggestions of vocabularies while a user types' },
  { path: '/voc/:vocid', find: vocabulary, records: 'Vocabulary', notFound: true, describes: true, ignores: ['voc', 'limit', 'offset'],
    operationId: 'getVocabulary', summary: 'One vocabulary, as a list of one' },
  { path: '/voc/:vocid/top', find: topConcepts, parameters: ['type'], notFound: true,
    operationId: 'getTopConcepts', summary: TOP },
  { path: '/voc/:vocid/concepts', find: allConcepts, parameters: ['type', 'download'], notFound: true, advice: LONG_LIST,
    operationId: 'getConceptsOfVocabularyById', summary: CONCEPTS },
  { path: '/voc/:vocid/groups', find: collections, parameters: ['member', 'collectionType', 'top'], records: 'Collection', notFound: true,
    operationId: 'getCollections', summary: 'The collections of a vocabulary: groups, arrays and ordered lists of its concepts',
    description: 'If there are members, `memberSet`, or `memberList` if the members have an order, is `[null]`; `properties=memberSet,memberList` or `*` lists the members.' },

  { path: '/search', statusName: 'search', also: '/concepts/search', find: search, parameters: [...SEARCH, 'facets'], limit: 100, forgives: true, advice: MANY_MATCHES,
    operationId: 'search', summary: 'Concepts by words of their labels, and by notation, the best first' },
  { path: '/suggest', statusName: 'suggest', also: '/concepts/suggest', find: suggest, parameters: [...SEARCH, 'suggestFormat', 'plain'], limit: 20, representation: suggestions, forgives: true, advice: MANY_MATCHES,
    ignores: ['format'],
    operationId: 'suggest', summary: 'Suggestions of concepts while a user types' },

  { path: '/types', statusName: 'types', find: types, parameters: ['vocUri'], records: 'Class',
    summary: 'The classes of the concepts of all vocabularies, with their names if the store has any' },
  { path: '/concept-types/:vocid', find: typesOfVocabulary, records: 'Class', ignores: ['voc'],
    operationId: 'getTypesOfVocabulary', summary: 'The classes of the concepts of one vocabulary; for an unknown one only skos:Concept' },
] as const satisfies readonly Route<RouteDependencies>[]

/** The lines of the table. */
export const ROUTES: readonly Route<RouteDependencies>[] = TABLE

/** The path of a line. */
export type RoutePath = (typeof TABLE)[number]['path']

/** A request to an endpoint of the table from a page, a tool of an assistant, Skosmos or reconciliation. */
export interface EndpointRequest {
  dependencies: RouteDependencies
  /** `{vocid}` of the path. */
  vocid?: string | undefined
  signal: AbortSignal
}

/**
 * Asks an endpoint of the table as a client would, but without HTTP.
 *
 * @param parameters undefined ones count as absent.
 * @returns the list, and all records of the page.
 * @throws the errors of the endpoint.
 * @example const { total } = await askEndpoint(request, '/narrower', { uri, limit: '0' })
 */
export async function askEndpoint(
  { dependencies, vocid, signal }: EndpointRequest,
  path: RoutePath,
  parameters: Readonly<Record<string, string | undefined>> = {},
): Promise<Omit<RecordList, 'records'> & { records: JskosRecord[] }> {
  const route = ROUTES.find((route) => route.path === path)!
  const given = { parameters: givenParameters(parameters), vocid, signal }
  const request = await listRequest(dependencies, given, route)
  const list = await findRecords(dependencies, route, request)
  return { ...list, records: await recordsIn(list) }
}

/** The endpoints that answer with records. */
export const RECORD_ENDPOINTS = ROUTES.flatMap((route) => recordEndpoints(route))
