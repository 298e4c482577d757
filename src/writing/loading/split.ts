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
import type { Changes } from './normalise.ts'
import { readSource, type LoadProgress } from '../source/read-files.ts'
import { candidateSchemes, findSubsets, namesScheme, textsOf } from '../source/scheme.ts'
import type { SourceGraph } from '../source/source-graph.ts'
import { Edges } from '../source/edges.ts'
import { schemesOfConcepts } from '../source/hierarchy.ts'

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

/** A scheme of a file with several schemes, with the subsets of it that the file describes. */
interface Share {
  scheme: number
  subsets: readonly number[]
}

/**
 * Divides the resources of a file among its schemes (docs/loading.md, "Loading"), each with all its statements. A
 * concept goes to every scheme that it is in, together with its neighbours and all that is linked to these: resources
 * that it names, such as the nodes of its notes, and resources that name it, such as collections. Resources without a
 * scheme go to the first one.
 *
 * @returns for each scheme a function that is true for the resources of its graph.
 */
function divide(source: SourceGraph, shares: readonly Share[]): ((node: number) => boolean)[] {
  const { size } = source
  const heads = new Set(shares.flatMap(({ scheme, subsets }) => [scheme, ...subsets]))
  const links = linksBetween(source)
  const targets = links.bySource(size)
  const subjects = links.byTarget(size)
  const allSubsets = new Set(shares.flatMap(({ subsets }) => subsets))
  const named = shares.map(({ scheme }) => scheme)
  const schemes = schemesOfConcepts(source, named, allSubsets).bySource(size)
  const isFree = (node: number) => !source.isConcept(node) && !heads.has(node)

  const divided = shares.map(() => new Uint8Array(size))
  const isTaken = new Uint8Array(size)
  const spread = (into: Uint8Array, from: readonly number[], isOpen: (node: number) => boolean, both: boolean) => {
    const open = [...from]
    for (let node = open.pop(); node !== undefined; node = open.pop()) {
      for (const neighbours of both ? [targets.of(node), subjects.of(node)] : [targets.of(node)]) {
        for (const next of neighbours) {
          if (into[next] || !isFree(next) || !isOpen(next)) continue
          into[next] = 1
          open.push(next)
        }
      }
    }
  }
  for (const [at, { scheme, subsets }] of shares.entries()) {
    const members = [scheme, ...subsets]
    for (let node = 0; node < size; node++) {
      if (source.isConcept(node) && !heads.has(node) && schemes.of(node).includes(scheme)) members.push(node)
    }
    for (const node of members) divided[at]![node] = 1
    spread(divided[at]!, members, () => true, false)
  }
  for (const into of divided) for (let node = 0; node < size; node++) isTaken[node]! |= into[node]!
  for (const into of divided) {
    const members = [...into.keys()].filter((node) => into[node])
    spread(into, members, (node) => !isTaken[node], true)
  }
  const isAnywhere = (node: number) => divided.some((into) => into[node])
  for (let node = 0; node < size; node++) if (!isAnywhere(node)) divided[0]![node] = 1
  return divided.map((into) => (node) => into[node] === 1)
}

/** From each resource to the resources that it names. */
function linksBetween(source: SourceGraph): Edges {
  const links = new Edges()
  for (const { node, statements } of source.descriptions()) {
    for (const { object } of statements) {
      const named = object.startsWith('<') ? source.find(object.slice(1, -1)) : source.blankNode(object)
      if (named !== undefined) links.push(node, named)
    }
  }
  return links
}
