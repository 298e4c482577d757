import { createWriteStream, existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { makeFolder } from '../../base/durable/files.ts'
import { InputError } from '../../base/files/input-error.ts'
import { CONCEPT_SCHEME, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { messageOf } from '../../base/thrown.ts'
import { defaultIds } from '../../graph/vocabularies/vocabulary.ts'
import { divide } from './divide.ts'
import type { Changes } from './normalise.ts'
import { readSource, type LoadProgress } from '../source/read-files.ts'
import { candidateSchemes, findSubsets, namesScheme, textsOf } from '../source/scheme.ts'
import type { SourceGraph } from '../source/source-graph.ts'

/** The file of a scheme. */
export interface SchemeFile {
  uri: string
  file: string
  concepts: number
}

interface SplitReport {
  schemes: SchemeFile[]
  /** The changes that reading made, and how often, as in the report of a load. */
  changes: Changes
}

/**
 * Writes a file for each concept scheme of a file, which `load` takes: N-Quads, with the id that the vocabulary gets as
 * its name (docs/loading.md, "Loading").
 *
 * @param folder made if it is missing.
 * @throws InputError if the file is wrong, has no scheme, or if a file that it would write exists; then nothing is
 *   written.
 */
export async function splitFile(file: string, folder: string, onProgress?: LoadProgress): Promise<SplitReport> {
  const source = await readSource([file], onProgress)
  const written: string[] = []
  try {
    const described = findSubsets(source)
    const shares = candidateSchemes(source, described).map((scheme) => ({
      scheme,
      subsets: described.filter(({ vocabulary }) => namesScheme(source, vocabulary, scheme)).map(({ node }) => node),
    }))
    if (shares.length === 0) throw new InputError('the file has no concept scheme.', file)
    const schemes = shares.map(({ scheme }) => scheme)
    const files = fileNames(source, schemes).map((name) => join(folder, name))
    for (const name of files) if (existsSync(name)) throw new InputError('the file exists already.', name)
    const divided = divide(source, shares)
    const reports: SchemeFile[] = []
    for (const [at, scheme] of schemes.entries()) {
      const name = files[at]!
      await write(name, folder, quadsOfScheme(source, scheme, divided[at]!), () => written.push(name))
      reports.push({ uri: source.iri(scheme), file: name, concepts: countConcepts(source, divided[at]!) })
    }
    return { schemes: reports, changes: Object.fromEntries(source.changes) }
  } catch (error) {
    for (const name of written) await rm(name, { force: true })
    throw error
  } finally {
    source.close()
  }
}

/** @param onOpen called when the file is there. @throws InputError if it cannot be written. */
async function write(file: string, folder: string, lines: Iterable<string>, onOpen: () => void): Promise<void> {
  try {
    await makeFolder(folder)
    const output = createWriteStream(file, { flags: 'wx' }).once('open', onOpen)
    await pipeline(Readable.from(lines), output)
  } catch (error) {
    throw new InputError(`the file cannot be written: ${messageOf(error)}`, file)
  }
}

/** Names for the files of schemes, from their ids; each only once. */
function fileNames(source: SourceGraph, schemes: readonly number[]): string[] {
  const taken = new Set<string>()
  return schemes.map((scheme) => {
    const notations = textsOf(source.describe(scheme).statements, `${SKOS}notation`)
    const [id = 'scheme'] = defaultIds(source.iri(scheme), notations)
    let name = id
    for (let number = 2; taken.has(name); number++) name = `${id}-${number}`
    taken.add(name)
    return `${name}.nq`
  })
}

/** The statements about the resources of a scheme in N-Quads, a text for each resource. */
function* quadsOfScheme(source: SourceGraph, scheme: number, has: (node: number) => boolean): Generator<string> {
  // A scheme that only its concepts name is not the only one in them.
  if (!source.isScheme(scheme)) yield `${source.name(scheme)} <${RDF_TYPE}> <${CONCEPT_SCHEME}> .\n`
  for (const { node, statements } of source.descriptions()) {
    if (statements.length === 0 || !has(node)) continue
    const subject = source.name(node)
    yield statements
      .map(({ predicate, object, graph }) => {
        return `${subject} <${predicate}> ${object}${graph === undefined ? '' : ` ${source.name(graph)}`} .\n`
      })
      .join('')
  }
}

function countConcepts(source: SourceGraph, has: (node: number) => boolean): number {
  let concepts = 0
  for (let node = 0; node < source.size; node++) if (source.isConcept(node) && has(node)) concepts++
  return concepts
}
