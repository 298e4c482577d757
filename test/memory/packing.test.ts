import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { Packing } from '../../src/memory/packing.ts'
import type { NodeProperties, ObjectTerm } from '../../src/sparql/ntriples.ts'

const NAMING = ['urn:x-example:label', 'urn:x-example:notation']
const PROPERTIES = [...NAMING, 'urn:x-example:broader', 'urn:x-example:note', 'urn:x-example:date']
const ALL = new Set(PROPERTIES)

const literal = (value: string, language = '', datatype = ''): ObjectTerm => ({
  termType: 'Literal',
  value,
  language,
  datatype,
})
const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('织布机', 'ткацький', '\ud800', '\n', '>', '<'),
)
const term: fc.Arbitrary<ObjectTerm> = fc.oneof(
  fc
    .record({ value: text, language: fc.constantFrom('', 'de', 'zh-Hant', 'de-x-a') })
    .map(({ value, language }) => literal(value, language)),
  text.map((value) => literal(value, '', 'http://www.w3.org/2001/XMLSchema#date')),
  text.map((value): ObjectTerm => ({ termType: 'NamedNode', value, language: '', datatype: '' })),
)
const node = fc
  .dictionary(fc.constantFrom(...PROPERTIES), fc.array(term, { minLength: 1, maxLength: 5 }))
  .map((properties): NodeProperties => new Map(Object.entries(properties)))

test('what is unpacked is what was packed, as a whole and by property', () => {
  const packing = new Packing(PROPERTIES)
  const isPackable = ({ value }: ObjectTerm) => !value.includes('\0')
  fc.assert(
    fc.property(node, fc.subarray(PROPERTIES), (original, some) => {
      const packed = packing.pack(original, ALL)
      if (![...original.values()].flat().every(isPackable)) {
        expect(packed).toBeUndefined()
        return
      }
      expect(packing.unpack(packed!, ALL)).toEqual(original)
      const wanted = new Set(some)
      const part = new Map([...original].filter(([property]) => wanted.has(property)))
      expect(packing.unpack(packed!, wanted)).toEqual(part)
      expect(packing.unpack(packing.pack(original, wanted)!, ALL)).toEqual(part)
      const names = new Map([...original].filter(([property]) => NAMING.includes(property)))
      expect(packing.unpack(packed!, new Set(NAMING))).toEqual(names)
    }),
    { numRuns: 500 },
  )
})

test('a character beyond Latin-1 makes no other text longer', () => {
  const packed = new Packing(PROPERTIES).pack(
    new Map([[NAMING[0]!, [literal('loom', 'en'), literal('织布机', 'zh'), literal('Métier', 'fr')]]]),
    ALL,
  )
  expect(packed).toEqual({ latin: '0 en >zh fr\0loom\0Métier\0', other: '织布机\0' })
})

test.each<[string, ObjectTerm]>([
  ['a link to a blank node', { termType: 'BlankNode', value: 'b0', language: '', datatype: '' }],
  ['the character that ends lines', literal('a\0b', 'en')],
  ['a datatype that has a space, which some stores keep', literal('1', '', 'urn:x-example:a b')],
])('%s cannot be packed', (_, object) => {
  const packing = new Packing(PROPERTIES)
  expect(packing.pack(new Map([[PROPERTIES[2]!, [object]]]), ALL)).toBeUndefined()
  // Properties that are not wanted do not matter.
  expect(packing.pack(new Map([[PROPERTIES[2]!, [object]]]), new Set(NAMING))).toEqual({ latin: '', other: '' })
})
