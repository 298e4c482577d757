import { describe, expect, test } from '@jest/globals'
import {
  compareLabel,
  compareLikeness,
  isCertain,
  MATCH_KINDS,
  scoresOf,
  toSought,
  type MatchKind,
  type Likeness,
} from '../../../src/doors/reconcile/ranking.ts'
import { editDistance } from '../../../src/base/edit-distance.ts'
import type { LabelType } from '../../../src/graph/index/statements.ts'
import { readSearchText } from '../../../src/interface/search/words.ts'
import { quickest } from '../../quickest.ts'

const compare = (typed: string, text: string, type: LabelType = 'prefLabel') =>
  compareLabel(toSought(readSearchText(typed)!), { text, type })

describe('how a label matches a search text', () => {
  test.each<[typed: string, label: string, kind: MatchKind | undefined, type?: LabelType]>([
    ['Gold', 'Gold', 'exactLabel'],
    ['GOLD', 'Gold', 'exactLabel'],
    ['gold', 'Gold', 'exactAlternative', 'altLabel'],
    ['gold', 'Gold', 'exactAlternative', 'hiddenLabel'],
    ['b1', 'B1', 'identifier', 'notation'],
    ['b', 'B1', undefined, 'notation'],
    ['kunstliche intelligenz', 'Künstliche Intelligenz', 'exactLabel'],
    ['Kuenstliche Intelligenz', 'Künstliche Intelligenz', 'exactLabel'],
    ['Strasse', 'Straße', 'exactLabel'],
    ['Druckgraphik alte', 'Alte Druck\u00adgraphik', 'sameWords'],
    ['intelligenz, künstliche', 'Künstliche Intelligenz', 'sameWords'],
    ['Kunst, bildende', 'Kunst (bildende)', 'sameWords'],
    ['Poet', 'Pot', 'allWords'],
    ['Poet alter', 'Alter Pot', 'allWords'],
    ['Banken', 'Bank', 'inflection'],
    ['Inflationen', 'Inflation', 'inflection'],
    ['Häuser', 'Haus', 'inflection'],
    ['policy', 'Policies', 'inflection'],
    ['Buchbind', 'Buchbinderei', 'beginning'],
    ['Ring Gold', 'Ring aus Gold', 'allWords'],
    ['gold', 'Ring aus Gold', 'allWords'],
    ['Kunstliche Inteligenz', 'Künstliche Intelligenz', 'similar'],
    ['Geld Politik', 'Geldpolitik', 'similar'],
    ['Geldpoiltik', 'Geldpolitik', 'similar'],
    ['Gold', 'Silber', undefined],
    ['Wasser', 'Feuer und Erde', undefined],
    ['++', 'Gold', undefined],
    ['東京', '東京', 'exactLabel'],
    ['京東', '東京', 'sameWords'],
    // "day" and "donation".
    ['दिन', 'दान', 'similar'],
  ])('%s: %s is %s', (typed, label, kind, type = 'prefLabel') => {
    expect(compare(typed, label, type)?.kind).toBe(kind)
  })

  test('the time of a comparison grows no faster than the label', () => {
    const timesOf = (words: number) =>
      quickest(() => {
        for (const typed of ['very', 'longest label', 'x'.repeat(100)])
          compare(typed, `Longest ${'very '.repeat(words)}`)
      })
    // Sixteen times the words; the square would be 256.
    expect(timesOf(16_000) / timesOf(1000)).toBeLessThan(100)
  })
})

describe('the order of candidates', () => {
  const labels: [string, LabelType][] = [
    ['Gold', 'prefLabel'],
    ['Gold', 'altLabel'],
    ['Golde', 'prefLabel'],
    ['Goldring', 'prefLabel'],
    ['Goldschmied', 'prefLabel'],
    ['Goldschmied', 'altLabel'],
    ['Altes Gold', 'prefLabel'],
    ['Ein Ring aus Gold', 'prefLabel'],
    ['Golf', 'prefLabel'],
  ]
  const likenesses = labels.map(([text, type]) => compare('gold', text, type)!)

  test('is exact label, exact alternative, other forms, beginning, all words, similar', () => {
    expect([...likenesses].reverse().sort(compareLikeness)).toEqual(likenesses)
  })

  test('and scores never rise', () => {
    const scores = scoresOf(likenesses)
    expect(scores[0]).toBe(100)
    expect([...scores].sort((a, b) => b - a)).toEqual(scores)
    for (const score of scores) expect(score).toBeGreaterThanOrEqual(0)
  })

  test('a similar label that nothing comes before has the score of its likeness', () => {
    expect(scoresOf([compare('Kunstliche Inteligenz', 'Künstliche Intelligenz')!])[0]).toBeGreaterThanOrEqual(90)
  })
})

describe('candidates that need no check by a person', () => {
  const likeness = (kind: MatchKind, closeness = 1): Likeness => ({
    kind,
    type: 'prefLabel',
    closeness,
  })
  test.each<[string, Likeness[], boolean]>([
    ['nothing', [], false],
    ['the only one', [likeness('exactLabel')], true],
    ['an alternative label of one', [likeness('exactAlternative'), likeness('beginning')], true],
    ['two with the same label', [likeness('exactLabel'), likeness('exactLabel')], false],
    ['a label here, an alternative there', [likeness('exactLabel'), likeness('exactAlternative')], false],
    ['one letter by letter, one by its umlaut', [likeness('exactLabel'), likeness('exactLabel', 0.9)], true],
    ...MATCH_KINDS.slice(4).map((kind): [string, Likeness[], boolean] => [kind, [likeness(kind)], false]),
  ])('%s', (_, candidates, expected) => {
    expect(isCertain(candidates)).toBe(expected)
  })
})

test.each<[a: string, b: string, most: number, expected: number | undefined, isBeginning?: boolean]>([
  ['abc', 'abc', 0, 0],
  ['abc', 'abd', 0, undefined],
  ['abc', 'acb', 1, 1],
  ['abc', 'ab', 1, 1],
  ['abc', 'abbc', 1, 1],
  ['abcdef', 'badcfe', 2, undefined],
  ['abcdef', 'badcfe', 3, 3],
  ['', 'abc', 3, 3],
  ['', 'abc', 2, undefined],
  ['inteli', 'intelligenz', 1, 1, true],
  ['inteli', 'intelligenz', 1, undefined],
  ['xnteli', 'intelligenz', 1, undefined, true],
])('from %j to %j with at most %i changes: %j', (a, b, most, expected, isBeginning = false) => {
  expect(editDistance(a, b, most, isBeginning)).toBe(expected)
})
