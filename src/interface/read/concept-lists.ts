import { requireIris } from '../http/parameters.ts'
import { schemeNotations } from '../../graph/jskos/field-values.ts'
import { LEADS_TO, SKOS } from '../../base/namespaces.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import type { TemplateName } from '../../graph/sparql/template-names.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { scopeOf, type Scope } from '../../graph/vocabularies/registry.ts'
import { isSameVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { conceptsInOrder, describedConcepts, texts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { describeConcepts, describedIn, describeRelatives } from './describe.ts'
import type { ListName } from './indexed-lists.ts'
import { listRecords, type RecordList } from './list.ts'
import { inOnePiece, LARGEST_PIECE } from './pieces.ts'
import { showsOrder, type ListRequest } from './request.ts'
import {
  byTemplate,
  listsOf,
  pageBindings,
  selectsNothing,
  totalOf,
  type Selection,
  type TemplateSelection,
} from './select.ts'
import { scopeTerms } from './terms.ts'

/** The requested page of the selected concepts, as records; throws the errors of `listRecords`. */
export function listConcepts(
  dependencies: ReadDependencies,
  selection: Selection,
  request: ListRequest,
): Promise<RecordList> {
  const { view, signal } = request
  return listRecords(dependencies, selection, request, async (uris, { source }) => {
    const concepts = await conceptsInOrder(dependencies, uris, view, signal)
    // A resource may have lost the class of a concept since the index was written.
    return concepts.flatMap(({ isConcept, record }) => (isConcept || !source ? record : []))
  })
}

/**
 * The same for a list that is short as a rule, in one request to the store: it selects the concepts and describes them.
 * Only for a longer page it selects the URIs first.
 */
export async function listShort(
  dependencies: ReadDependencies,
  selection: TemplateSelection,
  request: ListRequest,
): Promise<RecordList> {
  const { page, view, signal } = request
  // A small page of a long list would take the description of the whole list.
  const isWhole = page.offset === 0 && page.limit >= LARGEST_PIECE
  const shared = isWhole ? await describeNeighbours(dependencies, selection, request) : undefined
  if (shared) {
    const concepts = await describedConcepts(dependencies, shared, view, signal, describedIn(shared))
    const records = concepts.slice(0, page.limit).map(({ record }) => record)
    return { total: concepts.length, records: inOnePiece(records) }
  }
  const first = { ...page, limit: Math.min(page.limit, LARGEST_PIECE) }
  // A store cuts pages in the order of code points, so those of another order come from the whole list.
  const { isByCodePoints } = selection.order
  const isCut = isByCodePoints && (page.offset > 0 || first.limit === page.limit)
  const isFirst = isByCodePoints || (page.offset === 0 && showsOrder(view))
  if (first.limit === 0 || !isFirst || selectsNothing(selection)) return listConcepts(dependencies, selection, request)
  const select = queryTemplate(selection.template).bindSubselect(pageBindings(selection, first, isCut))
  const graph = await describeConcepts(dependencies, select, view, signal)
  const uris = describedIn(graph)
  const { length } = uris
  if (length === first.limit && (length < page.limit || !isByCodePoints))
    return listConcepts(dependencies, selection, request)
  const total = await totalOf(dependencies, selection, page, length, signal)
  const concepts = await describedConcepts(dependencies, graph, view, signal, uris)
  return { total, records: inOnePiece(concepts.map(({ record }) => record)) }
}

/** The properties that lead to the concepts of a template. */
const LEADING: Partial<Record<TemplateName, string>> = { broader: `${SKOS}broader`, narrower: `${SKOS}narrower` }

/** A whole list in a query that requests share; undefined if it cannot be. */
async function describeNeighbours(
  dependencies: ReadDependencies,
  { template }: TemplateSelection,
  { parameters, view, signal }: ListRequest,
): Promise<Graph | undefined> {
  const leading = LEADING[template]
  if (leading === undefined || !showsOrder(view)) return undefined
  const of = requireIris(parameters, 'uri')
  const among = (graph: Graph) => {
    return of.flatMap((uri) => texts(graph.get(uri)?.get(LEADS_TO)).filter((listed) => listed !== uri))
  }
  return describeRelatives(dependencies, { template, of, leading }, among, view, signal)
}

/** GET /narrower: the concepts directly below the given ones. The store would sort very many for each page. */
export async function narrower(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { registry, lists } = dependencies
  const [uri, ...more] = requireIris(request.parameters, 'uri')
  const all = byTemplate('narrower', request)
  const vocabulary = more.length > 0 ? undefined : await lists.withManyNarrower(uri, await registry.list())
  const indexed = vocabulary ? listsOf(request, [vocabulary], { narrower: uri }) : []
  return indexed.length > 0
    ? listConcepts(dependencies, { ...all, indexed }, request)
    : listShort(dependencies, all, request)
}

/** GET /descendants: all concepts below the given ones. */
export async function descendants(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const [uri, ...more] = requireIris(request.parameters, 'uri')
  const all = byTemplate('descendants', request)
  if (more.length > 0) return listConcepts(dependencies, all, request)
  const large = await largeVocabularies(dependencies, request.signal)
  return listConcepts(dependencies, { ...all, indexed: listsOf(request, large, { below: uri }) }, request)
}

/** Smaller vocabularies have no lists of descendants that take the store too long to find and to sort. */
const LARGE = 20_000

async function largeVocabularies({ registry, lists }: ReadDependencies, signal: AbortSignal): Promise<Vocabulary[]> {
  const large: Vocabulary[] = []
  for (const vocabulary of await registry.list()) {
    const lengths = await lists.lengths(vocabulary, signal)
    if (lengths && lengths.concepts >= LARGE) large.push(vocabulary)
  }
  return large
}

/** GET /voc/{vocid}/top and /voc/top: the top concepts of a vocabulary or subset, by its id or by URIs. */
export async function topConcepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { schemes, subsets } = request.view.scope
  const vocabularies = await vocabulariesOf(dependencies, request)
  // The top concepts of a subset are its members without a broader member, also if `voc` names it instead of its
  // vocabulary.
  const chosen = vocabularies.flatMap((vocabulary) => {
    if ([...schemes, ...subsets].some(({ uri }) => uri === vocabulary.uri)) return vocabulary
    const ofVocabulary = subsets.filter(({ partOf }) => partOf.some((whole) => isSameVocabulary(whole, vocabulary.uri)))
    return ofVocabulary.length > 0 ? ofVocabulary : vocabulary
  })
  return listVocabularies(dependencies, request, chosen, 'topConcepts', scopeOfList(request.view.scope, vocabularies))
}

/** GET /voc/{vocid}/concepts and /voc/concepts: all concepts of a vocabulary or subset, by its id or by URIs. */
export async function allConcepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const vocabularies = await vocabulariesOf(dependencies, request)
  const [first] = vocabularies
  const scope = scopeOfList(request.view.scope, vocabularies)
  const list = await listVocabularies(dependencies, request, vocabularies, 'concepts', scope)
  return { ...list, name: first && schemeNotations(first.notations)[0] }
}

