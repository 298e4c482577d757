import { parameter } from './references.ts'
import { NOT_MODIFIED, OTHER_ERRORS } from './responses.ts'

/** The parts of an operation that differ from endpoint to endpoint. */
interface Operation {
  id: string
  summary: string
  description?: string
  /** Names of `components.parameters`. */
  parameters?: readonly string[]
  responses: object
  requestBody?: object
  deprecated?: true
}

/** The groups of operations, with their descriptions. */
export const TAGS = {
  Vocabularies: 'Vocabularies and subsets',
  Concepts: 'Concepts and their relations',
  Mappings: 'Mappings between vocabularies, and concordances',
  Reconciliation: 'The Reconciliation Service API, 0.2 and 1.0-draft: names become URIs of concepts',
  Skosmos: 'The REST API of Skosmos, for programs that were written for it',
  Ingest: 'Adding concepts',
  Formats: 'Descriptions of data formats',
  Data: 'Linked data',
  Service: 'The service itself',
}

/**
 * An Operation Object (OpenAPI 3.1, section 4.8.10).
 *
 * @example operation('Service', { id: 'getHealth', summary: 'Answers if the process runs', responses: { ... } })
 */
export function operation(tag: keyof typeof TAGS, { id, parameters = [], ...more }: Operation) {
  return {
    operationId: id,
    tags: [tag],
    ...more,
    ...(parameters.length > 0 ? { parameters: parameters.map(parameter) } : {}),
  }
}

/**
 * The answers of an endpoint with a fixed document, which comes in its own media type alone. `application/json` stands
 * beside it for generators of clients, some of which know no other JSON.
 */
export function fixedDocument(description: string, mediaType: string, schema: object) {
  return {
    200: { description, content: { [mediaType]: { schema }, 'application/json': { schema } } },
    ...NOT_MODIFIED,
    ...OTHER_ERRORS,
  }
}

/** The parameters of pages of a list. */
export const PAGE_PARAMETERS = ['limit', 'offset']
