import { describe, expect, test } from '@jest/globals'
import { conceptQuery, REMEMBERED } from '../../../src/interface/read/concept-query.ts'
import { pageBindings } from '../../../src/interface/read/select.ts'
import { BY_CODE_POINTS } from '../../../src/graph/jskos/order.ts'
import { queryTemplate } from '../../../src/graph/sparql/templates.ts'
import { iri } from '../../../src/graph/sparql/terms.ts'

const OPTIONS = { hasSubsets: false, hasResourceNotes: false }
const [FIRST, SECOND] = ['http://example.org/a', 'http://example.org/b'] as const

const timesIn = (text: string, part: string) => text.split(part).length - 1

describe('the query for the data of concepts', () => {
  test('names a single concept once, because it links to each thing once', () => {
    const { text } = conceptQuery([FIRST], REMEMBERED, OPTIONS)
    expect(timesIn(text, `<${FIRST}>`)).toBe(1)
    expect(text).toContain('?link ?naming ?name')
    expect(text).not.toContain('DISTINCT')
  })

  test('finds each thing that several concepts link to once', () => {
    const { text } = conceptQuery([FIRST, SECOND], REMEMBERED, OPTIONS)
    expect(timesIn(text, 'SELECT DISTINCT ?link')).toBe(1)
    expect(timesIn(text, `<${FIRST}>`)).toBe(2)
  })

  test.each([
    [true, 1],
    [false, 0],
  ])('selects a page in order only if it ends before the list does: %s', (isCut, times) => {
    const selection = { template: 'narrower', terms: { uri: [iri(FIRST)] }, order: BY_CODE_POINTS } as const
    const page = { limit: 10, offset: 0, limited: true }
    const { text } = queryTemplate('narrower').bindSubselect(pageBindings(selection, page, isCut))
    expect(timesIn(text, 'ORDER BY')).toBe(times)
    expect(text).toContain('LIMIT 10')
  })
})
