import { DamageError, DiskError, LockedError } from '../durable/errors.ts'
import { ApiError, isErrorName } from '../errors.ts'

/** The calls that a kind of thread answers, by name. `open` is its first answer, unasked: the thread is ready. */
export interface CallTypes {
  open: { arguments: object; result: unknown }
  [name: string]: { arguments: object; result: unknown }
}

/** The names of calls. */
export type CallName<Calls extends CallTypes> = keyof Calls & string

/** A call as it is sent to a thread. */
export type CallMessage<Calls extends CallTypes> = {
  [Name in CallName<Calls>]: {
    /** Unique within the process. */
    id: number
    name: Name
    arguments: Calls[Name]['arguments']
    /** Milliseconds since the epoch after which nobody waits for the answer. */
    deadline: number
  }
}[CallName<Calls>]

/** Nobody waits for the answer of a call any more; the thread skips the call if it has not begun. */
export interface CancelMessage {
  cancel: number
}

/** An error on its way between threads. */
interface PlainError {
  name: string
  message: string
  cause: string
  /** Of damage: the file and the place in it. */
  file?: string
  place?: string
}

/**
 * The messages of a thread. After `error` it performs further calls. After `fatal` it is unusable: a file is damaged,
 * or the disk or the thread itself failed.
 */
export type ReplyMessage =
  | { id: number; result: unknown }
  | { id: number; error: PlainError }
  | { id: number; fatal: 'damage'; file: string; place: string }
  | { id: number; fatal: 'disk' | 'crash'; message: string }
  | { id: number; expired: true }

/** Id of the answer to `open`. */
export const OPENING = 0

/**
 * The call that a thread is at work on, and the last one that nobody waits for any more, in memory that the thread
 * shares with the process that started it.
 */
export class RunningCall {
  /** Send this to the thread. */
  readonly memory: BigInt64Array

  constructor(memory: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(24))) {
    this.memory = memory
  }

  get id(): number {
    return Number(Atomics.load(this.memory, 0))
  }

  /** Milliseconds since the epoch. */
  get since(): number {
    return Number(Atomics.load(this.memory, 1))
  }

  /** True if the last call that nobody waits for any more is this one. */
  isCancelled(id: number): boolean {
    return Number(Atomics.load(this.memory, 2)) === id
  }

  /** Notes that nobody waits for a call any more. */
  cancel(id: number): void {
    Atomics.store(this.memory, 2, BigInt(id))
  }

  begin(id: number): void {
    Atomics.store(this.memory, 1, BigInt(Date.now()))
    Atomics.store(this.memory, 0, BigInt(id))
  }
}

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
