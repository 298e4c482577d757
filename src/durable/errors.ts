interface DamageOptions {
  advice?: string
  cause?: unknown
}

/** A file is not what was written there. The message names the file and the place in it, and says what to do. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  readonly file: string
  /** A page, a table or a row. */
  readonly place: string

  /** @param advice what the operator can do. */
  constructor(
    file: string,
    place: string,
    { advice = 'Restore its folder from a backup.', cause }: DamageOptions = {},
  ) {
    super(`${file} is damaged: ${place}. Nothing was changed. ${advice}`, { cause })
    this.file = file
    this.place = place
  }
}

/** The disk did not take a change: it is full, over a quota or broken. Nothing of the change was kept. */
export class DiskError extends Error {
  override readonly name = 'DiskError'
}

/** Another process holds what only one may hold. The message says which, if it could be found out. */
export class HeldError extends Error {
  override readonly name = 'HeldError'
}
