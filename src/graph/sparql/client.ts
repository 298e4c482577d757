import PQueue from 'p-queue'
import SimpleClient from 'sparql-http-client/SimpleClient.js'
import { ApiError } from '../../base/errors.ts'
import { until } from '../../base/clock.ts'
import { endingOf } from './ending.ts'
import {
  brokenAnswer,
  queueIsFull,
  refuseFailure,
  refuseOpenEnd,
  storeError,
  storeIsBusy,
  withOpenEnd,
  storeBrokeOff,
  storeIsLate,
  askHere,
  basicAuthorization,
  fetchOf,
  send,
  storeResponse,
  type AnswerQuery,
  type StoreResponse,
  uploadGraph,
} from './http.ts'
import { readNTriplesBody, readNTriplesPieces, type Graph } from './ntriples.ts'
import type { BoundTemplate } from './templates.ts'

/** The addresses of a SPARQL 1.1 store: SPARQL Protocol and Graph Store HTTP Protocol. */
export interface StoreEndpoint {
  queryUrl: string
  updateUrl: string
  graphStoreUrl: string
  /** Sent with updates and requests for graphs only, because a query service is public. */
  user?: string | undefined
  password?: string | undefined
  /** True: the store is known to carry out updates one after the other, in the order in which they come. */
  hasOneWriter?: boolean
}

/** A query or an update. Without a name, the log and the metrics call it `other`. */
export type SparqlQuery = BoundTemplate | string

/** One RDF term as the SPARQL 1.1 Query Results JSON Format writes it (section 3.2.2). */
export interface ResultTerm {
  type: 'uri' | 'literal' | 'bnode' | 'typed-literal'
  value: string
  'xml:lang'?: string
  datatype?: string
}

/** One solution of a SELECT: variable name to term; unbound variables are absent. */
export type Solution = Record<string, ResultTerm | undefined>

export interface RequestOptions {
  /**
   * Ends the store request, for instance if the client has gone away. All requests for one answer have the same signal.
   */
  signal?: AbortSignal | undefined
  /** The signals of the answers that share the request, if it is not for one alone. Until it is sent, more may come. */
  answers?: readonly AbortSignal[]
  /** Deadline in milliseconds, including the reading of the body; by default that of the client. */
  timeoutMs?: number | undefined
}

interface UpdateOptions extends RequestOptions {
  /** Milliseconds to wait for the end of other updates; by default half of the deadline. */
  waitMs?: number | undefined
}

/** For requests that an operator waits for and can end. */
export const NO_DEADLINE = { timeoutMs: 2 ** 31 - 1 }

/** The report to `onRequest` after every store request. */
export interface StoreRequestReport {
  /** The name of the query or update; `other` if it has none. */
  template: string
  milliseconds: number
  /** `refused`: it was not sent, because too many requests were waiting. */
  outcome: 'ok' | 'error' | 'timeout' | 'refused' | 'aborted'
}

export interface SparqlClientOptions {
  endpoint: StoreEndpoint
  /** The store is in this process, and answers queries without HTTP. */
  answerQuery?: AnswerQuery | undefined
  timeoutMs: number
  /** The maximum number of requests under way; further ones wait. */
  concurrency?: number
  /** The maximum number of waiting requests; further ones get 503, unless their answers have begun. */
  maxQueued?: number
  /** Gets a report after every request, and the signals of the answers that it was for. */
  onRequest?: (report: StoreRequestReport, answers: readonly AbortSignal[]) => void
}

/**
 * The header that names the graph an update changes, as a percent-encoded IRI. The embedded store needs it; others
 * ignore it.
 */
export const CHANGED_GRAPH = 'Changed-Graph'

/** Signals of work that no client waits for. */
const BACKGROUND = new WeakSet<AbortSignal>()

/** A signal that is never aborted. Requests with it run after all requests that clients wait for. */
export function inBackground(): AbortSignal {
  const { signal } = new AbortController()
  BACKGROUND.add(signal)
  return signal
}

const SHARED_CONCURRENCY = 4

/** The share of the time limit that a request may wait for its turn before it is refused with 503. */
const WAIT_SHARE = 0.5

/** After this time no store is still working on an update. */
export const UPDATE_LIFE_MS = 3_600_000

const N_TRIPLES = 'application/n-triples'
const RESULTS = 'application/sparql-results+json'

/**
 * Every store accepts updates as a form, but servers limit the size of forms, and the encoding makes updates longer.
 */
const MOST_FORM_CHARACTERS = 1_000_000
const UPDATE_TYPE = 'application/sparql-update; charset=utf-8'

