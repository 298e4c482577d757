import { basename } from 'node:path'

/** A place in a file; both count from 1. */
export interface Position {
  line: number
  column?: number
}

/**
 * A mistake in a file or in a command that prevents loading. The message is one line for the operator: file, line and
 * column as far as they are known, and what was expected.
 */
export class InputError extends Error {
  override readonly name = 'InputError'

  constructor(
    message: string,
    readonly file?: string,
    readonly position?: Position,
  ) {
    const at = position ? `, line ${position.line}${position.column ? `, column ${position.column}` : ''}` : ''
    super(`${file ? `${basename(file)}${at}: ` : ''}${message}`.replace(/\s*[\r\n]+\s*/g, ' '))
  }
}
