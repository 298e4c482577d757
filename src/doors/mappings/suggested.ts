import { DEFAULT_MAPPING_TYPE, identifiersOf, type Mapping, type MappedConcept } from '../../graph/jskos/mapping.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import type { ListRequest } from '../../interface/read/request.ts'
import { findCandidates } from '../reconcile/candidates.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { queryForText } from '../reconcile/query.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import type { Scope } from '../../graph/vocabularies/registry.ts'
import { schemeOf } from './record.ts'

/** Labels of a concept that are looked for, preferred ones first. */
const MOST_LABELS = 50
/** Concepts that one label finds. */
const MOST_OF_LABEL = 50

/** The fields of a concept that mappings are suggested for. */
export const LABELLED = 'prefLabel,altLabel,notation,inScheme'

/**
 * Mappings that a concept may have: to the concepts with equal or similar labels, the most similar first.
 * `mappingRelevance` is the
 * score of reconciliation, from 0 to 1. They have no URI, because nobody has stated them (JSKOS, "Concept Mappings").
 *
 * @param concept with the fields of `LABELLED`.
 * @param scope the vocabularies of the suggested concepts.
 * @param isOpen false for the URI of a concept that needs no suggestion.
 * @throws ApiError ServiceUnavailableError if the index lacks a vocabulary, and the errors of the store.
 */
export async function suggestedMappings(
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
