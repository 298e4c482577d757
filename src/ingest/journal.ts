import { mkdir, open, readFile, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'

/** A journal that is not what was written there. The message names the file and the line. */
export class JournalDamageError extends Error {
  override readonly name = 'JournalDamageError'
}

interface Task {
  /** Lines to append, or all lines that the journal is to have from now on. */
  write: { append: string } | { rewrite: () => unknown[] }
  resolve: () => void
  reject: (error: unknown) => void
}

/**
 * A file of JSON values, one a line, to which is only appended. What has been appended is on disk (fdatasync) when the
 * promise resolves; values that come while the disk is busy share the next write.
 */
export class Journal {
  readonly #file: string
  #handle: FileHandle
  /** Bytes of whole lines; what a failed write has left behind them is cut off. */
  #length: number
  #lines: number
  #tasks: Task[] = []
  #working: Promise<void> | undefined

  private constructor(file: string, handle: FileHandle, length: number, lines: number) {
    this.#file = file
    this.#handle = handle
    this.#length = length
    this.#lines = lines
  }

  /**
   * Opens a journal, or begins one. A line that a crash has cut off is no error: nobody was told that it was written.
   *
   * @returns the journal and the values in it.
   * @throws JournalDamageError for a broken line that whole ones follow.
   */
  static async open(file: string): Promise<{ journal: Journal; values: unknown[] }> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const text = await readFile(file).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return Buffer.alloc(0)
      throw error
    })
    const { values, length } = readLines(text, file)
    const handle = await open(file, 'a+', 0o600)
    await handle.truncate(length)
    await handle.datasync()
    await syncDirectory(dirname(file))
    return { journal: new Journal(file, handle, length, values.length), values }
  }

  /** Lines in the file. */
  get lines(): number {
    return this.#lines
  }

  /** Resolves when the value is on disk. */
  append(value: unknown): Promise<void> {
    return this.#add({ append: `${JSON.stringify(value)}\n` })
  }

  /**
   * Puts other values in the place of all: after a crash the file is the old one or the new one, whole.
   *
   * @param values asked for when everything before is on disk; it has to hold what has been appended until then.
   */
  rewrite(values: () => unknown[]): Promise<void> {
    return this.#add({ rewrite: values })
  }

  /** Resolves when everything is on disk and the file is closed. */
  async close(): Promise<void> {
    await this.#working
    await this.#handle.close()
  }

  #add(write: Task['write']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#tasks.push({ write, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  async #work(): Promise<void> {
    // What is asked for in the same turn goes to disk together.
    await Promise.resolve()
    while (this.#tasks.length > 0) {
      const rewriteAt = this.#tasks.findIndex(({ write }) => 'rewrite' in write)
      const batch = this.#tasks.splice(0, rewriteAt === -1 ? this.#tasks.length : Math.max(rewriteAt, 1))
      try {
        const [first] = batch
        if ('rewrite' in first!.write) await this.#replace(first!.write.rewrite())
        else await this.#append(batch.map(({ write }) => ('append' in write ? write.append : '')))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#working = undefined
  }

  async #append(lines: string[]): Promise<void> {
    const bytes = Buffer.from(lines.join(''))
    try {
      await this.#handle.appendFile(bytes)
      await this.#handle.datasync()
    } catch (error) {
      await this.#handle.truncate(this.#length)
      throw error
    }
    this.#length += bytes.length
    this.#lines += lines.length
  }

  async #replace(values: unknown[]): Promise<void> {
    const beside = `${this.#file}.new`
    await rm(beside, { force: true })
    const bytes = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    const handle = await open(beside, 'ax+', 0o600)
    try {
      await handle.appendFile(bytes)
      await handle.sync()
      await rename(beside, this.#file)
      await syncDirectory(dirname(this.#file))
    } catch (error) {
      await handle.close()
      throw error
    }
    await this.#handle.close()
    this.#handle = handle
    this.#length = bytes.length
    this.#lines = values.length
  }
}

const NEWLINE = 10

function readLines(text: Buffer, file: string): { values: unknown[]; length: number } {
  const values: unknown[] = []
  let length = 0
  let broken: number | undefined
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf(NEWLINE, start)
    const end = newline === -1 ? text.length : newline
    const value = newline === -1 ? undefined : parse(text.toString('utf8', start, end))
    if (value === undefined) broken ??= line
    else if (broken !== undefined) throw new JournalDamageError(`${file}, line ${broken}: expected JSON`)
    else {
      values.push(value)
      length = end + 1
    }
    start = end + 1
  }
  return { values, length }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown
  } catch {
    return undefined
  }
}

async function syncDirectory(directory: string): Promise<void> {
  const handle = await open(directory, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
