import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { Terms } from '../sparql/templates.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { ListQuestion } from './indexed-lists.ts'
import type { ListRequest } from './request.ts'
import { scopeTerms, toTerms } from './terms.ts'

/** Which concepts a list has: those with some URIs, or those that a template finds, in the order of records. */
export type Selection = UriSelection | TemplateSelection

/** Few enough for one request to the store; of these, the list has those that the store has, usually only the concepts. */
export interface UriSelection {
  uris: readonly string[]
  /** True: also resources of another class than skos:Concept that are in a vocabulary. */
  ofAnyClass?: boolean
}

export interface TemplateSelection {
  template: TemplateName
  /** The terms of its slots. */
  terms: Terms
  /** True if finding the concepts takes longer than describing them; the service then finds them only once. */
  isLong?: boolean
  /** True if there is usually one concept. */
  isOne?: boolean
  /** Lists of the search index, one of which is the same list; the template answers if the index has none of them. */
  indexed?: readonly IndexedList[]
}

/** A list of a vocabulary that the search index may have. */
export interface IndexedList {
  vocabulary: Vocabulary
  list: ListQuestion['list']
}

/**
 * The concepts that a template finds. The parameters with the names of its slots fill them.
 *
 * @param more terms besides those of the parameters.
 * @throws ApiError MalformedRequestError for a parameter that is missing or has a wrong value.
 */
export function byTemplate(
  template: TemplateName,
  { parameters, view }: Pick<ListRequest, 'parameters' | 'view'>,
  { more = {}, isLong = false, isOne = false }: { more?: Terms; isLong?: boolean; isOne?: boolean } = {},
): TemplateSelection {
  const terms = { ...toTerms(queryTemplate(template), parameters), scope: scopeTerms(view.scope), ...more }
  return { template, terms, isLong, isOne }
}

/** All concepts of the vocabularies and subsets that a request names, or of all vocabularies. */
export function inScope(request: ListRequest, more: Terms = {}): TemplateSelection {
  const { schemes, subsets } = request.view.scope
  const all = byTemplate('search/all', request, { more, isLong: true })
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
