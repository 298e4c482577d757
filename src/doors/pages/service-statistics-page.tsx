import { Fact } from './facts.tsx'
import { formatNumber } from './format.tsx'
import { link, publicUrl, type PageRequest, type PageDependencies } from './page-request.ts'
import { Crumbs, type HtmlPage } from './page.tsx'
import { LabelsByLanguage, Table } from './table.tsx'
import { VocabularyLink } from './vocabulary-heading.tsx'
import type { RequestHandler } from 'express'
import { COLLECTIONS } from '../../base/namespaces.ts'
import { EVERY_MAPPING } from '../../graph/index/mappings/mapping-reader.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { Figures } from './statistics.ts'
import { labelsByLanguage, sendFigures } from './vocabulary-statistics.ts'

/** Vocabularies in the table; the JSON has all. */
const MOST = 250

/** GET /statistics for browsers. */
export async function serviceStatisticsPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, dependencies, signal } = request
  const { statistics, isCounting } = await serviceStatistics(dependencies, signal)
  const number = (value: number) => formatNumber(request, value)
  const { concepts, each, labels } = statistics
  const facts = [
    [texts.vocabularies, statistics.vocabularies],
    [texts.subsets, statistics.subsets],
    [texts.collections, statistics.collections],
    [texts.isDeprecated, statistics.deprecated],
    [texts.unreached, statistics.unreached],
    [texts.mappingsCount, statistics.mappings],
  ] as const
  return {
    title: texts.statistics,
    canonical: { path: 'statistics' },
    alternates: [{ mediaType: 'application/json', href: publicUrl(request, 'statistics') }],
    isUnfinished: isCounting,
    body: (
      <>
        <Crumbs>
          <a href={link(request, '')}>{texts.vocabularies}</a>
        </Crumbs>
        <h1>{texts.statistics}</h1>
        <p class="figure">{texts.concepts(number(concepts), concepts === 1)}</p>
        <dl class="counts">
          {facts.map(([name, count]) => (
            <Fact name={name}>{number(count)}</Fact>
          ))}
        </dl>
        {isCounting ? <p class="small">{texts.counting}</p> : null}
        <LabelsByLanguage labels={labels} />
        {each.length > 0 ? (
          <section>
            <h2>{texts.vocabularies}</h2>
            <Table
              head={[
                texts.vocabulary,
                texts.conceptsColumn,
                texts.preferred,
                texts.alternative,
                texts.hiddenLabel,
                texts.collections,
                texts.isDeprecated,
                texts.unreached,
              ]}
              rows={each
                .slice(0, MOST)
                .map((vocabulary) => [
                  <VocabularyLink item={{ ...vocabulary, notation: [vocabulary.id] }} />,
                  vocabulary.concepts,
                  vocabulary.prefLabels,
                  vocabulary.altLabels,
                  vocabulary.hiddenLabels,
                  vocabulary.collections,
                  vocabulary.deprecated,
                  vocabulary.unreached ?? 0,
                ])}
            />
          </section>
        ) : null}
        <p class="small">
          {each.length > MOST ? `${texts.andMore(number(each.length - MOST))}: ` : null}
          <a href={`${request.root}statistics?format=json`}>JSON</a>
        </p>
      </>
    ),
  }
}

/**
 * The statistics of the whole service, as `ServiceStatistics` of the OpenAPI document describes them. Each vocabulary
 * is counted once for a revision.
 *
 * @returns the statistics of the vocabularies counted so far, and whether the service is still counting.
 * @throws the errors of the store and of the index.
 */
async function serviceStatistics(dependencies: PageDependencies, signal: AbortSignal) {
  const { client, registry, index, indexedMappings } = dependencies
  const registered = await registry.list()
  const vocabularies = registered.filter(({ isSubset }) => !isSubset)
  const query = queryTemplate('statistics/collections').bind({ terms: { class: COLLECTIONS.map(iri) } })
  const [mappings, collections, lengths, counted] = await Promise.all([
    // Before the figures, because the index answers one question after the other.
    indexedMappings.find({ ...EVERY_MAPPING, page: { limit: 0, offset: 0 } }, signal).then(({ total }) => total),
    client.select(query, { signal }),
    Promise.all(vocabularies.map((vocabulary) => index.lengths(vocabulary))),
    Promise.all(vocabularies.map((vocabulary) => dependencies.statistics.figures(vocabulary))),
  ])
  const inGraph = new Map(collections.map(({ graph, count }) => [graph?.value, Number(count?.value)]))
  const each = vocabularies.flatMap(({ uri, ids, prefLabel }, position) => {
    const figures = counted[position]
    if (!figures) return []
    const { unreached } = lengths[position] ?? {}
    return [
      {
        uri,
        id: ids[0] ?? uri,
        prefLabel,
        ...numbersOf(figures),
        ...(unreached !== undefined && { unreached }),
        collections: inGraph.get(uri) ?? 0,
      },
    ]
  })
  const sum = (name: 'concepts' | 'deprecated' | 'unreached' | 'collections') =>
    each.reduce((total, vocabulary) => total + (vocabulary[name] ?? 0), 0)
  return {
    isCounting: each.length < vocabularies.length,
    statistics: {
      vocabularies: vocabularies.length,
      subsets: registered.length - vocabularies.length,
      concepts: sum('concepts'),
      deprecated: sum('deprecated'),
      unreached: sum('unreached'),
      collections: sum('collections'),
      mappings,
      labels: labelsByLanguage(counted.flatMap((figures) => figures?.labels ?? [])),
      each,
    },
  }
}

function numbersOf({ concepts, deprecated, labels }: Figures) {
  const byLanguage = labelsByLanguage(labels)
  const sum = (name: 'prefLabel' | 'altLabel' | 'hiddenLabel') =>
    byLanguage.reduce((total, language) => total + language[name], 0)
  return {
    concepts,
    deprecated,
    prefLabels: sum('prefLabel'),
    altLabels: sum('altLabel'),
    hiddenLabels: sum('hiddenLabel'),
    languages: byLanguage.map(({ language }) => language),
  }
}

/** GET /statistics as JSON. */
export function ofService(dependencies: PageDependencies): RequestHandler {
  return sendFigures(dependencies, async (_request, signal) => {
    const { statistics, isCounting } = await serviceStatistics(dependencies, signal)
    return isCounting ? undefined : statistics
  })
}
