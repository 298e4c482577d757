import { ALL_FIELDS, isIri, isJson, isLanguageMap, isSet, type Field } from './fields.ts'

type TermDefinition = string | Record<string, unknown>

/** The JSON-LD context of the records (JSON-LD 1.1, section 3.1). */
export const CONTEXT = {
  '@context': {
    uri: '@id',
    ...Object.fromEntries(ALL_FIELDS.flatMap((field) => termDefinition(field) ?? [])),
  },
} satisfies { '@context': Record<string, TermDefinition> }

function termDefinition(field: Field): [name: string, definition: TermDefinition][] {
  const { name, kind, property } = field
  // The keys of such a map are properties of the record (JSON-LD 1.1, section 4.7).
  if (kind === 'qualified' || kind === 'roles') return [[name, '@nest']]
  if (property === undefined) return []
  // JSKOS has its own names for the members of a value object.
  if (kind === 'literal') return [[name, { '@id': property, '@context': { string: '@value', language: '@language' } }]]
  const type = isIri(field) ? '@id' : isJson(field) ? '@json' : field.datatype
  // Of two terms for members, compaction takes the one with a container (JSON-LD 1.1 API, section 6.3).
  const container = name === 'memberChoice' ? undefined : containerOf(field)
  if (!type && !container) return [[name, property]]
  const definition = {
    '@id': property,
    ...(type ? { '@type': type } : {}),
    ...(container ? { '@container': container } : {}),
  }
  return [[name, definition]]
}

/** True for the address of the published JSKOS context, which ours replaces. */
export function isJskosContext(url: string): boolean {
  return /^https?:\/\/gbv\.github\.io\/jskos\/.*context\.json$/.test(url)
}

/** The container of the values of a field in JSON-LD (JSON-LD 1.1, section 9.15.1). */
export function containerOf(field: Field): '@language' | '@list' | '@set' | undefined {
  if (isLanguageMap(field)) return '@language'
  if (field.kind === 'list') return '@list'
  return isSet(field) ? '@set' : undefined
}
