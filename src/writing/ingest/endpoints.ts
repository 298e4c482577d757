import type { RequestHandler } from 'express'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { operation } from '../../interface/openapi/operation.ts'
import { INGEST_ERRORS, json } from '../../interface/openapi/responses.ts'
import { ref } from '../../interface/openapi/references.ts'

export interface IngestHandlers {
  /** POST /ingest; undefined if the application only reads. */
  ingest?: RequestHandler[] | undefined
}

/** POST /ingest (docs/ingest.md, "Ingest"). */
export const INGEST_ENDPOINTS: readonly Endpoint<IngestHandlers>[] = [
  {
    path: '/ingest',
    absent: ({ ingest }) => (ingest ? undefined : 'This service accepts no concepts.'),
    post: {
      handler: ({ ingest }) => ingest!,
      operation: operation('Ingest', {
        id: 'ingest',
        summary: 'Adds concepts to a vocabulary',
        description:
          'Adds all concepts or none. The account in each object of the body is for one vocabulary. The body is JSON with any Content-Type. The editors of the vocabulary get an e-mail.',
        parameters: ['idempotencyKey'],
        responses: {
          201: json('The concepts as stored', { type: 'array', items: ref('Concept') }, ['Location']),
          ...INGEST_ERRORS,
        },
        requestBody: {
          required: true,
          content: { 'application/json': { schema: { type: 'array', minItems: 1, items: ref('IngestRequest') } } },
        },
      }),
    },
  },
]
