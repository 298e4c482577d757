import { isUuid } from '../../graph/jskos/names.ts'
import { ApiError } from '../../base/errors.ts'
import { concordanceRecords } from '../mappings/concordance.ts'
import { requireIri } from '../../interface/http/parameters.ts'
import { CONCEPT, SKOS } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { isProposedRecord } from '../../graph/vocabularies/proposals.ts'
import { acceptanceOf } from '../../writing/proposals/list.ts'
import { idOf } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { askWaysUp, publicUrl, type PageRequest } from './page-request.ts'
import { isCollection } from '../../graph/jskos/record.ts'
import { collectionPage } from './collection.tsx'
import { ProposeLink, ReportLink } from './report-link.tsx'
import { refuseGone } from './gone.ts'
import {
  Citation,
  CommonFacts,
  Downloads,
  Fact,
  IdentifierFact,
  Lead,
  Notes,
  conceptFiles,
  turtleOf,
  UriFact,
  VocabulariesFact,
} from './facts.tsx'
import { formatDay } from './format.tsx'
import { ForeignLanguage, Name, VersionsLink } from './label.tsx'
import { Compounds, compoundsOf } from './compounds.tsx'
import { ConceptSuggestions, requestedSuggestions } from './concept-suggestions.tsx'
import { MoreStatements } from './more-statements.tsx'
import type { PageResult } from './page.tsx'
import { Acceptance } from './proposed.tsx'
import { inLanguage, nameOf, notes, type Concept, type Item } from './records.ts'
import { signposts } from './signposts.ts'
import { moreStatements } from './statements.ts'
import { graphsOf, vocabularyItem, vocabularyLink } from './vocabulary-heading.tsx'
import {
  Breadcrumbs,
  Kinds,
  Labels,
  MAX_NARROWER,
  MAX_PATHS,
  Neighbourhood,
  OtherNames,
  Replaced,
} from './concept-neighbourhood.tsx'
import { Mappings, mapped } from './concept-mappings.tsx'

