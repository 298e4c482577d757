import { withoutUndefined } from '../../base/json.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { listRequest } from '../../interface/read/request.ts'
import { findCandidates } from '../reconcile/candidates.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { queryForText } from '../reconcile/query.ts'
import { soughtWords } from '../../interface/search/matched-label.ts'
import { compactConcept, HIT_FIELDS } from './concepts.ts'
import { fit, namingOf, vocabularyOfTool, type ToolCall } from './tool.ts'

const NO_CANDIDATES =
  'Terms without candidates: try a synonym, the singular, a broader word or the name in another language, or leave vocabulary out.'

/**
 * The answer of the tool match_terms: candidates for each term, best first, with advice for terms that have none.
 *
 * @throws ApiError if the vocabulary is unknown
 */
export async function matchTerms(
  call: ToolCall,
  {
    terms,
    vocabulary,
    language,
    limit,
  }: { terms: string[]; vocabulary?: string | undefined; language?: string | undefined; limit: number },
): Promise<Record<string, unknown>> {
  const { dependencies, signal } = call
  const within = vocabulary === undefined ? undefined : await vocabularyOfTool(call, vocabulary)
  const parameters = givenParameters({ voc: within?.uri, language })
  const request = await listRequest(dependencies, { parameters, signal })
  const queries = terms.map((text) => queryForText(text, limit))
  const candidatesByTerm = await findCandidates(dependencies, request.view.scope, queries, signal)
  const uris = candidatesByTerm.flatMap((some) => some.map(({ uri }) => uri))
  const records = await conceptsByUri(dependencies, request, uris, HIT_FIELDS)
  const naming = namingOf(call, language, within)
  const results = terms.map((term, index) => {
    const words = soughtWords(term)
    const candidates = candidatesByTerm[index]!.flatMap(({ uri, score }) => {
      const record = records.get(uri)
      return record ? [{ ...compactConcept(record, naming, words), score }] : []
    })
    return withoutUndefined({ term, match: candidatesByTerm[index]!.find(({ match }) => match)?.uri, candidates })
  })
  const fitting = fit(results)
  if (fitting.length === results.length) {
    const isEmpty = results.some(({ candidates }) => candidates.length === 0)
    return { results, ...(isEmpty && { note: NO_CANDIDATES }) }
  }
  // Every term has an answer; the last ones have less in it.
  const rest = results.slice(fitting.length).map(({ candidates: _, ...result }) => ({ ...result, candidates: [] }))
  const note = `The last ${rest.length} terms have no candidates here, because the answer would be too long. Ask for them again.`
  return { results: [...fitting, ...rest], note }
}
