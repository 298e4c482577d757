import * as concepts from './read/concepts.ts'
import type { COMMON_PARAMETERS } from './read/parameters.ts'
import type { ReadEndpoint } from './read/read.ts'
import { types, typesOfVocabulary } from './read/types.ts'
import { vocabularies, vocabulary } from './read/vocabularies.ts'
import type { SearchDependencies } from './search/matches.ts'
import { search } from './search/search.ts'
import { suggest, suggestions } from './search/suggest.ts'

/** One endpoint that answers with records. The OpenAPI document describes it by this line and the `#+` lines of its template. */
export interface Route extends ReadEndpoint<SearchDependencies> {
  path: string
  /** Also by POST with a form body, for long lists. */
  post?: true
  /** An id in the path that names nothing is an error. */
  notFound?: true
  /** Common parameters that say nothing here. */
  ignores?: readonly (keyof typeof COMMON_PARAMETERS)[]
  /** The name of the operation and what it does, if these do not follow from the path and the template. */
  operationId?: string
  summary?: string
}

const SEARCH = ['search', 'searchQuery', 'use', 'ancestors', 'type', 'count'] as const

/**
 * THE table of the endpoints that answer with records. The first path that fits is taken.
 *
 * A list of concepts needs no more than a template and its line here: the parameters fill the slots that are called like them.
 * A handler does what goes beyond that.
 */
// prettier-ignore
export const ROUTES: readonly Route[] = [
  { path: '/data', template: 'data', parameters: ['uri', 'id', 'notation'], handler: concepts.data, post: true },
  { path: '/broader', template: 'broader', parameters: ['requiredUri'] },
  { path: '/narrower', template: 'narrower', parameters: ['requiredUri'] },
  { path: '/descendants', template: 'descendants', parameters: ['requiredUri'], isLong: true },
  { path: '/ancestors', template: 'ancestors', parameters: ['oneUri'], handler: concepts.ancestors, ignores: ['limit'] },

  { path: '/voc', template: 'voc', parameters: ['vocUri', 'vocId', 'vocNotation', 'subset'], handler: vocabularies, records: 'Vocabulary',
    operationId: 'getVocabularies', summary: 'Vocabularies, all or those with the given ids, URIs or identifiers' },
  { path: '/voc/top', template: 'voc/top', parameters: ['requiredVocUri', 'type'], handler: concepts.topConcepts,
    operationId: 'getTopConceptsByUri' },
  { path: '/voc/concepts', template: 'voc/concepts', parameters: ['requiredVocUri', 'type', 'download'], handler: concepts.allConcepts, isLong: true,
    operationId: 'getConceptsOfVocabulary' },
  { path: '/voc/:vocid', template: 'voc', handler: vocabulary, records: 'Vocabulary', notFound: true, ignores: ['voc', 'limit', 'offset'],
    operationId: 'getVocabulary', summary: 'One vocabulary, as a list of one' },
  { path: '/voc/:vocid/top', template: 'voc/top', parameters: ['type'], handler: concepts.topConcepts, notFound: true,
    operationId: 'getTopConcepts' },

  { path: '/search', template: 'search/text', parameters: SEARCH, handler: search, limit: 100,
    operationId: 'search', summary: 'Concepts by words of their labels, and by notation, the best first' },
  { path: '/suggest', template: 'search/text', parameters: SEARCH, handler: suggest, limit: 20, representation: suggestions,
    ignores: ['properties', 'languages', 'format'],
    operationId: 'suggest', summary: 'Suggestions for what somebody is typing' },

  { path: '/types', template: 'types', parameters: ['vocUri'], handler: types, records: 'Class' },
  { path: '/concept-types/:vocid', template: 'types', handler: typesOfVocabulary, records: 'Class', ignores: ['voc'],
    operationId: 'getTypesOfVocabulary', summary: 'The classes of the concepts of one vocabulary; of an unknown one the class that every concept has' },
]
