import type { Request, RequestHandler } from 'express'
import { unavailable } from '../../base/errors.ts'
import { sendWhole } from '../../interface/http/send.ts'
import { MAPPING_TYPES, type MappedScheme } from '../../graph/jskos/mapping.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { CONCEPT } from '../../base/namespaces.ts'
import { schemesNamed } from '../mappings/question.ts'
import { schemeOf } from '../mappings/record.ts'
import type { IndexFigures } from '../../interface/search/label-reader.ts'
import { EVERY_MAPPING, type MappingQuestion } from '../../graph/index/mappings/mapping-reader.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { idOf, vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import type { PageDependencies } from './page-request.ts'

/** Numbers of the contents of a vocabulary or subset (docs/endpoints.md, "Statistics"). */
export interface VocabularyStatistics {
  uri: string
  concepts: number
  /** Concepts that should not be used any more. */
  deprecated: number
  topConcepts: number
  /**
   * Concepts that no top concept leads to; absent for subsets, if another program wrote the vocabulary, and while the
   * index does not have it.
   */
  unreached?: number
  collections: number
  /** Concepts by their distance from the top; absent for subsets and very large vocabularies. */
  levels?: number[]
  /** Concepts by their classes besides skos:Concept. */
  classes: { uri: string; prefLabel?: Record<string, string>; concepts: number; deprecated: number }[]
  /** Labels by language tag (`und` if they have none). */
  labels: { language: string; prefLabel: number; altLabel: number; hiddenLabel: number }[]
  /** Mappings from its concepts by relation and vocabulary; `toScheme` is absent if it is not known. */
  mappings: { type: string; toScheme?: MappedScheme; count: number }[]
}

/**
 * The statistics of a vocabulary or subset.
 *
 * @returns undefined while the index does not have it in its revision.
 * @throws the errors of the store and of the index.
 */
