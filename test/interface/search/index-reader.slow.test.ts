/** The index by itself: what it finds is what the patterns match, whatever is typed, however it was written. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareRecords, smallest } from '../../../src/graph/jskos/order.ts'
import { CONCEPT } from '../../../src/base/namespaces.ts'
import { additionOf, removalOf } from '../../../src/graph/index/difference.ts'
import { IndexFile } from '../../../src/graph/index/index-file.ts'
import { IndexReader } from '../../../src/interface/search/index-reader.ts'
import type { SearchFields } from '../../../src/interface/search/matches.ts'
import { IndexWriter } from '../../../src/interface/search/index-writer.ts'
import { CLASS_KIND, MEMBER_KIND, SCHEME_KIND, type Statement } from '../../../src/graph/index/statements.ts'
import type { IndexScope } from '../../../src/interface/search/places.ts'
import { isUnspaced, readSearchText, type SearchText } from '../../../src/interface/search/words.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'
import { beginningPattern, insidePattern, wholePattern, wordPattern } from './patterns.ts'

const THING = 'http://example.org/Thing'
const OTHER = 'http://example.org/Other'
/** The graphs, with the number of their concepts; two share some. */
const GRAPHS = { 'http://a/': 60, 'http://b/': 40, 'http://c/': 5 }
const SUBSET = 'http://a/subset'
const KINDS = [0, 1, 2, 3]
const STATE = { revision: '1', load: '1' }

const WORDS = [
  ...[
    'Gold',
    'Goldschmied',
    'gold',
    'Go',
    'München',
    'Muenchen',
    'munchen',
    'Mün',
    'Mu',
    'Straße',
    'Strasse',
    'Æther',
    'Poet',
    'Pot',
  ],
  ...[
    "L'art",
    'L’art',
    'C++',
    'C#',
    'C',
    'A-Z',
    '3.5',
    '35',
    'x',
    'y',
    'der',
    'die',
    'NEAR',
    'AND',
    'OR',
    'NOT',
    'preferred',
    '*',
    '^a',
    '"',
    '(',
    ')',
    ':',
  ],
  ...[
    '東京都',
    '京都',
    '東京',
    'タワー',
    'ภาษา',
    'ษา',
    'Москва',
    'Ελλάδα',
    '한국',
    '\u{1f3a8}',
    '\u{1f469}\u{1f3fd}',
    'Tシャツ',
    'Øre',
    'Öre',
    'Café',
  ],
]
const NOTATIONS = ['A1', 'a1', 'A1.2', '11H(J)', '11', 'ä', 'Gold', '京', 'A 1', '"', '-']
const LANGUAGES = ['de', 'en']

/** Labels and notations as they could be, always the same. */
function randomFrom(seed: number) {
  let state = seed
  const number = (below: number) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return Math.floor((state / 0x80000000) * below)
  }
  return { number, pick: <T>(of: readonly T[]): T => of[number(of.length)]! }
}

function makeGraph(graph: string, size: number, random: ReturnType<typeof randomFrom>): Statement[] {
  return Array.from({ length: size }, (_, at): Statement[] => {
    const uri = random.number(8) === 0 ? `http://shared/${random.number(10)}` : `${graph}${at}`
    const labels = Array.from({ length: 1 + random.number(4) }, (): Statement => {
      const words = Array.from({ length: 1 + random.number(3) }, () => random.pick(WORDS))
      return [uri, 1 + random.number(3), random.pick(LANGUAGES), words.join(random.pick([' ', ' ', '-', ', ', '  ']))]
    })
    const statementsOfConcept: Statement[] = [[uri, CLASS_KIND, '', CONCEPT], [uri, SCHEME_KIND, '', graph], ...labels]
    if (random.number(3) > 0)
      statementsOfConcept.push([uri, 0, '', random.pick(NOTATIONS) + (random.number(2) > 0 ? String(at) : '')])
    if (random.number(4) === 0) statementsOfConcept.push([uri, CLASS_KIND, '', random.pick([THING, OTHER])])
    if (random.number(6) === 0) statementsOfConcept.push([uri, SCHEME_KIND, '', random.pick(Object.keys(GRAPHS))])
    return statementsOfConcept
  }).flat()
}

