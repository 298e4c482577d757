/** Programs from PyPI, which `.ci/tools` installs. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { ROOT } from './process.ts'

interface Tool {
  path: string | undefined
  /** For the name of a test: the reason why it is skipped, else empty. */
  skipped: string
}

/** A program of `.ci/venv`, or of PATH. */
export function findTool(name: string): Tool {
  const folders = [
    join(ROOT, '.ci/venv/bin'),
    join(ROOT, '.ci/venv-sssom/bin'),
    ...(process.env['PATH'] ?? '').split(delimiter),
    '/usr/sbin',
  ]
  const path = folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
  return { path, skipped: path ? '' : `, skipped: there is no ${name} (TEST_LONG=1 .ci/tools installs it)` }
}
