import { CONCEPT_URI, inPath, inQuery, type Parameter } from '../../interface/read/parameters.ts'

const NUMBER = { type: 'integer', minimum: 0 }

/** The parameters of the REST API of Skosmos, for the OpenAPI document. */
export const SKOSMOS_PARAMETERS = {
  skosmosLang: inQuery('lang', 'The language of labels; by default that of the vocabulary', {
    type: 'string',
    examples: ['en'],
  }),
  skosmosLangRequired: inQuery('lang', 'The language of labels', { type: 'string', examples: ['en'] }, true),
  skosmosUri: inQuery('uri', 'URI of a concept', CONCEPT_URI, true),
  skosmosDataUri: inQuery('uri', 'URI of a concept; without it the whole vocabulary', CONCEPT_URI),
  skosmosGroup: inQuery(
    'uri',
    'URI of a collection',
    { type: 'string', examples: ['http://example.org/vocabulary/crafts/collection/japan'] },
    true,
  ),
  skosmosFormat: inQuery('format', 'The media type of the answer; overrides `Accept`', {
    type: 'string',
    examples: ['text/turtle'],
  }),
  skosmosQuery: inQuery('query', 'The text to search for; each `*` stands for any characters', {
    type: 'string',
    examples: ['book*'],
  }),
  skosmosSearchLang: inQuery('lang', 'The language of labels to match; by default any', {
    type: 'string',
    examples: ['en'],
  }),
  skosmosLabelLang: inQuery('labellang', 'The language of labels in the answer'),
  skosmosVocab: inQuery('vocab', 'Ids of vocabularies, separated by spaces; by default all'),
  skosmosType: inQuery('type', 'Only concepts of these classes, separated by spaces, such as `skos:Concept`'),
  skosmosParent: inQuery('parent', 'Only concepts below the one with this URI'),
  skosmosInGroup: inQuery('group', 'Only members of the collection with this URI'),
  skosmosInScheme: inQuery('scheme', 'Only concepts in these concept schemes, URIs separated by spaces'),
  skosmosMaxhits: inQuery('maxhits', 'The maximum number of results; by default all', { type: 'integer', minimum: 1 }),
  skosmosOffset: inQuery('offset', 'The number of results to leave out at the beginning', NUMBER),
  skosmosFields: inQuery('fields', 'SKOS properties to add to each result, separated by spaces', {
    type: 'string',
    examples: ['broader prefLabel'],
  }),
  skosmosUnique: inQuery('unique', '`true`: each concept once', { type: 'string' }),
  skosmosLabel: inQuery('label', 'A label', { type: 'string', examples: ['Bookbinding'] }, true),
  skosmosLetter: inPath('letter', 'A letter; `0-9` for digits, `!*` for all other characters', {
    type: 'string',
    examples: ['B'],
  }),
  skosmosScheme: inQuery('scheme', 'URI of a concept scheme; by default the vocabulary'),
  skosmosLimit: inQuery('limit', 'The maximum number of concepts', NUMBER),
  skosmosExternal: inQuery('external', '`false`: without names from other vocabularies', { type: 'string' }),
  skosmosClang: inQuery('clang', 'The language of the content on the pages that the answer names'),
  skosmosCallback: inQuery('callback', 'The name of a JavaScript function; the answer is a call of it (JSONP)'),
} satisfies Record<string, Parameter>

/** The key of a parameter. */
export type SkosmosParameter = keyof typeof SKOSMOS_PARAMETERS