/**
 * Talks to a SPARQL 1.1 store with a deadline, a cap on concurrent requests, and errors without hosts and queries.
 *
 * sparql-http-client makes the requests of the SPARQL Protocol, without reading the answers: its parsing clients end
 * the process if a body is cut off. Its SimpleClient has no graph store; that of its other clients parses each triple,
 * and cannot delete a graph.
 *
 * All methods throw ApiError: BackendError (502) if the store cannot be reached, refuses or breaks off, TimeoutError
 * (504) past the deadline, ServiceUnavailableError (503) if too many requests wait.
 *
 * @example
 * const client = new SparqlClient({ endpoint, timeoutMs: 10_000 })
 * const rows = await client.select('SELECT ?c WHERE { ?c a <http://www.w3.org/2004/02/skos/core#Concept> } LIMIT 1')
 */
export class SparqlClient {
  readonly endpoint: StoreEndpoint
  readonly #answerQuery: AnswerQuery | undefined
  readonly #timeoutMs: number
  readonly #queue: PQueue
  /** Requests that answers share: few at a time, so that answers find one that was not sent yet. */
  readonly #shared = new PQueue({ concurrency: SHARED_CONCURRENCY })
  /**
   * One update at a time: a store with one writer would keep the others waiting, each in one of its threads, until none
   * is left for readers. Here they can still be refused.
   */
  readonly #updates = new PQueue({ concurrency: 1 })
  /** The update that shows that the store takes updates again. */
  #probe: Promise<void> | undefined
  readonly #maxQueued: number
  readonly #onRequest: SparqlClientOptions['onRequest']
  /**
   * Signals of answers that have begun. Their requests go first and are never refused; otherwise an overloaded store
   * would do much of its work for answers that are given up half-way.
   */
  readonly #begun = new WeakSet<AbortSignal>()
  #isJena: Promise<boolean> | undefined

  constructor(options: SparqlClientOptions) {
    const { endpoint, answerQuery, timeoutMs, concurrency = 16, maxQueued = 16 * concurrency, onRequest } = options
    this.endpoint = endpoint
    this.#answerQuery = answerQuery
    this.#timeoutMs = timeoutMs
    this.#queue = new PQueue({ concurrency })
    this.#maxQueued = maxQueued
    this.#onRequest = onRequest
  }

  /** Requests under way and waiting, for metrics. */
  get load(): { pending: number; queued: number } {
    return {
      pending: this.#queue.pending + this.#shared.pending + this.#updates.pending,
      queued: this.#queue.size + this.#shared.size + this.#updates.size,
    }
  }

  /** The solutions of a SELECT, in the order of the query (SPARQL 1.1 Protocol, query via POST). */
  async select(query: SparqlQuery, options: RequestOptions = {}): Promise<Solution[]> {
    const results = await this.#results('select', query, options)
    if (!Array.isArray(results.results?.bindings)) throw brokenAnswer('no bindings in the answer')
    return results.results.bindings
  }

  /** The answer of an ASK. */
  async ask(query: SparqlQuery, options: RequestOptions = {}): Promise<boolean> {
    const results = await this.#results('ask', query, options)
    if (typeof results.boolean !== 'boolean') throw brokenAnswer('no boolean in the answer')
    return results.boolean
  }

  /**
   * The triples of a CONSTRUCT; an answer that was cut off is an error.
   *
   * @param graph receives the triples.
   */
  construct(query: SparqlQuery, options: RequestOptions = {}, graph: Graph = new Map()): Promise<Graph> {
    return this.#request(query, options, async (signal) =>
      readNTriplesBody(await this.#constructed(queryText(query), signal), graph),
    )
  }

