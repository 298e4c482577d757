import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { describe, expect, test } from '@jest/globals'
import { compileCheck } from '../../../src/doors/formats/check.ts'
import { formatSchema } from '../../../src/doors/formats/shapes.ts'
import { DEMO } from '../../app.ts'
import { PROPERTIES } from './properties.ts'

const CONSTANTS = { '@context': 'http://example.org/context.json', $schema: 'http://example.org/schema.json' }

const checkAll = compileCheck(CONSTANTS)
const check = (...values: unknown[]) => checkAll(values)
const paths = (...values: unknown[]) => check(...values).map(({ path }) => path)

describe('every property of the table', () => {
  const cases = Object.entries(PROPERTIES)
  test.each(cases)('%s accepts every allowed value', (name, { valid }) => {
    expect(valid.length).toBeGreaterThan(0)
    for (const value of valid) expect([value, check({ id: 'x', [name]: value })]).toEqual([value, []])
  })

  test.each(cases)('%s refuses all others, and names the place', (name, { invalid }) => {
    expect(invalid.length).toBeGreaterThan(1)
    for (const value of invalid) {
      const violations = check({ id: 'x', [name]: value })
      expect([value, violations.length]).toEqual([value, expect.any(Number)])
      expect(violations.length).toBeGreaterThan(0)
      for (const violation of violations) {
        expect(violation).toMatchObject({ record: 1, id: 'x', message: expect.stringMatching(/expected|required/) })
        expect(violation.path.split('.')[0]).toBe(name)
      }
    }
  })

  test('id is required: a string that is not empty', () => {
    for (const id of ['x', 'marc/xml', '.', '..', 'ä', ' ', '@id', 'http://example.org/', '%2F', '__proto__']) {
      expect([id, check({ id })]).toEqual([id, []])
    }
    for (const id of [undefined, null, 5, '', ['x'], { x: 1 }, 'x'.repeat(9000)]) expect(paths({ id })).toEqual(['id'])
    expect(paths({})).toEqual(['id'])
  })

  test.each(['@context', '$schema'] as const)('%s is the constant or not there', (name) => {
    expect(check({ id: 'x', [name]: CONSTANTS[name] })).toEqual([])
    for (const value of ['http://example.org/other', '', null, [CONSTANTS[name]], { '@vocab': 'urn:x:' }]) {
      expect(check({ id: 'x', [name]: value })).toEqual([
        { record: 1, id: 'x', path: name, message: `expected ${CONSTANTS[name]}` },
      ])
    }
  })
})

test('a record has no other properties', () => {
  for (const name of [
    'uri',
    'Title',
    'wikidata',
    '',
    '@id',
    '@type',
    '@graph',
    'toString',
    '__proto__',
    'constructor',
  ]) {
    const record = JSON.parse(`{"id": "x", ${JSON.stringify(name)}: "text"}`)
    expect(check(record)).toEqual([
      { record: 1, id: 'x', path: name, message: expect.stringMatching(/^no such field: expected one of .*\btitle\b/) },
    ])
  }
})

test('a record is an object', () => {
  for (const value of [null, 5, 'x', true, [], [{ id: 'x' }]]) {
    expect(check(value)).toEqual([{ record: 1, id: undefined, path: '', message: 'expected a JSON object' }])
  }
})

test('the innermost place is named, and each only once', () => {
  const record = {
    id: 'x',
    for: ['json', 5],
    base: 5,
    alias: 'one',
    schemas: [{ url: 'a', type: 'b' }, { url: 5, extra: 1 }, 'c'],
    description: { EN: 'text' },
    modified: 1.5,
  }
  expect(check(record).map(({ path, message }) => `${path}: ${message}`)).toEqual([
    'description.EN: expected a name of two or more letters a to z',
    'alias: expected an array of strings',
    'for.1: expected a string, the id of a format',
    'base: expected the id of a format (a string) or an array of ids',
    'schemas.1.type: required: expected a string, the id of a format',
    'schemas.1.extra: no such field: expected one of url, type, doi, version',
    'schemas.1.url: expected a string',
    'schemas.2: expected an object',
    'modified: expected a string or an integer',
  ])
})

test('all records are checked, and no two have the same id', () => {
  const records = [{ id: 'a' }, { id: 'b', title: 5 }, { title: 'c' }, { id: 'a', short: [] }, { id: 'b' }]
  expect(check(...records).map(({ record, id, path }) => [record, id, path])).toEqual([
    [2, 'b', 'title'],
    [3, undefined, 'id'],
    [4, 'a', 'short'],
    [4, 'a', 'id'],
    [5, 'b', 'id'],
  ])
})

test('values that a store cannot hold are refused', () => {
  let deep: object = {}
  for (let level = 0; level < 50_000; level++) deep = { deep }
  expect(paths({ id: 'a', title: 'a\u0000' })).toEqual(['title'])
  expect(paths({ id: 'a', alias: ['b', '\ud800'] })).toEqual(['alias.1'])
  expect(paths({ id: 'a', schemas: [{ url: '\udc00', type: 'x' }] })).toEqual(['schemas.0.url'])
  expect(paths({ id: '\ud83d' })).toEqual(['id'])
  expect(paths({ id: 'a', description: { en: deep } })).toEqual(['description'])
})

test('the demo records pass', () => {
  const lines = readFileSync(resolve(DEMO, 'formats.ndjson'), 'utf8').trim().split('\n')
  expect(check(...lines.map((line) => JSON.parse(line)))).toEqual([])
})

test('the schema stands by itself: any validator of draft-07 says the same', () => {
  const ajv = new Ajv({ strict: true })
  addFormats.default(ajv)
  const validate = ajv.compile(formatSchema(CONSTANTS))
  const big = new Set<unknown>([2 ** 53, 1e300])
  for (const [name, { valid, invalid }] of Object.entries(PROPERTIES)) {
    for (const value of valid) expect([name, value, validate({ [name]: value })]).toEqual([name, value, true])
    for (const value of invalid) {
      // These are integers; it is only that JSON numbers beyond 2^53 are not exact.
      expect([name, value, validate({ [name]: value })]).toEqual([name, value, big.has(value)])
    }
  }
  expect(validate({ ...CONSTANTS, id: 'x' })).toBe(true)
  expect(validate({ ...CONSTANTS, $schema: 'http://example.org/other' })).toBe(false)
})
