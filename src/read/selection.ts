import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { Terms } from '../sparql/templates.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { ListName } from './list-checks.ts'
import type { ListRequest } from './request.ts'
import { scopeTerms, toTerms } from './terms.ts'

/**
 * Which concepts a list has: those with some URIs or those that a template finds, in the order of records; or those at some
 * places in a list of a vocabulary.
 */
export type Selection = UriSelection | TemplateSelection | PlaceSelection

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
}

/** Concepts by the positions that loading and ingest write. Any page of such a list takes the same time. */
export interface PlaceSelection {
  vocabulary: Vocabulary
  list: ListName
  /** Places from 1, in the order of the list; absent: all. */
  places?: readonly number[]
  /** Finds the same concepts without positions, in case another program has changed the vocabulary. */
  otherwise: TemplateSelection
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

/**
 * All concepts or all top concepts of a vocabulary, by their positions (docs/interface.md, "Order and pages"); otherwise the same
 * concepts by a template, if the request wants a part of them or if the positions do not fit.
 */
export async function byPlace(
  { hierarchies, listChecks }: ReadDependencies,
  request: ListRequest,
  vocabulary: Vocabulary,
  list: ListName,
  otherwise: TemplateSelection,
): Promise<Selection> {
  if (!wantsAll(request, vocabulary, list)) return otherwise
  // Whoever reads the lists of a vocabulary may ask for descendants next.
  hierarchies.of(vocabulary)
  return (await listChecks.fits(vocabulary, list, request.signal)) ? { vocabulary, list, otherwise } : otherwise
}

/** All concepts of the vocabularies and subsets that a request names, or of all vocabularies. */
export async function inScope(
  dependencies: ReadDependencies,
  request: ListRequest,
  more: Terms = {},
): Promise<Selection> {
  const { schemes, subsets } = request.view.scope
  const all = byTemplate('search/all', request, { more, isLong: true })
  const [only] = schemes.length === 1 && subsets.length === 0 && more['below'] === undefined ? schemes : []
  return only ? byPlace(dependencies, request, only, 'concepts', all) : all
}

/**
 * All concepts below one: many in a large vocabulary by their positions, in the order of the list of all its concepts.
 *
 * @param otherwise the same concepts by a template: for few concepts, if the request wants a part of them, or if the hierarchy of
 *   the vocabulary is not known yet.
 */
export async function belowOne(
  { client, hierarchies, listChecks, registry }: ReadDependencies,
  request: ListRequest,
  uri: string,
  otherwise: TemplateSelection,
): Promise<Selection> {
  const known = (await registry.list()).flatMap((vocabulary) => {
    const hierarchy = wantsAll(request, vocabulary, 'concepts') ? hierarchies.of(vocabulary) : undefined
    return hierarchy ? [{ vocabulary, hierarchy }] : []
  })
  if (known.length === 0) return otherwise
  const query = queryTemplate('list/place').bind({ terms: { c: [iri(uri)] } })
  const rows = await client.select(query, { signal: request.signal })
  for (const { vocabulary, hierarchy } of known) {
    const place = rows.find(({ graph }) => graph?.value === vocabulary.uri)?.['place']?.value
    if (place === undefined) continue
    const places = hierarchy.descendantsOf(Number(place))
    const areMany = places.length >= hierarchies.leastDescendants
    if (!areMany || !(await listChecks.fits(vocabulary, 'concepts', request.signal))) return otherwise
    return { vocabulary, list: 'concepts', places, otherwise }
  }
  return otherwise
}

/** True if a request wants the whole list of a vocabulary whose length is known. */
function wantsAll({ view: { scope }, parameters }: ListRequest, { uri, lengths }: Vocabulary, list: ListName): boolean {
  const isInside = scope.all || (scope.subsets.length === 0 && scope.schemes.some((scheme) => scheme.uri === uri))
  return isInside && !parameters.has('type') && lengths[list] !== undefined
}
