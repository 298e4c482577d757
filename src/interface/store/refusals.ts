import { ApiError } from '../../base/errors.ts'
import { shorten } from '../../base/unicode.ts'

const LONGEST_MESSAGE = 300

/**
 * True if the disk failed, or if an error leaves WebAssembly in an unknown state: a trap (out of memory, out of stack,
 * a panic) or a text longer than JavaScript allows. oxigraph reports everything else as plain errors.
 */
export function isFatal(error: unknown): boolean {
  const { name, code } = error as NodeJS.ErrnoException
  return name === 'RuntimeError' || name === 'RangeError' || code !== undefined
}

/** The error for a client whose query or update oxigraph refuses; fatal errors are returned as they are. */
export function refusedSparql(error: unknown, parameter: 'query' | 'update'): unknown {
  if (isFatal(error) || !(error instanceof Error)) return error
  return new ApiError('MalformedRequestError', `${parameter}: ${sparqlReason(error.message)}`, { cause: error })
}

function sparqlReason(message: string): string {
  if (/HTTP client is not available/.test(message)) return 'LOAD is not available: nothing is fetched from elsewhere'
  if (/^The service .* is not supported/.test(message)) {
    return 'SERVICE is not available: nothing is fetched from elsewhere'
  }
  const [, line, column, reason] = /^error at (\d+):(\d+): (.*)$/s.exec(message) ?? []
  return line === undefined ? brief(message) : `syntax error at line ${line}, column ${column}${expectation(reason!)}`
}

/** Drops `[_]`, which stands for any character in the parser's lists of expected input. */
function expectation(reason: string): string {
  const rest = reason.replace(/, \[_\]$/, '').replace(/^expected \[_\]$/, '')
  return rest === '' ? '' : `: ${brief(rest)}`
}

/** The error for a client whose file of triples oxigraph refuses; fatal errors are returned as they are. */
export function refusedInput(error: unknown): unknown {
  if (isFatal(error) || !(error instanceof Error)) return error
  const reason = brief(error.message.replace(/^Parser error at /, ''))
  return new ApiError('MalformedRequestError', `the body is not what its Content-Type says: ${reason}`, {
    cause: error,
  })
}

function brief(message: string): string {
  return shorten(message.replace(/\s+/g, ' '), LONGEST_MESSAGE)
}
