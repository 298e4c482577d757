import type { Quad } from '@rdfjs/types'
import { InputError } from '../files/input-error.ts'
import { locate } from '../files/text.ts'
import { parseFile } from './parse.ts'
import type { TableOptions } from '../tables/sheet.ts'
import { SourceGraph } from './source-graph.ts'

/** Called with the step of a load and its progress from 0 to 1. */
export type LoadProgress = (step: 'read' | 'check' | 'write', done: number) => void

/** Settings for tables among the files. */
export type TableDefaults = Pick<TableOptions, 'scheme' | 'language'>

/**
 * Reads files that together make one vocabulary.
 *
 * @throws InputError if a file cannot be read or is broken.
 */
export async function readSource(
  files: readonly string[],
  onProgress?: LoadProgress,
  tables: TableDefaults = {},
): Promise<SourceGraph> {
  const source = new SourceGraph()
  try {
    await readFiles(source, files, onProgress, tables)
    return source
  } catch (error) {
    source.close()
    throw error
  }
}

async function readFiles(
  source: SourceGraph,
  files: readonly string[],
  onProgress: LoadProgress | undefined,
  tables: TableDefaults,
): Promise<void> {
  if (files.length === 0) throw new InputError('expected at least one file.')
  for (const [at, file] of files.entries()) {
    source.startFile()
    const before = source.read
    const progress = (read: number, size: number) => onProgress?.('read', (at + read / size) / files.length)
    for await (const quads of parseFile(file, progress, 'concept', { ...tables, listener: source.listener })) {
      for (const quad of quads) {
        const refused = addWithPlace(source, quad, file)
        if (refused) await refused
      }
    }
    if (source.read === before) throw new InputError('found no RDF statement.', file)
  }
}

function addWithPlace(source: SourceGraph, quad: Quad, file: string): Promise<void> | void {
  try {
    source.add(quad)
  } catch (error) {
    if (error instanceof InputError) return refuseAtPlace(error, file)
    throw error
  }
}

async function refuseAtPlace(error: InputError, file: string): Promise<never> {
  const iri = /<(.*)>/.exec(error.message)?.[1]
  if (iri === undefined) throw new InputError(error.message, file)
  throw new InputError(error.message, file, (await locate(file, `<${iri}>`)) ?? (await locate(file, `"${iri}"`)))
}
