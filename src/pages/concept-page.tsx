import { ApiError } from '../errors.ts'
import { concordanceRecords, type ConcordanceRecord } from '../mappings/concordance.ts'
import { requireIri } from '../http/parameters.ts'
import { CONCEPT, SKOS } from '../namespaces.ts'
import type { WaysUp } from '../read/ancestors.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { isProposedRecord } from '../vocabularies/proposals.ts'
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
import { ConceptSuggestions, suggestionsAsked } from './concept-suggestions.tsx'
import { mappedElsewhere, type MappedElsewhere } from './mapped-elsewhere.ts'
import { MoreStatements } from './more-statements.tsx'
import type { Made } from './page.tsx'
import { inLanguage, nameOf, nameWithoutLabel, notes, type Concept, type Item } from './records.ts'
import { moreStatements } from './statements.ts'
import {
  graphsOf,
  InVocabulary,
  itemOf,
  knownVocabulary,
  VocabularyLink,
  vocabularyLink,
} from './vocabulary-heading.tsx'

/** The page lists at most this many narrower concepts; the tree has all. */
const MAX_NARROWER = 100
/** The page shows at most this many paths to the top. */
const MAX_WAYS = 5
/** The page looks up the labels of at most this many mapped concepts. */
const MAX_MAPPINGS = 400

/** GET /concept?uri= and, for browsers, /data?uri=: one concept. */
export async function conceptPage(asked: PageRequest): Promise<Made> {
  const uri = requireIri(asked.parameters, 'uri')
  const voc = asked.parameters.get('voc')
  const named = { uri, voc, properties: 'prefLabel,notation' }
  const [{ records }, children, ways] = await Promise.all([
    askEndpoint(asked, '/data', { uri, voc, properties: '*,+status,memberOf,mappings,-narrower,ancestors' }),
    askEndpoint(asked, '/narrower', { ...named, limit: String(MAX_NARROWER) }),
    askWaysUp(asked, named, MAX_WAYS),
  ])
  // The same URI may also name a vocabulary.
  const concept = records.find(({ type }) => type[0] === CONCEPT)
  const collection = concept ? undefined : records.find(isCollection)
  if (collection) {
    const graphs = await graphsOf(asked, collection)
    return collectionPage(asked, collection, await moreStatements(asked, 'collection', collection, graphs))
  }
  if (!concept) return elsewhere(asked, records[0]?.uri ?? uri)
  const [chosen, others, home, concordances, statements, suggestions] = await Promise.all([
    voc === undefined ? undefined : asked.dependencies.registry.find(voc),
    mapped(asked, concept),
    homeOf(asked, concept),
    asked.dependencies.registry.concordances(),
    graphsOf(asked, concept).then((graphs) => moreStatements(asked, 'concept', concept, graphs)),
    suggestionsAsked(asked, concept),
  ])

  const { texts, reading, dependencies } = asked
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
    column: { at: uri },
    islands: ['copy'],
    data: structuredData(asked, concept, name, definition),
    body: (
      <article>
        <Ways asked={asked} id={id} concept={concept} ways={ways} />
        <h1>
          <Name asked={asked} of={concept} />{' '}
          <ForeignLanguage
            asked={asked}
            language={inLanguage(concept.prefLabel, reading.preferred)?.language ?? 'und'}
          />
        </h1>
        <OtherNames asked={asked} concept={concept} />
        <Replaced asked={asked} concept={concept} />
        {isProposedRecord(concept) ? <p class="notice">{texts.proposed}</p> : null}
        <Lead asked={asked} resource={concept} />
        <div class="columns">
          <div>
            <Neighbourhood asked={asked} id={id} concept={concept} children={children} />
            <Notes asked={asked} resource={concept} />
            <Labels asked={asked} concept={concept} />
            <Mappings asked={asked} concept={concept} others={others} concordances={concordanceRecords(concordances)} />
            <ConceptSuggestions asked={asked} uri={uri} suggestions={suggestions} />
            <MoreStatements asked={asked} statements={statements} all={turtleOf(asked, home, uri)} />
          </div>
          <aside>
            <section>
              <h2>{texts.facts}</h2>
              <dl>
                <UriFact asked={asked} uri={uri} />
                {concept.notation && concept.notation.length > 1 ? (
                  <Fact name={texts.notation}>{concept.notation.join(', ')}</Fact>
                ) : null}
                <VocabulariesFact asked={asked} name={texts.vocabulary} vocabularies={concept.inScheme} />
                <Kinds asked={asked} concept={concept} />
                <IdentifierFact asked={asked} resource={concept} />
                <CommonFacts asked={asked} resource={concept} />
              </dl>
              <VersionsLink asked={asked} uri={uri} />
              <ReportLink asked={asked} uri={uri} name={name} />
              <ProposeLink asked={asked} voc={home} />
            </section>
            <Downloads asked={asked} title={texts.downloadConcept} files={conceptFiles(asked.root, home, uri)} />
            <Citation asked={asked} text={citation(asked, concept, name)} />
          </aside>
        </div>
      </article>
    ),
  }
}

