import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holdLock, LockedError } from '../src/lock.ts'

describe('holdLock', () => {
  let directory: string
  let path: string

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vocabulary-service-lock-'))
    path = join(directory, 'lock')
  })
  afterEach(() => rm(directory, { recursive: true }))

  /** A process that holds the lock until it is killed. */
  async function holder() {
    const script = `import { holdLock } from ${JSON.stringify(new URL('../src/lock.ts', import.meta.url).href)}
      await holdLock(${JSON.stringify(path)})
      console.log('held')
      setInterval(() => {}, 1000)`
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script])
    await once(child.stdout, 'data')
    return child
  }

  test('one at a time, in any order, and nothing is left', async () => {
    let inside = 0
    let most = 0
    const turn = async () => {
      const release = await holdLock(path, 20_000)
      most = Math.max(most, ++inside)
      await sleep(1)
      inside--
      await release()
    }
    await Promise.all(Array.from({ length: 40 }, turn))
    expect(most).toBe(1)
    expect(await readdir(directory)).toEqual([])
  })

  test('a living process keeps it, and is named', async () => {
    const child = await holder()
    await expect(holdLock(path)).rejects.toThrow(LockedError)
    await expect(holdLock(path, 100)).rejects.toThrow(`in use by process ${child.pid} on ${hostname()}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await (
      await holdLock(path)
    )()
    expect(await readdir(directory)).toEqual([])
  })

  test.each([
    ['of a process that is gone', JSON.stringify({ process: 2 ** 22 + 1, host: hostname(), id: 'a' })],
    [
      'of a process before this one, with its number',
      JSON.stringify({ process: process.pid, host: hostname(), id: 'a' }),
    ],
    ['that is empty', ''],
    ['that is something else', '[]'],
  ])('a lock %s is nobody’s: twenty want it, and get it one after the other', async (_, content) => {
    await writeFile(path, content)
    let inside = 0
    const turn = async () => {
      const release = await holdLock(path, 20_000)
      expect(++inside).toBe(1)
      await sleep(1)
      inside--
      await release()
    }
    await Promise.all(Array.from({ length: 20 }, turn))
    expect(await readdir(directory)).toEqual([])
  })

  test('a lock of another machine is held while it is fresh', async () => {
    await writeFile(path, JSON.stringify({ process: 1, host: 'elsewhere', id: 'a' }))
    const then = new Date(Date.now() - 17_000)
    await utimes(path, then, then)
    const began = Date.now()
    const release = await holdLock(path)
    expect(Date.now() - began).toBeGreaterThan(1000)
    expect(await readFile(path, 'utf8')).toContain(hostname())
    await release()
  })
})
