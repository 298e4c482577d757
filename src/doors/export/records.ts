import { sortLanguage } from '../../config.ts'
import { ApiError } from '../../base/errors.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { storedCollections } from '../../interface/read/collections.ts'
import { allConcepts } from '../../interface/read/concept-lists.ts'
import { data } from '../../interface/read/data.ts'
import type { AnswerDependencies, ReadDependencies } from '../../interface/read/dependencies.ts'
import { loadsOf, readRevisions } from '../../graph/memory/store-state.ts'
import { ofOneState } from '../../interface/read/pieces.ts'
import { listRequest, type ListRequest } from '../../interface/read/request.ts'
import { wholeOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
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
  const stored = await dependencies.registry.require(uri)
  const request = inGraph(stored, await listRequest(dependencies, { parameters, vocid: uri, signal }))
  const { view } = request
  const whole = stored.isSubset ? wholeOf(stored, await dependencies.registry.list()) : undefined
  const graphs = [stored, ...(whole ? [whole] : [])].map((vocabulary) => vocabulary.uri)
  const loads = async () => loadsOf(await readRevisions(dependencies.client, signal), graphs)
  const before = await loads()
  const { records } = await allConcepts(dependencies, request)
  const { graph } = view
  const collections = graph === undefined ? [] : [storedCollections(dependencies, { view: { ...view, graph }, signal })]
  yield* ofOneState(inTurn(ownRecord(dependencies, request, uri), records, ...collections), before, loads)
}

/**
 * A request for what the graph of a vocabulary states. Statements and names from other graphs would become statements
 * of this one if they were loaded with it. The members of a subset are in the graph of its vocabulary.
 */
function inGraph({ uri, isSubset }: Vocabulary, request: ListRequest): ListRequest {
  return isSubset ? request : { ...request, view: { ...request.view, graph: uri } }
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
  const stored = await dependencies.registry.require(voc)
  const request = inGraph(stored, await listRequest(dependencies, { parameters, signal }))
  const { total, records } = await data(dependencies, request)
  if (total === 0) throw new ApiError('EntityNotFoundError', 'uri: there is no record of this resource.')
  yield* records
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

async function* inTurn<Piece>(...lists: readonly AsyncIterable<Piece>[]): AsyncGenerator<Piece> {
  for (const list of lists) yield* list
}
