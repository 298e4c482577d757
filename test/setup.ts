import { execFileSync } from 'node:child_process'
import { mkdtemp, statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Run by jest before all test files: builds what processes and threads run, and makes the place where
 * stores that outlive a test file keep their data.
 */
export default async function setup(): Promise<void> {
  process.env['TMPDIR'] ??= await memoryFolder()
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../build.mjs')])
  process.env['TEST_RUN_DIR'] = await mkdtemp(join(tmpdir(), 'vocabulary-service-test-'))
  process.env['TEST_RUN_PID'] = String(process.pid)
}

/**
 * A folder in memory for the files of tests, if it has 4 GB free. To write a file through to a disk takes up to 30 ms,
 * and the tests of stores, histories and ingests do it thousands of times. Files in memory outlive a kill, too.
 */
async function memoryFolder(): Promise<string> {
  const { bavail, bsize } = await statfs('/dev/shm').catch(() => ({ bavail: 0, bsize: 0 }))
  return bavail * bsize > 4e9 ? '/dev/shm' : tmpdir()
}
