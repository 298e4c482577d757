import { RDF, SKOS } from '../../base/namespaces.ts'
import { schemesOfConcepts } from './hierarchy.ts'
import { NamespaceFinder } from './namespace.ts'
import type { SourceGraph } from './source-graph.ts'

const MAPPINGS = new Set(
  ['mappingRelation', 'closeMatch', 'exactMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'].map(
    (name) => SKOS + name,
  ),
)
/** The properties of collections, and of the lists of ordered ones. */
const MEMBERSHIPS = new Set([`${SKOS}member`, `${SKOS}memberList`, `${RDF}first`])

/**
 * Finds the concepts of other vocabularies that files describe only because their own concepts are mapped to them, with
 * a name and the type skos:Concept: objects of mapping properties whose URIs do not begin with the namespace, and that
 * no scheme, hierarchy or collection has. They are no concepts of the files any more (docs/loading.md, "Loading").
 *
 * @param schemes the schemes that name graphs.
 */
export function leaveOutMappingTargets(
  source: SourceGraph,
  schemes: readonly number[],
  subsets: ReadonlySet<number>,
): void {
  const candidates = unlinkedConcepts(source)
  if (candidates.size === 0) return
  const targets = new Set<number>()
  const members = new Set<number>()
  for (const { node, statements } of source.descriptions()) {
    for (const { predicate, object } of statements) {
      const isMembership = MEMBERSHIPS.has(predicate)
      if (!isMembership && !MAPPINGS.has(predicate)) continue
      if (isMembership) members.add(node)
      const other = object.startsWith('<') ? source.find(object.slice(1, -1)) : undefined
      if (other === undefined || other === node || !candidates.has(other)) continue
      if (isMembership) members.add(other)
      else targets.add(other)
    }
  }
  for (const member of members) targets.delete(member)
  if (targets.size === 0) return
  const namespaces = namespacesWithout(source, schemes, subsets, targets)
  if (namespaces.length === 0) return
  const isOutside = (node: number) => !namespaces.some((namespace) => source.iri(node).startsWith(namespace))
  source.leaveOut([...targets].filter(isOutside))
}

/** The concepts that neither name a scheme nor have a place in a hierarchy. */
function unlinkedConcepts(source: SourceGraph): Set<number> {
  const { links, size } = source
  const isLinked = new Uint8Array(size)
  for (const link of ['inScheme', 'topConceptOf'] as const) links[link].forEach((from) => (isLinked[from] = 1))
  links.hasTopConcept.forEach((_, to) => (isLinked[to] = 1))
  for (const link of ['broader', 'narrower', 'broaderTransitive', 'narrowerTransitive'] as const) {
    links[link].forEach((from, to) => (isLinked[from] = isLinked[to] = 1))
  }
  const targets = new Set<number>()
  for (let node = 0; node < size; node++) {
    if (source.isConcept(node) && !isLinked[node] && !source.isScheme(node)) targets.add(node)
  }
  return targets
}

/** The namespaces of the schemes, found without some of the concepts. */
function namespacesWithout(
  source: SourceGraph,
  schemes: readonly number[],
  subsets: ReadonlySet<number>,
  except: ReadonlySet<number>,
): string[] {
  const { size } = source
  const schemesOf = schemesOfConcepts(source, schemes, subsets).bySource(size)
  return schemes.flatMap((scheme) => {
    const finder = new NamespaceFinder()
    finder.addScheme(source.describe(scheme).statements)
    for (let node = 0; node < size; node++) {
      if (source.isConcept(node) && !except.has(node) && schemesOf.of(node).includes(scheme)) {
        finder.addConcept(source.iri(node))
      }
    }
    return finder.namespace ?? []
  })
}
