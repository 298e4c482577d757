import type { Request, RequestHandler, Response } from 'express'
import { ApiError, unavailable } from '../../base/errors.ts'
import {
  acceptedLanguages,
  givenParameters,
  malformed,
  queryOf,
  readLanguages,
  readParameters,
  readWholeNumber,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { toScript } from '../../interface/http/jsonp.ts'
import { untilAnswered } from '../../interface/http/send.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { listRequest, type ListRequest, type View } from '../../interface/read/request.ts'
import type { BoundedList } from '../../interface/http/bounded-list.ts'
import type { RouteDependencies } from '../../routes.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { findCandidates } from './candidates.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { extend, readExtension, toFirstForm } from './extend.ts'
import { manifest } from './manifest.ts'
import { previewFragment, previewPage, PREVIEW_FIELDS, PREVIEW_POLICY } from './preview.tsx'
import { readBatch, readMatchBatch, type ReconcileQuery, type ReadQuery } from './query.ts'
import { ENTITY_FIELDS, toEntity, proposeProperties, type TypedPrefix } from './suggest.ts'

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
 * @param names further parameters, besides the language and the name of a function.
 */
export function reconcileHandler(
  dependencies: RouteDependencies,
  names: readonly string[],
  answer: (reconcileRequest: ReconcileRequest) => Promise<void>,
): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    response.vary('Accept-Language')
    const { signal, clear } = untilAnswered(response, dependencies.config)
    const parameters = readParameters(queryOf(request), [...LANGUAGE, ...names])
    try {
      await answer(await toReconcileRequest(dependencies, request, response, parameters, signal))
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
  return async (reconcileRequest: ReconcileRequest): Promise<void> => {
    const { dependencies, request, parameters } = reconcileRequest
    sendAnswer(reconcileRequest, await suggest(dependencies, request, readTyped(parameters)))
  }
}

/** Clients of reconciliation retry only after a 503. */
function forClients(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.name !== 'BackendError') return error
  return unavailable(error.message, { cause: error })
}

async function toReconcileRequest(
  dependencies: RouteDependencies,
  http: Request,
  response: Response,
  parameters: Parameters,
  signal: AbortSignal,
): Promise<ReconcileRequest> {
  const { config, registry } = dependencies
  const { vocid } = http.params
  const vocabulary = typeof vocid === 'string' ? await registry.require(vocid) : undefined
  const languages = readLanguages(parameters, 'language') ?? acceptedLanguages(http)
  const viewParameters = givenParameters({ voc: vocabulary?.uri, language: languages.join(',') || undefined })
  const path = vocabulary ? `voc/${encodeURIComponent(String(vocid))}/reconcile` : 'reconcile'
  return {
    dependencies,
    http,
    response,
    parameters,
    request: await listRequest(dependencies, { parameters: viewParameters, signal }),
    vocabulary,
    address: config.baseUrl + path,
  }
}

/** Answers at the address itself: with the manifest, or in 0.2 with candidates or columns. */
export async function answerFirstForm(reconcileRequest: ReconcileRequest): Promise<void> {
  const { dependencies, parameters, http, request, vocabulary, address } = reconcileRequest
  const queries = parameters.get('queries')
  const extension = parameters.get('extend')
  if (queries !== undefined && extension !== undefined)
    throw malformed('queries, extend: expected one of them, got both')
  if (queries !== undefined) return sendAnswer(reconcileRequest, await answerBatch(reconcileRequest, queries))
  if (extension !== undefined) {
    return sendAnswer(
      reconcileRequest,
      toFirstForm(await extend(dependencies, request, readExtension('extend', extension))),
    )
  }
  if (http.method === 'POST') throw malformed('queries, extend: expected one of them as a form, got none')
  const version = acceptsSecondForm(http) ? '1.0-draft' : '0.2'
  sendAnswer(reconcileRequest, manifest(dependencies.config, address, vocabulary, request.view.preferred, version))
}

/**
 * True if a client wants the manifest of 1.0, which differs from the manifest of 0.2 at the same address. `Accept`
 * names the media type that the draft proposes, or JSON with a parameter.
 */
function acceptsSecondForm({ headers }: Request): boolean {
  const accept = headers.accept?.toLowerCase() ?? ''
  return accept.includes('application/reconciliation.v1+json') || /application\/json\s*;\s*version="?1\b/.test(accept)
}

