import { ApiError } from '../errors.ts'
import { malformed, quoted } from '../http/parameters.ts'
import { isObject } from '../jskos/linked-data.ts'
import { nameOf } from '../jskos/names.ts'
import { CONCEPT } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { describeRecords, type Describing } from './describe.ts'
import { findProperty, PROPERTIES, valuesOf, type AskedProperty, type CellValue } from './properties.ts'
import { readJson } from './query.ts'

/** A request for columns of some concepts (0.2, section 7.1; 1.0-draft, section 7.1). */
export interface Extension {
  ids: string[]
  properties: (AskedProperty & { limit: number })[]
}

const MAX_IDS = 1000
const MAX_PROPERTIES = 50

/**
 * Reads a request for columns.
 *
 * @throws ApiError MalformedRequestError naming the wrong part, PayloadTooLargeError for too many rows.
 */
export function readExtension(name: string, text: string): Extension {
  const query = readJson(name, text)
  const { ids, properties } = isObject(query) ? query : {}
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) throw malformed('ids: expected an array of URIs')
  if (ids.length > MAX_IDS) {
    throw new ApiError('PayloadTooLargeError', `ids: expected at most ${MAX_IDS}, got ${ids.length}`)
  }
  if (!Array.isArray(properties) || properties.length > MAX_PROPERTIES) {
    throw malformed(`properties: expected an array of at most ${MAX_PROPERTIES} properties`)
  }
  return { ids: ids as string[], properties: properties.map(readProperty) }
}

function readProperty(property: unknown): AskedProperty & { limit: number } {
  const { id, settings = {} } = isObject(property) ? property : {}
  const asked = typeof id === 'string' ? findProperty(id) : undefined
  if (!asked?.property.field) {
    const known = PROPERTIES.filter(({ field }) => field !== undefined).map((one) => one.id)
    throw malformed(`properties: expected ids among ${known.join(', ')}, got ${quoted(String(JSON.stringify(id)))}`)
  }
  if (!isObject(settings)) throw malformed('settings: expected an object')
  const { limit = 0, language = '' } = settings
  // OpenRefine sends numbers as texts.
  const most = Number(limit)
  if (!Number.isInteger(most) || most < 0) throw malformed('settings.limit: expected a whole number from 0')
  if (typeof language !== 'string') throw malformed('settings.language: expected a language tag')
  const wanted = asked.property.isByLanguage && language.trim() !== '' ? language.trim().toLowerCase() : undefined
  return { ...asked, language: asked.language ?? wanted, limit: most === 0 ? Infinity : most }
}

/** The requested rows: the values of each property of each concept. */
export interface Rows {
  meta: object[]
  rows: { id: string; properties: { id: string; values: CellValue[] }[] }[]
}

/** Looks up the values; an unknown concept has none. */
export async function extend(describing: Describing, { ids, properties }: Extension): Promise<Rows> {
  const fields = properties.map(({ property }) => property.field!)
  const records = await describeRecords(describing, ids.filter(isAbsoluteIri), ['uri', ...fields].join(','))
  const name = (item: object) => nameOf(item, describing.preferred)
  return {
    meta: properties.map(({ id, name: label, property }) => ({
      id,
      name: label,
      ...(property.isConcept && property.id !== 'inScheme' ? { type: { id: CONCEPT, name: 'Concept' } } : {}),
    })),
    rows: ids.map((id) => {
      const record = records.get(id)
      const values = (asked: (typeof properties)[number]) =>
        record ? valuesOf(record, asked, describing.preferred, name).slice(0, asked.limit) : []
      return { id, properties: properties.map((asked) => ({ id: asked.id, values: values(asked) })) }
    }),
  }
}

/** Turns rows into the form of 0.2: by id, and texts without their languages. */
export function toFirstForm({ meta, rows }: Rows): object {
  const withoutLanguage = (value: CellValue) => ('str' in value ? { str: value.str } : value)
  return {
    meta,
    rows: Object.fromEntries(
      rows.map(({ id, properties }) => [
        id,
        Object.fromEntries(properties.map((property) => [property.id, property.values.map(withoutLanguage)])),
      ]),
    ),
  }
}
