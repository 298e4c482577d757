import { describe, expect, test } from '@jest/globals'
import jsonld from 'jsonld'
import { SKOS } from '../../../src/base/namespaces.ts'
import { BY_CODE_POINTS } from '../../../src/graph/jskos/order.ts'
import { CONTEXT } from '../../../src/graph/jskos/context.ts'
import { ALL_FIELDS, FIELD, FIELDS, fieldsOf } from '../../../src/graph/jskos/fields.ts'
import { CONCEPT_DEFAULT, readProperties, SCHEME_DEFAULT } from '../../../src/graph/jskos/properties.ts'
import { conceptRecord, schemeRecord } from '../../../src/graph/jskos/record.ts'
import { readShape } from '../../../src/graph/shapes/read.ts'
import { refuseRemoteDocuments } from '../../jsonld.ts'

const OPTIONS = {
  languages: undefined,
  preferred: ['de'],
  order: BY_CODE_POINTS,
  contextUrl: 'https://example.org/context.json',
}
const NODE = { uri: 'http://example.org/c' }
const FACTS = { ids: [], hasConcept: true, hasTopConcept: true }

describe('The table of fields', () => {
  test('has every name and every property once', () => {
    expect(FIELD.size).toBe(ALL_FIELDS.length)
    // Manifests and annotations are JSON, unlike images and occurrences; a class tells a choice from a set.
    const second = ['media', 'annotations', 'memberChoice']
    const properties = FIELDS.flatMap(({ name, property }) => (second.includes(name) ? [] : (property ?? [])))
    expect(new Set(properties).size).toBe(properties.length)
  })

  test('is a context that jsonld reads', async () => {
    const record = { uri: 'http://example.org/c', prefLabel: { de: 'A' }, broader: [{ uri: 'http://example.org/b' }] }
    const [expanded] = await jsonld.expand(
      { ...CONTEXT, ...record },
      {
        documentLoader: refuseRemoteDocuments,
      },
    )
    expect(expanded).toEqual({
      '@id': 'http://example.org/c',
      'http://www.w3.org/2004/02/skos/core#prefLabel': [{ '@language': 'de', '@value': 'A' }],
      'http://www.w3.org/2004/02/skos/core#broader': [{ '@id': 'http://example.org/b' }],
    })
  })

  test('compacts members to a set', async () => {
    const node = { '@id': 'http://example.org/c', [`${SKOS}member`]: [{ '@id': 'http://example.org/b' }] }
    const compacted = await jsonld.compact(node, CONTEXT as unknown as jsonld.ContextDefinition, {
      documentLoader: refuseRemoteDocuments,
    })
    expect(compacted).toMatchObject({ memberSet: [{ uri: 'http://example.org/b' }] })
  })

  test('has the fields of an ingest', () => {
    const { properties } = readShape<{ properties: Record<string, unknown> }>('ingest-concept.schema.json')
    // Fields that are empty in a new concept, and members that are not properties.
    const derived = ['@context', 'uri', 'broader', 'narrower', 'ancestors']
    const taken = Object.keys(properties).filter((name) => !derived.includes(name))
    expect(FIELDS.flatMap(({ name, ingest }) => (ingest ? [name] : [])).sort()).toEqual(taken.sort())
  })

  test('has the default fields of a concept', () => {
    expect([...CONCEPT_DEFAULT].sort()).toEqual(
      [
        ...['uri', 'type', '@context', 'inScheme', 'topConceptOf', 'notation', 'identifier', 'prefLabel', 'altLabel'],
        ...['scopeNote', 'definition', 'created', 'modified', 'publisher', 'license', 'broader', 'narrower'],
        'deprecated',
      ].sort(),
    )
  })

  test.each(fieldsOf('concept').filter(({ kind, name }) => kind !== 'match' && name !== 'hasChildren'))(
    'an array is one wherever it is asked for: $name of a concept',
    ({ name, description }) => {
      const record = conceptRecord(NODE, false, { ...OPTIONS, properties: readProperties(name, CONCEPT_DEFAULT) })
      const fields = Object.entries(record).filter(([other]) => !['uri', 'type', '@context'].includes(other))
      for (const [shown, value] of fields) expect([shown, value]).toEqual([name, []])
      expect(description).toMatch(/^[A-Z].*[^.]$/)
    },
  )

  test.each([
    [
      ['http://lexvo.org/id/iso639-3/eng', 'http://id.loc.gov/vocabulary/iso639-2/ger', 'fra'],
      ['de', 'en', 'fra'],
    ],
    [
      ['http://example.org/x-y', 'X-Y', 'a-b', 'no tag'],
      ['a-b', 'x-y'],
    ],
  ])('the languages %j are %j', (texts, expected) => {
    const properties = readProperties('languages', SCHEME_DEFAULT)
    const { languages } = schemeRecord({ ...NODE, languages: texts }, FACTS, { ...OPTIONS, properties })
    expect(languages).toEqual(expected)
  })

  test.each(fieldsOf('scheme'))('nothing is made up of a vocabulary: $name', ({ name }) => {
    const properties = readProperties(name, SCHEME_DEFAULT)
    const record = schemeRecord(NODE, FACTS, { ...OPTIONS, properties })
    const fields = Object.entries(record).filter(([other]) => !['uri', 'type', '@context'].includes(other))
    for (const [shown, value] of fields) {
      const defaults = { identifier: ['http://example.org/c/'], topConcepts: [null], concepts: [null] } as object
      expect([shown, value]).toEqual([name, name in defaults ? defaults[name as never] : []])
    }
  })
})