const { path } = temporaryFolder()
const random = randomFrom(7)
const graphs = new Map(Object.entries(GRAPHS).map(([graph, size]) => [graph, makeGraph(graph, size, random)]))
const members = new Set([...graphs.values()].flat().flatMap(([uri]) => (random.number(5) === 0 ? [uri] : [])))

/** The concepts of a graph, in the order of records. */
function subjectsOf(statements: readonly Statement[]): string[] {
  const notationsOf = (uri: string) =>
    statements.flatMap((statement) => (statement[0] === uri && statement[1] === 0 ? [statement[3]] : []))
  const keys = [...new Set(statements.map(([uri]) => uri))].map((uri) => ({
    uri,
    key: smallest(notationsOf(uri)),
  }))
  return keys.sort(compareRecords).map(({ uri }) => uri)
}

interface Asked {
  text: SearchText
  fields: SearchFields
  scope: IndexScope
  types: readonly string[] | undefined
  only: readonly string[] | undefined
}

type Check = (label: string) => boolean

/** Checks for a word as the beginning of a word, or with wildcards as a word; and inside of words. */
function checksOf(word: string): { begins: Check; inside: Check } {
  const bare = word.replace(/\*$/, '')
  const matching = (pattern: string): Check => {
    const expression = new RegExp(pattern, 'u')
    return (label) => expression.test(label)
  }
  if (bare.includes('*')) {
    const pieces = word.split('*').map((piece) => wholePattern(piece).slice(1, -1))
    const isWord = matching(`^${pieces.join('.*')}$`)
    const check = (label: string) => termsOfLabel(label).some(isWord)
    return { begins: check, inside: check }
  }
  const begins = matching(wordPattern(bare))
  return { begins, inside: bare === word ? matching(insidePattern(word)) : begins }
}

/** Words, of which those of a script without spaces have one character. */
function termsOfLabel(label: string): string[] {
  return (label.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).flatMap((run) => {
    const spaced = [...run].map((character) => (isUnspaced(character) ? ` ${character} ` : character)).join('')
    return spaced.split(' ').filter(Boolean)
  })
}

/** A check for notations, where a `*` stands for any characters; beside labels only after a letter or digit. */
function notationCheck({ pattern }: SearchText, { label }: SearchFields): Check {
  if (pattern === undefined || (label && pattern.startsWith('*'))) return () => false
  const escaped = pattern
    .toLowerCase()
    .split(/\*+/)
    .map((piece) => piece.replace(/[\\|.?+(){}[\]^$]/g, '\\$&'))
  const expression = new RegExp(`^${escaped.join('.*')}$`, 'u')
  return (notation) => expression.test(notation.toLowerCase())
}

