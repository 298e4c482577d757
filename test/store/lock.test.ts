import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../src/sparql/client.ts'
import { runningEmbeddedStore, startEmbeddedStore } from '../../src/store/embedded.ts'
import { cleanUp, startStore, temporaryDirectory } from './start.ts'

afterEach(cleanUp)

const start = (directory: string) => startEmbeddedStore({ directory, queryTimeoutMs: 5000 })

/** The id of a process that has ended. */
async function endedProcess(): Promise<number> {
  const child = spawn(process.execPath, ['-e', ''])
  await once(child, 'exit')
  return child.pid!
}

async function writeLock(directory: string, lock: object): Promise<string> {
  const url = 'http://127.0.0.1:9'
  const path = join(directory, 'lock')
  await writeFile(
    path,
    JSON.stringify({
      host: hostname(),
      presenceUrl: `${url}/presence`,
      endpoint: { queryUrl: url, updateUrl: url, graphStoreUrl: url, user: 'u', password: 'p' },
      ...lock,
    }),
  )
  return path
}

describe('a directory', () => {
  test('is held by one store at a time, and others reach that one', async () => {
    const store = await startStore()
    await expect(start(store.directory)).rejects.toThrow(
      `${store.directory}/lock: the store is in use by process ${process.pid}`,
    )
    const endpoint = await runningEmbeddedStore(store.directory)
    expect(endpoint).toEqual(store.endpoint)
    const other = new SparqlClient({ endpoint: endpoint!, timeoutMs: 5000 })
    await other.update('INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }')
    expect(await store.client.ask('ASK { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }')).toBe(true)
    await store.close()
    expect(await runningEmbeddedStore(store.directory)).toBeUndefined()
    const again = await start(store.directory)
    await again.close()
  })

  test('and its credentials can be read by its user alone', async () => {
    const { directory } = await startStore()
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    expect((await stat(join(directory, 'lock'))).mode & 0o777).toBe(0o600)
    for (const name of ['manifest.json', 'journal-000001.log']) {
      expect((await stat(join(directory, name))).mode & 0o077).toBe(0)
    }
  })

  test('is won by one of many that start at the same time', async () => {
    const directory = await temporaryDirectory()
    await writeLock(directory, { process: await endedProcess() })
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => start(directory)))
    const started = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(started).toHaveLength(1)
    for (const outcome of outcomes) {
      if (outcome.status === 'rejected')
        expect(String(outcome.reason)).toMatch(/StoreHeldError: .* is in use by process/)
    }
    await started[0]!.value.close()
  })

  test.each<[string, () => Promise<object>]>([
    ['a process that has ended', async () => ({ process: await endedProcess() })],
    ['a process whose id another program has now', () => Promise.resolve({ process: process.ppid })],
    ['an earlier process with the id of this one', () => Promise.resolve({ process: process.pid })],
  ])('is taken over from %s', async (_title, lock) => {
    const directory = await temporaryDirectory()
    await writeLock(directory, await lock())
    expect(await runningEmbeddedStore(directory)).toBeUndefined()
    const store = await start(directory)
    expect(JSON.parse(await readFile(join(directory, 'lock'), 'utf8'))).toMatchObject({ process: process.pid })
    await store.close()
  })

  test('is taken over from a broken lock', async () => {
    const directory = await temporaryDirectory()
    await writeFile(join(directory, 'lock'), '{"process":')
    await (await start(directory)).close()
  })

  test('is not taken over from another machine before it has been silent for a while', async () => {
    const directory = await temporaryDirectory()
    const path = await writeLock(directory, { process: 1, host: 'elsewhere.example' })
    await expect(start(directory)).rejects.toThrow('is in use by process 1 on elsewhere.example')
    const minuteAgo = new Date(Date.now() - 60_000)
    await utimes(path, minuteAgo, minuteAgo)
    await (await start(directory)).close()
  })
})

test('a directory without a store has no endpoint', async () => {
  expect(await runningEmbeddedStore(join(await temporaryDirectory(), 'none'))).toBeUndefined()
})
