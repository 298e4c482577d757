import type { Endpoint } from '../../interface/http/endpoint.ts'
import { operation } from '../../interface/openapi/operation.ts'
import {
  MALFORMED,
  NOT_FOUND,
  NO_RANGE,
  PRECONDITION_FAILED,
  NOT_MODIFIED,
  STORE_ERRORS,
  textResponse,
  withHeaders,
  withOther,
} from '../../interface/openapi/responses.ts'
import { anyObject } from '../../interface/openapi/references.ts'
import { EXPORT_FORMATS, type ExportFormat, type ExportSource } from './export.ts'
import type { Request, RequestHandler, Response } from 'express'
import { ApiError, unavailable } from '../../base/errors.ts'
import { CONCEPT, CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { codeOf } from '../../base/thrown.ts'
import { acceptedEncoding, linkHeader } from '../../interface/http/headers.ts'
import { malformed, queryOf, readIris, readParameters } from '../../interface/http/parameters.ts'
import { contentType, sendFile, type FileAnswer } from '../../interface/http/send.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { landingPage } from '../../interface/read/landing-page.ts'
import { chooseRepresentation } from '../../interface/representations/representations.ts'
import { zippedFile, type Dump, type Dumps } from './dumps.ts'
import { exportedConcept, wholeVocabulary } from './records.ts'
import { resourceSource } from './resource.ts'

const NODE_OBJECTS = { type: 'array', items: { ...anyObject(), required: ['@id'] } }
const [USUAL, ...OTHERS] = EXPORT_FORMATS
/** A file in each format. */
const FILE = withOther(
  withHeaders(textResponse('The file', USUAL!.mediaType), ['ETag', 'Content-Disposition']),
  Object.fromEntries(
    OTHERS.map(({ mediaType, title }) => [
      mediaType,
      { schema: mediaType === 'application/ld+json' ? NODE_OBJECTS : { type: 'string', description: title } },
    ]),
  ),
)

/** A range of a file. */
const RANGE = withHeaders(textResponse('The bytes that `Range` names', USUAL!.mediaType), ['ETag'])

/** Whole vocabularies as files (docs/endpoints.md, "Downloads"). */
export const EXPORT_ENDPOINTS: readonly Endpoint<ExportDependencies>[] = [
  {
    path: '/voc/:vocid/export',
    get: {
      handler: exportEndpoint,
      operation: operation('Vocabularies', {
        id: 'exportVocabulary',
        summary: 'A whole vocabulary or subset as a file',
        description:
          'Everything in the graph except the bookkeeping of the service. NDJSON has the record of the vocabulary and the records of all concepts and collections, with all fields. Loading the file again changes nothing. RDF/XML cannot name every property; if a property has no name in XML, the answer is 400.',
        parameters: ['vocid', 'exportUri', 'exportFormat'],
        responses: {
          200: FILE,
          206: RANGE,
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NOT_FOUND,
          ...PRECONDITION_FAILED,
          ...NO_RANGE,
          ...STORE_ERRORS,
        },
      }),
    },
  },
]

/** The dependencies of downloads. */
export interface ExportDependencies extends AnswerDependencies {
  /** Whole vocabularies as files; undefined: all downloads are streamed. */
  dumps?: Dumps | undefined
}

/** The most exports under way: each holds a connection to the store until its client has read all. */
const MOST_AT_ONCE = 16

/**
 * GET /voc/{vocid}/export: a whole vocabulary or subset as a file, as `vocab export` writes it; with `uri` all that it
 * says about one resource (docs/endpoints.md, "Downloads").
 */
function exportEndpoint(dependencies: ExportDependencies): RequestHandler {
  const { config, dumps, registry } = dependencies
  let underWay = 0
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), ['format', 'uri'])
    const format = chooseRepresentation(EXPORT_FORMATS, request, parameters)
    const uris = readIris(parameters, 'uri')
    if (uris.length > 1) throw malformed('uri: expected one IRI, got several')
    const [resource] = uris
    const vocid = String(request.params['vocid'])
    const { mediaType, write } = format
    const read = async (signal: AbortSignal): Promise<FileAnswer> => {
      const vocabulary = await registry.require(vocid)
      const { uri, ids } = vocabulary
      const source: ExportSource =
        resource === undefined
          ? wholeVocabulary(dependencies, vocabulary, { signal })
          : {
              ...resourceSource(dependencies, uri, resource, signal),
              records: () => exportedConcept(dependencies, { voc: uri, uri: resource }, signal),
            }
      setPageLink(response, config.baseUrl, { uri, ids, resource })
      const name = resource === undefined ? ids[0] : resource.split(/[/#:?=&]/).at(-1) || undefined
      return { chunks: write(source), fileName: fileName(name, format) }
    }
    if (dumps && resource === undefined) {
      const vocabulary = await registry.require(vocid)
      const dump = await dumps.use(vocabulary, format)
      const name = fileName(vocabulary.ids[0], format)
      setPageLink(response, config.baseUrl, vocabulary)
      if (dump && (await sendDump(request, response, { dumps, dump, mediaType, name }))) return
    }
    // Only streams hold a connection to the store.
    if (underWay >= MOST_AT_ONCE) throw unavailable('Too many downloads are under way.')
    underWay++
    try {
      await sendFile(request, response, { ...dependencies, config, mediaType }, read)
    } finally {
      underWay--
    }
  }
}

