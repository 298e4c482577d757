import { CLASS_DEFAULT, SCHEME_DEFAULT } from './jskos/properties.ts'
import * as concepts from './read/concepts.ts'
import type { ReadHandler } from './read/read.ts'
import { types, typesOfVocabulary } from './read/types.ts'
import { vocabularies, vocabulary } from './read/vocabularies.ts'

/** One endpoint that answers with records. */
export interface Route {
  path: string
  handler: ReadHandler
  /** Parameters beside the common ones (src/read/read.ts). */
  parameters: readonly string[]
  /** Default fields of a record; those of a concept unless given. */
  defaults?: readonly string[]
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
  { path: '/types', handler: types, parameters: ['uri'], defaults: CLASS_DEFAULT },
  { path: '/concept-types/:vocid', handler: typesOfVocabulary, parameters: [], defaults: CLASS_DEFAULT },
]
