import { fieldsOf, type ConceptMapping } from '../../graph/jskos/fields.ts'
import { frameNodes, type Framing } from '../../graph/jskos/frame.ts'
import { conceptsOf, typeOf } from '../../graph/jskos/mapping.ts'
import type { Link } from '../../graph/jskos/names.ts'
import { compareCodePoints, compareRecords, type SortKey, itemsInOrder } from '../../graph/jskos/order.ts'
import { readProperties } from '../../graph/jskos/properties.ts'
import { conceptLink } from '../../graph/jskos/field-values.ts'
import { conceptRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import {
  ABOVE,
  ABOVE_IN,
  ABOVE_TOP_OF,
  CONCEPT,
  HAS_NARROWER,
  IN_SCHEME,
  NOTATION,
  RDF_TYPE,
  SKOS,
} from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { readLinkNames } from './link-names.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { chains, schemesOfChains, type Edge } from './chain.ts'
import { collectionLinks } from './collections.ts'
import type { ReadDependencies } from './dependencies.ts'
import { readConceptGraph, readObjects } from './describe.ts'
import { CONCEPTS_AT_A_TIME, inPieces } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { neighbourTerms } from './terms.ts'
import { Turn } from '../../base/clock.ts'
import { addToList } from '../../base/groups.ts'

/** A concept as a record, with its place in the order of records. */
interface ListedConcept extends SortKey {
  record: JskosRecord
  inScheme: string[]
  /** True if it is a skos:Concept. */
  isConcept: boolean
}

/**
 * Some concepts as records, in the order of records, without concepts that the store lacks.
 * queries/describe/concept.rq describes the concepts that the service does not remember; framing gives the graph the
 * form of JSON-LD, and src/graph/jskos/record.ts turns that into JSKOS.
 */
export async function readConcepts(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<ListedConcept[]> {
  if (uris.length === 0) return []
  const [graph, objects] = await Promise.all([
    readConceptGraph(dependencies, uris, view, signal),
    readObjects(dependencies, uris, view, 'concept', signal),
  ])
  return toConcepts(dependencies, graph, view, signal, { uris: new Set(uris), objects })
}

/**
 * The same for concepts that a graph of `describeConcepts` describes; only the objects within records, if a view shows
 * them, need a further request.
 */
export async function describedConcepts(
  dependencies: ReadDependencies,
  graph: Graph,
  view: View,
  signal: AbortSignal | undefined,
  uris: readonly string[],
): Promise<ListedConcept[]> {
  const objects = await readObjects(dependencies, uris, view, 'concept', signal)
  return toConcepts(dependencies, graph, view, signal, { uris: new Set(uris), objects })
}

/** The records of the concepts with these URIs in the given order, without concepts that the store lacks. */
export function recordsOfConcepts(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  const read = async (piece: readonly string[]) => {
    return (await conceptsInOrder(dependencies, piece, view, signal)).map(({ record }) => record)
  }
  return inPieces(uris, CONCEPTS_AT_A_TIME, read, signal)
}

/**
 * The records of concepts by URI, without concepts that the store lacks. Unlike `recordsByUri` it looks for
 * nothing but concepts, in any vocabulary.
 *
 * @param properties as in the parameter `properties`.
 * @throws the errors of the store.
 * @example const concepts = await conceptsByUri(dependencies, request, uris, 'prefLabel,notation')
 */
export async function conceptsByUri(
  dependencies: ReadDependencies,
  { view, signal }: Pick<ListRequest, 'view' | 'signal'>,
  uris: Iterable<string>,
  properties: string,
): Promise<Map<string, JskosRecord>> {
  const shown = { ...view, properties: readProperties(properties, NO_DEFAULTS) }
  const records = new Map<string, JskosRecord>()
  for await (const piece of recordsOfConcepts(dependencies, [...new Set(uris)], shown, signal)) {
    for (const record of piece) records.set(record.uri, record)
  }
  return records
}

/** The same array each time, so that the properties for the same text are made once. */
const NO_DEFAULTS: readonly string[] = []

/** The concepts with these URIs in the given order, without concepts that the store lacks. */
export async function conceptsInOrder(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<ListedConcept[]> {
  const concepts = await readConcepts(dependencies, uris, view, signal)
  const position = new Map(uris.map((uri, index) => [uri, index]))
  return concepts.sort((a, b) => position.get(a.uri)! - position.get(b.uri)!)
}

/**
 * The concepts of a graph from queries/describe/concept.rq, in the order of records. Only `descendants` and `memberOf`
 * need further requests to the store.
 *
 * @param of `uris`: of the wanted concepts, because the graph may have others; `objects`: from
 *   queries/describe/objects.rq.
 */
export async function toConcepts(
  dependencies: ReadDependencies,
  graph: Graph,
  view: View,
  signal: AbortSignal | undefined,
  { uris, objects }: { uris: Iterable<string>; objects: Graph | undefined },
): Promise<ListedConcept[]> {
  const vocabularies = await dependencies.registry.uris()
  await removeSchemes(dependencies, graph, vocabularies, signal)
  const framed = frameNodes(graph, objects)
  const concepts: ListedConcept[] = []
  const turn = new Turn(signal)
  for (const uri of uris) {
    if (turn.isOver) await turn.next()
    const properties = graph.get(uri)
    // Only results have inScheme; concepts that a record names have a label and a notation at most.
    if (!properties?.has(IN_SCHEME)) continue
    concepts.push({
      ...sortKey(uri, properties, view),
      record: conceptRecord(framed(uri)!, properties.has(HAS_NARROWER), view),
      inScheme: texts(properties.get(IN_SCHEME)),
      isConcept: texts(properties.get(RDF_TYPE)).includes(CONCEPT),
    })
  }
  concepts.sort(compareRecords)
  if (view.properties.has('ancestors')) addAncestors(concepts, graph, framed, { view, vocabularies })
  if (view.properties.has('memberOf')) await addCollections(dependencies, concepts, view, signal)
  if (view.properties.has('mappings')) await addConcordances(dependencies, concepts, signal)
  if (view.properties.has('descendants')) await addDescendants(dependencies, concepts, view, signal)
  return concepts
}

/** The properties between concepts. */
const NEIGHBOURS = fieldsOf('concept').flatMap(({ kind, of, property }) =>
  kind === 'concepts' && of === 'concept' && property !== undefined ? [property] : [],
)

/**
 * Removes vocabularies from the neighbours of concepts, such as `skos:broader` to their own scheme, unless these are
 * concepts as well: no list of concepts has them.
 */
async function removeSchemes(
  { client }: ReadDependencies,
  graph: Graph,
  vocabularies: ReadonlySet<string>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const named: { node: NodeProperties; property: string; scheme: string }[] = []
  for (const node of graph.values()) {
    if (!node.has(IN_SCHEME)) continue
    for (const property of NEIGHBOURS) {
      for (const { value } of node.get(property) ?? []) {
        if (vocabularies.has(value)) named.push({ node, property, scheme: value })
      }
    }
  }
  if (named.length === 0) return
  const uris = [...new Set(named.map(({ scheme }) => scheme))]
  const query = queryTemplate('data').bind({ terms: { uri: uris.map(iri) } })
  const concepts = (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
  for (const { node, property, scheme } of named) {
    if (concepts.includes(scheme)) continue
    node.set(
      property,
      node.get(property)!.filter(({ value }) => value !== scheme),
    )
  }
}

/** The values of terms. */
export function texts(terms: readonly ObjectTerm[] | undefined): string[] {
  return (terms ?? []).map(({ value }) => value)
}

/** The sort key of a concept; empty notations and resources do not count. */
export function sortKey(
  uri: string,
  properties: NodeProperties | undefined,
  { order }: Pick<View, 'order'>,
  schemes: readonly string[] = texts(properties?.get(IN_SCHEME)),
): SortKey {
  const notations = properties?.get(NOTATION)?.filter(({ termType, value }) => termType === 'Literal' && value !== '')
  const labels = () =>
    Object.fromEntries(
      (properties?.get(`${SKOS}prefLabel`) ?? []).map(({ language, value }) => [language || 'und', value]),
    )
  return order.keyOf({ uri, schemes, notations: texts(notations), labels })
}

/** Adds `ancestors` to records: one chain each, with labels (JSKOS 0.7, Concept, ancestors). */
function addAncestors(
  concepts: readonly ListedConcept[],
  graph: Graph,
  framed: Framing,
  { view, vocabularies }: { view: View; vocabularies: ReadonlySet<string> },
): void {
  const edges: Edge[] = []
  for (const [child, properties] of graph) {
    for (const { value: uri } of properties.get(ABOVE) ?? []) {
      const parent = graph.get(uri)
      const key = sortKey(uri, parent, view, texts(parent?.get(ABOVE_IN)))
      edges.push({ child, parent: { ...key, topConceptOf: texts(parent?.get(ABOVE_TOP_OF)) } })
    }
  }
  // Most concepts of an answer share their vocabularies.
  const chainsWithin = new Map<string, (uri: string) => string[]>()
  for (const { uri, inScheme, record } of concepts) {
    const within = schemesOfChains(inScheme, vocabularies).toSorted()
    const key = within.join(' ')
    const chainOf = chainsWithin.get(key) ?? chains(edges, within)
    chainsWithin.set(key, chainOf)
    record.ancestors = chainOf(uri).flatMap((ancestor) => conceptLink(framed.named(ancestor), view) ?? [])
  }
}

/** Adds `memberOf` to records: the collections that the concepts are in. */
async function addCollections(
  dependencies: ReadDependencies,
  concepts: readonly ListedConcept[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<void> {
  const uris = concepts.map(({ uri }) => uri)
  const links = await collectionLinks(dependencies, uris, view, signal)
  for (const { uri, record } of concepts) record.memberOf = links.get(uri) ?? []
}

/** Adds `partOf` to the mappings of records: the concordances that have them (JSKOS 0.7, Concept Mappings). */
async function addConcordances(
  { mappingsOfConcordances }: ReadDependencies,
  concepts: readonly ListedConcept[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const mapped = concepts.flatMap(({ uri, record }) => (record.mappings?.length ? uri : []))
  if (!mappingsOfConcordances || mapped.length === 0) return
  const concordances = new Map<string, string[]>()
  for (const mapping of await mappingsOfConcordances(mapped, signal)) {
    const [[from, ...furtherFrom], [to, ...furtherTo]] = [conceptsOf(mapping.from), conceptsOf(mapping.to)]
    if (furtherFrom.length + furtherTo.length > 0 || from?.uri === undefined || to?.uri === undefined) continue
    const statement = statementOf(from.uri, typeOf(mapping), to.uri)
    const uris = (mapping.partOf ?? []).flatMap((concordance) => concordance?.uri ?? [])
    concordances.set(statement, [...(concordances.get(statement) ?? []), ...uris])
  }
  const withConcordances = (mapping: ConceptMapping): ConceptMapping => {
    const { from, type, to } = mapping
    const uris = concordances.get(statementOf(from.memberSet[0]!.uri, type[0]!, to.memberSet[0]!.uri)) ?? []
    if (uris.length === 0) return mapping
    return { ...mapping, partOf: [...new Set(uris)].sort(compareCodePoints).map((uri) => ({ uri })) }
  }
  for (const { record } of concepts) {
    if (record.mappings?.length) record.mappings = record.mappings.map(withConcordances)
  }
}

function statementOf(...terms: [from: string, type: string, to: string]): string {
  return terms.join(' ')
}

async function addDescendants(
  dependencies: ReadDependencies,
  concepts: readonly ListedConcept[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (concepts.length === 0) return
  const query = queryTemplate('describe/descendants').bind({
    terms: { c: concepts.map(({ uri }) => iri(uri)), ...neighbourTerms(view.scope) },
  })
  const rows = await dependencies.client.select(query, { signal })
  const below = new Map<string, string[]>()
  for (const { c, descendant } of rows) addToList(below, c!.value, descendant!.value)
  const links = await linksOf(dependencies, new Set([...below.values()].flat()), view, signal)
  for (const { uri, record, inScheme } of concepts) {
    const descendants = (below.get(uri) ?? []).flatMap((descendant) => links.get(descendant) ?? [])
    record.descendants = itemsInOrder(descendants, inScheme, view.order)
  }
}

/** Concepts as a record names them: uri, label and notation. */
async function linksOf(
  { client }: ReadDependencies,
  uris: ReadonlySet<string>,
  view: View,
  signal: AbortSignal | undefined,
): Promise<Map<string, Link>> {
  const framed = frameNodes(await readLinkNames(client, [...uris], signal))
  const links = [...uris].flatMap((uri) => conceptLink(framed.named(uri), view) ?? [])
  return new Map(links.map((link) => [link.uri, link]))
}