/** The page for a URI that does not name a concept. */
async function elsewhere(asked: PageRequest, uri: string): Promise<Made> {
  const vocabulary = await asked.dependencies.registry.find(uri)
  if (vocabulary) return { location: vocabularyLink(asked, itemOf(vocabulary)) }
  await refuseGone(asked, [uri])
  throw new ApiError('EntityNotFoundError', 'uri: there is no concept with this URI.')
}

/** The records of concepts that a concept is mapped to, by URI, or the names of those that are elsewhere. */
async function mapped(
  asked: PageRequest,
  { uri, mapping }: Concept,
): Promise<ReadonlyMap<string, Concept | MappedElsewhere>> {
  const uris = [...new Set(mapping?.map(({ to }) => to))].slice(0, MAX_MAPPINGS)
  const records = await askRecords(asked, uris, { properties: 'prefLabel,notation,inScheme' })
  const found = new Map<string, Concept | MappedElsewhere>(records)
  const others = uris.filter((one) => !found.has(one))
  for (const [one, names] of await mappedElsewhere(asked, uri, others)) found.set(one, names)
  return found
}

/** The id of the vocabulary whose graph describes a concept; it may also be in others, which only have its name. */
async function homeOf(asked: PageRequest, { uri: c, inScheme }: Concept): Promise<string | undefined> {
  const { client, registry } = asked.dependencies
  const schemes = (await registry.list()).filter(({ uri }) => inScheme?.some((scheme) => scheme.uri === uri))
  const query = queryTemplate('describe/home').bind({ terms: { c: [iri(c)] } })
  const rows = schemes.length > 1 ? await client.select(query, { signal: asked.signal }) : []
  const home = schemes.find(({ uri }) => rows.some(({ graph }) => graph?.value === uri)) ?? schemes[0]
  return home && (home.ids[0] ?? home.uri)
}

/** The vocabulary, and the paths from its top down to the concept. */
function Ways({
  asked,
  id,
  concept,
  ways: { ways, isAll },
}: {
  asked: PageRequest
  id: string | undefined
  concept: Concept
  ways: WaysUp
}) {
  const { texts } = asked
  const schemes = concept.inScheme ?? []
  const chains = ways.length > 0 ? ways.map((way) => way.toReversed()) : [[]]
  return (
    <nav class="crumbs" aria-label={texts.breadcrumb}>
      {chains.map((chain) => (
        <ol>
          {schemes[0] ? (
            <li>
              <VocabularyLink asked={asked} item={schemes[0]} />
            </li>
          ) : null}
          {chain.map((one) => (
            <li>
              <ConceptLink
                asked={asked}
                concept={{
                  uri: one.uri,
                  ...(one.prefLabel ? { prefLabel: one.prefLabel } : { notation: one.notation ?? [] }),
                }}
              />
            </li>
          ))}
        </ol>
      ))}
      {isAll ? null : <p>{texts.morePaths}</p>}
      {id === undefined ? null : (
        <p>
          <a class="view" href={`${link(asked, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}#here`}>
            {texts.inTree}
          </a>
        </p>
      )}
    </nav>
  )
}

