import { readIris } from '../http/parameters.ts'
import { fieldsOf, isLink, NOTES } from '../jskos/fields.ts'
import { frameNodes } from '../jskos/frame.ts'
import type { Link } from '../jskos/names.ts'
import { compareRecords, smallestNotation, type SortKey } from '../jskos/order.ts'
import { readProperties, COLLECTION_DEFAULT } from '../jskos/properties.ts'
import { collectionRecord, conceptLink, type JskosRecord } from '../jskos/record.ts'
import { COLLECTIONS, DESCRIBED_IN, HAS_MEMBER, IN_SCHEME, NOTATION, RDF, RDF_TYPE, SKOS } from '../namespaces.ts'
import type { Graph, ObjectTerm } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { isSameVocabulary, wholeOf, type Vocabulary } from '../vocabularies/vocabulary.ts'
import type { ReadDependencies } from './dependencies.ts'
import { nameLinks } from './link-names.ts'
import { listOfOneState, nothing, type RecordList } from './list.ts'
import { inPieces, LARGEST_PIECE } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { readTypes } from './terms.ts'

/** A collection as a record, with its place in the order of records. */
export interface ListedCollection extends SortKey {
  record: JskosRecord
  /** URIs of the vocabularies whose graphs describe it. */
  vocabularies: readonly string[]
}

const MEMBER = `${SKOS}member`
const MEMBER_LIST = `${SKOS}memberList`
const CLASSES = COLLECTIONS.map(iri)
const PORTION = { size: LARGEST_PIECE, ahead: 1 }

/**
 * GET /voc/{vocid}/groups: the collections of a vocabulary (docs/interface.md, "Collections"); for a subset those of its vocabulary
 * with a member in the subset.
 *
 * @throws ApiError EntityNotFoundError for an unknown id, MalformedRequestError for a wrong parameter, and the errors of the store.
 */
export async function collections(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, page, signal, vocid = '' } = request
  const { client, registry } = dependencies
  const known = await registry.require(vocid)
  const whole = known.isSubset ? wholeOf(known, await registry.list()) : known
  if (whole === undefined || !isWithin(request.view, whole, known)) return nothing()
  const view = withinSubset(request.view, known)
  const types = readTypes(parameters)
  const members = readIris(parameters, 'member')
  const bindings = {
    terms: {
      graph: [iri(whole.uri)],
      class: CLASSES,
      type: types?.map(iri),
      member: members.length > 0 ? members.map(iri) : undefined,
      subset: subsetTerms(view),
    },
    include: parameters.get('top') === 'true' ? ['top'] : [],
  }
  if (types?.length === 0) return nothing()
  const template = queryTemplate('voc/groups')
  const count = async () => {
    const query = queryTemplate('describe/count').bind({
      subselect: { slot: 'c', select: template.bindSubselect(bindings) },
    })
    const [row] = await client.select(query, { signal })
    return Number(row?.['count']?.value ?? 0)
  }
  if (page.limit === 0) return { ...nothing(), total: await count() }
  const { limit, offset } = page
  const query = template.bind({ ...bindings, include: [...bindings.include, 'order', 'page'], limit, offset })
  return listOfOneState(client, signal, async () => {
    const uris = (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
    const isEnd = uris.length < limit && (uris.length > 0 || offset === 0)
    const read = async (piece: readonly string[]) => {
      const found = await readCollections(dependencies, piece, view, signal, false)
      return found.map(({ record }) => record)
    }
    const total = isEnd ? offset + uris.length : await count()
    return { total, shown: uris.length, records: inPieces(uris, PORTION, read, signal) }
  })
}

/**
 * Those of some resources that are collections of vocabularies in the scope of a request and no concepts, in the order of records,
 * with all of their members. Throws the errors of the store.
 */
export async function collectionsNamed(
  dependencies: ReadDependencies,
  { parameters, view, signal }: Pick<ListRequest, 'parameters' | 'view' | 'signal'>,
  uris: readonly string[],
): Promise<ListedCollection[]> {
  const properties = readProperties(parameters.get('properties'), COLLECTION_DEFAULT)
  const found: ListedCollection[] = []
  const chosen = await collectionsAmong(dependencies, uris, signal)
  for (let start = 0; start < chosen.length; start += LARGEST_PIECE) {
    const piece = chosen.slice(start, start + LARGEST_PIECE)
    found.push(...(await readCollections(dependencies, piece, { ...view, properties }, signal, true)))
  }
  const wholes = [...view.scope.schemes.map(({ uri }) => uri), ...view.scope.subsets.flatMap(({ partOf }) => partOf)]
  const isInScope = ({ vocabularies }: ListedCollection) =>
    view.scope.all || vocabularies.some((one) => wholes.some((whole) => isSameVocabulary(one, whole)))
  return found.filter(isInScope).sort(compareRecords)
}

