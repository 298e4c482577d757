/** First loads without HTTP: `vocab load --offline`, then `fuseki/run load` while Fuseki does not run. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { fromRoot } from '../../../src/base/root.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { outputOf, runCommand } from '../../command.ts'
import { fusekiMissing, startFuseki, type Fuseki } from '../../fuseki.ts'
import { testLong } from '../../long.ts'
import { freePort, newDirectory, startService, storeEnv } from '../../process.ts'
import { expectAgreement, stored } from '../history/agreement.ts'

const RUN = fromRoot('fuseki/run')
const VICTIM = fileURLToPath(new URL('./victim.ts', import.meta.url))
const CRAFTS = fromRoot('src/doors/demo/crafts.ttl')
const MATERIALS = fromRoot('src/doors/demo/materials.ttl')
const CRAFTS_URI = 'http://example.org/vocabulary/crafts/'
const MATERIALS_URI = 'http://example.org/vocabulary/materials/'
const missing = fusekiMissing()

;(missing ? describe.skip : describe)(missing ? `offline, skipped: ${missing}` : 'a first load without HTTP', () => {
  let directory: string
  let DATA_DIR: string
  let folders: string
  let port: string
  let fuseki: Fuseki | undefined

  beforeEach(async () => {
    ;[directory, DATA_DIR, folders] = [await newDirectory(), await newDirectory(), await newDirectory()]
    port = String(await freePort())
  })
  afterEach(async () => {
    await fuseki?.stop()
    for (const folder of [directory, DATA_DIR, folders]) await rm(folder, { recursive: true, force: true })
  })

  const start = async () => {
    fuseki = await startFuseki({ directory, env: { FUSEKI_PORT: port } })
    return new SparqlClient({ endpoint: fuseki.endpoint, timeoutMs: 60_000 })
  }
  const stop = async () => {
    await fuseki!.stop()
    fuseki = undefined
  }
  /** The settings of the Fuseki, whether it runs or not. */
  const env = () => {
    const at = `http://127.0.0.1:${port}`
    const addresses = { queryUrl: `${at}/vocabularies/sparql`, updateUrl: `${at}/private/update` }
    const { user, password } = fuseki?.endpoint ?? {}
    return { DATA_DIR, ...storeEnv({ ...addresses, graphStoreUrl: `${at}/private/data`, user, password }) }
  }
  const folderOf = (name: string) => join(folders, name)
  const prepare = (file: string, name: string) => outputOf(['load', file, '--offline', folderOf(name)], env())
  const ofRun = { FUSEKI_HEAP: '1g', JDK_JAVA_OPTIONS: '-XX:+UseSerialGC -XX:TieredStopAtLevel=1' }
  const bulkLoad = (...names: string[]) => {
    const options = { encoding: 'utf8', env: { ...process.env, ...ofRun, FUSEKI_DIR: directory } } as const
    const { status, stderr } = spawnSync('bash', [RUN, 'load', ...names.map(folderOf)], options)
    return [status, stderr]
  }
  const LOADED = [0, expect.stringContaining('loaded ')]
  const refusedWith = (text: string) => [1, expect.stringContaining(text)]
  /** Kills the bulk load and what it has started directly after a program that it runs. */
  const killedAfter = async (program: 'cp' | 'java' | 'mv', name: string) => {
    const home = await newDirectory()
    const wrapped = program === 'java' ? '*tdb2.tdbloader*' : '*loading/Data-0001*'
    const found = program === 'java' ? [RUN, 'java'] : ['-c', `command -v ${program}`]
    const real = spawnSync('bash', found, { encoding: 'utf8' }).stdout.trim()
    await mkdir(join(home, 'bin'))
    const wrapper = `#!/usr/bin/env bash\n'${real}' "$@" || exit\ncase "$*" in ${wrapped}) kill -9 0 ;; esac\n`
    await writeFile(join(home, 'bin', program), wrapper, { mode: 0o700 })
    const PATH = `${join(home, 'bin')}:${process.env['PATH']}`
    const changed = program === 'java' ? { JAVA_HOME: home } : { PATH }
    // A session has a process group of its own.
    const options = { encoding: 'utf8', env: { ...process.env, ...ofRun, ...changed, FUSEKI_DIR: directory } } as const
    const { status } = spawnSync('setsid', ['--wait', 'bash', RUN, 'load', folderOf(name)], options)
    expect(status).not.toBe(0)
    await rm(home, { recursive: true })
  }

  /** The answers about the vocabulary from its index and its history. */
  const seen = async () => {
    const service = await startService(env())
    try {
      const get = async (path: string) => {
        const response = await fetch(`${service.url}${path}`)
        return { status: response.status, total: response.headers.get('x-total-count'), body: await response.json() }
      }
      // The service reads the index in the background.
      const search = () => get('/search?search=b&limit=500&voc=crafts')
      let found = await search()
      for (; (found.body as unknown[]).length === undefined || Number(found.total) === 0; found = await search()) {
        expect([200, 503]).toContain(found.status)
        await sleep(100)
      }
      const { totalItems } = (await get('/voc/crafts/activity')).body as { totalItems: number }
      const suggested = await get('/suggest?search=wo&limit=100')
      const lists = [await get('/voc/crafts/concepts?limit=1000'), await get('/voc/crafts/top')]
      for (const { status } of [found, suggested, ...lists]) expect(status).toBe(200)
      return { found, suggested, lists, totalItems }
    } finally {
      await service.stop()
    }
  }

  test('leaves the graph, the history and the index of a load over HTTP', async () => {
    expect(await prepare(CRAFTS, 'crafts')).toContain('137 concepts')
    expect(bulkLoad('crafts')).toEqual(LOADED)
    let client = await start()
    const offline = { graph: await stored(client, CRAFTS_URI), seen: await seen() }
    await expectAgreement(client, DATA_DIR, CRAFTS_URI)
    expect(await outputOf(['load', CRAFTS], env())).toMatch(/^nothing to do: /m)
    expect(bulkLoad('crafts')).toEqual(refusedWith('something else works on'))
    await stop()

    for (const folder of [directory, DATA_DIR]) await rm(folder, { recursive: true })
    client = await start()
    await outputOf(['load', CRAFTS], env())
    expect(offline).toEqual({ graph: await stored(client, CRAFTS_URI), seen: await seen() })
  }, 240_000)

  testLong(
    'adds to a dataset, and counts only when the dataset has the graph, only with TEST_LONG=1',
    async () => {
      await prepare(CRAFTS, 'crafts')
      expect(bulkLoad('crafts', 'crafts')).toEqual(refusedWith('has the vocabulary'))
      expect(bulkLoad('crafts')).toEqual(LOADED)
      await prepare(MATERIALS, 'never-loaded')
      await prepare(MATERIALS, 'materials')
      await start()
      expect(await outputOf(['list'], env())).not.toContain('materials')
      await stop()
      expect(bulkLoad('materials')).toEqual(LOADED)
      expect(bulkLoad('materials')).toEqual(refusedWith('has the vocabulary'))
      expect(bulkLoad('never-loaded')).toEqual(refusedWith('has the vocabulary'))
      const client = await start()
      for (const uri of [CRAFTS_URI, MATERIALS_URI]) await expectAgreement(client, DATA_DIR, uri)
      expect(await outputOf(['load', MATERIALS], env())).toMatch(/^nothing to do: /m)
      const again = await runCommand(['load', MATERIALS, '--offline', folderOf('again')], env())
      expect([again.code, again.stderr]).toEqual(refusedWith('not its first load'))
      expect(existsSync(folderOf('again'))).toBe(false)
    },
    240_000,
  )

  testLong(
    'does not count if the vocabulary was loaded otherwise in between',
    async () => {
      await prepare(CRAFTS, 'crafts')
      await start()
      await outputOf(['load', CRAFTS], env())
      await stop()
      expect(bulkLoad('crafts')).toEqual(refusedWith('has the vocabulary'))
      let client = await start()
      await expectAgreement(client, DATA_DIR, CRAFTS_URI)
      // Removed, so the dataset takes the folder all the same; the next load records what it then has.
      await outputOf(['remove', 'crafts'], env())
      await stop()
      expect(bulkLoad('crafts')).toEqual(LOADED)
      client = await start()
      expect(await outputOf(['load', CRAFTS], env())).toMatch(/^replaced /m)
      await expectAgreement(client, DATA_DIR, CRAFTS_URI)
    },
    240_000,
  )

  testLong.each(['graph file', 'history draft'])(
    'a command that is killed after the step "%s" changes nothing',
    async (step) => {
      const parameters = [
        step,
        CRAFTS,
        JSON.stringify({ queryUrl: 'http://127.0.0.1:9/' }),
        DATA_DIR,
        folderOf('crafts'),
      ]
      const child = spawn(process.execPath, ['--import', 'tsx', VICTIM, ...parameters], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
      expect(bulkLoad('crafts')).toEqual(refusedWith('no folder that "vocab load --offline" has completed'))
      const again = await runCommand(['load', CRAFTS, '--offline', folderOf('crafts')], env())
      expect([again.code, again.stderr]).toEqual(refusedWith('expected a folder that is not there yet'))
      await prepare(CRAFTS, 'complete')
      expect(bulkLoad('complete')).toEqual(LOADED)
      await expectAgreement(await start(), DATA_DIR, CRAFTS_URI)
    },
    120_000,
  )

  testLong(
    'a bulk load that is killed leaves the dataset as it was, or complete',
    async () => {
      await prepare(CRAFTS, 'crafts')
      expect(bulkLoad('crafts')).toEqual(LOADED)
      await prepare(MATERIALS, 'materials')
      for (const program of ['cp', 'java', 'mv'] as const) {
        await killedAfter(program, 'materials')
        const client = await start()
        const hasMaterials = (await stored(client, MATERIALS_URI)).size > 0
        expect([program, hasMaterials]).toEqual([program, program === 'mv'])
        await expectAgreement(client, DATA_DIR, CRAFTS_URI)
        if (hasMaterials) await expectAgreement(client, DATA_DIR, MATERIALS_URI)
        await stop()
        expect(readdirSync(directory)).not.toContain('loading')
      }
      expect(bulkLoad('materials')).toEqual(refusedWith('has the vocabulary'))
    },
    240_000,
  )
})
