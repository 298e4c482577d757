import { readIris, readNames } from '../http/parameters.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { readTypes } from '../read/concepts.ts'
import { describeInOrder, listConcepts, nothing, type RecordList } from '../read/list.ts'
import type { Read } from '../read/read.ts'
import { iri } from '../sparql/terms.ts'
import { findMatches, pageOf, type SearchFields } from './matches.ts'
import { readSearchText } from './words.ts'

/** Parameters of /search and /suggest. `sort` is not among them: the order is always by rank. */
export const SEARCH_PARAMETERS = ['search', 'query', 'type', 'count', 'use', 'ancestors']

/** The text that was asked for, as it came: `search` and `query` are the same, and old clients send both. */
export function searchedText({ parameters }: Read): string {
  return parameters.get('search') ?? parameters.get('query') ?? ''
}

/**
 * GET /search: concepts whose labels or notations match a text, best first; without a text all concepts, in the order
 * of records (docs/interface.md, "Search").
 */
export async function search(read: Read): Promise<RecordList> {
  const { dependencies, parameters, view, page, signal } = read
  const { scope } = view
  const types = readTypes(read)
  const ancestors = readIris(parameters, 'ancestors')
  const below = ancestors.length > 0 ? ancestors.map(iri) : undefined
  const fields = readFields(read)
  if ((!scope.all && scope.schemes.length + scope.subsets.length === 0) || types?.length === 0) {
    return nothing()
  }
  const text = readSearchText(searchedText(read))
  if (text === undefined) {
    const question = { template: queryTemplate('search/all'), terms: { below, type: types }, isLong: true }
    return listConcepts(dependencies, question, page, view, signal)
  }
  const matches = await findMatches(dependencies, { text, fields, scope, below, types }, signal)
  const uris = page.limit > 0 ? await pageOf(dependencies, matches, page, signal) : []
  return { total: matches.total, records: describeInOrder(dependencies, uris, view, signal) }
}

/** The parameter `use`: `label`, `notation` or both; unknown names are ignored. */
function readFields({ parameters }: Read): SearchFields {
  const names = readNames(parameters, 'use')
  const fields = { label: names.includes('label'), notation: names.includes('notation') }
  return fields.label || fields.notation ? fields : { label: true, notation: true }
}
