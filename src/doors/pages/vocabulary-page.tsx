import { ATOM } from '../../writing/history/atom.ts'
import { CONCEPT_SCHEME, SKOS } from '../../base/namespaces.ts'
import { landingPage } from '../../interface/read/landing-page.ts'
import { REPRESENTATIONS } from '../../interface/representations/representations.ts'
import { askEndpoint } from '../../routes.ts'
import { link, publicUrl, type PageRequest, RequestContext, useRequest } from './page-request.ts'
import {
  Citation,
  CommonFacts,
  Downloads,
  Fact,
  IdentifierFact,
  Lead,
  ConceptSection,
  NoteSection,
  SeveralFact,
  turtleOf,
  UriFact,
  VocabulariesFact,
  vocabularyFiles,
  Chart,
  LevelChart,
} from './facts.tsx'
import { formatDay, formatNumber } from './format.tsx'
import { relationName } from './label.tsx'
import { languageName } from './language.ts'
import { MoreStatements } from './more-statements.tsx'
import type { HtmlPage } from './page.tsx'
import { inLanguage, nameOf, notes, type Concept, type ConceptScheme, type Item } from './records.ts'
import { ProposeLink, ReportLink } from './report-link.tsx'
import type { Figures } from './statistics.ts'
import { signposts } from './signposts.ts'
import { moreStatements } from './statements.ts'
import { MappingPicture } from './mapping-picture.tsx'
import { labelsByLanguage, mappedSchemes, mappingNumbers, type VocabularyStatistics } from './vocabulary-statistics.ts'
import { UseIt } from './use-it.tsx'
import { requestedVocabulary, VocabularyHeading, withinSubset } from './vocabulary-heading.tsx'

/** The page lists at most this many top concepts; the tree has all. */
const MAX_TOP_CONCEPTS = 100

/** GET /voc/{vocid} for browsers. */
export async function vocabularyPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, reading, dependencies } = request
  const registered = await requestedVocabulary(request)
  const record = askEndpoint(request, '/voc/:vocid', { properties: '*' })
  const [{ records }, statements, top, subsets, figures, mappings, mapped] = await Promise.all([
    record,
    record.then(({ records }) => moreStatements(request, 'scheme', records[0]!, [registered.uri])),
    askEndpoint(request, '/voc/:vocid/top', {
      properties: 'prefLabel,notation',
      limit: String(MAX_TOP_CONCEPTS),
      voc: registered.isSubset ? registered.uri : undefined,
    }),
    askEndpoint(request, '/voc', { subset: registered.uri, properties: 'prefLabel,notation' }),
    dependencies.statistics.figures(registered),
    // The page is complete without them while the index is being read.
    mappingNumbers(dependencies, registered, request.signal).catch(() => undefined),
    mappedSchemes(dependencies, registered, request.signal).catch(() => ({ from: [], to: [] })),
  ])
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  const id = vocabulary.notation?.[0] ?? vocabulary.uri
  const path = landingPage(vocabulary)!
  const described = REPRESENTATIONS.map(({ mediaType, formats }) => ({
    mediaType,
    href: publicUrl(request, path, { format: formats[0] }),
  }))
  const definition = inLanguage(notes(vocabulary, 'definition'), reading.preferred)?.value[0]
  return {
    title: name,
    description: definition,
    canonical: { path },
    alternates: [
      ...described,
      ...(dependencies.history
        ? [{ mediaType: ATOM.mediaType, href: publicUrl(request, `${path}/changes`, { format: 'atom' }) }]
        : []),
    ],
    links: signposts({
      ...vocabulary,
      types: ['https://schema.org/DefinedTermSet', CONCEPT_SCHEME],
      describedBy: described,
      items: vocabularyFiles(dependencies.config.baseUrl, id),
    }),
    vocabulary: { id, name },
    column: {},
    isUnfinished: figures === undefined || mappings === undefined,
    islands: ['copy'],
    data: {
      '@context': { '@vocab': 'https://schema.org/', skos: SKOS },
      '@type': ['DefinedTermSet', 'skos:ConceptScheme'],
      '@id': vocabulary.uri,
      name,
      description: definition,
      url: publicUrl(request, path),
      inLanguage: vocabulary.languages,
      license: vocabulary.license?.map(({ uri }) => uri).filter(Boolean),
      publisher: vocabulary.publisher?.map((publisher) => ({
        '@type': 'Organization',
        '@id': publisher.uri,
        name: nameOf(publisher, reading.preferred),
      })),
      dateModified: vocabulary.modified,
      'skos:hasTopConcept': top.records.map(({ uri }) => ({ '@id': uri })),
    },
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="overview" />
        <LanguageNotice vocabulary={vocabulary} />
        <Lead resource={vocabulary} />
        <div class="columns">
          <div>
            <NoteSection resource={vocabulary} name="scopeNote" />
            <NoteSection resource={vocabulary} name="note" />
            <RequestContext.Provider value={withinSubset(request, registered)}>
              <TopConcepts id={id} top={top} />
            </RequestContext.Provider>
            {figures && mappings ? (
              <FiguresSection id={id} figures={figures} mappings={mappings} />
            ) : (
              <p class="small">{texts.counting}</p>
            )}
            <MappingPicture name={name} path={path} {...mapped} />
            <UseIt id={id} vocabulary={registered} />
            <NoteSection resource={vocabulary} name="example" />
            <NoteSection resource={vocabulary} name="historyNote" />
            <NoteSection resource={vocabulary} name="editorialNote" />
            <NoteSection resource={vocabulary} name="changeNote" />
            <MoreStatements statements={statements} fileAddress={turtleOf(request, id, vocabulary.uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact uri={vocabulary.uri} />
                {vocabulary.notation?.length ? <Fact name={texts.ids}>{vocabulary.notation.join(', ')}</Fact> : null}
                {vocabulary.languages?.length ? (
                  <Fact name={texts.languages}>
                    {vocabulary.languages.map((tag) => languageName(tag, reading.page)).join(', ')}
                  </Fact>
                ) : null}
                <CommonFacts resource={vocabulary} />
                <VocabulariesFact name={texts.partOf} vocabularies={vocabulary.partOf} />
                <VocabulariesFact name={texts.subsets} vocabularies={subsets.records} />
                <IdentifierFact resource={vocabulary} />
              </dl>
            </section>
            <div>
              <ReportLink uri={vocabulary.uri} name={name} />
              {registered.isSubset ? null : (
                <>
                  <ProposeLink voc={id} />
                  <p>
                    <a class="view" href={link(request, `${path}/proposals`)}>
                      {texts.proposals.title}
                    </a>
                  </p>
                </>
              )}
            </div>
            <Downloads title={texts.downloadAll} files={vocabularyFiles(request.root, id)} />
            <section>
              <h2>{texts.forPrograms}</h2>
              <dl>
                <SeveralFact name={texts.interface}>
                  {['', '/top', '/concepts'].map((list) => (
                    <a href={`${request.root}${path}${list === '' ? '?format=json' : list}`}>
                      {publicUrl(request, path + list)}
                    </a>
                  ))}
                </SeveralFact>
              </dl>
            </section>
            <Citation text={citation(request, vocabulary, name)} />
          </aside>
        </div>
      </>
    ),
  }
}

