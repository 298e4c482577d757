import type { Request, RequestHandler, Response } from 'express'
import { ApiError, unavailable } from '../errors.ts'
import {
  acceptedLanguages,
  givenParameters,
  malformed,
  queryOf,
  readLanguages,
  readParameters,
  readWholeNumber,
  type Parameters,
} from '../http/parameters.ts'
import { MAXIMA } from '../http/maxima.ts'
import { untilAnswered } from '../http/send.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { listRequest, type ListRequest, type View } from '../read/request.ts'
import type { BoundedList } from '../http/bounded-list.ts'
import type { RouteDependencies } from '../routes.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { findCandidates } from './candidates.ts'
import { ENTITY_FIELDS, recordsByUri, toEntity } from './entities.ts'
import { extend, readExtension, toFirstForm } from './extend.ts'
import { manifest } from './manifest.ts'
import { previewFragment, previewPage, PREVIEW_FIELDS, PREVIEW_POLICY } from './preview.tsx'
import { readBatch, readMatchBatch, type Query, type ReadQuery } from './query.ts'
import { proposeProperties, type TypedPrefix } from './suggest.ts'

/** A request, with the parts that all endpoints need. */
export interface ReconcileRequest {
  dependencies: RouteDependencies
  http: Request
  response: Response
  /** As sent. */
  parameters: Parameters
  /** For records of the vocabulary, or of all, in the languages of the reader. */
  request: ListRequest
  vocabulary: Vocabulary | undefined
  /** The requested address of reconciliation. */
  address: string
}

const MAX_SUGGESTIONS = 100
const DEFAULT_SUGGESTIONS = 10
const LANGUAGE = ['language', 'callback']

/**
 * A handler of the Reconciliation Service API. The GET requests of 0.2 may ask for JSONP (0.2, section 3.3).
 *
 * @param known parameters besides the language and the name of a function.
 */
export function answering(
  dependencies: RouteDependencies,
  known: readonly string[],
  answer: (asked: ReconcileRequest) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    response.vary('Accept-Language')
    const { signal, clear } = untilAnswered(response, dependencies.config)
    const parameters = readParameters(queryOf(request), [...LANGUAGE, ...known])
    try {
      await answer(await toAsked(dependencies, request, response, parameters, signal))
    } catch (error) {
      throw forClients(error)
    }
    clear()
  }
}

/** Answers with the suggestions for the beginning of a name. */
export function suggesting(
  suggest: (dependencies: RouteDependencies, request: ListRequest, typed: TypedPrefix) => Promise<object> | object,
) {
  return async (asked: ReconcileRequest): Promise<void> => {
    const { dependencies, request, parameters } = asked
    send(asked, await suggest(dependencies, request, readTyped(parameters)))
  }
}

/** Clients of reconciliation retry only after a 503. */
function forClients(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.name !== 'BackendError') return error
  return unavailable(error.message, { cause: error })
}

