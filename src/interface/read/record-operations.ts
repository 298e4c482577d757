import { FACETS_HEADER, REPLACED_HEADER } from '../http/headers.ts'
import { operation } from '../openapi/operation.ts'
import { anyObject, parameter, ref } from '../openapi/references.ts'
import {
  json,
  MALFORMED,
  NO_PAST,
  NOT_FOUND,
  NOT_MODIFIED,
  pageContent,
  STORE_ERRORS,
  TOO_LARGE,
  withOther,
  type ResponseContent,
} from '../openapi/responses.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import type { ReadDependencies } from './dependencies.ts'
import { COMMON_PARAMETERS, READ_PARAMETERS } from './parameters.ts'
import { REPRESENTATIONS } from '../representations/representations.ts'
import type { Route } from './route.ts'

const RECORD_HEADERS = ['X-Total-Count', 'Link', 'ETag', 'Last-Modified', 'Content-Language']

const JSON_LD = {
  type: 'object',
  required: ['@context', '@graph'],
  properties: {
    '@context': anyObject('The same as at /context.json'),
    '@graph': { type: 'array', items: { ...anyObject(), required: ['uri'] } },
  },
}

/** Records in every format but JSON, which is the first of the table. */
const OTHER_FORMATS: ResponseContent = Object.fromEntries(
  REPRESENTATIONS.slice(1).map(({ mediaType }) => [
    mediaType,
    { schema: mediaType === 'application/ld+json' ? JSON_LD : { type: 'string', description: 'The records as text' } },
  ]),
)

/** A list of records in all formats. */
export function records(
  schema: string,
  description: string,
  { headers = [], hasPage = false }: { headers?: readonly string[]; hasPage?: boolean } = {},
) {
  const answer = json(description, { type: 'array', items: ref(schema) }, [...RECORD_HEADERS, ...headers])
  return withOther(answer, { ...OTHER_FORMATS, ...(hasPage ? pageContent() : {}) })
}

/** Endpoints that give browsers a page. */
const WITH_PAGE = ['/data', '/voc/:vocid', '/voc/:vocid/groups']

/** Endpoints whose parameters `uri` and `id` find vocabularies as well as concepts. */
const FINDS_VOCABULARIES = ['/data', '/concepts']

/** The operation of GET for a list of records, from its line in the table or the `#+` lines of its template. */
export function getRecords<Dependencies extends ReadDependencies>(route: Route<Dependencies>) {
  const {
    path,
    template,
    summary,
    description,
    parameters = [],
    ignores = [],
    limit,
    records: kind = 'Concept',
    notFound,
    forgives,
  } = route
  const schema = FINDS_VOCABULARIES.includes(path) ? 'ConceptOrVocabulary' : kind
  const of = template === undefined ? { summary, description } : queryTemplate(template)
  const common = Object.entries(COMMON_PARAMETERS).filter(([name]) => !(ignores as readonly string[]).includes(name))
  return {
    operationId: operationId(route, 'get'),
    tags: [kind === 'Concept' || kind === 'Collection' ? 'Concepts' : 'Vocabularies'],
    summary: of.summary,
    ...(of.description ? { description: of.description } : {}),
    parameters: [
      ...[...path.matchAll(/:(\w+)/g)].map(([, name]) => parameter(name!)),
      ...parameters.map(parameter),
      // Endpoints have different limits.
      ...common.map(([name, described]) =>
        name === 'limit' && limit !== undefined
          ? { ...described, schema: { ...described.schema, default: limit } }
          : parameter(name),
      ),
    ],
    responses: {
      200: route.representation
        ? suggestionsOr(kind, forgives ? [REPLACED_HEADER] : [])
        : records(schema, 'The records', {
            headers: [
              ...(parameters.includes('download') ? ['Content-Disposition'] : []),
              ...(forgives ? [REPLACED_HEADER] : []),
              ...(parameters.includes('facets') ? [FACETS_HEADER] : []),
            ],
            hasPage: WITH_PAGE.includes(path),
          }),
      ...NOT_MODIFIED,
      ...MALFORMED,
      ...(notFound ? NOT_FOUND : {}),
      ...(parameters.includes('at') ? NO_PAST : {}),
      ...STORE_ERRORS,
    },
  }
}

/** Suggestions, or with `format=jskos` the records. */
function suggestionsOr(kind: string, headers: readonly string[]) {
  // schemathesis cannot read `prefixItems` in the schema that an answer itself names.
  const schema = { allOf: [ref('Suggestions')] }
  const suggestions = json('The suggestions', schema, ['X-Total-Count', 'Link', 'ETag', ...headers])
  return withOther(suggestions, { 'application/json': { schema: { type: 'array', items: ref(kind) } } })
}

/** The operation of POST with a form. */
export function postForm<Dependencies extends ReadDependencies>(route: Route<Dependencies>) {
  const names = [...(route.parameters ?? []).map((key) => READ_PARAMETERS[key].name), ...Object.keys(COMMON_PARAMETERS)]
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  return {
    ...operation('Concepts', {
      id: operationId(route, 'post'),
      summary: 'The same, for lists that are too long for a URL',
      responses: {
        200: records('ConceptOrVocabulary', 'The records'),
        ...MALFORMED,
        ...NO_PAST,
        ...TOO_LARGE,
        ...STORE_ERRORS,
      },
    }),
    requestBody: {
      required: true,
      content: { 'application/x-www-form-urlencoded': { schema: { type: 'object', properties } } },
    },
  }
}

/** The operation id of a route; `/narrower` has getNarrower. */
function operationId(
  { path, operationId: id }: Pick<Route<never>, 'path' | 'operationId'>,
  method: 'get' | 'post',
): string {
  const words = path.split(/\W+/).map((word) => word.charAt(0).toUpperCase() + word.slice(1))
  return id ?? method + words.join('')
}
