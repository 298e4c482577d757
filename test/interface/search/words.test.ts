import { expect, test } from '@jest/globals'
import { indexedWords, readSearchText } from '../../../src/interface/search/words.ts'
import { quickest } from '../../quickest.ts'

test.each([
  ['History of Art', 'History of Art', ['History', 'of', 'Art']],
  ['  a \n b  ', 'a b', ['a', 'b']],
  ["l'art-nouveau_x", "l'art-nouveau_x", ['l', 'art', 'nouveau', 'x']],
  ['C++', 'C++', ['C']],
  ['++', '++', []],
  ['u\u0308ber', 'über', ['über']],
  ['\u202emün\u202c', 'mün', ['mün']],
  ['co\u00adop\u200b', 'coop', ['coop']],
  ['می\u200cخواهم', 'می\u200cخواهم', ['می', 'خواهم']],
  ['\u200dabc\u200c', 'abc', ['abc']],
  ['東京タワー 2', '東京タワー 2', ['東京', 'タワー', '2']],
  ['\u{1f3a8}\u{1f469}\u{1f3fd} x', '\u{1f3a8}\u{1f469}\u{1f3fd} x', ['\u{1f3a8}', '\u{1f469}\u{1f3fd}', 'x']],
  ['a a A', 'a a A', ['a', 'A']],
  ['* a', '* a', ['a']],
  ['a\u0000b', 'ab', ['ab']],
] as [string, string, string[]][])('%j', (typed, text, words) => {
  expect(readSearchText(typed)).toEqual({ text, words })
})

test.each([undefined, '', ' ', '*', ' * ', '\u200b', '\u202e\u2066\ufeff', '\u00ad\u200d', '\t\n'])(
  '%j asks for everything',
  (typed) => {
    expect(readSearchText(typed)).toBeUndefined()
  },
)

test('a long text is bounded', () => {
  expect(readSearchText('a'.repeat(10_000))?.text).toHaveLength(100)
  expect(readSearchText('\u{1f3a8}'.repeat(10_000))?.text).toBe('\u{1f3a8}'.repeat(100))
  expect(readSearchText('a b c d e f g h i j k l m n')?.words).toHaveLength(10)
})

test('a text of nothing but marks takes no longer than its length', () => {
  const marked = (marks: number) => `mün${'\u0301\u0323'.repeat(marks / 2)}`
  expect(readSearchText(marked(400_000))?.words).toHaveLength(1)
  const timeOf = (marks: number) => quickest(() => readSearchText(marked(marks)), 5)
  expect(timeOf(400_000) / timeOf(25_000)).toBeLessThan(100)
})

test('texts of Latin letters have the same words as parts of other texts', () => {
  const texts = Array.from({ length: 0x2030 - 1 }, (_, at) => `a${String.fromCharCode(at + 1)}b`)
  const wordsOf = (words: readonly string[]) => JSON.stringify(words)
  expect(
    texts.filter((text) => wordsOf([...indexedWords(text), 'あ']) !== wordsOf(indexedWords(`${text} あ`))),
  ).toEqual([])
})
