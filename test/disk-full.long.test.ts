/**
 * The disk of the history, or that of the search index, is full: what the store has and what these two say of it stay
 * together, and everything goes on when there is room again.
 */
import { mkdir, rm, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { newToken } from '../src/writing/ingest/accounts.ts'
import { SKOS } from '../src/base/namespaces.ts'
import { addAccount, concept } from './writing/ingest/service.ts'
import { newDirectory, runToEnd, startService, storeEnv, type ServiceProcess } from './process.ts'
import { canMount, mountDisk, unmountDisk, whyNoDisk } from './small-disk.ts'
import { DEPLOYED, describeOver, testOf } from './stores.ts'

const V = 'http://example.org/v/'
const CONCEPTS = 300
const DISK_BYTES = 64 * 2 ** 20
const TEST_MS = 120_000

const turtleOf = (name: string) =>
  [
    `@prefix skos: <${SKOS}> . <${V}> a skos:ConceptScheme ; skos:prefLabel "V"@en .`,
    ...Array.from({ length: CONCEPTS }, (_, at) => {
      return `<${V}${at}> a skos:Concept ; skos:inScheme <${V}> ; skos:prefLabel "${name} ${at}"@en, "${name} ${at}"@de .`
    }),
  ].join('\n')

describeOver(DEPLOYED, `a full disk${whyNoDisk}`, (store) => {
  // The disk is that of the service, whatever the store.
  const testFull = canMount ? testOf(store) : test.skip
  const account = { username: 'anna', token: newToken() }
  let running: Awaited<ReturnType<typeof store.start>>
  let service: ServiceProcess | undefined
  let env: NodeJS.ProcessEnv
  let folder: string

  beforeAll(async () => {
    running = await store.start()
  })
  afterAll(() => running?.stop())

  beforeEach(async () => {
    const DATA_DIR = await newDirectory()
    env = { ...storeEnv(running.endpoint), DATA_DIR, INGEST_LIMITS: 'none', MAX_STALENESS_MS: '100' }
    await addAccount(DATA_DIR, account, { voc: V })
    for (const name of ['First', 'Second']) await writeFile(join(DATA_DIR, `${name}.ttl`), turtleOf(name))
  })
  afterEach(async () => {
    await service?.stop()
    service = undefined
    await runToEnd('dist/cli/main.js', ['remove', 'v'], env)
    if (folder) unmountDisk(folder)
  })

  const diskFor = async (name: 'history' | 'search') => {
    folder = join(env['DATA_DIR']!, name)
    await mkdir(folder)
    mountDisk(folder, DISK_BYTES)
  }
  const filler = () => join(folder, 'filler')
  const fill = async () => {
    const { bavail, bsize } = await statfs(folder)
    await writeFile(filler(), Buffer.alloc(bavail * bsize))
    expect((await statfs(folder)).bavail).toBe(0)
  }
  const makeRoom = () => rm(filler())

  const load = (name: string) =>
    runToEnd('dist/cli/main.js', ['load', join(env['DATA_DIR']!, `${name}.ttl`), '--id', 'v'], env)
  const ask = async (path: string) => {
    const answer = await fetch(`${service!.url}${path}`)
    return { status: answer.status, total: Number(answer.headers.get('x-total-count')), body: await answer.json() }
  }
  const name = async (at: number) => (await ask(`/data?uri=${V}${at}`)).body[0].prefLabel.en
  const countOf = async (word: string) => (await ask(`/search?voc=v&search=${word}&limit=0`)).total
  const versions = async (uri: string) => (await ask(`/history?uri=${uri}`)).body.map(({ kind }: any) => kind)
  const ingest = async (label: string) => {
    const data = JSON.stringify([concept({ inScheme: [{ uri: V }], prefLabel: { de: label } })])
    const answer = await fetch(`${service!.url}/ingest`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify([{ ...account, data }]),
    })
    return { status: answer.status, body: await answer.json() }
  }
  /** Until something is as expected; the time limit of the test ends the waiting. */
  const until = async <Value>(read: () => Promise<Value>, expected: Value) => {
    while ((await read()) !== expected) await sleep(100)
  }

  testFull(
    'of the history: a load changes nothing, and an ingest loses nothing',
    async () => {
      await diskFor('history')
      expect(await load('First')).toMatchObject({ code: 0 })
      await fill()
      const refused = await load('Second')
      expect(refused).toMatchObject({ code: 1 })
      expect(refused.stderr.trim().split('\n').at(-1)).toMatch(/^error: .*history.* cannot be written: /)
      service = await startService(env)
      expect(await name(7)).toBe('First 7')
      const { status, body } = await ingest('Neu')
      expect([status, await countOf('Neu')]).toEqual([201, 1])
      await makeRoom()
      expect((await ingest('Danach')).status).toBe(201)
      expect(await load('Second')).toMatchObject({ code: 0 })
      await until(() => name(7), 'Second 7')
      expect(await versions(`${V}7`)).toEqual(['Update', 'Create'])
      expect(await versions(body[0].uri)).toEqual(['Create'])
      expect((await ask('/voc/v/changes?limit=0')).total).toBe(CONCEPTS + 3)
    },
    TEST_MS,
  )

  testFull(
    'of the search index: loads and ingests go on, and it catches up',
    async () => {
      await diskFor('search')
      expect(await load('First')).toMatchObject({ code: 0 })
      await fill()
      const warned = await load('Second')
      expect(warned).toMatchObject({ code: 0 })
      expect(warned.stderr).toMatch(/warning: the search index: .* cannot be written: /)
      service = await startService(env)
      expect(await name(7)).toBe('Second 7')
      expect(await ask('/search?voc=v&search=Second')).toMatchObject({ status: 503 })
      expect((await ingest('Neu')).status).toBe(201)
      await makeRoom()
      await until(() => countOf('Second'), CONCEPTS)
      await until(() => countOf('Neu'), 1)
      expect(await countOf('First')).toBe(0)
    },
    TEST_MS,
  )
})
