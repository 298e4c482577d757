import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from '@jest/globals'
import { LockedError } from '../../../src/base/durable/errors.ts'
import { lockFile, lockOwnerOf } from '../../../src/base/durable/file-lock.ts'
import { temporaryFolder } from '../../folder.ts'
import { ROOT } from '../../process.ts'

const HOLDER = `import { lockFile } from './src/base/durable/file-lock.ts'
globalThis.lock = await lockFile(process.argv[1], { about: { url: 'http://127.0.0.1:1/' }, patienceMs: Number(process.argv[2]) })
console.log('held')
setInterval(() => undefined, 1000)`

const holders: ChildProcess[] = []
afterEach(() => holders.splice(0).forEach((child) => child.kill('SIGKILL')))

/** A process that holds the file, once it does. */
async function startHolder(file: string, patienceMs = 0) {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', HOLDER, file, String(patienceMs)]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] })
  holders.push(child)
  const exited = once(child, 'exit')
  let said = ''
  child.stderr.on('data', (chunk) => (said += String(chunk)))
  const held = once(child.stdout, 'data').then(() => true)
  if (!(await Promise.race([held, exited.then(() => false)]))) throw new Error(said)
  return {
    pid: child.pid!,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

describe('the hold of a file', () => {
  const folder = temporaryFolder()

  test('is of one process, which others can name and reach, until it is killed', async () => {
    const file = folder.path('one')
    expect(await lockOwnerOf(file)).toBeUndefined()
    const other = await startHolder(file)
    await expect(lockFile(file)).rejects.toThrow(new RegExp(`${file}: in use by process ${other.pid} on `))
    expect(await lockOwnerOf(file)).toMatchObject({ process: other.pid, about: { url: 'http://127.0.0.1:1/' } })
    await other.kill()
    expect(await lockOwnerOf(file)).toBeUndefined()
    const lock = await lockFile(file)
    expect((await lockOwnerOf(file))?.process).toBe(process.pid)
    await expect(startHolder(file)).rejects.toThrow(`in use by process ${process.pid}`)
    await lock.release()
    expect(await lockOwnerOf(file)).toBeUndefined()
  })

  test('is given once within a process, too', async () => {
    const file = folder.path('two')
    const attempts = await Promise.allSettled(Array.from({ length: 4 }, () => lockFile(file)))
    const held = attempts.filter((attempt) => attempt.status === 'fulfilled')
    expect(held).toHaveLength(1)
    for (const attempt of attempts)
      if (attempt.status === 'rejected') expect(attempt.reason).toBeInstanceOf(LockedError)
    await held[0]!.value.release()
  })

  test('goes to a waiting process after a release and after a kill', async () => {
    const file = folder.path('three')
    const lock = await lockFile(file)
    const waiting = startHolder(file, 20_000)
    await sleep(1500)
    await lock.release()
    const other = await waiting
    const mine = lockFile(file, { patienceMs: 20_000 })
    await sleep(200)
    await other.kill()
    await (await mine).release()
  })

  test('does not disturb processes that only look', async () => {
    const file = folder.path('four')
    const looks = Array.from({ length: 20 }, () => lockOwnerOf(file))
    expect(await Promise.all(looks)).toEqual(looks.map(() => undefined))
    const lock = await lockFile(file)
    const holders = await Promise.all(looks.map(() => lockOwnerOf(file)))
    expect(new Set(holders.map((holder) => holder?.process))).toEqual(new Set([process.pid]))
    await lock.release()
  })

  test('is refused over a file that is something else, which stays as it is', async () => {
    const file = await folder.write('five', '{"process":1}'.repeat(100))
    await expect(lockFile(file)).rejects.toThrow(`${file} is damaged: expected an empty file`)
  })

  test('does not need the description of the holder', async () => {
    const file = folder.path('six')
    const lock = await lockFile(file)
    await writeFile(`${file}.json`, '{"process"')
    expect(await lockOwnerOf(file)).toMatchObject({ process: 0 })
    await expect(lockFile(file)).rejects.toThrow('in use by another process')
    await lock.release()
  })

  test('has no holder if there is no folder', async () => {
    expect(await lockOwnerOf(join(folder.path('nowhere'), 'lock'))).toBeUndefined()
  })
})
