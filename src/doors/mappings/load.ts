import { fileNames, InputError, MistakeList } from '../../base/files/input-error.ts'
import type { Spool } from '../../base/files/spool.ts'
import { MAPPINGS_GRAPH } from '../../base/namespaces.ts'
import { mappingId } from '../../graph/jskos/mapping.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import {
  readGraphs,
  vocabularyByName,
  type StoredGraphs,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import { replaceGraphs } from '../../writing/history/history.ts'
import { removal } from '../../writing/history/replacement.ts'
import { concordanceRecords, findConcordance } from './concordance.ts'
import {
  keepMappings,
  mappingsIn,
  refuseForeignMappings,
  replaceGraph,
  spoolMappings,
  type GivenUris,
  type MappingWriting,
} from './mapping-graph.ts'
import { withUris } from './notations.ts'
import { readMappings } from './read-table.ts'

interface MappingReport {
  /** The concordance; undefined: none. */
  concordance: string | undefined
  mappings: number
  /** The number of mappings that were there before. */
  replaced: number
  /** The reasons why rows of tables were left out, each with file and line; the first 100. */
  warnings: string[]
  /** The number of these rows. */
  leftOut: number
  /** Columns of tables and properties of RDF that are not kept. */
  ignoredColumns: string[]
  /** Vocabularies that mappings name and that are not in the store. */
  unknownSchemes: string[]
  milliseconds: number
}

/** Rows that are left out to name. */
const MOST_WARNINGS = 100

/**
 * Replaces the mappings of a concordance by those in files; without a concordance, the mappings that belong to none.
 *
 * @param files JSKOS mappings: an object, an array, or one a line; RDF; SSSOM/TSV; tables (docs/mappings.md); each
 *   also as .gz.
 * @param name URI, identifier or notation of a concordance; undefined: the mappings belong to none.
 * @param options `isStrict`: a notation in a table that its vocabulary lacks is a mistake; otherwise the row is
 *   left out.
 * @throws InputError naming file and line of what is wrong, AggregateError with all that is wrong; ApiError if the
 *   store fails. Then nothing has changed.
 * @example const { mappings } = await loadMappings(client, ['gnd-lcsh.sssom.tsv'], 'gnd-lcsh')
 */
export async function loadMappings(
  client: SparqlClient,
  files: readonly string[],
  name: string | undefined,
  writing: MappingWriting = {},
  { isStrict = false }: { isStrict?: boolean | undefined } = {},
): Promise<MappingReport> {
  const started = performance.now()
  const stored = await readGraphs(client)
  const concordance = name === undefined ? undefined : requireConcordance(stored, name)
  const graph = concordance?.graph ?? MAPPINGS_GRAPH
  const named = new Set<string>()
  const text = concordance ? JSON.stringify(concordance.record) : '{}'
  const { fromScheme, toScheme } = concordance?.record ?? {}
  const ignored = new Set<string>()
  const onIgnored = (column: string) => void ignored.add(column)
  const { vocabularies } = stored
  const context = { fromScheme, toScheme, vocabularies, onIgnored }
  const warnings: string[] = []
  let leftOut = 0
  const onLeftOut = (reason: string) => {
    leftOut++
    if (warnings.length < MOST_WARNINGS) warnings.push(reason)
  }
  async function* entries() {
    for (const file of files) yield* readMappings(file, context, (rows) => withUris(client, rows, vocabularies))
  }
  const otherGraphs = stored.concordances.flatMap(({ uri }) => (uri === graph ? [] : [uri]))
  const check = (given: GivenUris) => refuseForeignMappings(client, given, otherGraphs)
  const fill = async (spool: Spool) => {
    const mistakes = new MistakeList()
    const number = await spoolMappings(spool, entries(), {
      graph,
      concordance: concordance?.record,
      schemes: named,
      check,
      onLeftOut: isStrict ? undefined : onLeftOut,
      mistakes,
      taken: new Set(),
    })
    mistakes.refuse()
    // A wrong file must not take the place of all mappings of a concordance.
    if (number + leftOut === 0) throw new InputError('found no mappings.', fileNames(files))
    return number
  }
  const replaced = (await countMappings(client)).get(graph) ?? 0
  const mappings = await replaceGraph(client, graph, text, fill, writing)
  return {
    concordance: concordance?.record.uri,
    mappings,
    replaced,
    warnings,
    leftOut,
    ignoredColumns: [...ignored],
    unknownSchemes: unknownSchemes(named, vocabularies),
    milliseconds: performance.now() - started,
  }
}

/** Those of some vocabularies that are not here, given by URI or notation, by code points. */
export function unknownSchemes(schemes: Iterable<string>, vocabularies: readonly Vocabulary[]): string[] {
  return [...schemes].filter((scheme) => !vocabularyByName(vocabularies, scheme)).sort()
}

