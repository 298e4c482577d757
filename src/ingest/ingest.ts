import { createHash, randomUUID } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import { ApiError, unavailable } from '../errors.ts'
import { withQuery } from '../http/addresses.ts'
import { MAXIMA } from '../http/maxima.ts'
import type { History } from '../history/history.ts'
import type { JskosRecord } from '../jskos/record.ts'
import type { ReplicatedReading } from '../read/dependencies.ts'
import type { SearchDependencies } from '../search/search.ts'
import type { Graph } from '../sparql/ntriples.ts'
import type { HeldGraphs } from '../vocabularies/graph-hold.ts'
import { mintUri } from '../vocabularies/proposals.ts'
import { accountLimits, AccountsFileError, type Account, type Accounts } from './accounts.ts'
import { readBack, readVocabularyNames, writtenRecords, type Written } from './answer.ts'
import { authorise } from './authorise.ts'
import type { Clock } from '../clock.ts'
import { checkConcepts, type IngestShapes } from './concepts.ts'
import { factsOf, type Entry, type Ledger } from './ledger.ts'
import type { IngestLimits } from './limits.ts'
import type { Outbox } from './outbox.ts'
import type { SharedKeys } from './shared-keys.ts'
import { invalid, readRequest, type IngestRequest } from './request.ts'
import { classTriples, conceptTriples, labelsOf, writeConcepts, type NewConcepts } from './write.ts'

/** The dependencies of POST /ingest. */
export interface IngestDependencies {
  config: Pick<Config, 'baseUrl' | 'jskosContextUrl' | 'sparqlTimeoutMs'>
  reading: ReplicatedReading & SearchDependencies
  accounts: Accounts
  shapes: IngestShapes
  limits: IngestLimits
  ledger: Ledger
  outbox: Outbox
  clock: Clock
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** Records the new concepts; undefined: nothing does. */
  history?: History | undefined
  /** The keys of all instances; without it each knows its own. */
  keys?: SharedKeys | undefined
  /** Asks the store whether it has the concepts of an entry. */
  isStored: (entry: Entry) => Promise<boolean>
  /** Tells whether a vocabulary is being replaced. */
  heldGraphs: HeldGraphs
}

/** The pause before an ingest looks again whether its vocabulary is still being replaced. */
const HELD_PAUSE_MS = 100

/** A request with an Idempotency-Key under way, and the requests that wait for its answer. */
interface RequestUnderWay {
  fingerprint: string
  records: Promise<JskosRecord[]>
  awaited: (() => boolean)[]
}

/**
 * Accepts new concepts for one vocabulary: login, limits, checks, update and mail, in the order of docs/interface.md, "Ingest".
 *
 * @param body as POST /ingest has it.
 * @returns the concepts as stored.
 * @throws ApiError of each step; then nothing was written.
 */
export type AcceptIngest = (
  request: Request,
  response: Response,
  body: Uint8Array | undefined,
) => Promise<JskosRecord[]>

/** Makes the one way in which new concepts reach the store. */
export function acceptIngests(dependencies: IngestDependencies): AcceptIngest {
  const running = new Map<string, RequestUnderWay>()
  return async (request, response, body) => {
    const key = readKey(request)
    const ingest = await read(dependencies, request, response, body)
    const account = await login(dependencies, ingest, request, response)
    await dependencies.limits.count(request, response, { voc: account.voc, limits: accountLimits(account) })
    const isAwaited = () => !response.destroyed
    return key === undefined
      ? accept(dependencies, ingest, account, isAwaited)
      : acceptOnce(dependencies, running, ingest, account, key, isAwaited)
  }
}

/**
 * POST /ingest: new concepts for one vocabulary.
 *
 * Any Content-Type will do, because clients in browsers send JSON as text/plain to avoid a preflight.
 */
export function ingestEndpoint(config: Config, acceptIngest: AcceptIngest): RequestHandler[] {
  return [
    express.raw({ type: () => true, limit: MAXIMA.ingestBody.most }),
    async (request, response) => {
      const records = await acceptIngest(request, response, Buffer.isBuffer(request.body) ? request.body : undefined)
      response.setHeader('Cache-Control', 'no-store')
      // A browser finds the page there, a program the record.
      if (records.length === 1) {
        const { uri } = records[0]!
        response.setHeader('Location', config.baseUrl + withQuery('data', { uri }))
      }
      response.status(201).json(records)
    },
  ]
}

/** @throws ApiError MalformedRequestError */
function readKey(request: Request): string | undefined {
  const key = request.get('Idempotency-Key')
  if (key === undefined || key === '') return undefined
  if (/^[\x21-\x7e]+$/.test(key) && key.length <= MAXIMA.idempotencyKey.most) return key
  throw new ApiError(
    'MalformedRequestError',
    `Idempotency-Key: expected 1 to ${MAXIMA.idempotencyKey.most} visible ASCII characters`,
  )
}

