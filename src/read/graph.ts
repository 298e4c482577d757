import { SELECTION } from '../namespaces.ts'
import type { Graph, NodeProperties } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { union, type Terms } from '../sparql/templates.ts'
import { iri } from '../sparql/terms.ts'
import { describeBindings, IN_SCHEME, linkProperties, type ReadDependencies, type Selection } from './describe.ts'
import type { View } from './request.ts'

/** The most single concepts, or lists, that answers get with one request to the store. */
const MOST_TOGETHER = { uris: 50, lists: 8 }

/** A graph that `describedConcepts` makes records of, and which of its concepts the answer wants. */
interface ConceptGraph {
  graph: Graph
  /** Absent: all. */
  isWanted?: (uri: string, properties: NodeProperties) => boolean
}

/**
 * The graph of the concepts of a selection. If the store is busy, several answers share the request. Throws the errors of the client.
 *
 * @param withHierarchy true: also fetch the hierarchy that chains of ancestors are chosen from.
 */
export async function graphOf(
  dependencies: ReadDependencies,
  selection: Selection,
  view: View,
  signal: AbortSignal | undefined,
  withHierarchy: boolean,
): Promise<ConceptGraph> {
  const isOne = 'uris' in selection && selection.uris.length === 1
  const options = { withHierarchy, asksNames: isOne }
  if (!isShared(selection, view)) {
    return { graph: await describingGraph(dependencies, () => selection, view, { signal, ...options }) }
  }
  const [key, most] =
    'uris' in selection ? [selection.uris[0]!, MOST_TOGETHER.uris] : [selection.select.text, MOST_TOGETHER.lists]
  const fields = view.properties.fields('concept').map(({ name }) => name)
  const kind = [isOne, withHierarchy, ...fields].join(' ')
  const { graph, keys } = await dependencies.batches.read({ kind, most, signal }, key, selection, ({ close, signal }) =>
    describingGraph(dependencies, () => together(close()), view, { signal, ...options }),
  )
  if (keys.length === 1) return { graph }
  const place = String(keys.indexOf(key))
  const isWanted = (uri: string, properties: NodeProperties) =>
    isOne ? uri === key : (properties.get(SELECTION)?.some(({ value }) => value === place) ?? false)
  return { graph, isWanted }
}

/** True if others can share the request to the store without having to wait long for these records. */
function isShared(selection: Selection, { properties, scope }: View): boolean {
  const isShort = 'uris' in selection ? selection.uris.length === 1 : !selection.isLong
  const isLong = properties.has('ancestors') || properties.has('descendants') || properties.requested('narrower')
  return isShort && !isLong && scope.subsets.length === 0
}

/** Several selections of the same kind as one. */
function together(selections: readonly Selection[]): Selection {
  if (selections.length === 1) return selections[0]!
  const selects = selections.flatMap((one) => ('select' in one ? one.select : []))
  if (selects.length > 0) return { select: union(selects, 'selection') }
  return { uris: selections.flatMap((one) => ('uris' in one ? one.uris : [])) }
}

/**
 * The graph that `describedConcepts` makes records of.
 *
 * @param choose gives the selection when the request is sent.
 * @param asksNames true: asks for the names of linked things in the same request, because one concept names other things than the
 *   one before. Otherwise the service remembers them, because the records of a list name the same things again and again.
 * @param more terms besides those of the view.
 */
export async function describingGraph(
  dependencies: ReadDependencies,
  choose: () => Selection,
  view: View,
  {
    signal,
    withHierarchy = false,
    asksNames = false,
    more = {},
  }: {
    signal: AbortSignal | undefined
    withHierarchy?: boolean
    asksNames?: boolean
    more?: Terms
  },
): Promise<Graph> {
  const { client, registry, linkNames } = dependencies
  const vocabularies = await registry.list()
  const hasSubsets = vocabularies.some(({ isSubset }) => isSubset)
  // Without any vocabulary, nothing tells which notes there are.
  const withNoteValues = vocabularies.length === 0 || vocabularies.some(({ hasResourceNotes }) => hasResourceNotes)
  const { terms, include } = describeBindings(view, { withHierarchy, hasSubsets, withNoteValues })
  const ask = (named: Terms): Promise<Graph> => {
    const all = { ...terms, ...more, ...named }
    const query = () => {
      const selection = choose()
      return queryTemplate('describe/concept').bind(
        'uris' in selection
          ? { terms: { ...all, c: selection.uris.map(iri) }, include }
          : { terms: all, include: [...include, 'selection'], subselect: { slot: 'c', select: selection.select } },
      )
    }
    const atLast = {
      name: 'describe/concept',
      get text() {
        return query().text
      },
    }
    return client.construct(atLast, { signal })
  }
  if (asksNames || !linkNames) return ask({})
  const [graph, state] = await Promise.all([ask({ link: undefined }), linkNames.state()])
  const linked = linkedBy(graph, view)
  // Only the same answer can name a blank node.
  if (!linked) return ask({})
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
