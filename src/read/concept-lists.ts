import { requireIris } from '../http/parameters.ts'
import { schemeNotations } from '../jskos/record.ts'
import { iri } from '../sparql/terms.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { knownBroader } from './concept-graph.ts'
import type { ReadDependencies } from './dependencies.ts'
import { ONE_REQUEST, type RecordList } from './list.ts'
import type { ListName } from './list-checks.ts'
import { pageOfConcepts } from './page.ts'
import type { ListRequest } from './request.ts'
import { belowOne, byPlace, byTemplate } from './selection.ts'

/** GET /broader: the concepts directly above the given ones. If the service remembers these, nothing needs to find the others. */
export async function broader(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const uris = requireIris(request.parameters, 'uri')
  const known = request.view.scope.all ? await knownBroader(dependencies, uris) : undefined
  const isShort = known !== undefined && known.size <= ONE_REQUEST
  const selection = isShort
    ? { uris: [...known], ofAnyClass: true }
    : byTemplate('broader', request, { isOne: uris.length === 1 })
  return pageOfConcepts(dependencies, selection, request)
}

/** GET /descendants: all concepts below the given ones. */
export async function descendants(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const [uri, ...others] = requireIris(request.parameters, 'uri')
  const all = byTemplate('descendants', request, { isLong: true })
  const isOne = others.length === 0
  return pageOfConcepts(dependencies, isOne ? await belowOne(dependencies, request, uri, all) : all, request)
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

/** All concepts or all top concepts of the vocabularies; a subset shows its members only. */
async function conceptsOf(
  dependencies: ReadDependencies,
  request: ListRequest,
  vocabularies: readonly Vocabulary[],
  list: ListName,
): Promise<RecordList> {
  const { view } = request
  const subsets = vocabularies.filter(({ isSubset }) => isSubset)
  const isWithin = subsets.length > 0 && view.scope.all
  const within = isWithin ? { ...request, view: { ...view, scope: { ...EVERYTHING, subsets } } } : request
  const of = (subsets.length > 0 ? subsets : vocabularies).map(({ uri }) => iri(uri))
  const all =
    list === 'concepts'
      ? byTemplate('voc/concepts', within, { more: { of }, isLong: true })
      : byTemplate('voc/top', within, { more: { of } })
  const [only] = vocabularies.length === 1 ? vocabularies : []
  return pageOfConcepts(dependencies, only ? await byPlace(dependencies, within, only, list, all) : all, within)
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