/** GET /concept?uri= and, for browsers, /data?uri=: one concept. */
export async function conceptPage(request: PageRequest): Promise<PageResult> {
  const uri = requireIri(request.parameters, 'uri')
  const voc = request.parameters.get('voc')
  const named = { uri, voc, properties: 'prefLabel,notation' }
  const [{ records }, children, paths] = await Promise.all([
    askEndpoint(request, '/data', { uri, voc, properties: '*,+status,memberOf,mappings,-narrower,ancestors' }),
    askEndpoint(request, '/narrower', { ...named, limit: String(MAX_NARROWER) }),
    askWaysUp(request, named, MAX_PATHS),
  ])
  // The same URI may also name a vocabulary.
  const concept = records.find(({ type }) => type[0] === CONCEPT)
  const collection = concept ? undefined : records.find(isCollection)
  if (collection) {
    const graphs = await graphsOf(request, collection)
    return collectionPage(request, collection, await moreStatements(request, 'collection', collection, graphs))
  }
  if (!concept) return elsewhere(request, records[0]?.uri ?? uri)
  const { history } = request.dependencies
  const [chosen, mappedConcepts, home, concordances, statements, suggestions, compounds, acceptance] =
    await Promise.all([
      voc === undefined ? undefined : request.dependencies.registry.find(voc),
      mapped(request, concept),
      homeOf(request, concept),
      request.dependencies.registry.concordances(),
      graphsOf(request, concept).then((graphs) => moreStatements(request, 'concept', concept, graphs)),
      requestedSuggestions(request, concept),
      compoundsOf(request, concept),
      history && acceptanceOf(history, concept.uri),
    ])

  const { texts, reading, dependencies } = request
  const files = conceptFiles(dependencies.config.baseUrl, home, uri)
  const name = nameOf(concept, reading.preferred)
  const scheme = concept.inScheme?.[0]
  const definition = inLanguage(notes(concept, 'definition'), reading.preferred)?.value[0]
  const schemeName = scheme && nameOf(scheme, reading.preferred)
  // `voc` may be a list, or `*`.
  const id = chosen?.ids[0] ?? scheme?.notation?.[0]
  return {
    title: [name, schemeName].filter(Boolean).join(' – '),
    description: definition ?? inLanguage(notes(concept, 'scopeNote'), reading.preferred)?.value[0],
    canonical: { path: 'concept', query: { uri } },
    alternates: files,
    links: signposts({ ...concept, types: ['https://schema.org/DefinedTerm', CONCEPT], describedBy: files }),
    vocabulary: scheme && id !== undefined ? { id, name: schemeName! } : undefined,
    column: { openAt: uri },
    islands: ['copy'],
    data: structuredData(request, concept, name, definition),
    body: (
      <article>
        <Breadcrumbs id={id} concept={concept} paths={paths} />
        <h1>
          <Name of={concept} />{' '}
          <ForeignLanguage language={inLanguage(concept.prefLabel, reading.preferred)?.language ?? 'und'} />
        </h1>
        <OtherNames concept={concept} />
        <Replaced concept={concept} />
        {isProposedRecord(concept) ? <p class="notice">{texts.proposed}</p> : null}
        {acceptance ? <Acceptance decision={acceptance} /> : null}
        <Lead resource={concept} />
        <div class="columns">
          <div>
            <Neighbourhood id={id} concept={concept} children={children} />
            <Compounds compounds={compounds} />
            <Notes resource={concept} />
            <Labels concept={concept} />
            <Mappings
              concept={concept}
              mappedConcepts={mappedConcepts}
              concordances={concordanceRecords(concordances)}
            />
            <ConceptSuggestions uri={uri} suggestions={suggestions} />
            <MoreStatements statements={statements} fileAddress={turtleOf(request, home, uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact uri={uri} />
                {concept.notation && (concept.notation.length > 1 || concept.notation.some(isUuid)) ? (
                  <Fact name={texts.notation}>{concept.notation.join(', ')}</Fact>
                ) : null}
                <VocabulariesFact name={texts.vocabulary} vocabularies={concept.inScheme} />
                <Kinds concept={concept} />
                <IdentifierFact resource={concept} />
                <CommonFacts resource={concept} />
              </dl>
            </section>
            <div>
              <VersionsLink uri={uri} />
              <ReportLink uri={uri} name={name} />
              <ProposeLink voc={home} />
            </div>
            <Downloads title={texts.downloadConcept} files={conceptFiles(request.root, home, uri)} />
            <Citation text={citation(request, concept, name)} />
          </aside>
        </div>
      </article>
    ),
  }
}

/** The page for a URI that does not name a concept. */
async function elsewhere(request: PageRequest, uri: string): Promise<PageResult> {
  const vocabulary = await request.dependencies.registry.find(uri)
  if (vocabulary) return { location: vocabularyLink(request, vocabularyItem(vocabulary)) }
  await refuseGone(request, [uri])
  throw new ApiError('EntityNotFoundError', 'uri: there is no concept with this URI.')
}

/** The id of the vocabulary whose graph describes a concept; it may also be in others, which only have its name. */
async function homeOf(request: PageRequest, { uri: c, inScheme }: Concept): Promise<string | undefined> {
  const { client, registry } = request.dependencies
  const schemes = (await registry.list()).filter(({ uri }) => inScheme?.some((scheme) => scheme.uri === uri))
  const query = queryTemplate('describe/home').bind({ terms: { c: [iri(c)] } })
  const rows = schemes.length > 1 ? await client.select(query, { signal: request.signal }) : []
  const home = schemes.find(({ uri }) => rows.some(({ graph }) => graph?.value === uri)) ?? schemes[0]
  return home && idOf(home)
}

function citation(request: PageRequest, concept: Concept, name: string): string {
  const scheme = concept.inScheme?.[0]
  const date = concept.modified ?? concept.created
  return [
    name,
    ...(scheme ? [`In: ${nameOf(scheme, request.reading.preferred)}`] : []),
    ...(date ? [formatDay(request, date)] : []),
    concept.uri,
  ].join('. ')
}

/** The concept for search engines (schema.org, DefinedTerm) and in SKOS. */
function structuredData(request: PageRequest, concept: Concept, name: string, description: string | undefined): object {
  const inLanguages = (map: Record<string, string | string[]> | undefined) =>
    Object.entries(map ?? {}).flatMap(([language, labels]) =>
      [labels].flat().map((label) => (language === 'und' ? label : { '@language': language, '@value': label })),
    )
  const references = (items: readonly (Item | null)[] | undefined) =>
    items?.flatMap((item) => (item?.uri === undefined ? [] : [{ '@id': item.uri }]))
  return {
    '@context': { '@vocab': 'https://schema.org/', skos: SKOS },
    '@type': ['DefinedTerm', 'skos:Concept'],
    '@id': concept.uri,
    name,
    description,
    url: publicUrl(request, 'concept', { uri: concept.uri }),
    termCode: concept.notation?.[0],
    alternateName: Object.values(concept.altLabel ?? {}).flat(),
    inDefinedTermSet: references(concept.inScheme),
    'skos:prefLabel': inLanguages(concept.prefLabel),
    'skos:altLabel': inLanguages(concept.altLabel),
    'skos:inScheme': references(concept.inScheme),
    'skos:broader': references(concept.broader),
  }
}
