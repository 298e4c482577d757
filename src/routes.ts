import { withPast, type HistoryDependencies } from './history/past.ts'
import * as concepts from './read/concepts.ts'
import type { COMMON_PARAMETERS } from './read/parameters.ts'
import type { ReadEndpoint } from './read/read.ts'
import { types, typesOfVocabulary } from './read/types.ts'
import { vocabularies, vocabulary } from './read/vocabularies.ts'
import type { SearchDependencies } from './search/matches.ts'
import { search } from './search/search.ts'
import { suggest, suggestions, suggestVocabularies } from './search/suggest.ts'
import { searchVocabularies } from './search/vocabularies.ts'

/** The dependencies of all endpoints that answer with records. */
export interface RouteDependencies extends SearchDependencies, HistoryDependencies {}

/** An endpoint that answers with records. The OpenAPI document describes it from this line and the `#+` lines of its template. */
export interface Route extends ReadEndpoint<RouteDependencies> {
  path: string
  /** The path in JSKOS API 2. */
  also?: string
  /** True if POST with a form body works too, for long lists. */
  post?: true
  /** True if an unknown id in the path is an error. */
  notFound?: true
  /** Common parameters without effect here. */
  ignores?: readonly (keyof typeof COMMON_PARAMETERS)[]
  /** Name and summary of the operation, if they do not follow from the path and the template. */
  operationId?: string | undefined
  summary?: string
}

const SEARCH = ['search', 'searchQuery', 'use', 'ancestors', 'type', 'count'] as const
const LONG_LIST =
  'If this list is very long, try again in a minute, or ask for /voc/concepts of the vocabulary, or below a narrower concept.'
const MANY_MATCHES = 'If very many concepts match, search for more letters or words, or in a smaller vocabulary (voc).'
const VOC = ['subset', 'license', 'publisher', 'subject', 'vocType', 'partOf', 'sort', 'order'] as const

/**
 * THE table of the endpoints that answer with records. The first matching path counts.
 *
 * A list of concepts needs only a template and a line here: parameters fill the slots with the same names. A handler does
 * anything beyond that.
 */
// prettier-ignore
export const ROUTES: readonly Route[] = [
  { path: '/data', template: 'data', parameters: ['uri', 'id', 'notation', 'at'], handler: withPast(concepts.data), post: true },
  { path: '/broader', template: 'broader', parameters: ['requiredUri'] },
  { path: '/concepts', template: 'data', parameters: ['uri', 'id', 'notation', 'at'], handler: withPast(concepts.concepts),
    summary: 'Concepts by URI, identifier or notation; without these, all concepts' },
  { path: '/narrower', also: '/concepts/narrower', template: 'narrower', parameters: ['requiredUri'] },
  { path: '/descendants', template: 'descendants', parameters: ['requiredUri'], handler: concepts.descendants, isLong: true, advice: LONG_LIST },
  { path: '/ancestors', also: '/concepts/ancestors', template: 'ancestors', parameters: ['oneUri'], handler: concepts.ancestors, ignores: ['limit'] },

  { path: '/voc', template: 'voc', parameters: ['vocUri', 'vocId', 'vocNotation', ...VOC], handler: vocabularies, records: 'Vocabulary',
    operationId: 'getVocabularies', summary: 'Vocabularies, all or those with the given ids, URIs or identifiers' },
  { path: '/voc/top', template: 'voc/top', parameters: ['requiredVocUri', 'type'], handler: concepts.topConcepts,
    operationId: 'getTopConceptsByUri' },
  { path: '/voc/concepts', template: 'voc/concepts', parameters: ['requiredVocUri', 'type', 'download'], handler: concepts.allConcepts, isLong: true, advice: LONG_LIST,
    operationId: 'getConceptsOfVocabulary' },
  { path: '/voc/search', template: 'voc', parameters: ['search', 'searchQuery', 'count', ...VOC], handler: searchVocabularies, records: 'Vocabulary', limit: 100,
    operationId: 'searchVocabularies', summary: 'Vocabularies by words of their names, and by id, the best first' },
  { path: '/voc/suggest', template: 'voc', parameters: ['search', 'searchQuery', 'count', 'suggestFormat', ...VOC], handler: suggestVocabularies,
    records: 'Vocabulary', limit: 20, representation: suggestions, ignores: ['properties', 'languages', 'format'],
    operationId: 'suggestVocabularies', summary: 'Suggestions of vocabularies while a user types' },
  { path: '/voc/:vocid', template: 'voc', handler: vocabulary, records: 'Vocabulary', notFound: true, ignores: ['voc', 'limit', 'offset'],
    operationId: 'getVocabulary', summary: 'One vocabulary, as a list of one' },
  { path: '/voc/:vocid/top', template: 'voc/top', parameters: ['type'], handler: concepts.topConcepts, notFound: true,
    operationId: 'getTopConcepts' },

  { path: '/search', also: '/concepts/search', template: 'search/text', parameters: SEARCH, handler: search, limit: 100, advice: MANY_MATCHES,
    operationId: 'search', summary: 'Concepts by words of their labels, and by notation, the best first' },
  { path: '/suggest', also: '/concepts/suggest', template: 'search/text', parameters: [...SEARCH, 'suggestFormat'], handler: suggest, limit: 20, representation: suggestions, advice: MANY_MATCHES,
    ignores: ['properties', 'languages', 'format'],
    operationId: 'suggest', summary: 'Suggestions of concepts while a user types' },

  { path: '/types', template: 'types', parameters: ['vocUri'], handler: types, records: 'Class' },
  { path: '/concept-types/:vocid', template: 'types', handler: typesOfVocabulary, records: 'Class', ignores: ['voc'],
    operationId: 'getTypesOfVocabulary', summary: 'The classes of the concepts of one vocabulary; for an unknown one only skos:Concept' },
]
