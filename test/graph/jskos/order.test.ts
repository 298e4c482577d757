import { expect, test } from '@jest/globals'
import { schemeNotations } from '../../../src/graph/jskos/field-values.ts'
import { compareRecords, orderWith, smallest, type SortKey } from '../../../src/graph/jskos/order.ts'

test.each<[string, SortKey, SortKey]>([
  ['by place before all else', { place: 0, key: 'b', uri: 'b' }, { place: 1, key: 'a', uri: 'a' }],
  ['by key before the URI', { key: 'a', uri: 'b' }, { key: 'b', uri: 'a' }],
  ['by URI if the keys are equal', { key: 'a', uri: 'a' }, { key: 'a', uri: 'b' }],
  ['with a key before one without', { key: 'z', uri: 'z' }, { key: undefined, uri: 'a' }],
  ['by URI without keys', { key: undefined, uri: 'a' }, { key: undefined, uri: 'b' }],
])('records come %s', (_, first, second) => {
  expect(compareRecords(first, second)).toBeLessThan(0)
  expect(compareRecords(second, first)).toBeGreaterThan(0)
})

test('the ids of a vocabulary come before its other notations', () => {
  expect(schemeNotations(['x', 'b', 'a', 'b'], ['b'])).toEqual(['b', 'a', 'x'])
  // Without ids, their form decides.
  expect(schemeNotations(['Long List', 'crafts'])).toEqual(['crafts', 'Long List'])
})

test('an empty notation does not change the order, and one order that differs makes it that of code points', () => {
  expect(orderWith('natural', '')).toBe('natural')
  expect(orderWith('code-point', 'A1')).toBe('code-point')
})

test('the smallest text is the first in code point order', () => {
  expect([smallest(['b', 'a', 'c']), smallest(['\u{10000}', '\uFFFF']), smallest([])]).toEqual([
    'a',
    '\uFFFF',
    undefined,
  ])
})
