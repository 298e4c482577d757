import { anyObject, object } from '../../interface/openapi/references.ts'

type AnswerSchema = Readonly<Record<string, unknown>>

const TEXT = { type: 'string' }
const TEXT_OR_NONE = { type: ['string', 'null'] }
const TEXTS = { type: 'array', items: TEXT }
const COUNT = { type: 'integer', minimum: 0 }
const TRUTH = { type: 'boolean' }
const CONTEXT = anyObject('The JSON-LD context')

const list = (items: AnswerSchema): AnswerSchema => ({ type: 'array', items })
const byUri = (items: AnswerSchema): AnswerSchema => ({ type: 'object', additionalProperties: items })
/** An answer with its context. */
const answer = (properties: Readonly<Record<string, AnswerSchema>>) => object({ '@context': CONTEXT, ...properties })

const NAMED = object({ uri: TEXT, prefLabel: TEXT_OR_NONE })
const TYPE = object({ uri: TEXT, 'label?': TEXT, 'superclass?': TEXT })
const HIT = object({
  uri: TEXT,
  type: TEXTS,
  'localname?': TEXT,
  'prefLabel?': TEXT,
  'matchedPrefLabel?': TEXT,
  'altLabel?': TEXT,
  'hiddenLabel?': TEXT,
  'lang?': TEXT,
  'notation?': TEXT,
  vocab: TEXT,
  'exvocab?': TEXT,
})
const COUNTED = { 'label?': TEXT, count: COUNT, deprecatedCount: COUNT }
const MEMBERS = object({ memberSet: list(object({ uri: TEXT })) })

/** The schemas of answers of the REST API of Skosmos. */
export const SKOSMOS_SCHEMAS = {
  vocabularies: answer({
    uri: TEXT,
    vocabularies: list(object({ uri: TEXT, id: TEXT, title: TEXT })),
  }),
  information: answer({
    uri: TEXT,
    id: TEXT,
    title: TEXT,
    defaultLanguage: TEXT,
    languages: TEXTS,
    conceptschemes: list(
      object({ uri: TEXT, type: TEXT, 'label?': TEXT, 'prefLabel?': TEXT, 'title?': TEXT, 'subject?': NAMED }),
    ),
  }),
  types: answer({ uri: TEXT, types: list(TYPE) }),
  search: answer({ uri: TEXT, results: list(HIT) }),
  lookup: answer({ result: list(HIT) }),
  vocabularyStatistics: answer({
    uri: TEXT,
    id: TEXT,
    title: TEXT,
    concepts: object({ class: TEXT, ...COUNTED }),
    subTypes: list(object({ type: TEXT, ...COUNTED })),
    'conceptGroups?': object({ class: TEXT, ...COUNTED }),
    'arrays?': object({ class: TEXT, ...COUNTED }),
  }),
  labelStatistics: answer({
    uri: TEXT,
    id: TEXT,
    title: TEXT,
    languages: list(
      object({
        language: TEXT,
        'literal?': TEXT,
        properties: list(object({ property: TEXT, labels: COUNT })),
      }),
    ),
  }),
  letters: answer({ uri: TEXT, indexLetters: TEXTS }),
  entries: answer({
    uri: TEXT,
    indexConcepts: list(object({ uri: TEXT, 'localname?': TEXT, prefLabel: TEXT, 'altLabel?': TEXT, lang: TEXT })),
  }),
  label: answer({ uri: TEXT, 'prefLabel?': TEXT, 'altLabel?': TEXTS, 'hiddenLabel?': TEXTS }),
  broader: answer({ uri: TEXT, broader: list(NAMED) }),
  narrower: answer({ uri: TEXT, narrower: list(NAMED) }),
  related: answer({ uri: TEXT, related: list(NAMED) }),
  broaderTransitive: answer({
    uri: TEXT,
    broaderTransitive: byUri(object({ uri: TEXT, prefLabel: TEXT_OR_NONE, 'broader?': TEXTS })),
  }),
  narrowerTransitive: answer({
    uri: TEXT,
    narrowerTransitive: byUri(object({ uri: TEXT, prefLabel: TEXT_OR_NONE, 'narrower?': TEXTS })),
  }),
  children: answer({
    uri: TEXT,
    narrower: list(object({ uri: TEXT, prefLabel: TEXT_OR_NONE, hasChildren: TRUTH, 'notation?': TEXT })),
  }),
  topConcepts: answer({
    uri: TEXT,
    topconcepts: list(object({ uri: TEXT, topConceptOf: TEXT, label: TEXT, hasChildren: TRUTH, 'notation?': TEXT })),
  }),
  hierarchy: answer({
    uri: TEXT,
    broaderTransitive: byUri(
      object({
        uri: TEXT,
        'prefLabel?': TEXT,
        'notation?': TEXT,
        'broader?': TEXTS,
        hasChildren: TRUTH,
        'tops?': TEXTS,
        'top?': TEXT,
        'narrower?': list(object({ uri: TEXT, label: TEXT_OR_NONE, hasChildren: TRUTH, 'notation?': TEXT })),
      }),
    ),
  }),
  groups: answer({
    uri: TEXT,
    groups: list(object({ uri: TEXT, prefLabel: TEXT, 'childGroups?': TEXTS, hasMembers: TRUTH, 'notation?': TEXT })),
  }),
  groupMembers: answer({
    uri: TEXT,
    members: list(
      object({ uri: TEXT, type: TEXTS, isSuper: TRUTH, hasMembers: TRUTH, 'prefLabel?': TEXT, 'notation?': TEXT }),
    ),
  }),
  changes: answer({
    changeList: list(
      object({
        uri: TEXT,
        prefLabel: TEXT,
        date: TEXT,
        deprecated: TRUTH,
        'replacedBy?': TEXT,
        'replacingLabel?': TEXT,
      }),
    ),
  }),
  mappings: object({
    mappings: list(
      object({ uri: TEXT, type: TEXTS, 'prefLabel?': TEXT, from: MEMBERS, to: MEMBERS, 'vocabName?': TEXT }),
    ),
    graph: { type: 'string', description: 'The concept as JSON-LD' },
  }),
} as const

/** The name of a schema. */
export type SchemaName = keyof typeof SKOSMOS_SCHEMAS

/** The name of a schema in the OpenAPI document. */
export function componentName(name: string): string {
  return `Skosmos${name[0]!.toUpperCase()}${name.slice(1)}`
}
