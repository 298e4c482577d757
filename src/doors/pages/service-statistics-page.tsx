import { Crumbs } from './crumbs.tsx'
import { Fact } from './facts.tsx'
import { formatNumber } from './format.tsx'
import { LabelsByLanguage } from './labels-by-language.tsx'
import { link, publicUrl, type PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { serviceStatistics } from './service-statistics.ts'
import { Table } from './table.tsx'
import { VocabularyLink } from './vocabulary-heading.tsx'

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
        <Crumbs request={request}>
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
        <LabelsByLanguage request={request} labels={labels} />
        {each.length > 0 ? (
          <section>
            <h2>{texts.vocabularies}</h2>
            <Table
              request={request}
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
                  <VocabularyLink request={request} item={{ ...vocabulary, notation: [vocabulary.id] }} />,
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
