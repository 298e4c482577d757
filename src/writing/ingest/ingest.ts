import { createHash, randomUUID } from 'node:crypto'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Logger } from 'pino'
import { ConfigError, type Config } from '../../config.ts'
import { ApiError, unavailable } from '../../base/errors.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { until } from '../../base/clock.ts'
import { mintUri } from '../../graph/vocabularies/proposals.ts'
import { accountLimits, type Account, type Accounts } from './accounts.ts'
import { commit, OpenEndError, type Commit, type CommitDependencies } from './commit.ts'
import { checkConcepts, type IngestShapes, type CheckedConcept } from './concepts.ts'
import { factsOf, type Entry, KEY_LIFE_MS, type IngestFacts } from './ledger.ts'
import type { IngestLimits } from './limits.ts'
import { invalid, readRequest, type IngestRequest } from './request.ts'
import { newConcept } from './write.ts'
import type { SharedData } from '../../interface/http/redis.ts'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import { vocabularyKey } from '../../graph/jskos/names.ts'
import { findVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** The dependencies of POST /ingest. */
interface IngestDependencies extends CommitDependencies {
  config: Pick<Config, 'baseUrl' | 'jskosContextUrl' | 'sparqlTimeoutMs'>
  accounts: Accounts
  /** Compiles the schemas at its first call. */
  shapes: () => Promise<IngestShapes>
  limits: IngestLimits
  log: Pick<Logger, 'info' | 'warn' | 'error'>
  /** The keys of all instances; without it, each instance only has its own. */
  keys?: SharedKeys | undefined
}

/** An ingest under way, and the clients that wait for its answer. */
interface IngestUnderWay {
  /** Of the data, if the request has an Idempotency-Key. */
  fingerprint: string | undefined
  /** Settles when it is known whether the concepts are written. */
  end: Promise<unknown>
  records: Promise<JskosRecord[]>
  clients: Set<Response>
  /** Aborted when the last client has gone. */
  gone: AbortController
}

/** Carries out an ingest. */
type Work = (commit: Pick<Commit, 'signal' | 'onEnd'>) => Promise<JskosRecord[]>

/**
 * Accepts new concepts for one vocabulary: login, limits, checks, update and mail, in the order of docs/ingest.md,
 * "Ingest".
 *
 * @param body as POST /ingest has it.
 * @param key the Idempotency-Key; by default that of the header.
 * @returns the concepts as stored.
 * @throws ApiError of each step; then nothing was written.
 */
export type AcceptIngest = (
  request: Request,
  response: Response,
  body: Uint8Array | undefined,
  key?: string,
) => Promise<JskosRecord[]>

/** Makes the one way in which new concepts reach the store. */
export function acceptIngests(dependencies: IngestDependencies): AcceptIngest {
  const running = new Map<string, IngestUnderWay>()
  return async (request, response, body, key = readKey(request)) => {
    const ingest = await read(dependencies, request, response, body)
    const given = { username: ingest.username, tokens: ingest.objects.map(({ token }) => token) }
    const account = await login(dependencies, given, request, response)
    await dependencies.limits.count(request, response, { voc: account.voc, limits: accountLimits(account) })
    const under =
      key === undefined
        ? begin((commit) => accept(dependencies, ingest, account, commit))
        : beginOnce(dependencies, running, ingest, account, key)
    join(under, response)
    await until(dependencies.config.sparqlTimeoutMs, under.end, () => new OpenEndError())
    return under.records
  }
}

function begin(work: Work, fingerprint?: string): IngestUnderWay {
  const gone = new AbortController()
  let onEnd = () => {}
  const ended = new Promise<void>((resolve) => (onEnd = resolve))
  const records = work({ signal: gone.signal, onEnd })
  return { fingerprint, end: Promise.race([ended, records]), records, clients: new Set(), gone }
}

function join({ clients, gone, records }: IngestUnderWay, response: Response): void {
  // If no client waits for them any more, nobody else handles an error.
  records.catch(() => undefined)
  const leave = () => {
    clients.delete(response)
    if (clients.size === 0) gone.abort()
  }
  clients.add(response)
  if (response.destroyed) leave()
  else response.once('close', leave)
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
  const { request: validate } = await shapes()
  try {
    return readRequest(body, validate)
  } catch (error) {
    await limits.countRefusedBody(request, response)
    throw error
  }
}

/** The dependencies of a login. */
export type LoginDependencies = Pick<IngestDependencies, 'accounts' | 'limits' | 'log'>

/**
 * The account of a username, if all tokens are those of the account.
 *
 * @throws ApiError UnauthorizedError, TooManyRequestsError after too many wrong logins, ServiceUnavailableError if
 *   accounts cannot be read.
 */
export async function login(
  { accounts, limits, log }: LoginDependencies,
  { username, tokens }: { username: string; tokens: readonly string[] },
  request: Request,
  response: Response,
): Promise<Account> {
  let account: Account | undefined
  try {
    account = await accounts.login(username, tokens)
  } catch (cause) {
    if (!(cause instanceof ConfigError)) throw cause
    throw unavailable('The service cannot check accounts at the moment.', { cause, retryAfter: 60 })
  }
  if (account) return account
  await limits.countFailedLogin(request, response)
  log.warn({ address: request.ip }, `failed login to ${request.path}`)
  throw new ApiError('UnauthorizedError', 'username, token: unknown username or wrong token.')
}

/** A hash of the sent data for an Idempotency-Key. A new token does not change it. */
function fingerprintOf({ objects }: IngestRequest): string {
  return createHash('sha256')
    .update(JSON.stringify(objects.map(({ data }) => data)))
    .digest('hex')
}

/**
 * The answer to a request with an Idempotency-Key: the earlier answer, or that of the same request under way, or that
 * of an interrupted request, which this finishes with its URIs.
 *
 * @throws ApiError InvalidBodyError if the key was used with other data.
 */
function beginOnce(
  dependencies: IngestDependencies,
  running: Map<string, IngestUnderWay>,
  ingest: IngestRequest,
  account: Account,
  key: string,
): IngestUnderWay {
  const { ledger } = dependencies
  const fingerprint = fingerprintOf(ingest)
  const slot = JSON.stringify([account.username, key])
  const before = running.get(slot)
  const earlier = before ?? ledger.findKey(account.username, key)
  if (earlier && earlier.fingerprint !== fingerprint) throw usedKey()
  if (before && !before.gone.signal.aborted) return before
  const work: Work = async (commit) => {
    // It goes on without clients if it was sent, else it ends.
    const records = await before?.records.catch(() => undefined)
    const entry = ledger.findKey(account.username, key)
    const answer = records ?? (entry && ledger.readAnswer(entry))
    return answer ?? accept(dependencies, ingest, account, commit, { key, fingerprint, entry })
  }
  const under = begin(work, fingerprint)
  const forget = () => {
    if (running.get(slot) === under) running.delete(slot)
  }
  under.records.then(forget, forget)
  running.set(slot, under)
  return under
}

/**
 * Checks the concepts of a request and commits them.
 *
 * @param keyed the key of the request, and the entry of the same request if that was interrupted.
 * @throws ApiError InvalidBodyError, ForbiddenAccessError, and those of `commit`.
 */
async function accept(
  dependencies: IngestDependencies,
  ingest: IngestRequest,
  account: Account,
  { signal, onEnd }: Pick<Commit, 'signal' | 'onEnd'>,
  keyed?: { key: string; fingerprint: string; entry: Entry | undefined },
): Promise<JskosRecord[]> {
  const { reading, shapes, clock } = dependencies
  const objects = checkConcepts(ingest, await shapes())
  const vocabulary = await authorise(objects, account, reading.primary.registry)
  const concepts = objects.flat()
  const newEntry: Entry = keyed?.entry ?? {
    id: randomUUID(),
    time: new Date(clock.now()).toISOString(),
    username: account.username,
    scheme: vocabulary.uri,
    voc: vocabulary.ids[0] ?? vocabulary.uri,
    uris: concepts.map(() => mintUri(vocabulary.uri)),
    labels: concepts.map(({ prefLabel }) => prefLabel['de']!),
    state: 'claimed',
    recipients: account.emails,
    ...(keyed ? { key: keyed.key, fingerprint: keyed.fingerprint } : {}),
  }
  const acceptedElsewhere = keyed && !keyed.entry ? await claimKey(dependencies, newEntry, keyed) : undefined
  const entry = acceptedElsewhere ?? newEntry
  const isClaimed = keyed?.entry !== undefined
  if (signal.aborted) throw new ApiError('ServiceUnavailableError', 'The client has gone.')
  return commit(dependencies, {
    entry,
    concepts: concepts.map((concept, at) => newConcept(entry.uris[at]!, concept)),
    vocabulary,
    isClaimed,
    isRepeated: isClaimed || acceptedElsewhere !== undefined,
    signal,
    onEnd,
  })
}

/**
 * Answers a request that another instance has accepted: that instance has minted the URIs and informs the editors.
 *
 * @throws ApiError InvalidBodyError if the key was used with other data, ServiceUnavailableError if the outcome is
 *   unknown.
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

/** The Idempotency-Keys of all instances. */
interface SharedKeys {
  /**
   * Records the facts of an ingest for the life of its key, unless another instance has done so.
   *
   * @returns the facts of the other instance.
   * @throws Error if the Redis cannot be reached.
   */
  claim(username: string, key: string, facts: IngestFacts): Promise<IngestFacts | undefined>
}

/** Keeps Idempotency-Keys in a Redis, which never sees a username or a key. */
export function sharedKeys({ setOnce }: Pick<SharedData, 'setOnce'>): SharedKeys {
  return {
    claim: async (username, idempotencyKey, { username: _username, key: _key, ...facts }) => {
      const digest = createHash('sha256')
        .update(JSON.stringify([username, idempotencyKey]))
        .digest('hex')
      const earlier = await setOnce(`vocabulary-service:idempotency:${digest}`, JSON.stringify(facts), KEY_LIFE_MS)
      if (earlier === undefined) return undefined
      return { ...(JSON.parse(earlier) as typeof facts), username, key: idempotencyKey }
    },
  }
}

/**
 * The vocabulary for the concepts of a request: that of the account, which every concept must name (docs/ingest.md,
 * "Ingest").
 *
 * @param objects the concepts of each request object.
 * @throws ApiError InvalidBodyError if request objects name different vocabularies, ForbiddenAccessError if a concept
 *   names another vocabulary than that of the account, or if that of the account is gone.
 */
async function authorise(
  objects: readonly (readonly CheckedConcept[])[],
  account: Account,
  registry: VocabularyRegistry,
): Promise<Vocabulary> {
  const vocabulary = await registry.find(account.voc)
  const allowed = vocabularyKey(account.voc)
  const identifiers = await identifiersOf(vocabulary, registry)
  const keyOf = (uri: string) => (identifiers.has(vocabularyKey(uri)) ? allowed : vocabularyKey(uri))
  const named = objects.map((concepts) => new Set(concepts.flatMap(({ inScheme }) => inScheme.map(keyOf))))
  const [first, ...further] = named
  const strangers = further.flatMap((keys, at) => ([...keys].some((key) => first!.has(key)) ? [] : [at + 1]))
  if (strangers.length > 0) {
    throw invalid(
      strangers.map((at) => ({
        path: `${at}.data`,
        message: 'expected the vocabulary of the first object in inScheme',
      })),
    )
  }
  for (const [object, concepts] of objects.entries()) {
    for (const [at, { inScheme }] of concepts.entries()) {
      if (inScheme.every((uri) => keyOf(uri) === allowed)) continue
      const message = `${object}.data.${at}.inScheme: this account may only ingest into its own vocabulary.`
      throw new ApiError('ForbiddenAccessError', message)
    }
  }
  if (vocabulary) return vocabulary
  throw new ApiError('ForbiddenAccessError', 'The vocabulary of this account no longer exists.')
}

/** The keys of the identifiers of a vocabulary, such as its URI in a registry, without those of other vocabularies. */
async function identifiersOf(
  vocabulary: Vocabulary | undefined,
  registry: VocabularyRegistry,
): Promise<ReadonlySet<string>> {
  const vocabularies = await registry.list()
  const identifiers = vocabulary?.identifiers.filter((name) => findVocabulary(vocabularies, name) === undefined)
  return new Set(identifiers?.map(vocabularyKey))
}
