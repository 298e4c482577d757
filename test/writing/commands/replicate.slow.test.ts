/** `vocab replicate`: a store that gets what another one has. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { loadVocabulary } from '../../../src/writing/loading/load-vocabulary.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { replicate } from '../../../src/writing/commands/replicate.ts'
import { CRAFTS, DEMO } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { newDirectory, ROOT, storeEnv } from '../../process.ts'
import { DEPLOYED, describeOver, storeOf } from '../../stores.ts'

const MATERIALS = 'http://example.org/vocabulary/materials/'

describeOver(DEPLOYED, 'replicate', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>[]
  let primary: SparqlClient
  let replica: SparqlClient

  beforeAll(async () => {
    running = [await store.start(), await storeOf('embedded').start()]
    ;[primary, replica] = running.map(({ endpoint }) => new SparqlClient({ endpoint, timeoutMs: 60_000 })) as [
      SparqlClient,
      SparqlClient,
    ]
  })
  afterAll(async () => {
    for (const store of running ?? []) await store.stop()
  })

  const load = (name: string) => loadVocabulary(primary, [`${DEMO}/${name}.ttl`], { ids: [name], check: false })
  const run = async () => {
    const done: string[] = []
    for await (const action of replicate(primary, replica)) done.push(`${action.done} ${action.graph}`)
    return done.sort()
  }
  const graph = async (client: SparqlClient, uri: string) => {
    const text: Uint8Array[] = []
    for await (const chunk of client.getGraph(uri)) text.push(chunk)
    return Buffer.concat(text).toString().split('\n').sort()
  }

  test('copies every triple of changed graphs, once', async () => {
    expect(await run()).toEqual([])
    await load('crafts')
    await load('materials')
    expect(await run()).toEqual([`copied ${CRAFTS}`, `copied ${MATERIALS}`])
    for (const uri of [CRAFTS, MATERIALS]) {
      const copied = await graph(replica, uri)
      expect(copied.length).toBeGreaterThan(100)
      expect(copied).toEqual(await graph(primary, uri))
    }
    expect(await run()).toEqual([])
    await load('crafts')
    expect(await run()).toEqual([`copied ${CRAFTS}`])
  })

  test('without the login of the replica says which options give it, and changes nothing', async () => {
    await load('crafts')
    const before = await graph(replica, CRAFTS)
    const { queryUrl, graphStoreUrl, user } = replica.endpoint
    const env = { ...storeEnv(primary.endpoint), DATA_DIR: await newDirectory() }
    const file = join(env.DATA_DIR, 'wrong')
    await writeFile(file, 'wrong')
    const words = ['replicate', '--query', queryUrl, '--graph-store', graphStoreUrl]
    const wrong = ['--user', user!, '--password-file', file]
    for (const login of [[], wrong]) {
      expect(await runCommand([...words, ...login], env)).toEqual({
        code: 1,
        stdout: '',
        stderr: expect.stringMatching(
          /^error: the (query of the )?replica answers 401 .* with --user and --password-file\.\n$/,
        ),
      })
    }
    // The embedded store takes queries at an address of its own.
    const elsewhere = [...words.slice(0, 2), graphStoreUrl, ...words.slice(3), ...wrong]
    const { stderr } = await runCommand(elsewhere, env)
    expect(stderr).toMatch(/^error: the query of the replica answers 401 .*: --query needs an address/)
    expect(await graph(replica, CRAFTS)).toEqual(before)
    expect(await run()).toEqual([`copied ${CRAFTS}`])
  })

  test('needs user and password together, because an embedded primary has none for others', async () => {
    const { queryUrl, graphStoreUrl, user } = replica.endpoint
    const words = ['replicate', '--query', queryUrl, '--graph-store', graphStoreUrl, '--user', user!]
    const { code, stderr } = await runCommand(words, { DATA_DIR: await newDirectory() })
    expect([code, stderr]).toEqual([1, 'error: expected --user and --password-file together.\n'])
  })

  test('leaves the old graph to readers if the primary breaks off', async () => {
    const before = await graph(replica, MATERIALS)
    await load('materials')
    const breaking = Object.create(primary, {
      getGraph: {
        value: async function* (uri: string) {
          for await (const chunk of primary.getGraph(uri)) {
            yield chunk.subarray(0, chunk.lastIndexOf('\n'.charCodeAt(0), chunk.length / 2) + 1)
            throw new Error('broken off')
          }
        },
      },
    }) as SparqlClient
    await expect(replicate(breaking, replica).next()).rejects.toThrow()
    expect(await graph(replica, MATERIALS)).toEqual(before)
    expect(await run()).toEqual([`copied ${MATERIALS}`])
  })

  test('removes deleted graphs, but none if all are gone', async () => {
    await primary.deleteGraph(MATERIALS)
    expect(await run()).toEqual([`removed ${MATERIALS}`])
    expect(await graph(replica, MATERIALS)).toEqual([''])
    await primary.deleteGraph(CRAFTS)
    await expect(run()).rejects.toThrow('the primary has no vocabularies')
    expect((await graph(replica, CRAFTS)).length).toBeGreaterThan(100)
  })

  test('goes on as a command until it is stopped, also over a time when the primary is empty', async () => {
    const { queryUrl, graphStoreUrl, user, password } = replica.endpoint
    const env = { ...storeEnv(primary.endpoint), DATA_DIR: await newDirectory() }
    const file = join(env.DATA_DIR, 'password')
    await writeFile(file, `${password}\n`)
    const words = [
      'dist/cli/main.js',
      'replicate',
      '--every',
      '0.1',
      '--query',
      queryUrl,
      '--graph-store',
      graphStoreUrl,
    ]
    words.push('--user', user!, '--password-file', file)
    const child = spawn(process.execPath, words, { cwd: ROOT, env: { PATH: process.env['PATH'], ...env } })
    for await (const line of createInterface(child.stderr))
      if (line === 'error: the primary has no vocabularies; the replica is left as it is.') break
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    await load('crafts')
    expect((await lines.next()).value).toBe(`copied ${CRAFTS}`)
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
    expect(await graph(replica, CRAFTS)).toEqual(await graph(primary, CRAFTS))
  })
})
