/** The hits of the index for names to reconcile, and words that are like others. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { IndexFile } from '../../../src/graph/index/index-file.ts'
import { IndexReader } from '../../../src/interface/search/index-reader.ts'
import type { NameToFind } from '../../../src/interface/search/name-reader.ts'
import { IndexWriter } from '../../../src/interface/search/index-writer.ts'
import { CLASS_KIND, SCHEME_KIND, type Statement } from '../../../src/graph/index/statements.ts'
import { fold, unmarked } from '../../../src/interface/search/letters.ts'
import { similarWords } from '../../../src/interface/search/similar-words.ts'
import { readSearchText } from '../../../src/interface/search/words.ts'
import { temporaryFolder } from '../../folder.ts'

const V = 'http://example.org/v'
const CONCEPT = 'http://www.w3.org/2004/02/skos/core#Concept'
const THING = 'http://example.org/Class'

function concept(uri: string, labels: Record<string, string>, alternative?: string, notation?: string): Statement[] {
  return [
    [uri, CLASS_KIND, '', CONCEPT],
    [uri, SCHEME_KIND, '', V],
    ...Object.entries(labels).map(([language, label]): Statement => [uri, 1, language, label]),
    ...(alternative ? [[uri, 2, 'de', alternative] as Statement] : []),
    ...(notation ? [[uri, 0, '', notation] as Statement] : []),
  ]
}

const STATEMENTS: Statement[] = [
  ...concept('ai', { de: 'Künstliche Intelligenz', en: 'Artificial intelligence' }, 'KI', '54.72'),
  ...concept('human', { de: 'Menschliche Intelligenz' }),
  ...concept('artist', { de: 'Künstler' }),
  ...concept('bank', { de: 'Bank' }, 'Geldinstitut'),
  ...concept('slovenia', { de: 'Slowenien' }),
  ...concept('tokyo', { ja: '東京都の歴史' }),
  ...concept('tower', { ja: 'タワー' }),
  ...concept('moscow', { ru: 'Московский' }),
  ...concept('istanbul', { tr: 'İstanbul' }),
  ['artist', CLASS_KIND, '', THING],
  // More than are weighed.
  ...Array.from({ length: 3000 }, (_, at) => concept(`museum1/${at}`, { de: `Museum ${at}` })).flat(),
  ...['museum', 'museum2', 'museums'].flatMap((uri) => concept(uri, { de: 'Museum' })),
  // Not a concept.
  ['publisher', SCHEME_KIND, '', V],
  ['publisher', 1, 'de', 'Verlag der Künste'],
  ['publisher', 0, '', '54.72'],
]

const { path } = temporaryFolder()
let file: IndexFile
let reader: IndexReader
describe('names to reconcile in the index', () => {
  beforeAll(async () => {
    file = await IndexFile.open(path('index.sqlite'), 1 << 20)
    const writer = new IndexWriter(file, 'de')
    await writer.commit((await writer.writeGraph(V, [STATEMENTS]))!, { revision: '1', load: '1' })
    reader = new IndexReader(file)
  })
  afterAll(() => file.close())

  const ALL = { all: true, schemes: [], subsets: [] }
  const ask = async (name: NameToFind, lists: string[][] = []) =>
    (await reader.reconcile({ scope: ALL, names: [name], lists }))[0]!
  const find = async (text: string, filter: Partial<NameToFind> = {}, lists?: string[][]) => [
    ...new Set((await ask({ text, ...filter }, lists)).labels.map(([uri]) => uri)),
  ]

  describe('labels by their words', () => {
    test.each<[typed: string, first: string[], filter?: Partial<NameToFind>, lists?: string[][]]>([
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
      ['künstler', ['artist'], { types: [THING] }],
      ['künstliche', [], { types: [THING] }],
      ['intelligenz', ['human'], { only: [0] }, [['human', 'publisher']]],
      ['intelligenz', ['human'], { not: [0] }, [['ai']]],
      ['intelligenz', [], { only: [0, 1] }, [['ai'], ['human']]],
    ])('%s: %j', async (typed, expected, filter = {}, lists = []) => {
      expect(await find(typed, filter, lists)).toEqual(expected)
    })

    test('those that equal the name come before thousands with its words', async () => {
      expect((await find('MUSEUM')).slice(0, 3)).toEqual(['museum', 'museum2', 'museums'])
    })

    test('finds the same again', async () => {
      expect(await find('künstliche intelligenz')).toEqual(await find('künstliche intelligenz'))
    })

    test('nothing like a word is looked for if only exactly the same counts', async () => {
      expect(await find('bang')).toEqual(['bank'])
      expect(await find('bang', { isExact: true })).toEqual([])
    })

    test('finds a notation of concepts alone', async () => {
      expect((await ask({ text: '54.72', isIdentifier: true })).identified).toEqual(['ai'])
      expect((await ask({ text: '54', isIdentifier: true })).identified).toEqual([])
    })

    test('knows which URIs are concepts', async () => {
      const identified = async (text: string, filter: Partial<NameToFind> = {}) =>
        (await ask({ text, isIdentifier: true, ...filter })).identified
      expect([await identified('ai'), await identified('publisher'), await identified('none')]).toEqual([
        ['ai'],
        [],
        [],
      ])
      expect(await identified('ai', { types: [THING] })).toEqual([])
      const { among } = await ask({ text: undefined, among: 0 }, [['ai', 'publisher', 'human', 'none']])
      expect(among.sort()).toEqual(['ai', 'human'])
    })
  })

  test('of concepts with the same rank, those with a shorter label come first, whatever their notation', async () => {
    const question = { text: readSearchText('künst')!, fields: { label: true, notation: true }, scope: ALL }
    const { concepts } = await reader.find({ ...question, page: { limit: 10, offset: 0 } })
    expect(concepts.map(({ uri }) => uri)).toEqual(['artist', 'ai'])
  })

  test.each(['İstanbul', 'İst*l', '*bul'])('the label İstanbul matches %s', async (text) => {
    const matches = await reader.matches({ scope: ALL, text, page: { limit: 10, offset: 0 } })
    expect(matches.map(({ uri }) => uri)).toEqual(['istanbul'])
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
      ['inteli', ['intelligence', 'intelligenz'], true],
      ['bnak', ['bank']],
      ['künslter', ['künstler']],
      ['bnk', []],
      ['xyzxyz', []],
      ['Московскйи', ['московский']],
      ['Москвоский', ['московский']],
      ['Масковски', ['московский']],
    ])('%s: %j', async (word, expected, isBeginning = false) => {
      const similarTo = (most: 1 | 2) => similarWords(file, [fold(word), unmarked(word)], { most, isBeginning })
      const similar = await similarTo(2)
      expect(similar.map((item) => item.word)).toEqual(expected)
      // Found in another way.
      expect(await similarTo(1)).toEqual(similar.filter(({ edits }) => edits <= 1))
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
    ['Ἑλλάς', 'ελλας'],
    ['й', 'и'],
    ['שָׁלוֹם', 'שלום'],
    ['مُحَمَّد', 'محمد'],
    ['दिन', 'दिन'],
    ['दान', 'दान'],
    ['が', 'が'],
    ['ガラス', 'ガラス'],
    ['ภาษาไทยนี้', 'ภาษาไทยนี้'],
    ['n\u20d7', 'n'],
  ])('%s is folded to %s', (text, expected) => {
    expect(fold(text)).toBe(expected)
  })
})
