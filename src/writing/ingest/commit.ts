import { orderWith, type RecordOrder } from '../../graph/jskos/order.ts'
import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { type Clock, until } from '../../base/clock.ts'
import type { Config } from '../../config.ts'
import { ApiError, unavailable } from '../../base/errors.ts'
import type { History } from '../history/history.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { ReplicatedReading } from '../../interface/read/dependencies.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import { UPDATE_LIFE_MS } from '../../graph/sparql/client.ts'
import { isEndOpen, storeIsBusy } from '../../graph/sparql/http.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import { triple } from '../../graph/sparql/terms.ts'
import type { HeldGraphs } from '../../graph/vocabularies/graph-hold.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { RevisionChange } from '../../graph/vocabularies/vocabulary-index.ts'
import { readIngested, readVocabularyNames, writtenRecords, type StoredIngest } from './answer.ts'
import type { Entry, Ledger } from './ledger.ts'
import type { OpenIngests } from './open-ingests.ts'
import type { Outbox } from './outbox.ts'
import { indexStatements, ingestUpdate, type NewConcept } from './write.ts'

/** The dependencies of committing ingests. */
export interface CommitDependencies {
  config: Pick<Config, 'jskosContextUrl' | 'sparqlTimeoutMs'>
  reading: ReplicatedReading & SearchDependencies
  ledger: Ledger
  outbox: Outbox
  openIngests: OpenIngests
  clock: Clock
  log: Pick<Logger, 'info' | 'error'>
  /** Records the new concepts; undefined: nothing does. */
  history?: History | undefined
  /** Asks the store whether it has the concepts of an entry. */
  isStored: (entry: Entry) => Promise<boolean>
  /** The graphs that are being replaced. */
  heldGraphs: HeldGraphs
}

/** Checked concepts on their way to the store. */
export interface Commit {
  entry: Entry
  concepts: readonly NewConcept[]
  vocabulary: Vocabulary
  /** True if the ledger has the entry from an earlier request. */
  isClaimed: boolean
  /** True if the store may have the concepts from an earlier request. */
  isRepeated: boolean
  /** Aborted if no client waits any more; then nothing is sent. */
  signal: AbortSignal
  /** Called when it is known whether the store has carried out the update. */
  onEnd: () => void
}

/** The pause before an ingest looks again whether its vocabulary is still being replaced. */
const HELD_PAUSE_MS = 100

/** The error of an ingest that the store has, or may have, and has not answered. */
export class OpenEndError extends ApiError {
  constructor() {
    super(
      'TimeoutError',
      'The store has not answered yet, so it is not known whether the concepts are written. Repeating the request with the same Idempotency-Key is safe; without a key it may write them twice.',
    )
  }
}

/**
 * Writes the concepts of an ingest, and all that follows from them, in this order: ledger and history note that the
 * concepts may come, the store takes them, the index has their labels, ledger and history note that they are there, and
 * the mail goes out.
 *
 * Once the update was sent, this goes on until its end is known, even if no client waits. If the process ends before,
 * the ledger has the entry, and the next start goes on (`followUp`).
 *
 * @returns the new concepts.
 * @throws ApiError; then nothing is written, now or later, unless it is an OpenEndError, because the service stops.
 */
export async function commit(dependencies: CommitDependencies, commit: Commit): Promise<JskosRecord[]> {
  const { config, reading, ledger, outbox, openIngests, log } = dependencies
  const { entry, concepts, vocabulary, isRepeated } = commit
  // The store may have carried out an update that it did not acknowledge.
  const present = isRepeated ? await readIngested(reading.primary.client, entry.uris, entry.scheme) : undefined
  openIngests.take(entry)
  const revision = randomUUID()
  const stored = present ?? (await write(dependencies, commit, revision))
  commit.onEnd()
  await reading.replica?.awaitConcept(entry.uris[0]!)
  await reading.index.add(vocabulary.uri, indexStatements(concepts, vocabulary.uri), revisionChange(stored, revision))
  reading.state.added()
  const date = entry.time.slice(0, 10)
  const readable = stored ?? { graph: await namesInReplica(reading, vocabulary) }
  const records = writtenRecords({ concepts, vocabulary, date }, config.jskosContextUrl, readable)
  // The ingest is complete here. If recording this fails, a later look at the store shows it.
  const failed = (err: unknown) => log.error({ err, ingest: entry.id }, 'an ingest could not be noted as stored')
  const finished = ledger.finish(entry, records, stored ? 'stored' : 'claimed').catch(failed)
  void finished.then(() => {
    if (!stored) void followUp(dependencies, entry)
    else if (entry.recipients.length > 0) outbox.wake()
  })
  log.info(
    { ingest: entry.id, voc: entry.voc, username: entry.username, concepts: entry.uris.length },
    'concepts ingested',
  )
  return records
}