/** The preferred labels in other languages, in one line. */
function OtherNames({ asked, concept }: { asked: PageRequest; concept: Concept }) {
  const shown = inLanguage(concept.prefLabel, asked.reading.preferred)?.language
  const others = Object.entries(concept.prefLabel ?? {}).filter(([language]) => language !== shown)
  if (others.length === 0 || others.length > 3) return null
  return (
    <ul class="inline names">
      {others.map(([language, label]) => (
        <li>
          <Text language={language}>{label}</Text> <LanguageTag asked={asked} language={language} />
        </li>
      ))}
    </ul>
  )
}

/** Nobody should use the concept any more, or there is a better one. */
function Replaced({ asked, concept }: { asked: PageRequest; concept: Concept }) {
  const { deprecated, replacedBy = [] } = concept
  if (!deprecated && replacedBy.length === 0) return null
  return (
    <p class="notice">
      {deprecated ? `${asked.texts.deprecated} ` : null}
      {replacedBy.length > 0 ? `${asked.texts.replacedBy}: ` : null}
      {joined(replacedBy.map((one) => <ConceptLink asked={asked} concept={one} />))}
    </p>
  )
}

/** The concepts directly above, below and beside a concept. */
function Neighbourhood({
  asked,
  id,
  concept,
  children,
}: {
  asked: PageRequest
  id: string | undefined
  concept: Concept
  children: { total: number; records: Concept[] }
}) {
  const { texts } = asked
  return (
    <>
      <Concepts asked={asked} title={texts.broader} concepts={concept.broader ?? []} />
      <Concepts
        asked={asked}
        title={texts.narrower}
        count={children.total}
        concepts={children.total > children.records.length ? children.records : byLabel(asked, children.records)}
      >
        {children.total > children.records.length && id !== undefined ? (
          <p>
            <a href={link(asked, `voc/${encodeURIComponent(id)}/tree`, { uri: concept.uri })}>
              {texts.allInTree(formatNumber(asked, children.total))}
            </a>
          </p>
        ) : null}
      </Concepts>
      {(['related', 'previous', 'next', 'place', 'memberOf'] as const).map((name) => (
        <Concepts asked={asked} title={texts[name]} concepts={byLabel(asked, concept[name] ?? [])} />
      ))}
    </>
  )
}

function Concepts({
  asked,
  title,
  concepts,
  count = concepts.length,
  children,
}: {
  asked: PageRequest
  title: string
  concepts: readonly Item[]
  count?: number
  children?: preact.ComponentChildren
}) {
  if (concepts.length === 0) return null
  return (
    <section>
      <h2>
        {title} {count > 5 ? <span class="count">{formatNumber(asked, count)}</span> : null}
      </h2>
      <ul class="concepts">
        {concepts.map((one) => (
          <li>
            <ConceptLink asked={asked} concept={one} />
          </li>
        ))}
      </ul>
      {children}
    </section>
  )
}

