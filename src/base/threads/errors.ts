import { DamageError, DiskError, LockedError } from '../durable/errors.ts'
import { ApiError, isErrorName } from '../errors.ts'
import type { PlainError, ReplyMessage } from './messages.ts'

/** An error as the answer to a call: an ApiError is for the client, any other one makes the thread unusable. */
export function replyOfError(id: number, error: unknown): ReplyMessage {
  if (error instanceof ApiError) return { id, error: plainError(error) }
  if (error instanceof DamageError) return { id, fatal: 'damage', file: error.file, place: error.place }
  return { id, fatal: error instanceof DiskError ? 'disk' : 'crash', message: describe(error) }
}

/** An error as a thread sends it. */
export function plainError(error: unknown): PlainError {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error))
  const place = error instanceof DamageError && { file: error.file, place: error.place }
  return { name, message, cause: describe(cause), ...place }
}

/** The error that a thread has sent. */
export function toError({ name, message, cause, file = '', place = '' }: PlainError): Error {
  if (isErrorName(name)) return new ApiError(name, message, { cause })
  switch (name) {
    case 'DamageError':
      return new DamageError(file, place)
    case 'DiskError':
      return new DiskError(message)
    case 'LockedError':
      return new LockedError(message)
    default:
      return new Error(message)
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