/** Finds the outcome of an ingest whose request is over, and does what follows from it. Never fails. */
export async function followUp(
  { reading, ledger, outbox, openIngests, history, log }: CommitDependencies,
  entry: Entry,
): Promise<void> {
  const isStored = await openIngests.learn(entry)
  if (isStored === undefined) return
  try {
    if (isStored) {
      reading.primary.state.added()
      reading.state.added()
      await history?.recordIngests()
    } else log.info({ ingest: entry.id }, 'an ingest that was broken off has left nothing in the store')
  } catch (err) {
    log.error({ err, ingest: entry.id }, 'the history is behind')
  }
  // If this fails, the ledger writes it with the next change.
  await ledger.change(entry, { state: isStored ? 'stored' : 'absent' }).catch(() => undefined)
  outbox.wake()
}

/**
 * Notes on disk that the concepts of an entry may come, and sends them.
 *
 * @param revision the new revision of the vocabulary.
 * @returns as `lookUp`.
 * @throws ApiError; then neither ledger nor history expects the concepts any more, unless it is an OpenEndError.
 */
async function write(
  dependencies: CommitDependencies,
  commit: Commit,
  revision: string,
): Promise<StoredIngest | undefined> {
  const { ledger, history } = dependencies
  const { entry } = commit
  // At the same time, because one waits for the disk and the other for the store. A store that cannot be read may yet
  // be written.
  const held = listHeld(dependencies, entry).catch(() => new Set<string>())
  const intent = await recordIntent(dependencies, commit)
  const end = () => {
    if (intent !== undefined) history?.end(intent)
  }
  try {
    const stored = await sendConcepts(dependencies, commit, revision, held)
    end()
    return stored
  } catch (error) {
    if (error instanceof OpenEndError) throw error
    end()
    await ledger.change(entry, { state: 'absent' }).catch(() => undefined)
    throw error
  }
}

/**
 * Sends the concepts of an entry when nobody holds their vocabulary and the store takes updates, and looks for them.
 *
 * @param first the first look at the holds.
 * @throws ApiError ServiceUnavailableError if the turn of the ingest does not come in time, and those of the store.
 */
async function sendConcepts(
  dependencies: CommitDependencies,
  commit: Commit,
  revision: string,
  first: Promise<ReadonlySet<string>>,
): Promise<StoredIngest | undefined> {
  const { config, reading, clock } = dependencies
  const { entry, concepts, signal } = commit
  const triples = concepts.flatMap(({ statements }) => statements.map((terms) => triple(...terms)))
  const { scheme, uris, time } = entry
  const order = concepts
    .flatMap(({ concept }) => concept.notation)
    .reduce<RecordOrder | undefined>((before, notation) => orderWith(before, notation), undefined)
  const update = ingestUpdate({ scheme, uris, triples, order, date: time.slice(0, 10), revision })
  const leftMs = () => Math.max(latest - clock.elapsed(), 0)
  const latest = clock.elapsed() + config.sparqlTimeoutMs / 2
  let held = await first
  for (let isLast = false; ; isLast = true) {
    for (; held.has(scheme); held = await listHeld(dependencies, entry)) {
      if (signal.aborted || leftMs() === 0) throw replaced(5)
      isLast = false
      await clock.sleep(HELD_PAUSE_MS, signal)
    }
    // A command may be writing another graph, for which a store with one writer would keep this update waiting.
    if (held.size > 0) await until(leftMs(), reading.primary.client.awaitWriter(scheme), storeIsBusy)
    await carryOut(dependencies, entry, () =>
      reading.primary.client.update(update, scheme, { signal, timeoutMs: UPDATE_LIFE_MS, waitMs: leftMs() }),
    )
    commit.onEnd()
    reading.primary.state.added()
    const stored = await lookUp(dependencies, entry)
    if (stored !== 'absent') return stored
    // A hold may have come and gone meanwhile, so one failure does not decide.
    if (isLast) throw replaced(1)
    held = await listHeld(dependencies, entry)
  }
}

