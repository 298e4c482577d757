import { execFileSync } from 'node:child_process'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * Run by jest before all test files: builds what processes and threads run, and makes the place where
 * stores that outlive a test file keep their data.
 */
export default async function setup(): Promise<void> {
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../build.mjs')])
  process.env['TEST_RUN_DIR'] = await mkdtemp(join(tmpdir(), 'vocabulary-service-test-'))
  process.env['TEST_RUN_PID'] = String(process.pid)
}
