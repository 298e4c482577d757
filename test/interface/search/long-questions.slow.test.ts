/** Questions to the index that take long, beside short ones. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { EVERY_MAPPING } from '../../../src/graph/index/mappings/mapping-reader.ts'
import { IndexConnection } from '../../../src/interface/search/index-connection.ts'
import { temporaryFolder } from '../../folder.ts'

const folder = temporaryFolder()
const nowhere = 'http://127.0.0.1:9/'
/** Each is looked up by itself, which takes many seconds. */
const NOTATIONS = Array.from({ length: 500_000 }, (_, at) => `n${at}`)
const QUESTION = { ...EVERY_MAPPING, from: NOTATIONS, page: { limit: 1, offset: 0 } }

let connection: IndexConnection
beforeAll(() => {
  connection = new IndexConnection(
    {
      dataDir: folder.path('data'),
      endpoint: { queryUrl: nowhere, updateUrl: nowhere, graphStoreUrl: nowhere },
      timeoutMs: 10_000,
      language: 'en',
    },
    { onClosed: () => undefined, onReplaced: () => Promise.resolve() },
  )
})
afterAll(() => connection?.close())

test('a long one keeps no short one waiting, and ends when nobody waits for it any more', async () => {
  await connection.open()
  const gone = new AbortController()
  let isOver = false
  const long = connection
    .read(gone.signal, 'mappings', QUESTION)
    .then(
      () => 'answered',
      () => 'ended',
    )
    .finally(() => (isOver = true))
  for (let at = 0; at < 20; at++) await connection.read(undefined, 'state')
  expect(isOver).toBe(false)
  gone.abort()
  expect(await long).toBe('ended')
  // Both threads answer again.
  const after = await Promise.all(Array.from({ length: 10 }, () => connection.read(undefined, 'state')))
  expect(after.every(({ graphs }) => graphs.length === 0)).toBe(true)
})

test('one that nobody waits for any more when its turn comes is left out', async () => {
  const gone = new AbortController()
  const both = [0, 1].map(() => connection.read(gone.signal, 'mappings', QUESTION).catch(() => 'ended'))
  const left = new AbortController()
  const waiting = connection.read(left.signal, 'mappings', QUESTION).catch(() => 'left out')
  left.abort()
  gone.abort()
  expect(await Promise.all([...both, waiting])).toEqual(['ended', 'ended', 'left out'])
})
