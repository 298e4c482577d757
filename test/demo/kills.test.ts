/** The first start over a new embedded store, killed while it loads the demo. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { CRAFTS, MATERIALS } from '../app.ts'
import { expectEmbeddedAgreement } from '../history/agreement.ts'
import { freePort, newDirectory, ROOT, runToEnd, startService } from '../process.ts'
import { LONG, testLong } from '../long.ts'

const FILES = ['formats.ndjson', 'crafts.ttl', 'materials.ttl', 'subset-textile.ttl', 'subset-school.ttl']

/** Starts the service and kills it when only so many files of the demo, or fewer, are still to be loaded. */
async function killAt(dataDir: string, left: number): Promise<string[]> {
  const child = spawn(process.execPath, ['dist/main.js'], {
    cwd: ROOT,
    env: { PATH: process.env['PATH'], PORT: String(await freePort()), DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  let isReady = false
  child.stdout.on('data', (chunk) => (isReady ||= String(chunk).includes('"msg":"ready"')))
  while (!isReady && child.exitCode === null && (rest(dataDir)?.length ?? FILES.length + 1) > left) await sleep(1)
  child.kill('SIGKILL')
  await exited
  return rest(dataDir) ?? []
}

/** The files that are noted as still to be loaded. */
function rest(dataDir: string): string[] | undefined {
  const file = join(dataDir, 'demo-unfinished.json')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : undefined
}

async function ids(url: string, path: string): Promise<string[]> {
  const response = await fetch(url + path)
  return ((await response.json()) as { notation: string[] }[]).map(({ notation }) => notation[0]!).sort()
}

const WHOLE = ['crafts', 'materials', 'subset_crafts-school', 'subset_crafts-textile']

describe('a first start that is killed while it loads the demo', () => {
  async function expectWhole(dataDir: string): Promise<void> {
    const service = await startService({ DATA_DIR: dataDir })
    expect(await ids(service.url, '/voc?subset=true')).toEqual(WHOLE)
    expect(await ids(service.url, '/voc/crafts/top')).toHaveLength(8)
    const formats = await fetch(`${service.url}/formats?limit=0`)
    expect(Number(formats.headers.get('x-total-count'))).toBeGreaterThan(20)
    expect(rest(dataDir)).toBeUndefined()
    await service.stop()
  }

  // The next test kills at several of them as well.
  testLong.each(FILES.map((name, at) => [name, FILES.length - at] as const))(
    'at %s, only with TEST_LONG=1: the next one completes it',
    async (_, left) => {
      const dataDir = await newDirectory()
      await killAt(dataDir, left)
      await expectWhole(dataDir)
      await rm(dataDir, { recursive: true })
    },
  )

  test('again and again: it is there in the end, and the history agrees', async () => {
    const dataDir = await newDirectory()
    for (let left = FILES.length; left > 0; left -= LONG ? 1 : 2) await killAt(dataDir, left)
    await expectWhole(dataDir)
    const subsets = ['school', 'textile'].map((name) => `${CRAFTS}subset/${name}`)
    await expectEmbeddedAgreement(dataDir, [CRAFTS, MATERIALS, ...subsets])
    await rm(dataDir, { recursive: true })
  }, 180_000)

  test('does not bring back a vocabulary removed meanwhile, nor its subsets', async () => {
    const dataDir = await newDirectory()
    const left = await killAt(dataDir, 2)
    const { code } = await runToEnd('dist/cli/main.js', ['remove', 'crafts'], { DATA_DIR: dataDir })
    expect(code).toBe(0)
    const service = await startService({ DATA_DIR: dataDir })
    // Of what was still to be loaded, the subsets have lost their vocabulary.
    expect(left.length).toBeLessThanOrEqual(2)
    expect(await ids(service.url, '/voc?subset=true')).toEqual(['materials'])
    expect(await service.stop()).toBe(0)
    await rm(dataDir, { recursive: true })
  })

  testLong('is not completed if no demo is wanted any more, only with TEST_LONG=1', async () => {
    const dataDir = await newDirectory()
    await killAt(dataDir, 3)
    const without = await startService({ DATA_DIR: dataDir, DEMO: 'false' })
    const before = await ids(without.url, '/voc?subset=true')
    await without.stop()
    const service = await startService({ DATA_DIR: dataDir })
    expect(await ids(service.url, '/voc?subset=true')).toEqual(before)
    await service.stop()
    await rm(dataDir, { recursive: true })
  })
})
