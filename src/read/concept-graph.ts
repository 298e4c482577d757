import type { KnownResources, RememberedResources } from '../memory/resources.ts'
import { IN_SCHEME, SKOS } from '../namespaces.ts'
import type { Graph, NodeProperties } from '../sparql/ntriples.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { conceptQuery, describedProperties, linkProperties, type ConceptSet } from './concept-query.ts'
import type { ReadDependencies } from './dependencies.ts'
import { addLinkNames } from './link-names.ts'
import type { View } from './request.ts'

/**
 * The data of some concepts, with the names of what they link to. The service does not read again the concepts that it remembers. Throws the
 * errors of the client.
 *
 * @param also properties of the concepts besides those that the view shows.
 */
export async function readConceptGraph(
  dependencies: ReadDependencies,
  set: ConceptSet,
  view: View,
  signal: AbortSignal | undefined,
  also: readonly string[] = [],
): Promise<Graph> {
  const { client, registry, resources, state } = dependencies
  const notes = kindsOfNotes(await registry.list())
  const ask = (some: ConceptSet, withNames: boolean) =>
    client.construct(conceptQuery(some, view, { also, withNames, ...notes }), { signal })
  if (!resources) return ask(set, true)

  const uris = 'uris' in set ? set.uris : []
  // A subset shows another part of a statement.
  const isWhole = resources.keepsStatements && view.scope.subsets.length === 0
  const wanted: ReadonlySet<string> = isWhole ? describedProperties(view, also) : new Set()
  const isKnowable = isWhole && !view.properties.has('ancestors') && resources.haveAll(wanted)
  const known = isKnowable ? await resources.known(uris) : undefined
  const statements: Graph = new Map()
  for (const uri of known ? uris : []) {
    const statement = known!.statement(uri, wanted)
    if (statement) statements.set(uri, statement)
  }
  const reading = { dependencies, view, signal, otherwise: () => ask(set, true) }
  if (known && statements.size === new Set(uris).size) return withLinkNames(reading, statements, known)

  const rest = statements.size === 0 ? set : { uris: uris.filter((uri) => !statements.has(uri)) }
  // The records of a list name the same things again and again, so the service remembers their names; a single concept brings
  // names along, because they are different for each, and a second request would take the store as long as the first.
  const isOne = uris.length === 1 || ('select' in set && set.isOne === true)
  const before = await state.recent(signal)
  const [read, present] = await Promise.all([ask(rest, isOne), isOne ? undefined : resources.present()])
  if (isWhole && resources.areAllIn(wanted))
    keepStatements(resources, 'uris' in rest ? rest.uris : read.keys(), read, before)
  if (!present) {
    if (isKnowable) keepLinkNames(resources, read, view, 'uris' in set ? uris : read.keys(), before)
    return read
  }
  return withLinkNames(reading, statements.size === 0 ? read : new Map([...statements, ...read]), present)
}

function kindsOfNotes(vocabularies: readonly Vocabulary[]): { hasSubsets: boolean; hasResourceNotes: boolean } {
  return {
    hasSubsets: vocabularies.some(({ isSubset }) => isSubset),
    // Without any vocabulary, nothing tells which notes there are.
    hasResourceNotes: vocabularies.length === 0 || vocabularies.some((one) => one.hasResourceNotes),
  }
}

/** Keeps the statements of those concepts that a graph describes. */
function keepStatements(resources: RememberedResources, uris: Iterable<string>, graph: Graph, before: string): void {
  for (const uri of uris) {
    const node = graph.get(uri)
    // Only what the query has selected has inScheme.
    if (node?.has(IN_SCHEME)) resources.keepStatement(uri, node, before)
  }
}

/** Keeps the names that came along with some concepts. */
function keepLinkNames(
  resources: RememberedResources,
  graph: Graph,
  view: View,
  uris: Iterable<string>,
  before: string,
): void {
  const own = new Map([...uris].flatMap((uri) => (graph.has(uri) ? [[uri, graph.get(uri)!] as const] : [])))
  for (const uri of linkedBy(own, view) ?? []) {
    if (!resources.hasNames(uri, before)) resources.keepNames(uri, graph.get(uri) ?? new Map<never, never>(), before)
  }
}

interface GraphReading {
  dependencies: ReadDependencies
  view: View
  signal: AbortSignal | undefined
  /** Reads all of it again, with the names. */
  otherwise: () => Promise<Graph>
}

/** A graph with the names of what its concepts link to. */
async function withLinkNames(
  { dependencies: { client, resources }, view, signal, otherwise }: GraphReading,
  graph: Graph,
  known: KnownResources,
): Promise<Graph> {
  const linked = linkedBy(graph, view)
  // Only the same answer can name a blank node.
  if (!linked) return otherwise()
  await addLinkNames({ client, resources: resources! }, graph, linked, known, signal)
  return graph
}

/** The IRIs of the things that the records of a graph name, but for those that it describes; undefined if one has no IRI. */
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

/**
 * The broader concepts of some concepts, if the service remembers what the store says about all of these; otherwise undefined.
 *
 * @throws the errors of the store.
 */
export async function knownBroader(
  { resources }: ReadDependencies,
  uris: readonly string[],
): Promise<Set<string> | undefined> {
  const known = await resources?.known(uris)
  const broader = new Set<string>()
  for (const uri of uris) {
    const statement = known?.statement(uri, BROADER)
    if (!statement) return undefined
    for (const one of broaderIn(statement)) if (one !== uri) broader.add(one)
  }
  return broader
}

/**
 * A concept and all concepts above it, if the service remembers what the store says about all of them; otherwise undefined.
 *
 * @param most how many, at most.
 * @throws the errors of the store.
 */
export async function knownAbove(
  { resources }: ReadDependencies,
  uri: string,
  most: number,
): Promise<Set<string> | undefined> {
  const known = await resources?.known([uri])
  const above = new Set([uri])
  // A set goes on with what is added to it meanwhile.
  for (const one of above) {
    const statement = known?.statement(one, BROADER)
    if (!statement || above.size > most) return undefined
    for (const broader of broaderIn(statement)) above.add(broader)
  }
  return above
}

const BROADER: ReadonlySet<string> = new Set([`${SKOS}broader`])

function broaderIn(statement: NodeProperties): string[] {
  const [objects = []] = statement.values()
  return objects.flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : []))
}
