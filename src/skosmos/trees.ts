import { isInLanguage } from '../jskos/names.ts'
import { compareCodePoints, compareRecords, smallest } from '../jskos/order.ts'
import { nameLinks } from '../read/link-names.ts'
import { SKOS } from '../namespaces.ts'
import type { Graph } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, literal } from '../sparql/terms.ts'
import { rememberedParts } from './parts.ts'
import type { SchemeRequest } from './request.ts'

/** A concept as trees show it. */
interface Labelled {
  uri: string
  /** By language tag: those in the language of the request and in the other one that it takes; if there are none, all. */
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
 * A concept of the vocabulary of a request and the concepts above it, the nearest first; none if it is no concept of the vocabulary. Throws
 * the errors of the store.
 */
export async function aboveOf(asked: SchemeRequest, uri: string): Promise<NodeAbove[]> {
  const { dependencies, vocabulary, signal } = asked
  const query = queryTemplate('skosmos/above').bind({
    terms: { uri: [iri(uri)], scope: [iri(vocabulary.uri)], language: tagsOf(asked) },
  })
  const found = new Map<string, NodeAbove>()
  for (const { c, label, notation, broader, top } of await dependencies.client.select(query, { signal })) {
    const one = c!.value
    let node = found.get(one)
    if (!node) found.set(one, (node = { uri: one, prefLabel: {}, broader: [], tops: [] }))
    describe(node, label, notation)
    if (broader && broader.value !== one && !node.broader.includes(broader.value)) node.broader.push(broader.value)
    if (top && !node.tops.includes(top.value)) node.tops.push(top.value)
  }
  if (!found.has(uri)) return []
  await nameUnnamed(asked, [...found.values()])
  const nearest = new Set([uri])
  // A set goes on with what is added to it meanwhile.
  for (const one of nearest)
    for (const broader of found.get(one)!.broader.sort(compareCodePoints)) if (found.has(broader)) nearest.add(broader)
  return [...nearest].map((one) => found.get(one)!)
}

/**
 * The narrower concepts of some concepts within the vocabulary of a request, in the order of records, by the URIs of those that are concepts of
 * the vocabulary. The upper levels are the same for nearly every request, so the service remembers them. Throws the errors
 * of the store.
 */
export async function childrenOf(asked: SchemeRequest, uris: readonly string[]): Promise<Map<string, TreeNode[]>> {
  const { dependencies, vocabulary, language, fallback } = asked
  const keys = uris.map((uri) => ['children', vocabulary.uri, language.toLowerCase(), fallback, uri])
  const children = await rememberedParts(dependencies, keys, async (places) => {
    const read = await readChildren(
      asked,
      places.map((place) => uris[place]!),
    )
    return places.map((place) => read.get(uris[place]!) ?? null)
  })
  return new Map(uris.flatMap((uri, at): [string, TreeNode[]][] => (children[at] ? [[uri, children[at]]] : [])))
}

async function readChildren(asked: SchemeRequest, uris: readonly string[]): Promise<Map<string, TreeNode[]>> {
  const { dependencies, vocabulary, signal } = asked
  const query = queryTemplate('skosmos/children').bind({
    terms: { parent: uris.map(iri), scope: [iri(vocabulary.uri)], language: tagsOf(asked) },
  })
  const rows = await dependencies.client.select(query, { signal })
  const own = rows.flatMap(({ parent, c }) => (c ? [] : parent!.value))
  const found = new Map(own.map((uri) => [uri, new Map<string, TreeNode>()]))
  for (const { parent, c, label, notation, isParent } of rows) {
    const children = found.get(parent!.value)
    if (!c || !children) continue
    const uri = c.value
    let node = children.get(uri)
    if (!node) children.set(uri, (node = { uri, prefLabel: {}, hasChildren: isParent?.value === 'true' }))
    describe(node, label, notation)
  }
  await nameUnnamed(
    asked,
    [...found.values()].flatMap((children) => [...children.values()]),
  )
  const inOrder = (children: Iterable<TreeNode>) =>
    [...children].sort((a, b) => compareRecords({ uri: a.uri, key: a.notation }, { uri: b.uri, key: b.notation }))
  return new Map([...found].map(([uri, children]) => [uri, inOrder(children.values())]))
}

/** The tags of the language of a request and of the other one that it takes. */
function tagsOf({ languages, language, fallback }: SchemeRequest) {
  const own = languages.map((tag) => tag.toLowerCase()).filter((tag) => isInLanguage(tag, language))
  return [...new Set([language.toLowerCase(), fallback, ...own])].map((tag) => literal(tag))
}

type Value = { value: string; 'xml:lang'?: string } | undefined

/** Adds what a row says of a concept. */
function describe(node: Labelled, label: Value, notation: Value): void {
  if (label) node.prefLabel[label['xml:lang']?.toLowerCase() ?? 'und'] ??= label.value
  if (notation) node.notation = smallest([notation.value, node.notation ?? notation.value])!
}

/** Gives concepts without labels in the languages of a request those in others. */
async function nameUnnamed({ dependencies, signal }: SchemeRequest, nodes: readonly Labelled[]): Promise<void> {
  const unnamed = nodes.filter(({ prefLabel }) => Object.keys(prefLabel).length === 0)
  const names: Graph = new Map()
  await nameLinks(dependencies, names, [...new Set(unnamed.map(({ uri }) => uri))], signal)
  for (const node of unnamed) {
    for (const { value, language } of names.get(node.uri)?.get(`${SKOS}prefLabel`) ?? [])
      node.prefLabel[language || 'und'] ??= value
  }
}