/**
 * Removes loaded mappings: all of some concordances (their records stay), all that belong to no concordance, or
 * single ones.
 *
 * @param names URIs, identifiers or notations of concordances; `none`: the mappings of none; URIs or ids of
 *   mappings; undefined: all.
 * @returns the URIs of the emptied graphs, then those of the mappings removed one by one.
 * @throws InputError if a name is unknown; then nothing has changed. InputError if somebody changes a graph
 *   meanwhile; it names the graphs that
 *   have lost their mappings before.
 */
export async function removeMappings(
  client: SparqlClient,
  names: readonly string[] | undefined,
  writing: MappingWriting,
): Promise<string[]> {
  const stored = await readGraphs(client)
  const records = concordanceRecords(stored.concordances)
  const graphOf = (name: string) => (name === 'none' ? MAPPINGS_GRAPH : findConcordance(records, name)?.graph)
  const emptied = new Set(
    names ? names.flatMap((name) => graphOf(name) ?? []) : stored.concordances.map(({ uri }) => uri),
  )
  const mappingNames = (names ?? []).filter((name) => graphOf(name) === undefined)
  const single = mappingNames.length > 0 ? await mappingsNamed(client, stored, mappingNames) : []
  const done: string[] = []
  for (const graph of emptied) {
    if (graph === MAPPINGS_GRAPH) {
      await removeGraph(client, graph, writing)
      done.push(graph)
      continue
    }
    const { jskos } = stored.concordances.find(({ uri }) => uri === graph)!
    await replaceGraph(client, graph, jskos, () => Promise.resolve(0), writing)
    done.push(graph)
  }
  for (const { graph, text, kept } of single) {
    if (emptied.has(graph)) continue
    const writeKept = async (spool: Spool) => {
      const written = await keepMappings(client, graph, spool, (uri) => kept.has(uri))
      if (written !== kept.size) {
        const before = done.length > 0 ? ` Mappings were removed from ${done.join(', ')}.` : ''
        throw new InputError(`${graph} has changed meanwhile; nothing was removed from it.${before}`)
      }
      return written
    }
    await replaceGraph(client, graph, text, writeKept, writing)
    done.push(graph)
  }
  return [...emptied, ...single.flatMap(({ removed }) => removed)]
}

/** A graph that loses some mappings. */
interface Reduced {
  graph: string
  /** The text of its concordance. */
  text: string
  removed: string[]
  /** The URIs of the mappings that stay. */
  kept: ReadonlySet<string>
}

/** Finds mappings by their URIs or ids. @throws InputError naming the first that no graph has. */
async function mappingsNamed(
  client: SparqlClient,
  { concordances }: StoredGraphs,
  names: readonly string[],
): Promise<Reduced[]> {
  const wanted = new Map(names.map((name) => [mappingId(name), name]))
  const missing = new Map(wanted)
  const reduced: Reduced[] = []
  for (const { uri: graph, jskos: text } of concordances) {
    const removed: string[] = []
    const kept = new Set<string>()
    for await (const [uri] of mappingsIn(client, graph)) {
      missing.delete(mappingId(uri))
      if (wanted.has(mappingId(uri))) removed.push(uri)
      else kept.add(uri)
    }
    if (removed.length > 0) reduced.push({ graph, text, removed, kept })
  }
  const [unknown] = missing.values()
  if (unknown === undefined) return reduced
  throw new InputError(
    `there is no concordance and no loaded mapping ${unknown}; "vocab concordances list" shows all concordances.`,
  )
}

/** The numbers of loaded mappings by graph. @throws ApiError if the store fails. */
export async function countMappings(client: SparqlClient): Promise<ReadonlyMap<string, number>> {
  const rows = await client.select(queryTemplate('mappings/count').bind(), NO_DEADLINE)
  return new Map(rows.flatMap(({ graph, count }) => (graph ? [[graph.value, Number(count?.value)] as const] : [])))
}

/**
 * Removes a concordance with its mappings.
 *
 * @returns its URI.
 * @throws InputError if the name is unknown.
 */
export async function removeConcordance(client: SparqlClient, name: string, writing: MappingWriting): Promise<string> {
  const { graph } = requireConcordance(await readGraphs(client), name)
  await removeGraph(client, graph, writing)
  return graph
}

async function removeGraph(client: SparqlClient, graph: string, { history, index }: MappingWriting): Promise<void> {
  await replaceGraphs(history, [removal(graph)], () => client.deleteGraph(graph, NO_DEADLINE))
  await index?.remove([graph])
}

function requireConcordance({ concordances }: StoredGraphs, name: string) {
  const concordance = findConcordance(concordanceRecords(concordances), name)
  if (!concordance) throw new InputError(`there is no concordance ${name}; "vocab concordances list" shows all.`)
  return concordance
}
