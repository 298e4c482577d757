import type { Request, RequestHandler, Response } from 'express'
import { ApiError } from '../../base/errors.ts'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { quoted } from '../../base/unicode.ts'
import {
  queryOf,
  readIris,
  readList,
  readPage,
  readParameters,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { beginAnswer, sendFixed, sendList, untilAnswered, type Representation } from '../../interface/http/send.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { chooseRepresentation, JSON_FORMATS } from '../../interface/representations/representations.ts'
import { literal } from '../../graph/sparql/terms.ts'
import { FILTERS, findFormats, listFormats, type FormatFilters } from './select.ts'
import { uriTerm } from './record.ts'
import { fixedDocument, operation, PAGE_PARAMETERS } from '../../interface/openapi/operation.ts'
import {
  json,
  lines,
  MALFORMED,
  NOT_FOUND,
  NOT_MODIFIED,
  STORE_ERRORS,
  withOther,
} from '../../interface/openapi/responses.ts'
import { ref } from '../../interface/openapi/references.ts'
import { FORMAT_CONTEXT, formatConstants, formatSchema } from './shapes.ts'

const [NDJSON] = JSON_FORMATS.filter(({ extension }) => extension === 'ndjson')

/** GET /formats: the records that the filters leave, in JSON or NDJSON. */
function list(dependencies: AnswerDependencies): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), ['limit', 'offset', 'format', ...FILTERS])
    const representation = chooseRepresentation(JSON_FORMATS, request, parameters)
    await sendPage(dependencies, request, response, { parameters, representation })
  }
}

/** GET /formats.ndjson: all records, because MAX_LIMIT only bounds answers for display. */
function dump(dependencies: AnswerDependencies): RequestHandler {
  const config = { ...dependencies.config, maxLimit: Number.MAX_SAFE_INTEGER }
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['limit', 'offset', ...FILTERS])
    await sendPage({ ...dependencies, config }, request, response, { parameters, representation: NDJSON! })
  }
}

async function sendPage(
  { client, answers, config }: AnswerDependencies,
  request: Request,
  response: Response,
  { parameters, representation }: { parameters: Parameters; representation: Representation },
): Promise<void> {
  const constants = formatConstants(config)
  const answer = await beginAnswer(request, response, { answers, config })
  if (!answer) return
  try {
    const page = readPage(parameters, config.maxLimit)
    const list = await listFormats({ client, constants, signal: answer.signal }, readFilters(parameters), page)
    await sendList(answer, { ...list, page, representation, baseUrl: config.baseUrl })
  } finally {
    answer.end()
  }
}

/** GET /formats/{id}: one record. */
function record({ client, config }: AnswerDependencies): RequestHandler {
  const constants = formatConstants(config)
  return async (request, response) => {
    const segments = request.params['id'] as unknown as string[]
    const id = segments.join('/')
    const candidates = [id, id.replace(/\.json$/, ''), id.replace(/\/$/, '')]
    const [formatRecord] = await findFormats({ client, constants, signal: untilAnswered(response, config).signal }, [
      ...new Set(candidates),
    ])
    if (!formatRecord) throw new ApiError('EntityNotFoundError', `There is no format record with the id ${quoted(id)}.`)
    response.json(formatRecord)
  }
}

/** Filters of format records by their links, in the OpenAPI document. */
const FORMAT_FILTERS = ['formatApplication', 'formatModel', 'formatBase', 'formatFor', 'formatProfiles', 'formatType']
const FORMATS = json('The records', { type: 'array', items: ref('Format') }, ['X-Total-Count', 'Link', 'ETag'])
const READING = { ...NOT_MODIFIED, ...MALFORMED, ...STORE_ERRORS }

/** The endpoints of format records (docs/endpoints.md, "Format records"). */
export const FORMAT_ENDPOINTS: readonly Endpoint<AnswerDependencies>[] = [
  {
    path: '/formats',
    get: {
      handler: list,
      operation: operation('Formats', {
        id: 'getFormats',
        summary: 'Records that describe data formats',
        parameters: [...FORMAT_FILTERS, ...PAGE_PARAMETERS, 'formatsFormat'],
        responses: { 200: withOther(FORMATS, lines()), ...READING },
      }),
    },
  },
  {
    path: '/formats.ndjson',
    get: {
      handler: dump,
      operation: operation('Formats', {
        id: 'downloadFormats',
        summary: 'All format records, one a line',
        parameters: [...FORMAT_FILTERS, ...PAGE_PARAMETERS],
        responses: { 200: withOther({ description: 'The records' }, lines()), ...READING },
      }),
    },
  },
  {
    path: '/formats/schema.json',
    get: {
      handler: ({ config }) => sendFixed('application/schema+json', pretty(formatSchema(formatConstants(config)))),
      operation: operation('Formats', {
        id: 'getFormatSchema',
        summary: 'The JSON Schema of format records',
        responses: fixedDocument('The schema', 'application/schema+json', ref('JsonSchema')),
      }),
    },
  },
  {
    path: '/formats/context.json',
    get: {
      handler: () => sendFixed('application/ld+json', pretty(FORMAT_CONTEXT)),
      operation: operation('Formats', {
        id: 'getFormatContext',
        summary: 'The JSON-LD context of format records',
        responses: fixedDocument('The context', 'application/ld+json', ref('JsonLdContext')),
      }),
    },
  },
  {
    path: '/formats/*id',
    get: {
      handler: record,
      operation: operation('Formats', {
        id: 'getFormat',
        summary: 'One record that describes a data format',
        parameters: ['formatId'],
        responses: { 200: json('The record', ref('Format')), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
]

function pretty(document: object): string {
  return `${JSON.stringify(document, null, 2)}\n`
}

function readFilters(parameters: Parameters): FormatFilters {
  const filters = Object.fromEntries(
    FILTERS.filter((name) => name !== 'type').map((name) => [
      name,
      readList(parameters, name).map((id) => literal(id)),
    ]),
  )
  return { ...filters, type: readIris(parameters, 'type').map(uriTerm) }
}
