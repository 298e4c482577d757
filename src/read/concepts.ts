import { malformed, quoted, readIris, requireIris } from '../http/parameters.ts'
import { ApiError } from '../errors.ts'
import { compareRecords, smallest } from '../jskos/order.ts'
import { readProperties, SCHEME_DEFAULT } from '../jskos/properties.ts'
import { schemeNotations, type JskosRecord } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, type SparqlTerm } from '../sparql/terms.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'
import { vocabulariesNamed, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { allChains, chains, type Edge, type Start } from './chain.ts'
import { HIERARCHY, hierarchy, type Described, type ReadDependencies } from './describe.ts'
import { nothing, ONE_REQUEST, type RecordList } from './list.ts'
import type { ListName } from './list-checks.ts'
import { once } from './pieces.ts'
import { describeConcepts, describeInOrder, listConcepts, type TemplateSelection } from './read.ts'
import type { ListRequest, View } from './request.ts'
import { notationTerms, scopeTerms, toTerms } from './terms.ts'
import { conceptsInScope, manyDescendants, wholeList } from './whole-lists.ts'
import { describeVocabularies, isInScope } from './vocabularies.ts'

/** GET and POST /data: concepts by uri, id or notation (spec, GET /data). */
export async function data(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, signal } = request
  const given = SELECTING.filter((name) => parameters.has(name))
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw malformed(`uri, id, notation: expected exactly one of them, got ${got}`)
  }
  if (given[0] !== 'notation') return conceptsOrVocabularies(dependencies, request, readIris(parameters, given[0]!))
  const list = (notation: SparqlTerm[]) =>
    listConcepts(dependencies, { template: 'data', terms: { notation } }, request)
  const known = notationTerms(parameters, await dependencies.registry.list())
  const found = await list(known)
  if (found.total > 0) return found
  // A vocabulary loaded a moment ago may have notations of another type.
  const fresh = notationTerms(parameters, await dependencies.registry.fresh(signal))
  return fresh.length > known.length ? list(fresh) : found
}

const SELECTING = ['uri', 'id', 'notation']

/** The default limit of /concepts, whose clients want a sample or only the number. */
const SAMPLE = 100

/** GET /concepts: as /data; without uri, id and notation all concepts. */
export async function concepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  if (SELECTING.some((name) => request.parameters.has(name))) return data(dependencies, request)
  const { limited, limit } = request.page
  const page = limited ? request.page : { ...request.page, limit: Math.min(SAMPLE, limit) }
  return { ...(await conceptsInScope(dependencies, { ...request, page })), page }
}

/** The page of the concepts with these URIs; nothing needs to select them first. */
async function conceptsWithUris(
  dependencies: ReadDependencies,
  { view, signal, page }: ListRequest,
  uris: readonly string[],
): Promise<RecordList> {
  const described = await describeConcepts(dependencies, { uris }, view, signal)
  const records = described.filter(({ isConcept }) => isConcept).map(({ record }) => record)
  return { total: records.length, records: once(records.slice(page.offset, page.offset + page.limit)) }
}

/**
 * Concepts and vocabularies with these URIs or identifiers, because clients do not always know which of the two a URI names.
 * A URI that names both gives the concept.
 */
async function conceptsOrVocabularies(
  dependencies: ReadDependencies,
  request: ListRequest,
  iris: readonly string[],
): Promise<RecordList> {
  const { parameters, view, signal, page } = request
  const named = (all: readonly Vocabulary[]) => vocabulariesNamed(all, iris).filter((one) => isInScope(one, view))
  let schemes = named(await dependencies.registry.list())
  const isShort = !parameters.has('id') && view.scope.all && iris.length <= ONE_REQUEST
  if (schemes.length === 0) {
    const found = await (isShort
      ? conceptsWithUris(dependencies, request, iris)
      : listConcepts(dependencies, { template: 'data' }, request))
    if (found.total === 0) schemes = named(await dependencies.registry.fresh(signal))
    if (schemes.length === 0) return found
  }
  const template = queryTemplate('data')
  const terms = { ...toTerms(template, parameters), scope: scopeTerms(view.scope) }
  const select = template.bindSubselect({ terms })
  const properties = readProperties(parameters.get('properties'), SCHEME_DEFAULT)
  const [described, records] = await Promise.all([
    describeConcepts(dependencies, { select }, view, signal),
    describeVocabularies(
      dependencies,
      { view: { ...view, properties }, signal },
      schemes.map(({ uri }) => uri),
    ),
  ])
  const keyOf = ({ uri }: JskosRecord) => smallest(schemes.find((one) => one.uri === uri)?.notations)
  const others = records.filter(({ uri }) => !described.some((one) => one.uri === uri))
  const all = [...described, ...others.map((record) => ({ record, uri: record['uri'] as string, key: keyOf(record) }))]
  all.sort(compareRecords)
  const shown = all.slice(page.offset, page.offset + page.limit)
  return { total: all.length, records: once(shown.map(({ record }) => record)) }
}

/**
 * GET /ancestors: one chain, nearest first (docs/interface.md, "Ancestors"). A concept usually has few ancestors, so one
 * request fetches all of them, and the service chooses the chain. A large hierarchy takes a request for the edges first.
 */
export async function ancestors(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const uris = requireIris(request.parameters, 'uri')
  if (uris.length > 1) throw malformed('uri: expected one IRI, got several')
  const [uri] = uris as [string]
  const { view, signal, page, maxLimit } = request
  if (!view.scope.all && view.scope.schemes.length + view.scope.subsets.length === 0) return nothing()
  const above = await conceptsAbove(dependencies, request, uri)
  if (above === undefined) {
    const [start] = await describeConcepts(dependencies, { uris: [uri] }, view, signal)
    const chain = chains(await hierarchy(dependencies, [uri], view.scope, signal))(start ?? { uri, inScheme: [] })
    const kept = chain.slice(page.offset, page.offset + maxLimit)
    return { total: chain.length, records: describeInOrder(dependencies, kept, view, signal) }
  }
  const records = chains(edges(above))(startOf(uri, above)).map((one) => above.get(one)!.record)
  return { total: records.length, records: once(records.slice(page.offset)) }
}

