import type { ValidateFunction } from 'ajv'
import type { DefinedError } from 'ajv'
import { ApiError, type Violation } from '../../base/errors.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { isObject } from '../../base/json.ts'
import { toViolations } from '../../graph/shapes/violations.ts'
import { outlineOf, type Outline } from './outline.ts'

/** The maximum number of concepts in one request (docs/ingest.md, "Ingest"). */
const MAX_CONCEPTS = MAXIMA.ingestConcepts.most

/** The maximum number of JSON values in a correct body: the array, and for each concept an object with three texts. */
const MAX_VALUES = 1 + 4 * MAX_CONCEPTS

/** An answer lists at most this many violations; its message gives the number of further ones. */
const MAX_VIOLATIONS = 100

/** One request object of the body (docs/ingest.md, "Ingest"). */
interface RequestObject {
  token: string
  /** The text as sent. */
  data: string
  /** The JSON in `data`: an array with at least one element, which may be anything. */
  concepts: string
}

/** A body with the right shape down to the request objects. */
export interface IngestRequest {
  username: string
  objects: RequestObject[]
}

/**
 * Reads the body of POST /ingest down to the concepts, which the service parses and checks only after the login. Before
 * that, it refuses a body of many values without building them.
 *
 * @param body as received; undefined or empty if there was none.
 * @param validate the compiled shapes/ingest-request.schema.json.
 * @throws ApiError MalformedRequestError for a body that is not JSON in UTF-8, PayloadTooLargeError for more than 1,000
 *   concepts, InvalidBodyError with all violations for a wrong shape.
 */
export function readRequest(body: Uint8Array | undefined, validate: ValidateFunction): IngestRequest {
  /** The JSON of `data` by request object. */
  const sentData = new Map<number, string>()
  const { text, outline } = readOutline(body, (object, name, sent) => {
    if (name === '"data"') sentData.set(object, sent)
  })
  if ((outline.elements ?? 0) > MAX_CONCEPTS) throw tooManyConcepts()
  if (outline.values > MAX_VALUES) {
    const counts = [...sentData.values()].map((sent) => countConcepts(readData(JSON.parse(sent) as string)))
    if (counts.reduce((sum, count) => sum + count, 0) > MAX_CONCEPTS) throw tooManyConcepts()
    throw invalid([
      { path: '', message: 'expected an array of objects with username, token and data, and nothing else' },
    ])
  }
  const value = JSON.parse(text) as unknown
  const data = new Map<number, Data | undefined>()
  let concepts = 0
  for (const [at, object] of Array.isArray(value) ? value.entries() : []) {
    const sent = isObject(object) && Object.hasOwn(object, 'data') ? object['data'] : undefined
    if (typeof sent !== 'string') continue
    const read = readData(sent)
    data.set(at, read)
    concepts += countConcepts(read)
  }
  if (concepts > MAX_CONCEPTS) throw tooManyConcepts()

  const violations = validate(value) ? [] : toViolations(validate.errors as DefinedError[])
  if (violations.length > 0) throw invalid(violations)
  const objects = value as { username: string; token: string; data: string }[]
  const { username } = objects[0]!
  for (const [at, object] of objects.entries()) {
    const read = data.get(at)
    if (!read?.outline.elements) violations.push({ path: `${at}.data`, message: dataMessage(read) })
    if (object.username !== username) {
      violations.push({
        path: `${at}.username`,
        message: 'expected the username of the first object, because a request has one account',
      })
    }
  }
  if (violations.length > 0) throw invalid(violations)
  return {
    username,
    objects: objects.map(({ token, data: sent }, at) => ({ token, data: sent, concepts: data.get(at)!.text })),
  }
}

function tooManyConcepts(): ApiError {
  return new ApiError('PayloadTooLargeError', `data: expected at most ${MAX_CONCEPTS} concepts`)
}

/** A 422 that lists all violations. */
export function invalid(violations: Violation[]): ApiError {
  const [first] = violations
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : ''
  const place = first!.path === '' ? 'body' : first!.path
  return new ApiError('InvalidBodyError', `${place}: ${first!.message}${more}`, {
    violations: violations.slice(0, MAX_VIOLATIONS),
  })
}

/** JSON text and its outline. */
interface Data {
  text: string
  outline: Outline
}

/** Anything but an array counts as one concept. */
function countConcepts(data: Data | undefined): number {
  return data?.outline.elements ?? 1
}

function readOutline(body: Uint8Array | undefined, onText: Parameters<typeof outlineOf>[1]): Data {
  const expected = 'body: expected a JSON array of one or more request objects'
  if (!body || body.length === 0) throw new ApiError('MalformedRequestError', `${expected}, got nothing`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', `${expected} in UTF-8`, { cause })
  }
  const outline = outlineOf(text, onText)
  if (!outline) throw new ApiError('MalformedRequestError', `${expected}, got something else`)
  return { text, outline }
}

/** The JSON in `data`, which may be URL-encoded; undefined if it is not JSON. */
function readData(sent: string): Data | undefined {
  // Plain JSON may contain `%`, so only text that is not JSON is decoded.
  const plain = outlineOf(sent)
  if (plain) return { text: sent, outline: plain }
  const decoded = decodeUrl(sent)
  const outline = decoded === undefined || decoded === sent ? undefined : outlineOf(decoded)
  return outline && { text: decoded!, outline }
}

function decodeUrl(text: string): string | undefined {
  try {
    // Form encoders write a space as `+` and encode `:`; encodeURI leaves both as they are.
    return decodeURIComponent(text.includes(':') ? text : text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function dataMessage(read: Data | undefined): string {
  const expected = 'expected a JSON array of concepts as a string, URL-encoded or not'
  if (!read) return `${expected}; it is not JSON`
  return read.outline.elements === 0 ? `${expected}; it is empty` : `${expected}; it is not an array`
}
