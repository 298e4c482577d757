/**
 * The errors that clients of the service can see, with the names of jskos-server and a few more. A message addresses
 * the person who sent the request; `cause` holds the internal error, which the service logs and never sends.
 */

const STATUS = {
  MalformedRequestError: 400,
  UnauthorizedError: 401,
  ForbiddenAccessError: 403,
  EntityNotFoundError: 404,
  MethodNotAllowedError: 405,
  GoneError: 410,
  PreconditionFailedError: 412,
  PayloadTooLargeError: 413,
  RangeNotSatisfiableError: 416,
  InvalidBodyError: 422,
  TooManyRequestsError: 429,
  InternalServerError: 500,
  BackendError: 502,
  ServiceUnavailableError: 503,
  TimeoutError: 504,
} as const

type ErrorName = keyof typeof STATUS

/** The names of all errors. */
export const ERROR_NAMES = Object.keys(STATUS)

/** True for the name of an error. */
export function isErrorName(name: string): name is ErrorName {
  return Object.hasOwn(STATUS, name)
}

/** A violation in a request body; `path` is dotted (`0.data.3.prefLabel.de`). */
export interface Violation {
  path: string
  message: string
}

/** A concept or vocabulary that was deleted, with its last names. */
export interface Gone {
  uri: string
  /** ISO 8601 in UTC. */
  date: string
  prefLabel?: Record<string, string>
  notation?: string[]
  /** Present if it was a proposal that was refused, with the reason if there is one. */
  decision?: string
  reason?: string
  /** Concepts to use instead, with names if the store has them. */
  replacedBy: { uri?: string; prefLabel?: Record<string, string>; notation?: string[] }[]
}

interface ApiErrorOptions {
  /** The error inside, for the log only. */
  cause?: unknown
  /** Seconds after which the client may try again (RFC 9110, Retry-After). */
  retryAfter?: number
  violations?: Violation[]
  /** Methods that the resource has (RFC 9110, Allow); for MethodNotAllowedError. */
  allow?: string[]
  /** For GoneError. */
  gone?: Gone
  /** The service has no such function, or a vocabulary of the service has no such concept. */
  missing?: 'function' | 'concept'
  /**
   * True if the request asks for too much and nothing has failed: anybody can send such a request, so the log has a
   * warning.
   */
  isCostly?: boolean
}

/**
 * An error with a name, an HTTP status and a message that clients may see.
 *
 * @example throw new ApiError('MalformedRequestError', 'limit: expected a whole number from 0, got "ten"')
 */
export class ApiError extends Error {
  override readonly name: ErrorName
  readonly status: number
  readonly retryAfter: number | undefined
  readonly violations: Violation[] | undefined
  readonly allow: string[] | undefined
  readonly gone: Gone | undefined
  readonly missing: ApiErrorOptions['missing']
  readonly isCostly: boolean

  constructor(name: ErrorName, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause })
    this.name = name
    this.status = STATUS[name]
    this.retryAfter = options.retryAfter
    this.violations = options.violations
    this.allow = options.allow
    this.gone = options.gone
    this.missing = options.missing
    this.isCostly = options.isCostly ?? false
  }
}

/** ServiceUnavailableError: a part of the service cannot answer at the moment. @param options.retryAfter seconds. */
export function unavailable(
  message: string,
  { retryAfter = 5, cause }: Pick<ApiErrorOptions, 'retryAfter' | 'cause'> = {},
): ApiError {
  return new ApiError('ServiceUnavailableError', message, { cause, retryAfter })
}