/** Names the shown language if the vocabulary lacks the chosen one. */
function LanguageNotice({ vocabulary }: { vocabulary: ConceptScheme }) {
  const { reading, texts } = useRequest()
  const requestedLanguage = reading.content ?? reading.chosen ?? reading.page
  const base = (tag: string) => tag.split('-', 1)[0]
  const shown = inLanguage(vocabulary.prefLabel, reading.preferred)?.language
  if (!vocabulary.languages?.length || vocabulary.languages.some((tag) => base(tag) === base(requestedLanguage)))
    return null
  const instead = inLanguage(Object.fromEntries(vocabulary.languages.map((tag) => [tag, tag])), reading.preferred)
  return (
    <p class="notice">
      {texts.notInLanguage(
        languageName(requestedLanguage, reading.page),
        languageName(instead?.language ?? shown ?? requestedLanguage, reading.page),
      )}
    </p>
  )
}

function TopConcepts({ id, top }: { id: string; top: { total: number; records: readonly Concept[] } }) {
  const request = useRequest()
  const { texts } = request
  if (top.total === 0) return null
  return (
    <ConceptSection class="in-column" title={texts.topConcepts} concepts={top.records}>
      {top.total > top.records.length ? (
        <p>
          <a href={link(request, `voc/${encodeURIComponent(id)}/tree`)}>
            {texts.allInTree(formatNumber(request, top.total))}
          </a>
        </p>
      ) : null}
    </ConceptSection>
  )
}

function FiguresSection({
  id,
  figures: { concepts, labels, levels },
  mappings,
}: {
  id: string
  figures: Figures
  mappings: VocabularyStatistics['mappings']
}) {
  const request = useRequest()
  const { texts, reading } = request
  const languages = labelsByLanguage(labels).filter(({ prefLabel }) => prefLabel > 0)
  const byRelation = new Map<string, number>()
  for (const { type, count } of mappings) byRelation.set(type, (byRelation.get(type) ?? 0) + count)
  return (
    <section>
      <h2>{texts.statistics}</h2>
      <p class="figure">{texts.concepts(formatNumber(request, concepts), concepts === 1)}</p>
      <div class="charts">
        <Chart
          caption={texts.byLanguage}
          total={concepts}
          rows={languages.map(({ language, prefLabel }) => [languageName(language, reading.page), prefLabel])}
        />
        <LevelChart levels={levels} />
        <Chart
          caption={texts.mappingsCount}
          total={Math.max(...byRelation.values())}
          rows={[...byRelation].map(([uri, count]) => [relationName(request, uri), count])}
        />
      </div>
      <p>
        <a href={link(request, `voc/${encodeURIComponent(id)}/statistics`)}>{texts.allStatistics}</a>
      </p>
    </section>
  )
}

function citation(request: PageRequest, vocabulary: ConceptScheme, name: string): string {
  const { texts, reading } = request
  const named = (items: readonly Item[] = []) =>
    items.flatMap(({ prefLabel }) => inLanguage(prefLabel, reading.preferred)?.value ?? [])
  const publishers = [named(vocabulary.publisher), named(vocabulary.creator)].find((names) => names.length > 0) ?? []
  const date = vocabulary.modified ?? vocabulary.issued ?? vocabulary.created
  return [
    name,
    ...(publishers.length > 0 ? [publishers.join(', ')] : []),
    ...(vocabulary.version ? [`${texts.version} ${vocabulary.version}`] : []),
    ...(date ? [formatDay(request, date)] : []),
    vocabulary.uri,
  ].join('. ')
}
