import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The directory of the project. The code is at different depths below it before and after the build. */
const ROOT = findRoot(import.meta.dirname)

/** The absolute path of a file of the project, such as `queries` or `shapes/format.schema.json`. */
export function fromRoot(path: string): string {
  return join(ROOT, path)
}

/** The version of the software. */
export function softwareVersion(): string {
  return (JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { version: string }).version
}

function findRoot(directory: string): string {
  return existsSync(join(directory, 'package.json')) ? directory : findRoot(dirname(directory))
}
