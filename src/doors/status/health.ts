import type { RequestHandler } from 'express'
import { unavailable } from '../../base/errors.ts'
import type { Metrics } from '../../interface/http/metrics.ts'
import type { Replica } from '../../graph/memory/replica.ts'
import type { SearchIndex } from '../../interface/search/search-index.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { until } from '../../base/clock.ts'

/** Milliseconds for an answer of the store to the question if it is there. */
export const READY_MS = 2000

/** GET /healthz: the process runs. */
export function health(): RequestHandler {
  return (_request, response) => {
    response.json({ ok: 1 })
  }
}

/** The store, index and other dependencies that `readiness` checks. */
export interface ReadinessDependencies {
  client: SparqlClient
  replica?: Replica
  index: Pick<SearchIndex, 'isReady'>
}

/**
 * GET /readyz: the store answers; a replica is not too far behind its primary. `degraded` names the parts that do not
 * answer yet, although the instance can take requests.
 */
export function readiness({ client, replica, index }: ReadinessDependencies): RequestHandler {
  return async (_request, response) => {
    await client.ask({ name: 'readyz', text: 'ASK {}' }, { timeoutMs: READY_MS }).catch((cause: unknown) => {
      throw unavailable('The store does not answer.', { cause })
    })
    if (replica && !(await replica.isReady())) {
      throw unavailable('The replica is behind its primary.')
    }
    const late = () => unavailable('The search index does not answer.')
    const canSearch = await until(READY_MS, index.isReady(), late).catch(() => false)
    response.json({ ok: 1, ...(canSearch ? {} : { degraded: ['search'] }) })
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
