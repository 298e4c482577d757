import type { RequestHandler } from 'express'
import { malformed, readList } from '../../interface/http/parameters.ts'
import { conceptsOf, type Mapping } from '../../graph/jskos/mapping.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { listRequest } from '../../interface/read/request.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import { readMappingPage } from './question.ts'
import { LABELLED, suggestedMappings } from './suggested.ts'
import { namingContext, mappingsOfConcept, type MappingDependencies } from './find-mappings.ts'
import { LIST_PARAMETERS, sending, slice } from './send-list.ts'
import { schemeUris } from './infer.ts'

/** Suggested mappings in an answer without `limit`. */
const SUGGESTIONS_LIMIT = 10

/** GET /mappings/suggest-for: new mappings that a concept may have, by its labels. */
export function suggestFor(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, ['from', 'toScheme', ...LIST_PARAMETERS], async (parameters, signal) => {
    const uri = parameters.get('from')
    if (uri === undefined || !isAbsoluteIri(uri)) throw malformed('from: expected the URI of a concept')
    const page = readMappingPage(parameters, dependencies.config.maxLimit, SUGGESTIONS_LIMIT)
    const schemes = parameters.has('toScheme') ? readList(parameters, 'toScheme') : undefined
    const suggestions = await suggestionsFor(dependencies, uri, schemes, signal)
    return { total: suggestions.length, records: inOnePiece(slice(suggestions, page)), page }
  })
}

/**
 * New mappings that a concept may have, by its labels, the best first; none if there is no such concept.
 *
 * @param schemes URIs, other identifiers, ids or notations of vocabularies that they lead to; undefined: all others.
 * @throws the errors of the store and of the index.
 */
export async function suggestionsFor(
  dependencies: MappingDependencies,
  uri: string,
  schemes: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Mapping[]> {
  const request = await listRequest(dependencies, { parameters: new Map(), signal })
  const concept = (await conceptsByUri(dependencies, request, [uri], LABELLED)).get(uri)
  if (!concept) return []
  const scope = schemes
    ? await dependencies.registry.scope(schemeUris(schemes, await namingContext(dependencies)))
    : EVERYTHING
  const mapped = new Set<string | undefined>()
  for (const { from, to } of await mappingsOfConcept(dependencies, uri, signal)) {
    for (const concept of [...conceptsOf(from), ...conceptsOf(to)]) mapped.add(concept.uri)
  }
  return suggestedMappings(dependencies, request, concept, scope, (suggested) => !mapped.has(suggested))
}