/** The paths from a concept to the top. */
export interface WaysUp {
  /** The shortest path first; in a path the nearest ancestor first. */
  ways: JskosRecord[][]
  /** True if there are no others. */
  isAll: boolean
}

/**
 * All chains; /ancestors gives one of them.
 *
 * @param most number of chains to give.
 */
export async function waysUp(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
  most: number,
): Promise<WaysUp> {
  const above = await conceptsAbove(dependencies, request, uri)
  if (above === undefined) {
    const { records } = await ancestors(dependencies, request)
    const chain: JskosRecord[] = []
    for await (const piece of records) chain.push(...piece)
    return { ways: [chain], isAll: false }
  }
  const found = allChains(edges(above), startOf(uri, above), most)
  return { ways: found.chains.map((chain) => chain.map((one) => above.get(one)!.record)), isAll: found.isAll }
}

/**
 * By URI, a concept (also from outside the scope) and its ancestors within the scope; undefined if they are too many for one
 * request.
 */
async function conceptsAbove(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  uri: string,
): Promise<ReadonlyMap<string, Described> | undefined> {
  const select = queryTemplate('ancestors').bindSubselect({
    terms: { uri: [iri(uri)] },
    include: ['page'],
    limit: ONE_REQUEST,
    offset: 0,
  })
  const above = await describeConcepts(dependencies, { select }, view, signal, HIERARCHY)
  if (above.length === ONE_REQUEST) return undefined
  const kept = above.filter((one) => one.uri === uri || inScope(one, view))
  return new Map(kept.map((described) => [described.uri, described]))
}

function startOf(uri: string, above: ReadonlyMap<string, Described>): Start {
  return above.get(uri) ?? { uri, inScheme: [] }
}

function edges(above: ReadonlyMap<string, Described>): Edge[] {
  return [...above.values()].flatMap(({ uri, broader }) =>
    broader.flatMap((parent) => {
      const described = above.get(parent)
      return described ? [{ child: uri, parent: described }] : []
    }),
  )
}

function inScope({ inScheme }: Described, { scope }: View): boolean {
  // The query itself already restricts the result to subsets.
  if (scope.all || scope.subsets.length > 0) return true
  return scope.schemes.some(({ uri }) => inScheme.includes(uri))
}

/** GET /descendants: all concepts below the given ones. */
export async function descendants(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const [uri, ...others] = requireIris(request.parameters, 'uri')
  const many = others.length === 0 ? await manyDescendants(dependencies, request, uri!) : undefined
  return many ?? listConcepts(dependencies, { template: 'descendants', isLong: true }, request)
}

/** GET /voc/{vocid}/top and /voc/top: the top concepts of a vocabulary or subset, by its id or by URIs. */
export async function topConcepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const vocabularies = await vocabulariesOf(dependencies, request)
  // The top concepts of a subset are its members without a broader member, also if `voc` names the subset.
  const chosen = vocabularies.length > 0 ? [...vocabularies, ...request.view.scope.subsets] : []
  return conceptsOf(dependencies, request, chosen, 'topConcepts')
}

/** GET /voc/{vocid}/concepts and /voc/concepts: all concepts of a vocabulary or subset, by its id or by URIs. */
export async function allConcepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const vocabularies = await vocabulariesOf(dependencies, request)
  const [first] = vocabularies
  const list = await conceptsOf(dependencies, request, vocabularies, 'concepts')
  return { ...list, name: first && schemeNotations(first.notations)[0] }
}

const BY_VOCABULARY: Readonly<Record<ListName, TemplateSelection>> = {
  concepts: { template: 'voc/concepts', isLong: true },
  topConcepts: { template: 'voc/top' },
}

/** All concepts or all top concepts of the vocabularies; a subset shows its members only. */
async function conceptsOf(
  dependencies: ReadDependencies,
  request: ListRequest,
  vocabularies: readonly Vocabulary[],
  name: ListName,
): Promise<RecordList> {
  const [only] = vocabularies.length === 1 ? vocabularies : []
  const whole = only && (await wholeList(dependencies, request, only, name))
  if (whole) return whole
  const subsets = vocabularies.filter(({ isSubset }) => isSubset)
  const of = (subsets.length > 0 ? subsets : vocabularies).map(({ uri }) => iri(uri))
  const selection: TemplateSelection = { ...BY_VOCABULARY[name], terms: { of } }
  const { view } = request
  if (subsets.length === 0 || !view.scope.all) return listConcepts(dependencies, selection, request)
  const within = { ...view, scope: { ...EVERYTHING, subsets } }
  return listConcepts(dependencies, selection, { ...request, view: within })
}

/**
 * The vocabulary with the id in the path, or those with the URIs or identifiers in the parameter `uri`.
 *
 * @throws ApiError EntityNotFoundError for an unknown id.
 */
async function vocabulariesOf(
  { registry }: ReadDependencies,
  { vocid, parameters }: ListRequest,
): Promise<Vocabulary[]> {
  if (vocid === undefined) {
    return registry.named(requireIris(parameters, 'uri'))
  }
  const vocabulary = await registry.find(vocid)
  if (!vocabulary) throw new ApiError('EntityNotFoundError', `There is no vocabulary with the id ${quoted(vocid)}.`)
  return [vocabulary]
}
