import { randomUUID } from 'node:crypto'
import type { Request, RequestHandler, Response } from 'express'
import type { Logger } from 'pino'
import type { Metrics } from './metrics.ts'
import type { StoreRequestReport } from '../../graph/sparql/client.ts'

/** The work for one HTTP request: store requests, and the tools that an assistant called. */
interface RequestWork {
  milliseconds: number
  templates: string[]
  tools: string[]
}

// AsyncLocalStorage would find the request by itself, but it makes every promise slower: a tenth of the time of an
// answer.
const workOfAnswers = new WeakMap<Response, RequestWork>()
const workOfSignals = new WeakMap<AbortSignal, RequestWork>()

/** Counts the store requests with this signal for this answer. */
export function countForAnswer(response: Response, signal: AbortSignal): void {
  const work = workOfAnswers.get(response)
  if (work) workOfSignals.set(signal, work)
}

/** Adds a tool that an assistant called to the line of its request. */
export function addTool(response: Response, tool: string): void {
  workOfAnswers.get(response)?.tools.push(tool)
}

/** Adds a store request to the HTTP requests that it was made for. */
export function addStoreRequest({ template, milliseconds }: StoreRequestReport, answers: readonly AbortSignal[]): void {
  for (const work of answers.flatMap((signal) => workOfSignals.get(signal) ?? [])) {
    work.milliseconds += milliseconds
    if (!work.templates.includes(template)) work.templates.push(template)
  }
}

export const REQUEST_ID_HEADER = 'X-Request-Id'
/** The ids that a client or a proxy may give a request; the service replaces any other. */
const REQUEST_ID = /^[A-Za-z0-9._:/+=-]{1,128}$/
/** Monitoring asks for these every few seconds, so the log leaves them out. */
const QUIET = new Set(['/healthz', '/readyz', '/metrics'])
/**
 * The status in logs and figures if the client went away before the answer, and if the service broke its answer off.
 */
const GONE = 499
const BROKEN_OFF = 500

/**
 * Logs and counts every request. The line has the request id, the method, the URL, the pattern of its path, the tools
 * that an assistant called, the templates sent to the store, and the milliseconds of the store and in total. The id
 * comes from X-Request-Id if that is well formed; the answer returns it. The log has no headers, because they can
 * contain logins.
 */
export function observe(log: Logger, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    const started = performance.now()
    const id = requestId(request)
    response.setHeader(REQUEST_ID_HEADER, id)
    const work: RequestWork = { milliseconds: 0, templates: [], tools: [] }
    workOfAnswers.set(response, work)
    response.once('close', () => {
      const milliseconds = performance.now() - started
      const { method } = request
      const route = routeOf(request)
      const unfinished = response.errored ? BROKEN_OFF : GONE
      const status = response.writableFinished ? response.statusCode : unfinished
      metrics.countAnswer({ route, method, status, seconds: milliseconds / 1000 })
      const line = {
        id,
        method,
        url: loggedUrl(request.target),
        route,
        status,
        ms: Math.round(milliseconds),
        ...(work.tools.length > 0 ? { tools: work.tools } : {}),
        ...(work.templates.length > 0
          ? { templates: work.templates, storeMs: Math.round(work.milliseconds * 10) / 10 }
          : {}),
      }
      log[status >= 500 ? 'warn' : QUIET.has(route) ? 'debug' : 'info'](line, 'request')
    })
    next()
  }
}

function requestId({ headers }: Request): string {
  const header = headers['x-request-id']
  return typeof header === 'string' && REQUEST_ID.test(header) ? header : randomUUID()
}

/** The pattern of the path, such as `/voc/:vocid/top`, one of a fixed number. */
function routeOf(request: Request): string {
  const route = request.route as { path?: unknown } | undefined
  return typeof route?.path === 'string' ? route.path : 'none'
}

function withoutSecret(parameter: string, before: string, name: string): string {
  return /token|password|secret/i.test(name) ? `${before}${name}=[removed]` : parameter
}

/** A URL without secrets: accounts belong in the body of an ingest, but some clients put them into the URL. */
export function loggedUrl(url: string): string {
  const [path, query] = [url.split('?', 1)[0]!, url.slice(url.indexOf('?') + 1)]
  if (path.length === url.length) return url
  if (/^\/ingest\b/i.test(path)) return `${path}?[removed]`
  return `${path}?${query.replace(/(^|&)([^=&]*)=[^&]*/g, withoutSecret)}`
}
