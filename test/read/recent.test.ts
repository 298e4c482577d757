import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { Recent } from '../../src/read/recent.ts'
import { StoreState } from '../../src/http/store-state.ts'

/** A store with a state, which counts how often it is searched. */
function counting({ maxStalenessMs, worthMs }: { maxStalenessMs: number; worthMs: number }) {
  const store = { state: 'first', searches: 0 }
  const recent = new Recent<number>({
    state: new StoreState({ readState: () => Promise.resolve(store.state), maxStalenessMs }),
    sizeOf: () => 1,
    worthMs,
  })
  const search = (query: string): Promise<number> => {
    const find = async () => {
      store.searches += 1
      await sleep(20)
      return store.searches
    }
    return recent.get(query, find, undefined)
  }
  return { store, search }
}

test('a second request needs no search', async () => {
  const { store, search } = counting({ maxStalenessMs: 60_000, worthMs: 10 })
  expect(await search('a')).toBe(1)
  expect(await search('a')).toBe(1)
  expect(await search('b')).toBe(2)
  expect(await search('a')).toBe(1)
  expect(store.searches).toBe(2)
})

test('a load makes it be found anew', async () => {
  const { store, search } = counting({ maxStalenessMs: 60_000, worthMs: 10 })
  await search('a')
  store.state = 'second'
  expect(await search('a')).toBe(2)
  expect(await search('a')).toBe(2)
})

test('a load while it is being found does, too', async () => {
  const { store, search } = counting({ maxStalenessMs: 60_000, worthMs: 10 })
  const before = search('a')
  await sleep(5)
  store.state = 'second'
  expect(await before).toBe(1)
  expect(await search('a')).toBe(2)
})

test('a change by another program shows after a short time', async () => {
  const { search } = counting({ maxStalenessMs: 50, worthMs: 10 })
  await search('a')
  await sleep(60)
  expect(await search('a')).toBe(2)
})

test('results that are quick to find are not remembered', async () => {
  const { search } = counting({ maxStalenessMs: 60_000, worthMs: 1000 })
  await search('a')
  expect(await search('a')).toBe(2)
})
