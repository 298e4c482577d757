import { basename } from 'node:path'
import { inOneLine, shorten } from '../unicode.ts'

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
    super(inOneLine(shorten(line, MOST_CHARACTERS)))
  }
}

/** Several files, as an InputError names one. */
export function fileNames(files: readonly string[]): string {
  return files.map((file) => basename(file)).join(', ')
}

/** A file that is too large, or takes too much when it is unpacked. */
export class TooLargeError extends InputError {}

/** Lists name so many mistakes one by one. */
export const MOST_MISTAKES = 1000

/** The mistakes in files that are read to their end, even after a mistake. */
export class MistakeList {
  readonly #listed: string[] = []
  #count = 0

  /** @param mistake a line for the operator, with its place. */
  add(mistake: string): void {
    if (++this.#count <= MOST_MISTAKES) this.#listed.push(mistake)
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  /** @throws InputError if there is a mistake; AggregateError with an InputError for each if there are several. */
  refuse(): void {
    if (this.isEmpty) return
    const errors = this.#listed.map((mistake) => new InputError(mistake))
    if (errors.length === 1) throw errors[0]!
    const more = this.#count - errors.length
    if (more > 0) errors.push(new InputError(`${more} more mistakes.`))
    throw new AggregateError(errors, errors.map(({ message }) => message).join('\n'))
  }
}
