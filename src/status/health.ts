import type { RequestHandler } from 'express'
import { unavailable } from '../errors.ts'
import type { Metrics } from '../http/metrics.ts'
import type { Replica } from '../memory/replica.ts'
import type { SparqlClient } from '../sparql/client.ts'

/** Milliseconds for an answer of the store to the question if it is there. */
export const READY_MS = 2000

/** GET /healthz: the process runs. */
export function health(): RequestHandler {
  return (_request, response) => {
    response.json({ ok: 1 })
  }
}

/** GET /readyz: the store answers; a replica is not too far behind its primary. */
export function readiness({ client, replica }: { client: SparqlClient; replica?: Replica }): RequestHandler {
  return async (_request, response) => {
    await client.ask({ name: 'readyz', text: 'ASK {}' }, { timeoutMs: READY_MS }).catch((cause: unknown) => {
      throw unavailable('The store does not answer.', { cause })
    })
    if (replica && !(await replica.isReady())) {
      throw unavailable('The replica is behind its primary.')
    }
    response.json({ ok: 1 })
  }
}

/** GET /metrics: figures in the text format of Prometheus. */
export function figures({ metrics }: { metrics: Metrics }): RequestHandler {
  return async (_request, response) => {
    const { contentType, body } = await metrics.text()
    response.setHeader('Content-Type', contentType)
    response.send(Buffer.from(body))
  }
}
