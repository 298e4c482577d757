/** Texts of a table take time that grows with their length alone. In quadratic time each would take minutes. */
import { expect, test } from '@jest/globals'
import { readHeading, withOptions } from '../../../src/graph/tables/heading.ts'
import { asShown, hiddenContent } from '../../../src/graph/tables/open-document.ts'
import { replaceElements } from '../../../src/graph/tables/xml-elements.ts'

const MAX_MS = 30_000

function timeOf(run: () => unknown): number {
  const started = performance.now()
  run()
  return performance.now() - started
}

test.each([
  ['hyphens', `a${'-'.repeat(200_000)}!`],
  ['digits', `${'1'.repeat(300_000)}a`],
  ['options', `${'(a='.repeat(40_000)}x`],
])('a long heading: %s', (_, heading) => {
  expect(timeOf(() => readHeading(heading, new Map()))).toBeLessThan(MAX_MS)
})

test.each(['<text:ruby-text>', '<text:ruby-text ', '<table:table-rows "', '<style:style>', '<table:table>'])(
  'a spreadsheet of tags that are not closed: %s',
  (tag) => {
    const content = tag.repeat(200_000)
    expect(timeOf(() => hiddenContent(asShown(content)))).toBeLessThan(MAX_MS)
  },
)

test('options have quotation marks or none', () => {
  const optionOf = (heading: string) => withOptions(heading).options.get('separator')
  expect(optionOf('skos:altLabel(separator=",")')).toBe(',')
  expect(optionOf('skos:altLabel ( separator = “ ” )')).toBe(' ')
  expect(optionOf('skos:altLabel(separator=;)')).toBe(';')
  expect(optionOf(`skos:altLabel(separator='"')`)).toBe('"')
})

test('elements are replaced whole, whatever their attributes have', () => {
  const document = `<a><b c=">" d='"'>1</b><b/>2<b-c>3</b-c><b>4</b ></a>`
  const shown = replaceElements(document, 'b', ({ attributes, inside }) => `[${attributes}|${inside}]`)
  expect(shown).toBe(`<a>[ c=">" d='"'|1][|]2<b-c>3</b-c>[|4]</a>`)
  expect(replaceElements('<b/>1<b>2', 'b', () => '')).toBe('1<b>2')
})
