import { sortLanguage } from '../../config.ts'
import { ApiError } from '../../base/errors.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { FIELDS, holdsLinks } from '../../graph/jskos/fields.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import type { Link } from '../../graph/jskos/names.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { conceptLink, schemeNotations } from '../../graph/jskos/field-values.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { isObject } from '../../base/json.ts'
import { storedCollections } from '../../interface/read/collections.ts'
import { allConcepts } from '../../interface/read/concept-lists.ts'
import { data } from '../../interface/read/data.ts'
import type { AnswerDependencies, ReadDependencies } from '../../interface/read/dependencies.ts'
import { readStoreState } from '../../graph/memory/store-state.ts'
import { readLinkNames } from '../../interface/read/link-names.ts'
import { ofOneState, patiently } from '../../interface/read/pieces.ts'
import { listRequest, type ListRequest } from '../../interface/read/request.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { vocabulary } from '../../interface/read/vocabularies.ts'
import type { RequestOptions } from '../../graph/sparql/client.ts'
import { storedSource, type ExportSource } from './export.ts'

/** All fields, except fields that follow from others: loading these again would add statements. */
const PROPERTIES = '*,status,-ancestors,mapping,concepts,topConcepts'

/** A whole vocabulary or subset as the source of an export. */
export function wholeVocabulary(
  dependencies: AnswerDependencies,
  vocabulary: Pick<Vocabulary, 'uri' | 'isSubset' | 'order'>,
  options: RequestOptions & { signal: AbortSignal },
): ExportSource {
  const { client, config } = dependencies
  const records = () => vocabularyRecords(dependencies, vocabulary.uri, options.signal)
  return { ...storedSource(client, vocabulary, sortLanguage(config), options), records }
}

/**
 * The records of a vocabulary or a subset in pieces: its own record, the concepts, then the collections of a
 * vocabulary. Throws the errors of the store.
 */
export async function* vocabularyRecords(
  dependencies: AnswerDependencies,
  uri: string,
  signal: AbortSignal,
): AsyncGenerator<JskosRecord[]> {
  // MAX_LIMIT does not hold for downloads.
  const parameters = givenParameters({ download: 'ndjson', properties: PROPERTIES })
  const { isSubset } = await dependencies.registry.require(uri)
  const whole = await listRequest(dependencies, { parameters, vocid: uri, signal })
  // The members of a subset are in the graph of its vocabulary.
  const view = { ...whole.view, graph: uri }
  const request = isSubset ? whole : { ...whole, view }
  const revisions = () => readStoreState(dependencies.client, signal)
  const before = await revisions()
  const { records } = await allConcepts(dependencies, request)
  const record = ownRecord(dependencies, request, uri)
  const inGraph = (list: AsyncIterable<JskosRecord[]>) => namedIn(uri, list, dependencies, request)
  const lists = isSubset
    ? [record, records]
    : [inGraph(record), records, inGraph(storedCollections(dependencies, { view, signal }))]
  yield* ofOneState(inTurn(...lists), before, revisions)
}

/**
 * The record of a concept in a vocabulary or a subset.
 *
 * @throws ApiError EntityNotFoundError if it is not there; the errors of the store.
 */
export async function* exportedConcept(
  dependencies: AnswerDependencies,
  { voc, uri }: { voc: string; uri: string },
  signal: AbortSignal,
): AsyncGenerator<JskosRecord[]> {
  const parameters = givenParameters({ uri, voc, properties: PROPERTIES })
  const { uri: graph, isSubset } = await dependencies.registry.require(voc)
  const request = await listRequest(dependencies, { parameters, signal })
  const ofGraph = { ...request, view: { ...request.view, graph } }
  const { total, records } = await data(dependencies, isSubset ? request : ofGraph)
  if (total === 0) throw new ApiError('EntityNotFoundError', 'uri: there is no record of this resource.')
  yield* isSubset ? records : namedIn(graph, records, dependencies, request)
}

/**
 * The record of the vocabulary itself, with the identifiers that it has in the store: not with the other form of its
 * URI.
 */
async function* ownRecord(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
): AsyncGenerator<JskosRecord[]> {
  const { records } = await vocabulary(dependencies, request)
  const { identifiers = [] } = (await dependencies.registry.find(uri)) ?? {}
  for await (const piece of records) {
    yield piece.map((record) => ({
      ...record,
      identifier: [...new Set(identifiers)].filter((identifier) => identifier !== '').sort(compareCodePoints),
    }))
  }
}

/**
 * The records of a vocabulary or of collections, which name things as a graph itself does. Names from other graphs
 * would become statements of this one if they were loaded with it, and stay there when the other graphs change.
 */
async function* namedIn(
  graph: string,
  records: AsyncIterable<JskosRecord[]>,
  { client }: ReadDependencies,
  { view, signal }: ListRequest,
): AsyncGenerator<JskosRecord[]> {
  for await (const piece of records) {
    const links = piece.flatMap((record) => LINKS.flatMap((name) => linksIn(record[name])))
    const uris = [...new Set(links.map(({ uri }) => uri))]
    const names = await patiently(() => readLinkNames(client, uris, signal, graph), signal)
    const { named } = frameNodes(names)
    const renamed = <Named>(link: Named): Named => {
      const [{ uri, type } = {}] = linksIn([link])
      if (uri === undefined) return link
      const { prefLabel, notation } = conceptLink(named(uri), view)!
      return { ...link, prefLabel, notation: notation && type ? schemeNotations(notation) : notation }
    }
    yield piece.map((record) => {
      const fields = LINKS.filter((name) => Array.isArray(record[name]))
      const values = fields.map((name) => [name, (record[name] as unknown[]).map(renamed)])
      return { ...record, ...(Object.fromEntries(values) as JskosRecord) }
    })
  }
}

const LINKS = FIELDS.filter(holdsLinks).map(({ name }) => name)

/** The links with a URI in the value of a field. */
function linksIn(value: unknown): Link[] {
  const links: unknown[] = Array.isArray(value) ? value : []
  return links.filter((link): link is Link => isObject(link) && typeof link['uri'] === 'string')
}

async function* inTurn<Piece>(...lists: readonly AsyncIterable<Piece>[]): AsyncGenerator<Piece> {
  for (const list of lists) yield* list
}