/** Names the page of what a download has, for machines (FAIR Signposting). */
function setPageLink(
  response: Response,
  baseUrl: string,
  { uri, ids, resource }: Pick<Vocabulary, 'uri' | 'ids'> & { resource?: string | undefined },
): void {
  const page = landingPage(
    resource === undefined ? { uri, type: [CONCEPT_SCHEME], notation: ids } : { uri: resource, type: [CONCEPT] },
  )
  const relation = resource === undefined ? 'collection' : 'describes'
  const links = linkHeader([{ relation, href: baseUrl + page!, mediaType: 'text/html' }])
  if (links) response.setHeader('Link', links)
}

function fileName(name: string | undefined, { extension }: ExportFormat): string {
  return `${name ?? 'vocabulary'}.${extension}`
}

/** The encodings in which a dump is there. */
const ENCODINGS = ['gzip', 'identity']

/**
 * Sends a dump, or the range of it that the request names (RFC 9110, section 14). Each encoding has an ETag of its own,
 * a strong one, because ranges of two encodings do not fit together.
 *
 * @returns false if the dump is gone.
 * @throws ApiError RangeNotSatisfiableError, PreconditionFailedError; the error of the system.
 */
async function sendDump(
  request: Request,
  response: Response,
  { dumps, dump, mediaType, name }: { dumps: Dumps; dump: Dump; mediaType: string; name: string },
): Promise<boolean> {
  const isZipped = acceptedEncoding(request, ENCODINGS, ['gzip']) === 'gzip'
  const usual = response.getHeader('Cache-Control')!
  response.attachment(name)
  response.setHeader('Content-Type', contentType(mediaType))
  const etag = `"${dump.sha256.slice(0, 40)}${isZipped ? '-gzip' : ''}"`
  response.setHeader('ETag', etag)
  // A proxy that compresses would end the ranges.
  response.setHeader('Cache-Control', `${String(usual)}, no-transform`)
  if (isZipped) response.setHeader('Content-Encoding', 'gzip')
  const bytes = isZipped ? dump.gzipBytes : dump.bytes
  // The library would take a weak ETag for the strong one.
  const condition = request.headers['if-range']
  if (condition !== undefined && condition !== etag) delete request.headers.range
  // The last bytes of a shorter file are all of it; the library would take them for a range beyond its end.
  const [, last] = /^bytes=\s*-(\d+)\s*$/i.exec(request.headers.range ?? '') ?? []
  if (Number(last) > bytes) request.headers.range = 'bytes=0-'
  const options = { root: dumps.folder, dotfiles: 'allow', cacheControl: false, lastModified: false } as const
  const file = isZipped ? zippedFile(dump) : dump.file
  const failure = await new Promise<Error | undefined>((resolve) => response.sendFile(file, options, resolve))
  if (!failure || response.headersSent || response.destroyed) return true
  for (const header of ['Content-Encoding', 'Content-Disposition', 'ETag']) response.removeHeader(header)
  response.setHeader('Cache-Control', usual)
  if (codeOf(failure) === 'ENOENT') return false
  const status = 'status' in failure ? failure.status : undefined
  if (status === 412) throw new ApiError('PreconditionFailedError', 'If-Match: the file has another ETag')
  if (status !== 416) throw failure
  response.setHeader('Content-Range', `bytes */${bytes}`)
  throw new ApiError('RangeNotSatisfiableError', `Range: expected bytes from 0 to ${bytes - 1}`)
}