/** All names by language, those in the reader's language first. */
function Labels({ asked, concept }: { asked: PageRequest; concept: Concept }) {
  const { texts, reading } = asked
  const { prefLabel = {}, altLabel = {} } = concept
  const rank = (tag: string) => {
    const at = reading.preferred.findIndex((wanted) => wanted.split('-', 1)[0] === tag.split('-', 1)[0])
    return at < 0 ? reading.preferred.length : at
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
  asked,
  concept,
  others,
  concordances,
}: {
  asked: PageRequest
  concept: Concept
  others: ReadonlyMap<string, Concept | MappedElsewhere>
  concordances: readonly ConcordanceRecord[]
}) {
  if (!concept.mapping?.length) return null
  const concordancesOf = (relation: string, uri: string) => {
    const found = concept.mappings?.find(({ type, to }) => type[0] === relation && to.memberSet[0]?.uri === uri)
    return found?.partOf?.flatMap((part) => concordances.find(({ record }) => record.uri === part.uri) ?? []) ?? []
  }
  const relations = [...new Set(concept.mapping.map(({ type }) => type))]
  return (
    <section>
      <h2>{asked.texts.mappings}</h2>
      <dl class="mappings">
        {relations.map((relation) => (
          <Fact name={relationName(asked, relation)}>
            <ul>
              {concept
                .mapping!.filter(({ type }) => type === relation)
                .map(({ to }) => (
                  <li>
                    <Mapping asked={asked} uri={to} concept={others.get(to)} />
                    {concordancesOf(relation, to).map((concordance) => (
                      <>
                        {' · '}
                        <ConcordanceLink asked={asked} concordance={concordance} />
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
  asked,
  uri,
  concept,
}: {
  asked: PageRequest
  uri: string
  concept: Concept | MappedElsewhere | undefined
}) {
  if (!concept || 'vocabulary' in concept) return <Elsewhere asked={asked} uri={uri} named={concept} />
  const scheme = concept.inScheme?.[0]
  return (
    <>
      {/* The link drops the reader's subset, which belongs to another vocabulary than the mapped concept. */}
      <a href={link(asked, 'concept', { uri })}>
        <Name asked={asked} of={concept} />
      </a>
      <InVocabulary asked={asked} scheme={scheme} />
    </>
  )
}

/** A mapped concept that no vocabulary of the store has, with its vocabulary if that is known. */
function Elsewhere({ asked, uri, named }: { asked: PageRequest; uri: string; named: MappedElsewhere | undefined }) {
  const { vocabulary, ...item } = named ?? { uri, vocabulary: undefined }
  const known = knownVocabulary(asked, vocabulary?.uri ?? '')
  return (
    <>
      {item.prefLabel ? (
        <OutLink href={uri}>
          <Name asked={asked} of={item} />
        </OutLink>
      ) : (
        <ItemLink asked={asked} item={{ uri }} />
      )}
      {vocabulary ? (
        <>
          {' · '}
          {known ? (
            <VocabularyLink class="quiet" asked={asked} item={known} />
          ) : (
            <span class="quiet">
              <Label asked={asked} item={vocabulary} />
            </span>
          )}
        </>
      ) : null}
    </>
  )
}

/** Classes beside skos:Concept. */
function Kinds({ asked, concept }: { asked: PageRequest; concept: Concept }) {
  const kinds = concept.type.slice(1)
  if (kinds.length === 0) return null
  return (
    <Fact name={asked.texts.types}>
      <Several>
        {kinds.map((uri) => (
          <OutLink href={uri}>{nameWithoutLabel({ uri })}</OutLink>
        ))}
      </Several>
    </Fact>
  )
}

function citation(asked: PageRequest, concept: Concept, name: string): string {
  const scheme = concept.inScheme?.[0]
  const date = concept.modified ?? concept.created
  return [
    `${name}.`,
    scheme ? `In: ${nameOf(scheme, asked.reading.preferred)}.` : '',
    date ? `${formatDay(asked, date)}.` : '',
    concept.uri,
  ]
    .filter((part) => part !== '')
    .join(' ')
}

/** The concept for search engines (schema.org, DefinedTerm) and in SKOS. */
function structuredData(asked: PageRequest, concept: Concept, name: string, description: string | undefined): object {
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
    url: publicUrl(asked, 'concept', { uri: concept.uri }),
    termCode: concept.notation?.[0],
    alternateName: Object.values(concept.altLabel ?? {}).flat(),
    inDefinedTermSet: references(concept.inScheme),
    'skos:prefLabel': inLanguages(concept.prefLabel),
    'skos:altLabel': inLanguages(concept.altLabel),
    'skos:inScheme': references(concept.inScheme),
    'skos:broader': references(concept.broader),
  }
}
