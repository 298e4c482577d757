import { NODE_PROPERTIES, type RecordKind } from '../../graph/jskos/fields.ts'
import { IN_SCHEME, NAMING, RDF_TYPE } from '../../base/namespaces.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import type { Properties } from '../../graph/jskos/properties.ts'
import { pickProperties, type ResourceCache } from '../../graph/memory/resource-cache.ts'
import type { Graph, NodeProperties } from '../../graph/sparql/ntriples.ts'
import type { TemplateName } from '../../graph/sparql/template-names.ts'
import type { BoundSelect } from '../../graph/sparql/templates.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import {
  conceptQuery,
  describedProperties,
  itemsQuery,
  linkProperties,
  MOST_RELATIVES,
  objectsQuery,
  type Relatives,
} from './concept-query.ts'
import type { ReadDependencies } from './dependencies.ts'
import { addLinkNames } from './link-names.ts'
import type { View } from './request.ts'
import { MOST_OF_REQUEST } from './shared-queries.ts'

/**
 * The data of some concepts, with the names of what they link to. The service does not read again the concepts that it
 * remembers.
 *
 * @param uris of the concepts; the result lacks concepts that the store does not have.
 * @throws the errors of the client.
 */
export async function readConceptGraph(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const { client, resources } = dependencies
  const wanted = describedProperties(view)
  const mayBeCached = resources && isWhole(view) && !view.properties.has('ancestors') && resources.haveAll(wanted)
  const cached = mayBeCached ? await resources.cached(uris) : undefined
  if (!resources || !cached) return describeConcepts(dependencies, uris, view, signal)
  const graph: Graph = new Map()
  for (const uri of uris) {
    const statement = cached.statement(uri, wanted)
    if (statement) graph.set(uri, statement)
  }
  const linked = linkedBy(graph, view)
  const missing = uris.filter((uri) => !graph.has(uri))
  const read = missing.length > 0 ? await describeConcepts(dependencies, missing, view, signal) : undefined
  // The concepts just read may bring only the names of a remembered concept.
  for (const [uri, node] of read ?? []) if (!graph.has(uri)) graph.set(uri, node)
  await addLinkNames({ client, resources }, graph, linked, cached, signal)
  return graph
}

/**
 * The same in one request to the store, whatever the service remembers; it then remembers the answer.
 *
 * @param concepts their URIs, or a selection of them.
 * @throws the errors of the client.
 */
export async function describeConcepts(
  dependencies: ReadDependencies,
  concepts: readonly string[] | BoundSelect,
  view: View,
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const { client, registry, resources, shared, state } = dependencies
  const kinds = kindsOfNotes(await registry.list())
  const queryFor = (some: readonly string[] | BoundSelect) => conceptQuery(some, view, kinds)
  if (!resources || view.graph !== undefined) return client.construct(queryFor(concepts), { signal })
  const before = await state.recent(signal)
  const isShared = signal && !('text' in concepts) && isBrief(view) && concepts.length <= MOST_OF_REQUEST
  const graph = isShared
    ? partOf(await shared.construct(concepts, view.properties, queryFor, signal), concepts, view)
    : await client.construct(queryFor(concepts), { signal })
  remember(resources, graph, view, before)
  return graph
}

/**
 * The same for the concepts that a template selects for some resources, in a query that requests share. Undefined if
 * the request cannot share one, or if the concepts are too many for it.
 *
 * @param among the URIs of the concepts in a graph that has those of other requests, too.
 * @throws the errors of the client.
 */
export async function describeRelatives(
  { registry, resources, shared, state }: ReadDependencies,
  relatives: Relatives,
  among: (graph: Graph) => Iterable<string>,
  view: View,
  signal: AbortSignal,
): Promise<Graph | undefined> {
  const { of, template } = relatives
  if (!resources || !view.scope.all || !isBrief(view) || of.length > MOST_OF_REQUEST) return undefined
  const kinds = kindsOfNotes(await registry.list())
  const before = await state.recent(signal)
  const queryFor = (some: readonly string[]) => conceptQuery({ ...relatives, of: some }, view, kinds)
  const all = await shared.construct(of, ofRelatives(view.properties)(template), queryFor, signal)
  const described = new Set(describedIn(all))
  if (described.size >= MOST_RELATIVES) return undefined
  const graph = partOf(
    all,
    [...new Set(among(all))].filter((uri) => described.has(uri)),
    view,
  )
  remember(resources, graph, view, before)
  return graph
}

/** Requests share a query if they show the same and have the same template. */
const ofRelatives = memoize(
  (properties: Properties) => memoize((template: TemplateName) => ({ properties, template }), new Map()),
  new WeakMap(),
)

/** Remembers what the store has said of concepts and of what they link to. @param before the state that it was in. */
function remember(resources: ResourceCache, graph: Graph, view: View, before: string): void {
  if (isWhole(view) && resources.areAllIn(describedProperties(view))) {
    for (const [uri, node] of graph) if (node.has(IN_SCHEME)) resources.keepStatement(uri, node, before)
  }
  for (const uri of linkedBy(graph, view)) {
    // Something without any name is remembered, too.
    if (!resources.hasNames(uri, before)) resources.keepNames(uri, graph.get(uri) ?? new Map<never, never>(), before)
  }
}

