import { DamageError, DiskError } from '../durable/errors.ts'
import { ApiError } from '../errors.ts'
import type { ReplyMessage } from './messages.ts'

/** An error as the answer to a call: an ApiError is for the client, any other one makes the thread unusable. */
export function replyOfError(id: number, error: unknown): ReplyMessage {
  if (error instanceof ApiError) {
    return { id, error: { name: error.name, message: error.message, cause: describe(error.cause) } }
  }
  if (error instanceof DamageError) return { id, fatal: 'damage', file: error.file, place: error.place }
  return { id, fatal: error instanceof DiskError ? 'disk' : 'crash', message: describe(error) }
}

function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
