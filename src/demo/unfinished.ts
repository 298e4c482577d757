import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { DamageError } from '../durable/errors.ts'
import { replaceFile } from '../durable/files.ts'

/**
 * A file in DATA_DIR that names the files of the demo that the first start over a new embedded store has not loaded
 * yet. The store itself could not tell, because the operator may have removed a vocabulary.
 */
const FILE = 'demo-unfinished.json'

/** The files that an interrupted start has left to load; none if all are loaded. @throws DamageError */
export async function readUnfinishedDemo({ dataDir }: Pick<Config, 'dataDir'>): Promise<string[]> {
  const path = join(dataDir, FILE)
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const names = parse(text)
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names
  throw new DamageError(path, 'expected a JSON array of files of the demo', {
    advice: 'Remove it; what is missing of the demo is loaded with DEMO=true.',
  })
}

/** Notes what is still to be loaded; on disk when this resolves. */
export async function noteUnfinishedDemo(
  { dataDir }: Pick<Config, 'dataDir'>,
  files: readonly string[],
): Promise<void> {
  await replaceFile(join(dataDir, FILE), JSON.stringify(files))
}

/** Forgets the files: all are loaded, or nobody wants them any more. */
export async function forgetUnfinishedDemo({ dataDir }: Pick<Config, 'dataDir'>): Promise<void> {
  await rm(join(dataDir, FILE), { force: true })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
