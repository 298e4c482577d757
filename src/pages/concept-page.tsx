import { ApiError } from '../errors.ts'
import { concordanceRecords, type ConcordanceRecord } from '../mappings/concordance.ts'
import { requireIri } from '../http/parameters.ts'
import { CONCEPT, SKOS } from '../namespaces.ts'
import type { WaysUp } from '../read/ancestors.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { isProposedRecord } from '../vocabularies/proposals.ts'
import { idOf } from '../vocabularies/vocabulary.ts'
import { askEndpoint, askRecords, askWaysUp, link, publicUrl, type PageRequest } from './page-request.ts'
import { collectionPage, isCollection } from './collection.tsx'
import { ProposeLink } from './propose-link.tsx'
import { ReportLink } from './report-link.tsx'
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
  Several,
  turtleOf,
  UriFact,
  VocabulariesFact,
} from './facts.tsx'
import { formatDay, formatNumber, joined } from './format.tsx'
import {
  byLabel,
  ConceptLink,
  ConcordanceLink,
  ForeignLanguage,
  ItemLink,
  Label,
  LanguageTag,
  Name,
  OutLink,
  relationName,
  Text,
  VersionsLink,
} from './label.tsx'
import { languageName } from './language.ts'
import { ConceptSuggestions, requestedSuggestions } from './concept-suggestions.tsx'
import { mappedElsewhere, type MappedElsewhere } from './mapped-elsewhere.ts'
import { MoreStatements } from './more-statements.tsx'
import type { PageResult } from './page.tsx'
import { inLanguage, nameOf, nameWithoutLabel, notes, type Concept, type Item } from './records.ts'
import { moreStatements } from './statements.ts'
import {
  graphsOf,
  InVocabulary,
  itemOf,
  localVocabulary,
  VocabularyLink,
  vocabularyLink,
} from './vocabulary-heading.tsx'

/** The page lists at most this many narrower concepts; the tree has all. */
const MAX_NARROWER = 100
/** The page shows at most this many paths to the top. */
const MAX_PATHS = 5
/** The page looks up the labels of at most this many mapped concepts. */
const MAX_MAPPINGS = 400

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
  const [chosen, mappedConcepts, home, concordances, statements, suggestions] = await Promise.all([
    voc === undefined ? undefined : request.dependencies.registry.find(voc),
    mapped(request, concept),
    homeOf(request, concept),
    request.dependencies.registry.concordances(),
    graphsOf(request, concept).then((graphs) => moreStatements(request, 'concept', concept, graphs)),
    requestedSuggestions(request, concept),
  ])

  const { texts, reading, dependencies } = request
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
    alternates: conceptFiles(dependencies.config.baseUrl, home, uri),
    vocabulary: scheme && id !== undefined ? { id, name: schemeName! } : undefined,
    column: { openAt: uri },
    islands: ['copy'],
    data: structuredData(request, concept, name, definition),
    body: (
      <article>
        <Breadcrumbs request={request} id={id} concept={concept} paths={paths} />
        <h1>
          <Name request={request} of={concept} />{' '}
          <ForeignLanguage
            request={request}
            language={inLanguage(concept.prefLabel, reading.preferred)?.language ?? 'und'}
          />
        </h1>
        <OtherNames request={request} concept={concept} />
        <Replaced request={request} concept={concept} />
        {isProposedRecord(concept) ? <p class="notice">{texts.proposed}</p> : null}
        <Lead request={request} resource={concept} />
        <div class="columns">
          <div>
            <Neighbourhood request={request} id={id} concept={concept} children={children} />
            <Notes request={request} resource={concept} />
            <Labels request={request} concept={concept} />
            <Mappings
              request={request}
              concept={concept}
              mappedConcepts={mappedConcepts}
              concordances={concordanceRecords(concordances)}
            />
            <ConceptSuggestions request={request} uri={uri} suggestions={suggestions} />
            <MoreStatements request={request} statements={statements} fileAddress={turtleOf(request, home, uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact request={request} uri={uri} />
                {concept.notation && concept.notation.length > 1 ? (
                  <Fact name={texts.notation}>{concept.notation.join(', ')}</Fact>
                ) : null}
                <VocabulariesFact request={request} name={texts.vocabulary} vocabularies={concept.inScheme} />
                <Kinds request={request} concept={concept} />
                <IdentifierFact request={request} resource={concept} />
                <CommonFacts request={request} resource={concept} />
              </dl>
              <VersionsLink request={request} uri={uri} />
              <ReportLink request={request} uri={uri} name={name} />
              <ProposeLink request={request} voc={home} />
            </section>
            <Downloads request={request} title={texts.downloadConcept} files={conceptFiles(request.root, home, uri)} />
            <Citation request={request} text={citation(request, concept, name)} />
          </aside>
        </div>
      </article>
    ),
  }
}

/** The page for a URI that does not name a concept. */
async function elsewhere(request: PageRequest, uri: string): Promise<PageResult> {
  const vocabulary = await request.dependencies.registry.find(uri)
  if (vocabulary) return { location: vocabularyLink(request, itemOf(vocabulary)) }
  await refuseGone(request, [uri])
  throw new ApiError('EntityNotFoundError', 'uri: there is no concept with this URI.')
}