/** @throws ApiError of `readRequest`, or TooManyRequestsError if there were too many of those. */
async function read(
  { shapes, limits }: IngestDependencies,
  request: Request,
  response: Response,
  body: Uint8Array | undefined,
): Promise<IngestRequest> {
  try {
    return readRequest(body, shapes.request)
  } catch (error) {
    await limits.countRefusedBody(request, response)
    throw error
  }
}

async function login(
  { accounts, limits, log }: IngestDependencies,
  { username, objects }: IngestRequest,
  request: Request,
  response: Response,
): Promise<Account> {
  let account: Account | undefined
  try {
    account = await accounts.login(
      username,
      objects.map(({ token }) => token),
    )
  } catch (cause) {
    if (!(cause instanceof AccountsFileError)) throw cause
    throw unavailable('The service cannot check accounts at the moment.', { cause, retryAfter: 60 })
  }
  if (account) return account
  await limits.countFailedLogin(request, response)
  log.warn({ address: request.ip }, 'failed login to /ingest')
  throw new ApiError('UnauthorizedError', 'username, token: unknown username or wrong token.')
}

/** A hash of the sent data for an Idempotency-Key. A new token does not change it. */
function fingerprintOf({ objects }: IngestRequest): string {
  return createHash('sha256')
    .update(JSON.stringify(objects.map(({ data }) => data)))
    .digest('hex')
}

/**
 * The answer to a request with an Idempotency-Key: the earlier answer, or that of the same request under way, or that of an
 * interrupted request, which this finishes with its URIs.
 *
 * @throws ApiError InvalidBodyError if the key was used with other data, and the errors of `accept`.
 */
async function acceptOnce(
  dependencies: IngestDependencies,
  running: Map<string, RequestUnderWay>,
  ingest: IngestRequest,
  account: Account,
  key: string,
  isAwaited: () => boolean,
): Promise<JskosRecord[]> {
  const { ledger } = dependencies
  const fingerprint = fingerprintOf(ingest)
  const slot = JSON.stringify([account.username, key])
  const entry = ledger.findKey(account.username, key)
  const under = running.get(slot)
  if ((under ?? entry ?? { fingerprint }).fingerprint !== fingerprint) {
    throw usedKey()
  }
  if (under) {
    under.awaited.push(isAwaited)
    return under.records
  }
  const awaited = [isAwaited]
  const isAwaitedByAny = () => awaited.some((isOne) => isOne())
  const finish = async () => {
    const before = entry && ledger.readAnswer(entry)
    return before ?? accept(dependencies, ingest, account, isAwaitedByAny, { key, fingerprint, entry })
  }
  const records = finish().finally(() => running.delete(slot))
  running.set(slot, { fingerprint, records, awaited })
  return records
}

/**
 * Checks the concepts of a request, writes them and reads them back.
 *
 * @param isAwaited false if the client has gone; then nothing is written any more.
 * @param once the key of the request, and the entry of the same request if that was interrupted.
 * @throws ApiError InvalidBodyError, ForbiddenAccessError, and those of the store.
 */
async function accept(
  dependencies: IngestDependencies,
  ingest: IngestRequest,
  account: Account,
  isAwaited: () => boolean,
  once?: { key: string; fingerprint: string; entry: Entry | undefined },
): Promise<JskosRecord[]> {
  const { reading, shapes, ledger, outbox, clock, log, history, isStored, heldGraphs } = dependencies
  const objects = checkConcepts(ingest, shapes)
  const vocabulary = await authorise(objects, account, reading.primary.registry)
  const concepts = objects.flat()
  const proposed: Entry = once?.entry ?? {
    id: randomUUID(),
    time: new Date(clock.now()).toISOString(),
    username: account.username,
    scheme: vocabulary.uri,
    voc: vocabulary.notations.find((notation) => /^[a-z0-9-]+$/.test(notation)) ?? vocabulary.uri,
    uris: concepts.map(() => mintUri(vocabulary.uri)),
    labels: concepts.map(({ prefLabel }) => prefLabel['de']!),
    state: 'claimed',
    recipients: account.emails,
    ...(once ? { key: once.key, fingerprint: once.fingerprint } : {}),
  }
  const elsewhere = once && !once.entry ? await claimKey(dependencies, proposed, once) : undefined
  const entry = elsewhere ?? proposed
  const isRepeated = once?.entry !== undefined || elsewhere !== undefined
  const { uris, time } = entry
  const pairs = concepts.map((concept, at) => ({ uri: uris[at]!, concept }))
  const triples = [...conceptTriples(pairs), ...classTriples(pairs, vocabulary)]
  const date = time.slice(0, 10)

  if (!isAwaited()) throw new ApiError('ServiceUnavailableError', 'The client has gone.')
  outbox.hold(entry)
  try {
    if (once?.entry !== undefined && entry.state === 'absent') await ledger.change(entry, { state: 'claimed' })
    // The store may have carried out an update that it did not acknowledge.
    const isThere = isRepeated && (await isStored(entry))
    // At the same time, because one waits for the disk and the other for the store. A store that cannot be read may yet be written.
    const isHeld = heldGraphs.isHeld(vocabulary.uri).catch(() => false)
    const intent = isThere ? undefined : await note(dependencies, entry, once?.entry === undefined)
    const written = { scheme: vocabulary.uri, uris, triples, date, revision: randomUUID() }
    const stored = await write(dependencies, entry, { ...written, isThere, isHeld, isAwaited }).finally(() => {
      if (intent !== undefined) history?.end(intent)
    })
    await reading.replica?.awaitConcept(uris[0]!)
    const addition = isThere ? undefined : { revision: written.revision, concepts: uris.length }
    await reading.index.add(vocabulary.uri, labelsOf(pairs, vocabulary.uri), addition)
    reading.state.added()
    const records = stored ?? (await answerUnread(dependencies, { concepts: pairs, vocabulary, date }))
    // The ingest is complete here. If recording this fails, the store can tell later.
    const failed = (err: unknown) => log.error({ err, ingest: entry.id }, 'an ingest could not be noted as stored')
    ledger.settle(entry, records, stored ? 'stored' : 'claimed').catch(failed)
    log.info({ ingest: entry.id, voc: entry.voc, username: entry.username, concepts: uris.length }, 'concepts ingested')
    return records
  } finally {
    outbox.release(entry)
  }
}

