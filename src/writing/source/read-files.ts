import { basename } from 'node:path'
import { InputError, type Position } from '../../base/files/input-error.ts'
import { locate } from '../../base/files/text.ts'
import { parseFile } from './parse.ts'
import type { TableOptions } from '../../graph/tables/sheet.ts'
import { resolveIdentifiers } from './scheme.ts'
import { SourceGraph } from './source-graph.ts'

/** The steps of a load that take long. */
export type LoadStep = 'read' | 'check' | 'compare' | 'index' | 'history' | 'send'

/** Maximum number of wrong IRIs whose places are looked up. */
const MOST_PLACES = 3

/** Called with the step of a load and its progress from 0 to 1. An error of it ends the load. */
export type LoadProgress = (step: LoadStep, done: number) => void

/** Settings for tables among the files. */
export type TableDefaults = Pick<TableOptions, 'scheme' | 'language'>

/** From this share of a file on, the number of its statements can be estimated. */
const LEAST_SHARE = 0.02
/** Files are uneven: an estimate is wrong by less than this factor. */
const CERTAINTY = 1.5

/**
 * Reads files that together make one vocabulary.
 *
 * @param mostStatements that the store can have.
 * @throws InputError if a file cannot be read or is broken, or as soon as it is certain that there are too many
 *   statements.
 */
export async function readSource(
  files: readonly string[],
  onProgress?: LoadProgress,
  tables: TableDefaults = {},
  mostStatements = Infinity,
): Promise<SourceGraph> {
  if (files.length === 0) throw new InputError('expected at least one file.')
  const source = new SourceGraph()
  try {
    for (const [at, file] of files.entries()) {
      source.startFile()
      const before = source.read
      let share = 0
      const options = {
        onProgress: (read: number, size: number) => void (share = read / size),
        tables: { ...tables, listener: source.listener },
        jskos: source.jskosListener,
        onWrongIri: source.onWrongIri,
      }
      for await (const quads of parseFile(file, options)) {
        // Here rather than at each chunk, because an error of a listener of a stream would end the process.
        onProgress?.('read', (at + share) / files.length)
        try {
          for (const quad of quads) source.add(quad)
        } catch (error) {
          throw error instanceof InputError ? await withPlace(error, file) : error
        }
        refuseTooMany(source.read, before, share, mostStatements)
      }
      await placeWrongIris(source, file)
      if (source.read === before) throw new InputError('found no RDF statement.', file)
    }
    source.addReferences()
    source.entailSubProperties()
    resolveIdentifiers(source, tables.scheme)
    return source
  } catch (error) {
    source.close()
    throw error
  }
}

/**
 * Nothing is certain about the files that come later.
 *
 * @param read the statements so far.
 * @param before those of the files before.
 * @param share of the file so far.
 * @throws InputError if the files have too many.
 */
function refuseTooMany(read: number, before: number, share: number, most: number): void {
  const estimate = share < LEAST_SHARE ? read : before + (read - before) / share
  if (read <= most && estimate <= most * CERTAINTY) return
  const inMillions = (count: number) => (count / 1e6).toPrecision(2)
  throw new InputError(
    `the files have about ${inMillions(Math.max(estimate, read))} million statements, and the embedded store has room for ` +
      `about ${inMillions(most)} million. Nothing was changed. Use Fuseki or another store (docs/stores.md).`,
  )
}

/** The error with the place of the IRI that it names; a workbook has no lines. */
async function withPlace({ message }: InputError, file: string): Promise<InputError> {
  const iri = /^[^<]*<(.*)>/.exec(message)?.[1]
  return new InputError(message, file, iri === undefined ? undefined : await positionOf(iri, file))
}

/** The place of an IRI in a file, undefined if it is written in another form there. */
async function positionOf(iri: string, file: string): Promise<Position | undefined> {
  const find = async (text: string) => locate(file, text).catch(() => undefined)
  return (await find(`<${iri}>`)) ?? (await find(`"${iri}"`))
}

/** Records where a file has the first of its wrong IRIs. */
export async function placeWrongIris(source: SourceGraph, file: string): Promise<void> {
  for (const iri of [...source.wrongIris.keys()].slice(0, MOST_PLACES)) {
    if (source.placesOfWrongIris.has(iri)) continue
    const place = await positionOf(iri, file)
    if (place) source.placesOfWrongIris.set(iri, `${basename(file)}, line ${place.line}, column ${place.column}`)
  }
}
