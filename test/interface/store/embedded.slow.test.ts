import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'
import { runningEmbeddedStore } from '../../../src/interface/store/running.ts'
import { cleanUp, spawnStore, startStore, temporaryDirectory } from './start.ts'

afterEach(cleanUp)

const start = (directory: string) => startEmbeddedStore({ directory, queryTimeoutMs: 5000 })

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

describe('a directory', () => {
  test('is of one store at a time, and others reach that one', async () => {
    const store = await startStore()
    await expect(start(store.directory)).rejects.toThrow(`in use by process ${process.pid}`)
    const endpoint = await runningEmbeddedStore(store.directory)
    expect(endpoint).toEqual(store.endpoint)
    const other = new SparqlClient({ endpoint: endpoint!, timeoutMs: 5000 })
    await other.update('INSERT DATA { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }', 'urn:g')
    expect(await store.client.ask('ASK { GRAPH <urn:g> { <urn:s> <urn:p> 1 } }')).toBe(true)
    await store.close()
    expect(await runningEmbeddedStore(store.directory)).toBeUndefined()
    const again = await start(store.directory)
    await again.close()
  })

  test('is of one process at a time, and free as soon as that one was killed', async () => {
    const directory = await temporaryDirectory()
    const first = await spawnStore(directory)
    await expect(start(directory)).rejects.toMatchObject({
      name: 'LockedError',
      message: expect.stringContaining(`process ${first.process.pid}`),
    })
    expect(await runningEmbeddedStore(directory)).toEqual(first.endpoint)
    await end(first.process, 'SIGKILL')
    expect(await runningEmbeddedStore(directory)).toBeUndefined()
    const second = await spawnStore(directory)
    expect(await runningEmbeddedStore(directory)).toEqual(second.endpoint)
    await end(second.process, 'SIGKILL')
  })

  test('is won by one of many that start at the same time', async () => {
    const directory = await temporaryDirectory()
    const outcomes = await Promise.allSettled(Array.from({ length: 6 }, () => start(directory)))
    const started = outcomes.filter((outcome) => outcome.status === 'fulfilled')
    expect(started).toHaveLength(1)
    const names = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [(outcome.reason as Error).name] : []))
    expect(names).toEqual(Array.from({ length: 5 }, () => 'LockedError'))
    await started[0]!.value.close()
  })

  test('and its credentials can be read by its user alone', async () => {
    const { directory, client } = await startStore()
    await client.putGraph('urn:g', '<urn:s> <urn:p> "1" .')
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
    for (const name of ['database.sqlite', 'held.json']) {
      expect([name, (await stat(join(directory, name))).mode & 0o077]).toEqual([name, 0])
    }
  })
})

test('a directory without a store has no endpoint', async () => {
  expect(await runningEmbeddedStore(join(await temporaryDirectory(), 'none'))).toBeUndefined()
})
