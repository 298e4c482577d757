import type { Endpoint } from '../../interface/http/endpoint.ts'
import { TAGS } from '../../interface/openapi/operation.ts'
import { PARAMETERS } from './parameters.ts'
import { HEADERS, RESPONSES } from '../../interface/openapi/responses.ts'
import { SCHEMAS } from './schemas.ts'

/** The version of the interface, which is independent of the version of the software. */
const VERSION = '1.0.0'

const DESCRIPTION = `Controlled vocabularies for every program: lists, thesauri, classifications, subject headings.

- Answers are JSKOS, which is SKOS in JSON. Ask for Turtle, N-Triples, RDF/XML, JSON-LD or NDJSON with \`Accept\` or \`format\`;
  if the service has none of the accepted formats, the answer is JSON. This document describes the answer in JSON as
  \`content\` and the other formats as \`x-other-content\`, so that generated clients get one type.
- Lists of values are separated by \`|\`, lists of names by \`,\`. The service ignores unknown parameters. An empty parameter
  counts as absent, and a repeated one is an error.
- \`X-Total-Count\` has the number of records of a list and \`Link\` the other pages. Lists are ordered by notation, then by
  URI, and pages never overlap.
- Lists leave out values that match nothing. If nothing matches, the answer is \`200\` with \`[]\`.
- HEAD works wherever GET does. Other methods are 405 (MethodNotAllowedError), with \`Allow\`.
- Every answer has an \`ETag\`. If nothing has changed, a request with \`If-None-Match\` gets 304 at next to no cost.`

type Operations = Partial<Record<'get' | 'post', object>>

/** The operations of endpoints by path (OpenAPI 3.1, section 4.8.8). */
function pathsOf(endpoints: readonly Endpoint<never>[]): Record<string, Operations> {
  const paths = new Map<string, Operations>()
  for (const { path, get, post } of endpoints) {
    const operations = {
      ...(get?.operation && { get: get.operation }),
      ...(post?.operation && { post: post.operation }),
    }
    if (Object.keys(operations).length === 0) continue
    const name = path.replace(/[:*](\w+)/g, '{$1}')
    paths.set(name, { ...paths.get(name), ...operations })
  }
  return Object.fromEntries(paths)
}

/**
 * The description of the interface in OpenAPI 3.1.
 *
 * @param endpoints of the service; the document leaves out endpoints without an operation.
 */
export function openapiDocument(baseUrl: string, endpoints: readonly Endpoint<never>[]) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vocabulary Service',
      version: VERSION,
      summary: 'Controlled vocabularies in SKOS for every program',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    externalDocs: { description: 'The interface in words', url: `${baseUrl}docs/interface` },
    servers: [{ url: baseUrl.replace(/\/$/, '') }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    // Reading is public, and an ingest carries its account in the body.
    security: [],
    paths: pathsOf(endpoints),
    components: { schemas: SCHEMAS, parameters: PARAMETERS, responses: RESPONSES, headers: HEADERS },
  }
}
