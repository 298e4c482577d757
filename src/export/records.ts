import { ApiError } from '../errors.ts'
import { givenParameters } from '../http/parameters.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { allConcepts } from '../read/concept-lists.ts'
import { data } from '../read/data.ts'
import type { AnswerDependencies, ReadDependencies } from '../read/dependencies.ts'
import { listOfOneState } from '../read/list.ts'
import { listRequest, type ListRequest } from '../read/request.ts'
import { vocabulary } from '../read/vocabularies.ts'

/** All fields, without those that follow from others: loading them again would add statements. */
const PROPERTIES = '*,status,-ancestors,mapping,concepts,topConcepts'

/** The records of a vocabulary or a subset in pieces: its own record, then the concepts. Throws the errors of the store. */
export async function* vocabularyRecords(
  dependencies: AnswerDependencies,
  uri: string,
  signal: AbortSignal,
): AsyncGenerator<JskosRecord[]> {
  // MAX_LIMIT does not hold for downloads.
  const parameters = givenParameters({ download: 'ndjson', properties: PROPERTIES })
  const request = await listRequest(dependencies, { parameters, vocid: uri, signal })
  const { records } = await listOfOneState(dependencies.client, signal, async () => {
    const own = ownRecord(dependencies, request, uri)
    const { total, records } = await allConcepts(dependencies, request)
    return { total, shown: total, records: inTurn(own, records) }
  })
  yield* records
}

/**
 * The record of a concept in a vocabulary or a subset.
 *
 * @throws ApiError EntityNotFoundError if it is not there; the errors of the store.
 */
export async function* conceptRecord(
  dependencies: AnswerDependencies,
  { voc, uri }: { voc: string; uri: string },
  signal: AbortSignal,
): AsyncGenerator<JskosRecord[]> {
  const parameters = givenParameters({ uri, voc, properties: PROPERTIES })
  const { total, records } = await data(dependencies, await listRequest(dependencies, { parameters, signal }))
  if (total === 0) throw new ApiError('EntityNotFoundError', 'uri: there is no record of this resource.')
  yield* records
}

/** The record of the vocabulary itself, with the identifiers that it has in the store: not with the other form of its URI. */
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
      identifier: (record.identifier ?? []).filter((identifier) => identifiers.includes(identifier)),
    }))
  }
}

async function* inTurn<Piece>(...lists: readonly AsyncIterable<Piece>[]): AsyncGenerator<Piece> {
  for (const list of lists) yield* list
}
