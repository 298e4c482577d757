/** A data folder belongs to one store: a start or a command with another one is refused, and changes nothing. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { softwareVersion } from '../src/base/root.ts'
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { CRAFTS, DEMO } from './app.ts'
import { runCommand } from './command.ts'
import { startStoreProxy } from './writing/ingest/store-proxy.ts'
import { newDirectory, runToEnd, startService, storeEnv } from './process.ts'
import { DEPLOYED, describeOver, EMBEDDED, testOf } from './stores.ts'

const LOAD = ['load', `${DEMO}/crafts.ttl`, '--id', 'crafts']
const MATERIALS = ['load', `${DEMO}/materials.ttl`, '--id', 'materials']
const noted = async (folder: string) =>
  JSON.parse(await readFile(join(folder, 'version.json'), 'utf8')) as { version: string; store?: unknown }

describeOver(DEPLOYED, 'the store of a data folder', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let client: SparqlClient
  let env: NodeJS.ProcessEnv
  let folder: string

  const graphs = async (of = client) =>
    (await of.select('SELECT DISTINCT ?g WHERE { GRAPH ?g { ?s ?p ?o } }')).map(({ g }) => g!.value).sort()
  /** The settings of a folder with the store, by these addresses. */
  const over = (endpoint: StoreEndpoint) => ({ DATA_DIR: folder, ...storeEnv(endpoint) })
  const refused = (...stores: string[]) => ({
    code: 78,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(
        `^(error: )?DATA_DIR: ${folder} belongs to ${stores[0]}, and .*${stores[1]}.* docs/operation\\.md.*\n$`,
      ),
    ),
  })

  beforeAll(async () => {
    running = await store.start()
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
  })
  afterAll(() => running.stop())
  beforeEach(async () => {
    folder = await newDirectory()
    env = over(running.endpoint)
    for (const graph of await graphs()) await client.deleteGraph(graph)
  })

  test('is the first one that it meets; without its settings a start and all commands that need a store are refused', async () => {
    expect(await runCommand(LOAD, env)).toMatchObject({ code: 0, stderr: '' })
    const { queryUrl } = running.endpoint
    const before = await noted(folder)
    expect(before).toMatchObject({ store: { query: queryUrl, tested: softwareVersion() } })
    const embedded = { DATA_DIR: folder }
    const { password = 'none' } = running.endpoint
    for (const args of [['list'], MATERIALS, ['export', 'crafts'], ['remove', 'crafts'], ['backup', 'x.tar.gz']]) {
      const result = await runCommand(args, embedded)
      expect([args, result]).toEqual([args, refused(`the store ${queryUrl}`, 'the embedded store')])
      expect(result.stderr).not.toContain(password)
    }
    expect(await runToEnd('dist/main.js', [], { ...embedded, PORT: '0' })).toMatchObject({
      ...refused(`the store ${queryUrl}`, 'the embedded store'),
      stdout: expect.anything(),
    })
    expect(await noted(folder)).toEqual(before)
    expect(await graphs()).toEqual([CRAFTS])
    expect(await runCommand(['check', `${DEMO}/crafts.ttl`], embedded)).toMatchObject({ code: 0 })
    expect((await runCommand(['list'], env)).stdout).toContain(CRAFTS)
  })

  test('is the embedded one if the folder holds vocabularies, also without an entry', async () => {
    const embedded = { DATA_DIR: folder }
    expect(await runCommand(['mappings', 'remove', '--all'], embedded)).toMatchObject({ code: 0 })
    await writeFile(join(folder, 'version.json'), '{"format":1,"version":"1.0.0"}')
    // Nothing is in it yet.
    expect(await runCommand(['list'], env)).toMatchObject({ code: 0 })
    await writeFile(join(folder, 'version.json'), '{"format":1,"version":"1.0.0"}')
    expect(await runCommand(LOAD, embedded)).toMatchObject({ code: 0 })
    expect(await noted(folder)).toMatchObject({ store: 'embedded' })
    const message = refused('the embedded store in it', running.endpoint.queryUrl)
    expect(await runCommand(MATERIALS, env)).toEqual(message)
    await writeFile(join(folder, 'version.json'), '{"format":1,"version":"1.0.0"}')
    expect(await runCommand(MATERIALS, env)).toEqual(message)
    const service = await startService({ ...embedded, DEMO: 'false' })
    expect(await runCommand(MATERIALS, env)).toEqual(message)
    expect(await service.stop()).toBe(0)
    expect(await graphs()).toEqual([])
  })

  testOf(store)(
    'has many addresses, also while it is empty and when nobody answers at the old one any more',
    async () => {
      const proxies = [await startStoreProxy(running.endpoint), await startStoreProxy(running.endpoint)] as const
      const local = Object.fromEntries(
        Object.entries(proxies[0].endpoint).map(([name, value]) => [
          name,
          typeof value === 'string' ? value.replace('127.0.0.1', 'localhost') : value,
        ]),
      ) as unknown as StoreEndpoint
      try {
        for (const endpoint of [running.endpoint, proxies[0].endpoint, local, proxies[1].endpoint, running.endpoint]) {
          expect(await runCommand(['list'], over(endpoint))).toMatchObject({ code: 0, stderr: '' })
          expect(await noted(folder)).toMatchObject({ store: { query: endpoint.queryUrl } })
          expect(await graphs()).toEqual([])
        }
        expect(await runCommand(LOAD, over(proxies[0].endpoint))).toMatchObject({ code: 0, stderr: '' })
        await proxies[0].close()
        expect(await runCommand(['list'], env)).toMatchObject({ code: 0, stderr: '' })
        const service = await startService(over(proxies[1].endpoint))
        expect(await service.stop()).toBe(0)
        expect(await graphs()).toEqual([CRAFTS])
      } finally {
        await proxies[1].close()
      }
    },
  )

  testOf(store)('is no copy of it, no empty one and none that is away', async () => {
    const other = await store.start()
    const otherClient = new SparqlClient({ endpoint: other.endpoint, timeoutMs: 60_000 })
    const proxy = await startStoreProxy(running.endpoint)
    const { queryUrl } = proxy.endpoint
    try {
      expect(await runCommand(LOAD, over(proxy.endpoint))).toMatchObject({ code: 0, stderr: '' })
      const message = refused(`the store ${queryUrl}`, other.endpoint.queryUrl)
      expect(await runCommand(MATERIALS, over(other.endpoint))).toEqual(message)
      const copy = client.getGraph(CRAFTS)
      await otherClient.putGraph(CRAFTS, copy)
      expect(await runCommand(MATERIALS, over(other.endpoint))).toEqual(message)
      await otherClient.deleteGraph(CRAFTS)
      await proxy.close()
      expect(await runCommand(MATERIALS, over(other.endpoint))).toEqual(message)
      expect(await graphs(otherClient)).toEqual([])
      const away = { ...other.endpoint, queryUrl: 'http://user:secret@127.0.0.1:9/query?key=secret' }
      const { code, stderr } = await runCommand(['list'], over(away))
      expect([code, stderr]).toEqual([78, expect.stringContaining('http://127.0.0.1:9/query?key=...')])
      expect(stderr).not.toContain('secret')
      expect(await noted(folder)).toMatchObject({ store: { query: queryUrl } })
    } finally {
      await other.stop()
    }
  })

  test('can be changed when the new one has what the folder knows', async () => {
    const embedded = { DATA_DIR: folder }
    expect(await runCommand(LOAD, embedded)).toMatchObject({ code: 0 })
    const lacks = await runCommand(['store', 'change'], env)
    expect([lacks.code, lacks.stderr]).toEqual([1, expect.stringContaining(`the store lacks <${CRAFTS}>`)])
    expect(await noted(folder)).toMatchObject({ store: 'embedded' })
    const { queryUrl, graphStoreUrl, user, password } = running.endpoint
    const login = join(folder, 'password')
    await writeFile(login, password ?? 'any')
    const replica = ['--query', queryUrl, '--graph-store', graphStoreUrl, '--user', user ?? 'any']
    const copied = await runCommand(['replicate', ...replica, '--password-file', login], embedded)
    expect(copied).toMatchObject({ code: 0, stdout: `copied ${CRAFTS}\n` })
    const service = await startService({ ...embedded, DEMO: 'false' })
    const busy = await runCommand(['store', 'change'], env)
    expect([busy.code, busy.stderr]).toEqual([1, expect.stringMatching(/in use by process \d+/)])
    expect(await service.stop()).toBe(0)
    expect(await runCommand(['store', 'change'], env)).toMatchObject({ code: 0, stderr: '' })
    expect((await runCommand(['store', 'show'], embedded)).stdout).toContain(`belongs to the store ${queryUrl}`)
    expect(await runCommand(MATERIALS, env)).toMatchObject({ code: 0 })
    expect(await runCommand(['list'], embedded)).toEqual(refused(`the store ${queryUrl}`, 'the embedded store'))
    expect(await runCommand(['store', 'change', '--force'], embedded)).toMatchObject({ code: 0, stderr: '' })
    expect(await noted(folder)).toMatchObject({ store: 'embedded' })
  })
})

