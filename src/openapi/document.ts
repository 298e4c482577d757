import type { RequestHandler } from 'express'
import { PARAMETERS } from './parameters.ts'
import { HISTORY_PATHS, PATHS } from './paths.ts'
import { HEADERS, RESPONSES } from './responses.ts'
import { SCHEMAS } from './schemas.ts'

/** The version of the interface, which differs from that of the software. */
const VERSION = '1.0.0'

const DESCRIPTION = `Controlled vocabularies for every program: lists, thesauri, classifications, subject headings.

- Answers are JSKOS, which is SKOS in JSON. Ask for Turtle, N-Triples, JSON-LD or NDJSON with \`Accept\` or \`format\`; if
  no accepted form exists, the answer is JSON.
- Lists of values are separated by \`|\`, lists of names by \`,\`. The service ignores unknown parameters; an empty one counts as
  absent; one that appears twice is an error.
- \`X-Total-Count\` has the number of records of a list and \`Link\` the other pages. Lists are ordered by notation, then by
  URI, and pages never overlap.
- Lists leave out values that match nothing. If nothing matches, the answer is \`200\` with \`[]\`.
- HEAD works wherever GET does. Other methods are 405 (MethodNotAllowedError), with \`Allow\`.
- Every answer has an \`ETag\`. If nothing has changed, a request with \`If-None-Match\` gets 304 at next to no cost.`

const TAGS = {
  Vocabularies: 'Vocabularies and subsets',
  Concepts: 'Concepts and their relations',
  Reconciliation: 'The Reconciliation Service API, 0.2 and 1.0-draft: names become URIs of concepts',
  Ingest: 'Adding concepts',
  Formats: 'Descriptions of data formats',
  Data: 'Linked data',
  Service: 'The service itself',
}

/**
 * The description of the interface in OpenAPI 3.1.
 *
 * @param hasHistory false if the service keeps no history: then its endpoints are left out.
 */
export function openapiDocument(baseUrl: string, hasHistory = true) {
  return {
    openapi: '3.1.1',
    info: {
      title: 'Vocabulary Service',
      version: VERSION,
      summary: 'Controlled vocabularies in SKOS for every program',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: baseUrl.replace(/\/$/, '') }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    // Reading is public, and an ingest carries its account in the body.
    security: [],
    paths: hasHistory ? { ...PATHS, ...HISTORY_PATHS } : PATHS,
    components: { schemas: SCHEMAS, parameters: PARAMETERS, responses: RESPONSES, headers: HEADERS },
  }
}

/** GET /openapi.json */
export function openapi(document: object): RequestHandler {
  const body = Buffer.from(JSON.stringify(document, null, 2))
  return (_request, response) => {
    response.type('json').send(body)
  }
}
