import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'

/** The address of a graph and its form. */
interface Upload {
  /** The address of the graph (Graph Store HTTP Protocol, section 4). */
  url: string
  authorization: string | undefined
  /** True: the triples are put into braces, as TriG. False: N-Triples. */
  inBraces: boolean
  signal: AbortSignal
}

/**
 * Replaces a graph by N-Triples of any size (Graph Store HTTP Protocol, PUT), however long it takes.
 *
 * Fuseki may accept a body that breaks off at the end of a line, even with a Content-Length, and replace the graph by
 * the part that has arrived. In braces such a body is a syntax error, because the last brace is missing.
 *
 * @returns status and beginning of the answer.
 * @throws Error if the store cannot be reached or breaks off.
 */
export async function uploadGraph(
  { url, authorization, inBraces, signal }: Upload,
  nTriples: string | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<{ status: number; text: string }> {
  const send = url.startsWith('https:') ? httpsRequest : httpRequest
  const request = send(url, {
    method: 'PUT',
    agent: false,
    signal,
    headers: {
      'content-type': inBraces ? 'application/trig' : 'application/n-triples',
      ...(authorization ? { authorization } : {}),
    },
  })
  const answered = once(request, 'response').then(([response]) => readAnswer(response as IncomingMessage))
  // A refusal may come while the body is still being written. Then the store reads no more of it, and may close the
  // connection.
  let isAnswered = false
  const markAnswered = () => void (isAnswered = true)
  answered.then(markAnswered, markAnswered)
  request.on('error', () => undefined)
  try {
    // The opening brace leaves together with the head, so that a request that breaks off there is not an empty graph.
    // Without a base of another scheme, Fuseki would resolve IRIs such as <http:a> against its own address (RFC 3986,
    // section 5.2.2).
    if (inBraces) request.write('@base <x-none:/> .\n{\n')
    for await (const chunk of typeof nTriples === 'string' ? [nTriples] : nTriples) {
      if (isAnswered) break
      if (!request.write(chunk)) await Promise.race([once(request, 'drain'), answered])
    }
    if (!isAnswered) request.end(inBraces ? '\n}\n' : undefined)
    return await answered
  } finally {
    if (!request.writableFinished) request.destroy()
  }
}

async function readAnswer(response: IncomingMessage): Promise<{ status: number; text: string }> {
  let text = ''
  for await (const chunk of response) if (text.length < 500) text += String(chunk)
  return { status: response.statusCode ?? 0, text }
}
