import { readIris, readNames } from '../http/parameters.ts'
import { nothing, type RecordList } from '../read/list.ts'
import { recordsOfConcepts } from '../read/concepts.ts'
import { readPage } from '../read/page.ts'
import type { ListRequest } from '../read/request.ts'
import { readTypes } from '../read/terms.ts'
import { inScope } from '../read/selection.ts'
import { iri } from '../sparql/terms.ts'
import { findForgivingly } from './forgiving.ts'
import { pageOf, type SearchDependencies, type SearchFields } from './matches.ts'
import { readSearchText } from './words.ts'

/** The search text as sent. `search` and `query` mean the same, and old clients send both. */
export function searchedText({ parameters }: ListRequest): string {
  return parameters.get('search') ?? parameters.get('query') ?? ''
}

/**
 * GET /search: concepts whose labels or notations match a text, best first; without a text all concepts, in the order
 * of records (docs/interface.md, "Search").
 *
 * @example
 * const parameters = givenParameters({ search: 'bookbind' })
 * const { total, records } = await search(dependencies, await listRequest(dependencies, { parameters, signal }))
 */
export async function search(dependencies: SearchDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, view, page, signal } = request
  const { scope } = view
  const types = readTypes(parameters)
  const ancestors = readIris(parameters, 'ancestors')
  const below = ancestors.length > 0 ? ancestors.map(iri) : undefined
  const fields = readFields(request)
  if ((!scope.all && scope.schemes.length + scope.subsets.length === 0) || types?.length === 0) {
    return nothing()
  }
  const text = readSearchText(searchedText(request))
  if (text === undefined) {
    const all = await inScope(dependencies, request, { below, type: types?.map(iri) })
    return readPage(dependencies, all, request)
  }
  const matches = await findForgivingly(dependencies, { text, fields, scope, below, types }, signal)
  const uris = page.limit > 0 ? await pageOf(dependencies, matches, page, signal) : []
  const { total, replaced } = matches
  return { total, records: recordsOfConcepts(dependencies, uris, view, signal), ...(replaced && { replaced }) }
}

/** The parameter `use`: `label`, `notation` or both; unknown names are ignored. */
function readFields({ parameters }: ListRequest): SearchFields {
  const names = readNames(parameters, 'use')
  const fields = { label: names.includes('label'), notation: names.includes('notation') }
  return fields.label || fields.notation ? fields : { label: true, notation: true }
}
