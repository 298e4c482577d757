import { frameNodes, type Framing } from '../jskos/frame.ts'
import { compareRecords, smallest, type SortKey } from '../jskos/order.ts'
import { conceptLink, conceptRecord, type JskosRecord } from '../jskos/record.ts'
import type { RememberedAnswers } from '../http/remembered-answers.ts'
import type { Remembered } from '../memory/remembered.ts'
import type { StoreState } from '../memory/store-state.ts'
import { ABOVE, ABOVE_TOP_OF, CONCEPT, HAS_NARROWER, RDF_TYPE, SKOS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Hierarchies } from './hierarchies.ts'
import { readLinkNames, type LinkNames } from './link-names.ts'
import type { ListChecks } from './list-checks.ts'
import type { Replica } from './replica.ts'
import type { SparqlClient } from '../sparql/client.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { iri } from '../sparql/terms.ts'
import type { Scope, VocabularyRegistry } from '../vocabularies/registry.ts'
import { chains, type Edge } from './chain.ts'
import { IN_SCHEME } from './concept-query.ts'
import type { View } from './request.ts'
import { Turn } from './turn.ts'

/** The dependencies of every read. */
export interface ReadDependencies {
  client: SparqlClient
  registry: VocabularyRegistry
  /** Writers announce their changes to it. */
  state: StoreState
  answers: RememberedAnswers
  /** The lengths of long lists, by the query that counts them or selects them. */
  counts: Remembered<number>
  /** Checks which lists the service can read by their positions. */
  listChecks: ListChecks
  /** The hierarchies of large vocabularies. */
  hierarchies: Hierarchies
  /** The names of things that many records name; absent if the service must not remember any. */
  linkNames: LinkNames | undefined
  /** If the store is a replica: how far it is behind. */
  replica?: Replica
  /** For reading what was just written; only if the store is a replica. */
  primary?: ReadDependencies
}

/** A concept with its place in the order of records. */
export interface Described extends SortKey {
  record: JskosRecord
  /** Its broader concepts and the vocabularies that it is a top concept of, for chains of ancestors; only if requested. */
  broader: string[]
  topConceptOf: string[]
  inScheme: string[]
  /** True if it is a skos:Concept. */
  isConcept: boolean
}

const NOTATION = `${SKOS}notation`
const BROADER = `${SKOS}broader`
const TOP_CONCEPT_OF = `${SKOS}topConceptOf`
/** The properties that chains of ancestors are chosen by. */
export const HIERARCHY = [BROADER, TOP_CONCEPT_OF]

/**
 * The concepts of a graph from queries/describe/concept.rq, in the order of records. Only `descendants` needs further
 * requests to the store.
 *
 * @param uris if the graph may have other concepts: the URIs of the wanted ones.
 */
export async function describedConcepts(
  dependencies: ReadDependencies,
  graph: Graph,
  view: View,
  signal: AbortSignal | undefined,
  uris: Iterable<string> = graph.keys(),
): Promise<Described[]> {
  const framed = frameNodes(graph)
  const described: Described[] = []
  const turn = new Turn(signal)
  for (const uri of uris) {
    if (turn.isOver) await turn.next()
    const properties = graph.get(uri)
    // Only results have inScheme; concepts that a record names have a label and a notation at most.
    if (!properties?.has(IN_SCHEME)) continue
    described.push({
      uri,
      key: sortKey(properties),
      record: conceptRecord(framed(uri)!, properties.has(HAS_NARROWER), view),
      broader: texts(properties.get(BROADER)).filter((value) => value !== uri),
      topConceptOf: texts(properties.get(TOP_CONCEPT_OF)),
      inScheme: texts(properties.get(IN_SCHEME)),
      isConcept: texts(properties.get(RDF_TYPE)).includes(CONCEPT),
    })
  }
  described.sort(compareRecords)
  if (view.properties.has('ancestors')) addAncestors(described, graph, framed, view)
  if (view.properties.has('descendants')) await addDescendants(dependencies, described, view, signal)
  return described
}

function texts(terms: readonly ObjectTerm[] | undefined): string[] {
  return (terms ?? []).map(({ value }) => value)
}

/** The smallest notation of a record; empty ones and resources do not count. */
function sortKey(properties: NodeProperties | undefined): string | undefined {
  const notations = properties?.get(NOTATION)?.filter(({ termType, value }) => termType === 'Literal' && value !== '')
  return smallest(texts(notations))
}

/** Adds `ancestors` to records: one chain each, with labels (JSKOS 0.7, Concept, ancestors). */
function addAncestors(described: readonly Described[], graph: Graph, framed: Framing, view: View): void {
  const edges: Edge[] = []
  for (const [child, properties] of graph) {
    for (const { value: uri } of properties.get(ABOVE) ?? []) {
      const parent = graph.get(uri)
      const key = sortKey(parent)
      edges.push({ child, parent: { uri, key, topConceptOf: texts(parent?.get(ABOVE_TOP_OF)) } })
    }
  }
  const chainOf = chains(edges)
  for (const one of described) {
    one.record['ancestors'] = chainOf(one).map((uri) => conceptLink(framed.named(uri), view))
  }
}

/** The broader relations above some concepts to concepts inside a scope, in one request. */
export async function hierarchy(
  dependencies: ReadDependencies,
  uris: readonly string[],
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<Edge[]> {
  if (uris.length === 0) return []
  // A chain stays within the subset.
  const within = scope.subsets.length > 0 ? scope.subsets : scope.schemes
  const query = queryTemplate('describe/hierarchy').bind({
    terms: { c: uris.map(iri), scope: scope.all ? undefined : within.map(({ uri }) => iri(uri)) },
  })
  const rows = await dependencies.client.select(query, { signal })
  return rows.flatMap((row) =>
    row['child'] && row['parent']
      ? {
          child: row['child'].value,
          parent: {
            uri: row['parent'].value,
            key: row['key']?.value,
            topConceptOf: row['topConceptOf']?.value.split(' ') ?? [],
          },
        }
      : [],
  )
}

async function addDescendants(
  dependencies: ReadDependencies,
  described: readonly Described[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (described.length === 0) return
  const { scope } = view
  const query = queryTemplate('describe/descendants').bind({
    terms: {
      c: described.map(({ uri }) => iri(uri)),
      subset: scope.subsets.length > 0 ? scope.subsets.map(({ uri }) => iri(uri)) : undefined,
    },
  })
  const rows = await dependencies.client.select(query, { signal })
  const below = new Map<string, string[]>()
  for (const row of rows) {
    const list = below.get(row['c']!.value)
    if (list) list.push(row['descendant']!.value)
    else below.set(row['c']!.value, [row['descendant']!.value])
  }
  const links = await describeLinks(dependencies, new Set([...below.values()].flat()), view, signal)
  const order = (link: JskosRecord) => ({
    key: (link['notation'] as string[] | undefined)?.[0],
    uri: link['uri'] as string,
  })
  for (const { uri, record } of described) {
    const descendants = (below.get(uri) ?? []).map((one) => links.get(one)!)
    record['descendants'] = descendants.sort((a, b) => compareRecords(order(a), order(b)))
  }
}

/** Concepts as a record names them: uri, label and notation. */
async function describeLinks(
  { client }: ReadDependencies,
  uris: ReadonlySet<string>,
  view: View,
  signal: AbortSignal | undefined,
): Promise<Map<string, JskosRecord>> {
  const framed = frameNodes(await readLinkNames(client, [...uris], signal))
  return new Map([...uris].map((uri) => [uri, conceptLink(framed.named(uri), view)]))
}