/** Candidates in the form of 0.2; a query without an answer gets an error message. */
async function answerBatch(reconcileRequest: ReconcileRequest, text: string): Promise<object> {
  const results = await candidates(reconcileRequest, await readBatch(text, reconcileRequest.request.signal))
  return Object.fromEntries(results.map(({ name, candidates: result, ...more }) => [name, { result, ...more }]))
}

/** POST .../match: candidates in the form of 1.0. */
export async function match(reconcileRequest: ReconcileRequest): Promise<void> {
  const results = await candidates(
    reconcileRequest,
    await readMatchBatch(bodyOf(reconcileRequest), reconcileRequest.request.signal),
  )
  sendAnswer(reconcileRequest, { results: results.map(({ name: _name, ...result }) => result) })
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
  const read = await batch.map(signal, (entry) => ('query' in entry ? [entry.query] : []))
  const queries = read.flat()
  const candidateLists = queries.length > 0 ? await findCandidates(dependencies, view.scope, queries, signal) : []
  const byQuery = new Map(queries.map((query, index) => [query, candidateLists[index]!]))
  const uris = candidateLists.flatMap((some) => some.map(({ uri }) => uri))
  const records = await conceptsByUri(dependencies, request, uris, ENTITY_FIELDS)
  return batch.map(signal, (entry): Result => {
    const { name } = entry
    if ('error' in entry) return { name, candidates: [], error: entry.error }
    const inItsLanguage = inLanguageOf(view, entry.query)
    return {
      name,
      // Leaves out concepts that were deleted a moment ago.
      candidates: byQuery.get(entry.query)!.flatMap(({ uri, score, match: isMatch }) => {
        const record = records.get(uri)
        return record ? [{ ...toEntity(inItsLanguage, record), score, match: isMatch }] : []
      }),
    }
  })
}

function inLanguageOf(view: View, { language }: ReconcileQuery): View {
  return language === undefined ? view : { ...view, preferred: [...new Set([language, ...view.preferred])] }
}

/** Answers a data extension request. @throws ApiError if the body is not one */
export async function extendTable(reconcileRequest: ReconcileRequest): Promise<void> {
  const { dependencies, request } = reconcileRequest
  sendAnswer(reconcileRequest, await extend(dependencies, request, readExtension('body', bodyOf(reconcileRequest))))
}

/** Answers which properties can extend a table of a type. @throws ApiError if `limit` is no number */
export async function propose(reconcileRequest: ReconcileRequest): Promise<void> {
  const { dependencies, request, parameters } = reconcileRequest
  const limit = readWholeNumber(parameters, 'limit')
  sendAnswer(reconcileRequest, await proposeProperties(dependencies, request, parameters.get('type'), limit))
}

/** Answers with a small page about a concept. @throws ApiError if `id` names none */
export async function preview(reconcileRequest: ReconcileRequest): Promise<void> {
  const { response } = reconcileRequest
  const record = await requireRecord(reconcileRequest)
  response.setHeader('Content-Security-Policy', PREVIEW_POLICY)
  response.removeHeader('X-Frame-Options')
  response
    .type('html')
    .send(previewPage(record, pageOf(reconcileRequest, record), reconcileRequest.request.view.preferred))
}

/** Answers with a fragment of HTML about a concept. @throws ApiError if `id` names none */
export async function flyout(reconcileRequest: ReconcileRequest): Promise<void> {
  const record = await requireRecord(reconcileRequest)
  sendAnswer(reconcileRequest, {
    id: record.uri,
    html: previewFragment(record, pageOf(reconcileRequest, record), reconcileRequest.request.view.preferred),
  })
}

async function requireRecord({ dependencies, request, parameters }: ReconcileRequest): Promise<JskosRecord> {
  const id = parameters.get('id')
  if (id === undefined || !isAbsoluteIri(id)) throw malformed('id: expected the URI of a concept')
  const records = await conceptsByUri(dependencies, request, [id], PREVIEW_FIELDS)
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
function sendAnswer({ http, response, parameters, request }: ReconcileRequest, answer: object): void {
  response.setHeader('Content-Language', request.view.preferred[0]!)
  const callback = parameters.get('callback')
  if (callback === undefined || http.method === 'POST') {
    response.json(answer)
    return
  }
  const script = toScript(callback, answer)
  response.type('text/javascript').send(script)
}
