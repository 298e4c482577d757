import { ApiError } from '../../base/errors.ts'
import { checkMaximum, MAXIMA } from '../../interface/http/maxima.ts'
import { quoted } from '../../base/unicode.ts'
import { malformed, quotedJson } from '../../interface/http/parameters.ts'
import { isObject } from '../../base/json.ts'
import { CONCEPT, SKOS } from '../../base/namespaces.ts'
import { BoundedList } from '../../interface/http/bounded-list.ts'
import { isLanguageTag } from '../../graph/sparql/terms.ts'
import { findProperty, PROPERTIES } from './properties.ts'

/** A query for concepts, in either version of the API. */
export interface ReconcileQuery {
  /** A name, a notation or a URI. */
  text: string | undefined
  /** Classes of candidates; none: any class. */
  types: string[]
  /** True if a candidate must belong to all of them. */
  allTypes: boolean
  conditions: QueryCondition[]
  /** The maximum number of candidates. */
  limit: number
  /** The wanted language for names of candidates. */
  language: string | undefined
}

/** A condition on candidates besides the name. */
export interface QueryCondition {
  /** Id of a property that can be a condition; `id`: the URI or notation of the concept itself. */
  property: string
  values: string[]
  /** How many of the values a candidate must have. */
  quantifier: (typeof QUANTIFIERS)[number]
  /** True: drops candidates that do not meet the condition. False: ranks them lower. */
  isRequired: boolean
}

const QUANTIFIERS = ['any', 'all', 'none'] as const
const DEFAULT_CANDIDATES = 10

type Json = Record<string, unknown>

/** A query of a batch, or the reason why it gets no answer. */
export type ReadQuery = { name: string } & ({ query: ReconcileQuery } | { error: string })

/** A query for a text alone. */
export function queryForText(text: string | undefined, limit: number): ReconcileQuery {
  return { text, types: [], allTypes: false, conditions: [], limit, language: undefined }
}

/**
 * Reads a batch of 0.2: an object of queries by their names (0.2, section 4.1).
 *
 * @throws ApiError MalformedRequestError if the batch as a whole is malformed, PayloadTooLargeError if it is too large.
 */
export async function readBatch(text: string, signal: AbortSignal): Promise<BoundedList<ReadQuery>> {
  const batch = readJson('queries', text)
  if (!isObject(batch)) throw malformed('queries: expected an object of queries')
  return readQueries(Object.entries(batch), readQuery, signal)
}

/**
 * Reads a batch of 1.0: `{queries: [...]}` (1.0-draft, section 4.1).
 *
 * @throws as `readBatch` does.
 */
export async function readMatchBatch(text: string, signal: AbortSignal): Promise<BoundedList<ReadQuery>> {
  const batch = readJson('body', text)
  const queries = isObject(batch) ? batch['queries'] : undefined
  if (!Array.isArray(queries)) throw malformed('queries: expected an array of queries')
  const named = queries.map((query: unknown, index): [string, unknown] => [`queries.${index}`, query])
  return readQueries(named, readMatchQuery, signal)
}

async function readQueries(
  named: readonly [string, unknown][],
  read: (query: Json) => ReconcileQuery,
  signal: AbortSignal,
): Promise<BoundedList<ReadQuery>> {
  let values = 0
  return BoundedList.of(MAXIMA.queries, named).to(signal, ([name, query]) => {
    const entry = readEntry(name, query, read)
    if ('query' in entry) values += countValues(entry.query)
    checkMaximum(MAXIMA.requestValues, values)
    return entry
  })
}

/** @throws ApiError MalformedRequestError with this name if the text is not JSON. */
export function readJson(name: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed(`${name}: expected JSON`)
  }
}

function readEntry(name: string, query: unknown, read: (query: Json) => ReconcileQuery): ReadQuery {
  try {
    if (!isObject(query)) throw malformed('expected an object')
    return { name, query: read(query) }
  } catch (error) {
    if (error instanceof ApiError) return { name, error: `${name}: ${error.message}` }
    throw error
  }
}

/** Values of conditions; a condition without any counts as one. */
function countValues({ conditions }: ReconcileQuery): number {
  return conditions.reduce((sum, { values }) => sum + Math.max(1, values.length), 0)
}

/**
 * Adds a condition.
 *
 * @throws ApiError MalformedRequestError if the query has too many values.
 */
function add(query: ReconcileQuery, condition: QueryCondition): void {
  query.conditions.push(condition)
  checkMaximum(MAXIMA.conditionValues, countValues(query))
}

