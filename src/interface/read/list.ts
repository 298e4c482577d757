import type { Page } from '../http/parameters.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { loadsOf, readRevisions, revisionOfStatements, type GraphRevision } from '../../graph/memory/store-state.ts'
import type { ReadDependencies } from './dependencies.ts'
import { changed, inOnePiece, inPieces, LARGEST_PIECE, CONCEPTS_AT_A_TIME } from './pieces.ts'
import type { ListRequest } from './request.ts'
import { selectPage, type SelectedPage, type Selection } from './select.ts'

/** Words of a search text, each with the words that were looked for instead. */
export type ReplacedWords = ReadonlyMap<string, readonly string[]>

/** By what a search counts its hits: vocabularies, classes or top concepts. */
export const FACETS = ['voc', 'type', 'top'] as const
export type FacetName = (typeof FACETS)[number]

/** How many hits belong to a vocabulary, a class or a top concept. */
export interface FacetCount {
  uri: string
  count: number
}

/** The numbers of hits by facet, the greatest first. */
export type Facets = Partial<Record<FacetName, FacetCount[]>>

/** A list of records: its true length, and one page of it in pieces, in order. */
export interface RecordList {
  total: number
  /** The page, if it differs from the requested one. */
  page?: Page
  records: AsyncIterable<JskosRecord[]>
  /** A name for a file with the list. */
  name?: string | undefined
  /**
   * If a search has forgiven typing errors: the words that no label has, each with its replacements.
   */
  replaced?: ReplacedWords
  /** If a search was asked for them. */
  facets?: Facets | undefined
}

/** The service completes answers up to this length before it sends them, so that it can begin again. */
const WHOLE = 2000
const ATTEMPTS = 4

/** The records of selected resources, in the order of their URIs, without resources that the store lacks. */
type Describe = (uris: readonly string[], selected: SelectedPage) => Promise<JskosRecord[]>

/**
 * Every list: select the URIs of the page, then describe them. A list of up to `WHOLE` records is complete before the
 * answer begins, and is read again if a vocabulary was loaded meanwhile; for one of a single batch it is enough
 * that the store has all of it. A longer list is described while it is written, and breaks off if one was. For a list
 * of the index, loads of other vocabularies do not count.
 *
 * @param describe reads the records of a batch.
 * @throws ApiError ServiceUnavailableError if the vocabularies change again and again; the errors of the store and of
 *    `describe`.
 */
export async function listRecords(
  dependencies: ReadDependencies,
  selection: Selection,
  request: Pick<ListRequest, 'page' | 'signal'>,
  describe: Describe,
): Promise<RecordList> {
  const { client, state } = dependencies
  const { signal } = request
  let loads = revisionOfStatements(await state.recent(signal))
  let revisions: readonly GraphRevision[] | undefined
  /**
   * True if no vocabulary was loaded since the last look; from the second look on, if the vocabulary of the list was
   * not. An ingest meanwhile adds concepts to those of the list, and leaves these as they are.
   */
  const isUnchanged = async ({ source }: SelectedPage) => {
    const [loadsBefore, before] = [loads, revisions]
    revisions = await readRevisions(client, signal)
    loads = loadsOf(revisions)
    if (loads === loadsBefore) return true
    if (!source || !before) return false
    const graphs = [source.vocabulary.uri]
    return loadsOf(before, graphs) === loadsOf(revisions, graphs)
  }
  let withIndex = true
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const selected = await selectPage(dependencies, selection, request, withIndex)
    const { total, length, source } = selected
    const isLong = length > WHOLE
    const batches = describeInBatches(dependencies, selected, describe, isLong ? signal : undefined)
    if (isLong) {
      if (!(await isUnchanged(selected))) continue
      const isTrue = async (described: number) => (described === length || !source) && isUnchanged(selected)
      return { total, records: completeIf(isTrue, batches) }
    }
    const records = await recordsIn({ records: batches })
    // Another program may have changed a vocabulary in its present revision, which the index has read.
    if (records.length < length && source) withIndex = false
    else if ((records.length === length && length <= LARGEST_PIECE) || (await isUnchanged(selected))) {
      return { total, records: inOnePiece(records) }
    }
  }
  throw changed()
}

/** @param patient the signal of a request that gets a stream. */
async function* describeInBatches(
  { lists }: ReadDependencies,
  selected: SelectedPage,
  describe: Describe,
  patient: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  const { source } = selected
  const read = async (batch: readonly string[]) => {
    const records = await describe(batch, selected)
    if (source && records.length < batch.length) lists.doubt(source.vocabulary, JSON.stringify(batch))
    return records
  }
  for await (const uris of selected.uris) yield* inPieces(uris, CONCEPTS_AT_A_TIME, read, patient)
}

/** Breaks off a list after its records, before its end, unless they are right. */
async function* completeIf(
  isTrue: (described: number) => Promise<boolean>,
  batches: AsyncIterable<JskosRecord[]>,
): AsyncGenerator<JskosRecord[]> {
  let described = 0
  for await (const records of batches) {
    described += records.length
    yield records
  }
  if (!(await isTrue(described))) throw changed()
}

/** All records of the page of a list. */
export async function recordsIn<Item = JskosRecord>({ records }: { records: AsyncIterable<Item[]> }): Promise<Item[]> {
  const all: Item[] = []
  for await (const piece of records) all.push(...piece)
  return all
}

/** An empty list. */
export function nothing(): RecordList {
  return { total: 0, records: inOnePiece([]) }
}
