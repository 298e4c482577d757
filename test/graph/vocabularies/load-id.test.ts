import { expect, test } from '@jest/globals'
import { newLoadId, timeOfLoad } from '../../../src/graph/vocabularies/vocabulary.ts'

test('the id of a load is a UUID of version 7, new each time, with its time', () => {
  const before = Date.now()
  const ids = Array.from({ length: 1000 }, newLoadId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) {
    expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
    expect(timeOfLoad(id)).toBeGreaterThanOrEqual(before)
    expect(timeOfLoad(id)).toBeLessThanOrEqual(Date.now())
  }
})

test('the example of RFC 9562 has its time; other texts have none', () => {
  expect(new Date(timeOfLoad('017f22e2-79b0-7cc3-98c4-dc0c0c07398f')!).toISOString()).toBe('2022-02-22T19:22:22.000Z')
  for (const id of ['b5f0e1a6-3cb3-416f-bf73-a2802913c065', 'first', '']) expect(timeOfLoad(id)).toBeUndefined()
})
