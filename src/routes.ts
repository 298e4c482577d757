import { CLASS_DEFAULT, SCHEME_DEFAULT } from './jskos/properties.ts'
import * as concepts from './read/concepts.ts'
import type { ReadEndpoint } from './read/read.ts'
import { types, typesOfVocabulary } from './read/types.ts'
import { vocabularies, vocabulary } from './read/vocabularies.ts'
import { search, SEARCH_PARAMETERS } from './search/search.ts'
import { suggest, suggestions } from './search/suggest.ts'

/** One endpoint that answers with records. */
export interface Route extends ReadEndpoint {
  path: string
  /** Also by POST with a form body, for long lists. */
  post?: true
}

/** THE table of the endpoints that answer with records. The first path that fits is taken. */
export const ROUTES: readonly Route[] = [
  { path: '/data', handler: concepts.data, parameters: ['uri', 'id', 'notation'], post: true },
  { path: '/broader', handler: concepts.broader, parameters: ['uri'] },
  { path: '/narrower', handler: concepts.narrower, parameters: ['uri'] },
  { path: '/descendants', handler: concepts.descendants, parameters: ['uri'] },
  { path: '/ancestors', handler: concepts.ancestors, parameters: ['uri'] },
  { path: '/voc', handler: vocabularies, parameters: ['uri', 'id', 'notation', 'subset'], defaults: SCHEME_DEFAULT },
  { path: '/voc/top', handler: concepts.topByUri, parameters: ['uri', 'type'] },
  { path: '/voc/concepts', handler: concepts.conceptsByUri, parameters: ['uri', 'type', 'download'] },
  { path: '/voc/:vocid', handler: vocabulary, parameters: [], defaults: SCHEME_DEFAULT },
  { path: '/voc/:vocid/top', handler: concepts.topOfVocabulary, parameters: ['type'] },
  { path: '/search', handler: search, parameters: SEARCH_PARAMETERS, limit: 100 },
  {
    path: '/suggest',
    handler: suggest,
    parameters: SEARCH_PARAMETERS,
    limit: 20,
    representation: suggestions,
  },
  { path: '/types', handler: types, parameters: ['uri'], defaults: CLASS_DEFAULT },
  { path: '/concept-types/:vocid', handler: typesOfVocabulary, parameters: [], defaults: CLASS_DEFAULT },
]
