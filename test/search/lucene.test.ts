import { expect, test } from '@jest/globals'
import { escapeLucene, labelQuery, notationQuery } from '../../src/search/lucene.ts'

test.each([
  [['Art'], '+art*'],
  [['history', 'art'], '+history* +art*'],
  [['AND', 'OR', 'NOT', 'TO'], '+and* +or* +not* +to*'],
  [['Aether'], '+(aether* æther*)'],
  [['京都'], '+"京都"'],
  [['\u{1f3a8}'], '+\u{1f3a8}*'],
])('labels with %j', (words, query) => {
  expect(labelQuery(words)).toBe(query)
})

test.each([
  ['B1', 'b1*'],
  ['11H(JOHN)', '11h\\(john\\)*'],
  ['a b', 'a\\ b*'],
  ['*', '\\**'],
  ['"', '\\"*'],
  ['\\', '\\\\*'],
])('notations that begin with %j', (text, query) => {
  expect(notationQuery(text)).toBe(query)
})

test('every character with a meaning in the syntax is escaped', () => {
  const syntax = '+-&|!(){}[]^"~*?:\\/<>='
  expect(escapeLucene(syntax)).toBe([...syntax].map((character) => `\\${character}`).join(''))
})
