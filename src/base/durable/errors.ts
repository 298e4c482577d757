interface DamageOptions {
  advice?: string
  cause?: unknown
}

/** A file is damaged. The message names the file, the place in it, and the remedy. */
export class DamageError extends Error {
  override readonly name = 'DamageError'
  readonly file: string
  /** A page, a table or a row. */
  readonly place: string

  /** @param advice for the operator. */
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

/** The disk refused a change, because it is full, over a quota or broken. No part of the change was kept. */
export class DiskError extends Error {
  override readonly name = 'DiskError'
}

/** Another process has locked the file. The message names the process, if the file describes it. */
export class LockedError extends Error {
  override readonly name = 'LockedError'
}
