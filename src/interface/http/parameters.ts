import type { Request } from 'express'
import Negotiator from 'negotiator'
import { ApiError } from '../../base/errors.ts'
import { checkMaximum, MAXIMA, maximumOfList } from './maxima.ts'
import { isDay } from '../../graph/jskos/date.ts'
import { firstFound } from '../../graph/jskos/names.ts'
import { readProperties, type Properties } from '../../graph/jskos/properties.ts'
import { isObject } from '../../base/json.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { isLanguageTag } from '../../graph/sparql/terms.ts'
import { quoted, wholeNumberIn } from '../../base/unicode.ts'

/** The decoded parameters of a request that its endpoint knows; none is empty or repeated. */
export type Parameters = ReadonlyMap<string, string>

/** Parameters of a request by the service itself; undefined ones are absent. */
export function givenParameters(values: Readonly<Record<string, string | undefined>>): Parameters {
  return new Map(Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])))
}

/** The text with the parameters of a request: its query string and, for POST /data, its form. */
export function queryOf({ target, method, body }: Pick<Request, 'target' | 'method' | 'body'>): string {
  const query = target.split('?').slice(1).join('?')
  return method === 'POST' && typeof body === 'string' ? `${query}&${body}` : query
}

/**
 * Reads a query string or a form body (application/x-www-form-urlencoded; a `+` is a space).
 *
 * Ignores unknown parameters; an empty value counts as absent, and so does a list of empty values.
 *
 * @param names names that the endpoint uses.
 * @throws ApiError MalformedRequestError for a known parameter that is repeated or array-like, for bad percent-encoding
 *   and for null characters.
 */
export function readParameters(query: string, names: readonly string[]): Parameters {
  const parameters = new Map<string, string>()
  const seen = new Set<string>()
  for (const pair of query.split('&')) {
    if (pair === '') continue
    const equalsSign = pair.indexOf('=')
    const rawName = equalsSign < 0 ? pair : pair.slice(0, equalsSign)
    const name = decode(rawName, 'the name of a parameter')
    const array = /^([^[]*)\[.*\]$/s.exec(name)
    if (array && names.includes(array[1]!)) {
      throw malformed(`${array[1]}: expected one value, got an array (lists of values are separated by "|")`)
    }
    if (!names.includes(name)) continue
    const value = equalsSign < 0 ? '' : decode(pair.slice(equalsSign + 1), name)
    if (value.includes('\u0000')) throw malformed(`${name}: expected text without null characters`)
    if (seen.has(name)) throw malformed(`${name}: expected once, got several (lists of values are separated by "|")`)
    seen.add(name)
    if (!isEmpty(name, value)) parameters.set(name, value)
  }
  return parameters
}

/** Parameters with text, in which `|` separates nothing. */
const TEXTS = ['search', 'query', 'prefix', 'data']

function isEmpty(name: string, value: string): boolean {
  return value === '' || (/^\|+$/.test(value) && !TEXTS.includes(name))
}

function decode(text: string, name: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    throw malformed(`${/^[\w@ -]+$/.test(name) ? name : 'query'}: expected valid percent-encoding of UTF-8`)
  }
}

/** A parameter with few values; undefined if it is absent. @throws ApiError MalformedRequestError that lists them. */
export function readChoice<Value extends string>(
  parameters: Parameters,
  name: string,
  values: readonly Value[],
): Value | undefined {
  const value = parameters.get(name)
  const chosen = values.find((option) => option === value)
  if (value === undefined || chosen !== undefined) return chosen
  throw malformed(`${name}: expected one of ${values.join(', ')}, got ${quoted(value)}`)
}

/** A 400 whose message begins with the name of the parameter. */
export function malformed(message: string): ApiError {
  return new ApiError('MalformedRequestError', message)
}

/**
 * A value of JSON for a message. Only the kind of arrays and objects, because deep ones cannot be written as JSON
 * again.
 */
export function quotedJson(value: unknown): string {
  if (typeof value === 'string') return quoted(value)
  if (Array.isArray(value)) return 'an array'
  return isObject(value) ? 'an object' : String(JSON.stringify(value))
}

/**
 * The values of a list parameter, without empty ones and without duplicates. Every list of a request is read here, so
 * that it has a maximum.
 *
 * @throws ApiError MalformedRequestError naming the parameter and its maximum.
 */
export function readList(parameters: Parameters, name: string, separator: string | RegExp = '|'): string[] {
  const value = parameters.get(name)
  if (value === undefined) return []
  const values = [...new Set(value.split(separator).filter((item) => item !== ''))]
  checkMaximum(maximumOfList(name), values.length, name)
  return values
}

/**
 * The absolute IRIs in a list. Other values match nothing, because clients put all identifiers of a thing into such
 * lists.
 *
 * @throws ApiError MalformedRequestError for a list without an absolute IRI.
 */
export function readIris(parameters: Parameters, name: string): string[] {
  const values = readList(parameters, name)
  const iris = values.filter(isAbsoluteIri)
  if (iris.length === 0 && values.length > 0) {
    throw malformed(`${name}: expected an absolute IRI, got ${quoted(values.join('|'))}`)
  }
  return iris
}

/**
 * A list of names, such as ids, and absolute IRIs. A value that begins like an IRI but is not valid matches nothing.
 *
 * @throws ApiError MalformedRequestError for a list of such values alone.
 */
export function readNamesOrIris(parameters: Parameters, name: string): string[] {
  const values = readList(parameters, name)
  if (values.length > 0 && values.every((value) => /^[a-z][a-z0-9+.-]*:/i.test(value) && !isAbsoluteIri(value))) {
    throw malformed(`${name}: expected names or absolute IRIs, got ${quoted(values.join('|'))}`)
  }
  return values
}

