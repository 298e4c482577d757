import type { Page } from '../http/parameters.ts'
import { compareRecords, type ListOrder, type SortKey } from '../../graph/jskos/order.ts'
import { queryTemplate, type Bindings, type Terms } from '../../graph/sparql/templates.ts'
import type { TemplateName } from '../../graph/sparql/template-names.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { ReadDependencies } from './dependencies.ts'
import { URIS_AT_A_TIME, type ListQuestion } from './indexed-lists.ts'
import { changed, CONCEPTS_AT_A_TIME, inPieces } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { scopeTerms, toTerms } from './terms.ts'
import { NOTATION, SKOS } from '../../base/namespaces.ts'
import { iri } from '../../graph/sparql/terms.ts'

/** Which resources a list has: those of a template, in the order of records, or given ones in their order. */
export type Selection = TemplateSelection | GivenSelection

export interface TemplateSelection {
  template: TemplateName
  /** The terms of its slots. */
  terms: Terms
  /** Names of optional blocks to keep, besides those of `terms`. */
  include?: readonly string[]
  order: ListOrder
  /**
   * Lists of the search index with the same concepts; the first list that the index has is used instead of the
   * template.
   */
  indexed?: readonly IndexedList[]
}

interface GivenSelection {
  /** The URIs of the page. */
  uris: readonly string[]
  /** The length of the whole list. */
  total: number
}

/** A list of a vocabulary that the search index may have. */
interface IndexedList {
  vocabulary: Vocabulary
  list: ListQuestion['list']
}

/** The URIs of a page. */
export interface SelectedPage {
  /** The length of the whole list. */
  total: number
  /** The number of URIs. */
  length: number
  /** The URIs, at most `URIS_AT_A_TIME` of the index at a time. */
  uris: AsyncIterable<readonly string[]> | Iterable<readonly string[]>
  /** The list of the index that they come from; absent if they are given or the store has selected them. */
  source?: IndexedList
}

/**
 * The selection of a template. The parameters with the names of its slots fill them.
 *
 * @param more terms besides those of the parameters.
 * @throws ApiError MalformedRequestError for a parameter that is missing or has a wrong value.
 */
export function byTemplate(
  template: TemplateName,
  { parameters, view }: Pick<ListRequest, 'parameters' | 'view'>,
  more: Terms = {},
): TemplateSelection {
  const terms = { ...toTerms(queryTemplate(template), parameters), scope: scopeTerms(view.scope), ...more }
  return { template, terms, order: view.order }
}

/** All concepts of the vocabularies and subsets that a request names, or of all vocabularies. */
export function inScope(request: ListRequest, more: Terms = {}): TemplateSelection {
  const { schemes, subsets } = request.view.scope
  const all = byTemplate('search/all', request, more)
  const [only] = schemes.length === 1 && subsets.length === 0 && more['below'] === undefined ? schemes : []
  return only ? { ...all, indexed: listsOf(request, [only], 'concepts') } : all
}

/** A list of some vocabularies, if a request wants it as a whole. */
export function listsOf(
  { view: { scope }, parameters }: ListRequest,
  vocabularies: readonly Vocabulary[],
  list: IndexedList['list'],
): IndexedList[] {
  if (parameters.has('type') || scope.subsets.length > 0) return []
  const wanted = vocabularies.filter(({ uri, isSubset }) => {
    return !isSubset && (scope.all || scope.schemes.some((scheme) => scheme.uri === uri))
  })
  return wanted.map((vocabulary) => ({ vocabulary, list }))
}

/**
 * The URIs of the requested page, and the length of the list.
 *
 * @param withIndex false: the template answers, whatever the index has.
 * @throws the errors of the store and of the index.
 */
export async function selectPage(
  dependencies: ReadDependencies,
  selection: Selection,
  { page, signal }: Pick<ListRequest, 'page' | 'signal'>,
  withIndex: boolean,
): Promise<SelectedPage> {
  if ('uris' in selection) return pageOf(selection)
  if (selectsNothing(selection)) return pageOf({ uris: [], total: 0 })
  for (const source of withIndex ? (selection.indexed ?? []) : []) {
    const indexed = await pageOfIndex(dependencies, source, page, signal)
    if (indexed) return indexed
  }
  return pageOf(await pageOfTemplate(dependencies, selection, page, signal))
}

/** True if a slot has no terms, for instance for an unknown vocabulary. */
export function selectsNothing({ terms }: TemplateSelection): boolean {
  return Object.values(terms).some((ofSlot) => ofSlot?.length === 0)
}

/**
 * The values for the places of a template that selects a page.
 *
 * @param isCut false: the page has the whole list, which the service sorts, or is of no use.
 */
export function pageBindings(
  { terms, include = [] }: TemplateSelection,
  { limit, offset }: Page,
  isCut = true,
): Bindings {
  return { terms, include: [...include, ...(isCut ? ['order'] : []), 'page'], limit, offset }
}

