import type { NoteName } from '../../graph/jskos/fields.ts'
import type { Collection, Concept, ConceptScheme } from '../../graph/jskos/record.ts'

export { decoded, inLanguage, nameOf, nameWithoutLabel, type Item } from '../../graph/jskos/names.ts'
export type { NoteName } from '../../graph/jskos/fields.ts'
export type { Concept, ConceptScheme } from '../../graph/jskos/record.ts'

/** The subject of a page. */
export type PageResource = Concept | ConceptScheme | Collection

/** A vocabulary in the list of all, with the texts that a filter looks through. */
export interface ListedVocabulary {
  record: ConceptScheme
  texts: readonly string[]
}

/** The texts of a note by language; empty if there are none. */
export function notes(resource: PageResource, name: NoteName): Record<string, string[]> {
  return resource[name] ?? {}
}
