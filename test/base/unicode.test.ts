import { describe, expect, test } from '@jest/globals'
import { hasBidiControls, hasTooManyMarks, normaliseText, shorten } from '../../src/base/unicode.ts'
import { quickest } from '../quickest.ts'

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

  test('many marks take no longer than their number', () => {
    const marked = (marks: number) => `a${`${ACUTE}${DOT_BELOW}`.repeat(marks / 2)}`
    const timeOf = (marks: number) => quickest(() => normaliseText(marked(marks)), 5)
    expect(timeOf(320_000) / timeOf(20_000)).toBeLessThan(100)
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
