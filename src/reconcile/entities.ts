import { readProperties } from '../jskos/properties.ts'
import { nameOf } from '../jskos/names.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { CONCEPT } from '../namespaces.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import { recordsOfConcepts } from '../read/concepts.ts'
import type { ListRequest, View } from '../read/request.ts'

/** The same array each time, so that the properties for the same text are made once. */
const NO_DEFAULTS: readonly string[] = []

/** A concept as clients of reconciliation see it. */
export interface Entity {
  id: string
  name: string
  /** Notation and path from the top; at the address for all vocabularies also the name of its vocabulary. */
  description: string
  type: { id: string; name: string }[]
}

/**
 * The records of concepts by URI, in few requests to the store.
 *
 * @param properties as in the parameter `properties`.
 * @example
 * const records = await recordsByUri(dependencies, request, uris, ENTITY_FIELDS)
 * const entities = [...records.values()].map((record) => toEntity(request.view, record))
 */
export async function recordsByUri(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  uris: Iterable<string>,
  properties: string,
): Promise<Map<string, JskosRecord>> {
  const shown = { ...view, properties: readProperties(properties, NO_DEFAULTS) }
  const records = new Map<string, JskosRecord>()
  for await (const piece of recordsOfConcepts(dependencies, [...new Set(uris)], shown, signal)) {
    for (const record of piece) records.set(record.uri, record)
  }
  return records
}

/** The fields that an entity needs. */
export const ENTITY_FIELDS = 'prefLabel,notation,inScheme,ancestors'

/** A record with `ENTITY_FIELDS` as an entity of the Reconciliation Service API. */
export function toEntity({ scope, preferred }: View, record: JskosRecord): Entity {
  const { ancestors = [], inScheme = [], notation } = record
  const path = ancestors.map((above) => nameOf(above, preferred))
  const vocabulary = inScheme.map((scheme) => nameOf(scheme, preferred))[0]
  const fragments = [notation?.join(', '), path.reverse().join(' › '), scope.all ? vocabulary : undefined]
  return {
    id: record.uri,
    name: nameOf(record, preferred),
    description: fragments.filter(Boolean).join(' · '),
    type: record.type.map((id) => ({ id, name: typeName(id) })),
  }
}

/** The name of a class, taken from its URI. */
export function typeName(uri: string): string {
  return uri === CONCEPT ? 'Concept' : nameOf({ uri }, [])
}
