import { nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { CONCEPT } from '../../base/namespaces.ts'
import type { View } from '../../interface/read/request.ts'

/** A concept as clients of reconciliation see it. */
interface Entity {
  id: string
  name: string
  /** Notation and path from the top; at the address for all vocabularies also the name of its vocabulary. */
  description: string
  type: { id: string; name: string }[]
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
