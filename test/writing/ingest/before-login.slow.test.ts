/** The cost of a body before anybody has logged in: processor time, because others may use the processor meanwhile. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { ApiError } from '../../../src/base/errors.ts'
import { compileShapes } from '../../../src/writing/ingest/concepts.ts'
import { readRequest } from '../../../src/writing/ingest/request.ts'
import { readShape } from '../../../src/graph/shapes/read.ts'

const MAX_BYTES = 1 << 20
const ROUNDS = 7

const shapes = await compileShapes(
  readShape('ingest-request.schema.json'),
  readShape('ingest-concept.schema.json'),
  'https://example.org/context.json',
)

/** A body filled with as many pieces as fit. */
function fill(before: string, piece: (at: number) => string, after: string, bytes = MAX_BYTES): string {
  const pieces: string[] = []
  let room = bytes - Buffer.byteLength(before + after)
  for (let at = 0; ; at++) {
    const next = (at === 0 ? '' : ',') + piece(at)
    room -= Buffer.byteLength(next)
    if (room < 0) return before + pieces.join('') + after
    pieces.push(next)
  }
}
const key = (at: number) => `"${at.toString(36)}":0`
const request = (data: string) => JSON.stringify([{ username: 'a', token: 'b', data }])
/** A request with as much `data` as a body has room for, quotation marks escaped. */
const filled = (before: string, piece: (at: number) => string, after: string) =>
  request(fill(before, piece, after, MAX_BYTES / 2))
const many = (object: (at: number) => object) => JSON.stringify(Array.from({ length: 1000 }, (_, at) => object(at)))

const bodies: [name: string, body: string, status: number | undefined][] = [
  ['an object of 120,000 names', fill('[{', key, '}]'), 422],
  ['100,000 objects of one name each', fill('[', (at) => `{${key(at)}}`, ']'), 413],
  ['350,000 empty objects', fill('[', () => '{}', ']'), 413],
  ['500,000 numbers', fill('[', () => '1', ']'), 413],
  ['arrays 500,000 deep', '['.repeat(MAX_BYTES / 2) + ']'.repeat(MAX_BYTES / 2), 422],
  ['a million brackets that nobody closes', '['.repeat(MAX_BYTES), 400],
  ['objects 170,000 deep', `${'{"a":'.repeat(MAX_BYTES / 6)}1${'}'.repeat(MAX_BYTES / 6)}`, 422],
  ['a text of escapes', `["${'\\n'.repeat(MAX_BYTES / 2 - 2)}"]`, 422],
  ['1,000 empty request objects', many(() => ({})), 422],
  ['4,000 fields that are not known', `[{${Array.from({ length: 3999 }, (_, at) => key(at)).join()}}]`, 422],
  [
    '1,000 objects of three fields that are not known',
    many((at) => ({ [`a${at}`]: 0, [`b${at}`]: 0, [`c${at}`]: 0 })),
    422,
  ],
  ['1,000 objects with another username each', many((at) => ({ username: `${at}`, token: 'b', data: '[{}]' })), 422],
  ['one object with data 60,000 times', fill('[{', () => '"data":"%"', '}]'), 422],
  [
    'data of 100,000 concepts beside unknown values',
    fill(`[{"data":"${'[{}'.padEnd(300_000, ',{}')}]",`, key, '}]'),
    413,
  ],
  ['data of 60,000 names', filled('[{', key, '}]'), undefined],
  ['data of 300,000 numbers', filled('[', () => '1', ']'), 413],
  ['data that is cut off', filled('[', () => '{}', ''), 422],
  ['data in percent signs', request('%7B'.repeat(300_000)), 422],
  ['data of one deep concept', request('['.repeat(400_000) + ']'.repeat(400_000)), undefined],
]

/** The least processor time of some rounds, in milliseconds. */
function leastTime(work: () => void): number {
  let least = Infinity
  for (let round = 0; round < ROUNDS; round++) {
    const before = process.cpuUsage()
    work()
    const { user, system } = process.cpuUsage(before)
    least = Math.min(least, (user + system) / 1000)
  }
  return least
}

describe('the work before the login', () => {
  /** What JSON.parse takes for names that fill a body, on this machine; most of the work below takes a third of it. */
  let plain: number
  beforeAll(() => {
    const names = fill('[{', key, '}]')
    plain = leastTime(() => JSON.parse(names))
  })

  test.each(bodies)('%s', (_name, body, status) => {
    const bytes = Buffer.from(body)
    expect(bytes.length).toBeLessThanOrEqual(MAX_BYTES)
    const least = leastTime(() => {
      let got: number | undefined
      try {
        readRequest(bytes, shapes.request)
      } catch (error) {
        got = (error as ApiError).status
        expect((error as ApiError).violations?.length ?? 0).toBeLessThanOrEqual(100)
      }
      if (status !== undefined) expect(got).toBe(status)
    })
    // Work beside this one may double its time.
    expect(least).toBeLessThan(2 * plain)
  })
})
