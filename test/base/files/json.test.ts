/** Records and items of JSON texts come out the same however the text is divided into pieces. */
import { describe, expect, test } from '@jest/globals'
import { InputError } from '../../../src/base/files/input-error.ts'
import { JsonItems } from '../../../src/base/files/json-items.ts'
import { readRecords } from '../../../src/base/files/json-records.ts'

// eslint-disable-next-line @typescript-eslint/require-await
async function* pieces(text: string, length: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += length) yield text.slice(at, at + length)
}

async function outcome<T>(read: () => Promise<T>): Promise<T | string> {
  try {
    return await read()
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    return error.message
  }
}

async function listed<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const LENGTHS = [1, 2, 3, 1000]

describe('records', () => {
  test.each<[text: string, outcome: unknown]>([
    ['', []],
    ['[]', []],
    [
      '[{"a":"]}\\""},\n {"b":[{}]}]\n',
      [
        { value: { a: ']}"' }, line: 1 },
        { value: { b: [{}] }, line: 2 },
      ],
    ],
    ['{"a":1}\n\n{"a":2}', [1, 2].map((a) => ({ value: { a }, line: 2 * a - 1 }))],
    ['[{"a":1}\n', 'f, line 2, column 1: the JSON ends too early.'],
    ['[{"a":1', 'f, line 1, column 8: the JSON ends too early.'],
    ['[{} {}]', 'f, line 1, column 5: expected a JSON object, found "{".'],
    ['[{},\n 12]', 'f, line 2, column 2: expected a JSON object, found "1".'],
    ['["a"]', 'f, line 1, column 2: expected a JSON object, found """.'],
    ['{}]', 'f, line 1, column 3: expected a JSON object, found "]".'],
    ['[{}]\n[', 'f, line 2, column 1: expected a JSON object, found "[".'],
    ['[{"a":1]]', `f, line 1, column 8: broken JSON: Expected ',' or '}' after property value.`],
  ])('%j', async (text, expected) => {
    for (const length of LENGTHS) {
      expect([length, await outcome(() => listed(readRecords(pieces(text, length), 'f')))]).toEqual([length, expected])
    }
  })
})

describe('items', () => {
  const read = (text: string, length: number) =>
    outcome(async () => {
      const items = new JsonItems((name) => name === '@graph', 4, 'too deep')
      return { items: await listed(items.of(pieces(text, length), 'f')), rest: items.rest }
    })

  test.each<[text: string, outcome: unknown]>([
    [
      '[{"a":"}"},\n 1, [2]]',
      {
        items: [
          { json: '{"a":"}"}', start: { line: 1, column: 2 } },
          { json: '[2]', start: { line: 2, column: 5 } },
        ],
        rest: '[0,\n 1, 0]',
      },
    ],
    [
      '{"b": [{}], "@gr\\u0061ph" : [{"c": 1}], "d": {"@graph": [{}]}}',
      {
        items: [{ json: '{"c": 1}', start: { line: 1, column: 30 } }],
        rest: '{"b": [{}], "@gr\\u0061ph" : [0], "d": {"@graph": [{}]}}',
      },
    ],
    ['{"@graph": [{"a": 1', { items: [], rest: '{"@graph": [0{"a": 1' }],
    ['[[[\n[[]]]]]', 'f, line 2, column 2: too deep'],
  ])('%j', async (text, expected) => {
    for (const length of LENGTHS) expect([length, await read(text, length)]).toEqual([length, expected])
  })
})