describe('a command that writes', () => {
  describeOver(EMBEDDED, 'into a store', (store) => {
    test('tests it as the service does, once for a version', async () => {
      const running = await store.start()
      const proxy = await startStoreProxy(running.endpoint)
      const env = { DATA_DIR: await newDirectory(), ...storeEnv(proxy.endpoint) }
      try {
        proxy.update = 'failed'
        const service = await runToEnd('dist/main.js', [], { ...env, PORT: '0' })
        expect([service.code, service.stderr]).toEqual([
          78,
          expect.stringMatching(/^SPARQL_QUERY_URL: this store does/),
        ])
        const command = await runCommand(LOAD, env)
        expect(command).toEqual({ code: 78, stdout: '', stderr: `error: ${service.stderr}` })
        // A command that only reads has no need of it.
        expect(await runCommand(['list'], env)).toMatchObject({ code: 0, stdout: 'There are no vocabularies.\n' })
        proxy.update = 'none'
        expect(await runCommand(LOAD, env)).toMatchObject({ code: 0 })
        const before = proxy.puts
        expect(await runCommand(LOAD, env)).toMatchObject({ code: 0 })
        // A load of the same file sends nothing.
        expect(proxy.puts - before).toBe(0)
        const version = join(env.DATA_DIR, 'version.json')
        await writeFile(version, (await readFile(version, 'utf8')).replace(/"tested":"[^"]*"/, '"tested":"1.0.0-rc.1"'))
        expect(await runCommand(LOAD, env)).toMatchObject({ code: 0 })
        expect(proxy.puts - before).toBe(1)
      } finally {
        await proxy.close()
        await running.stop()
      }
    })
  })
})
