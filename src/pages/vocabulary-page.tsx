import { ATOM } from '../history/atom.ts'
import { SKOS } from '../namespaces.ts'
import { REPRESENTATIONS } from '../representations/representations.ts'
import { askEndpoint, link, publicUrl, type PageRequest } from './page-request.ts'
import {
  Citation,
  CommonFacts,
  Downloads,
  Fact,
  IdentifierFact,
  Lead,
  NoteSection,
  Several,
  turtleOf,
  UriFact,
  VocabulariesFact,
  vocabularyFiles,
} from './facts.tsx'
import { Chart, LevelChart } from './chart.tsx'
import { formatDay, formatNumber } from './format.tsx'
import { ConceptLink, CopyButton, relationName, UriText } from './label.tsx'
import { languageName } from './language.ts'
import { MoreStatements } from './more-statements.tsx'
import type { Page } from './page.tsx'
import { ProposeLink } from './propose-link.tsx'
import { inLanguage, nameOf, notes, type Concept, type ConceptScheme } from './records.ts'
import { ReportLink } from './report-link.tsx'
import type { Figures } from './statistics.ts'
import { moreStatements } from './statements.ts'
import { MappingPicture } from './mapping-picture.tsx'
import { mappedSchemes } from './vocabulary-statistics.ts'
import { vocabularyAsked, VocabularyHeading, within } from './vocabulary-heading.tsx'

/** The page lists at most this many top concepts; the tree has all. */
const MAX_TOP_CONCEPTS = 100

