/** The first start over a new embedded store, killed while it loads the demo. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { LOADS_GRAPH } from '../../../src/base/namespaces.ts'
import { StoreContents } from '../../../src/interface/store/contents.ts'
import { CRAFTS, MATERIALS } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { expectEmbeddedAgreement } from '../../writing/history/agreement.ts'
import { freePort, newDirectory, ROOT, startService } from '../../process.ts'
import { LONG, testLong } from '../../long.ts'

/** Graph files of the demo: formats come by an update and have none. */
const GRAPH_FILES = 4
const WHOLE = ['crafts', 'materials', 'subset_crafts-school', 'subset_crafts-textile']
const SUBSETS = ['school', 'textile'].map((name) => `${CRAFTS}subset/${name}`)

/** Starts the service and kills it when the store has so many graph files, some milliseconds later. */
async function killAt(dataDir: string, files: number, delayMs = 0): Promise<void> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], PORT: String(await freePort()), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let isReady = false
  child.stdout.on('data', (chunk) => (isReady ||= String(chunk).includes('"msg":"ready"')))
  // The service removes what an earlier kill has left before it listens to anything.
  while (!isReady && child.exitCode === null && graphFiles(dataDir) < files) await sleep(1)
  await sleep(delayMs)
  child.kill('SIGKILL')
  await exited
}

function graphFiles(dataDir: string): number {
  try {
    return readdirSync(join(dataDir, 'store')).filter((name) => name.startsWith('graph-')).length
  } catch {
    return 0
  }
}

/** The graphs that count after a kill, without the turn of a load, which ends by itself. */
async function graphsOf(dataDir: string): Promise<string[]> {
  const contents = await StoreContents.open(join(dataDir, 'store'))
  await contents.close()
  return [...contents.graphs.keys()].filter((graph) => graph !== LOADS_GRAPH)
}

async function ids(url: string, path: string): Promise<string[]> {
  const response = await fetch(url + path)
  return ((await response.json()) as { notation: string[] }[]).map(({ notation }) => notation[0]!).sort()
}

describe('a first start that is killed while it loads the demo', () => {
  async function expectWhole(dataDir: string): Promise<void> {
    const service = await startService({ DATA_DIR: dataDir })
    try {
      expect(await ids(service.url, '/voc?subset=true')).toEqual(WHOLE)
      expect(await ids(service.url, '/voc/crafts/top')).toHaveLength(8)
      const formats = await fetch(`${service.url}/formats?limit=0`)
      expect(formats.headers.get('x-total-count')).toBe('28')
      // A load that a kill has undone is not in the history: each resource has one change.
      const changed = await fetch(`${service.url}/voc/crafts/changes?limit=0`)
      const activity = (await (await fetch(`${service.url}/voc/crafts/activity`)).json()) as { totalItems: number }
      expect(activity.totalItems).toBeGreaterThan(137)
      expect(changed.headers.get('x-total-count')).toBe(String(activity.totalItems))
    } finally {
      await service.stop()
    }
    await expectEmbeddedAgreement(dataDir, [CRAFTS, MATERIALS, ...SUBSETS])
  }

  const moments = Array.from({ length: GRAPH_FILES + 1 }, (_, files) => files)
  const delays = LONG ? [0, 2, 5, 10, 20, 50, 100, 200, 400] : [0]
  test(
    'again and again, at any graph: nothing of it counts, or all; the next start loads all of it, once',
    async () => {
      const dataDir = await newDirectory()
      let brokenOff = 0
      for (const delayMs of delays) {
        for (const files of moments) {
          await killAt(dataDir, files, delayMs)
          const left = graphFiles(dataDir)
          const graphs = await graphsOf(dataDir)
          expect([0, GRAPH_FILES + 1]).toContain(graphs.length)
          if (left > 0 && graphs.length === 0) brokenOff++
        }
      }
      expect(brokenOff).toBeGreaterThan(0)
      await expectWhole(dataDir)
      await rm(dataDir, { recursive: true })
    },
    LONG ? 600_000 : 180_000,
  )

  testLong.each(moments)(
    'at %i graph files, once, only with TEST_LONG=1: the next one loads all of it',
    async (files) => {
      const dataDir = await newDirectory()
      await killAt(dataDir, files)
      await expectWhole(dataDir)
      await rm(dataDir, { recursive: true })
    },
  )

  test('leaves a new store to a command of the operator, whose changes stay alone', async () => {
    const dataDir = await newDirectory()
    await killAt(dataDir, 2)
    const listed = await runCommand(['list'], { DATA_DIR: dataDir })
    expect(listed).toMatchObject({ code: 0, stdout: expect.not.stringContaining('crafts') })
    const file = join(ROOT, 'src/doors/demo/materials.ttl')
    const loaded = await runCommand(['load', file, '--id', 'own'], { DATA_DIR: dataDir })
    expect(loaded).toMatchObject({ code: 0, stderr: '' })
    const service = await startService({ DATA_DIR: dataDir })
    expect(await ids(service.url, '/voc?subset=true')).toEqual(['own'])
    expect(await service.stop()).toBe(0)
    await expectEmbeddedAgreement(dataDir, [MATERIALS])
    await rm(dataDir, { recursive: true })
  })
})
