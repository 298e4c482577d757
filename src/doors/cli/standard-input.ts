import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { InputError } from '../../base/files/input-error.ts'

/** Stands for standard input in a list of files. */
const DASH = '-'
/** The name of its file in messages and in the history. Without an extension, the content determines the format. */
const NAME = 'standard input'

/** The files that a command has for itself. */
export class TemporaryFiles {
  #folder: string | undefined

  /**
   * The files of a command line. Standard input (`-`) becomes a temporary file, because some readers read their files
   * twice.
   *
   * @throws InputError if standard input is among them twice.
   */
  async of(files: readonly string[]): Promise<string[]> {
    const times = files.filter((file) => file === DASH).length
    if (times > 1) throw new InputError(`expected ${DASH} (standard input) only once.`)
    if (times === 0) return [...files]
    this.#folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
    const path = join(this.#folder, NAME)
    await pipeline(process.stdin, createWriteStream(path))
    return files.map((file) => (file === DASH ? path : file))
  }

  async remove(): Promise<void> {
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true })
  }
}
