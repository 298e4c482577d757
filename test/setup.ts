import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Run by jest before all test files: the place where stores that outlive a test file keep their data. */
export default async function setup(): Promise<void> {
  process.env['TEST_RUN_DIR'] = await mkdtemp(join(tmpdir(), 'vocabulary-service-test-'))
  process.env['TEST_RUN_PID'] = String(process.pid)
}
