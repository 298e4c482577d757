import { ApiError } from '../../base/errors.ts'
import { BY_CODE_POINTS } from '../../graph/jskos/order.ts'
import { readProperties } from '../../graph/jskos/properties.ts'
import type { RecordOptions } from '../../graph/jskos/field-values.ts'
import { conceptRecord, schemeRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { isSubsetNotation } from '../../graph/jskos/names.ts'
import { COLLECTION, CONCEPT, CONCEPT_SCHEME, SKOS } from '../../base/namespaces.ts'
import { writeString } from '../../graph/sparql/statements.ts'
import { noVocabulary } from '../../graph/vocabularies/registry.ts'
import { isSameVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { History } from './history.ts'
import { classOf } from './listed-class.ts'
import type { HistoryDependencies } from './past.ts'
import { toNode } from './versions.ts'

/** A vocabulary or subset whose changes a client follows; the store may no longer have it. */
export interface FollowedVocabulary {
  /** Also the name of the graph. */
  uri: string
  /** Its id in addresses. */
  id: string
  prefLabel: Record<string, string>
  isSubset: boolean
}

/** @throws ApiError EntityNotFoundError if the service keeps no history. */
export function requireHistory({ history }: HistoryDependencies): History {
  if (history) return history
  throw new ApiError('EntityNotFoundError', 'This service keeps no history.')
}

/**
 * The vocabulary or subset with this id, notation or URI; also a removed one, if the log has its removal.
 *
 * @throws ApiError EntityNotFoundError if there never was any.
 */
export async function findFollowed(dependencies: HistoryDependencies, name: string): Promise<FollowedVocabulary> {
  const present = await dependencies.registry.find(name)
  if (present) return { ...present, id: present.ids[0] ?? present.uri }
  const { log } = requireHistory(dependencies)
  const notation = `<${SKOS}notation> ${writeString(name)}`
  for (const { uri } of await log.graphs()) {
    // Other vocabularies may name it.
    const last = await log.lastListedChange({ uri, graph: uri })
    if (last?.kind !== 'Delete') continue
    const statements = last.removed ?? []
    if (!isSameVocabulary(uri, name) && !statements.includes(notation)) continue
    const { prefLabel = {}, notation: ids = [] } = loggedRecord(uri, statements, NAMES)
    return { uri, id: ids[0] ?? uri, prefLabel, isSubset: ids.some(isSubsetNotation) }
  }
  throw noVocabulary(name)
}

/** The fields of a record that comes from the log alone. */
const LOGGED = readProperties('notation,prefLabel,inScheme,replacedBy', [])
const NAMES: RecordOptions = {
  properties: LOGGED,
  languages: undefined,
  preferred: [],
  order: BY_CODE_POINTS,
  contextUrl: '',
}

/**
 * A resource that the store does not have as a concept or vocabulary, as a record with its class, names, notations and
 * what replaces it.
 *
 * @param statements its last ones in the log, as in `Resource`.
 */
export function loggedRecord(uri: string, statements: readonly string[], options: RecordOptions): JskosRecord {
  const node = toNode(uri, statements) ?? { uri }
  const chosen = { ...options, properties: LOGGED }
  const skosClass = classOf(statements)
  if (skosClass === CONCEPT_SCHEME) {
    return schemeRecord(node, { ids: [], hasConcept: false, hasTopConcept: false }, chosen)
  }
  const record = conceptRecord(node, false, chosen)
  if (skosClass !== COLLECTION) return record
  const classes = record.type.filter((type) => ![CONCEPT, COLLECTION].includes(type))
  return { ...record, type: [COLLECTION, ...classes] }
}
