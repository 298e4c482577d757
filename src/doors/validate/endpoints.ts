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
import { validateEndpoint, type ValidateDependencies } from './endpoint.ts'
import { TEXT_FORMATS } from './report.ts'

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
