import type { Endpoint } from '../../interface/http/endpoint.ts'
import { operation } from '../../interface/openapi/operation.ts'
import {
  json,
  MALFORMED,
  OTHER_ERRORS,
  TOO_LARGE,
  TOO_MANY,
  withOther,
  type ResponseContent,
} from '../../interface/openapi/responses.ts'
import { ref } from '../../interface/openapi/references.ts'
import { TEXT_FORMATS, type ValidationReport } from './report.ts'
import express, { type Request, type RequestHandler, type Response } from 'express'
import type { Config } from '../../config.ts'
import type { RateLimit } from '../../settings.ts'
import { ApiError } from '../../base/errors.ts'
import { givenParameters, malformed, queryOf, readParameters } from '../../interface/http/parameters.ts'
import { addressKey, countRequest, createLimiter } from '../../interface/http/rate-limits.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import { listRequest } from '../../interface/read/request.ts'
import { recordsOfVocabularies } from '../../interface/read/vocabularies.ts'
import { MOST_FORM_BYTES, readSubmission, type Submission } from './submission.ts'
import { ValidationThread } from './thread.ts'

const FORM_FIELDS = ['data', 'format', 'type', 'unknownFields', 'knownSchemes']
const FIELD_SCHEMAS = Object.fromEntries(FORM_FIELDS.map((name) => [name, { type: 'string' }]))
const OTHER_TEXTS: ResponseContent = Object.fromEntries(
  Object.values(TEXT_FORMATS)
    .flatMap(({ mediaTypes }) => mediaTypes)
    .filter((type) => type !== 'application/json')
    .map((type) => [type, { schema: { type: 'string' } }]),
)

/** POST /validate (docs/endpoints.md, "Validation"); the form for it is a page. */
export const VALIDATE_ENDPOINTS: readonly Endpoint<ValidateDependencies>[] = [
  {
    path: '/validate',
    statusName: 'validate',
    post: {
      handler: validateEndpoint,
      operation: operation('Data', {
        id: 'validate',
        summary: 'Checks JSKOS records, RDF or tables',
        description:
          'Checks JSKOS by the rules of jskos-validate, and RDF and tables by the rules that loading uses, in English or German. The service fetches nothing and keeps nothing. Forms that prefer HTML get a page.',
        parameters: [
          'validateLanguage',
          'validateFormat',
          'validateType',
          'validateUnknownFields',
          'validateKnownSchemes',
        ],
        responses: {
          200: json('The report', ref('ValidationReport'), []),
          ...MALFORMED,
          ...TOO_LARGE,
          ...TOO_MANY,
          ...OTHER_ERRORS,
        },
        requestBody: withOther(
          {
            required: true,
            content: {
              'application/json': { schema: {} },
              'application/x-www-form-urlencoded': {
                schema: {
                  type: 'object',
                  required: ['data'],
                  properties: FIELD_SCHEMAS,
                },
              },
              'multipart/form-data': {
                schema: {
                  type: 'object',
                  properties: {
                    ...FIELD_SCHEMAS,
                    file: {
                      type: 'string',
                      format: 'binary',
                      description: 'A file in any of the formats, before `data`',
                    },
                  },
                },
              },
            },
          },
          OTHER_TEXTS,
        ),
      }),
    },
  },
]

/** Texts that one address may have checked per minute. */
export const VALIDATION_LIMIT: RateLimit = { count: 120, window: 'minute' }

/** Shows the report, or the error in the text, as a page; undefined if the request does not ask for a page. */
export type ToReportPage = (
  request: Request,
  response: Response,
  submission: Submission,
  outcome: ValidationReport | ApiError,
) => string | undefined

export interface ValidateDependencies extends ReadDependencies {
  config: Config
  toReportPage: ToReportPage
}

/** POST /validate: checks JSKOS records or RDF (docs/endpoints.md, "Validation"). Fetches nothing and keeps nothing. */
function validateEndpoint(dependencies: ValidateDependencies): RequestHandler[] {
  const limiter = createLimiter(VALIDATION_LIMIT, {
    name: 'validate',
    subject: 'texts from this address',
    policy: 'address-minute',
  })
  const thread = new ValidationThread()
  return [
    refuseUrl,
    async (request, response, next) => {
      await countRequest(limiter, request, response, addressKey(request))
      next()
    },
    express.raw({ type: () => true, limit: MOST_FORM_BYTES }),
    async (request, response) => {
      const gone = new AbortController()
      response.on('close', () => gone.abort())
      const submission = await readSubmission(request)
      const { toReportPage: toPage } = dependencies
      try {
        const knownSchemes = submission.knownSchemes ? await readSchemes(dependencies, gone.signal) : undefined
        const report = await thread.run({ ...submission, knownSchemes }, addressKey(request), gone.signal)
        const page = toPage(request, response, submission, report)
        if (page === undefined) response.json(report)
        else response.send(page)
      } catch (error) {
        const page =
          error instanceof ApiError && error.status < 500 ? toPage(request, response, submission, error) : undefined
        if (page === undefined) throw error
        response.status((error as ApiError).status).send(page)
      }
    },
  ]
}

/**
 * jskos-server fetches the address in `url`. This service refuses it, because a service that fetches any given address
 * lets strangers reach into its network.
 */
export const refuseUrl: RequestHandler = (request, _response, next) => {
  const { size } = readParameters(queryOf(request), ['url'])
  if (size > 0) throw malformed('url: this service fetches nothing; send the text itself by POST')
  next()
}

/** The vocabularies of the service, with their patterns for URIs and notations of concepts. */
async function readSchemes(dependencies: ValidateDependencies, signal: AbortSignal): Promise<readonly JskosRecord[]> {
  const vocabularies = await dependencies.registry.fresh(signal)
  const parameters = givenParameters({ properties: 'identifier,namespace,uriPattern,notationPattern' })
  const uris = vocabularies.flatMap(({ uri, isSubset }) => (isSubset ? [] : [uri]))
  return recordsOfVocabularies(dependencies, await listRequest(dependencies, { parameters, signal }), uris)
}
