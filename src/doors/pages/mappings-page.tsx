import { readWholeNumber } from '../../interface/http/parameters.ts'
import { conceptsOf, typeOf, type ConceptBundle, type MappedConcept } from '../../graph/jskos/mapping.ts'
import { concordanceRecords, findConcordance } from '../mappings/concordance.ts'
import { schemesNamed } from '../mappings/question.ts'
import { mappingRecord } from '../mappings/record.ts'
import { EVERY_MAPPING } from '../../graph/index/mappings/mapping-reader.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { recordsByUri } from '../../interface/read/data.ts'
import { ConcordanceLink, Label, Name, OutLink, relationName, UriText } from './label.tsx'
import { Scheme } from './mapping-picture.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { Pagination } from './pagination.tsx'
import type { Item } from './records.ts'
import { namesOf, readPropertyNames } from './statements.ts'
import { VocabularyHeading, vocabularyFrame, vocabularyOfPath } from './vocabulary-heading.tsx'

/** Mappings on one page. */
const PAGE = 100

/** Files with all of the mappings. */
const FILES = ['ndjson', 'csv', 'sssom'] as const

/** GET /voc/{vocid}/mappings: the mappings of a vocabulary to another one (`to`) or from it (`from`), in pages. */
export async function mappingsPage(request: PageRequest): Promise<HtmlPage> {
  const { registered, path } = await vocabularyOfPath(request, 'mappings')
  const { texts, parameters, dependencies, signal } = request
  const { registry, indexedMappings, config } = dependencies
  const from = parameters.get('from')
  const to = from === undefined ? parameters.get('to') : undefined
  const offset = readWholeNumber(parameters, 'offset') ?? 0
  const vocabularies = await registry.list()
  const namesOfVocabulary = schemesNamed(registered.uri, vocabularies)
  const other = (name: string | undefined) => (name === undefined ? undefined : schemesNamed(name, vocabularies))
  const schemes =
    from === undefined
      ? { fromScheme: namesOfVocabulary, toScheme: other(to) }
      : { fromScheme: other(from), toScheme: namesOfVocabulary }
  const title = from === undefined ? texts.mappedTo : texts.mappedFrom
  const [{ vocabulary, page }, { total, mappings }, concordances] = await Promise.all([
    vocabularyFrame(request, registered, title, path, 'prefLabel,notation'),
    indexedMappings.find({ ...QUESTION, ...schemes, page: { offset, limit: PAGE } }, signal),
    registry.concordances().then(concordanceRecords),
  ])
  const view = { vocabularies, baseUrl: config.baseUrl, contextUrl: config.jskosContextUrl }
  const shown = mappings.map((mapping) => mappingRecord(mapping, view))
  const names = await namesOfConcepts(
    request,
    shown.flatMap((mapping) => [...conceptsOf(mapping.from), ...conceptsOf(mapping.to)]),
  )
  const chosen = { from, to }
  const side = (bundle: ConceptBundle) => <Side bundle={bundle} names={names} />
  const isOfConcordance = shown.some(({ partOf }) => partOf?.length)
  const heading = from ?? to
  return {
    ...page,
    canonical: { path, query: { ...chosen, offset: offset > 0 ? String(offset) : undefined } },
    column: {},
    body: (
      <>
        <VocabularyHeading vocabulary={vocabulary} view="statistics" />
        <h2>
          {title} {heading === undefined ? null : <Scheme uri={heading} />}
        </h2>
        {total === 0 ? (
          <p>{texts.noMappings}</p>
        ) : (
          <table class="numbers">
            <thead>
              <tr>
                <th scope="col">{from === undefined ? <Label item={vocabulary} /> : <Scheme uri={from} />}</th>
                <th scope="col">{texts.relation}</th>
                <th scope="col">
                  {from !== undefined ? (
                    <Label item={vocabulary} />
                  ) : to === undefined ? (
                    texts.mappings
                  ) : (
                    <Scheme uri={to} />
                  )}
                </th>
                {isOfConcordance ? <th scope="col">{texts.concordance}</th> : null}
              </tr>
            </thead>
            <tbody>
              {shown.map((mapping) => (
                <tr>
                  <td>{side(mapping.from)}</td>
                  <td>{relationName(request, typeOf(mapping))}</td>
                  <td>{side(mapping.to)}</td>
                  {isOfConcordance ? (
                    <td>
                      {mapping.partOf?.map((part) => {
                        const concordance =
                          part?.uri === undefined ? undefined : findConcordance(concordances, part.uri)
                        return concordance ? <ConcordanceLink concordance={concordance} /> : null
                      })}
                    </td>
                  ) : null}
                </tr>
              ))}
            </tbody>
          </table>
        )}
        <Pagination part={{ offset, limit: PAGE, total }} path={path} query={chosen} />
        {total === 0 ? null : (
          <p class="small">
            {texts.downloadAll}{' '}
            {FILES.map((format) => (
              <>
                <a
                  rel="nofollow"
                  href={link(request, 'mappings', {
                    fromScheme: from ?? registered.uri,
                    toScheme: from === undefined ? to : registered.uri,
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

/** The names of concepts by URI: of local concepts, which become links within the service, and of others. */
interface Names {
  local: ReadonlyMap<string, Item>
  elsewhere: ReadonlyMap<string, Omit<Item, 'uri'>>
}

async function namesOfConcepts(request: PageRequest, concepts: readonly MappedConcept[]): Promise<Names> {
  const uris = [...new Set(concepts.flatMap(({ uri }) => uri ?? []))].filter(isAbsoluteIri)
  const local = await recordsByUri(request, uris)
  const missing = uris.filter((uri) => !local.has(uri))
  const names = await readPropertyNames(request.dependencies.client, missing, request.signal)
  return { local, elsewhere: new Map(missing.map((uri) => [uri, namesOf(names.get(uri))])) }
}

/** The concepts of one side of a mapping. */
function Side({ bundle, names }: { bundle: ConceptBundle; names: Names }) {
  return (
    <>
      {conceptsOf(bundle).map((concept, index) => (
        <>
          {index > 0 ? <br /> : null}
          <MemberOf concept={concept} names={names} />
        </>
      ))}
    </>
  )
}

function MemberOf({ concept, names: { local, elsewhere } }: { concept: MappedConcept; names: Names }) {
  const request = useRequest()
  const uri = concept.uri ?? ''
  const localItem = local.get(uri)
  if (localItem) {
    return (
      <a href={link(request, 'concept', { uri })}>
        <Name of={localItem} />
      </a>
    )
  }
  const { notation } = concept
  const item = { ...elsewhere.get(uri), ...(notation && { notation }), ...(uri !== '' && { uri }) }
  const isNamed = item.prefLabel !== undefined || notation?.length
  return <OutLink href={uri}>{isNamed ? <Name of={item} /> : <UriText uri={uri} />}</OutLink>
}
