import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { replaceFileDurably } from '../store/files.ts'

/**
 * In DATA_DIR while the first start over a new embedded store has not loaded all of the demo: the files that are still to
 * be loaded. The store itself could not tell: what is not there may have been removed by the operator.
 */
const FILE = 'demo-rest.json'

/** What a start that was broken off has left to load; nothing where all is loaded. */
export function readDemoRest({ dataDir }: Pick<Config, 'dataDir'>): string[] {
  const path = join(dataDir, FILE)
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as string[]) : []
}

/** Notes what is still to be loaded; on disk when this returns. */
export function noteDemoRest({ dataDir }: Pick<Config, 'dataDir'>, files: readonly string[]): void {
  replaceFileDurably(dataDir, FILE, JSON.stringify(files))
}

/** Nothing is left to load, or it is not wanted any more. */
export function forgetDemoRest({ dataDir }: Pick<Config, 'dataDir'>): void {
  rmSync(join(dataDir, FILE), { force: true })
}
