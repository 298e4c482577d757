/** Reading requests of the SPARQL Protocol and sending answers, for both endpoints of the store. */
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { ProtocolAnswer, ProtocolRequest } from './protocol.ts'

/** Reads a body of any type. */
export function readBody(mostBytes: number): RequestHandler {
  return express.raw({ type: () => true, limit: mostBytes })
}

/** A request of the SPARQL Protocol whose body was read. */
export function protocolRequest(request: Request): ProtocolRequest {
  const isPost = request.method === 'POST'
  const body = request.body as Uint8Array | undefined
  return {
    search: searchOf(request),
    accept: request.headers.accept,
    contentType: isPost ? (request.headers['content-type'] ?? '') : undefined,
    body: isPost && body ? body : new Uint8Array(),
  }
}

/** The query string of a request, without the question mark. */
export function searchOf({ url }: Request): string {
  return url.includes('?') ? url.slice(url.indexOf('?') + 1) : ''
}

/** Sends an answer, whose length is known. */
export function sendAnswer(response: Response, { contentType, body }: ProtocolAnswer): void {
  response.setHeader('Content-Type', contentType)
  response.setHeader('Content-Length', body.byteLength)
  response.vary('Accept')
  response.end(body)
}

/** Aborted when the client goes away. */
export function untilClosed(response: Response): AbortSignal {
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  return gone.signal
}
