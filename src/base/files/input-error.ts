import { basename } from 'node:path'
import { shorten } from '../unicode.ts'

const MOST_CHARACTERS = 2000

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
    const line = `${file ? `${basename(file)}${at}: ` : ''}${message}`
    // A message may quote a text, which may have a million letters.
    super(shorten(line, MOST_CHARACTERS).replace(/\s*[\r\n]+\s*/g, ' '))
  }
}
