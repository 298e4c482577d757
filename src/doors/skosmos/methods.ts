import { broaderTransitive, label, mappings, narrowerTransitive, relation } from './concepts.ts'
import { resourceData } from './data.ts'
import { groupMembers, groups } from './groups.ts'
import type { SkosmosParameter } from './parameters.ts'
import type { SkosmosAnswer, SkosmosRequest, VocabularyRequest } from './request.ts'
import type { SchemaName } from './schemas.ts'
import { entries, letters, lookup, searchAll, searchVocabulary } from './search.ts'
import { children, hierarchy, schemeTopConcepts } from './trees.ts'
import {
  latestConcepts,
  information,
  labelStatistics,
  vocabularyTypes,
  allTypes,
  vocabularyList,
  conceptStatistics,
} from './vocabularies.ts'

/** A method of the REST API of Skosmos. */
interface MethodDescription {
  /** Its path below `/rest/v1`. */
  path: string
  id: string
  summary: string
  parameters: readonly SkosmosParameter[]
  /** The schema of its JSON; undefined: `whole` answers in several formats. */
  schema?: SchemaName
}

/**
 * A method, by its input: the request alone, or the request with the vocabulary of the path.
 *
 * @example { path: '/label', id: 'Label', ofStore: label, schema: 'label', parameters: [], summary: 'Labels' }
 */
export type SkosmosMethod = MethodDescription &
  (
    | { ofStore: (request: SkosmosRequest) => Promise<object> }
    | { ofVocabulary: (request: VocabularyRequest) => Promise<object> }
    | { answer: (request: SkosmosRequest | VocabularyRequest) => Promise<SkosmosAnswer> }
  )

const SEARCH = [
  'skosmosQuery',
  'skosmosSearchLang',
  'skosmosLabelLang',
  'skosmosType',
  'skosmosParent',
  'skosmosInGroup',
  'skosmosInScheme',
  'skosmosMaxhits',
  'skosmosOffset',
  'skosmosFields',
  'skosmosUnique',
] as const
const CONCEPT = ['skosmosUri', 'skosmosLang'] as const
const PAGE = ['skosmosOffset', 'skosmosLimit'] as const

