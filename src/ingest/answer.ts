import type { JskosRecord } from '../jskos/record.ts'
import { CONCEPT_DEFAULT, readProperties } from '../jskos/properties.ts'
import type { ReadDependencies } from '../read/describe.ts'
import { describeInOrder } from '../read/list.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'

/** What the answer to an ingest shows beside the default fields (spec, Concept): whatever may have been given, and the empty hierarchy. */
const PROPERTIES = readProperties(
  '+hiddenLabel,note,editorialNote,changeNote,example,historyNote,mapping,mappings,notation,identifier,ancestors,narrower',
  CONCEPT_DEFAULT,
)

/**
 * Concepts as the store has them now, in the order of their URIs; those that are not there are left out.
 *
 * @throws ApiError where the store fails.
 */
export async function readBack(
  dependencies: ReadDependencies,
  uris: readonly string[],
  contextUrl: string,
): Promise<JskosRecord[]> {
  const view = { scope: EVERYTHING, properties: PROPERTIES, languages: undefined, preferred: ['de', 'en'], contextUrl }
  const records: JskosRecord[] = []
  for await (const piece of describeInOrder(dependencies, uris, view, undefined)) records.push(...piece)
  return records
}
