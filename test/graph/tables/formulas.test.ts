/** No cell of a text file is a formula, whatever separator a program takes, and every text comes back. */
import { expect, test } from '@jest/globals'
import { parse } from 'csv-parse/sync'
import fc from 'fast-check'
import { withApostrophes, withoutApostrophes } from '../../../src/graph/tables/cell-text.ts'
import { csvLine, tsvLine } from '../../../src/graph/tables/table-writer.ts'
import { xlsxFile } from '../../../src/graph/tables/write-xlsx.ts'

const FORMULA = /^\s*[=+\-@＝＋－＠]/
const texts = fc.array(fc.string({ unit: fc.constantFrom(...`'"=+-@＝,;|\t\r\na\\`) }), { minLength: 1, maxLength: 4 })

/** The cells that a program may see: whatever quotation marks mean to it, those at the beginning may be its own. */
function cellsOf(text: string, separator: string): string[] {
  return text.split('\n').flatMap((line) => line.split(separator).map((cell) => cell.replace(/^"+/, '')))
}

test.each([',', ';', '|', '\t'])('no cell begins as a formula where %j is the separator', (separator) => {
  fc.assert(
    fc.property(texts, (row) => {
      for (const line of [csvLine(row), tsvLine(row)]) {
        expect(cellsOf(line, separator).filter((cell) => FORMULA.test(cell))).toEqual([])
        const options = { delimiter: separator, relax_quotes: true, relax_column_count: true, record_delimiter: '\n' }
        try {
          const rows: string[][] = parse(line, options)
          expect(rows.flat().filter((cell) => FORMULA.test(cell))).toEqual([])
        } catch (error) {
          // Another separator than that of the file may leave a quotation mark open.
          expect(error).toMatchObject({ code: expect.stringMatching(/QUOTE/) })
        }
      }
    }),
    { numRuns: 500 },
  )
})

test('every text comes back', () => {
  fc.assert(
    fc.property(texts, (row) => {
      for (const text of row) expect(withoutApostrophes(withApostrophes(text))).toBe(text)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['=1+1', "'=1+1"],
  ['a;=1+1', "a;'=1+1"],
  ["a;'=1", "a;''=1"],
  ['a\n- b', "a\n'- b"],
  ['a;"=1"', 'a;\'"=1"'],
  ["'tis; don't", "'tis; don't"],
  ['1-2, a=b', '1-2, a=b'],
])('%j is written as %j', (text, written) => {
  expect(withApostrophes(text)).toBe(written)
})

test('a workbook has the same bytes whenever it is made', async () => {
  const chunks: Uint8Array[] = []
  for await (const chunk of xlsxFile([{ name: 'Concepts', rows: [['uri'], ['http://example.org/a']] }]))
    chunks.push(chunk)
  // Time and date of the first member (ZIP, local file header): 1 January 1980, midnight.
  expect(Buffer.concat(chunks).subarray(10, 14)).toEqual(Buffer.from([0, 0, 0x21, 0]))
})