/**
 * All concepts or all top concepts of the vocabularies and subsets.
 *
 * @param scope of what the records show.
 */
async function listVocabularies(
  dependencies: ReadDependencies,
  request: ListRequest,
  vocabularies: readonly Vocabulary[],
  list: Exclude<ListName, 'unreached'>,
  scope: Scope,
): Promise<RecordList> {
  const of = vocabularies.map(({ uri }) => iri(uri))
  const order = await dependencies.registry.order(scopeOf(vocabularies))
  const ordered = { ...request, view: { ...request.view, order } }
  const within = { ...request, view: { ...ordered.view, scope } }
  const all =
    list === 'concepts'
      ? byTemplate('voc/concepts', ordered, { of })
      : byTemplate('voc/top', ordered, { of, within: scope.within && scopeTerms(scope.within) })
  const indexed = vocabularies.length === 1 ? listsOf(request, vocabularies, list) : []
  return listConcepts(dependencies, { ...all, indexed }, within)
}

/** The scope of the records of a list: a list of subsets shows nothing else, whatever `voc` is. */
function scopeOfList(scope: Scope, vocabularies: readonly Vocabulary[]): Scope {
  const listed = scopeOf(vocabularies)
  if (listed.subsets.length === 0) return scope
  if (scope.all) return listed
  // A list that has whole vocabularies, too, shows what `voc` has.
  if (listed.schemes.length > 0) return scope
  const isPart = ({ uri, partOf }: Vocabulary) =>
    scope.subsets.some((allowed) => allowed.uri === uri) ||
    scope.schemes.some((allowed) => partOf.some((whole) => isSameVocabulary(whole, allowed.uri)))
  return listed.subsets.every(isPart) ? listed : { ...listed, within: scope }
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
  return [await registry.require(vocid)]
}
