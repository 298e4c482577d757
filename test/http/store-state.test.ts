/** The remembered state of a replica, which gets changes at any time. */
import { expect, test } from '@jest/globals'
import { StoreState } from '../../src/http/store-state.ts'

const LONG_MS = 60_000

test('a read from a replica makes the earlier known state too old', async () => {
  let stored = 'first'
  const state = new StoreState({
    readState: () => Promise.resolve(stored),
    maxStalenessMs: LONG_MS,
    isReplica: true,
  })
  expect(await state.recent(undefined)).toBe('first')
  stored = 'second'
  expect(await state.recent(undefined)).toBe('first')
  state.noteRead()
  expect(await state.now()).toBe('second')
  stored = 'third'
  state.noteRead()
  expect(await state.recent(undefined)).toBe('third')
})

test('a look at the state that began before something was read, or ends after a later one, does not count', async () => {
  const looks: ((state: string) => void)[] = []
  const state = new StoreState({
    readState: () => new Promise((resolve) => looks.push(resolve)),
    maxStalenessMs: LONG_MS,
    isReplica: true,
  })
  const slow = state.now()
  state.noteRead()
  const later = state.now()
  expect(looks).toHaveLength(2)
  looks[1]!('second')
  expect(await later).toBe('second')
  looks[0]!('first')
  expect(await slow).toBe('first')
  expect(await state.recent(undefined)).toBe('second')
})