/** The concepts that a concept is mapped to, by URI: records of this service, or names for concepts elsewhere. */
async function mapped(
  request: PageRequest,
  { uri, mapping }: Concept,
): Promise<ReadonlyMap<string, Concept | MappedElsewhere>> {
  const uris = [...new Set(mapping?.map(({ to }) => to))].slice(0, MAX_MAPPINGS)
  const records = await askRecords(request, uris, { properties: 'prefLabel,notation,inScheme' })
  const byUri = new Map<string, Concept | MappedElsewhere>(records)
  const missing = uris.filter((target) => !byUri.has(target))
  for (const [missingUri, names] of await mappedElsewhere(request, uri, missing)) byUri.set(missingUri, names)
  return byUri
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

/** The vocabulary, and the paths from its top down to the concept. */
function Breadcrumbs({
  request,
  id,
  concept,
  paths: { ways: paths, isAll },
}: {
  request: PageRequest
  id: string | undefined
  concept: Concept
  paths: WaysUp
}) {
  const { texts } = request
  const schemes = concept.inScheme ?? []
  const chains = paths.length > 0 ? paths.map((way) => way.toReversed()) : [[]]
  return (
    <nav class="crumbs" aria-label={texts.breadcrumb}>
      {chains.map((chain) => (
        <ol>
          {schemes[0] ? (
            <li>
              <VocabularyLink request={request} item={schemes[0]} />
            </li>
          ) : null}
          {chain.map((ancestor) => (
            <li>
              <ConceptLink
                request={request}
                concept={{
                  uri: ancestor.uri,
                  ...(ancestor.prefLabel ? { prefLabel: ancestor.prefLabel } : { notation: ancestor.notation ?? [] }),
                }}
              />
            </li>
          ))}
        </ol>
      ))}
      {isAll ? null : <p>{texts.morePaths}</p>}
      {id === undefined ? null : (
        <p>
          <a class="view" href={`${link(request, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}#here`}>
            {texts.inTree}
          </a>
        </p>
      )}
    </nav>
  )
}

/** The preferred labels in other languages, in one line. */
function OtherNames({ request, concept }: { request: PageRequest; concept: Concept }) {
  const shown = inLanguage(concept.prefLabel, request.reading.preferred)?.language
  const otherLabels = Object.entries(concept.prefLabel ?? {}).filter(([language]) => language !== shown)
  if (otherLabels.length === 0 || otherLabels.length > 3) return null
  return (
    <ul class="inline names">
      {otherLabels.map(([language, label]) => (
        <li>
          <Text language={language}>{label}</Text> <LanguageTag request={request} language={language} />
        </li>
      ))}
    </ul>
  )
}

/** A notice for a deprecated or replaced concept. */
function Replaced({ request, concept }: { request: PageRequest; concept: Concept }) {
  const { deprecated, replacedBy = [] } = concept
  if (!deprecated && replacedBy.length === 0) return null
  return (
    <p class="notice">
      {deprecated ? `${request.texts.deprecated} ` : null}
      {replacedBy.length > 0 ? `${request.texts.replacedBy}: ` : null}
      {joined(replacedBy.map((replacement) => <ConceptLink request={request} concept={replacement} />))}
    </p>
  )
}

/** The concepts directly above, below and beside a concept. */
function Neighbourhood({
  request,
  id,
  concept,
  children,
}: {
  request: PageRequest
  id: string | undefined
  concept: Concept
  children: { total: number; records: Concept[] }
}) {
  const { texts } = request
  return (
    <>
      <Concepts request={request} title={texts.broader} concepts={concept.broader ?? []} />
      <Concepts
        request={request}
        title={texts.narrower}
        count={children.total}
        concepts={children.total > children.records.length ? children.records : byLabel(request, children.records)}
      >
        {children.total > children.records.length && id !== undefined ? (
          <p>
            <a href={link(request, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}>
              {texts.allInTree(formatNumber(request, children.total))}
            </a>
          </p>
        ) : null}
      </Concepts>
      {(['related', 'previous', 'next', 'place', 'memberOf'] as const).map((name) => (
        <Concepts request={request} title={texts[name]} concepts={byLabel(request, concept[name] ?? [])} />
      ))}
    </>
  )
}

function Concepts({
  request,
  title,
  concepts,
  count = concepts.length,
  children,
}: {
  request: PageRequest
  title: string
  concepts: readonly Item[]
  count?: number
  children?: preact.ComponentChildren
}) {
  if (concepts.length === 0) return null
  return (
    <section>
      <h2>
        {title} {count > 5 ? <span class="count">{formatNumber(request, count)}</span> : null}
      </h2>
      <ul class="concepts">
        {concepts.map((neighbour) => (
          <li>
            <ConceptLink request={request} concept={neighbour} />
          </li>
        ))}
      </ul>
      {children}
    </section>
  )
}

/** All labels by language, the reader's languages first. */
function Labels({ request, concept }: { request: PageRequest; concept: Concept }) {
  const { texts, reading } = request
  const { prefLabel = {}, altLabel = {} } = concept
  const rank = (tag: string) => {
    const index = reading.preferred.findIndex((preferred) => preferred.split('-', 1)[0] === tag.split('-', 1)[0])
    return index < 0 ? reading.preferred.length : index
  }
  const languages = [...new Set([...Object.keys(prefLabel), ...Object.keys(altLabel)])]
  languages.sort(
    (a, b) => rank(a) - rank(b) || languageName(a, reading.page).localeCompare(languageName(b, reading.page)),
  )
  if (languages.length === 0) return null
  const hasAlternatives = Object.keys(altLabel).length > 0
  return (
    <section>
      <h2>{texts.labels}</h2>
      <table class="labels">
        <thead>
          <tr>
            <th scope="col">{texts.language}</th>
            <th scope="col">{texts.preferred}</th>
            {hasAlternatives ? <th scope="col">{texts.alternative}</th> : null}
          </tr>
        </thead>
        <tbody>
          {languages.map((language) => (
            <tr>
              <th scope="row">{languageName(language, reading.page)}</th>
              <td>{prefLabel[language] ? <Text language={language}>{prefLabel[language]}</Text> : null}</td>
              {hasAlternatives ? (
                <td>{joined((altLabel[language] ?? []).map((label) => <Text language={language}>{label}</Text>))}</td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

function Mappings({
  request,
  concept,
  mappedConcepts,
  concordances,
}: {
  request: PageRequest
  concept: Concept
  mappedConcepts: ReadonlyMap<string, Concept | MappedElsewhere>
  concordances: readonly ConcordanceRecord[]
}) {
  if (!concept.mapping?.length) return null
  const concordancesOf = (relation: string, uri: string) => {
    const mapping = concept.mappings?.find(({ type, to }) => type[0] === relation && to.memberSet[0]?.uri === uri)
    return mapping?.partOf?.flatMap((part) => concordances.find(({ record }) => record.uri === part.uri) ?? []) ?? []
  }
  const relations = [...new Set(concept.mapping.map(({ type }) => type))]
  return (
    <section>
      <h2>{request.texts.mappings}</h2>
      <dl class="mappings">
        {relations.map((relation) => (
          <Fact name={relationName(request, relation)}>
            <ul>
              {concept
                .mapping!.filter(({ type }) => type === relation)
                .map(({ to }) => (
                  <li>
                    <Mapping request={request} uri={to} concept={mappedConcepts.get(to)} />
                    {concordancesOf(relation, to).map((concordance) => (
                      <>
                        {' · '}
                        <ConcordanceLink request={request} concordance={concordance} />
                      </>
                    ))}
                  </li>
                ))}
            </ul>
          </Fact>
        ))}
      </dl>
    </section>
  )
}

function Mapping({
  request,
  uri,
  concept,
}: {
  request: PageRequest
  uri: string
  concept: Concept | MappedElsewhere | undefined
}) {
  if (!concept || 'vocabulary' in concept) return <Elsewhere request={request} uri={uri} named={concept} />
  const scheme = concept.inScheme?.[0]
  return (
    <>
      {/* The link drops the reader's subset, which belongs to another vocabulary than the mapped concept. */}
      <a href={link(request, 'concept', { uri })}>
        <Name request={request} of={concept} />
      </a>
      <InVocabulary request={request} scheme={scheme} />
    </>
  )
}

/** A mapped concept that no vocabulary of the store has, with its vocabulary if that is known. */
function Elsewhere({ request, uri, named }: { request: PageRequest; uri: string; named: MappedElsewhere | undefined }) {
  const { vocabulary, ...item } = named ?? { uri, vocabulary: undefined }
  const localItem = localVocabulary(request, vocabulary?.uri ?? '')
  return (
    <>
      {item.prefLabel ? (
        <OutLink href={uri}>
          <Name request={request} of={item} />
        </OutLink>
      ) : (
        <ItemLink request={request} item={{ uri }} />
      )}
      {vocabulary ? (
        <>
          {' · '}
          {localItem ? (
            <VocabularyLink class="quiet" request={request} item={localItem} />
          ) : (
            <span class="quiet">
              <Label request={request} item={vocabulary} />
            </span>
          )}
        </>
      ) : null}
    </>
  )
}

/** Classes beside skos:Concept. */
function Kinds({ request, concept }: { request: PageRequest; concept: Concept }) {
  const kinds = concept.type.slice(1)
  if (kinds.length === 0) return null
  return (
    <Fact name={request.texts.types}>
      <Several>
        {kinds.map((uri) => (
          <OutLink href={uri}>{nameWithoutLabel({ uri })}</OutLink>
        ))}
      </Several>
    </Fact>
  )
}

function citation(request: PageRequest, concept: Concept, name: string): string {
  const scheme = concept.inScheme?.[0]
  const date = concept.modified ?? concept.created
  return [
    `${name}.`,
    scheme ? `In: ${nameOf(scheme, request.reading.preferred)}.` : '',
    date ? `${formatDay(request, date)}.` : '',
    concept.uri,
  ]
    .filter((part) => part !== '')
    .join(' ')
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