  /**
   * The triples of a CONSTRUCT as they come, for answers that are too large to be held as a whole; an answer that was
   * cut off is an error after its beginning was taken.
   *
   * @param take receives one piece after the other; the next one waits for it. `false` ends the reading.
   */
  async constructInPieces(
    query: SparqlQuery,
    options: RequestOptions,
    take: (piece: Graph) => Promise<boolean>,
  ): Promise<void> {
    await this.#request(query, options, async (signal) => {
      for await (const piece of readNTriplesPieces(await this.#constructed(queryText(query), signal))) {
        if (!(await take(piece))) break
      }
    })
  }

  async #constructed(query: string, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
    const response = await this.#query('construct', query, N_TRIPLES, signal)
    await refuseFailure(response)
    if (!response.header('content-type')?.startsWith(N_TRIPLES)) {
      await response.cancel()
      throw brokenAnswer(`content type ${response.header('content-type')} instead of N-Triples`)
    }
    await refuseOpenEnd(response)
    return response.body
  }

  /**
   * Executes a SPARQL 1.1 UPDATE: one request, one transaction. Updates of this client wait for each other; an update
   * that was sent stays under way until the store has answered, even if its caller has left at the deadline.
   *
   * @param graph the only graph that the update changes; an update that drops it may drop others, too. The embedded
   *   store relies on this, and executes updates again, so they must not use NOW(), UUID() or blank nodes.
   * @throws ApiError, too, if the update has waited too long for its turn (503); then it was not sent. `isEndOpen`
   *   tells whether the store may carry it out all the same.
   */
  async update(update: SparqlQuery, graph: string, options: UpdateOptions = {}): Promise<void> {
    const text = queryText(update)
    const { signal, timeoutMs = this.#timeoutMs, waitMs = timeoutMs * WAIT_SHARE } = options
    let isSent = false
    const send = async (signal: AbortSignal) => {
      isSent = true
      const client = new SimpleClient({ updateUrl: this.endpoint.updateUrl, fetch: fetchOf(signal, false) })
      const isForm = text.length <= MOST_FORM_CHARACTERS
      const headers = { ...this.#authorization(), [CHANGED_GRAPH]: encodeURIComponent(graph) }
      const response = storeResponse(
        await client.query.update(
          text,
          isForm
            ? { operation: 'postUrlencoded', headers }
            : { operation: 'postDirect', headers: { ...headers, 'content-type': UPDATE_TYPE } },
        ),
      )
      await refuseFailure(response)
      // The store has carried it out, whatever becomes of the rest of the answer.
      await response.cancel().catch(() => undefined)
    }
    const lifeMs = Math.max(timeoutMs, UPDATE_LIFE_MS)
    const ended = this.#request(update, { signal, timeoutMs: lifeMs, waitMs }, send).catch((error: unknown) => {
      throw isSent ? withOpenEnd(error) : error
    })
    return until(timeoutMs, ended, () => withOpenEnd(storeIsLate(), true))
  }

  /**
   * Resolves when the store has carried out an update that changes nothing, so that it takes updates again. All callers
   * share one such update.
   *
   * @param graph any graph of the store.
   * @throws ApiError if the store fails.
   */
  async awaitWriter(graph: string): Promise<void> {
    const options = { timeoutMs: UPDATE_LIFE_MS, waitMs: UPDATE_LIFE_MS }
    this.#probe ??= this.update({ name: 'probe', text: 'INSERT DATA {}' }, graph, options).finally(() => {
      this.#probe = undefined
    })
    return this.#probe
  }

  /**
   * True if the store carries out updates one after the other, in the order in which they come. @throws ApiError if the
   * store fails.
   */
  async hasOneWriter(): Promise<boolean> {
    return this.endpoint.hasOneWriter ?? this.isJena()
  }

  /**
   * Replaces a named graph as a whole (Graph Store HTTP Protocol, PUT). If the process is killed meanwhile, the old
   * graph stays.
   *
   * @param body N-Triples: a text, or its chunks, which are sent as they come.
   */
  async putGraph(
    graph: string,
    body: string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    options: RequestOptions = {},
  ): Promise<void> {
    const inBraces = await this.isJena(options)
    const url = this.#graphUrl(graph)
    const { authorization } = this.#authorization()
    await this.#request(undefined, options, async (signal) => {
      const { status, text } = await uploadGraph({ url, authorization, inBraces, signal }, body)
      await refuseFailure({ ok: status >= 200 && status < 300, status, text: () => Promise.resolve(text) })
    })
  }

  /** Deletes a named graph if it exists (Graph Store HTTP Protocol, DELETE). */
  async deleteGraph(graph: string, options: RequestOptions = {}): Promise<void> {
    await this.#request(undefined, options, async (signal) => {
      const response = await send(this.#graphUrl(graph), { method: 'DELETE', headers: this.#authorization(), signal })
      if (response.status !== 404) await refuseFailure(response)
      await response.cancel()
    })
  }

  /**
   * The triples of a named graph as chunks of N-Triples; none if the graph does not exist (Graph Store HTTP Protocol,
   * GET). The deadline holds for each chunk: a store that sends is not late, however long the whole takes, nor if the
   * reader is slow.
   */
  async *getGraph(graph: string, options: RequestOptions = {}): AsyncGenerator<Uint8Array> {
    const ending = endingOf(options.signal, options.timeoutMs ?? this.#timeoutMs)
    try {
      const response = await send(this.#graphUrl(graph), {
        method: 'GET',
        headers: { ...this.#authorization(), accept: N_TRIPLES },
        signal: ending.signal,
      })
      if (response.status === 404) return await response.cancel()
      await refuseFailure(response)
      await refuseOpenEnd(response)
      for await (const chunk of response.body) {
        ending.pause()
        yield chunk
        ending.resume()
      }
    } catch (error) {
      throw storeError(error, ending.signal)
    } finally {
      ending.clear()
    }
  }

  /** True for Jena, whose updates wait for the end of a graph that is being sent; asks only once. @throws ApiError */
  isJena(options: RequestOptions = {}): Promise<boolean> {
    return (this.#isJena ??= this.#askWhetherJena(options))
  }

  /**
   * Asks with a function that only Jena has; other stores refuse it or give no number. A proxy could remove a header.
   */
  async #askWhetherJena({ signal }: RequestOptions): Promise<boolean> {
    try {
      return await this.ask('ASK { FILTER(<http://jena.apache.org/ARQ/function#e>() > 2) }', { signal })
    } catch (error) {
      this.#isJena = undefined
      if (error instanceof ApiError && error.name === 'BackendError') return false
      throw error
    }
  }

  async #results(form: 'select' | 'ask', query: SparqlQuery, options: RequestOptions) {
    const text = await this.#request(query, options, async (signal) => {
      const response = await this.#query(form, queryText(query), RESULTS, signal)
      await refuseFailure(response)
      const type = response.header('content-type')
      if (type !== undefined && !/\bjson\b/i.test(type)) {
        await response.cancel()
        throw brokenAnswer(`content type ${type} instead of JSON`)
      }
      return response.text()
    })
    try {
      return JSON.parse(text) as { boolean?: unknown; results?: { bindings?: Solution[] } }
    } catch (cause) {
      throw storeBrokeOff(cause)
    }
  }

  /** @param options.waitMs the request is an update, which ends neither at its turn's end nor if its caller leaves. */
  async #request<T>(
    query: SparqlQuery | undefined,
    options: UpdateOptions,
    ask: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const started = performance.now()
    const ending = endingOf(options.signal, options.timeoutMs ?? this.#timeoutMs)
    const { signal } = ending
    const isUpdate = options.waitMs !== undefined
    const queue = isUpdate ? this.#updates : options.answers ? this.#shared : this.#queue
    const isBackground = options.signal !== undefined && BACKGROUND.has(options.signal)
    const answers = options.answers ?? (options.signal ? [options.signal] : [])
    const isBegun = options.signal === undefined || answers.some((answer) => this.#begun.has(answer))
    const begin = () => {
      for (const answer of answers) if (!BACKGROUND.has(answer)) this.#begun.add(answer)
    }
    begin()
    let outcome: StoreRequestReport['outcome'] = 'ok'
    try {
      if (!isBegun && queue.size >= this.#maxQueued) throw refused(queueIsFull())
      const waitMs = options.waitMs ?? (isBegun || isBackground ? undefined : this.#timeoutMs * WAIT_SHARE)
      const refuse = () => ending.end(refused(isUpdate ? storeIsBusy() : queueIsFull()))
      const patience = waitMs === undefined ? undefined : setTimeout(refuse, waitMs).unref()
      const run = () => {
        clearTimeout(patience)
        if (isUpdate) ending.stay()
        // For the answers that came while the request was waiting.
        begin()
        return ask(signal)
      }
      return await queue
        .add(run, { signal, priority: isBackground ? -1 : isBegun ? 1 : 0 })
        .finally(() => clearTimeout(patience))
    } catch (error) {
      const mapped = storeError(error, signal)
      outcome = options.signal?.aborted ? 'aborted' : outcomeOf(mapped)
      throw mapped
    } finally {
      ending.clear()
      const milliseconds = performance.now() - started
      this.#onRequest?.({ template: templateName(query), milliseconds, outcome }, answers)
    }
  }

  async #query(
    form: 'select' | 'ask' | 'construct',
    query: string,
    accept: string,
    signal: AbortSignal,
  ): Promise<StoreResponse> {
    if (this.#answerQuery) return askHere(this.#answerQuery, query, { accept, signal })
    const { queryUrl: endpointUrl } = this.endpoint
    const client = new SimpleClient({ endpointUrl, fetch: fetchOf(signal) })
    return storeResponse(await client.query[form](query, { operation: 'postUrlencoded', headers: { accept } }))
  }

  #graphUrl(graph: string): string {
    const url = new URL(this.endpoint.graphStoreUrl)
    url.searchParams.set('graph', graph)
    return url.href
  }

  #authorization(): { authorization?: string } {
    const { user, password } = this.endpoint
    if (!user || !password) return {}
    return { authorization: basicAuthorization({ user, password }) }
  }
}

function queryText(query: SparqlQuery): string {
  return typeof query === 'string' ? query : query.text
}

function templateName(query: SparqlQuery | undefined): string {
  return typeof query === 'object' ? query.name : 'other'
}

function outcomeOf(error: ApiError): StoreRequestReport['outcome'] {
  if (refusals.has(error)) return 'refused'
  return error.name === 'TimeoutError' ? 'timeout' : 'error'
}

/** Errors of requests that were not sent. */
const refusals = new WeakSet<ApiError>()

function refused(error: ApiError): ApiError {
  refusals.add(error)
  return error
}
