import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { queryOf, quoted, readIris, readList, readPage, readParameters, type Parameters } from '../http/parameters.ts'
import { sendList, untilAnswered, type Representation } from '../http/send.ts'
import type { ReadDependencies } from '../read/describe.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../read/representations.ts'
import { literal } from '../sparql/terms.ts'
import { FILTERS, findFormats, listFormats, type FormatFilters } from './select.ts'
import { uriTerm } from './record.ts'
import { CONTEXT, formatConstants, formatSchema } from './shapes.ts'

/** The endpoints of format records by path (docs/interface.md, "Format records"); the first path that fits counts. */
export function formatEndpoints(dependencies: ReadDependencies, config: Config): [path: string, RequestHandler][] {
  const { client, revalidation, answers } = dependencies
  const constants = formatConstants(config)
  const json = REPRESENTATIONS.filter(({ extension }) => ['json', 'ndjson'].includes(extension))
  const ndjson = json.filter(({ extension }) => extension === 'ndjson')

  const sendPage = (
    request: Request,
    response: Response,
    parameters: Parameters,
    representation: Representation,
    maxLimit: number,
  ) =>
    sendList(request, response, { revalidation, answers, config, representation }, async (signal) => {
      const page = readPage(parameters, maxLimit)
      return { ...(await listFormats({ client, constants, signal }, readFilters(parameters), page)), page }
    })

  const list: RequestHandler = async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), ['limit', 'offset', 'format', ...FILTERS])
    const format = parameters.get('format')
    const asked = format === undefined ? undefined : { name: 'format', value: format }
    const representation = chooseRepresentation(json, request, asked)
    await sendPage(request, response, parameters, representation, config.maxLimit)
  }

  // All records, because MAX_LIMIT only bounds answers for display.
  const dump: RequestHandler = async (request, response) => {
    const parameters = readParameters(queryOf(request), ['limit', 'offset', ...FILTERS])
    await sendPage(request, response, parameters, ndjson[0]!, Number.MAX_SAFE_INTEGER)
  }

  const record: RequestHandler = async (request, response) => {
    const segments = request.params['id'] as unknown as string[]
    const id = segments.join('/')
    const candidates = [id, id.replace(/\.json$/, ''), id.replace(/\/$/, '')]
    const [found] = await findFormats({ client, constants, signal: untilAnswered(response, config).signal }, [
      ...new Set(candidates),
    ])
    if (!found) throw new ApiError('EntityNotFoundError', `There is no format record with the id ${quoted(id)}.`)
    response.json(found)
  }

  return [
    ['/formats', list],
    ['/formats.ndjson', dump],
    ['/formats/schema.json', document('application/schema+json', formatSchema(constants))],
    ['/formats/context.json', document('application/ld+json', CONTEXT)],
    ['/formats/*id', record],
  ]
}

function document(mediaType: string, content: object): RequestHandler {
  const body = Buffer.from(`${JSON.stringify(content, null, 2)}\n`)
  return (_request, response) => {
    response.type(mediaType).send(body)
  }
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
