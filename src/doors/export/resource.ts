import { ApiError } from '../../base/errors.ts'
import { FIELDS } from '../../graph/jskos/fields.ts'
import { BOOKKEEPING } from '../../base/namespaces.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import { nameLinks } from '../../interface/read/link-names.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { Graph, NodeProperties } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { writeNode } from '../../graph/sparql/statements.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { ExportSource } from './export.ts'

/**
 * All that a graph says about one resource, with its blank nodes, and the labels and notations of what its statements
 * name, for people who read them. It comes in the order of the fields of records.
 *
 * @param signal ends the requests to the store.
 */
export function resourceSource(
  dependencies: Pick<ReadDependencies, 'client' | 'resources'>,
  graph: string,
  uri: string,
  signal: AbortSignal,
): Pick<ExportSource, 'statements' | 'properties' | 'derived'> {
  return describedSource(describe(dependencies, graph, uri, signal))
}

/** A graph as a source of an export, in the order of the fields of records. */
export function describedSource(
  described: Promise<Graph>,
): Pick<ExportSource, 'statements' | 'properties' | 'derived'> {
  // Both functions await it.
  described.catch(() => undefined)
  return {
    async *statements() {
      for (const [name, properties] of await described) yield writeNode(name, sortedProperties(properties))
    },
    derived: () => Promise.resolve([]),
    properties: async () => [...new Set([...(await described).values()].flatMap((node) => [...node.keys()]))],
  }
}

/** @throws ApiError EntityNotFoundError if the graph states nothing about the resource; the errors of the client. */
async function describe(
  dependencies: Pick<ReadDependencies, 'client' | 'resources'>,
  graph: string,
  uri: string,
  signal: AbortSignal,
): Promise<Graph> {
  const nodes = await readResource(dependencies, graph, uri, signal)
  const statements = nodes.get(uri)
  if (!statements?.size) throw new ApiError('EntityNotFoundError', 'uri: there is nothing about this resource.')
  const named = objectsOf(nodes).flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : []))
  // The resource comes first.
  const described = new Map([[uri, statements], ...nodes])
  const links = [...new Set(named)].filter((link) => link !== uri && isAbsoluteIri(link))
  await nameLinks(dependencies, described, links, signal)
  return described
}

/**
 * The statements of a graph about a resource, with its blank nodes, without notes of the service. Throws the errors of
 * the client.
 */
export async function readResource(
  { client }: Pick<ReadDependencies, 'client'>,
  graph: string,
  uri: string,
  signal: AbortSignal,
): Promise<Graph> {
  const ask = (include: string[]) => {
    const query = queryTemplate('export/resource').bind({ terms: { graph: [iri(graph)], c: [iri(uri)] }, include })
    return client.construct(query, { signal })
  }
  const nodes = await ask([])
  return withoutNotes(hasUnknownBlankNodes(nodes) ? await ask(['deep']) : nodes)
}

/** True if a graph names blank nodes that it does not describe. */
export function hasUnknownBlankNodes(graph: Graph): boolean {
  return objectsOf(graph).some(({ termType, value }) => termType === 'BlankNode' && !graph.has(value))
}

/** The same graph without the properties that only the service uses. */
export function withoutNotes(graph: Graph): Graph {
  for (const node of graph.values()) {
    for (const property of node.keys()) if (property.startsWith(BOOKKEEPING)) node.delete(property)
  }
  return graph
}

function objectsOf(graph: Graph) {
  return [...graph.values()].flatMap((node) => [...node.values()].flat())
}

const PLACES = new Map(FIELDS.map(({ property }, at) => [property, at]))

function sortedProperties(properties: NodeProperties): NodeProperties {
  const place = (property: string) => PLACES.get(property) ?? FIELDS.length
  return new Map([...properties].sort(([a], [b]) => place(a) - place(b)))
}
