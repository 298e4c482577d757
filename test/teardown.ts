import { rm } from 'node:fs/promises'
import { stopSharedFusekis } from './fuseki.ts'

/** Run by jest after all test files. */
export default async function teardown(): Promise<void> {
  const directory = process.env['TEST_RUN_DIR']
  if (!directory) return
  await stopSharedFusekis(directory)
  await rm(directory, { recursive: true, force: true })
}
