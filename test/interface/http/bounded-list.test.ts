import { expect, test } from '@jest/globals'
import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../../../src/base/errors.ts'
import { BoundedList } from '../../../src/interface/http/bounded-list.ts'

const MAXIMUM = { in: 'body', name: 'things', endpoints: '', most: 1000, unit: 'things', excess: 413 } as const
const THINGS = Array.from({ length: MAXIMUM.most }, (_, at) => at)

/** Work that takes a while. */
function work(): void {
  const end = performance.now() + 2
  while (performance.now() < end);
}

test('a list is not made beyond its maximum', () => {
  expect(BoundedList.of(MAXIMUM, THINGS).length).toBe(MAXIMUM.most)
  const refused = () => BoundedList.of(MAXIMUM, [...THINGS, 0])
  expect(refused).toThrow(new ApiError('PayloadTooLargeError', 'things: expected at most 1000 things, got 1001'))
  const malformed = () => BoundedList.of({ ...MAXIMUM, excess: 400 }, [...THINGS, 0])
  expect(malformed).toThrow(expect.objectContaining({ status: 400 }))
})

test('others get a turn while it is visited, and all results come in order', async () => {
  const { signal } = new AbortController()
  let turns = 0
  let isOver = false
  const countTurns = async () => {
    for (; !isOver; turns++) await setImmediate()
  }
  const counting = countTurns()
  const results = await BoundedList.of(MAXIMUM, THINGS.slice(0, 100)).map(signal, (thing, at) => {
    work()
    return [thing, at]
  })
  isOver = true
  await counting
  expect(results).toEqual(THINGS.slice(0, 100).map((thing) => [thing, thing]))
  expect(turns).toBeGreaterThan(5)
})

test('the deadline ends it', async () => {
  const ending = new AbortController()
  let visited = 0
  const mapping = BoundedList.of(MAXIMUM, THINGS).map(ending.signal, () => {
    work()
    if (++visited === 20) ending.abort()
  })
  await expect(mapping).rejects.toMatchObject({ name: 'TimeoutError' })
  expect(visited).toBeLessThan(MAXIMUM.most)
  const pieces = BoundedList.of(MAXIMUM, THINGS).pieces(100, ending.signal)
  expect((await pieces.next()).value).toHaveLength(100)
  await expect(pieces.next()).rejects.toMatchObject({ name: 'TimeoutError' })
})

test('equal values count once, the first of them', async () => {
  const once = BoundedList.of(MAXIMUM, [3, 1, 13, 2]).unique((thing) => String(thing % 10))
  expect(await once.map(new AbortController().signal, (thing) => thing)).toEqual([3, 1, 2])
})
