import { malformed, readIris } from '../http/parameters.ts'
import { compareRecords, smallestNotation, type SortKey } from '../jskos/order.ts'
import { readProperties, SCHEME_DEFAULT } from '../jskos/properties.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { SparqlTerm } from '../sparql/terms.ts'
import { vocabulariesNamed, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { collectionsNamed, type ListedCollection } from './collections.ts'
import { conceptsInOrder } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { listOfOneState, ONE_REQUEST, type RecordList } from './list.ts'
import { pageOfConcepts } from './page.ts'
import { inOnePiece, inPieces, LARGEST_PIECE } from './pieces.ts'
import type { ListRequest } from './request.ts'
import { byTemplate, inScope } from './selection.ts'
import { notationTerms } from './terms.ts'
import { isInScope, recordsOfVocabularies } from './vocabularies.ts'

/** GET and POST /data: concepts by uri, id or notation (docs/interface.md, "Parameters"). */
export async function data(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, signal } = request
  const given = SELECTING.filter((name) => parameters.has(name))
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw malformed(`uri, id, notation: expected exactly one of them, got ${got}`)
  }
  if (given[0] !== 'notation') return conceptsOrVocabularies(dependencies, request, readIris(parameters, given[0]!))
  const list = (notation: SparqlTerm[]) =>
    pageOfConcepts(dependencies, byTemplate('data', request, { more: { notation } }), request)
  const known = notationTerms(parameters, await dependencies.registry.list())
  const found = await list(known)
  if (found.total > 0) return found
  // A vocabulary loaded a moment ago may have notations of another type.
  const fresh = notationTerms(parameters, await dependencies.registry.fresh(signal))
  return fresh.length > known.length ? list(fresh) : found
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
  return { ...(await pageOfConcepts(dependencies, inScope(asked), asked)), page }
}

/**
 * Concepts, vocabularies and collections with these URIs or identifiers, because clients do not always know which of them a URI
 * names. A URI that names several gives the concept. Collections have no identifiers here.
 */
async function conceptsOrVocabularies(
  dependencies: ReadDependencies,
  request: ListRequest,
  iris: readonly string[],
): Promise<RecordList> {
  const { parameters, view, signal, page } = request
  const named = (all: readonly Vocabulary[]) => vocabulariesNamed(all, iris).filter((one) => isInScope(one, view))
  let schemes = named(await dependencies.registry.list())
  let collections: ListedCollection[] | undefined
  const byQuery = byTemplate('data', request)
  if (schemes.length === 0) {
    // Without a scope, nothing needs to select concepts by their URIs.
    const isChosen = !parameters.has('id') && view.scope.all && iris.length <= ONE_REQUEST
    const found = await pageOfConcepts(dependencies, isChosen ? { uris: iris } : byQuery, request)
    if (found.total === 0) schemes = named(await dependencies.registry.fresh(signal))
    if (schemes.length === 0) {
      if (found.total >= iris.length) return found
      collections = await collectionsNamed(dependencies, request, iris)
      if (collections.length === 0) return found
    }
  }
  // The keys of all come first, because only the records of the page are needed.
  const keys = queryTemplate(byQuery.template).bind({ terms: byQuery.terms, include: ['order'] })
  const properties = readProperties(parameters.get('properties'), SCHEME_DEFAULT)
  const [rows, records] = await Promise.all([
    dependencies.client.select(keys, { signal }),
    recordsOfVocabularies(
      dependencies,
      { view: { ...view, properties }, signal },
      schemes.map(({ uri }) => uri),
    ),
  ])
  const concepts = new Map(rows.flatMap(({ c, key }) => (c ? [[c.value, key?.value] as const] : [])))
  const keyOf = ({ uri }: JskosRecord) => smallestNotation(schemes.find((one) => one.uri === uri)?.notations)
  const others = records.filter(({ uri }) => !concepts.has(uri))
  const all: (SortKey & { record?: JskosRecord })[] = [
    ...[...concepts].map(([uri, key]) => ({ uri, key })),
    ...others.map((record) => ({ record, uri: record.uri, key: keyOf(record) })),
    ...(collections ?? (await collectionsNamed(dependencies, request, iris))),
  ]
  all.sort(compareRecords)
  const shown = all.slice(page.offset, page.offset + page.limit)
  const describe = async (piece: readonly (typeof all)[number][]) => {
    const uris = piece.flatMap(({ uri, record }) => (record ? [] : uri))
    const described = await conceptsInOrder(dependencies, uris, view, signal)
    const found = new Map(described.map(({ uri, record }) => [uri, record]))
    return piece.flatMap(({ uri, record }) => record ?? found.get(uri) ?? [])
  }
  const total = all.length
  if (shown.length <= ONE_REQUEST) return { total, records: inOnePiece(await describe(shown)) }
  return listOfOneState(dependencies.client, signal, () =>
    Promise.resolve({ total, shown: shown.length, records: inPieces(shown, PORTION, describe, signal) }),
  )
}

const PORTION = { size: LARGEST_PIECE, ahead: 1 }
