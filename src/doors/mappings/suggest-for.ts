import type { RequestHandler } from 'express'
import { malformed, readList } from '../../interface/http/parameters.ts'
import {
  conceptsOf,
  type Mapping,
  DEFAULT_MAPPING_TYPE,
  identifiersOf,
  type MappedConcept,
} from '../../graph/jskos/mapping.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { listRequest, type ListRequest } from '../../interface/read/request.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { EVERYTHING, type Scope } from '../../graph/vocabularies/registry.ts'
import { readMappingPage } from './question.ts'
import { namingContext, mappingsOfConcept, type MappingDependencies } from './find-mappings.ts'
import { LIST_PARAMETERS, sending, slice } from './send-list.ts'
import { schemeUris } from './infer.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { findCandidates } from '../reconcile/candidates.ts'
import { queryForText } from '../reconcile/query.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import { schemeOf } from './record.ts'

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

/** Labels of a concept that are looked for, preferred ones first. */
const MOST_LABELS = 50
/** Concepts that one label finds. */
const MOST_OF_LABEL = 50

/** The fields of a concept that mappings are suggested for. */
export const LABELLED = 'prefLabel,altLabel,notation,inScheme'

/**
 * Mappings that a concept may have: to the concepts with equal or similar labels, the most similar first.
 * `mappingRelevance` is the score of reconciliation, from 0 to 1. They have no URI, because nobody has stated them
 * (JSKOS, "Concept Mappings").
 *
 * @param concept with the fields of `LABELLED`.
 * @param scope the vocabularies of the suggested concepts.
 * @param isOpen false for the URI of a concept that needs no suggestion.
 * @throws ApiError ServiceUnavailableError if the index lacks a vocabulary, and the errors of the store.
 */
async function suggestedMappings(
  dependencies: SearchDependencies & AnswerDependencies,
  request: ListRequest,
  concept: JskosRecord,
  scope: Scope,
  isOpen: (uri: string) => boolean,
): Promise<Mapping[]> {
  const queries = shownLabels(concept).map((text) => queryForText(text, MOST_OF_LABEL))
  const best = new Map<string, number>()
  for (const candidates of await findCandidates(dependencies, scope, queries, request.signal)) {
    for (const { uri, score } of candidates) if (score > (best.get(uri) ?? -1)) best.set(uri, score)
  }
  const open = [...best].filter(([uri]) => uri !== concept.uri && isOpen(uri)).sort(([, a], [, b]) => b - a)
  const uris = open.map(([uri]) => uri)
  const records = await conceptsByUri(dependencies, request, uris, 'prefLabel,notation,inScheme')
  const vocabularies = await dependencies.registry.list()
  const sideOf = (side: 'from' | 'to', { uri, notation, prefLabel, inScheme }: JskosRecord) => {
    const member: MappedConcept = { uri, ...(notation && { notation }), ...(prefLabel && { prefLabel }) }
    const [scheme] = inScheme ?? []
    return { [side]: { memberSet: [member] }, ...(scheme && { [`${side}Scheme`]: schemeOf(scheme.uri, vocabularies) }) }
  }
  const from = sideOf('from', concept)
  return open.flatMap(([uri, score]) => {
    const record = records.get(uri)
    // A mapping within one vocabulary is of no use.
    if (
      !record?.inScheme ||
      record.inScheme.some((scheme) => concept.inScheme?.some(({ uri: ownScheme }) => ownScheme === scheme.uri))
    )
      return []
    const mapping = {
      ...from,
      ...sideOf('to', record),
      type: [DEFAULT_MAPPING_TYPE],
      mappingRelevance: Math.round(score) / 100,
    } as unknown as Mapping
    const context = { '@context': dependencies.config.jskosContextUrl }
    return [{ ...context, ...mapping, identifier: identifiersOf(mapping) }]
  })
}

/** The labels of a concept, each once: preferred ones, then alternative ones. */
function shownLabels({ prefLabel, altLabel }: JskosRecord): string[] {
  const labels = [...Object.values(prefLabel ?? {}), ...Object.values(altLabel ?? {}).flat()]
  return [...new Set(labels)].slice(0, MOST_LABELS)
}
