import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { DamageError } from '../../../base/durable/errors.ts'
import { column } from '../../../base/durable/sqlite.ts'
import type { LogFile, LogTransaction } from './file.ts'

const BLOCK_BYTES = 1 << 16
/** The maximum text of one change; the log keeps only the digests of larger ones. */
const MOST_TEXT = 16 << 20
/** The number of the block of a change whose text the log does not have. */
const NO_BLOCK = -1

/** The place of the text of a change. */
interface TextPlace {
  /** Number of the block in its changeset, or `NO_BLOCK`. */
  block: number
  /** The first byte in the block. */
  at: number
  /** Number of bytes. */
  length: number
}

/** The statements that a change removes and adds. */
interface ChangedStatements {
  removed: readonly string[]
  added: readonly string[]
}

/** The text of a change in a block. */
function textOfChange({ removed, added }: ChangedStatements): Buffer {
  return Buffer.from([...removed.map((line) => `-${line}\n`), ...added.map((line) => `+${line}\n`)].join(''))
}

/** Collects the texts of the changes of a changeset in blocks. */
export class BlockWriter {
  readonly #changeset: number
  #ended: Buffer[] = []
  #open: Buffer[] = []
  #bytes = 0
  /** The number of the open block. */
  #number = 0

  constructor(changeset: number) {
    this.#changeset = changeset
  }

  /** Adds the text of a change, unless it is too large. */
  add(change: ChangedStatements): TextPlace {
    const text = textOfChange(change)
    const isKept = text.length <= MOST_TEXT
    const place = { block: isKept ? this.#number : NO_BLOCK, at: this.#bytes, length: text.length }
    if (!isKept) return place
    this.#open.push(text)
    this.#bytes += text.length
    if (this.#bytes >= BLOCK_BYTES) this.#end()
    return place
  }

  /** Writes all blocks that are not in the file, also the open one. */
  async write({ run }: LogTransaction): Promise<void> {
    this.#end()
    const first = this.#number - this.#ended.length
    for (const [at, body] of this.#ended.entries()) {
      await run('INSERT INTO block VALUES (?, ?, ?)', this.#changeset, first + at, body)
    }
    this.#ended = []
  }

  #end(): void {
    if (this.#bytes === 0) return
    this.#ended.push(deflateRawSync(Buffer.concat(this.#open), { level: 1 }))
    this.#number++
    this.#open = []
    this.#bytes = 0
  }
}

const BODY = { body: column.bytes('body') }

/** Bytes of blocks to remember, of some hundreds as a rule, and of the largest in any case. */
const REMEMBERED_BYTES = 32 << 20

/**
 * Reads texts of changes. It remembers the last blocks: resources that were written together are read together, and
 * those of several versions have their texts in several blocks.
 */
export class BlockReader {
  readonly #file: LogFile
  /** The texts of blocks by changeset and number. */
  readonly #bodies = new LRUCache<string, Buffer>({
    maxSize: REMEMBERED_BYTES,
    sizeCalculation: ({ length }) => Math.max(length, 1),
  })

  constructor(file: LogFile) {
    this.#file = file
  }

  /**
   * The statements of a change; undefined if the log does not have its text.
   *
   * @throws DamageError if the block is missing.
   */
  async read(
    changeset: number,
    { block, at, length }: TextPlace,
  ): Promise<{ removed: string[]; added: string[] } | undefined> {
    if (block === NO_BLOCK) return undefined
    const lines = length === 0 ? [] : (await this.#body(changeset, block)).toString('utf8', at, at + length).split('\n')
    const after = (sign: string) => lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1))
    return { removed: after('-'), added: after('+') }
  }

  async #body(changeset: number, block: number): Promise<Buffer> {
    const key = `${changeset} ${block}`
    const remembered = this.#bodies.get(key)
    if (remembered) return remembered
    const [row] = await this.#file.select(BODY, 'FROM block WHERE changeset = ? AND number = ?', changeset, block)
    if (!row) throw new DamageError(this.#file.path, `block ${block} of changeset ${changeset} is missing`)
    const body = inflateRawSync(row.body)
    this.#bodies.set(key, body)
    return body
  }
}