interface ConceptsToWrite extends NewConcepts {
  /** True if the store has them already. */
  isThere: boolean
  /** True if somebody holds the vocabulary. */
  isHeld: Promise<boolean>
  isAwaited: () => boolean
}

/**
 * Writes the concepts of an entry and reads them back. This waits while somebody holds the vocabulary to replace it.
 *
 * @returns their records; undefined if the store has taken the concepts, but cannot be read.
 * @throws ApiError ServiceUnavailableError if the store does not have them in time, and the errors of writing.
 */
async function write(
  { config, reading, clock, log, heldGraphs }: IngestDependencies,
  { id }: Entry,
  { isThere, isHeld, isAwaited, ...concepts }: ConceptsToWrite,
): Promise<JskosRecord[] | undefined> {
  const primary = reading.primary
  const { scheme, uris } = concepts
  const latest = clock.elapsed() + config.sparqlTimeoutMs / 2
  let hold = await isHeld
  for (let isLast = isThere; ;) {
    for (; hold; hold = await heldGraphs.isHeld(scheme)) {
      if (!isAwaited() || clock.elapsed() > latest) throw replaced(5)
      isLast = isThere
      await clock.sleep(HELD_PAUSE_MS, new AbortController().signal)
    }
    if (!isThere) await writeConcepts(primary, concepts)
    primary.state.added()
    try {
      const stored = await readBack(primary, uris, scheme, config.jskosContextUrl)
      if (stored.length === uris.length) return stored
    } catch (err) {
      log.error({ err, ingest: id }, 'an ingest is stored, but cannot be read: the answer has what was written')
      return undefined
    }
    // A hold may have come and gone meanwhile, so one failure does not decide.
    if (isLast) throw replaced(1)
    isLast = true
    hold = await heldGraphs.isHeld(scheme)
  }
}

function replaced(retryAfter: number): ApiError {
  return unavailable('The vocabulary was replaced during the request; please retry.', { retryAfter })
}

/** Answers an ingest that was written but cannot be read back; the names of publisher and licence come from the replica if it has them. */
async function answerUnread({ config, reading }: IngestDependencies, written: Written): Promise<JskosRecord[]> {
  const unknown: Graph = new Map()
  const names = reading.replica
    ? await readVocabularyNames(reading.client, written.vocabulary.uri).catch(() => unknown)
    : unknown
  return writtenRecords(written, config.jskosContextUrl, names)
}

/**
 * Answers a request that another instance has accepted: that instance has minted the URIs and informs the editors.
 *
 * @throws ApiError InvalidBodyError if the key was used with other data, ServiceUnavailableError if nobody can tell.
 */
async function claimKey(
  { keys }: IngestDependencies,
  entry: Entry,
  { key, fingerprint }: { key: string; fingerprint: string },
): Promise<Entry | undefined> {
  let facts
  try {
    facts = await keys?.claim(entry.username, key, factsOf(entry))
  } catch (cause) {
    throw unavailable('The service cannot look up Idempotency-Keys at the moment.', { cause })
  }
  if (facts && facts.fingerprint !== fingerprint) throw usedKey()
  return facts && { ...facts, state: 'claimed', recipients: [] }
}

function usedKey(): ApiError {
  return invalid([{ path: 'Idempotency-Key', message: 'expected a new key: this one was used with other data' }])
}

/**
 * Records on disk that an update will write concepts: in the ledger if it does not know them yet, and in the history.
 *
 * @returns the id in the history, if there is one.
 */
async function note(
  { ledger, history }: IngestDependencies,
  entry: Entry,
  isNew: boolean,
): Promise<string | undefined> {
  const { scheme: graph, time, username: account, uris } = entry
  try {
    const [intent] = await Promise.all([
      history?.intend({ graph, time, account, uris }),
      isNew ? ledger.claim(entry) : undefined,
    ])
    return intent
  } catch (cause) {
    throw unavailable('The service cannot record ingests at the moment.', { cause, retryAfter: 60 })
  }
}
