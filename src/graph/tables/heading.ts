import { FIELD, FIELDS, isLanguageMap, type Field } from '../jskos/fields.ts'
import { SKOS, XSD } from '../../base/namespaces.ts'
import { isAbsoluteIri, isStrictLanguageTag } from '../sparql/grammar.ts'
import { hasColumn, languageNamed, meaningOf, type OwnColumn } from './words.ts'

export const PREF_LABEL = `${SKOS}prefLabel`

/** A property of concepts that a column has. */
export interface PropertyColumn {
  kind: 'property'
  property: string
  /** The field of the property, if it is one. */
  field: Field | undefined
  /** Of its texts. */
  language: string | undefined
  /** Of its literals, if the heading names one (`dct:created^^xsd:date`). */
  datatype: string | undefined
  /** True: the values are subjects, and the concept of the row is their object (`^skos:member`). */
  isInverse: boolean
  /** The characters between values, if the heading names them. */
  separators: string | undefined
  /** True: `@en` at the end of a text is no tag. */
  isUntagged?: boolean
  /**
   * The letter or the heading of the column whose values the statements are about, if it is not the concept of the row.
   */
  subject?: string | undefined
}

/** A column by its heading. */
export type HeadingColumn =
  | PropertyColumn
  | { kind: Exclude<OwnColumn, 'level' | 'language'> }
  /** `language` is that of the labels. */
  | { kind: 'level'; level: number; language: string | undefined }
  /** The language of one field, or of all texts of the row. */
  | { kind: 'language'; of: string | undefined }

/** True for a property whose values are concepts of the table, which cells may name. */
export function namesConcepts({ property, field }: PropertyColumn): boolean {
  return field?.kind === 'concepts' || property === `${SKOS}member`
}

/** Columns of `relatedDates` have the links of their property, too, so that they are no field of dates. */
const FIELD_OF_PROPERTY: ReadonlyMap<string, Field> = new Map(
  FIELDS.flatMap((field): [string, Field][] => {
    const { property, kind } = field
    return property === undefined || kind === 'dates' || !hasColumn(field) ? [] : [[property, field]]
  }),
)
/**
 * The beginning of an option of a name with single spaces: `skos:altLabel(separator=",")`, the way of SKOS Play; `^` in
 * front turns a statement round.
 */
