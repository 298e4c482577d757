import { setTimeout as sleep } from 'node:timers/promises'
import { expect, jest, test } from '@jest/globals'
import { StoreCache, StoreState } from '../../../src/graph/memory/store-state.ts'

const LONG_MS = 60_000

/** A store with a state, which counts how often it is searched and how often it is asked for its state. */
function counting({ maxStalenessMs = LONG_MS, worthMs = 10, maxSize = 100 } = {}) {
  const store = { state: 'first', searches: 0, looks: 0 }
  const readState = () => {
    store.looks++
    return Promise.resolve(store.state)
  }
  const state = new StoreState({ readState, maxStalenessMs })
  const remembered = new StoreCache<number>({ state, maxSize, sizeOf: () => 1, worthMs })
  const search = (query: string): Promise<number> => {
    const find = async () => {
      store.searches += 1
      await sleep(20)
      return store.searches
    }
    return remembered.get(query, find, undefined)
  }
  return { store, state, remembered, search }
}

test('a second request needs no search', async () => {
  const { store, search } = counting()
  expect(await search('a')).toBe(1)
  expect(await search('a')).toBe(1)
  expect(await search('b')).toBe(2)
  expect(await search('a')).toBe(1)
  expect(store.searches).toBe(2)
})

test('a load makes it be found anew', async () => {
  const { store, search } = counting()
  await search('a')
  store.state = 'second'
  expect(await search('a')).toBe(2)
  expect(await search('a')).toBe(2)
})

test('a load while it is being found does, too', async () => {
  const { store, search } = counting()
  const before = search('a')
  await sleep(5)
  store.state = 'second'
  expect(await before).toBe(1)
  expect(await search('a')).toBe(2)
})

test('a change by another program shows after a short time', async () => {
  const { search } = counting({ maxStalenessMs: 50 })
  await search('a')
  await sleep(60)
  expect(await search('a')).toBe(2)
})

test('a clock that is set back does not make a value live longer', async () => {
  const { search } = counting({ maxStalenessMs: 50 })
  const tomorrow = Date.now() + 86_400_000
  const clock = jest.spyOn(Date, 'now').mockReturnValue(tomorrow)
  await search('a')
  clock.mockRestore()
  await sleep(60)
  expect(await search('a')).toBe(2)
})

test('a change that this process announces makes it be found anew, also if the state reads the same', async () => {
  const { state, remembered, search } = counting()
  await search('a')
  state.changed()
  expect(remembered.size).toBe(0)
  expect(await search('a')).toBe(2)
})

test('results that are quick to find are not remembered', async () => {
  const { search } = counting({ worthMs: 1000 })
  await search('a')
  expect(await search('a')).toBe(2)
})

test('the oldest values go if there are too many', async () => {
  const { remembered, search } = counting({ maxSize: 2 })
  for (const query of ['a', 'b', 'c']) await search(query)
  expect(remembered.size).toBe(2)
  expect(await search('c')).toBe(3)
  expect(await search('a')).toBe(4)
})

test('many values hold in one known state, without a question for each', async () => {
  const { store, state, remembered } = counting()
  const first = await state.now()
  for (const uri of ['a', 'b']) remembered.keep(uri, uri.charCodeAt(0), first)
  expect([remembered.peek('a', first), remembered.peek('b', first), remembered.peek('c', first)]).toEqual([
    97,
    98,
    undefined,
  ])
  expect(remembered.peek('a', 'second')).toBeUndefined()
  expect(store.looks).toBe(1)
})

test('only a value that may hold is worth a look at the state', async () => {
  const { store, state, remembered } = counting()
  const first = await state.now()
  remembered.keep('a', 1, first)
  expect(await remembered.find('b', () => state.present())).toBeUndefined()
  expect(await remembered.find('a', () => undefined)).toBeUndefined()
  expect(store.looks).toBe(1)
  expect(await remembered.find('a', () => state.present())).toBe(1)
  expect(store.looks).toBe(2)
})
