import { readIris, requestedProperties } from '../http/parameters.ts'
import { fieldsOf, holdsLinks, isStructured, NOTES, type Field } from '../../graph/jskos/fields.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import type { Link } from '../../graph/jskos/names.ts'
import { type SortKey, itemsInOrder } from '../../graph/jskos/order.ts'
import { COLLECTION_DEFAULT, type Properties } from '../../graph/jskos/properties.ts'
import { conceptLink } from '../../graph/jskos/field-values.ts'
import { collectionRecord, storedCollection, type JskosRecord } from '../../graph/jskos/record.ts'
import {
  COLLECTION,
  COLLECTIONS,
  DESCRIBED_IN,
  HAS_MEMBER,
  IN_SCHEME,
  NOTATION,
  RDF,
  RDF_TYPE,
  SKOS,
} from '../../base/namespaces.ts'
import { namedNode, type Graph, type NodeProperties, type ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { queryTemplate, type BoundTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { isSameVocabulary, wholeOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { Scope } from '../../graph/vocabularies/registry.ts'
import type { ReadDependencies } from './dependencies.ts'
import { readObjects } from './describe.ts'
import { nameLinks } from './link-names.ts'
import { nothing, listRecords, type RecordList } from './list.ts'
import { CONCEPTS_AT_A_TIME, inPieces, patiently } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { graphTerms, readTypes } from './terms.ts'

const MEMBER = `${SKOS}member`
const MEMBER_LIST = `${SKOS}memberList`
const CLASSES = COLLECTIONS.map(iri)

/**
 * GET /voc/{vocid}/groups: the collections of a vocabulary (docs/records.md, "Collections"); for a subset the
 * collections of its vocabulary with a member in the subset.
 *
 * @throws ApiError EntityNotFoundError for an unknown id, MalformedRequestError for a wrong parameter, and the errors
 *    of the store.
 */
export async function collections(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, vocid = '' } = request
  const { registry } = dependencies
  const vocabulary = await registry.require(vocid)
  const whole = vocabulary.isSubset ? wholeOf(vocabulary, await registry.list()) : vocabulary
  if (whole === undefined || !isWithin(request.view, whole, vocabulary)) return nothing()
  const view = viewWithinSubset(request.view, vocabulary)
  const types = readTypes(parameters)
  // Every record here has skos:Collection, whatever class the graph has.
  const type = types?.includes(COLLECTION) ? undefined : types?.map(iri)
  const members = readIris(parameters, 'member')
  const selection = {
    template: 'voc/groups',
    terms: {
      graph: [iri(whole.uri)],
      class: CLASSES,
      type,
      member: members.length > 0 ? members.map(iri) : undefined,
      subset: subsetTerms(view),
    },
    include: parameters.get('top') === 'true' ? ['top'] : [],
    order: view.order,
  } as const
  return listRecords(dependencies, selection, request, (uris) =>
    readCollections(dependencies, uris, view, request.signal, false),
  )
}

/**
 * Which of some resources are collections of vocabularies in the scope of a request, and no concepts: by URI, the key
 * of their place in the order of records.
 *
 * @throws the errors of the store.
 */
export async function collectionsNamed(
  { client, registry }: ReadDependencies,
  { view, signal }: Pick<ListRequest, 'view' | 'signal'>,
  uris: readonly string[],
): Promise<ReadonlyMap<string, SortKey>> {
  const collections = new Map<string, SortKey>()
  if (uris.length === 0) return collections
  const { order } = view
  const vocabularies = await registry.uris()
  const query = queryTemplate('collections/which').bind({ terms: { c: uris.map(iri), class: CLASSES } })
  for (const { c, graph, key } of await client.select(query, { signal })) {
    if (!c || !graph || graph.value === c.value || vocabularies.has(c.value)) continue
    if (!isGraphInScope(view.scope, graph.value)) continue
    const notations = key ? [key.value] : []
    collections.set(c.value, order.keyOf({ uri: c.value, schemes: [graph.value], notations, labels: () => ({}) }))
  }
  return collections
}

/** True if a scope has the vocabulary with a graph, or a subset of it: it then has the collections of the graph. */
export function isGraphInScope({ all, schemes, subsets }: Scope, graph: string): boolean {
  const wholes = [...schemes.map(({ uri }) => uri), ...subsets.flatMap(({ partOf }) => partOf)]
  return all || wholes.some((whole) => isSameVocabulary(graph, whole))
}

/**
 * Some collections as records with all of their members, in the order of their URIs.
 *
 * @throws the errors of the store.
 */
export function recordsOfCollections(
  dependencies: ReadDependencies,
  { parameters, view, signal }: Pick<ListRequest, 'parameters' | 'view' | 'signal'>,
  uris: readonly string[],
): Promise<JskosRecord[]> {
  const properties = requestedProperties(parameters, COLLECTION_DEFAULT)
  return readCollections(dependencies, uris, { ...view, properties }, signal, true)
}

/**
 * The collections of a graph as records with exactly the classes, vocabularies and members that the graph states, in
 * the order of records: loading them adds nothing. The graph is that of the view.
 *
 * @throws the errors of the store.
 */
export async function* storedCollections(
  dependencies: ReadDependencies,
  { view, signal }: { view: View & { graph: string }; signal: AbortSignal },
): AsyncGenerator<JskosRecord[]> {
  const query = queryTemplate('voc/groups').bind({
    terms: { graph: [iri(view.graph)], class: CLASSES },
    include: ['order'],
  })
  const rows = await patiently(() => dependencies.client.select(query, { signal }), signal)
  const uris = rows.flatMap(({ c }) => c?.value ?? [])
  const read = (piece: readonly string[]) => readCollections(dependencies, piece, view, signal, true)
  yield* inPieces(uris, CONCEPTS_AT_A_TIME, read, signal)
}

/** True if the scope has the vocabulary, or a subset of it; a subset in the path must be in the scope itself. */
function isWithin({ scope: { all, schemes, subsets } }: View, whole: Vocabulary, vocabulary: Vocabulary): boolean {
  if (all || schemes.some(({ uri }) => uri === whole.uri)) return true
  return subsets.some((subset) =>
    vocabulary.isSubset ? subset.uri === vocabulary.uri : wholeOf(subset, [whole]) === whole,
  )
}

/** A subset in the path restricts an answer like one in `voc`. */
function viewWithinSubset(view: View, vocabulary: Vocabulary): View {
  if (!vocabulary.isSubset) return view
  return { ...view, scope: { ...view.scope, all: false, subsets: [vocabulary] } }
}

function subsetTerms({ scope }: View) {
  return scope.subsets.length > 0 ? scope.subsets.map(({ uri }) => iri(uri)) : undefined
}

/**
 * Some collections as records, in the order of their URIs, without resources that no vocabulary describes as a
 * collection.
 *
 * @param listsMembers false: `[null]` stands for members, unless the request names them.
 */
async function readCollections(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
  listsMembers: boolean,
): Promise<JskosRecord[]> {
  if (uris.length === 0) return []
  const { properties } = view
  const isStored = view.graph !== undefined
  const shown = shownFields(properties, listsMembers)
  const [graph, objects] = await Promise.all([
    dependencies.client.construct(collectionQuery(uris, view, shown), { signal }),
    readObjects(dependencies, uris, view, 'collection', signal),
  ])
  const registered = await dependencies.registry.uris()
  const described = describedCollections(graph, uris, registered)
  if (properties.has('inScheme') && !isStored)
    for (const [uri, node] of described) node.set(IN_SCHEME, schemesOf(uri, node).map(namedNode))
  const groups = properties.has('memberOf')
    ? await collectionsOf(dependencies, [...described.keys()], signal)
    : undefined
  const linked = new Set([...linkedBy(graph, described, shown), ...[...(groups?.values() ?? [])].flat()])
  const unnamed = [...linked].filter((object) => !graph.get(object)?.has(`${SKOS}prefLabel`))
  await nameLinks(dependencies, graph, unnamed, signal, view.graph)

  const framed = frameNodes(graph, objects)
  const isCollection = (uri: string) => iris(graph.get(uri)?.get(RDF_TYPE)).some((name) => COLLECTIONS.includes(name))
  return [...described].map(([uri, node]) => {
    const facts = { hasMember: node.has(HAS_MEMBER), listsMembers: shown.isListed, isCollection }
    const record: JskosRecord = isStored
      ? storedCollection(framed(uri)!, view)
      : collectionRecord(framed(uri)!, facts, view)
    if (groups) record.memberOf = linksTo(groups.get(uri) ?? [], graph, view)
    return record
  })
}

/** The fields that records of collections show. */
interface ShownFields {
  /** The fields with a property of their own. */
  fields: readonly Field[]
  showsMembers: boolean
  /** True: the members themselves, not only whether there are any. */
  isListed: boolean
}

function shownFields(properties: Properties, listsMembers: boolean): ShownFields {
  const showsMembers = properties.has('memberSet') || properties.has('memberList')
  return {
    fields: fieldsOf('collection').filter(
      (field) => field.property && !isStructured(field) && properties.has(field.name),
    ),
    showsMembers,
    isListed: showsMembers && (listsMembers || properties.requested('memberSet') || properties.requested('memberList')),
  }
}

function collectionQuery(uris: readonly string[], view: View, shown: ShownFields): BoundTemplate {
  const { fields, showsMembers, isListed } = shown
  const isStored = view.graph !== undefined
  const properties = fields.flatMap(({ property }) => (property === MEMBER && !isStored ? [] : [property!]))
  const notes = properties.filter((property) => NOTES.has(property))
  return queryTemplate('describe/collection').bind({
    terms: {
      c: uris.map(iri),
      class: CLASSES,
      property: [...new Set([RDF_TYPE, NOTATION, ...properties, ...(showsMembers ? [MEMBER_LIST] : [])])].map(iri),
      note: notes.length > 0 ? notes.map(iri) : undefined,
      ...(isListed && !isStored ? { kind: CLASSES, subset: subsetTerms(view) } : {}),
      graph: graphTerms(view.graph),
    },
    include: isStored ? [] : isListed ? ['members'] : showsMembers ? ['hasMember'] : [],
  })
}

/** The nodes of the collections that a vocabulary describes, in the order of their URIs. */
function describedCollections(
  graph: Graph,
  uris: readonly string[],
  vocabularies: ReadonlySet<string>,
): Map<string, NodeProperties> {
  const described = new Map<string, NodeProperties>()
  for (const uri of uris) {
    const node = graph.get(uri)
    if (node && graphsOf(uri, node).length > 0 && !vocabularies.has(uri)) described.set(uri, node)
  }
  return described
}

/** The vocabularies of a collection: stated ones, and those whose graphs describe it. */
function schemesOf(uri: string, node: NodeProperties): string[] {
  return [...new Set([...iris(node.get(IN_SCHEME)), ...graphsOf(uri, node)])]
}

/** The graphs that describe a collection, without its own graph: a subset may have the class of a collection. */
function graphsOf(uri: string, node: NodeProperties): string[] {
  return iris(node.get(DESCRIBED_IN)).filter((graph) => graph !== uri)
}

/** The URIs of the things that the records of collections link to, and of listed members. */
function linkedBy(
  graph: Graph,
  described: ReadonlyMap<string, NodeProperties>,
  { fields, isListed }: ShownFields,
): string[] {
  const links = fields.filter((field) => holdsLinks(field) && field.kind !== 'list')
  const properties = [...links.map(({ property }) => property!), IN_SCHEME]
  const linked = [...described.values()].flatMap((node) => properties.flatMap((property) => iris(node.get(property))))
  const listed = isListed ? [...graph.values()].flatMap((node) => iris(node.get(`${RDF}first`))) : []
  return [...linked, ...listed]
}

/**
 * The URIs of the collections that concepts and collections are in, by their URIs. Throws the errors of the store.
 */
async function collectionsOf(
  { client, registry }: ReadDependencies,
  uris: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string[]>> {
  const groups = new Map<string, string[]>()
  if (uris.length === 0) return groups
  // A subset may have the class of a collection.
  const vocabularies = await registry.uris()
  const query = queryTemplate('collections/of').bind({ terms: { c: uris.map(iri), class: CLASSES } })
  for (const { c, collection } of await client.select(query, { signal })) {
    if (vocabularies.has(collection!.value) || collection!.value === c!.value) continue
    const list = groups.get(c!.value)
    if (list) list.push(collection!.value)
    else groups.set(c!.value, [collection!.value])
  }
  return groups
}

/**
 * The collections that some concepts are in, as records name them, by the URIs of the concepts. Throws the errors of
 * the store.
 */
export async function collectionLinks(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): Promise<Map<string, Link[]>> {
  const graph: Graph = new Map()
  const groups = await collectionsOf(dependencies, uris, signal)
  await nameLinks(dependencies, graph, [...new Set([...groups.values()].flat())], signal)
  return new Map([...groups].map(([uri, list]) => [uri, linksTo(list, graph, view)]))
}

/** Resources as records name them, in the order of records. */
function linksTo(uris: readonly string[], graph: Graph, view: View): Link[] {
  const { named } = frameNodes(graph)
  const links = uris.flatMap((uri) => conceptLink(named(uri), view) ?? [])
  return itemsInOrder(links, [], view.order)
}

function iris(terms: readonly ObjectTerm[] | undefined): string[] {
  return (terms ?? []).flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : []))
}
