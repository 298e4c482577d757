import { expect, test } from '@jest/globals'
import { StoreState } from '../../../src/graph/memory/store-state.ts'

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
  state.hasRead()
  expect(await state.now()).toBe('second')
  stored = 'third'
  state.hasRead()
  expect(await state.recent(undefined)).toBe('third')
})

test('a look at the state that began before something was read, or ends after a later one, does not count', async () => {
  const looks: ((state: string) => void)[] = []
  const state = new StoreState({
    readState: () => new Promise((resolve) => looks.push(resolve)),
    maxStalenessMs: LONG_MS,
    isReplica: true,
  })
  let changes = 0
  state.onChange(() => changes++)
  const slow = state.now()
  state.hasRead()
  const later = state.now()
  expect(looks).toHaveLength(2)
  looks[1]!('second')
  expect(await later).toBe('second')
  looks[0]!('first')
  expect(await slow).toBe('first')
  expect(await state.recent(undefined)).toBe('second')
  expect(changes).toBe(1)
})

test('tells of changes that a writer announces, and of changes that a look shows', async () => {
  let stored = 'first'
  const state = new StoreState({ readState: () => Promise.resolve(stored), maxStalenessMs: LONG_MS })
  await state.present()
  const told: string[] = []
  state.onChange(() => told.push('one'))
  state.onChange(() => told.push('two'))
  await state.present()
  expect(told).toEqual([])
  stored = 'second'
  expect(await state.recent(undefined)).toBe('first')
  expect(told).toEqual([])
  await state.present()
  expect(told.splice(0)).toEqual(['one', 'two'])
  state.changed()
  expect(told.splice(0)).toEqual(['one', 'two'])
  stored = 'third'
  expect(await state.recent(undefined)).toBe('third')
})

test('a look that began before a change of this process does not count', async () => {
  const looks: ((state: string) => void)[] = []
  const state = new StoreState({
    readState: () => new Promise((resolve) => looks.push(resolve)),
    maxStalenessMs: LONG_MS,
  })
  const early = state.now()
  state.changed()
  const later = state.now()
  looks[0]!('before')
  expect(await early).toBe('before')
  looks[1]!('after')
  expect(await later).toBe('after')
  expect(await state.recent(undefined)).toBe('after')
})
