import type { Graph } from '../sparql/ntriples.ts'
import { conceptQuery, IN_SCHEME, linkProperties, type ConceptSet } from './concept-query.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { View } from './request.ts'

/**
 * The data of some concepts, with the names of what they link to. Throws the errors of the client.
 *
 * @param also properties of the concepts besides those that the view shows.
 */
export async function readConceptGraph(
  { client, registry, linkNames }: ReadDependencies,
  set: ConceptSet,
  view: View,
  signal: AbortSignal | undefined,
  also: readonly string[] = [],
): Promise<Graph> {
  const vocabularies = await registry.list()
  const hasSubsets = vocabularies.some(({ isSubset }) => isSubset)
  // Without any vocabulary, nothing tells which notes there are.
  const hasResourceNotes = vocabularies.length === 0 || vocabularies.some((one) => one.hasResourceNotes)
  const ask = (withNames: boolean) =>
    client.construct(conceptQuery(set, view, { also, withNames, hasSubsets, hasResourceNotes }), { signal })
  // The records of a list name the same things again and again, so the service remembers their names; single concepts name
  // different things.
  const isOne = 'uris' in set && set.uris.length === 1
  if (isOne || !linkNames) return ask(true)
  const [graph, state] = await Promise.all([ask(false), linkNames.state()])
  const linked = linkedBy(graph, view)
  // Only the same answer can name a blank node.
  if (!linked) return ask(true)
  await linkNames.addTo(graph, linked, state, signal)
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
