import { expect, test } from '@jest/globals'
import { StoreWrites } from '../../src/memory/store-writes.ts'
import { OwnWrites, writeCounters } from '../../src/sparql/write-counters.ts'

/** A store whose counters the test moves, and what this process has sent to it. */
function counting(restMs = 0) {
  const store = { startedAt: '1', begun: 0, ended: 0, isDown: false }
  const own = new OwnWrites()
  let looks = 0
  const readCounters = () => {
    looks++
    return store.isDown ? Promise.reject(new Error('down')) : Promise.resolve({ ...store })
  }
  const writes = new StoreWrites({ readCounters, own, restMs })
  const write = (isOwn = false) => {
    store.begun++
    store.ended++
    if (isOwn) own.count()
  }
  return { store, own, writes, write, look: () => writes.look(), looks: () => looks }
}

test('a look proves that nobody has written, and shows every write of others', async () => {
  const { writes, write, look } = counting()
  const first = await look()
  const provenAt = writes.provenAt
  expect(await look()).toBe(first)
  expect(writes.provenAt).toBeGreaterThan(provenAt)
  expect(writes.changes).toBe(0)
  write()
  expect(await look()).not.toBe(first)
  expect(writes.changes).toBe(1)
})

test('own writes change the count, but not what is known of others', async () => {
  const { writes, write, look } = counting()
  const first = await look()
  write(true)
  expect(await look()).not.toBe(first)
  expect(writes.changes).toBe(0)
  write(true)
  write()
  await look()
  expect(writes.changes).toBe(1)
})

test('proves nothing while somebody writes, or without counters', async () => {
  const { store, own, writes, look } = counting()
  await look()
  const { provenAt } = writes
  store.begun++
  expect(await look()).toBeUndefined()
  store.begun--
  own.begin()
  expect(await look()).toBeUndefined()
  own.end()
  store.isDown = true
  expect(await look()).toBeUndefined()
  expect(writes.provenAt).toBe(provenAt)
  store.isDown = false
  expect(await look()).toBeDefined()
  expect(writes.changes).toBe(0)
})

test('rests if there are no counters, because answers wait for them', async () => {
  const { store, look, looks } = counting(60_000)
  await look()
  store.isDown = true
  await look()
  await look()
  expect(looks()).toBe(2)
})

test('a server that has started anew may have other data, even if its counters are the same', async () => {
  const { store, writes, look } = counting()
  const first = await look()
  store.startedAt = '2'
  expect(await look()).not.toBe(first)
  expect(writes.changes).toBe(1)
})

test('reads the counters of all datasets of Fuseki, but for queries', () => {
  const line = (name: string, operation: string, count: number) =>
    `fuseki_requests${name}{application="fuseki",dataset="/d",endpoint="e",operation="${operation}"} ${count}.0`
  const text = [
    ...[line('', 'query', 90), line('_good', 'query', 80), line('_bad', 'query', 5)],
    ...[line('', 'update', 3), line('_good', 'update', 1), line('_bad', 'update', 1)],
    ...[line('', 'gsp-rw', 4), line('_good', 'gsp-rw', 4), line('_bad', 'gsp-rw', 0)],
    ...[line('', 'unheard-of', 2), line('_good', 'unheard-of', 2), line('_bad', 'unheard-of', 0)],
    'process_start_time_seconds{application="fuseki"} 1.795555937981E9',
  ].join('\n')
  expect(writeCounters(text)).toEqual({ startedAt: '1.795555937981E9', begun: 9, ended: 8 })
  expect(() => writeCounters('fuseki_requests 3')).toThrow('no counters')
  expect(() => writeCounters('<html>')).toThrow('no counters')
})