/** THE table of the methods of the REST API of Skosmos (docs/skosmos.md). The first matching path counts. */
// oxfmt-ignore
export const METHODS: readonly SkosmosMethod[] = [
  { path: '/vocabularies', id: 'Vocabularies', ofStore: vocabularyList, schema: 'vocabularies', parameters: ['skosmosLangRequired'], summary: 'All vocabularies' },
  { path: '/search', id: 'Search', ofStore: searchAll, schema: 'search', parameters: [...SEARCH, 'skosmosVocab'], summary: 'Concepts by labels, with wildcards' },
  { path: '/label', id: 'Label', ofStore: label, schema: 'label', parameters: ['skosmosUri', 'skosmosSearchLang'], summary: 'The labels of a concept' },
  { path: '/data', id: 'Data', answer: resourceData, parameters: ['skosmosUri', 'skosmosFormat'], summary: 'A concept as RDF' },
  { path: '/types', id: 'Types', ofStore: allTypes, schema: 'types', parameters: ['skosmosLangRequired'], summary: 'The classes of concepts' },
  { path: '/:vocid', id: 'Vocabulary', ofVocabulary: information, schema: 'information', parameters: ['skosmosLang'], summary: 'A vocabulary, its languages and concept schemes' },
  { path: '/:vocid/types', id: 'TypesOfVocabulary', ofVocabulary: vocabularyTypes, schema: 'types', parameters: ['skosmosLang'], summary: 'The classes of concepts of a vocabulary' },
  { path: '/:vocid/topConcepts', id: 'TopConcepts', ofVocabulary: schemeTopConcepts, schema: 'topConcepts', parameters: ['skosmosLang', 'skosmosScheme'], summary: 'The top concepts' },
  { path: '/:vocid/data', id: 'DataOfVocabulary', answer: resourceData, parameters: ['skosmosDataUri', 'skosmosFormat'], summary: 'A concept or a whole vocabulary as RDF' },
  { path: '/:vocid/search', id: 'SearchVocabulary', ofVocabulary: searchVocabulary, schema: 'search', parameters: SEARCH, summary: 'Concepts of a vocabulary by labels, with wildcards' },
  { path: '/:vocid/lookup', id: 'Lookup', ofVocabulary: lookup, schema: 'lookup', parameters: ['skosmosLabel', 'skosmosSearchLang'], summary: 'Concepts with a label' },
  { path: '/:vocid/vocabularyStatistics', id: 'VocabularyStatistics', ofVocabulary: conceptStatistics, schema: 'vocabularyStatistics', parameters: ['skosmosLang'], summary: 'How many concepts and collections there are' },
  { path: '/:vocid/labelStatistics', id: 'LabelStatistics', ofVocabulary: labelStatistics, schema: 'labelStatistics', parameters: ['skosmosLang'], summary: 'How many labels there are in each language' },
  { path: '/:vocid/index', id: 'Letters', ofVocabulary: letters, schema: 'letters', parameters: ['skosmosLang'], summary: 'The first letters of labels' },
  { path: '/:vocid/index/:letter', id: 'Entries', ofVocabulary: entries, schema: 'entries', parameters: ['skosmosLetter', 'skosmosLang', ...PAGE], summary: 'The labels that begin with a letter' },
  { path: '/:vocid/label', id: 'LabelInVocabulary', ofVocabulary: label, schema: 'label', parameters: CONCEPT, summary: 'The labels of a concept of a vocabulary' },
  { path: '/:vocid/broader', id: 'Broader', ofVocabulary: relation('broader'), schema: 'broader', parameters: CONCEPT, summary: 'The broader concepts' },
  { path: '/:vocid/broaderTransitive', id: 'BroaderTransitive', ofVocabulary: broaderTransitive, schema: 'broaderTransitive', parameters: [...CONCEPT, 'skosmosLimit'], summary: 'A concept and all concepts above it' },
  { path: '/:vocid/narrower', id: 'Narrower', ofVocabulary: relation('narrower'), schema: 'narrower', parameters: CONCEPT, summary: 'The narrower concepts' },
  { path: '/:vocid/narrowerTransitive', id: 'NarrowerTransitive', ofVocabulary: narrowerTransitive, schema: 'narrowerTransitive', parameters: [...CONCEPT, 'skosmosLimit'], summary: 'A concept and all concepts below it' },
  { path: '/:vocid/related', id: 'Related', ofVocabulary: relation('related'), schema: 'related', parameters: CONCEPT, summary: 'The related concepts' },
  { path: '/:vocid/children', id: 'Children', ofVocabulary: children, schema: 'children', parameters: CONCEPT, summary: 'The narrower concepts, for a tree' },
  { path: '/:vocid/groups', id: 'Groups', ofVocabulary: groups, schema: 'groups', parameters: ['skosmosLang'], summary: 'The collections' },
  { path: '/:vocid/groupMembers', id: 'GroupMembers', ofVocabulary: groupMembers, schema: 'groupMembers', parameters: ['skosmosGroup', 'skosmosLang'], summary: 'The members of a collection' },
  { path: '/:vocid/hierarchy', id: 'Hierarchy', ofVocabulary: hierarchy, schema: 'hierarchy', parameters: CONCEPT, summary: 'A concept in its hierarchy, for a tree' },
  { path: '/:vocid/mappings', id: 'Mappings', ofVocabulary: mappings, schema: 'mappings', parameters: [...CONCEPT, 'skosmosClang', 'skosmosExternal'], summary: 'The mappings of a concept' },
  { path: '/:vocid/new', id: 'New', ofVocabulary: latestConcepts('created'), schema: 'changes', parameters: ['skosmosLang', ...PAGE], summary: 'The concepts with the latest dates of creation' },
  { path: '/:vocid/modified', id: 'Modified', ofVocabulary: latestConcepts('modified'), schema: 'changes', parameters: ['skosmosLang', ...PAGE], summary: 'The concepts with the latest dates of change' },
]