async function toAsked(
  dependencies: RouteDependencies,
  http: Request,
  response: Response,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<ReconcileRequest> {
  const { config, registry } = dependencies
  const { vocid } = http.params
  const vocabulary = typeof vocid === 'string' ? await registry.require(vocid) : undefined
  const wanted = readLanguages(parameters, 'language') ?? acceptedLanguages(http)
  const given = givenParameters({ voc: vocabulary?.uri, language: wanted.join(',') || undefined })
  const path = vocabulary ? `voc/${encodeURIComponent(String(vocid))}/reconcile` : 'reconcile'
  return {
    dependencies,
    http,
    response,
    parameters,
    request: await listRequest(dependencies, { parameters: given, signal }),
    vocabulary,
    address: config.baseUrl + path,
  }
}

/** Answers at the address itself: with the manifest, or in 0.2 with candidates or columns. */
export async function answerFirstForm(asked: ReconcileRequest): Promise<void> {
  const { dependencies, parameters, http, request, vocabulary, address } = asked
  const queries = parameters.get('queries')
  const extension = parameters.get('extend')
  if (queries !== undefined && extension !== undefined)
    throw malformed('queries, extend: expected one of them, got both')
  if (queries !== undefined) return send(asked, await answerBatch(asked, queries))
  if (extension !== undefined) {
    return send(asked, toFirstForm(await extend(dependencies, request, readExtension('extend', extension))))
  }
  if (http.method === 'POST') throw malformed('queries, extend: expected one of them as a form, got none')
  const version = acceptsSecondForm(http) ? '1.0-draft' : '0.2'
  send(asked, manifest(dependencies.config, address, vocabulary, request.view.preferred, version))
}

/**
 * True if a client wants the manifest of 1.0, which differs from that of 0.2 at the same address. `Accept` names the media
 * type that the draft proposes, or JSON with a parameter.
 */
function acceptsSecondForm({ headers }: Request): boolean {
  return /application\/reconciliation\.v1\+json|application\/json\s*;\s*version="?1\b/i.test(headers.accept ?? '')
}

/** Candidates in the form of 0.2; a query without an answer gets an error message. */
async function answerBatch(asked: ReconcileRequest, text: string): Promise<object> {
  const results = await candidates(asked, await readBatch(text, asked.request.signal))
  return Object.fromEntries(results.map(({ name, candidates: result, ...more }) => [name, { result, ...more }]))
}

/** POST .../match: candidates in the form of 1.0. */
export async function match(asked: ReconcileRequest): Promise<void> {
  const results = await candidates(asked, await readMatchBatch(bodyOf(asked), asked.request.signal))
  send(asked, { results: results.map(({ name: _name, ...result }) => result) })
}

interface Result {
  /** The name of the query. */
  name: string
  candidates: object[]
  /** The reason for the lack of candidates. */
  error?: string
}

async function candidates(
  { dependencies, request }: ReconcileRequest,
  batch: BoundedList<ReadQuery>,
): Promise<Result[]> {
  const { view, signal } = request
  const read = await batch.map(signal, (one) => ('query' in one ? [one.query] : []))
  const queries = read.flat()
  const found = queries.length > 0 ? await findCandidates(dependencies, view.scope, queries, signal) : []
  const byQuery = new Map(queries.map((query, at) => [query, found[at]!]))
  const uris = found.flatMap((some) => some.map(({ uri }) => uri))
  const records = await recordsByUri(dependencies, request, uris, ENTITY_FIELDS)
  return batch.map(signal, (one): Result => {
    const { name } = one
    if ('error' in one) return { name, candidates: [], error: one.error }
    const inItsLanguage = inLanguageOf(view, one.query)
    return {
      name,
      // Leaves out concepts that were deleted a moment ago.
      candidates: byQuery.get(one.query)!.flatMap(({ uri, score, match: isMatch }) => {
        const record = records.get(uri)
        return record ? [{ ...toEntity(inItsLanguage, record), score, match: isMatch }] : []
      }),
    }
  })
}

function inLanguageOf(view: View, { language }: Query): View {
  return language === undefined ? view : { ...view, preferred: [...new Set([language, ...view.preferred])] }
}

export async function extendTable(asked: ReconcileRequest): Promise<void> {
  const { dependencies, request } = asked
  send(asked, await extend(dependencies, request, readExtension('body', bodyOf(asked))))
}

export async function propose(asked: ReconcileRequest): Promise<void> {
  const { dependencies, request, parameters } = asked
  const limit = readWholeNumber(parameters, 'limit')
  send(asked, await proposeProperties(dependencies, request, parameters.get('type'), limit))
}

export async function preview(asked: ReconcileRequest): Promise<void> {
  const { response } = asked
  const record = await requireRecord(asked)
  response.setHeader('Content-Security-Policy', PREVIEW_POLICY)
  response.removeHeader('X-Frame-Options')
  response.type('html').send(previewPage(record, pageOf(asked, record), asked.request.view.preferred))
}

export async function flyout(asked: ReconcileRequest): Promise<void> {
  const record = await requireRecord(asked)
  send(asked, { id: record.uri, html: previewFragment(record, pageOf(asked, record), asked.request.view.preferred) })
}

async function requireRecord({ dependencies, request, parameters }: ReconcileRequest): Promise<JskosRecord> {
  const id = parameters.get('id')
  if (id === undefined || !isAbsoluteIri(id)) throw malformed('id: expected the URI of a concept')
  const records = await recordsByUri(dependencies, request, [id], PREVIEW_FIELDS)
  const record = records.get(id)
  if (!record) throw new ApiError('EntityNotFoundError', 'id: there is no concept with this URI.')
  return record
}

function pageOf({ dependencies: { config } }: ReconcileRequest, record: JskosRecord): string {
  return `${config.baseUrl}concept?uri=${encodeURIComponent(record.uri)}`
}

function readTyped(parameters: Parameters): TypedPrefix {
  const limit = readWholeNumber(parameters, 'limit') ?? DEFAULT_SUGGESTIONS
  return {
    prefix: parameters.get('prefix') ?? '',
    cursor: readWholeNumber(parameters, 'cursor') ?? 0,
    limit: Math.min(limit, MAX_SUGGESTIONS),
  }
}

/** A body of JSON. */
function bodyOf({ http }: ReconcileRequest): string {
  return Buffer.isBuffer(http.body) ? new TextDecoder().decode(http.body) : ''
}

/** Sends JSON, or a script that calls a function with it (JSONP), which clients of 0.2 use instead of CORS. */
function send({ http, response, parameters, request }: ReconcileRequest, answer: object): void {
  response.setHeader('Content-Language', request.view.preferred[0]!)
  const callback = parameters.get('callback')
  if (callback === undefined || http.method === 'POST') {
    response.json(answer)
    return
  }
  if (!/^[A-Za-z_$][\w$.]*$/.test(callback) || callback.length > MAXIMA.callback.most)
    throw malformed('callback: expected the name of a function')
  // These end a line in JavaScript, but not in JSON.
  const json = JSON.stringify(answer).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')
  // The comment keeps the answer from beginning with the caller's own text.
  response.type('text/javascript').send(`/**/ ${callback}(${json});`)
}
