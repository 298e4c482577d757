import { describe, expect, test } from '@jest/globals'
import { beginningPattern, wholePattern, wordPattern } from './patterns.ts'

/** The typed text, labels that match it, and labels that do not. */
const WHOLE: [string, string[], string[]][] = [
  ['munchen', ['Munchen', 'MÜNCHEN', 'München', 'Muenchen'], ['Monchen', 'Mueenchen']],
  ['muenchen', ['Muenchen', 'München', 'Munchen', 'MUENCHEN'], ['Minchen']],
  ['München', ['München', 'Muenchen', 'Munchen', 'münchen'], ['Moenchen']],
  ['poet', ['Poet', 'pöt', 'POËT'], ['pot', 'Pott']],
  ['pot', ['Pot', 'pót', 'pôt'], ['poet']],
  ['Goethe', ['Göthe', 'Goethe', 'Gothe', 'Gœthe'], ['Gethe']],
  ['blue', ['Blue', 'blü'], ['blu']],
  ['Straße', ['Strasse', 'STRASSE', 'straße', 'STRAẞE'], ['Strase']],
  ['strasse', ['Straße', 'Strasse'], ['Strase']],
  ['facade', ['façade', 'Façade', 'FACADE'], ['facad']],
  ['façade', ['facade'], []],
  ['Æther', ['Aether', 'æther', 'Äther', 'ather'], ['Ether']],
  ['aether', ['Æther', 'Äther'], ['Ether']],
  ['oresund', ['Øresund', 'Öresund', 'Oresund'], []],
  ['Øresund', ['Oresund', 'øresund'], []],
  ['lodz', ['Łódź'], []],
  ['thing', ['Þing', 'thing'], []],
  ['istanbul', ['İstanbul', 'ISTANBUL'], []],
  ['Σοφός', ['ΣΟΦΌΣ', 'σοφός'], []],
  ['МОСКВА', ['Москва'], ['Moskva']],
  ['phở', ['PHỞ', 'pho'], []],
  ["l'art", ['L’art', 'l´art'], ['l art']],
  ['a - b', ['A – B', 'a   -\tb'], ['a-b']],
  ['\u{1f3a8}', ['\u{1f3a8}'], []],
  ['\u{10400}', ['\u{10428}', '\u{10400}'], []],
]

describe('patterns', () => {
  test.each(WHOLE)('%j', (typed, same, different) => {
    const pattern = new RegExp(wholePattern(typed), 'u')
    expect(same.filter((label) => !pattern.test(label))).toEqual([])
    expect(different.filter((label) => pattern.test(label))).toEqual([])
  })

  test.each([
    ['mün', ['München', 'Muenster'], ['Alt-München']],
    ['art ', ['art of', 'Art'], []],
    ['3.', ['3.5 mm'], ['305']],
  ] as [string, string[], string[]][])('%j as a beginning', (typed, same, different) => {
    const pattern = new RegExp(beginningPattern(typed.trim()), 'u')
    expect(same.filter((label) => !pattern.test(label))).toEqual([])
    expect(different.filter((label) => pattern.test(label))).toEqual([])
  })

  test.each([
    ['art', ['Art', 'History of Art', "l'art", 'foo_artist', 'Ärtig', '(art)', 'a-art'], ['Smart', 'Part', 'Éart']],
    ['京都', ['京都', '東京都'], ['京']],
    ['タワー', ['東京タワー'], []],
    ['\u{1f3a8}', ['x\u{1f3a8}'], []],
    ['5', ['3.5 mm', '5'], ['35', 'x5']],
  ] as [string, string[], string[]][])('%j as the beginning of a word', (typed, same, different) => {
    const pattern = new RegExp(wordPattern(typed), 'u')
    expect(same.filter((label) => !pattern.test(label))).toEqual([])
    expect(different.filter((label) => pattern.test(label))).toEqual([])
  })

  test('every sign stands for itself and nothing else', () => {
    const characters = Array.from({ length: 0x3000 - 0x20 }, (_, at) => String.fromCodePoint(0x20 + at))
    const signs = characters.filter((sign) => !/\p{L}|\p{M}|\s/u.test(sign) && sign.normalize('NFC') === sign)
    const wrong = signs.filter((sign) => {
      const pattern = new RegExp(wholePattern(`x${sign}y`), 'u')
      return !pattern.test(`x${sign}y`) || pattern.test('xay') || pattern.test('xy')
    })
    expect(wrong).toEqual([])
  })

  test('every letter of the Latin blocks is found by its base letter, in either case', () => {
    const wrong: string[] = []
    for (let code = 0xc0; code < 0x1eff; code === 0x24f ? (code = 0x1e00) : code++) {
      const letter = String.fromCodePoint(code)
      const base = letter.normalize('NFD')[0]!
      if (!/[a-z]/i.test(base)) continue
      if (!new RegExp(wholePattern(base), 'u').test(letter)) wrong.push(letter)
      if (!new RegExp(wholePattern(letter.toUpperCase()), 'u').test(base)) wrong.push(letter)
    }
    expect(wrong).toEqual([])
  })
})
