import { describe, expect, test } from '@jest/globals'
import { hasBidiControls, hasTooManyMarks, normaliseText, shorten } from '../src/unicode.ts'

const ACUTE = '\u0301'
const DOT_BELOW = '\u0323'

describe('normaliseText', () => {
  test.each([
    ['a letter and a mark', `e${ACUTE}`, 'é'],
    ['marks in another order', `a${ACUTE}${DOT_BELOW}`, `ạ${ACUTE}`],
    ['Hangul', '\u1112\u1161\u11ab', '한'],
    ['Vietnamese', 'Tiê\u0301ng Viê\u0323t', 'Tiếng Việt'],
    ['30 marks', `e${ACUTE.repeat(30)}`, `é${ACUTE.repeat(29)}`],
    ['no text', '', ''],
  ])('%s', (_, text, expected) => {
    expect(normaliseText(text)).toBe(expected)
    expect(text.normalize('NFC')).toBe(expected)
    expect(hasTooManyMarks(text)).toBe(false)
  })

  test.each([31, 60, 61, 1000])('%d marks in a row: none is lost, and a second time changes nothing', (count) => {
    const text = `x${`${ACUTE}${DOT_BELOW}`.repeat(count).slice(0, count)}y`
    expect(hasTooManyMarks(text)).toBe(true)
    const normal = normaliseText(text)
    expect([...normal].filter((character) => [ACUTE, DOT_BELOW].includes(character))).toHaveLength(count)
    expect(hasTooManyMarks(normal)).toBe(false)
    expect(normaliseText(normal)).toBe(normal)
    expect(normal.normalize('NFC')).toBe(normal)
  })

  test('a million marks take no longer than a million letters, nearly', () => {
    const time = (text: string) => {
      const began = performance.now()
      normaliseText(text)
      return performance.now() - began
    }
    const marks = `a${`${ACUTE}${DOT_BELOW}`.repeat(250_000)}`
    time(marks)
    expect(time(marks)).toBeLessThan(2000)
  })
})

test.each([
  ['\u202e', true],
  ['\u2066', true],
  ['\u200f', true],
  ['\u061c', true],
  ['שלום', false],
  ['\u200d', false],
  ['\u00ad', false],
])('%j changes the order of what is around it: %j', (character, expected) => {
  expect(hasBidiControls(`a${character}b`)).toBe(expected)
})

test.each([
  ['', 3, ''],
  ['abc', 3, 'abc'],
  ['abcd', 3, 'ab…'],
  ['🎨🎨🎨', 3, '🎨🎨🎨'],
  ['🎨🎨🎨🎨', 3, '🎨🎨…'],
  ['a🎨b🎨', 3, 'a🎨…'],
  ['abcdef🎨', 3, 'ab…'],
])('%j is shortened to %i characters', (text, length, expected) => {
  expect(shorten(text, length)).toBe(expected)
})
