import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { validate } from 'jskos-validate'
import { extendedDate, isDay, latestDate } from '../../../src/graph/jskos/date.ts'

test('the days are those of the calendar that Date knows', () => {
  const pad = (number: number, length: number) => String(number).padStart(length, '0')
  fc.assert(
    fc.property(fc.nat(9999), fc.nat(13), fc.nat(32), (year, month, day) => {
      const text = `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
      const date = new Date(text)
      // Date takes 30 February for 2 March.
      expect(isDay(text)).toBe(!isNaN(Number(date)) && date.toISOString().startsWith(text))
    }),
    {
      numRuns: 5000,
      examples: [
        [2024, 2, 29],
        [1900, 2, 29],
        [2000, 2, 29],
        [0, 2, 29],
      ],
    },
  )
  for (const text of ['', '2026', '2026-05', '2026-05-01T12:00:00Z', '-0044-03-15']) expect(isDay(text)).toBe(false)
})

test.each([
  [['2026-05-01', '2026-04-30T23:00:00Z'], '2026-05-01'],
  [['2026-05-01T12:00:00+02:00'], '2026-05-01'],
  [['2026', '2025-12-31'], '2026'],
  [['2026-13', '2026-02-30', 'yesterday'], undefined],
  [[' 2026-05Z '], '2026-05'],
  [['-0044-03-15'], '-0044-03'],
  [['-0500', '-0400'], '-0400'],
  [['-0044-02-15', '-0044', '-0044-03-14', '-0045-12'], '-0044-03'],
  [['0001', '-0001'], '0001'],
  [['2024-02-28T24:00:00'], '2024-02-29'],
  [['1999-12-31T24:00Z', '1999-12-31T23:59:60.5+0200', '1999-12-31T07-14:00'], '2000-01-01'],
  [['2026-05-01T24:00:01', '2026-05-01T25:00:00', '2026-05-01Tnoon', '2026-05T12:00', '2026-05-01+99:00'], undefined],
  [[], undefined],
])('the latest date of %j is %s', (texts, expected) => {
  expect(latestDate(texts)).toBe(expected)
})

test('days BC stay if they are wanted', () => {
  expect(latestDate(['-0044-03-15', '-0044-03-14', '-0044-03'], true)).toBe('-0044-03-15')
})

test.each([
  '1800/1805',
  '1871?',
  '2004-06~',
  '2004-06-11%',
  '19XX',
  '2004-XX',
  '1985-04-XX',
  '1985/..',
  '../1985',
  '1985-04/',
  '2004-02-01?/2005~',
  'Y-170000002',
  '2001-21',
])('%s is a date of EDTF that jskos-validate accepts', (date) => {
  expect(extendedDate([date])).toBe(date)
  expect(validate.concept!({ uri: 'http://example.org/1', startDate: date })).toBe(true)
})

test.each(['', '/', 'yesterday', '2020-02-30', '2020-13', '1800 / 1805', '1871??', '1800/x'])(
  '%j is no date',
  (text) => {
    expect(extendedDate([text])).toBeUndefined()
  },
)

test('a plain date goes before extended ones, and these have an order', () => {
  expect(extendedDate(['1800/1805', '1801', '1799'])).toBe('1801')
  expect(extendedDate(['1871?', '1800/1805'])).toBe('1800/1805')
})
