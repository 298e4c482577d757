import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { keyMatcher, placesOf, wordMatcher } from '../../../src/interface/search/matching.ts'
import {
  GAP,
  indexedTerms,
  keyOf,
  openSegments,
  segmentsOf,
  spellingsOf,
  type Segment,
} from '../../../src/interface/search/spellings.ts'
import { readSearchText } from '../../../src/interface/search/words.ts'
import { LONG } from '../../long.ts'
import { beginningPattern, wholePattern, wordPattern } from './patterns.ts'

/** The spellings of segments of a typed text in which some of the terms or keys may begin. */
const spellings = (segments: readonly Segment[], terms: readonly string[]) =>
  spellingsOf(segments, (beginning) => terms.some((term) => term.startsWith(beginning)))
/** True if a term or key begins with a typed text. */
const begins = (typed: string, terms: readonly string[]) =>
  spellings(openSegments(segmentsOf(typed)), terms).some((spelling) => terms.some((term) => term.startsWith(spelling)))

test.each<[label: string, terms: string[]]>([
  ['History of Art', ['history', 'of', 'art']],
  ['Künstliche Intelligenz (KI)', ['künstliche', 'intelligenz', 'ki']],
  ['L’art nouveau, C++ & C#: A-Z_3.5 mm', ['l', 'art', 'nouveau', 'c', 'c', 'a', 'z', '3', '5', 'mm']],
  ['Café Øre Łódź Straße ÆON', ['cafe', 'öre', 'lodz', 'straße', 'æon']],
  ['Ελλάδα Москва 한국 어', ['ελλάδα', 'москва', '한국', '어']],
  ['Druck\u00adgraphik\n\u200bzwei', ['druckgraphik', 'zwei']],
  ['東京都の歴史', ['東', '京', '都', 'の', '歴', '史']],
  ['東京、タワー', ['東', '京', GAP, 'タ', 'ワ', 'ー']],
  ['Tシャツ 3次元', ['t', 'シ', 'ャ', 'ツ', GAP, '3', '次', '元']],
  ['ภาษาไทย', ['ภ', 'า', 'ษ', 'า', 'ไ', 'ท', 'ย']],
  ['\u{1f3a8}\u{1f469}\u{1f3fd} x', ['\u{1f3a8}', '\u{1f469}', '\u{1f3fd}', 'x']],
  ['+++ "', []],
])('%s: %j', (label, terms) => {
  expect(indexedTerms(label)).toEqual(terms)
})

test.each<[words: string[], label: string, isMatch: boolean]>([
  [['munch', 'kun'], 'Kunst in München', true],
  [['muenchen'], 'Munchen', true],
  [['unst'], 'Kunst', false],
  [['京都'], '東京都', true],
  [['京都'], '京、都', false],
  [['3次'], '3次元', true],
  [['\u{1f3a8}'], 'x \u{1f3a8}', true],
  [[], 'Art', true],
])('%j in %s: %j', (words, label, isMatch) => {
  expect(wordMatcher(words)(label)).toBe(isMatch)
})

test.each<[word: string, label: string, marked: string[]]>([
  ['munch', 'Kunst in München, Muenchen', ['Münch', 'Muench']],
  ['muenchen', 'Munchen', ['Munchen']],
  ['unst', 'Kunst', []],
  ['istanbul', 'x İSTANBULLU', ['İSTANBUL']],
  ['strasse', 'Straße', ['Straße']],
  ['stras', 'Straße', ['Straß']],
  ['*stras*', 'Weinstraße', ['straß']],
  ['*sen', 'Straßen', ['ßen']],
  ['京', '東京都の京', ['京', '京']],
  ['art', '東京Art', ['Art']],
  ['\u{1f3a8}', 'x\u{1f3a8}', ['\u{1f3a8}']],
  ['b', '\u{1f3a8} b', ['b']],
])('%s marks in %s: %j', (word, label, marked) => {
  expect(placesOf(word, label).map(([start, end]) => label.slice(start, end))).toEqual(marked)
})

test('long labels and words are bounded', () => {
  expect(indexedTerms('x'.repeat(500))).toEqual(['x'.repeat(100)])
  expect(indexedTerms('ab '.repeat(1_000_000)).length).toBeLessThan(40_000)
  expect(keyOf(` ${'ä'.repeat(1_000_000)}`)).toHaveLength(100)
  expect(spellingsOf(segmentsOf('o'.repeat(100)), () => true).length).toBeLessThan(100)
})

describe('a typed text stands for the spellings that its pattern matches', () => {
  const letters = [
    ...'aouesnthbAÄäöÖüßẞæÆœøáËþÞłςσ',
    'ss',
    'th',
    'ae',
    'oe',
    'ue',
    'ab',
    'mun',
    'ы',
    'Й',
    'ı',
    'İ',
    'ſ',
    '3',
    'q',
  ]
  const word = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 7 }).map((all) => all.join(''))
  const signs = [' ', ' ', '-', '–', "'", '’', '(', '“', '.', '+', '\u00a0', '  ']
  const text = fc
    .array(fc.oneof(word, fc.constantFrom(...signs)), { minLength: 1, maxLength: 4 })
    .map((all) => readSearchText(readSearchText(all.join(''))?.text ?? 'a')?.text ?? 'a')
  /** Labels that differ from a typed text in a few letters. */
  const near = (typed: string) =>
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...letters, '')), { maxLength: 3 }).map((edits) => {
      const characters = [...typed]
      for (const [at, letter] of edits) characters[at % Math.max(1, characters.length)] = letter
      return characters.join('').normalize('NFC')
    })
  const numRuns = LONG ? 50_000 : 300

  test('words', () => {
    fc.assert(
      fc.property(
        word.chain((typed) => fc.tuple(fc.constant(typed), near(typed), text)),
        ([typed, label, more]) => {
          const matching = new RegExp(wordPattern(typed), 'u')
          const isWhole = new RegExp(`${beginningPattern(typed)}$`, 'u')
          for (const name of [label, `${more} ${label}`]) {
            const isMatch = matching.test(name)
            const terms = indexedTerms(name)
            expect({ typed, name, isFound: begins(typed, terms) }).toEqual({ typed, name, isFound: isMatch })
            expect({ typed, name, isFound: wordMatcher([typed])(name) }).toEqual({ typed, name, isFound: isMatch })
            const marked = placesOf(typed, name).map(([start, end]) => name.slice(start, end))
            expect({ typed, name, isFound: marked.length > 0 }).toEqual({ typed, name, isFound: isMatch })
            expect(marked.filter((mark) => !isWhole.test(mark))).toEqual([])
          }
        },
      ),
      { numRuns },
    )
  })

  test('texts', () => {
    fc.assert(
      fc.property(
        text.chain((typed) => fc.tuple(fc.constant(typed), near(typed))),
        ([typed, label]) => {
          const key = keyOf(label)
          const matches = [spellings(segmentsOf(typed), [key]).includes(key), begins(typed, [key])]
          const matched = [wholePattern, beginningPattern].map((pattern) => new RegExp(pattern(typed), 'u').test(label))
          expect({ typed, label, matches }).toEqual({ typed, label, matches: matched })
          const match = keyMatcher(typed)(key)
          expect({ typed, label, matches: [match === 'whole', match !== undefined] }).toEqual({
            typed,
            label,
            matches: matched,
          })
        },
      ),
      { numRuns },
    )
  })
})
