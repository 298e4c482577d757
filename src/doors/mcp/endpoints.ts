import express, { type Request, type RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { hostOf } from '../../interface/http/addresses.ts'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { reportedRequest, type ReportError } from '../../interface/http/errors.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import type { Metrics } from '../../interface/http/metrics.ts'
import { addTool } from '../../interface/http/observe.ts'
import { untilAnswered } from '../../interface/http/send.ts'
import type { AcceptIngest } from '../../writing/ingest/ingest.ts'
import type { ToolDependencies } from './tool.ts'

/** JSON-RPC 2.0, section 5.1. */
const PARSE_ERROR = -32_700
/** A code of an implementation, as the SDK uses it. */
const REFUSED = -32_000

export interface McpDependencies extends ToolDependencies {
  metrics: Metrics
  reportError: ReportError
  /** Undefined if the service only reads. */
  acceptIngest?: AcceptIngest | undefined
}

/** The endpoint for assistants. */
export const MCP_ENDPOINTS: readonly Endpoint<McpDependencies>[] = [
  {
    path: '/mcp',
    absent: ({ mcp }) => (mcp === false ? 'This service does not answer assistants.' : undefined),
    post: {
      handler: (dependencies) => [refuseForeignOrigins(dependencies), readMessage, answerAssistant(dependencies)],
    },
  },
]

/**
 * A page of another site must not use a browser's place in a network to reach the service (Model Context Protocol,
 * "Transports", security warning). A service on loopback answers only requests for a name of loopback; every service
 * refuses a foreign `Origin`.
 */
function refuseForeignOrigins({ config: { baseUrl } }: McpDependencies): RequestHandler {
  const publicUrl = new URL(baseUrl)
  const isLoopback = (host: string) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(host)
  return (request, response, next) => {
    const host = hostOf(`http://${request.headers.host ?? ''}`)
    const { origin } = request.headers
    const isForeign = origin !== undefined && origin !== publicUrl.origin && !isLoopback(hostOf(origin))
    if (isForeign || (isLoopback(publicUrl.hostname) && !isLoopback(host) && host !== publicUrl.hostname)) {
      response.status(403).json(rpcError(REFUSED, `${isForeign ? 'Origin' : 'Host'}: this one is not allowed.`))
      return
    }
    next()
  }
}

const parse = express.json({ limit: MAXIMA.mcpMessage.most, type: () => true })

/** Reads the message; what is no JSON gets an error of the protocol. */
const readMessage: RequestHandler = (request, response, next) => {
  parse(request, response, (error?: unknown) => {
    const status = (error as { status?: number } | undefined)?.status
    if (error === undefined) next()
    else if (status === 413)
      response.status(413).json(rpcError(REFUSED, `The message is larger than ${MAXIMA.mcpMessage.most} bytes.`))
    else response.status(400).json(rpcError(PARSE_ERROR, 'Parse error: the message is no JSON.'))
  })
}

/** Answers one message. */
function answerAssistant(dependencies: McpDependencies): RequestHandler {
  const { config, metrics, acceptIngest, reportError } = dependencies
  return async (request, response) => {
    // Most services are never asked by an assistant, and this takes a tenth of a start.
    const { answerMessage } = await import('./answer.ts')
    const { signal } = untilAnswered(response, config)
    const context = {
      signal,
      onCall: (tool: string, outcome: 'ok' | 'refused' | 'failed') => {
        addTool(response, tool)
        metrics.countToolCall(tool, outcome)
      },
      reportError: (error: unknown) => {
        if (!response.destroyed) reportError(error, reportedRequest(request, response))
      },
      propose:
        config.mcpIngest && acceptIngest
          ? (concept: object) => acceptIngest(request, response, ingestBody(request, concept))
          : undefined,
    }
    await answerMessage(dependencies, context, { request, response, body: request.body })
  }
}

/**
 * The body of an ingest by the account in `Authorization` (RFC 7617).
 *
 * @throws ApiError UnauthorizedError if the request has none.
 */
function ingestBody(request: Request, concept: object): Buffer {
  const [, encoded = ''] = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(request.headers.authorization ?? '') ?? []
  const [, username, token] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded, 'base64').toString()) ?? []
  if (!username || !token) {
    const expected = 'Authorization: expected Basic with the username and the token of an ingest account.'
    throw new ApiError('UnauthorizedError', expected)
  }
  return Buffer.from(JSON.stringify([{ username, token, data: encodeURIComponent(JSON.stringify([concept])) }]))
}

function rpcError(code: number, message: string): object {
  return { jsonrpc: '2.0', error: { code, message }, id: null }
}