/** The graphs with a hold. @throws ApiError ServiceUnavailableError if the store does not answer soon. */
async function listHeld({ heldGraphs, config }: CommitDependencies, { scheme }: Entry): Promise<ReadonlySet<string>> {
  try {
    return await heldGraphs.list(scheme, { timeoutMs: config.sparqlTimeoutMs / 2 })
  } catch (cause) {
    throw unavailable('The store cannot be read at the moment, so nothing was written; please retry.', { cause })
  }
}

/**
 * Waits for the end of an update that writes the concepts of an entry.
 *
 * @throws ApiError if it has not written them and never will; OpenEndError if the service stops before that is known.
 */
async function carryOut(
  { openIngests, log }: CommitDependencies,
  entry: Entry,
  update: () => Promise<void>,
): Promise<void> {
  try {
    await update()
    if (openIngests.isStopped) throw new OpenEndError()
  } catch (err) {
    if (openIngests.isStopped) throw new OpenEndError()
    if (!isEndOpen(err)) throw err
    log.info({ err, ingest: entry.id }, 'the store has broken off; the service looks whether an ingest is there')
    const isStored = await openIngests.learn(entry)
    if (isStored === undefined) throw new OpenEndError()
    if (!isStored) throw unavailable('The store has not written the concepts; please retry.', { cause: err })
  }
}

/**
 * What the store has of an entry; 'absent' if it lacks the concepts.
 *
 * @returns undefined if the store has taken them, but cannot be read.
 */
async function lookUp(
  { reading, log }: CommitDependencies,
  { id, uris, scheme }: Entry,
): Promise<StoredIngest | undefined | 'absent'> {
  try {
    return (await readIngested(reading.primary.client, uris, scheme)) ?? 'absent'
  } catch (err) {
    log.error({ err, ingest: id }, 'an ingest is stored, but cannot be read: the answer has what was written')
    return undefined
  }
}

/**
 * The change that an ingest has made to the revision of its vocabulary; undefined if another one came after it.
 *
 * @param revision that the ingest has given to the vocabulary.
 */
function revisionChange(stored: StoredIngest | undefined, revision: string): RevisionChange | undefined {
  const before = stored?.revision === revision ? stored.previousRevision : undefined
  return before === undefined ? undefined : { before, after: revision, order: stored!.order }
}

/** Names for the answer to an ingest that the store has but that cannot be read back; none without a replica. */
async function namesInReplica({ replica, client }: ReplicatedReading, { uri }: Vocabulary): Promise<Graph> {
  const none: Graph = new Map()
  return replica ? readVocabularyNames(client, uri).catch(() => none) : none
}

function replaced(retryAfter: number): ApiError {
  return unavailable('The vocabulary was replaced during the request; please retry.', { retryAfter })
}

/**
 * Records on disk that an update will write concepts: in the ledger if it does not have them as claimed, and in the
 * history.
 *
 * @returns the id in the history, if there is one.
 */
async function recordIntent(
  { ledger, history }: CommitDependencies,
  { entry, isClaimed }: Commit,
): Promise<string | undefined> {
  const { scheme: graph, time, username: account, uris } = entry
  const claimed = isClaimed ? ledger.change(entry, { state: 'claimed' }) : ledger.claim(entry)
  const intended = history?.intend({ graph, time, account, uris })
  const [claim, intent] = await Promise.allSettled([claimed, intended])
  if (claim.status === 'fulfilled' && intent.status === 'fulfilled') return intent.value
  // Nothing is sent, so neither waits for it.
  if (claim.status === 'fulfilled') await ledger.change(entry, { state: 'absent' }).catch(() => undefined)
  if (intent.status === 'fulfilled' && intent.value !== undefined) history?.end(intent.value)
  const cause: unknown = [claim, intent].find(({ status }) => status === 'rejected')
  throw unavailable('The service cannot record ingests at the moment.', { cause, retryAfter: 60 })
}
