import type { ValidateFunction } from 'ajv'
import type { DefinedError } from 'ajv'
import { ApiError, type Violation } from '../errors.ts'
import { toViolations } from '../shapes/violations.ts'

/** The most concepts in one request (docs/interface.md, "Ingest"). */
export const MAX_CONCEPTS = 1000

/** The most violations in one answer; how many more there are is in its message. */
const MAX_VIOLATIONS = 100

/** One request object of the body (spec, POST /ingest). */
export interface RequestObject {
  token: string
  /** As it was sent. */
  data: string
  /** The content of `data`, unchecked. */
  concepts: unknown[]
}

/** A body with the right shape down to the request objects. */
export interface IngestRequest {
  username: string
  objects: RequestObject[]
}

/**
 * Reads the body of POST /ingest down to the concepts, which are checked after the login.
 *
 * @param body as it came; undefined or empty if there was none.
 * @param validate the compiled shapes/ingest-request.schema.json.
 * @throws ApiError MalformedRequestError for a body that is not JSON in UTF-8, PayloadTooLargeError for more than 1,000
 *   concepts, InvalidBodyError with all violations for a wrong shape.
 */
export function readRequest(body: Uint8Array | undefined, validate: ValidateFunction): IngestRequest {
  const value = parseBody(body)
  const data = new Map<number, unknown>()
  let concepts = 0
  for (const [at, object] of Array.isArray(value) ? value.entries() : []) {
    const text = isObject(object) && Object.hasOwn(object, 'data') ? object['data'] : undefined
    if (typeof text !== 'string') continue
    const parsed = parseData(text)
    data.set(at, parsed)
    concepts += Array.isArray(parsed) ? parsed.length : 1
  }
  if (concepts > MAX_CONCEPTS || (Array.isArray(value) && value.length > MAX_CONCEPTS)) {
    throw new ApiError('PayloadTooLargeError', `A request may have at most ${MAX_CONCEPTS} concepts.`)
  }

  const violations = validate(value) ? [] : toViolations(validate.errors as DefinedError[])
  if (violations.length > 0) throw invalid(violations)
  const objects = value as { username: string; token: string; data: string }[]
  const { username } = objects[0]!
  for (const [at, object] of objects.entries()) {
    const content = data.get(at)
    if (!Array.isArray(content) || content.length === 0) {
      violations.push({ path: `${at}.data`, message: dataMessage(content) })
    }
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
    objects: objects.map(({ token, data: text }, at) => ({ token, data: text, concepts: data.get(at) as unknown[] })),
  }
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

function parseBody(body: Uint8Array | undefined): unknown {
  const expected = 'body: expected a JSON array of request objects'
  if (!body || body.length === 0) throw new ApiError('MalformedRequestError', `${expected}, got nothing`)
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(body)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', `${expected} in UTF-8`, { cause })
  }
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new ApiError('MalformedRequestError', `${expected}, got something else`, { cause })
  }
}

/** The value in `data`, which is JSON or URL-encoded JSON; undefined if it is neither. */
function parseData(text: string): unknown {
  // Plain JSON may contain `%`, so only text that is not JSON is decoded.
  return parseJson(text) ?? parseJson(decodeUrl(text))
}

function parseJson(text: string | undefined): unknown {
  if (text === undefined) return undefined
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function decodeUrl(text: string): string | undefined {
  try {
    // Form encoders write a space as `+` and encode `:`; encodeURI leaves both as they are.
    return decodeURIComponent(text.includes(':') ? text : text.replaceAll('+', ' '))
  } catch {
    return undefined
  }
}

function dataMessage(content: unknown): string {
  const expected = 'expected a JSON array of concepts as a string, URL-encoded or not'
  if (content === undefined) return `${expected}; it is not JSON`
  return Array.isArray(content) ? `${expected}; it is empty` : `${expected}; it is not an array`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
