import { InputError } from '../files/input-error.ts'
import { locate } from '../files/text.ts'
import { parseFile } from './parse.ts'
import type { TableOptions } from '../tables/sheet.ts'
import { SourceGraph } from './source-graph.ts'

/** The steps of a load that take long. */
export type LoadStep = 'read' | 'check' | 'compare' | 'index' | 'history' | 'send'

/** Called with the step of a load and its progress from 0 to 1. */
export type LoadProgress = (step: LoadStep, done: number) => void

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
  if (files.length === 0) throw new InputError('expected at least one file.')
  const source = new SourceGraph()
  try {
    for (const [at, file] of files.entries()) {
      source.startFile()
      const before = source.read
      const progress = (read: number, size: number) => onProgress?.('read', (at + read / size) / files.length)
      const options = { ...tables, listener: source.listener }
      for await (const quads of parseFile(file, progress, 'concept', options, source.onDropped)) {
        try {
          for (const quad of quads) source.add(quad)
        } catch (error) {
          throw error instanceof InputError ? await withPlace(error, file) : error
        }
      }
      if (source.read === before) throw new InputError('found no RDF statement.', file)
    }
    return source
  } catch (error) {
    source.close()
    throw error
  }
}

/** The error with the place of the IRI that it names; a workbook has no lines. */
async function withPlace({ message }: InputError, file: string): Promise<InputError> {
  const iri = /<(.*)>/.exec(message)?.[1]
  if (iri === undefined) return new InputError(message, file)
  const find = async (text: string) => locate(file, text).catch(() => undefined)
  return new InputError(message, file, (await find(`<${iri}>`)) ?? (await find(`"${iri}"`)))
}
