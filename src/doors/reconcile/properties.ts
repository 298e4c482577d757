import { chooseLanguage, isInLanguage, isLink, type Item } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'

/**
 * The properties of a concept in reconciliation: conditions of queries, and columns to add to a table
 * (Reconciliation Service API 0.2, sections 4 and 7; 1.0-draft likewise).
 */
export interface Property {
  id: string
  name: string
  description: string
  /** The property can be a condition. */
  isCondition?: true
  /** The field of records with the values of a column; without one the property cannot be a column. */
  field?:
    | 'mapping'
    | 'notation'
    | 'prefLabel'
    | 'altLabel'
    | 'definition'
    | 'scopeNote'
    | 'broader'
    | 'narrower'
    | 'related'
    | 'inScheme'
    | 'created'
    | 'modified'
  /** The field has a text or texts for each language. */
  isByLanguage?: true
  /** The values of the column are concepts. */
  isConcept?: true
}

/** THE table of properties. */
// oxfmt-ignore
export const PROPERTIES: readonly Property[] = [
  { id: 'label', name: 'any label', description: 'A preferred, alternative or hidden label', isCondition: true },
  { id: 'prefLabel', name: 'preferred label', description: 'The preferred label, in the preferred language or in `prefLabel@de`', isCondition: true, field: 'prefLabel', isByLanguage: true },
  { id: 'altLabel', name: 'alternative label', description: 'Alternative labels, in all languages or in `altLabel@de`', isCondition: true, field: 'altLabel', isByLanguage: true },
  { id: 'notation', name: 'notation', description: 'The notation, such as the number of a class', isCondition: true, field: 'notation' },
  { id: 'broader', name: 'broader', description: 'As a condition: the concept is below this one. As a column: the concepts directly above', isCondition: true, field: 'broader', isConcept: true },
  { id: 'language', name: 'language', description: 'Compares only labels in this language, such as `de`', isCondition: true },
  { id: 'exactMatch', name: 'exact match', description: 'The URI of the same concept in another vocabulary', isCondition: true, field: 'mapping' },
  { id: 'definition', name: 'definition', description: 'Definitions, in all languages or in `definition@de`', field: 'definition', isByLanguage: true },
  { id: 'scopeNote', name: 'scope note', description: 'Scope notes, in all languages or in `scopeNote@de`', field: 'scopeNote', isByLanguage: true },
  { id: 'narrower', name: 'narrower', description: 'The concepts directly below', field: 'narrower', isConcept: true },
  { id: 'related', name: 'related', description: 'Related concepts', field: 'related', isConcept: true },
  { id: 'inScheme', name: 'vocabulary', description: 'The vocabulary that the concept belongs to', field: 'inScheme', isConcept: true },
  { id: 'created', name: 'created', description: 'The day on which the concept was created', field: 'created' },
  { id: 'modified', name: 'modified', description: 'The day on which the concept was last changed', field: 'modified' },
]

/** A requested property; `prefLabel@de` is the preferred label in one language. */
export interface RequestedProperty {
  /** The id in the request. */
  id: string
  name: string
  property: Property
  language: string | undefined
}

/** The property with this id; undefined if there is none. */
export function findProperty(id: string): RequestedProperty | undefined {
  const [name, language] = id.split('@', 2)
  const property = PROPERTIES.find((candidate) => candidate.id === name)
  if (!property || (language !== undefined && !property.isByLanguage)) return undefined
  return {
    id,
    name: language === undefined ? property.name : `${property.name} (${language})`,
    property,
    language: language?.toLowerCase(),
  }
}

/** A value of a column (0.2, section 7.2). */
export type ColumnValue = { str: string; lang?: string } | { id: string; name: string } | { date: string }

/**
 * The first values of a property in a record.
 *
 * @param preferred languages, the best first; a preferred label gives one value only.
 * @param nameOf gives the names of concepts among the values.
 * @param limit the largest number of values.
 */
export function valuesOf(
  record: JskosRecord,
  { property, language }: RequestedProperty,
  preferred: readonly string[],
  nameOf: (item: Item) => string,
  limit: number,
): ColumnValue[] {
  const { field } = property
  if (field === undefined) return []
  switch (field) {
    case 'mapping':
      return (record[field] ?? [])
        .filter(({ type }) => type.endsWith('exactMatch'))
        .slice(0, limit)
        .map(({ to }) => ({ str: to }))
    case 'prefLabel':
    case 'altLabel':
    case 'definition':
    case 'scopeNote':
      return textsOfProperty(record[field] ?? {}, property, language, preferred).slice(0, limit)
    case 'broader':
    case 'narrower':
    case 'related':
    case 'inScheme': {
      const links = (record[field] ?? []).filter((link) => link !== null).filter(isLink)
      return links.slice(0, limit).map((link) => ({ id: link.uri, name: nameOf(link) }))
    }
    case 'created':
    case 'modified': {
      const date = record[field]
      if (date === undefined) return []
      // The API has dates with a time of day only (ISO 8601), so others stay texts.
      return [/^\d{4}-\d\d-\d\d$/.test(date) ? { date: `${date}T00:00:00Z` } : { str: date }]
    }
    case 'notation':
      return (record[field] ?? []).slice(0, limit).map((str) => ({ str }))
  }
}

function textsOfProperty(
  map: Record<string, string | string[]>,
  property: Property,
  language: string | undefined,
  preferred: readonly string[],
): ColumnValue[] {
  const tags = Object.keys(map)
  let chosen = tags
  if (language !== undefined) chosen = tags.filter((tag) => isInLanguage(tag, language))
  else if (property.id === 'prefLabel') {
    const best = chooseLanguage(tags, preferred)
    chosen = best === undefined ? [] : [best]
  }
  return chosen.flatMap((tag) => [map[tag]!].flat().map((str) => ({ str, ...(tag === 'und' ? {} : { lang: tag }) })))
}