export async function vocabularyStatistics(
  dependencies: PageDependencies,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<VocabularyStatistics | undefined> {
  const { index, statistics } = dependencies
  const vocid = idOf(vocabulary)
  const voc = vocabulary.isSubset ? vocabulary.uri : undefined
  const endpointRequest = { dependencies, vocid, signal }
  const onlyTotal = { limit: '0', voc }
  const [figures, lengths, top, groups, types] = await Promise.all([
    statistics.figures(vocabulary),
    vocabulary.isSubset ? undefined : index.lengths(vocabulary),
    askEndpoint(endpointRequest, '/voc/:vocid/top', onlyTotal),
    askEndpoint(endpointRequest, '/voc/:vocid/groups', { limit: '0' }),
    askEndpoint({ ...endpointRequest, vocid: undefined }, '/types', { voc: vocabulary.uri }),
  ])
  const mappings = figures && (await mappingNumbers(dependencies, vocabulary, signal))
  if (!mappings) return undefined
  const { concepts, deprecated, classes, labels, levels } = figures
  const ofClass = (uri: string) => {
    const [, ofThis = 0, deprecatedOfThis = 0] = classes.find(([classUri]) => classUri === uri) ?? []
    return { concepts: ofThis, deprecated: deprecatedOfThis }
  }
  return {
    uri: vocabulary.uri,
    concepts,
    deprecated,
    topConcepts: top.total,
    ...(lengths && { unreached: lengths.unreached }),
    collections: groups.total,
    ...(levels && { levels }),
    classes: types.records
      .filter((classRecord) => classRecord.uri !== CONCEPT)
      .map((classRecord) => ({
        uri: classRecord.uri,
        ...('prefLabel' in classRecord && classRecord.prefLabel ? { prefLabel: classRecord.prefLabel } : {}),
        ...ofClass(classRecord.uri),
      })),
    labels: labelsByLanguage(labels),
    mappings,
  }
}

/**
 * The numbers of mappings from a vocabulary or subset.
 *
 * @returns undefined for a subset that the store takes long to look at.
 * @throws the errors of the index.
 */
export async function mappingNumbers(
  dependencies: PageDependencies,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<VocabularyStatistics['mappings'] | undefined> {
  if (!vocabulary.isSubset) return mappingsFrom(dependencies, vocabulary, signal)
  // The index does not know which mappings are those of members.
  const { client, statistics } = dependencies
  return statistics.remember('mappings', vocabulary, async () => {
    const query = queryTemplate('statistics/mappings').bind({ terms: { of: [iri(vocabulary.uri)] } })
    const rows = await client.select(query, { timeoutMs: TIMEOUT_MS })
    return rows.flatMap(({ p, count }) => (p ? { type: p.value, count: Number(count?.value) } : [])).sort(byType)
  })
}

/** Counting the mappings of a subset may take longer than an answer, because no request waits for its end. */
const TIMEOUT_MS = 120_000

/** Labels by language tag, the languages with most names first. */
export function labelsByLanguage(labels: IndexFigures['labels']): VocabularyStatistics['labels'] {
  const byLanguage = new Map<string, VocabularyStatistics['labels'][number]>()
  for (const [type, tag, count] of labels) {
    if (type === 'notation') continue
    const language = tag || 'und'
    const counts = byLanguage.get(language) ?? { language, prefLabel: 0, altLabel: 0, hiddenLabel: 0 }
    byLanguage.set(language, counts)
    counts[type] += count
  }
  return [...byLanguage.values()].sort((a, b) => b.prefLabel - a.prefLabel || compareCodePoints(a.language, b.language))
}

/** The numbers of stated and loaded mappings from a vocabulary. */
async function mappingsFrom(
  { indexedMappings, registry }: PageDependencies,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<VocabularyStatistics['mappings']> {
  const vocabularies = await registry.list()
  const fromScheme = schemesNamed(vocabulary.uri, vocabularies)
  const mappings: VocabularyStatistics['mappings'] = []
  // One type after the other, because the index answers from its memory.
  for (const type of MAPPING_TYPES) {
    const question: MappingQuestion = { ...FROM_ANY, fromScheme, types: [type] }
    const schemes = await indexedMappings.schemes(question, signal)
    const { total } = await indexedMappings.find(question, signal)
    const countsByScheme = new Map<string, { type: string; toScheme: MappedScheme; count: number }>()
    for (const [uri, , count] of schemes) {
      if (count === 0) continue
      const toScheme = schemeOf(uri, vocabularies)
      // Mappings may name one vocabulary by several URIs.
      const key = toScheme.notation?.[0] ?? uri
      const existing = countsByScheme.get(key)
      if (existing) existing.count += count
      else countsByScheme.set(key, { type, toScheme, count })
    }
    mappings.push(...countsByScheme.values())
    const unknown = total - [...countsByScheme.values()].reduce((sum, { count }) => sum + count, 0)
    if (unknown > 0) mappings.push({ type, count: unknown })
  }
  return mappings
}

/** The vocabularies that a vocabulary has mappings from and to, with the numbers of mappings, the most first. */
export interface MappedSchemes {
  from: { uri: string; count: number }[]
  to: { uri: string; count: number }[]
}

/**
 * The source and target vocabularies of the stated and loaded mappings of a vocabulary, as far as they are known. None
 * for a subset.
 *
 * @throws the errors of the index.
 */
export async function mappedSchemes(
  { indexedMappings, registry }: PageDependencies,
  vocabulary: Vocabulary,
  signal: AbortSignal,
): Promise<MappedSchemes> {
  if (vocabulary.isSubset) return { from: [], to: [] }
  const vocabularies = await registry.list()
  const schemes = schemesNamed(vocabulary.uri, vocabularies)
  const count = async (question: Partial<MappingQuestion>, side: 1 | 2) => {
    const sums = new Map<string, number>()
    for (const scheme of await indexedMappings.schemes({ ...FROM_ANY, ...question }, signal)) {
      // Mappings may name one vocabulary by several URIs.
      const uri = vocabulariesNamed(vocabularies, [scheme[0]])[0]?.uri ?? scheme[0]
      if (scheme[side] > 0) sums.set(uri, (sums.get(uri) ?? 0) + scheme[side])
    }
    return [...sums]
      .map(([uri, count]) => ({ uri, count }))
      .sort((a, b) => b.count - a.count || compareCodePoints(a.uri, b.uri))
  }
  return { from: await count({ toScheme: schemes }, 1), to: await count({ fromScheme: schemes }, 2) }
}

const FROM_ANY = { ...EVERY_MAPPING, page: { limit: 0, offset: 0 } }

function byType(a: { type: string }, b: { type: string }): number {
  return MAPPING_TYPES.indexOf(a.type) - MAPPING_TYPES.indexOf(b.type)
}

/** GET /voc/{vocid}/statistics as JSON. */
export function statistics(dependencies: PageDependencies): RequestHandler {
  return sendFigures(dependencies, async (request, signal) => {
    const vocabulary = await dependencies.registry.require(String(request.params['vocid']))
    return vocabularyStatistics(dependencies, vocabulary, signal)
  })
}

/**
 * Answers with figures as JSON.
 *
 * @param read gives undefined while the service still counts; then the answer is 503.
 */
export function sendFigures(
  dependencies: PageDependencies,
  read: (request: Request, signal: AbortSignal) => Promise<object | undefined>,
): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    await sendWhole(request, response, dependencies, async (signal) => {
      const figures = await read(request, signal)
      if (!figures) throw unavailable('The service is still counting. Please try again soon.')
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return `${JSON.stringify(figures)}\n`
    })
  }
}
