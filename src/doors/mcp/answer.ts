import type { IncomingMessage, ServerResponse } from 'node:http'
import { toNodeHandler, type NodeIncomingMessageLike } from '@modelcontextprotocol/node'
import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { mcpServer } from './server.ts'
import type { ToolDependencies } from './tool.ts'

/**
 * Answers one message over HTTP, without a session: every request has all that it needs. A message of revision
 * 2026-07-28 names its revision in `_meta`; any other one is of the revisions up to 2025-11-25.
 *
 * @param context of this request, as `mcpServer` takes it.
 * @param message the request, its answer, and the parsed body.
 */
export async function answerMessage(
  dependencies: ToolDependencies,
  context: Parameters<typeof mcpServer>[1],
  { request, response, body }: { request: IncomingMessage; response: ServerResponse; body: unknown },
): Promise<void> {
  const server = mcpServer(dependencies, context)
  response.on('close', () => void server.close())
  // Nobody can subscribe to changes: a stream for them would stay open for as long as the client likes.
  const { fetch } = createMcpHandler(() => server, { legacy: 'reject', maxSubscriptions: 0 })
  const answer: typeof fetch = async (message, options) => {
    if (!(await isLegacyRequest(message, options?.parsedBody))) return fetch(message, options)
    // The handler would answer these with a stream, which a single answer does not need.
    const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    return transport.handleRequest(message, options)
  }
  const answerNode = toNodeHandler({ fetch: answer }, { onerror: context.reportError })
  // Its types leave out that a member of a request can be undefined.
  await answerNode(request as NodeIncomingMessageLike, response, body)
}
