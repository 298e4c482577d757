import { readWholeNumber } from '../http/parameters.ts'
import { conceptsOf, typeOf, type ConceptBundle, type MappedConcept } from '../jskos/mapping.ts'
import { concordanceRecords, findConcordance } from '../mappings/concordance.ts'
import { schemesNamed } from '../mappings/question.ts'
import { mappingRecord } from '../mappings/record.ts'
import { EVERY_MAPPING } from '../search/mapping-reader.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { ConcordanceLink, Label, Name, OutLink, relationName, UriText } from './label.tsx'
import { Scheme } from './mapping-picture.tsx'
import { askEndpoint, askRecords, link, type PageRequest } from './page-request.ts'
import type { Page } from './page.tsx'
import { Pagination } from './pagination.tsx'
import { nameOf, type Item } from './records.ts'
import { namesOf, readPropertyNames } from './statements.ts'
import { vocabularyAsked, VocabularyHeading } from './vocabulary-heading.tsx'

/** Mappings on one page. */
const PAGE = 100

/** Files with all of the mappings. */
const FILES = ['ndjson', 'csv', 'sssom'] as const

/** GET /voc/{vocid}/mappings: the mappings of a vocabulary to another one (`to`) or from it (`from`), in pages. */
export async function mappingsPage(asked: PageRequest): Promise<Page> {
  const { texts, reading, parameters, dependencies, signal } = asked
  const { registry, index, config } = dependencies
  const known = await vocabularyAsked(asked)
  const from = parameters.get('from')
  const to = from === undefined ? parameters.get('to') : undefined
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const vocabularies = await registry.list()
  const own = schemesNamed(known.uri, vocabularies)
  const other = (name: string | undefined) => (name === undefined ? undefined : schemesNamed(name, vocabularies))
  const schemes =
    from === undefined ? { fromScheme: own, toScheme: other(to) } : { fromScheme: other(from), toScheme: own }
  const [{ records }, { total, mappings }, concordances] = await Promise.all([
    askEndpoint(asked, '/voc/:vocid', { properties: 'prefLabel,notation' }),
    index.mappings({ ...QUESTION, ...schemes, page: { offset, limit: PAGE } }, signal),
    registry.concordances().then(concordanceRecords),
  ])
  const view = { vocabularies, baseUrl: config.baseUrl, contextUrl: config.jskosContextUrl }
  const shown = mappings.map((one) => mappingRecord(one, view))
  const names = await namesOfConcepts(
    asked,
    shown.flatMap((one) => [...conceptsOf(one.from), ...conceptsOf(one.to)]),
  )
  const vocabulary = records[0]!
  const name = nameOf(vocabulary, reading.preferred)
  const id = known.ids[0] ?? known.uri
  const path = `voc/${encodeURIComponent(id)}/mappings`
  const chosen = { from, to }
  const title = from === undefined ? texts.mappedTo : texts.mappedFrom
  const side = (bundle: ConceptBundle) => <Side asked={asked} bundle={bundle} names={names} />
  const isOfConcordance = shown.some(({ partOf }) => partOf?.length)
  const heading = from ?? to
  return {
    title: `${title}: ${name}`,
    canonical: { path, query: { ...chosen, offset: offset > 0 ? String(offset) : undefined } },
    vocabulary: { id, name },
    column: {},
    body: (
      <>
        <VocabularyHeading asked={asked} vocabulary={vocabulary} view="statistics" />
        <h2>
          {title} {heading === undefined ? null : <Scheme asked={asked} uri={heading} />}
        </h2>
        {total === 0 ? (
          <p>{texts.noMappings}</p>
        ) : (
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">
                  {from === undefined ? <Label asked={asked} item={vocabulary} /> : <Scheme asked={asked} uri={from} />}
                </th>
                <th scope="col">{texts.relation}</th>
                <th scope="col">
                  {from !== undefined ? (
                    <Label asked={asked} item={vocabulary} />
                  ) : to === undefined ? (
                    texts.mappings
                  ) : (
                    <Scheme asked={asked} uri={to} />
                  )}
                </th>
                {isOfConcordance ? <th scope="col">{texts.concordance}</th> : null}
              </tr>
            </thead>
            <tbody>
              {shown.map((mapping) => (
                <tr>
                  <td>{side(mapping.from)}</td>
                  <td>{relationName(asked, typeOf(mapping))}</td>
                  <td>{side(mapping.to)}</td>
                  {isOfConcordance ? (
                    <td>
                      {mapping.partOf?.map((part) => {
                        const concordance =
                          part?.uri === undefined ? undefined : findConcordance(concordances, part.uri)
                        return concordance ? <ConcordanceLink asked={asked} concordance={concordance} /> : null
                      })}
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <Pagination asked={asked} part={{ offset, limit: PAGE, total }} path={path} query={chosen} />
        {total === 0 ? null : (
          <p class="small">
            {texts.downloadAll}{' '}
            {FILES.map((format) => (
              <>
                <a
                  rel="nofollow"
                  href={link(asked, 'mappings', {
                    fromScheme: from ?? known.uri,
                    toScheme: from === undefined ? to : known.uri,
                    download: format,
                  })}
                >
                  {format}
                </a>{' '}
              </>
            ))}
          </p>
        )}
      </>
    ),
  }
}

const QUESTION = { ...EVERY_MAPPING, sort: 'created', order: 'asc' } as const

/** The names of concepts by URI: those of the store, which are links within the service, and others. */
interface Names {
  own: ReadonlyMap<string, Item>
  others: ReadonlyMap<string, Omit<Item, 'uri'>>
}

async function namesOfConcepts(asked: PageRequest, concepts: readonly MappedConcept[]): Promise<Names> {
  const uris = [...new Set(concepts.flatMap(({ uri }) => uri ?? []))].filter(isAbsoluteIri)
  const own = await askRecords(asked, uris)
  const missing = uris.filter((uri) => !own.has(uri))
  const names = await readPropertyNames(asked.dependencies.client, missing, asked.signal)
  return { own, others: new Map(missing.map((uri) => [uri, namesOf(names.get(uri))])) }
}

/** The concepts of one side of a mapping. */
function Side({ asked, bundle, names }: { asked: PageRequest; bundle: ConceptBundle; names: Names }) {
  return (
    <>
      {conceptsOf(bundle).map((concept, at) => (
        <>
          {at > 0 ? <br /> : null}
          <MemberOf asked={asked} concept={concept} names={names} />
        </>
      ))}
    </>
  )
}

function MemberOf({
  asked,
  concept,
  names: { own, others },
}: {
  asked: PageRequest
  concept: MappedConcept
  names: Names
}) {
  const uri = concept.uri ?? ''
  const known = own.get(uri)
  if (known) {
    return (
      <a href={link(asked, 'concept', { uri })}>
        <Name asked={asked} of={known} />
      </a>
    )
  }
  const { notation } = concept
  const item = { ...others.get(uri), ...(notation && { notation }), ...(uri !== '' && { uri }) }
  const isNamed = item.prefLabel !== undefined || notation?.length
  return <OutLink href={uri}>{isNamed ? <Name asked={asked} of={item} /> : <UriText uri={uri} />}</OutLink>
}
