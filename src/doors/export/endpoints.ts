import type { Endpoint } from '../../interface/http/endpoint.ts'
import { operation } from '../../interface/openapi/operation.ts'
import {
  MALFORMED,
  NOT_FOUND,
  NO_RANGE,
  NOT_MODIFIED,
  STORE_ERRORS,
  textResponse,
  withHeaders,
  withOther,
} from '../../interface/openapi/responses.ts'
import { anyObject } from '../../interface/openapi/references.ts'
import { EXPORT_FORMATS } from './export.ts'
import { exportEndpoint, type ExportDependencies } from './endpoint.ts'

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
          ...NO_RANGE,
          ...STORE_ERRORS,
        },
      }),
    },
  },
]
