import { messageOf } from '../../base/thrown.ts'
import { inOneLine } from '../../base/unicode.ts'

/**
 * The line about an error for the operator, with the words of a store that has refused a request; a line for each
 * mistake in files.
 */
export function lineOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(lineOf).join('')
  return `error: ${textOf(error)}\n`
}

/** An error for an operator, in one line: its message, with the words of a store that has refused. */
export function textOf(error: unknown): string {
  const message = messageOf(error)
  const answer = error instanceof Error ? answerOf(error.cause) : undefined
  const line = answer === undefined ? message : `${message.replace(/\.$/, '')}: ${answer}`
  return inOneLine(line)
}

/** The answer of a store: its message if it is JSON, as this service sends it. */
function answerOf(cause: unknown): string | undefined {
  // By name: commands start sooner without the client of the store.
  if (!(cause instanceof Error) || cause.name !== 'StoreAnswerError') return undefined
  return /"message":"((?:[^"\\]|\\.)*)"/.exec(cause.message)?.[1]?.replace(/\\(["\\])/g, '$1') ?? cause.message
}