/** The concepts that match, by the patterns, in the order of ranks, sizes and records. */
function expectedFor({ text, fields, scope, types, only }: Asked): string[] {
  const hasWildcard = text.words.some((word) => /\*./u.test(word))
  const [whole, beginning] = [wholePattern, beginningPattern].map((pattern) => {
    const expression = new RegExp(pattern(text.text), 'u')
    return (label: string) => !hasWildcard && expression.test(label)
  })
  const words = text.words.map((word) => checksOf(word))
  const isNotated = notationCheck(text, fields)
  const best = new Map<string, number>()
  const sizes = new Map<string, number>()
  const notations = new Map<string, string[]>()
  for (const statements of graphs.values()) {
    const concepts = new Set(statements.map(([uri]) => uri))
    for (const uri of concepts) {
      const ofConcept = statements.filter(([subject]) => subject === uri)
      const values = (kind: number) =>
        ofConcept.flatMap(([, statementKind, , value]) => (statementKind === kind ? [value] : []))
      const isMember = scope.subsets.includes(SUBSET) && members.has(uri)
      if (!scope.all && !isMember && !values(SCHEME_KIND).some((scheme) => scope.schemes.includes(scheme))) continue
      if (types && !values(CLASS_KIND).some((value) => types.includes(value))) continue
      if (only && !only.includes(uri)) continue
      for (const kind of KINDS) {
        if (kind === 0 ? !fields.notation : !fields.label || words.length === 0) continue
        for (const label of values(kind)) {
          const isMatch =
            kind === 0 ? beginning!(label) || isNotated(label) : words.every(({ begins }) => begins(label))
          const isInside = kind > 0 && words.every(({ inside }) => inside(label))
          if (!isMatch && !isInside) continue
          const rank = kind + (!isMatch ? 12 : whole!(label) ? 0 : beginning!(label) ? 4 : 8)
          best.set(uri, Math.min(rank, best.get(uri) ?? Infinity))
          for (const isWithin of isMatch ? [false, true] : [true]) {
            const size =
              kind === 0 ? 0 : Math.min([...label].length, sizes.get(`${uri} ${kind} ${isWithin}`) ?? Infinity)
            sizes.set(`${uri} ${kind} ${isWithin}`, size)
          }
        }
      }
    }
  }
  for (const statements of graphs.values()) {
    for (const [uri, kind, , value] of statements)
      if (kind === 0) notations.set(uri, [...(notations.get(uri) ?? []), value])
  }
  // Of a concept that several graphs describe, the graph counts in which it was found; here the order is of no
  // importance.
  const key = (uri: string) => ({ uri, key: smallest(notations.get(uri)) })
  const size = (uri: string, rank: number) =>
    rank < 4 || rank === 8 ? 0 : sizes.get(`${uri} ${rank % 4} ${rank >= 12}`)!
  return [...best]
    .sort(([a, x], [b, y]) => x - y || size(a, x) - size(b, y) || compareRecords(key(a), key(b)))
    .map(([uri]) => uri)
}

/** The numbers of some concepts by a value of theirs, as facets have them. */
function counted(uris: readonly string[], kind: number): { uri: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const uri of uris) {
    const ofConcept = [...graphs.values()].flat().filter(([subject, type]) => subject === uri && type === kind)
    for (const value of new Set(ofConcept.map(([, , , value]) => value)))
      counts.set(value, (counts.get(value) ?? 0) + 1)
  }
  return [...counts]
    .map(([uri, count]) => ({ uri, count }))
    .sort((a, b) => b.count - a.count || (a.uri < b.uri ? -1 : 1))
}

const questions = fc.record({
  wildcards: fc.boolean(),
  typed: fc
    .array(
      fc.oneof(
        fc.constantFrom(...WORDS, ...NOTATIONS),
        fc.constantFrom(
          'go',
          'old',
          'schm',
          'chen',
          'ras',
          'ther',
          'mu',
          's',
          'str',
          'ta',
          '京',
          'a1',
          'go*',
          '*old',
          '*chen*',
          'm*n',
          '*th*r',
          'a*',
          '1*)',
          '*',
          '-x',
          '^go',
          'w:x',
          '"go',
          '}',
        ),
      ),
      {
        minLength: 1,
        maxLength: 3,
      },
    )
    .chain((words) => fc.constantFrom(' ', '', '-').map((between) => words.join(between)))
    .filter((typed) => readSearchText(typed) !== undefined),
  fields: fc.constantFrom(
    { label: true, notation: true },
    { label: true, notation: false },
    { label: false, notation: true },
  ),
  scope: fc.constantFrom<IndexScope>(
    { all: true, schemes: [], subsets: [] },
    { all: false, schemes: ['http://a/'], subsets: [] },
    { all: false, schemes: ['http://b/', 'http://c/'], subsets: [] },
    { all: false, schemes: ['http://b/'], subsets: [SUBSET] },
    { all: false, schemes: [], subsets: [SUBSET] },
    { all: false, schemes: ['http://none/'], subsets: [] },
  ),
  types: fc.constantFrom(undefined, undefined, [THING], [THING, OTHER], [CONCEPT], ['http://none']),
  only: fc.constantFrom(undefined, undefined, [...members]),
})
const numRuns = LONG ? 20_000 : 40

