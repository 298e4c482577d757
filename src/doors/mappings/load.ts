import { Readable } from 'node:stream'
import { InputError, MistakeList } from '../../base/files/input-error.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { Spool } from '../../base/files/spool.ts'
import { readText } from '../../base/files/text.ts'
import type { History } from '../../writing/history/history.ts'
import { removal } from '../../writing/history/replacement.ts'
import { replaceGraphs } from '../../writing/history/replace.ts'
import { isObject } from '../../base/json.ts'
import { conceptsOf, mappingId, typeOf, uuidOf, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import { indexed } from '../../writing/loading/commit.ts'
import {
  CONCORDANCE_TEXT,
  JSKOS_TEXT,
  LOAD,
  MAPPINGS_GRAPH,
  RDF_TYPE,
  GRAPH_FORMAT,
  REVISION,
  VOID,
} from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { linesOf, NTriplesLine, readNTriplesPieces } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/queries.ts'
import { writeString } from '../../graph/sparql/statements.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { newLoadId } from '../../graph/vocabularies/load-id.ts'
import {
  findVocabulary,
  readGraphs,
  vocabulariesNamed,
  type StoredGraphs,
} from '../../graph/vocabularies/vocabulary.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { mistakeIn, mistakeInConcordance } from './check.ts'
import { concordanceRecords, findConcordance, type ConcordanceRecord } from './concordance.ts'
import { withUris } from './notations.ts'
import { placeOf, readMappings, type MappingEntry } from './read-table.ts'
import { OWN_GRAPH_FORMAT } from '../../graph/vocabularies/graph-format.ts'

/** The log of changes and the index, which change with the store. */
export interface MappingWriting {
  history?: Pick<History, 'replace'> | undefined
  index?: VocabularyIndex | undefined
}

export interface MappingReport {
  /** The concordance; undefined: none. */
  concordance: string | undefined
  mappings: number
  /** The reasons why rows of tables were left out, each with file and line; the first 100. */
  warnings: string[]
  /** The number of these rows. */
  leftOut: number
  /** Columns of tables that are not kept. */
  ignoredColumns: string[]
  /** Vocabularies that mappings name and that are not in the store. */
  unknownSchemes: string[]
  milliseconds: number
}

/** Characters of the text of one mapping: every answer with it has all of it. */
const MOST_CHARACTERS = 1 << 20
/** Rows that are left out to name. */
const MOST_WARNINGS = 100

/**
 * Replaces the mappings of a concordance by those in files; without a concordance, the mappings that belong to none.
 *
 * @param files JSKOS mappings: an object, an array, or one a line; SSSOM/TSV; tables (docs/mappings.md); each also
 *   as .gz.
 * @param name URI, identifier or notation of a concordance; undefined: the mappings belong to none.
 * @param options `isStrict`: a notation in a table that its vocabulary lacks is a mistake; otherwise the row is
 *   left out.
 * @throws InputError naming file and line of what is wrong; ApiError if the store fails. Then nothing has changed.
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
  const check = (given: GivenUris) => refuseOthers(client, given, otherGraphs)
  const fill = (spool: Spool) =>
    spoolMappings(spool, entries(), {
      graph,
      concordance: concordance?.record,
      schemes: named,
      check,
      onLeftOut: isStrict ? undefined : onLeftOut,
    })
  const mappings = await replaceGraph(client, graph, text, fill, writing)
  const isKnown = (scheme: string) =>
    vocabulariesNamed(stored.vocabularies, [scheme]).length > 0 ||
    findVocabulary(stored.vocabularies, scheme) !== undefined
  return {
    concordance: concordance?.record.uri,
    mappings,
    warnings,
    leftOut,
    ignoredColumns: [...ignored],
    unknownSchemes: [...named].filter((scheme) => !isKnown(scheme)).sort(),
    milliseconds: performance.now() - started,
  }
}

/** The URIs that files give their mappings, each with its place. */
type GivenUris = Map<string, string>

/** Mappings to look for in the store at a time. */
const PIECE = 1000

/** @throws InputError naming the first of some mappings that another concordance has. */
async function refuseOthers(client: SparqlClient, given: GivenUris, otherGraphs: readonly string[]): Promise<void> {
  if (otherGraphs.length === 0 || given.size === 0) return
  const query = queryTemplate('mappings/graphs').bind({
    terms: { c: [...given.keys()].map((uri) => iri(uri)), property: [iri(JSKOS_TEXT)] },
  })
  for (const { c, graph } of await client.select(query, NO_DEADLINE)) {
    if (!c || !graph || !otherGraphs.includes(graph.value)) continue
    const owner = graph.value === MAPPINGS_GRAPH ? 'among the mappings of no concordance' : `in ${graph.value}`
    throw new InputError(`${given.get(c.value)}: the mapping ${c.value} is already ${owner}`)
  }
}

/** Where mappings of files go, and what becomes of those that are left out. */
interface Destination {
  graph: string
  concordance: ConcordanceRecord['record'] | undefined
  /** Receives the vocabularies that the mappings name. */
  schemes: Set<string>
  /** Refuses URIs of mappings that are elsewhere. */
  check: (given: GivenUris) => Promise<void>
  /** Called with place and reason for each row that is left out; undefined: these are mistakes. */
  onLeftOut: ((reason: string) => void) | undefined
}

/**
 * Checks all mappings of files and writes their triples.
 *
 * @returns their number.
 * @throws InputError or AggregateError with all mistakes.
 */
async function spoolMappings(
  spool: Spool,
  entries: AsyncIterable<MappingEntry>,
  { graph, concordance, schemes, check, onLeftOut }: Destination,
): Promise<number> {
  const mistakes = new MistakeList()
  const seen = new Set<string>()
  const given: GivenUris = new Map()
  let number = 0
  const add = async (place: string, record: unknown) => {
    const value = withTypes(record)
    const mistake = mistakeIn(value)
    if (mistake !== undefined) return mistakes.add(`${place}: ${mistake}`)
    const mapping = completed(value as Mapping, concordance)
    const text = JSON.stringify(mapping)
    if (text.length > MOST_CHARACTERS) {
      return mistakes.add(`${place}: the mapping has more than ${MOST_CHARACTERS} characters`)
    }
    let uri = mapping.uri ?? `urn:uuid:${uuidOf(`${graph} ${text}`)}`
    for (let nth = 2; seen.has(uri) && mapping.uri === undefined; nth++)
      uri = `urn:uuid:${uuidOf(`${graph} ${text} ${nth}`)}`
    if (seen.has(uri)) return mistakes.add(`${place}: another mapping has the URI ${uri}, too`)
    seen.add(uri)
    if (!mistakes.isEmpty) return
    if (mapping.uri !== undefined) given.set(uri, place)
    if (given.size >= PIECE) {
      await check(given)
      given.clear()
    }
    for (const namedScheme of [mapping.fromScheme, mapping.toScheme]) {
      const scheme = namedScheme?.uri ?? namedScheme?.notation?.[0]
      if (scheme !== undefined) schemes.add(scheme)
    }
    number++
    spool.append(0, triplesOf(mapping, uri, text))
  }
  try {
    for await (const entry of entries) {
      const { place } = entry
      if ('value' in entry) await add(place, entry.value)
      else if ('mistake' in entry) mistakes.add(`${place}: ${entry.mistake}`)
      else if (onLeftOut) onLeftOut(`${place}: ${entry.leftOut}`)
      else mistakes.add(`${place}: ${entry.leftOut}`)
    }
  } catch (error) {
    // A file that cannot be read further.
    if (!(error instanceof InputError) || mistakes.isEmpty) throw error
    mistakes.add(error.message)
  }
  mistakes.refuse()
  await check(given)
  return number
}

/** A mapping as JSKOS has it, if its type is a text instead of a list, as some servers say it. */
function withTypes(value: unknown): unknown {
  return isObject(value) && typeof value['type'] === 'string' ? { ...value, type: [value['type']] } : value
}

/**
 * A mapping with what it leaves to others: its concordance, and its vocabularies, which its concepts or its concordance
 * name.
 */
function completed(mapping: Mapping, concordance: ConcordanceRecord['record'] | undefined): Mapping {
  const schemeOn = (side: 'from' | 'to') => {
    const name = `${side}Scheme` as const
    if (mapping[name]) return {}
    const schemes = conceptsOf(mapping[side]).map(({ inScheme }) => (inScheme as MappedScheme[] | undefined)?.[0])
    const [first] = schemes
    const isCommon = first?.uri !== undefined && schemes.every((inScheme) => inScheme?.uri === first.uri)
    const scheme = isCommon
      ? { uri: first.uri, ...(first.notation && { notation: first.notation }) }
      : concordance?.[name]
    return scheme ? { [name]: scheme } : {}
  }
  const isPart = !concordance || mapping.partOf?.some((partOf) => partOf?.uri === concordance.uri)
  return {
    ...mapping,
    ...schemeOn('from'),
    ...schemeOn('to'),
    ...(isPart ? {} : { partOf: [{ uri: concordance.uri }] }),
  }
}

/** The triples of a mapping: its text, and the statement of SKOS if it has one concept on each side. */
function triplesOf(mapping: Mapping, uri: string, text: string): string {
  const [from, ...moreSources] = conceptsOf(mapping.from)
  const [to, ...moreTargets] = conceptsOf(mapping.to)
  const isSingle = moreSources.length + moreTargets.length === 0 && from?.uri !== undefined && to?.uri !== undefined
  return [
    `<${uri}> <${JSKOS_TEXT}> ${writeString(text)} .\n`,
    ...(isSingle ? [`<${from.uri}> <${typeOf(mapping)}> <${to.uri}> .\n`] : []),
  ].join('')
}

/**
 * Replaces a graph of mappings as a whole: readers see the old one or the new one.
 *
 * @param fill writes the triples of the mappings, and gives the number of mappings.
 * @returns that number.
 */
async function replaceGraph(
  client: SparqlClient,
  graph: string,
  text: string,
  fill: (spool: Spool) => Promise<number>,
  { history, index }: MappingWriting,
): Promise<number> {
  const load = newLoadId()
  const spool = new Spool()
  try {
    const mappings = await fill(spool)
    const about: [predicate: string, object: string][] = [
      [RDF_TYPE, `<${VOID}Linkset>`],
      [CONCORDANCE_TEXT, writeString(text)],
      [REVISION, writeString(load)],
      [GRAPH_FORMAT, writeString(OWN_GRAPH_FORMAT)],
      [LOAD, writeString(load)],
    ]
    spool.append(0, about.map(([predicate, object]) => `<${graph}> <${predicate}> ${object} .\n`).join(''))
    const chunks = () => spool.chunks(0)
    const replacement = { graph, before: graph, load, chunks, cause: { by: 'load' as const } }
    await indexed(index, [{ graph, chunks }], async ([pending]) => {
      await replaceGraphs(history, [replacement], async () => {
        await client.putGraph(graph, Readable.from(chunks()), NO_DEADLINE)
      })
      await pending?.commit({ revision: load, load })
    })
    return mappings
  } finally {
    spool.close()
  }
}

/**
 * Loads the records of concordances; the mappings of those that are there stay.
 *
 * @returns the URIs.
 * @throws InputError naming file and line of what is wrong; then nothing has changed.
 */
export async function loadConcordances(
  client: SparqlClient,
  files: readonly string[],
  writing: MappingWriting = {},
): Promise<string[]> {
  const stored = await readGraphs(client)
  const records = new Map<string, string>()
  const mistakes = new MistakeList()
  for (const file of files) {
    for await (const { value, line } of readRecords(readText(file), file)) {
      const place = placeOf(file, line)
      const mistake = mistakeInConcordance(value)
      if (mistake !== undefined) {
        mistakes.add(`${place}: ${mistake}`)
        continue
      }
      const { uri } = value as { uri: string }
      const isVocabulary = stored.vocabularies.some((vocabulary) => vocabulary.uri === uri)
      if (isVocabulary || records.has(uri)) {
        mistakes.add(`${place}: <${uri}> is ${isVocabulary ? 'a vocabulary' : 'there twice'}`)
      }
      records.set(uri, JSON.stringify(value))
    }
  }
  mistakes.refuse()
  for (const [uri, text] of records) {
    const isStored = stored.concordances.some((concordance) => concordance.uri === uri)
    await replaceGraph(client, uri, text, async (spool) => (isStored ? keepMappings(client, uri, spool) : 0), writing)
  }
  return [...records.keys()]
}

/** Copies the triples of the mappings of a graph. @returns the number of mappings. */
async function keepMappings(client: SparqlClient, graph: string, spool: Spool): Promise<number> {
  let mappings = 0
  for await (const lines of linesOf(client.getGraph(graph, NO_DEADLINE))) {
    for (const line = new NTriplesLine(lines); line.next();) {
      if (line.isComment || line.subject === `<${graph}>`) continue
      if (line.predicate === `<${JSKOS_TEXT}>`) mappings++
      spool.append(0, `${line.subject} ${line.predicate} ${line.rest}\n`)
    }
  }
  return mappings
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
  writing: MappingWriting = {},
): Promise<string[]> {
  const stored = await readGraphs(client)
  const records = concordanceRecords(stored.concordances)
  const graphOf = (name: string) => (name === 'none' ? MAPPINGS_GRAPH : findConcordance(records, name)?.graph)
  const emptied = new Set(
    names ? names.flatMap((name) => graphOf(name) ?? []) : stored.concordances.map(({ uri }) => uri),
  )
  const mappingNames = (names ?? []).filter((name) => graphOf(name) === undefined)
  const single = mappingNames.length > 0 ? await findMappings(client, stored, mappingNames) : []
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
    const writeOthers = async (spool: Spool) => {
      let written = 0
      for await (const [uri, mapping] of mappingsOf(client, graph)) {
        if (!kept.has(uri)) continue
        spool.append(0, triplesOf(JSON.parse(mapping) as Mapping, uri, mapping))
        written++
      }
      if (written !== kept.size) {
        const before = done.length > 0 ? ` Mappings were removed from ${done.join(', ')}.` : ''
        throw new InputError(`${graph} has changed meanwhile; nothing was removed from it.${before}`)
      }
      return written
    }
    await replaceGraph(client, graph, text, writeOthers, writing)
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
async function findMappings(
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
    for await (const [uri] of mappingsOf(client, graph)) {
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

/** The mappings of a graph with their JSKOS texts. */
async function* mappingsOf(client: SparqlClient, graph: string): AsyncGenerator<[uri: string, text: string]> {
  for await (const piece of readNTriplesPieces(client.getGraph(graph, NO_DEADLINE))) {
    for (const [uri, properties] of piece) {
      for (const { value } of properties.get(JSKOS_TEXT) ?? []) yield [uri, value]
    }
  }
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
export async function removeConcordance(
  client: SparqlClient,
  name: string,
  writing: MappingWriting = {},
): Promise<string> {
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
