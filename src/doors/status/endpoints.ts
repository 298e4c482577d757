import type { Endpoint } from '../../interface/http/endpoint.ts'
import type { Metrics } from '../../interface/http/metrics.ts'
import { testApiCalls } from '../../interface/http/addresses.ts'
import { sendFixed } from '../../interface/http/send.ts'
import { CONTEXT } from '../../graph/jskos/context.ts'
import { fixedDocument, operation } from '../../interface/openapi/operation.ts'
import {
  json,
  NOT_MODIFIED,
  OTHER_ERRORS,
  pageContent,
  STORE_ERRORS,
  textResponse,
  withOther,
} from '../../interface/openapi/responses.ts'
import { anyObject, ref } from '../../interface/openapi/references.ts'
import { figures, health, readiness, type ReadinessDependencies } from './health.ts'
import { start, status, statusSchema, type StatusDependencies } from './status.ts'

/** The dependencies of the endpoints about the service itself. */
export interface ServiceDependencies extends StatusDependencies, ReadinessDependencies {
  metrics: Metrics
  /** The description of the interface in OpenAPI 3.1. */
  openapi: object
}

/**
 * The endpoints about the service itself.
 *
 * @example mountEndpoints(app, SERVICE_ENDPOINTS, { client, config, endpoints, metrics, openapi })
 */
export const SERVICE_ENDPOINTS: readonly Endpoint<ServiceDependencies>[] = [
  {
    path: '/status',
    get: {
      handler: status,
      operation: operation('Service', {
        id: 'getStatus',
        summary: 'The endpoints, and the state of the store',
        responses: {
          200: json('The store answers', ref('Status'), []),
          503: json('The store does not answer', ref('Status'), []),
          ...OTHER_ERRORS,
        },
      }),
    },
  },
  {
    path: '/status.schema.json',
    get: {
      handler: statusSchema,
      operation: operation('Service', {
        id: 'getStatusSchema',
        summary: 'The JSON Schema of /status',
        responses: fixedDocument('The schema', 'application/schema+json', ref('JsonSchema')),
      }),
    },
  },
  {
    path: '/healthz',
    get: {
      handler: health,
      operation: operation('Service', {
        id: 'getHealth',
        summary: 'Answers if the process runs',
        responses: { 200: json('The process runs', ref('Health'), []), ...OTHER_ERRORS },
      }),
    },
  },
  {
    path: '/readyz',
    get: {
      handler: readiness,
      operation: operation('Service', {
        id: 'getReadiness',
        summary: 'Answers 200 if the store answers',
        responses: { 200: json('The store answers', ref('Readiness'), []), 503: STORE_ERRORS[503], ...OTHER_ERRORS },
      }),
    },
  },
  {
    path: '/metrics',
    get: {
      handler: figures,
      operation: operation('Service', {
        id: 'getMetrics',
        summary: 'Figures for Prometheus',
        responses: { 200: textResponse('In the text format of Prometheus', 'text/plain'), ...OTHER_ERRORS },
      }),
    },
  },
  {
    path: '/openapi.json',
    get: {
      handler: ({ openapi }) => sendFixed('application/json', JSON.stringify(openapi, null, 2)),
      operation: operation('Service', {
        id: 'getOpenapi',
        summary: 'This document',
        responses: {
          200: json('The document', { ...anyObject(), required: ['openapi'] }),
          ...NOT_MODIFIED,
          ...OTHER_ERRORS,
        },
      }),
    },
  },
  {
    path: '/context.json',
    get: {
      handler: () => sendFixed('application/ld+json', JSON.stringify(CONTEXT)),
      operation: operation('Data', {
        id: 'getContext',
        summary: 'The JSON-LD context of JSON-LD answers',
        responses: {
          200: { description: 'The context', content: { 'application/ld+json': { schema: ref('JsonLdContext') } } },
          ...NOT_MODIFIED,
          ...OTHER_ERRORS,
        },
      }),
    },
  },
  {
    path: '/',
    get: {
      handler: start,
      operation: operation('Service', {
        id: 'getStart',
        summary: 'Links to begin with',
        responses: { 200: withOther(json('The links', ref('Start')), pageContent()), ...NOT_MODIFIED, ...OTHER_ERRORS },
      }),
    },
  },
  {
    path: '/testAPICalls',
    get: {
      handler: () => testApiCalls,
      operation: operation('Service', {
        id: 'testApiCalls',
        summary: 'A request that an old client sends at its start',
        responses: {
          200: json('A list of one', { type: 'array', items: ref('Item'), minItems: 1 }),
          ...NOT_MODIFIED,
          ...OTHER_ERRORS,
        },
        deprecated: true,
      }),
    },
  },
]
