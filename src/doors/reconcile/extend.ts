import { checkMaximum, MAXIMA } from '../../interface/http/maxima.ts'
import { malformed, quotedJson } from '../../interface/http/parameters.ts'
import { isObject } from '../../base/json.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import { CONCEPT } from '../../base/namespaces.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import type { ListRequest } from '../../interface/read/request.ts'
import { BoundedList } from '../../interface/http/bounded-list.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { conceptsByUri } from '../../interface/read/concepts.ts'
import { findProperty, PROPERTIES, valuesOf, type RequestedProperty, type ColumnValue } from './properties.ts'
import { readJson } from './query.ts'

/** A request for columns of some concepts (0.2, section 7.1; 1.0-draft, section 7.1), each of them once. */
interface Extension {
  ids: BoundedList<string>
  properties: BoundedList<RequestedColumn>
}

/** A requested column, with the largest number of values in a cell. */
type RequestedColumn = RequestedProperty & { limit: number }

/** The number of values in a cell if the request gives none. */
export const DEFAULT_CELL = 100

/** Concepts to describe at a time: few, because each may name thousands of others. */
const ROWS_AT_A_TIME = 20

/**
 * Reads a request for columns.
 *
 * @throws ApiError MalformedRequestError naming the wrong part, PayloadTooLargeError for too many rows.
 */
export function readExtension(name: string, text: string): Extension {
  const query = readJson(name, text)
  const { ids, properties } = isObject(query) ? query : {}
  if (!Array.isArray(ids) || ids.some((id) => typeof id !== 'string')) throw malformed('ids: expected an array of URIs')
  if (!Array.isArray(properties)) throw malformed('properties: expected an array of properties')
  checkMaximum(MAXIMA.extendProperties, properties.length)
  return {
    ids: BoundedList.of(MAXIMA.extendIds, ids as string[]).unique((id) => id),
    properties: BoundedList.of(MAXIMA.extendProperties, properties.map(readProperty)).unique(
      ({ id, limit, language }) => JSON.stringify([id, limit, language]),
    ),
  }
}

function readProperty(property: unknown): RequestedColumn {
  const { id, settings = {} } = isObject(property) ? property : {}
  const requested = typeof id === 'string' ? findProperty(id) : undefined
  if (!requested?.property.field) {
    const ids = PROPERTIES.filter(({ field }) => field !== undefined).map((column) => column.id)
    throw malformed(`properties: expected ids among ${ids.join(', ')}, got ${quotedJson(id)}`)
  }
  if (!isObject(settings)) throw malformed('settings: expected an object')
  const { limit = DEFAULT_CELL, language = '' } = settings
  // OpenRefine sends numbers as texts.
  const most = typeof limit === 'string' ? Number(limit) : limit
  if (typeof most !== 'number' || !Number.isInteger(most) || most < 0)
    throw malformed('settings.limit: expected a whole number from 0')
  if (typeof language !== 'string') throw malformed('settings.language: expected a language tag')
  const requestedLanguage =
    requested.property.isByLanguage && language.trim() !== '' ? language.trim().toLowerCase() : undefined
  const largest = MAXIMA.cell.most
  return {
    ...requested,
    language: requested.language ?? requestedLanguage,
    limit: most === 0 ? largest : Math.min(most, largest),
  }
}

/** The requested rows: the values of each property of each concept. */
interface ExtensionRows {
  meta: object[]
  rows: { id: string; properties: { id: string; values: ColumnValue[] }[] }[]
}

/**
 * Looks up the values; an unknown concept has none.
 *
 * @throws ApiError PayloadTooLargeError if the cells have too many values together, and the errors of the store.
 */
export async function extend(
  dependencies: ReadDependencies,
  request: ListRequest,
  { ids, properties }: Extension,
): Promise<ExtensionRows> {
  const { signal } = request
  const { preferred } = request.view
  checkMaximum(MAXIMA.cells, ids.length * properties.length)
  const meta = await properties.map(signal, ({ id, name, property }) => ({
    id,
    name,
    ...(property.isConcept && property.id !== 'inScheme' ? { type: { id: CONCEPT, name: 'Concept' } } : {}),
  }))
  const fields = ['uri', ...(await properties.map(signal, ({ property }) => property.field!))].join(',')
  const name = (item: object) => nameOf(item, preferred)
  const rows: ExtensionRows['rows'] = []
  let count = 0
  for await (const piece of ids.pieces(ROWS_AT_A_TIME, signal)) {
    const records = await conceptsByUri(dependencies, request, piece.filter(isAbsoluteIri), fields)
    for (const id of piece) {
      const record = records.get(id)
      const cells = await properties.map(signal, (column) => {
        const values = record ? valuesOf(record, column, preferred, name, column.limit) : []
        // An empty cell costs something, too.
        count += Math.max(1, values.length)
        checkMaximum(MAXIMA.cells, count)
        return { id: column.id, values }
      })
      rows.push({ id, properties: cells })
    }
  }
  return { meta, rows }
}

/** Turns rows into the form of 0.2: by id, and texts without their languages. */
export function toFirstForm({ meta, rows }: ExtensionRows): object {
  const withoutLanguage = (value: ColumnValue) => ('str' in value ? { str: value.str } : value)
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