/** A list of at least one absolute IRI. */
export function requireIris(parameters: Parameters, name: string): [string, ...string[]] {
  const [iri, ...rest] = readIris(parameters, name)
  if (iri === undefined) throw malformed(`${name}: required, expected an absolute IRI`)
  return [iri, ...rest]
}

/** One absolute IRI. */
export function requireIri(parameters: Parameters, name: string): string {
  const [iri, ...rest] = requireIris(parameters, name)
  if (rest.length > 0) throw malformed(`${name}: expected one IRI, got several`)
  return iri
}

/** A whole number from 0 in decimal digits, at most the largest safe integer; undefined if the parameter is absent. */
export function readWholeNumber(parameters: Parameters, name: string): number | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const number = wholeNumberIn(value)
  if (number === undefined) throw malformed(`${name}: expected a whole number from 0, got ${quoted(value)}`)
  return number
}

/**
 * A time in ISO 8601, in UTC and with milliseconds; undefined if the parameter is absent.
 *
 * @param dayMeans the time that a day stands for: by default its end, so that the day counts in full.
 * @throws ApiError MalformedRequestError for anything but a day or a time with its zone.
 */
export function readTime(
  parameters: Parameters,
  name: string,
  dayMeans: 'beginning' | 'end' = 'end',
): string | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const [, day = '', time, zone] =
    /^(\d{4}-\d\d-\d\d)(?:(T\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(Z|[ +-]\d\d:\d\d))?$/.exec(value) ?? []
  const wholeDay = dayMeans === 'end' ? 'T23:59:59.999Z' : 'T00:00:00Z'
  // An unencoded `+` has become a space.
  const date = new Date(day + (time ? time + zone!.replace(' ', '+') : wholeDay))
  if (!isDay(day) || isNaN(Number(date))) {
    throw malformed(
      `${name}: expected a day such as 2026-05-01 or a time such as 2026-05-01T12:00:00Z, got ${quoted(value)}`,
    )
  }
  return date.toISOString()
}

/**
 * Language tags separated by `,` or `|`, in lower case and each once; undefined if there are none.
 *
 * @param name `languages` for those to keep; any other parameter has languages to choose from, the best first.
 * @throws ApiError MalformedRequestError for a bad tag, and for more tags than the maximum.
 */
export function readLanguages(parameters: Parameters, name: string): string[] | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const tags = new Set<string>()
  for (const item of value.split(/[,|]/)) {
    const tag = item.trim()
    if (tag === '') continue
    if (!isLanguageTag(tag)) throw malformed(`${name}: expected language tags such as "de,en", got ${quoted(tag)}`)
    checkMaximum(MAXIMA.languageTag, tag.length, name)
    tags.add(tag.toLowerCase())
  }
  checkMaximum(name === 'languages' ? MAXIMA.languages : MAXIMA.language, tags.size, name)
  return tags.size > 0 ? [...tags] : undefined
}

/**
 * The language tags that a request accepts, in lower case, the best first, without those beyond the maxima (RFC 9110,
 * section 12.5.4).
 */
export function acceptedLanguages(request: Request): string[] {
  const tags = new Negotiator(request).languages()
  const usable = tags.filter((tag) => isLanguageTag(tag) && tag.length <= MAXIMA.languageTag.most)
  return [...new Set(usable.map((tag) => tag.toLowerCase()))].slice(0, MAXIMA.acceptLanguage.most)
}

/**
 * The best language of texts for a reader; the first available one if the reader accepts none.
 *
 * @param tags of the reader in lower case, the best first.
 * @example languageOfTexts(['fr', 'de-at'], ['en', 'de']) // 'de'
 */
export function languageOfTexts<Language extends string>(
  tags: readonly string[],
  languages: readonly [Language, ...Language[]],
): Language {
  return firstFound(tags, (tag) => languages.find((language) => language === tag.split('-', 1)[0])) ?? languages[0]
}

/** A list of names separated by `,` or `|`, without empty ones. */
function readNames(parameters: Parameters, name: string): string[] {
  const names = readList(parameters, name, /[,|]/).map((item) => item.trim())
  return names.filter((item) => item !== '')
}

/**
 * The fields that the parameter `properties` asks for.
 *
 * @param defaults the fields without it.
 * @throws as `readList` does.
 */
export function requestedProperties(parameters: Parameters, defaults: readonly string[]): Properties {
  readNames(parameters, 'properties')
  return readProperties(parameters.get('properties'), defaults)
}

/**
 * A list of some of the names that a parameter takes; empty if it is absent.
 *
 * @throws ApiError MalformedRequestError for another name; its message lists all names.
 */
export function readChoices<Name extends string>(
  parameters: Parameters,
  name: string,
  choices: readonly Name[],
): readonly Name[] {
  return readNames(parameters, name).map((value) => {
    const choice = choices.find((present) => present === value)
    if (choice === undefined) throw malformed(`${name}: expected ${choices.join(', ')}, got ${quoted(value)}`)
    return choice
  })
}

/** A page of a list. */
export interface Page {
  /** The number of records: the requested or the default one, at most the maximum. */
  limit: number
  offset: number
  /** True if the request has a `limit`. */
  limited: boolean
}

/**
 * Reads `limit` and `offset`.
 *
 * @param maximum MAX_LIMIT: the most records in one answer.
 * @param fallback the limit if the request gives none.
 */
export function readPage(parameters: Parameters, maximum: number, fallback = maximum): Page {
  const limit = readWholeNumber(parameters, 'limit') ?? readWholeNumber(parameters, 'count')
  return {
    limit: Math.min(limit ?? fallback, maximum),
    offset: readWholeNumber(parameters, 'offset') ?? 0,
    limited: limit !== undefined,
  }
}
