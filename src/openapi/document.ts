import type { RequestHandler } from 'express'
import { PARAMETERS } from './parameters.ts'
import { PATHS } from './paths.ts'
import { HEADERS, RESPONSES } from './responses.ts'
import { SCHEMAS } from './schemas.ts'

/** The version of the interface, which is not that of the software. */
const VERSION = '1.0.0'

const DESCRIPTION = `Controlled vocabularies for every program: lists, thesauri, classifications, subject headings.

- Answers are JSKOS, a form of SKOS in JSON. \`Accept\` or \`format\` ask for Turtle, N-Triples, JSON-LD or NDJSON; where
  nothing that is accepted can be had the answer is JSON.
- Parameters that are lists of values are separated by \`|\`, lists of names by \`,\`. Unknown parameters are ignored; an
  empty one is as if absent; one that comes twice is an error.
- Lists say in \`X-Total-Count\` how many records there are and in \`Link\` where the other pages are. Their order is by
  notation, then by URI, and pages never overlap.
- What is not found in a list is left out: the answer is \`200\` with \`[]\`.
- HEAD is there wherever GET is. Other methods are 405 (MethodNotAllowedError), with \`Allow\`.
- Every answer has an \`ETag\`. With \`If-None-Match\` an answer that has not changed is 304 and costs next to nothing.`

const TAGS = {
  Vocabularies: 'What there is',
  Concepts: 'What is in it, and how it hangs together',
  Ingest: 'Adding concepts',
  Formats: 'Descriptions of data formats',
  Data: 'For linked data',
  Service: 'The service itself',
}

/** The description of the interface in OpenAPI 3.1. */
export function openapiDocument(baseUrl: string) {
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
    // Reading is public, and an ingest has its account in the body.
    security: [],
    paths: PATHS,
    components: { schemas: SCHEMAS, parameters: PARAMETERS, responses: RESPONSES, headers: HEADERS },
  }
}

/** GET /openapi.json */
export function openapi(baseUrl: string): RequestHandler {
  const body = Buffer.from(JSON.stringify(openapiDocument(baseUrl), null, 2))
  return (_request, response) => {
    response.type('json').send(body)
  }
}