/** Those of some resources that are collections and no concepts. Throws the errors of the store. */
async function collectionsAmong(
  { client }: ReadDependencies,
  uris: readonly string[],
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const query = queryTemplate('collections/which').bind({ terms: { c: uris.map(iri), class: CLASSES } })
  return (await client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
}

/** True if the scope has the vocabulary, or a subset of it; a subset in the path must be in the scope itself. */
function isWithin({ scope: { all, schemes, subsets } }: View, whole: Vocabulary, known: Vocabulary): boolean {
  if (all || schemes.some(({ uri }) => uri === whole.uri)) return true
  return subsets.some((one) => (known.isSubset ? one.uri === known.uri : wholeOf(one, [whole]) === whole))
}

/** A subset in the path restricts an answer like one in `voc`. */
function withinSubset(view: View, known: Vocabulary): View {
  if (!known.isSubset) return view
  return { ...view, scope: { ...view.scope, all: false, subsets: [known] } }
}

function subsetTerms({ scope }: View) {
  return scope.subsets.length > 0 ? scope.subsets.map(({ uri }) => iri(uri)) : undefined
}

/**
 * Some collections as records, in the order of their URIs; those that no vocabulary describes as a collection are left out.
 *
 * @param listsMembers false: `[null]` stands for members, unless the request names them.
 */
async function readCollections(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
  listsMembers: boolean,
): Promise<ListedCollection[]> {
  if (uris.length === 0) return []
  const { properties } = view
  const showsMembers = properties.has('memberSet') || properties.has('memberList')
  const isListed =
    showsMembers && (listsMembers || properties.requested('memberSet') || properties.requested('memberList'))
  const shown = fieldsOf('collection').filter(({ name, property }) => property && properties.has(name))
  const own = shown.flatMap(({ property }) => (property === MEMBER ? [] : [property!]))
  const notes = own.filter((property) => NOTES.has(property))
  const query = queryTemplate('describe/collection').bind({
    terms: {
      c: uris.map(iri),
      class: CLASSES,
      property: [...new Set([RDF_TYPE, NOTATION, ...own, ...(showsMembers ? [MEMBER_LIST] : [])])].map(iri),
      note: notes.length > 0 ? notes.map(iri) : undefined,
      ...(isListed ? { kind: CLASSES, subset: subsetTerms(view) } : {}),
    },
    include: isListed ? ['members'] : showsMembers ? ['hasMember'] : [],
  })
  const graph = await dependencies.client.construct(query, { signal })
  const known = new Set((await dependencies.registry.list()).map(({ uri }) => uri))
  const vocabularies = new Map<string, string[]>()
  const linked = new Set<string>()
  for (const uri of uris) {
    const node = graph.get(uri)
    const graphs = iris(node?.get(DESCRIBED_IN)).filter((one) => one !== uri)
    if (!node || known.has(uri) || graphs.length === 0) continue
    vocabularies.set(uri, graphs)
    const schemes = new Set([...iris(node.get(IN_SCHEME)), ...graphs])
    if (properties.has('inScheme')) node.set(IN_SCHEME, [...schemes].map(namedNode))
    for (const { property, kind } of [...shown.filter(isLink), { property: IN_SCHEME, kind: 'schemes' }]) {
      if (kind !== 'list') for (const one of iris(node.get(property!))) linked.add(one)
    }
  }
  if (isListed) for (const node of graph.values()) for (const one of iris(node.get(`${RDF}first`))) linked.add(one)
  const groups = properties.has('memberOf')
    ? await collectionsOf(dependencies, [...vocabularies.keys()], signal)
    : undefined
  for (const one of [...(groups?.values() ?? [])].flat()) linked.add(one)
  const unnamed = [...linked].filter((one) => !graph.get(one)?.has(`${SKOS}prefLabel`))
  await nameLinks(dependencies, graph, unnamed, signal)

  const framed = frameNodes(graph)
  const isCollection = (uri: string) => iris(graph.get(uri)?.get(RDF_TYPE)).some((one) => CLASS_NAMES.has(one))
  return uris.flatMap((uri) => {
    const graphs = vocabularies.get(uri)
    if (!graphs) return []
    const node = graph.get(uri)!
    const facts = { hasMember: node.has(HAS_MEMBER), listsMembers: isListed, isCollection }
    const record: JskosRecord = collectionRecord(framed(uri)!, facts, view)
    if (groups) record.memberOf = linksTo(groups.get(uri) ?? [], graph, view)
    const notations = (node.get(NOTATION) ?? []).filter(({ termType, value }) => termType === 'Literal' && value !== '')
    return [{ uri, key: smallestNotation(notations.map(({ value }) => value)), record, vocabularies: graphs }]
  })
}

const CLASS_NAMES: ReadonlySet<string> = new Set(COLLECTIONS)

/**
 * The URIs of the collections that concepts and collections are in, by their URIs. Throws the errors of the store.
 */
async function collectionsOf(
  { client, registry }: ReadDependencies,
  uris: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>()
  if (uris.length === 0) return found
  // A subset may have the class of a collection.
  const known = new Set((await registry.list()).map(({ uri }) => uri))
  const query = queryTemplate('collections/of').bind({ terms: { c: uris.map(iri), class: CLASSES } })
  for (const { c, collection } of await client.select(query, { signal })) {
    if (known.has(collection!.value) || collection!.value === c!.value) continue
    const list = found.get(c!.value)
    if (list) list.push(collection!.value)
    else found.set(c!.value, [collection!.value])
  }
  return found
}

/** The collections that some concepts are in, as records name them, by the URIs of the concepts. Throws the errors of the store. */
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
  const keyed = uris.flatMap((uri) => {
    const link = conceptLink(named(uri), view)
    return link ? [{ uri, key: link.notation?.[0], link }] : []
  })
  return keyed.sort(compareRecords).map(({ link }) => link)
}

function iris(terms: readonly ObjectTerm[] | undefined): string[] {
  return (terms ?? []).flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : []))
}

function namedNode(value: string): ObjectTerm {
  return { termType: 'NamedNode', value, language: '', datatype: '' }
}
