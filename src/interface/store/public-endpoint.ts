import type { RequestHandler } from 'express'
import { unavailable } from '../../base/errors.ts'
import { MAXIMA } from '../http/maxima.ts'
import { protocolRequest, readBody, sendAnswer, untilClosed } from './http.ts'
import type { StoreThreads } from './threads.ts'

const TOO_MANY_UNREAD = 'Too many answers have not been read by their clients yet.'

/**
 * The store for the public: only queries of the SPARQL 1.1 Protocol, by GET and POST. `Accept` chooses among all
 * formats; if it names none of them, the answer has the default format.
 *
 * @param mostUnreadBytes the maximum memory of all answers together that clients have not read yet
 * @throws ApiError ServiceUnavailableError while other answers take up this memory
 */
export function publicEndpoint(threads: () => StoreThreads, mostUnreadBytes: number): RequestHandler[] {
  let unreadBytes = 0
  const answer: RequestHandler = async (request, response) => {
    if (unreadBytes >= mostUnreadBytes) throw unavailable(TOO_MANY_UNREAD)
    const { contentType, body } = await threads().publicQuery(protocolRequest(request), untilClosed(response))
    if (response.destroyed) return
    if (unreadBytes + body.byteLength > mostUnreadBytes) throw unavailable(TOO_MANY_UNREAD)
    unreadBytes += body.byteLength
    response.once('close', () => (unreadBytes -= body.byteLength))
    sendAnswer(response, { contentType, body })
  }
  return [readBody(MAXIMA.sparqlBody.most), answer]
}