describe.each(['as a whole', 'in small portions', 'one concept after the other'])(
  'an index that was written %s',
  (how) => {
    let file: IndexFile
    let reader: IndexReader
    const isShared = (uri: string) => uri.startsWith('http://shared/')

    beforeAll(async () => {
      file = await IndexFile.open(path(`${how}.sqlite`), 1 << 20)
      const writer = new IndexWriter(file, 'de', how === 'as a whole' ? 60_000 : 20)
      for (const [graph, statements] of graphs) {
        const first = how.startsWith('one') ? [] : [statements]
        await writer.commit((await writer.writeGraph(graph, first))!, STATE)
        // A graph that was read again takes the place of the former one.
        if (how === 'in small portions')
          await writer.commit((await writer.writeGraph(graph, [statements.slice(9)]))!, STATE)
        if (how === 'in small portions') await writer.commit((await writer.writeGraph(graph, [statements]))!, STATE)
        if (!how.startsWith('one')) continue
        // Every second one first, so that each finds a place between others.
        const sorted = subjectsOf(statements)
        for (const uri of [0, 1].flatMap((rest) => sorted.filter((_, at) => at % 2 === rest)))
          await writer.change(graph, additionOf(statements.filter(([subject]) => subject === uri)))
        const again = statements.at(-9)![0]
        await writer.change(graph, removalOf([again]))
        await writer.change(graph, additionOf(statements.filter(([subject]) => subject === again)))
      }
      const subset = [...members].map((uri): Statement => [SUBSET, MEMBER_KIND, '', uri])
      await writer.commit((await writer.writeGraph(SUBSET, [subset]))!, STATE)
      reader = new IndexReader(file)
    })
    afterAll(() => file.close())

    test('finds what the patterns match, in the order of ranks', async () => {
      await fc.assert(
        fc.asyncProperty(questions, async ({ typed, wildcards, ...asked }) => {
          const text = readSearchText(typed, { wildcards })
          if (!text) return
          const expected = expectedFor({ text, ...asked })
          const ask = (page: { limit: number; offset: number }) => reader.find({ text, page, ...asked })
          const page = { limit: 1000, offset: 0 }
          const { total, concepts, replaced, facets } = await reader.find({
            text,
            page,
            facets: ['voc', 'type'],
            ...asked,
          })
          if (expected.length === 0 && replaced) return
          const results = concepts.map(({ uri }) => uri)
          expect({ typed, asked, results: [...results].sort(), total }).toEqual({
            typed,
            asked,
            results: [...expected].sort(),
            total: expected.length,
          })
          const unshared = (uris: string[]) => uris.filter((uri) => !isShared(uri))
          expect({ typed, asked, order: unshared(results) }).toEqual({ typed, asked, order: unshared(expected) })
          if (!expected.some(isShared)) {
            const [voc, type] = [SCHEME_KIND, CLASS_KIND].map((kind) => counted(expected, kind))
            expect({ typed, asked, facets }).toEqual({ typed, asked, facets: { voc, type } })
          }
          const pages = await Promise.all([0, 3, 6].map((offset) => ask({ limit: 3, offset })))
          expect(pages.flatMap((page) => page.concepts.map(({ uri }) => uri))).toEqual(results.slice(0, 9))
        }),
        { numRuns },
      )
    })

    test('whatever is typed is text, never syntax', async () => {
      const typed = fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 30 }),
        fc.string({ unit: 'binary', maxLength: 30 }),
        fc
          .array(
            fc.constantFrom(
              '"',
              '*',
              'NEAR',
              'NEAR(',
              '-',
              '^',
              ':',
              '(',
              ')',
              '{',
              '}',
              '+',
              ' ',
              'AND',
              'OR',
              'NOT',
              'go',
              "'",
              '\\',
              '\0',
              ',',
            ),
          )
          .map((all) => all.join('')),
      )
      await fc.assert(
        fc.asyncProperty(typed, async (some) => {
          const text = readSearchText(some)
          if (!text) return
          const asked = {
            fields: { label: true, notation: true },
            scope: { all: true, schemes: [], subsets: [] },
            types: undefined,
            only: undefined,
          }
          const { total, replaced } = await reader.find({ text, page: { limit: 0, offset: 0 }, ...asked })
          if (!replaced) expect({ some, total }).toEqual({ some, total: expectedFor({ text, ...asked }).length })
        }),
        { numRuns },
      )
    })
  },
)
