import type { Config } from '../../config.ts'
import { givenParameters, malformed, readIris, requestedProperties } from '../http/parameters.ts'
import { compareRecords, smallest, type SortKey } from '../../graph/jskos/order.ts'
import { SCHEME_DEFAULT } from '../../graph/jskos/properties.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import type { SparqlTerm } from '../../graph/sparql/terms.ts'
import { vocabulariesNamed, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { collectionsNamed, recordsOfCollections } from './collections.ts'
import { listConcepts, listShort } from './concept-lists.ts'
import { conceptsInOrder, readConcepts } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { sortKeys, byTemplate, inScope, selectsNothing } from './select.ts'
import { listRecords, recordsIn, type RecordList } from './list.ts'
import { LARGEST_PIECE } from './pieces.ts'
import { listRequest, showsOrder, type ListRequest } from './request.ts'
import { notationTerms } from './terms.ts'
import { isInScope, recordsOfVocabularies } from './vocabularies.ts'

/** GET and POST /data: concepts by uri, id or notation (docs/endpoints.md, "Parameters"). */
export async function data(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, signal } = request
  const given = SELECTING.filter((name) => parameters.has(name))
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw malformed(`uri, id, notation: expected exactly one of them, got ${got}`)
  }
  if (given[0] !== 'notation') return conceptsOrVocabularies(dependencies, request, readIris(parameters, given[0]!))
  const list = (notation: SparqlTerm[]) => listShort(dependencies, byTemplate('data', request, { notation }), request)
  const terms = notationTerms(parameters, await dependencies.registry.list())
  const selected = await list(terms)
  if (selected.total > 0) return selected
  // A vocabulary loaded a moment ago may have notations of another type.
  const fresh = notationTerms(parameters, await dependencies.registry.fresh(signal))
  return fresh.length > terms.length ? list(fresh) : selected
}

const SELECTING = ['uri', 'id', 'notation']

/** The default limit of /concepts, whose clients want a sample or only the number. */
const SAMPLE = 100

/** GET /concepts: as /data; without uri, id and notation all concepts. */
export async function concepts(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  if (SELECTING.some((name) => request.parameters.has(name))) return data(dependencies, request)
  const { limited, limit } = request.page
  const page = limited ? request.page : { ...request.page, limit: Math.min(SAMPLE, limit) }
  const asked = { ...request, page }
  return { ...(await listConcepts(dependencies, inScope(asked), asked)), page }
}

/**
 * The records of any number of resources by URI: concepts, vocabularies and collections, as /data gives them. The
 * result lacks resources that the store does not have.
 *
 * @param uris from the data; values that are no absolute IRIs are ignored.
 * @param parameters of /data; by default the records have names.
 * @throws the errors of /data.
 * @example const records = await recordsByUri({ dependencies, signal }, uris, { properties: 'prefLabel', voc })
 */
export async function recordsByUri(
  { dependencies, signal }: { dependencies: ReadDependencies & { config: Config }; signal: AbortSignal },
  uris: Iterable<string>,
  parameters: { properties: string; voc?: string } = { properties: 'prefLabel,notation' },
): Promise<Map<string, JskosRecord>> {
  const iris = [...new Set(uris)].filter(isAbsoluteIri)
  const size = Math.min(LARGEST_PIECE, dependencies.config.maxLimit)
  const records = new Map<string, JskosRecord>()
  for (let start = 0; start < iris.length; start += size) {
    const uri = iris.slice(start, start + size).join('|')
    const request = await listRequest(dependencies, { parameters: givenParameters({ ...parameters, uri }), signal })
    for (const record of await recordsIn(await data(dependencies, request))) records.set(record.uri, record)
  }
  return records
}

/** A resource that a request names by URI, with its place in the order of records. */
interface Named extends SortKey {
  /** Absent: the record is to be read if the page has it. */
  record?: JskosRecord
}

/**
 * Concepts, vocabularies and collections with these URIs or identifiers, because clients do not always know which of
 * them a URI names. A URI that names several gives the concept. Collections have no identifiers here. The keys of all
 * come first, because only the records of the page are needed.
 */
async function conceptsOrVocabularies(
  dependencies: ReadDependencies,
  request: ListRequest,
  iris: readonly string[],
): Promise<RecordList> {
  const { parameters, view, signal, page } = request
  const { registry } = dependencies
  const concepts = await conceptsNamed(dependencies, request, iris)
  const remaining = iris.filter((iri) => !concepts.has(iri))
  const named = (all: readonly Vocabulary[]) =>
    vocabulariesNamed(all, remaining).filter(
      (vocabulary) => isInScope(vocabulary, view) && !concepts.has(vocabulary.uri),
    )
  let vocabularies = named(await registry.list())
  if (vocabularies.length + concepts.size === 0) vocabularies = named(await registry.fresh(signal))
  const schemes = new Map(vocabularies.map(({ uri, notations }) => [uri, { uri, key: smallest(notations) }]))
  const missing = remaining.filter((uri) => !schemes.has(uri))
  const collections = await collectionsNamed(dependencies, request, missing)

  const all: Named[] = [...concepts.values(), ...schemes.values(), ...collections.values()].sort(compareRecords)
  const shown = all.slice(page.offset, page.offset + page.limit)
  const selection = { uris: shown.map(({ uri }) => uri), total: all.length }
  const schemeView = { ...view, properties: requestedProperties(parameters, SCHEME_DEFAULT) }
  return listRecords(dependencies, selection, request, async (uris) => {
    const among = (some: ReadonlyMap<string, Named>) => uris.filter((uri) => some.has(uri) && !some.get(uri)!.record)
    const [selected, ...records] = await Promise.all([
      conceptsInOrder(dependencies, among(concepts), view, signal),
      recordsOfVocabularies(dependencies, { view: schemeView, signal }, among(schemes)),
      recordsOfCollections(dependencies, request, among(collections)),
    ])
    const recordOf = new Map(records.flat().map((record) => [record.uri, record]))
    for (const { uri, record } of [...concepts.values(), ...selected]) if (record) recordOf.set(uri, record)
    return uris.flatMap((uri) => recordOf.get(uri) ?? [])
  })
}

/**
 * The concepts with some URIs or identifiers, by their URIs. Nothing needs to select few that are given by their URIs:
 * they are described at once.
 */
async function conceptsNamed(
  dependencies: ReadDependencies,
  request: ListRequest,
  iris: readonly string[],
): Promise<ReadonlyMap<string, Named>> {
  const { parameters, view, signal } = request
  const { order } = view
  if (!parameters.has('id') && view.scope.all && iris.length <= LARGEST_PIECE && showsOrder(view)) {
    const concepts = (await readConcepts(dependencies, iris, view, signal)).filter(({ isConcept }) => isConcept)
    return new Map(concepts.map((concept) => [concept.uri, concept]))
  }
  const selection = byTemplate('data', request)
  if (selectsNothing(selection)) return new Map()
  const { template, terms } = selection
  const include = order.isByCodePoints ? ['order'] : []
  const rows = await dependencies.client.select(queryTemplate(template).bind({ terms, include }), { signal })
  if (!order.isByCodePoints) {
    const keys = await sortKeys(
      dependencies,
      rows.flatMap(({ c }) => c?.value ?? []),
      view,
      signal,
    )
    return new Map(keys.map((key) => [key.uri, key]))
  }
  return new Map(rows.flatMap(({ c, key }) => (c ? [[c.value, { uri: c.value, key: key?.value }] as const] : [])))
}
