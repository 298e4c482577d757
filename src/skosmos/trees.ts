import { isInLanguage } from '../jskos/names.ts'
import { compareCodePoints, compareRecords, smallestNotation } from '../jskos/order.ts'
import { nameLinks } from '../read/link-names.ts'
import { SKOS } from '../namespaces.ts'
import type { Graph } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, literal } from '../sparql/terms.ts'
import { cachedFragments } from './fragments.ts'
import type { SchemeRequest } from './request.ts'

/** A concept as trees show it. */
interface Labelled {
  uri: string
  /**
   * By language tag: labels in the language of the request and in its fallback language; if there are none, all labels.
   */
  prefLabel: Record<string, string>
  /** The smallest one. */
  notation?: string
}

/** A narrower concept. */
export interface TreeNode extends Labelled {
  hasChildren: boolean
}

/** A concept with the URIs of its broader concepts and of the concept schemes that it is a top concept of. */
export interface NodeAbove extends Labelled {
  broader: string[]
  tops: string[]
}

/**
 * A concept of the vocabulary of a request and the concepts above it, the nearest first; none if it is no concept of
 * the vocabulary.
 *
 * @throws the errors of the store.
 */
export async function aboveOf(request: SchemeRequest, uri: string): Promise<NodeAbove[]> {
  const { dependencies, vocabulary, signal } = request
  const query = queryTemplate('skosmos/above').bind({
    terms: { uri: [iri(uri)], scope: [iri(vocabulary.uri)], language: tagsOf(request) },
  })
  const nodes = new Map<string, NodeAbove>()
  for (const { c, label, notation, broader, top } of await dependencies.client.select(query, { signal })) {
    const nodeUri = c!.value
    let node = nodes.get(nodeUri)
    if (!node) nodes.set(nodeUri, (node = { uri: nodeUri, prefLabel: {}, broader: [], tops: [] }))
    describe(node, label, notation)
    if (broader && broader.value !== nodeUri && !node.broader.includes(broader.value)) node.broader.push(broader.value)
    if (top && !node.tops.includes(top.value)) node.tops.push(top.value)
  }
  if (!nodes.has(uri)) return []
  // The vocabulary is no concept, even if the graph has it as a broader one.
  for (const node of nodes.values())
    node.broader = node.broader.filter((broader) => broader !== vocabulary.uri || nodes.has(broader))
  await nameUnnamed(request, [...nodes.values()])
  const nearest = new Set([uri])
  // The loop also visits members that are added during it.
  for (const concept of nearest)
    for (const broader of nodes.get(concept)!.broader.sort(compareCodePoints))
      if (nodes.has(broader)) nearest.add(broader)
  return [...nearest].map((concept) => nodes.get(concept)!)
}

/**
 * The narrower concepts of some concepts within the vocabulary of a request, in the order of records. The map leaves
 * out URIs that are no concepts of the vocabulary. The upper levels are the same for nearly every request, so the
 * service remembers them.
 *
 * @throws the errors of the store.
 */
export async function childrenOf(request: SchemeRequest, uris: readonly string[]): Promise<Map<string, TreeNode[]>> {
  const { dependencies, vocabulary, language, fallback } = request
  const keys = uris.map((uri) => ['children', vocabulary.uri, language.toLowerCase(), fallback, uri])
  const children = await cachedFragments(dependencies, keys, async (places) => {
    const read = await readChildren(
      request,
      places.map((place) => uris[place]!),
    )
    return places.map((place) => read.get(uris[place]!) ?? null)
  })
  return new Map(
    uris.flatMap((uri, index): [string, TreeNode[]][] => (children[index] ? [[uri, children[index]]] : [])),
  )
}

async function readChildren(request: SchemeRequest, uris: readonly string[]): Promise<Map<string, TreeNode[]>> {
  const { dependencies, vocabulary, signal } = request
  const query = queryTemplate('skosmos/children').bind({
    terms: { parent: uris.map(iri), scope: [iri(vocabulary.uri)], language: tagsOf(request) },
  })
  const rows = await dependencies.client.select(query, { signal })
  const conceptUris = rows.flatMap(({ parent, c }) => (c ? [] : parent!.value))
  const childrenByParent = new Map(conceptUris.map((uri) => [uri, new Map<string, TreeNode>()]))
  for (const { parent, c, label, notation, isParent } of rows) {
    const children = childrenByParent.get(parent!.value)
    if (!c || !children) continue
    const uri = c.value
    let node = children.get(uri)
    if (!node) children.set(uri, (node = { uri, prefLabel: {}, hasChildren: isParent?.value === 'true' }))
    describe(node, label, notation)
  }
  await nameUnnamed(
    request,
    [...childrenByParent.values()].flatMap((children) => [...children.values()]),
  )
  const inOrder = (children: Iterable<TreeNode>) =>
    [...children].sort((a, b) => compareRecords({ uri: a.uri, key: a.notation }, { uri: b.uri, key: b.notation }))
  return new Map([...childrenByParent].map(([uri, children]) => [uri, inOrder(children.values())]))
}

/** The tags of the language of a request and of its fallback language. */
function tagsOf({ languages, language, fallback }: SchemeRequest) {
  const tags = languages.map((tag) => tag.toLowerCase()).filter((tag) => isInLanguage(tag, language))
  return [...new Set([language.toLowerCase(), fallback, ...tags])].map((tag) => literal(tag))
}

type RowTerm = { value: string; 'xml:lang'?: string } | undefined

/** Adds the label and the notation of a row to a concept. */
function describe(node: Labelled, label: RowTerm, notation: RowTerm): void {
  if (label) node.prefLabel[label['xml:lang']?.toLowerCase() ?? 'und'] ??= label.value
  if (notation) node.notation = smallestNotation([notation.value, node.notation ?? notation.value])!
}

/** Adds labels in other languages to concepts without labels in the languages of a request. */
async function nameUnnamed({ dependencies, signal }: SchemeRequest, nodes: readonly Labelled[]): Promise<void> {
  const unnamed = nodes.filter(({ prefLabel }) => Object.keys(prefLabel).length === 0)
  const names: Graph = new Map()
  await nameLinks(dependencies, names, [...new Set(unnamed.map(({ uri }) => uri))], signal)
  for (const node of unnamed) {
    for (const { value, language } of names.get(node.uri)?.get(`${SKOS}prefLabel`) ?? [])
      node.prefLabel[language || 'und'] ??= value
  }
}
