import { Crumbs } from './crumbs.tsx'
import { Fact } from './facts.tsx'
import { formatNumber } from './format.tsx'
import { LabelsByLanguage } from './labels-by-language.tsx'
import { link, publicUrl, type PageRequest } from './page-request.ts'
import type { Page } from './page.tsx'
import { serviceStatistics } from './service-statistics.ts'
import { Table } from './table.tsx'
import { VocabularyLink } from './vocabulary-heading.tsx'

/** Vocabularies in the table; the JSON has all. */
const MOST = 250

/** GET /statistics for browsers. */
export async function serviceStatisticsPage(asked: PageRequest): Promise<Page> {
  const { texts, dependencies, signal } = asked
  const { statistics, isCounting } = await serviceStatistics(dependencies, signal)
  const number = (value: number) => formatNumber(asked, value)
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
    alternates: [{ mediaType: 'application/json', href: publicUrl(asked, 'statistics') }],
    isUnfinished: isCounting,
    body: (
      <>
        <Crumbs asked={asked}>
          <a href={link(asked, '')}>{texts.vocabularies}</a>
        </Crumbs>
        <h1>{texts.statistics}</h1>
        <p class="figure">{texts.concepts(number(concepts), concepts === 1)}</p>
        <dl class="counts">
          {facts.map(([name, count]) => (
            <Fact name={name}>{number(count)}</Fact>
          ))}
        </dl>
        {isCounting ? <p class="small">{texts.counting}</p> : null}
        <LabelsByLanguage asked={asked} labels={labels} />
        {each.length > 0 ? (
          <section>
            <h2>{texts.vocabularies}</h2>
            <Table
              asked={asked}
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
                .map((one) => [
                  <VocabularyLink asked={asked} item={{ ...one, notation: [one.id] }} />,
                  one.concepts,
                  one.prefLabels,
                  one.altLabels,
                  one.hiddenLabels,
                  one.collections,
                  one.deprecated,
                  one.unreached ?? 0,
                ])}
            />
          </section>
        ) : null}
        <p class="small">
          {each.length > MOST ? `${texts.andMore(number(each.length - MOST))}: ` : null}
          <a href={`${asked.root}statistics?format=json`}>JSON</a>
        </p>
      </>
    ),
  }
}