/** GET /voc/{vocid} for browsers. */
export async function vocabularyPage(asked: PageRequest): Promise<Page> {
  const { texts, reading, dependencies } = asked
  const known = await vocabularyAsked(asked)
  const record = askEndpoint(asked, '/voc/:vocid', { properties: '*' })
  const [{ records }, statements, top, subsets, figures, mapped] = await Promise.all([
    record,
    record.then(({ records }) => moreStatements(asked, 'scheme', records[0]!, [known.uri])),
    askEndpoint(asked, '/voc/:vocid/top', {
      properties: 'prefLabel,notation',
      limit: String(MAX_TOP_CONCEPTS),
      voc: known.isSubset ? known.uri : undefined,
    }),
    askEndpoint(asked, '/voc', { subset: known.uri, properties: 'prefLabel,notation' }),
    dependencies.statistics.figures(known),
    // The page is complete without it while the index is being read.
    mappedSchemes(dependencies, known, asked.signal).catch(() => ({ from: [], to: [] })),
  ])
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  const id = vocabulary.notation?.[0] ?? vocabulary.uri
  const path = `voc/${encodeURIComponent(id)}`
  const reconciliation = publicUrl(asked, `${path}/reconcile`)
  const definition = inLanguage(notes(vocabulary, 'definition'), reading.preferred)?.value[0]
  return {
    title: name,
    description: definition,
    canonical: { path },
    alternates: [
      ...REPRESENTATIONS.map(({ mediaType, formats }) => ({
        mediaType,
        href: publicUrl(asked, path, { format: formats[0] }),
      })),
      ...(dependencies.history
        ? [{ mediaType: ATOM.mediaType, href: publicUrl(asked, `${path}/changes`, { format: 'atom' }) }]
        : []),
    ],
    vocabulary: { id, name },
    column: {},
    isUnfinished: figures === undefined,
    islands: ['copy'],
    data: {
      '@context': { '@vocab': 'https://schema.org/', skos: SKOS },
      '@type': ['DefinedTermSet', 'skos:ConceptScheme'],
      '@id': vocabulary.uri,
      name,
      description: definition,
      url: publicUrl(asked, path),
      inLanguage: vocabulary.languages,
      license: vocabulary.license?.map(({ uri }) => uri).filter(Boolean),
      publisher: vocabulary.publisher?.map((one) => ({
        '@type': 'Organization',
        '@id': one.uri,
        name: nameOf(one, reading.preferred),
      })),
      dateModified: vocabulary.modified,
      'skos:hasTopConcept': top.records.map(({ uri }) => ({ '@id': uri })),
    },
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="overview" />
        <LanguageNotice asked={asked} vocabulary={vocabulary} />
        <Lead asked={asked} resource={vocabulary} />
        <div class="columns">
          <div>
            <NoteSection asked={asked} resource={vocabulary} name="scopeNote" />
            <NoteSection asked={asked} resource={vocabulary} name="note" />
            <TopConcepts asked={within(asked, known)} id={id} top={top} />
            {figures ? (
              <FiguresSection asked={asked} id={id} figures={figures} />
            ) : (
              <p class="small">{texts.counting}</p>
            )}
            <MappingPicture asked={asked} name={name} path={path} {...mapped} />
            <NoteSection asked={asked} resource={vocabulary} name="example" />
            <NoteSection asked={asked} resource={vocabulary} name="historyNote" />
            <NoteSection asked={asked} resource={vocabulary} name="editorialNote" />
            <NoteSection asked={asked} resource={vocabulary} name="changeNote" />
            <MoreStatements asked={asked} statements={statements} all={turtleOf(asked, id, vocabulary.uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact asked={asked} uri={vocabulary.uri} />
                {vocabulary.notation?.length ? <Fact name={texts.ids}>{vocabulary.notation.join(', ')}</Fact> : null}
                {vocabulary.languages?.length ? (
                  <Fact name={texts.languages}>
                    {vocabulary.languages.map((tag) => languageName(tag, reading.page)).join(', ')}
                  </Fact>
                ) : null}
                <CommonFacts asked={asked} resource={vocabulary} />
                <VocabulariesFact asked={asked} name={texts.partOf} vocabularies={vocabulary.partOf} />
                <VocabulariesFact asked={asked} name={texts.subsets} vocabularies={subsets.records} />
                <IdentifierFact asked={asked} resource={vocabulary} />
              </dl>
              <ReportLink asked={asked} uri={vocabulary.uri} name={name} />
              {known.isSubset ? null : <ProposeLink asked={asked} voc={id} />}
            </section>
            <Downloads asked={asked} title={texts.downloadAll} files={vocabularyFiles(asked.root, id)} />
            <section>
              <h2>{texts.forPrograms}</h2>
              <dl>
                <Fact name={texts.interface}>
                  <Several>
                    {['', '/top', '/concepts'].map((list) => (
                      <a href={`${asked.root}${path}${list === '' ? '?format=json' : list}`}>
                        {publicUrl(asked, path + list)}
                      </a>
                    ))}
                  </Several>
                </Fact>
                <Fact name={texts.reconciliation}>
                  <UriText uri={reconciliation} />{' '}
                  <CopyButton asked={asked} text={reconciliation} label={texts.copyReconciliation} />
                </Fact>
                {dependencies.history ? (
                  <Fact name={texts.changes}>
                    <a href={`${asked.root}${path}/changes?format=atom`} type={ATOM.mediaType}>
                      Atom
                    </a>
                    {', '}
                    <a href={`${asked.root}${path}/activity`}>ActivityStreams</a>
                  </Fact>
                ) : null}
                <Fact name="SPARQL">
                  <code>GRAPH &lt;{vocabulary.uri}&gt;</code>
                </Fact>
              </dl>
            </section>
            <Citation asked={asked} text={citation(asked, vocabulary, name)} />
          </aside>
        </div>
      </>
    ),
  }
}

/** Names the shown language if the vocabulary lacks the chosen one. */
function LanguageNotice({ asked, vocabulary }: { asked: PageRequest; vocabulary: ConceptScheme }) {
  const { reading, texts } = asked
  const wanted = reading.content ?? reading.chosen ?? reading.page
  const base = (tag: string) => tag.split('-', 1)[0]
  const shown = inLanguage(vocabulary.prefLabel, reading.preferred)?.language
  if (!vocabulary.languages?.length || vocabulary.languages.some((tag) => base(tag) === base(wanted))) return null
  const instead = inLanguage(Object.fromEntries(vocabulary.languages.map((tag) => [tag, tag])), reading.preferred)
  return (
    <p class="notice">
      {texts.notInLanguage(
        languageName(wanted, reading.page),
        languageName(instead?.language ?? shown ?? wanted, reading.page),
      )}
    </p>
  )
}

function TopConcepts({
  asked,
  id,
  top,
}: {
  asked: PageRequest
  id: string
  top: { total: number; records: readonly Concept[] }
}) {
  const { texts } = asked
  if (top.total === 0) return null
  return (
    <section>
      <h2>{texts.topConcepts}</h2>
      <ul class="concepts">
        {top.records.map((concept) => (
          <li>
            <ConceptLink asked={asked} concept={concept} />
          </li>
        ))}
      </ul>
      {top.total > top.records.length ? (
        <p>
          <a href={link(asked, `voc/${encodeURIComponent(id)}/tree`)}>
            {texts.allInTree(formatNumber(asked, top.total))}
          </a>
        </p>
      ) : null}
    </section>
  )
}

function FiguresSection({ asked, id, figures }: { asked: PageRequest; id: string; figures: Figures }) {
  const { texts, reading } = asked
  const { concepts, languages, levels } = figures
  const mappings = [...figures.mappings]
  return (
    <section>
      <h2>{texts.statistics}</h2>
      <p class="figure">{texts.concepts(formatNumber(asked, concepts), concepts === 1)}</p>
      <div class="charts">
        <Chart
          asked={asked}
          caption={texts.byLanguage}
          whole={concepts}
          rows={languages.map(([tag, count]) => [languageName(tag, reading.page), count])}
        />
        <LevelChart asked={asked} levels={levels} />
        <Chart
          asked={asked}
          caption={texts.mappingsCount}
          whole={Math.max(...mappings.map(([, count]) => count))}
          rows={mappings.map(([uri, count]) => [relationName(asked, uri), count])}
        />
      </div>
      <p>
        <a href={link(asked, `voc/${encodeURIComponent(id)}/statistics`)}>{texts.allStatistics}</a>
      </p>
    </section>
  )
}

function citation(asked: PageRequest, vocabulary: ConceptScheme, name: string): string {
  const { texts, reading } = asked
  const publishers = (vocabulary.publisher ?? vocabulary.creator ?? []).map((one) => nameOf(one, reading.preferred))
  const date = vocabulary.modified ?? vocabulary.issued ?? vocabulary.created
  return [
    `${name}.`,
    publishers.length > 0 ? `${publishers.join(', ')}.` : '',
    vocabulary.version ? `${texts.version} ${vocabulary.version}.` : '',
    date ? `${formatDay(asked, date)}.` : '',
    vocabulary.uri,
  ]
    .filter((part) => part !== '')
    .join(' ')
}
