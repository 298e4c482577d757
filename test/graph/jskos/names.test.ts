import { expect, test } from '@jest/globals'
import { chooseLanguage, inLanguage, nameOf } from '../../../src/graph/jskos/names.ts'

test.each([
  [['de', 'en', 'fr'], ['fr', 'de'], 'fr'],
  [['de-at', 'en'], ['de'], 'de-at'],
  [['de', 'en'], ['de-at'], 'de'],
  [['de', 'de-at'], ['de-at'], 'de-at'],
  [['aa', 'en', 'und'], ['fr'], 'en'],
  [['aa', 'und'], ['fr'], 'und'],
  [['fr', 'es'], [], 'es'],
  [[], ['de'], undefined],
])('of %j, %j chooses %s', (tags, preferred, expected) => {
  expect(chooseLanguage(tags, preferred)).toBe(expected)
})

test('a name comes from the label, then the notation, then the end of the URI', () => {
  const uri = 'http://example.org/a%20b'
  expect(inLanguage({ de: 'Leim', en: 'glue' }, ['en'])).toEqual({ language: 'en', value: 'glue' })
  expect(nameOf({ uri, notation: ['B1'], prefLabel: { de: 'Leim' } }, ['en'])).toBe('Leim')
  expect(nameOf({ uri, notation: ['B1'] }, ['en'])).toBe('B1')
  expect(nameOf({ uri }, ['en'])).toBe('a b')
})
