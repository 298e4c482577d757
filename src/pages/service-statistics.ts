import type { RequestHandler } from 'express'
import { unavailable } from '../errors.ts'
import { sendWhole } from '../http/send.ts'
import { COLLECTIONS, CONCEPT } from '../namespaces.ts'
import { EVERY_MAPPING } from '../search/mapping-reader.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { PageDependencies } from './page-request.ts'
import { labelsByLanguage, type VocabularyStatistics } from './vocabulary-statistics.ts'

/** Numbers of the whole service (docs/interface.md, "Statistics"). */
export interface ServiceStatistics {
  vocabularies: number
  subsets: number
  concepts: number
  deprecated: number
  unreached: number
  collections: number
  /** Stated and loaded ones. */
  mappings: number
  /** Labels of all vocabularies by language tag (`und` if they have none). */
  labels: VocabularyStatistics['labels']
  /** The vocabularies in the order of their list. */
  each: VocabularyNumbers[]
}

/** Numbers of one vocabulary. */
export interface VocabularyNumbers {
  uri: string
  id: string
  prefLabel: Record<string, string>
  concepts: number
  deprecated: number
  /** Absent if loading has not looked for them. */
  unreached?: number
  collections: number
  prefLabels: number
  altLabels: number
  hiddenLabels: number
  /** Language tags of its labels, those with most labels first. */
  languages: string[]
}

interface Counted {
  numbers: Omit<VocabularyNumbers, 'uri' | 'id' | 'prefLabel' | 'unreached' | 'collections'>
  labels: VocabularyStatistics['labels']
}

/**
 * The statistics of the whole service. Each vocabulary is counted once for a revision.
 *
 * @returns those that are known, and whether the service still counts others.
 * @throws the errors of the store and of the index.
 */
export async function serviceStatistics(
  dependencies: PageDependencies,
  signal: AbortSignal,
): Promise<{ statistics: ServiceStatistics; isCounting: boolean }> {
  const { client, registry, index } = dependencies
  const all = await registry.list()
  const vocabularies = all.filter(({ isSubset }) => !isSubset)
  const query = queryTemplate('statistics/collections').bind({ terms: { class: COLLECTIONS.map(iri) } })
  const [mappings, collections, counted] = await Promise.all([
    // Before the figures, because the index answers one question after the other.
    index.mappings({ ...EVERY_MAPPING, page: { limit: 0, offset: 0 } }, signal).then(({ total }) => total),
    client.select(query, { signal }),
    Promise.all(
      vocabularies.map((one) =>
        dependencies.statistics.remember('numbers', one, (own) => countOne(dependencies, one, own)),
      ),
    ),
  ])
  const inGraph = new Map(collections.map(({ graph, count }) => [graph?.value, Number(count?.value)]))
  const labels = new Map<string, VocabularyStatistics['labels'][number]>()
  const each = vocabularies.flatMap(({ uri, ids, prefLabel, lengths }, at): VocabularyNumbers[] => {
    const found = counted[at]
    if (!found) return []
    for (const one of found.labels) {
      const known = labels.get(one.language) ?? { language: one.language, prefLabel: 0, altLabel: 0, hiddenLabel: 0 }
      labels.set(one.language, known)
      for (const name of ['prefLabel', 'altLabel', 'hiddenLabel'] as const) known[name] += one[name]
    }
    const unreached = lengths.concepts === undefined ? {} : { unreached: lengths.unreached ?? 0 }
    return [
      {
        uri,
        id: ids[0] ?? uri,
        prefLabel,
        ...found.numbers,
        ...unreached,
        collections: inGraph.get(uri) ?? 0,
      },
    ]
  })
  const sum = (name: 'concepts' | 'deprecated' | 'unreached' | 'collections') =>
    each.reduce((total, one) => total + (one[name] ?? 0), 0)
  return {
    isCounting: each.length < vocabularies.length,
    statistics: {
      vocabularies: vocabularies.length,
      subsets: all.length - vocabularies.length,
      concepts: sum('concepts'),
      deprecated: sum('deprecated'),
      unreached: sum('unreached'),
      collections: sum('collections'),
      mappings,
      labels: [...labels.values()].sort((a, b) => b.prefLabel - a.prefLabel || (a.language < b.language ? -1 : 1)),
      each,
    },
  }
}

async function countOne({ index }: PageDependencies, vocabulary: Vocabulary, signal: AbortSignal): Promise<Counted> {
  const figures = await index.figures(vocabulary, signal)
  const [, concepts = 0, deprecated = 0] = figures.classes.find(([uri]) => uri === CONCEPT) ?? []
  const labels = labelsByLanguage(figures.labels)
  const sum = (name: 'prefLabel' | 'altLabel' | 'hiddenLabel') => labels.reduce((total, one) => total + one[name], 0)
  const numbers = {
    concepts,
    deprecated,
    prefLabels: sum('prefLabel'),
    altLabels: sum('altLabel'),
    hiddenLabels: sum('hiddenLabel'),
    languages: labels.map(({ language }) => language),
  }
  return { numbers, labels }
}

/** GET /statistics as JSON. */
export function ofService(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    await sendWhole(request, response, dependencies, async (signal) => {
      const { statistics, isCounting } = await serviceStatistics(dependencies, signal)
      if (isCounting) throw unavailable('The service is still counting. Please try again soon.')
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return `${JSON.stringify(statistics)}\n`
    })
  }
}
