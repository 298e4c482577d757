import type { Request, RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { acceptedMediaType } from '../../interface/http/headers.ts'
import { toScript } from '../../interface/http/jsonp.ts'
import { queryOf } from '../../interface/http/parameters.ts'
import { sendWhole } from '../../interface/http/send.ts'
import { chooseLanguage } from '../../graph/jskos/names.ts'
import type { RouteDependencies } from '../../routes.ts'
import { languagesOf, wholeOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** A request to the REST API of Skosmos. */
export interface SkosmosRequest {
  dependencies: RouteDependencies
  http: Request
  /** Lenient, as in PHP: the last of repeated ones counts, arrays do not, and empty ones count as absent. */
  parameters: ReadonlyMap<string, string>
  signal: AbortSignal
  /** The address of the API, with a slash at the end. */
  address: string
}

/** A request about one vocabulary. */
export interface VocabularyRequest extends SkosmosRequest {
  vocabulary: Vocabulary
  /** The id in the path. */
  id: string
  /** The language of labels: `lang`, else the default one of the vocabulary. */
  language: string
  /** The language tags of the vocabulary. */
  languages: readonly string[]
  /** The language of labels that are missing in `language`. */
  fallback: string
}

/** An answer: JSON, a text of another media type, or another address. */
export type SkosmosAnswer = { json: object } | { text: string; mediaType: string } | { location: string; status: 302 }

/** The answer of Skosmos to a request that it cannot fulfil: a status and a plain text. */
export class SkosmosError extends Error {
  readonly status: number

  constructor(status: number, reason: string, message: string) {
    super(`${status} ${reason} : ${message}`)
    this.status = status
  }
}

/** The error for a request that lacks a parameter or has a bad one. */
export function badRequest(message: string): SkosmosError {
  return new SkosmosError(400, 'Bad Request', message)
}

/** The error for something that is not there. */
export function notFoundError(message: string): SkosmosError {
  return new SkosmosError(404, 'Not Found', message)
}

/** The error of three methods for a concept that is not there. */
export function noConcept(): SkosmosError {
  return new SkosmosError(404, 'Bad Request', 'no concept found with given uri')
}

/** A handler of the REST API of Skosmos: JSON, or a call of a function with it (JSONP); errors are plain texts. */
export function skosmosHandler<MethodRequest extends SkosmosRequest>(
  dependencies: RouteDependencies,
  toMethodRequest: (request: SkosmosRequest) => Promise<MethodRequest>,
  answer: (request: MethodRequest) => Promise<SkosmosAnswer>,
): RequestHandler {
  return async (http, response) => {
    response.vary('Accept')
    const parameters = readLenient(queryOf(http))
    try {
      await sendWhole(http, response, dependencies, async (signal) => {
        const address = `${dependencies.config.baseUrl}rest/v1/`
        const result = await answer(await toMethodRequest({ dependencies, http, parameters, signal, address }))
        if ('location' in result) return result
        if ('text' in result) {
          response.setHeader('Content-Type', `${result.mediaType}; charset=utf-8`)
          return result.text
        }
        const callback = parameters.get('callback')
        if (callback === undefined) {
          const accepted = acceptedMediaType(http.headers.accept, ['application/json', 'application/ld+json'])
          response.setHeader('Content-Type', `${accepted ?? 'application/json'}; charset=utf-8`)
          return JSON.stringify(result.json)
        }
        const script = toScript(callback, result.json)
        response.setHeader('Content-Type', 'application/javascript; charset=utf-8')
        return script
      })
    } catch (error) {
      const { status, message } = inPlainText(error)
      response.status(status).setHeader('Cache-Control', 'no-store').type('text/plain').send(message)
    }
  }
}

/** Errors of clients as Skosmos answers them. @throws all others. */
function inPlainText(error: unknown): SkosmosError {
  if (error instanceof SkosmosError) return error
  if (error instanceof ApiError && error.status === 400) return badRequest(error.message)
  if (error instanceof ApiError && error.status === 404) return notFoundError(error.message)
  throw error
}

function readLenient(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(query)) {
    const text = value.replaceAll('\0', '')
    if (text === '') parameters.delete(name)
    else parameters.set(name, text)
  }
  return parameters
}

/** Finds the vocabulary of the path. @throws SkosmosError 404. */
export async function ofVocabulary(request: SkosmosRequest): Promise<VocabularyRequest> {
  const id = String(request.http.params['vocid'])
  const vocabulary = await vocabularyNamed(request.dependencies, id)
  const languages = languagesOf(vocabulary)
  const fallback = chooseLanguage(languages, request.dependencies.config.defaultLanguages) ?? 'en'
  return { ...request, id, vocabulary, languages, fallback, language: request.parameters.get('lang') ?? fallback }
}

/** The vocabulary with an id. @throws SkosmosError 404. */
export async function vocabularyNamed(
  dependencies: Pick<RouteDependencies, 'registry'>,
  id: string,
): Promise<Vocabulary> {
  const [vocabulary] = await vocabulariesById(dependencies, [id])
  return vocabulary!
}

/** The vocabularies with these ids, in their order. @throws SkosmosError 404 for the first id that none has. */
export async function vocabulariesById(
  { registry }: Pick<RouteDependencies, 'registry'>,
  ids: readonly string[],
): Promise<Vocabulary[]> {
  // Ids of Skosmos may have capitals, those here do not.
  const lowerIds = ids.map((id) => id.toLowerCase())
  const { schemes, subsets } = await registry.scope(lowerIds)
  const byId = new Map([...schemes, ...subsets].flatMap((vocabulary) => vocabulary.ids.map((id) => [id, vocabulary])))
  return lowerIds.map((lowerId, at) => {
    const vocabulary = byId.get(lowerId)
    if (!vocabulary) throw unknownVocabulary(ids[at]!)
    return vocabulary
  })
}

/** The name of the graph of a vocabulary; a subset has the graph of its vocabulary. */
export async function graphOf({
  dependencies,
  vocabulary,
}: Pick<VocabularyRequest, 'dependencies' | 'vocabulary'>): Promise<string> {
  const parent = vocabulary.isSubset ? wholeOf(vocabulary, await dependencies.registry.list()) : undefined
  return (parent ?? vocabulary).uri
}

function unknownVocabulary(id: string): SkosmosError {
  return notFoundError(`Vocabulary id '${id}' not found.`)
}
