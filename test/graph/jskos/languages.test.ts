import { describe, expect, test } from '@jest/globals'
import { languageMap, languageTags, prefLabel, unique } from '../../../src/graph/jskos/languages.ts'

const ALL = { languages: undefined, preferred: ['de', 'en'] }
const only = (...languages: string[]) => ({ languages, preferred: ['de', 'en'] })

describe('the preferred labels of a record', () => {
  test.each([
    ['the smallest label of each language', { en: ['B', 'A'], de: ['C'] }, ALL, { de: 'C', en: 'A' }],
    ['no empty labels', { en: ['', 'B'], de: [''] }, ALL, { en: 'B' }],
    ['the wanted languages alone', { en: ['B'], de: ['C'] }, only('en'), { en: 'B' }],
    ['the best of the others if no wanted one is there', { fr: ['F'], de: ['C'] }, only('en'), { de: 'C' }],
    ['nothing if all are empty', { en: [''] }, ALL, undefined],
    ['nothing without any', {}, ALL, undefined],
  ])('%s', (_, labels, options, expected) => {
    expect(prefLabel(labels, options)).toEqual(expected)
  })

  test('languages come in code point order', () => {
    expect(Object.keys(prefLabel({ fr: ['F'], de: ['D'], en: ['E'] }, ALL)!)).toEqual(['de', 'en', 'fr'])
  })
})

describe('the other texts of a record', () => {
  test.each([
    ['different texts in code point order', { en: ['b', 'a', 'b', ''] }, ALL, { en: ['a', 'b'] }],
    ['the wanted languages alone', { en: ['a'], de: ['b'] }, only('de'), { de: ['b'] }],
    ['no language without a text', { en: [''], de: ['b'] }, ALL, { de: ['b'] }],
    ['nothing if no wanted language is there', { en: ['a'] }, only('de'), undefined],
  ])('%s', (_, texts, options, expected) => {
    expect(languageMap(texts, options)).toEqual(expected)
  })

  test('languages come in code point order', () => {
    expect(Object.keys(languageMap({ fr: ['F'], de: ['D'], en: ['E'] }, ALL)!)).toEqual(['de', 'en', 'fr'])
  })
})

test.each([
  [
    ['http://lexvo.org/id/iso639-3/eng', 'http://example.org/lang#de', 'fr'],
    ['de', 'en', 'fr'],
  ],
  [['fr', 'FR', 'not a tag'], ['fr']],
  [['eng'], ['eng']],
])('the language tags of %j are %j', (texts, expected) => {
  expect(languageTags(texts)).toEqual(expected)
})

test('different values keep their order', () => {
  expect(unique(['b', 'a', 'b'])).toEqual(['b', 'a'])
})
