import type { JskosRecord } from '../jskos/record.ts'
import { CONCEPT_DEFAULT, readProperties } from '../jskos/properties.ts'
import { describeConcepts, type ReadDependencies } from '../read/describe.ts'
import { CHUNK } from '../read/list.ts'
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
  const found = new Map<string, JskosRecord>()
  for (let start = 0; start < uris.length; start += CHUNK) {
    const chunk = uris.slice(start, start + CHUNK)
    for (const { uri, record } of await describeConcepts(dependencies, { uris: chunk }, view, undefined)) {
      found.set(uri, record)
    }
  }
  return uris.map((uri) => found.get(uri)).filter((record) => record !== undefined)
}
