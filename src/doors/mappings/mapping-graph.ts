import { Readable } from 'node:stream'
import { InputError, type MistakeList } from '../../base/files/input-error.ts'
import { Spool } from '../../base/files/spool.ts'
import { isObject } from '../../base/json.ts'
import {
  CONCORDANCE_TEXT,
  GRAPH_FORMAT,
  JSKOS_TEXT,
  LOAD,
  MAPPINGS_GRAPH,
  RDF_TYPE,
  REVISION,
  VOID,
} from '../../base/namespaces.ts'
import { conceptsOf, parseMapping, typeOf, uuidOf, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { readNTriplesPieces } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { writeString } from '../../graph/sparql/statements.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { OWN_GRAPH_FORMAT } from '../../graph/vocabularies/graph-format.ts'
import { newLoadId } from '../../graph/vocabularies/vocabulary.ts'
import type { VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { type History, replaceGraphs } from '../../writing/history/history.ts'
import { indexed } from '../../writing/loading/commit.ts'
import { mistakeIn } from './check.ts'
import type { ConcordanceRecord } from './concordance.ts'
import { statementsAbout } from './statements.ts'
import type { MappingEntry } from './read-table.ts'

/** The log of changes and the index, which change with the store. */
export interface MappingWriting {
  history?: Pick<History, 'prepare'> | undefined
  index?: VocabularyIndex | undefined
}

/** Characters of the text of one mapping: every answer with it has all of it. */
const MOST_CHARACTERS = 1 << 20
/** The URIs that files give their mappings, each with its place. */
export type GivenUris = Map<string, string>

/** Mappings to look for in the store at a time. */
const PIECE = 1000

/** @throws InputError naming the first of some mappings that another concordance has. */
export async function refuseForeignMappings(
  client: SparqlClient,
  given: GivenUris,
  otherGraphs: readonly string[],
): Promise<void> {
  if (otherGraphs.length === 0 || given.size === 0) return
  const query = queryTemplate('mappings/graphs').bind({
    terms: { c: [...given.keys()].map((uri) => iri(uri)), property: [iri(JSKOS_TEXT)] },
  })
  for (const { c, graph } of await client.select(query, NO_DEADLINE)) {
    if (!c || !graph || !otherGraphs.includes(graph.value)) continue
    const owner = graph.value === MAPPINGS_GRAPH ? 'among the mappings without a concordance' : `in ${graph.value}`
    throw new InputError(`${given.get(c.value)}: the mapping ${c.value} is already ${owner}`)
  }
}

/** The target of the mappings of files, and the listener for mappings that are left out. */
interface Destination {
  graph: string
  concordance: ConcordanceRecord['record'] | undefined
  /** Receives the vocabularies that the mappings name. */
  schemes: Set<string>
  /** Refuses URIs of mappings that are elsewhere. */
  check: (given: GivenUris) => Promise<void>
  /** Called with place and reason for each row that is left out; undefined: these are mistakes. */
  onLeftOut?: ((reason: string) => void) | undefined
  /** Receives what is wrong. */
  mistakes: MistakeList
  /** The URIs of mappings that are taken already; those of these mappings are added. */
  taken: Set<string>
}

/**
 * Checks all mappings of files and writes their triples, if nothing is wrong.
 *
 * @returns their number.
 * @throws InputError if a file cannot be read further, and nothing was wrong before.
 */
export async function spoolMappings(
  spool: Spool,
  entries: AsyncIterable<MappingEntry> | Iterable<MappingEntry>,
  { graph, concordance, schemes, check, onLeftOut, mistakes, taken }: Destination,
): Promise<number> {
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
    for (let nth = 2; taken.has(uri) && mapping.uri === undefined; nth++)
      uri = `urn:uuid:${uuidOf(`${graph} ${text} ${nth}`)}`
    if (taken.has(uri)) return mistakes.add(`${place}: another mapping has the URI ${uri}, too`)
    taken.add(uri)
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
  if (mistakes.isEmpty) await check(given)
  return number
}

/** A mapping as JSKOS has it, even if its type is a text instead of a list, as from some servers. */
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

/** The triple with the text of a mapping. */
function jskosTriple(uri: string, text: string): string {
  return `<${uri}> <${JSKOS_TEXT}> ${writeString(text)} .\n`
}

/**
 * The triples of a mapping: its text, the same in RDF, and the statement of SKOS if it has one concept on each side.
 */
function triplesOf(mapping: Mapping, uri: string, text: string): string {
  const [from, ...moreSources] = conceptsOf(mapping.from)
  const [to, ...moreTargets] = conceptsOf(mapping.to)
  const isSingle = moreSources.length + moreTargets.length === 0 && from?.uri !== undefined && to?.uri !== undefined
  return [
    jskosTriple(uri, text),
    statementsAbout(uri, mapping),
    ...(isSingle ? [`<${from.uri}> <${typeOf(mapping)}> <${to.uri}> .\n`] : []),
  ].join('')
}

/** A graph of mappings that is ready to be written. */
export interface PreparedMappings {
  graph: string
  load: string
  /** Its triples. */
  spool: Spool
  /** The number of its mappings. */
  mappings: number
}

/**
 * A graph of mappings before it is written. The caller closes its spool.
 *
 * @param text that of its concordance.
 * @param fill writes the triples of the mappings, and gives the number of mappings.
 */
export async function prepareGraph(
  graph: string,
  text: string,
  fill: (spool: Spool) => Promise<number>,
): Promise<PreparedMappings> {
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
    if (graph !== MAPPINGS_GRAPH) spool.append(0, statementsAbout(graph, JSON.parse(text) as AnyRecord))
    return { graph, load, spool, mappings }
  } catch (error) {
    spool.close()
    throw error
  }
}

/** Writes a graph of mappings in the place of the one before: readers see the old one or the new one. */
export async function writeGraph(
  client: SparqlClient,
  { graph, load, spool }: PreparedMappings,
  { history, index }: MappingWriting,
): Promise<void> {
  const chunks = () => spool.chunks(0)
  const replacement = { graph, before: graph, load, chunks, cause: { by: 'load' as const } }
  await indexed(index, async (write) => {
    const pending = await write({ graph, chunks })
    await replaceGraphs(history, [replacement], async () => {
      await client.putGraph(graph, Readable.from(chunks()), NO_DEADLINE)
    })
    await pending?.commit({ revision: load, load })
  })
}

/**
 * Replaces a graph of mappings as a whole.
 *
 * @param fill writes the triples of the mappings, and gives the number of mappings.
 * @returns that number.
 */
export async function replaceGraph(
  client: SparqlClient,
  graph: string,
  text: string,
  fill: (spool: Spool) => Promise<number>,
  writing: MappingWriting,
): Promise<number> {
  const prepared = await prepareGraph(graph, text, fill)
  try {
    await writeGraph(client, prepared, writing)
    return prepared.mappings
  } finally {
    prepared.spool.close()
  }
}

/** Copies the mappings of a graph. @returns their number. */
export async function keepMappings(
  client: SparqlClient,
  graph: string,
  spool: Spool,
  isKept: (uri: string) => boolean = () => true,
): Promise<number> {
  let mappings = 0
  for await (const [uri, text] of mappingsIn(client, graph)) {
    if (!isKept(uri)) continue
    const mapping = parseMapping(text)
    spool.append(0, mapping ? triplesOf(mapping, uri, text) : jskosTriple(uri, text))
    mappings++
  }
  return mappings
}

/** The mappings of a graph with their JSKOS texts. */
export async function* mappingsIn(client: SparqlClient, graph: string): AsyncGenerator<[uri: string, text: string]> {
  for await (const piece of readNTriplesPieces(client.getGraph(graph, NO_DEADLINE))) {
    for (const [uri, properties] of piece) {
      for (const { value } of properties.get(JSKOS_TEXT) ?? []) yield [uri, value]
    }
  }
}
