import { anyObject } from '../openapi/references.ts'

type Schema = Readonly<Record<string, unknown>>

const TEXT = { type: 'string' }
const TEXT_OR_NONE = { type: ['string', 'null'] }
const TEXTS = { type: 'array', items: TEXT }
const COUNT = { type: 'integer', minimum: 0 }
const TRUTH = { type: 'boolean' }
const CONTEXT = anyObject('The JSON-LD context')

const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[]): Schema => ({
  type: 'object',
  properties,
  required,
})
const list = (items: Schema): Schema => ({ type: 'array', items })
const byUri = (items: Schema): Schema => ({ type: 'object', additionalProperties: items })
/** An answer with its context. @param optional the only properties that may be absent. */
const answer = (properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []) =>
  object({ '@context': CONTEXT, ...properties }, [
    '@context',
    ...Object.keys(properties).filter((name) => !optional.includes(name)),
  ])

const NAMED = object({ uri: TEXT, prefLabel: TEXT_OR_NONE }, ['uri', 'prefLabel'])
const TYPE = object({ uri: TEXT, label: TEXT, superclass: TEXT }, ['uri'])
const HIT = object(
  {
    uri: TEXT,
    type: TEXTS,
    localname: TEXT,
    prefLabel: TEXT,
    matchedPrefLabel: TEXT,
    altLabel: TEXT,
    hiddenLabel: TEXT,
    lang: TEXT,
    notation: TEXT,
    vocab: TEXT,
    exvocab: TEXT,
  },
  ['uri', 'type', 'vocab'],
)
const COUNTED = { label: TEXT, count: COUNT, deprecatedCount: COUNT }
const MEMBERS = object({ memberSet: list(object({ uri: TEXT }, ['uri'])) }, ['memberSet'])

/** The schemas of answers of the REST API of Skosmos. */
export const SKOSMOS_SCHEMAS = {
  vocabularies: answer({
    uri: TEXT,
    vocabularies: list(object({ uri: TEXT, id: TEXT, title: TEXT }, ['uri', 'id', 'title'])),
  }),
  information: answer({
    uri: TEXT,
    id: TEXT,
    title: TEXT,
    defaultLanguage: TEXT,
    languages: TEXTS,
    conceptschemes: list(
      object({ uri: TEXT, type: TEXT, label: TEXT, prefLabel: TEXT, title: TEXT, subject: NAMED }, ['uri', 'type']),
    ),
  }),
  types: answer({ uri: TEXT, types: list(TYPE) }),
  search: answer({ uri: TEXT, results: list(HIT) }),
  lookup: answer({ result: list(HIT) }),
  vocabularyStatistics: answer(
    {
      uri: TEXT,
      id: TEXT,
      title: TEXT,
      concepts: object({ class: TEXT, ...COUNTED }, ['class', 'count', 'deprecatedCount']),
      subTypes: list(object({ type: TEXT, ...COUNTED }, ['type', 'count', 'deprecatedCount'])),
      conceptGroups: object({ class: TEXT, ...COUNTED }, ['class', 'count', 'deprecatedCount']),
      arrays: object({ class: TEXT, ...COUNTED }, ['class', 'count', 'deprecatedCount']),
    },
    ['conceptGroups', 'arrays'],
  ),
  labelStatistics: answer({
    uri: TEXT,
    id: TEXT,
    title: TEXT,
    languages: list(
      object(
        {
          language: TEXT,
          literal: TEXT,
          properties: list(object({ property: TEXT, labels: COUNT }, ['property', 'labels'])),
        },
        ['language', 'properties'],
      ),
    ),
  }),
  letters: answer({ uri: TEXT, indexLetters: TEXTS }),
  entries: answer({
    uri: TEXT,
    indexConcepts: list(
      object({ uri: TEXT, localname: TEXT, prefLabel: TEXT, altLabel: TEXT, lang: TEXT }, ['uri', 'prefLabel', 'lang']),
    ),
  }),
  label: object({ '@context': CONTEXT, uri: TEXT, prefLabel: TEXT, altLabel: TEXTS, hiddenLabel: TEXTS }, [
    '@context',
    'uri',
  ]),
  broader: answer({ uri: TEXT, broader: list(NAMED) }),
  narrower: answer({ uri: TEXT, narrower: list(NAMED) }),
  related: answer({ uri: TEXT, related: list(NAMED) }),
  broaderTransitive: answer({
    uri: TEXT,
    broaderTransitive: byUri(object({ uri: TEXT, prefLabel: TEXT_OR_NONE, broader: TEXTS }, ['uri', 'prefLabel'])),
  }),
  narrowerTransitive: answer({
    uri: TEXT,
    narrowerTransitive: byUri(object({ uri: TEXT, prefLabel: TEXT_OR_NONE, narrower: TEXTS }, ['uri', 'prefLabel'])),
  }),
  children: answer({
    uri: TEXT,
    narrower: list(
      object({ uri: TEXT, prefLabel: TEXT_OR_NONE, hasChildren: TRUTH, notation: TEXT }, [
        'uri',
        'prefLabel',
        'hasChildren',
      ]),
    ),
  }),
  topConcepts: answer({
    uri: TEXT,
    topconcepts: list(
      object({ uri: TEXT, topConceptOf: TEXT, label: TEXT, hasChildren: TRUTH, notation: TEXT }, [
        'uri',
        'topConceptOf',
        'label',
        'hasChildren',
      ]),
    ),
  }),
  hierarchy: answer({
    uri: TEXT,
    broaderTransitive: byUri(
      object(
        {
          uri: TEXT,
          prefLabel: TEXT,
          notation: TEXT,
          broader: TEXTS,
          hasChildren: TRUTH,
          tops: TEXTS,
          top: TEXT,
          narrower: list(
            object({ uri: TEXT, label: TEXT_OR_NONE, hasChildren: TRUTH, notation: TEXT }, [
              'uri',
              'label',
              'hasChildren',
            ]),
          ),
        },
        ['uri', 'hasChildren'],
      ),
    ),
  }),
  groups: answer({
    uri: TEXT,
    groups: list(
      object({ uri: TEXT, prefLabel: TEXT, childGroups: TEXTS, hasMembers: TRUTH, notation: TEXT }, [
        'uri',
        'prefLabel',
        'hasMembers',
      ]),
    ),
  }),
  groupMembers: answer({
    uri: TEXT,
    members: list(
      object({ uri: TEXT, type: TEXTS, isSuper: TRUTH, hasMembers: TRUTH, prefLabel: TEXT, notation: TEXT }, [
        'uri',
        'type',
        'isSuper',
        'hasMembers',
      ]),
    ),
  }),
  changes: answer({
    changeList: list(
      object({ uri: TEXT, prefLabel: TEXT, date: TEXT, deprecated: TRUTH, replacedBy: TEXT, replacingLabel: TEXT }, [
        'uri',
        'prefLabel',
        'date',
        'deprecated',
      ]),
    ),
  }),
  mappings: object(
    {
      mappings: list(
        object({ uri: TEXT, type: TEXTS, prefLabel: TEXT, from: MEMBERS, to: MEMBERS, vocabName: TEXT }, [
          'uri',
          'type',
          'from',
          'to',
        ]),
      ),
      graph: { type: 'string', description: 'The concept as JSON-LD' },
    },
    ['mappings', 'graph'],
  ),
} as const

/** The name of a schema. */
export type SchemaName = keyof typeof SKOSMOS_SCHEMAS

/** The name of a schema in the OpenAPI document. */
export function componentName(name: string): string {
  return `Skosmos${name[0]!.toUpperCase()}${name.slice(1)}`
}