/**
 * The length of the list of a template, which the store counts unless the page ends it.
 *
 * @param length of the page.
 * @throws the errors of the store.
 */
export async function totalOf(
  { client }: ReadDependencies,
  { template, terms, include = [] }: TemplateSelection,
  { limit, offset }: Page,
  length: number,
  signal: AbortSignal,
): Promise<number> {
  if (length < limit && (length > 0 || offset === 0)) return offset + length
  const select = queryTemplate(template).bindSubselect({ terms, include })
  const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select } })
  const [row] = await client.select(query, { signal })
  return Number(row?.['count']?.value ?? 0)
}

function pageOf({ uris, total }: GivenSelection): SelectedPage {
  return { total, length: uris.length, uris: [uris] }
}

async function pageOfTemplate(
  dependencies: ReadDependencies,
  selection: TemplateSelection,
  page: Page,
  signal: AbortSignal,
): Promise<GivenSelection> {
  if (page.limit > 0 && !selection.order.isByCodePoints) return pageInOrder(dependencies, selection, page, signal)
  const query = queryTemplate(selection.template).bind(pageBindings(selection, page))
  const rows = page.limit > 0 ? await dependencies.client.select(query, { signal }) : []
  const entries = rows.flatMap(({ c, key }) => (c ? { uri: c.value, key: key?.value } : []))
  const total = await totalOf(dependencies, selection, page, entries.length, signal)
  // Apache Jena orders texts by UTF-16.
  if (entries.length === total) entries.sort(compareRecords)
  return { uris: entries.map(({ uri }) => uri), total }
}

/** A page of a list that a store cannot order. */
async function pageInOrder(
  dependencies: ReadDependencies,
  { template, terms, include = [], order }: TemplateSelection,
  { limit, offset }: Page,
  signal: AbortSignal,
): Promise<GivenSelection> {
  const query = queryTemplate(template).bind({ terms, include })
  const uris = (await dependencies.client.select(query, { signal })).flatMap(({ c }) => c?.value ?? [])
  const keys = await sortKeys(dependencies, uris, { order }, signal)
  return { uris: keys.slice(offset, offset + limit).map(({ uri }) => uri), total: uris.length }
}

/**
 * Undefined if the index does not have the list as the store has it. After an ingest the list goes on as it began; it
 * breaks off if the index no longer has its concepts.
 */
async function pageOfIndex(
  { lists }: ReadDependencies,
  source: IndexedList,
  page: Page,
  signal: AbortSignal,
): Promise<SelectedPage | undefined> {
  const { vocabulary, list } = source
  const selected = await lists.page(vocabulary, { list, page }, signal)
  if (!selected) return undefined
  const { total, uris: first, rest } = selected
  const uris = async function* () {
    yield first
    for (let start = 0; start < rest.length; start += URIS_AT_A_TIME) {
      const ids = rest.slice(start, start + URIS_AT_A_TIME)
      const batch = await lists.uris(ids, signal)
      if (batch?.length !== ids.length) throw changed()
      yield batch
    }
  }
  return { total, length: first.length + rest.length, uris: uris(), source }
}

/**
 * The keys of concepts and collections that the order of a store is not right for, in the order of records.
 *
 * @throws the errors of the store.
 */
export async function sortKeys(
  { client }: Pick<ReadDependencies, 'client'>,
  uris: readonly string[],
  { order }: Pick<View, 'order'>,
  signal: AbortSignal,
): Promise<SortKey[]> {
  const read = async (batch: readonly string[]) => {
    const facts = new Map(
      batch.map((uri): [string, Facts] => [uri, { schemes: [], graphs: [], notations: [], labels: {} }]),
    )
    const query = queryTemplate('describe/sort-keys').bind({ terms: { c: batch.map(iri) } })
    for (const { c, graph, p, o } of await client.select(query, { signal })) {
      const { schemes, graphs, notations, labels } = facts.get(c!.value)!
      const { type, value } = o!
      graphs.push(graph!.value)
      if (p!.value === `${SKOS}inScheme`) schemes.push(value)
      else if (type === 'uri' || type === 'bnode' || value === '') continue
      else if (p!.value === NOTATION) notations.push(value)
      else labels[o!['xml:lang']?.toLowerCase() ?? 'und'] = value
    }
    return [...facts].map(([uri, { schemes, graphs, notations, labels }]) => {
      // Graphs also name concepts of other vocabularies. A collection is of the vocabulary whose graph describes it.
      return order.keyOf({ uri, schemes: schemes.length > 0 ? schemes : graphs, notations, labels: () => labels })
    })
  }
  const keys: SortKey[] = []
  for await (const batch of inPieces(uris, CONCEPTS_AT_A_TIME, read, signal)) keys.push(...batch)
  return keys.sort(compareRecords)
}

/** The facts that decide the place of a record, as the store has them. */
interface Facts {
  schemes: string[]
  graphs: string[]
  notations: string[]
  labels: Record<string, string>
}