/** The statements of some concepts in a graph of several, and the names of what they link to. */
function partOf(graph: Graph, uris: readonly string[], view: View): Graph {
  const part: Graph = new Map()
  for (const uri of uris) {
    const node = graph.get(uri)
    if (node) part.set(uri, node)
  }
  const properties = linkProperties(view)
  const links = [...part.values()].flatMap((node) => properties.flatMap((property) => node.get(property) ?? []))
  for (const { value } of links) {
    const node = graph.get(value)
    // Another concept of the graph has its names alone here.
    if (node && !part.has(value)) part.set(value, pickProperties(node, NAMING))
  }
  return part
}

/** The URIs of the concepts in a graph of `describeConcepts`, whose other nodes have names alone. */
export function describedIn(graph: Graph): string[] {
  return [...graph].flatMap(([uri, node]) => (node.has(RDF_TYPE) || node.has(IN_SCHEME) ? uri : []))
}

/** Nothing that the view shows takes the store long. */
function isBrief(view: View): boolean {
  return isWhole(view) && !view.properties.has('ancestors') && !view.properties.requested('narrower')
}

/** A subset and a graph show a part of what the store says. */
function isWhole({ scope, graph }: View): boolean {
  return scope.subsets.length === 0 && graph === undefined
}

/**
 * The statements of the store about the objects within records, beyond the names of items; undefined if the view shows
 * none of them, or no vocabulary has any.
 *
 * @throws the errors of the client.
 */
export async function readObjects(
  { client, registry }: Pick<ReadDependencies, 'client' | 'registry'>,
  uris: readonly string[],
  view: Pick<View, 'properties' | 'graph' | 'scope'>,
  kind: RecordKind,
  signal: AbortSignal | undefined,
): Promise<Graph | undefined> {
  const query = objectsQuery(uris, view, kind)
  if (query === undefined) return undefined
  const vocabularies = await registry.list()
  // Without any vocabulary, it is unknown what there is. Lists of collections are no objects.
  const isRecorded = kind !== 'collection' || view.graph === undefined
  if (isRecorded && vocabularies.length > 0 && !vocabularies.some(({ hasObjects }) => hasObjects)) return undefined
  const graph = await client.construct(query, { signal })
  const asked = new Set(uris)
  for (const uri of uris) for (const item of itemsOf(graph.get(uri))) asked.add(item)
  for (let round = 1; round <= MOST_ROUNDS; round++) {
    const unread = unreadItems(graph, asked)
    if (unread.length === 0) break
    for (const uri of unread) asked.add(uri)
    addObjects(graph, await client.construct(itemsQuery(unread, view), { signal }), unread, `_${round}`)
  }
  return graph
}

/** Items within items are asked for so often; records nest no deeper. */
const MOST_ROUNDS = 5

/** The IRIs that a node leads to as items. */
function itemsOf(node: NodeProperties | undefined): string[] {
  return [...(node ?? [])].flatMap(([property, objects]) =>
    property === RDF_TYPE ? [] : objects.flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : [])),
  )
}

/** The IRIs of the described items that name nodes without a description: the query goes through blank nodes alone. */
function unreadItems(graph: Graph, asked: ReadonlySet<string>): string[] {
  return [...graph].flatMap(([uri, node]) => {
    if (uri.startsWith('_:') || asked.has(uri)) return []
    const isUnread = [...node].some(
      ([property, objects]) =>
        property !== RDF_TYPE &&
        objects.some(({ termType, value }) =>
          termType === 'BlankNode' ? !graph.has(value) : NODE_PROPERTIES.has(property) && !graph.has(value),
        ),
    )
    return isUnread ? uri : []
  })
}

/** Adds what the store says of items to a graph. @param suffix for blank nodes: each answer has its own labels. */
function addObjects(graph: Graph, more: Graph, uris: readonly string[], suffix: string): void {
  const items = new Set(uris)
  for (const [subject, node] of more) {
    for (const objects of node.values())
      for (const [at, object] of objects.entries()) {
        if (object.termType === 'BlankNode') objects[at] = { ...object, value: object.value + suffix }
      }
    if (subject.startsWith('_:')) graph.set(subject + suffix, node)
    else if (!graph.has(subject)) graph.set(subject, node)
    else if (items.has(subject)) for (const [property, objects] of node) graph.get(subject)!.set(property, objects)
  }
}

function kindsOfNotes(vocabularies: readonly Vocabulary[]): { hasSubsets: boolean; hasResourceNotes: boolean } {
  return {
    hasSubsets: vocabularies.some(({ isSubset }) => isSubset),
    // Without any vocabulary, it is unknown which notes there are.
    hasResourceNotes: vocabularies.length === 0 || vocabularies.some((vocabulary) => vocabulary.hasResourceNotes),
  }
}

/** The IRIs of the things that the records of a graph name, except things that the graph itself names. */
function linkedBy(graph: Graph, view: View): Set<string> {
  const linked = new Set<string>()
  const properties = linkProperties(view)
  const isNamed = (uri: string) => view.properties.has('prefLabel') && graph.get(uri)?.has(IN_SCHEME)
  for (const node of graph.values()) {
    if (!node.has(IN_SCHEME)) continue
    for (const { termType, value } of properties.flatMap((property) => node.get(property) ?? [])) {
      if (termType === 'NamedNode' && !isNamed(value)) linked.add(value)
    }
  }
  return linked
}