const OPTION = /\( ?(\w+) ?= ?/
const KNOWN_OPTIONS: readonly string[] = ['separator', 'subjectColumn']
const PREFIXED = /^(\^?)([A-Za-z][\w.-]*)?:([^\s@^()]+)((?:@[\w-]+)|(?:\^\^\S+))?$/
const TAGGED = /^(.*?) ?(?:@ ?([\w-]+)|\(([^()]+)\)|\[([^[\]]+)\]) ?\*?$/
const LAST_WORD = /^(.+?)(?<![ _.:/-])[ _.:/-]+(\p{L}+(?:-\p{L}+)?) ?\*?$/u
const OF_LANGUAGE = /^(.*?)(?<![ _-])[ _-]*(?:language|lang|sprache)(?:[ _-]*(?:code|tag))? ?\*?$/i

/** The namespaces of the prefixes of a table. */
export type Prefixes = ReadonlyMap<string, string>

/** The full form of a prefixed name, a full IRI in `<>` or not; undefined if a text is none of these. */
export function expand(text: string, prefixes: Prefixes): string | undefined {
  const bare = /^<(.*)>$/s.exec(text)?.[1] ?? text
  const [, prefix, local] = /^([A-Za-z][\w.-]*|):(?!\/\/)(.*)$/s.exec(bare) ?? []
  const namespace = prefix === undefined ? undefined : prefixes.get(prefix)
  const full = namespace === undefined ? bare : namespace + local!
  if (namespace === undefined && !/^(?:https?:\/\/|urn:|info:|doi:|tag:|ark:|geo:|mailto:|ftp:\/\/)/i.test(bare)) {
    return undefined
  }
  return isAbsoluteIri(full) ? full : undefined
}

/** A text without the remark in brackets at its end, such as the label in `ex:0001 (flower)`. */
export function withoutRemark(text: string): string {
  const begin = text.endsWith(')') ? text.search(/\s\(/) : -1
  if (begin < 0) return text
  let depth = 0
  for (let at = begin; at < text.length - 1; at++) {
    if (text[at] === '(') depth++
    // Several names with remarks are no remark.
    else if (text[at] === ')' && --depth === 0) return text
  }
  return text.slice(0, begin).trimEnd()
}

/** The IRI that a text names, with or without a remark in brackets; undefined if it names none. */
export function iriNamed(text: string, prefixes: Prefixes): string | undefined {
  return expand(text, prefixes) ?? expand(withoutRemark(text), prefixes)
}

/**
 * The column with a heading; undefined if no field or property has this name, or if it has an unknown option.
 */
export function readHeading(heading: string, prefixes: Prefixes): HeadingColumn | undefined {
  const { name, options } = withOptions(heading)
  if (unknownOption(heading) !== undefined) return undefined
  const column = readName(name, prefixes) ?? readProperty(name, prefixes)
  if (column?.kind !== 'property') return options.size === 0 ? column : undefined
  const separator = options.get('separator')
  const separators = separator === undefined ? undefined : separator.replaceAll('\\n', '\n') || ' '
  return { ...column, separators, subject: options.get('subjectColumn') }
}

/**
 * The first option of a heading that would change what its cells mean in a way that is not known; undefined if there is
 * none.
 */
export function unknownOption(heading: string): string | undefined {
  return [...withOptions(heading).options.keys()].find((option) => !KNOWN_OPTIONS.includes(option))
}

/** The name of a heading without options (`skos:altLabel(separator=",")`), and these by their names. */
export function withOptions(heading: string): { name: string; options: ReadonlyMap<string, string> } {
  let name = heading.replace(/\s+/g, ' ').trim()
  const options = new Map<string, string>()
  const option = name.endsWith(')') ? OPTION.exec(name) : null
  if (option) {
    const given = option[1]!
    const value = name.slice(option.index + option[0].length, -1).trim()
    options.set(
      KNOWN_OPTIONS.find((name) => name.toLowerCase() === given.toLowerCase()) ?? given,
      value.replace(/^["“”'«]/, '').replace(/["“”'»]$/, ''),
    )
    name = name.slice(0, option.index).trim()
  }
  return { name, options }
}

function readName(text: string, prefixes: Prefixes): HeadingColumn | undefined {
  const [, aboutLanguage] = OF_LANGUAGE.exec(text) ?? []
  if (aboutLanguage !== undefined) {
    const of = aboutLanguage === '' ? undefined : meaningOf(aboutLanguage)?.meaning
    if (aboutLanguage === '' || of !== undefined) return { kind: 'language', of }
  }
  // A tag belongs to no word: definition@en is not Definitionen.
  const whole = text.includes('@') ? undefined : toColumn(text, undefined)
  if (whole) return whole
  const [, before, tag, inRound, inSquare] = TAGGED.exec(text) ?? []
  if (before !== undefined) {
    const named = tag ?? inRound ?? inSquare!
    const language = languageNamed(named) ?? (isStrictLanguageTag(named) ? named : undefined)
    // A text in brackets may also be a remark.
    if (language !== undefined && (tag !== undefined || namesLanguage(named)))
      return toColumn(before, language) ?? readProperty(text, prefixes)
    return tag === undefined ? toColumn(before, undefined) : undefined
  }
  const [, words, last] = LAST_WORD.exec(text) ?? []
  const language = last === undefined ? undefined : languageNamed(last)
  if (language !== undefined) return toColumn(words!, language)
  const [, first, rest] = /^(\p{L}+)\s+(.+)$/su.exec(text) ?? []
  const leading = first === undefined || first.length < 3 ? undefined : languageNamed(first)
  return leading === undefined ? undefined : toColumn(rest!, leading)
}

function namesLanguage(name: string): boolean {
  return languageNamed(name) !== undefined || /^[a-z]{2,3}-[A-Za-z0-9-]+$/.test(name)
}

function toColumn(name: string, language: string | undefined): HeadingColumn | undefined {
  const named = meaningOf(name)
  if (named === undefined) return undefined
  const { meaning, level } = named
  if (meaning === 'level') return { kind: 'level', level: level!, language }
  if (meaning === 'language') return language === undefined ? { kind: 'language', of: undefined } : undefined
  const field = FIELD.get(meaning)
  if (field?.property !== undefined) return propertyColumn(field.property, { language })
  if (meaning.includes(':')) return propertyColumn(meaning, { language })
  if (meaning === 'memberOf') return propertyColumn(`${SKOS}member`, { isInverse: true })
  if (field !== undefined || language !== undefined) return undefined
  return { kind: meaning as 'uri' }
}

function readProperty(text: string, prefixes: Prefixes): HeadingColumn | undefined {
  const inBrackets = /^(\^?)<([^<>\s]+)>((?:@[\w-]+)|(?:\^\^\S+))?$/.exec(text)
  const [, inverse, prefix = '', local, suffix] = inBrackets ? [] : (PREFIXED.exec(text) ?? [])
  const name = inBrackets ? inBrackets[2]! : local === undefined ? undefined : `${prefix}:${local}`
  if (name === undefined) return undefined
  const property = expand(name, prefixes)
  // An address beside a name is a value rather than a heading.
  const isAddress = !inBrackets && local!.startsWith('//')
  if (property === undefined || (isAddress && !FIELD_OF_PROPERTY.has(property))) return undefined
  const after = inBrackets ? inBrackets[3] : suffix
  const isInverse = (inBrackets ? inBrackets[1] : inverse) === '^'
  const datatype = after?.startsWith('^^') ? expand(after.slice(2), prefixes) : undefined
  const language = after?.startsWith('@') ? after.slice(1) : undefined
  return propertyColumn(property, { language, datatype, isInverse })
}

/** The column of a property. */
export function propertyColumn(
  property: string,
  { language, datatype, isInverse = false }: Partial<Pick<PropertyColumn, 'language' | 'datatype' | 'isInverse'>> = {},
): PropertyColumn {
  return {
    kind: 'property',
    property,
    field: FIELD_OF_PROPERTY.get(property),
    language,
    datatype,
    isInverse,
    separators: undefined,
  }
}

/** The name of a property as exports write it in headings: the field, a prefixed name, or the IRI in `<>`. */
export function headingOf(property: string, prefixes: Prefixes): string {
  const field = FIELD_OF_PROPERTY.get(property)
  if (field) return field.name
  for (const [prefix, namespace] of prefixes) {
    const local = property.startsWith(namespace) ? property.slice(namespace.length) : ''
    if (/^[A-Za-z][\w-]*$/.test(local)) return `${prefix}:${local}`
  }
  return `<${property}>`
}

/** True for a field whose values are texts with a language. */
export function hasLanguage({ field }: PropertyColumn): boolean {
  return field !== undefined && isLanguageMap(field)
}

/** The datatype of the literals of a field. */
export function datatypeOf({ field, datatype }: PropertyColumn): string | undefined {
  return datatype ?? (field?.kind === 'boolean' ? `${XSD}boolean` : field?.datatype)
}
