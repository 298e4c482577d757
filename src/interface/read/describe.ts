import type { RecordKind } from '../../graph/jskos/fields.ts'
import type { ResourceCache } from '../../graph/memory/resource-cache.ts'
import { IN_SCHEME } from '../../base/namespaces.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { conceptQuery, describedProperties, linkProperties, objectsQuery } from './concept-query.ts'
import type { ReadDependencies } from './dependencies.ts'
import { addLinkNames } from './link-names.ts'
import type { View } from './request.ts'

/**
 * The data of some concepts, with the names of what they link to. The service does not read again the concepts that it
 * remembers.
 *
 * @param uris of the concepts; those that the store does not have are left out.
 * @throws the errors of the client.
 */
export async function readConceptGraph(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<Graph> {
  const { client, registry, resources, state } = dependencies
  const notes = kindsOfNotes(await registry.list())
  const ask = (some: readonly string[], withNames: boolean) =>
    client.construct(conceptQuery(some, view, { withNames, ...notes }), { signal })
  if (!resources) return ask(uris, true)

  // A subset shows another part of a statement.
  const isWhole = resources.keepsStatements && view.scope.subsets.length === 0
  const wanted: ReadonlySet<string> = isWhole ? describedProperties(view) : new Set()
  const isRemembered = isWhole && !view.properties.has('ancestors') && resources.haveAll(wanted)
  const cached = isRemembered ? await resources.cached(uris) : undefined
  const graph: Graph = new Map()
  for (const uri of cached ? uris : []) {
    const statement = cached!.statement(uri, wanted)
    if (statement) graph.set(uri, statement)
  }
  const missing = uris.filter((uri) => !graph.has(uri))
  // A single concept brings the names along: each has other neighbours, and a second request would take the store as
  // long as the first.
  const withNames = missing.length === 1 && graph.size === 0
  const before = cached?.state ?? (await state.recent(signal))
  const [read, present] = await Promise.all([
    missing.length > 0 ? ask(missing, withNames) : undefined,
    withNames ? undefined : (cached ?? resources.present()),
  ])
  for (const [uri, node] of read ?? []) graph.set(uri, node)
  if (isWhole && resources.areAllIn(wanted)) keepStatements(resources, missing, graph, before)
  const linked = linkedBy(graph, view)
  if (present) {
    // Only the same answer can name a blank node.
    if (!linked) return ask(uris, true)
    await addLinkNames({ client, resources }, graph, linked, present, signal)
  } else if (isRemembered) keepLinkNames(resources, graph, linked ?? [], before)
  return graph
}

/**
 * What the store says about the objects within records, beyond the names of items; undefined if the view shows none of
 * them, or no vocabulary has any.
 *
 * @throws the errors of the client.
 */
export async function readObjects(
  { client, registry }: Pick<ReadDependencies, 'client' | 'registry'>,
  uris: readonly string[],
  view: Pick<View, 'properties' | 'graph'>,
  kind: RecordKind,
  signal: AbortSignal | undefined,
): Promise<Graph | undefined> {
  const query = objectsQuery(uris, view, kind)
  if (query === undefined) return undefined
  const vocabularies = await registry.list()
  // Without any vocabulary, nothing tells what there is.
  if (vocabularies.length > 0 && !vocabularies.some(({ hasObjects }) => hasObjects)) return undefined
  return client.construct(query, { signal })
}

function kindsOfNotes(vocabularies: readonly Vocabulary[]): { hasSubsets: boolean; hasResourceNotes: boolean } {
  return {
    hasSubsets: vocabularies.some(({ isSubset }) => isSubset),
    // Without any vocabulary, nothing tells which notes there are.
    hasResourceNotes: vocabularies.length === 0 || vocabularies.some((vocabulary) => vocabulary.hasResourceNotes),
  }
}

/** Keeps the statements of those concepts that a graph describes. */
function keepStatements(resources: ResourceCache, uris: Iterable<string>, graph: Graph, before: string): void {
  for (const uri of uris) {
    const node = graph.get(uri)
    // Only what the query has selected has inScheme.
    if (node?.has(IN_SCHEME)) resources.keepStatement(uri, node, before)
  }
}

/** Keeps the names that came along with a concept, also of things without any. */
function keepLinkNames(resources: ResourceCache, graph: Graph, linked: Iterable<string>, before: string): void {
  for (const uri of linked) {
    if (!resources.hasNames(uri, before)) resources.keepNames(uri, graph.get(uri) ?? new Map<never, never>(), before)
  }
}

/**
 * The IRIs of the things that the records of a graph name, but for those that it describes; undefined if one has no
 * IRI.
 */
function linkedBy(graph: Graph, view: View): Set<string> | undefined {
  const linked = new Set<string>()
  const properties = linkProperties(view)
  const isNamed = (uri: string) => view.properties.has('prefLabel') && graph.get(uri)?.has(IN_SCHEME)
  for (const node of graph.values()) {
    if (!node.has(IN_SCHEME)) continue
    for (const { termType, value } of properties.flatMap((property) => node.get(property) ?? [])) {
      if (termType === 'BlankNode') return undefined
      if (termType === 'NamedNode' && !isNamed(value)) linked.add(value)
    }
  }
  return linked
}