function readQuery(query: Json): ReconcileQuery {
  const { type, type_strict: strict, properties = [], limit } = query
  const text = optionalText('query', query['query'])
  if (!Array.isArray(properties)) throw malformed('properties: expected an array')
  if (strict !== undefined && !['any', 'should', 'all'].includes(strict as string)) {
    throw malformed(`type_strict: expected any, should or all, got ${quotedJson(strict)}`)
  }
  if (text === undefined && properties.length === 0) throw malformed('query: expected a text, or properties')
  const read = { ...queryForText(text, readLimit(limit)), types: readQueryTypes(type), allTypes: strict === 'all' }
  for (const property of properties as unknown[]) {
    if (!isObject(property)) throw malformed('properties: expected objects with pid and v')
    const values = readConditionValues('properties.v', property['v'])
    add(read, { property: readPropertyId('pid', property['pid']), values, quantifier: 'any', isRequired: true })
  }
  return read
}

function readMatchQuery(query: Json): ReconcileQuery {
  const { conditions, type, lang, limit } = query
  if (!Array.isArray(conditions) || conditions.length === 0) {
    throw malformed('conditions: expected an array with at least one condition')
  }
  const language = optionalText('lang', lang)
  if (language !== undefined && !isLanguageTag(language)) {
    throw malformed(`lang: expected a language tag, got ${quoted(language)}`)
  }
  const plain = queryForText(undefined, readLimit(limit))
  const read = { ...plain, types: readQueryTypes(type), language: language?.toLowerCase() }
  for (const condition of conditions as unknown[]) addCondition(read, condition)
  return read
}

function addCondition(query: ReconcileQuery, condition: unknown): void {
  if (!isObject(condition)) throw malformed('conditions: expected objects with matchType and propertyValue')
  const { matchType, propertyId, propertyValue, required = false, matchQuantifier = 'any' } = condition
  const values = readConditionValues('propertyValue', propertyValue)
  if (typeof required !== 'boolean') throw malformed('required: expected true or false')
  const quantifier = QUANTIFIERS.find((name) => name === matchQuantifier)
  if (!quantifier) throw malformed('matchQuantifier: expected any, all or none')
  if (matchType === 'id') add(query, { property: 'id', values, quantifier, isRequired: required })
  else if (matchType === 'name') {
    if (query.text !== undefined || values.length !== 1) throw malformed('conditions: expected at most one name')
    query.text = values[0]
  } else if (matchType === 'property') {
    const property = readPropertyId('propertyId', propertyId)
    if (property === 'language' && quantifier !== 'any') {
      throw malformed('matchQuantifier: expected any for the property language')
    }
    add(query, { property, values, quantifier, isRequired: required })
  } else throw malformed('matchType: expected name, id or property')
}

function readPropertyId(name: string, value: unknown): string {
  const requested = typeof value === 'string' ? findProperty(value) : undefined
  if (requested?.property.isCondition && requested.language === undefined) return requested.property.id
  const ids = PROPERTIES.filter(({ isCondition }) => isCondition).map((property) => property.id)
  throw malformed(`${name}: expected one of ${ids.join(', ')}, got ${quotedJson(value)}`)
}

/** One value or several: texts, numbers, booleans, or entities, of which only the id counts. */
function readConditionValues(name: string, value: unknown): string[] {
  const values = (Array.isArray(value) ? value : [value]) as unknown[]
  checkMaximum(MAXIMA.conditionValues, values.length, name)
  return values.flatMap((item) => {
    const simple = isObject(item) ? item['id'] : item
    if (!['string', 'number', 'boolean'].includes(typeof simple)) throw malformed(`${name}: expected texts or entities`)
    const text = String(simple).trim()
    return text === '' ? [] : [text]
  })
}

/** Class URIs; skos:Concept also has short names. */
function readQueryTypes(type: unknown): string[] {
  const types = (Array.isArray(type) ? type : [type ?? '']) as unknown[]
  checkMaximum(MAXIMA.queryTypes, types.length)
  if (types.some((name) => typeof name !== 'string')) {
    throw malformed('type: expected the URI of a class, or several')
  }
  return (types as string[]).flatMap((name) => {
    if (name === '') return []
    return ['concept', 'Concept', 'skos:Concept'].includes(name) ? [CONCEPT] : [name.replace(/^skos:/, SKOS)]
  })
}

function readLimit(limit: unknown): number {
  if (limit === undefined || limit === null) return DEFAULT_CANDIDATES
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1) {
    throw malformed(`limit: expected a whole number from 1, got ${quotedJson(limit)}`)
  }
  return Math.min(limit, MAXIMA.candidates.most)
}

function optionalText(name: string, value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'string') throw malformed(`${name}: expected a text`)
  return value.trim() === '' ? undefined : value
}
