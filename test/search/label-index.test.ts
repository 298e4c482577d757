import { describe, expect, test } from '@jest/globals'
import { fold } from '../../src/search/letters.ts'
import { toSought } from '../../src/search/ranking.ts'
import { readSearchText } from '../../src/search/words.ts'
import { LabelIndex, type HitFilter } from '../../src/search/label-index.ts'

const V = 'http://example.org/v'
const CONCEPT = 'http://www.w3.org/2004/02/skos/core#Concept'
const CLASS = 'http://example.org/Class'

function fixture(): LabelIndex {
  const index = new LabelIndex()
  const concept = (uri: string, labels: Record<string, string>, alternative?: string) => {
    index.addClass(uri, CONCEPT)
    index.addScheme(uri, V)
    for (const [language, label] of Object.entries(labels)) index.addLabel(uri, 'prefLabel', language, label)
    if (alternative) index.addLabel(uri, 'altLabel', 'de', alternative)
  }
  concept('ai', { de: 'Künstliche Intelligenz', en: 'Artificial intelligence' }, 'KI')
  concept('human', { de: 'Menschliche Intelligenz' })
  concept('artist', { de: 'Künstler' })
  concept('bank', { de: 'Bank' }, 'Geldinstitut')
  concept('slovenia', { de: 'Slowenien' })
  concept('tokyo', { ja: '東京都の歴史' })
  index.addClass('artist', CLASS)
  index.addNotation('ai', '54.72')
  // Not a concept.
  index.addScheme('publisher', V)
  index.addLabel('publisher', 'prefLabel', 'de', 'Verlag der Künste')
  index.addNotation('publisher', '54.72')
  return index
}

const index = fixture()
const find = (typed: string, filter: HitFilter = {}) => [
  ...new Set(index.find(toSought(readSearchText(typed)!), (word) => index.hasWord(word), filter).map(({ uri }) => uri)),
]

describe('labels by their words', () => {
  test.each<[typed: string, first: string[], filter?: HitFilter]>([
    ['künstliche intelligenz', ['ai', 'human']],
    ['Intelligenz, künstliche', ['ai', 'human']],
    ['Kunstliche Inteligenz', ['ai', 'human']],
    ['kuenstliche', ['ai']],
    ['KI', ['ai']],
    ['Banken', ['bank']],
    ['Geldinst', ['bank']],
    ['Gedlinstitut', ['bank']],
    ['東京', ['tokyo']],
    ['Verlag', []],
    ['++', []],
    ['intelligence', ['ai'], { languages: ['en'] }],
    ['intelligence', [], { languages: ['de'] }],
    ['künstler', ['artist'], { concept: ({ classes }) => classes.includes(CLASS) }],
    ['künstliche', [], { concept: ({ classes }) => classes.includes(CLASS) }],
    ['intelligenz', ['human'], { concept: (_, uri) => uri === 'human' }],
  ])('%s: %j', (typed, expected, filter = {}) => {
    expect(find(typed, filter)).toEqual(expected)
  })

  test('finds the same again', () => {
    expect(find('künstliche intelligenz')).toEqual(find('künstliche intelligenz'))
  })

  test('nothing like a word that is known is looked for', () => {
    const sought = toSought(readSearchText('bang')!)
    expect(index.find(sought, () => false).map(({ uri }) => uri)).toEqual(['bank'])
    expect(index.find(sought, () => true)).toEqual([])
  })

  test('finds a notation of concepts alone', () => {
    expect(index.byNotation('54.72')).toEqual([{ uri: 'ai', label: { text: '54.72', type: 'notation' } }])
    expect(index.byNotation('54')).toEqual([])
  })

  test('knows which URIs are concepts', () => {
    expect([index.has('ai'), index.has('publisher'), index.has('none')]).toEqual([true, false, false])
    expect(index.has('ai', { concept: ({ classes }) => classes.includes(CLASS) })).toBe(false)
  })
})

describe('words that are like another', () => {
  test.each<[word: string, similar: string[], isBeginning?: boolean]>([
    ['inteligenz', ['intelligenz']],
    ['intellgenz', ['intelligenz']],
    ['intelligens', ['intelligenz', 'intelligence']],
    ['intelilgenz', ['intelligenz']],
    ['kunsler', ['künstler']],
    // "oe" is no "ö" here.
    ['sloenien', ['slowenien']],
    ['inteli', []],
    ['inteli', ['intelligenz', 'intelligence'], true],
    ['bnak', ['bank']],
    ['bnk', []],
    ['xyzxyz', []],
  ])('%s: %j', (word, expected, isBeginning = false) => {
    expect(index.similarWords(word, isBeginning).map((similar) => similar.word)).toEqual(expected)
  })
})

test.each([
  ['Künstliche', 'kunstliche'],
  ['KUENSTLICHE', 'kunstliche'],
  ['kunstliche', 'kunstliche'],
  ['Straße', 'strasse'],
  ['Łódź', 'lodz'],
  ['Æther', 'ather'],
  ['neue Quelle', 'neue quelle'],
  ['Ελλάδα', 'ελλαδα'],
  ['Москва', 'москва'],
  ['İstanbul', 'istanbul'],
])('%s is folded to %s', (text, expected) => {
  expect(fold(text)).toBe(expected)
})
