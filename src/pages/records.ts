import type { JskosRecord } from '../jskos/record.ts'
import type { Item } from '../jskos/names.ts'

export { decoded, inLanguage, nameOf, nameWithoutLabel, type Chosen, type Item } from '../jskos/names.ts'

/** The fields of a concept or vocabulary that pages show, in the form of the GET endpoints. */
export interface Resource extends Item {
  uri: string
  type: string[]
  altLabel?: Record<string, string[]>
  identifier?: string[]
  created?: string
  issued?: string
  modified?: string
  url?: string
  version?: string
  publisher?: Item[]
  creator?: Item[]
  contributor?: Item[]
  source?: Item[]
  subject?: Item[]
  license?: Item[]
  partOf?: Item[]
}

export interface Concept extends Resource {
  inScheme?: Item[]
  topConceptOf?: Item[]
  broader?: Item[]
  narrower?: (Item | null)[]
  deprecated?: boolean
  mapping?: { type: string; from: string; to: string }[]
}

export interface Vocabulary extends Resource {
  languages?: string[]
  namespace?: string
}

/** Fields with texts by language (JSKOS 0.7, language map of lists). */
export type Note = 'definition' | 'scopeNote' | 'note' | 'example' | 'historyNote' | 'editorialNote' | 'changeNote'

/** The texts of a note by language; empty if there are none. */
export function notes(resource: Resource, name: Note): Record<string, string[]> {
  return ((resource as unknown as JskosRecord)[name] ?? {}) as Record<string, string[]>
}
