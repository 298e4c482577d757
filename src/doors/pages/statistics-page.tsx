import type { ComponentChild } from 'preact'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { Chart, LevelChart, Fact } from './facts.tsx'
import { formatNumber } from './format.tsx'
import { Label, relationName, UriText } from './label.tsx'
import { MappingPicture, Scheme } from './mapping-picture.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { LabelsByLanguage, Table } from './table.tsx'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'
import { mappedSchemes, vocabularyStatistics, type VocabularyStatistics } from './vocabulary-statistics.ts'

/** GET /voc/{vocid}/statistics for browsers. */
export async function statisticsPage(request: PageRequest): Promise<HtmlPage> {
  const { registered, id, path } = await vocabularyOfPath(request, 'statistics')
  const { texts, dependencies, signal } = request
  const [{ vocabulary, page }, statistics, mapped] = await Promise.all([
    vocabularyFrame(request, registered, texts.statistics, path, 'prefLabel,notation'),
    vocabularyStatistics(dependencies, registered, signal),
    mappedSchemes(dependencies, registered, signal).catch(() => ({ from: [], to: [] })),
  ])
  return {
    ...page,
    column: {},
    isUnfinished: statistics === undefined,
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="statistics" />
        {statistics ? (
          <Numbers id={id} statistics={statistics}>
            <MappingPicture name={page.vocabulary.name} path={`voc/${encodeURIComponent(id)}`} {...mapped} />
          </Numbers>
        ) : (
          <p class="small">{texts.counting}</p>
        )}
      </>
    ),
  }
}

function Numbers({
  id,
  statistics,
  children,
}: {
  id: string
  statistics: VocabularyStatistics
  children: ComponentChild
}) {
  const request = useRequest()
  const { texts } = request
  const number = (value: number) => formatNumber(request, value)
  const { concepts, deprecated, topConcepts, unreached, collections, classes, labels, levels, mappings } = statistics
  return (
    <>
      <p class="figure">{texts.concepts(number(concepts), concepts === 1)}</p>
      <dl class="counts">
        <Fact name={texts.topConcepts}>{number(topConcepts)}</Fact>
        <Fact name={texts.collections}>{number(collections)}</Fact>
        <Fact name={texts.isDeprecated}>{number(deprecated)}</Fact>
        {unreached === undefined ? null : (
          <Fact name={texts.unreached}>
            {unreached > 0 ? (
              <a href={`${link(request, `voc/${encodeURIComponent(id)}/tree`)}#unreached`}>{number(unreached)}</a>
            ) : (
              number(unreached)
            )}
          </Fact>
        )}
      </dl>
      <div class="charts">
        <Chart
          caption={texts.byClass}
          total={concepts}
          rows={classes.map(({ uri, prefLabel, concepts: ofClass }) => [
            prefLabel ? <Label item={{ uri, prefLabel }} /> : <UriText uri={uri} />,
            ofClass,
          ])}
        />
        <LevelChart levels={levels} />
      </div>
      <LabelsByLanguage labels={labels} />
      <MappingNumbers mappings={mappings}>{children}</MappingNumbers>
    </>
  )
}

/** Mappings by vocabulary, the most frequent first, and by relation. */
function MappingNumbers({
  mappings,
  children,
}: {
  mappings: VocabularyStatistics['mappings']
  children: ComponentChild
}) {
  const request = useRequest()
  const { texts } = request
  if (mappings.length === 0) return <section>{children}</section>
  const sums = new Map<string, number>()
  for (const { toScheme, count } of mappings) {
    const uri = toScheme?.uri ?? ''
    sums.set(uri, (sums.get(uri) ?? 0) + count)
  }
  const rows = [...sums]
    .sort(([a, sum], [b, other]) => other - sum || compareCodePoints(a, b))
    .flatMap(([uri]) => mappings.filter(({ toScheme }) => (toScheme?.uri ?? '') === uri))
  // The mappings of a subset name no vocabulary.
  const isKnown = mappings.some(({ toScheme }) => toScheme !== undefined)
  return (
    <section>
      <h2>{texts.mappingsCount}</h2>
      {children}
      <Table
        head={[texts.vocabulary, texts.relation, texts.number]}
        rows={rows.map(({ toScheme, type, count }) => [
          toScheme ? <Scheme uri={toScheme.uri!} /> : isKnown ? texts.unknownTarget : texts.allOption,
          relationName(request, type),
          count,
        ])}
      />
    </section>
  )
}
