import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { allConcepts, data } from '../read/concepts.ts'
import type { ReadDependencies } from '../read/describe.ts'
import { listOfOneState } from '../read/list.ts'
import { createRead, type Read, type ReadEndpoint } from '../read/read.ts'
import { vocabulary } from '../read/vocabularies.ts'

/** All fields, without those that follow from others: loading them again would add statements. */
const PROPERTIES = '*,status,-ancestors,mapping,concepts,topConcepts'

/** A request for records, as the service makes it itself. */
interface Asking {
  dependencies: ReadDependencies
  config: Config
  signal: AbortSignal
}

/** The records of a vocabulary or a subset in pieces: its own record, then the concepts. Throws the errors of the store. */
export async function* vocabularyRecords(asking: Asking, uri: string): AsyncGenerator<JskosRecord[]> {
  const { dependencies, signal } = asking
  // `download`: MAX_LIMIT does not hold.
  const read = await toRead(asking, { template: 'voc/concepts', isLong: true }, { download: 'ndjson' }, uri)
  const { records } = await listOfOneState(dependencies.client, signal, async () => {
    const own = ownRecord(read, uri)
    const { total, records } = await allConcepts(read)
    return { total, shown: total, records: inTurn(own, records) }
  })
  yield* records
}

/**
 * The record of a concept in a vocabulary or a subset.
 *
 * @throws ApiError EntityNotFoundError if it is not there; the errors of the store.
 */
export async function* conceptRecord(asking: Asking, voc: string, uri: string): AsyncGenerator<JskosRecord[]> {
  const { total, records } = await data(await toRead(asking, { template: 'data' }, { uri, voc }))
  if (total === 0) throw new ApiError('EntityNotFoundError', 'uri: there is no record of this resource.')
  yield* records
}

function toRead(
  { dependencies, config, signal }: Asking,
  endpoint: ReadEndpoint,
  query: Readonly<Record<string, string>>,
  vocid?: string,
) {
  const parameters = new Map(Object.entries({ ...query, properties: PROPERTIES }))
  return createRead(dependencies, config, { parameters, vocid }, endpoint, signal)
}

/** The record of the vocabulary itself, with the identifiers that it has in the store: not with the other form of its URI. */
async function* ownRecord(read: Read, uri: string): AsyncGenerator<JskosRecord[]> {
  const { registry } = read.dependencies
  const { records } = await vocabulary(read)
  const { identifiers = [] } = (await registry.find(uri)) ?? {}
  for await (const piece of records) {
    yield piece.map((record) => ({
      ...record,
      identifier: (record['identifier'] as string[]).filter((identifier) => identifiers.includes(identifier)),
    }))
  }
}

async function* inTurn<Piece>(...lists: readonly AsyncIterable<Piece>[]): AsyncGenerator<Piece> {
  for (const list of lists) yield* list
}
