import { column, type ColumnRow, type SqlValue } from '../../../base/durable/sqlite.ts'
import type { BlockReader } from './blocks.ts'
import type { Cause, Change, ChangeKind } from './change.ts'
import { DIGEST_BYTES, NOTHING } from './digest.ts'
import type { LogFile } from './file.ts'

/** The columns of a change, from `c` (change), `s` (changeset), `r` (resource) and `g` (graph). */
const CHANGE = {
  uri: column.text('r.uri'),
  kind: column.text('c.kind'),
  start: column.number('s.start'),
  number: column.number('c.number'),
  time: column.text('s.time'),
  cause: column.text('s.cause'),
  graph: column.text('g.uri'),
  before: column.bytes('c.before'),
  after: column.bytes('c.after'),
  changeset: column.number('c.changeset'),
  block: column.number('c.block'),
  at: column.number('c.at'),
  length: column.number('c.length'),
}

const JOINED =
  'FROM change c JOIN changeset s ON s.id = c.changeset JOIN resource r ON r.id = c.resource JOIN graph g ON g.id = s.graph WHERE'

/** Reads changes. */
export class ChangeRows {
  readonly #file: LogFile
  readonly #blocks: BlockReader

  constructor(file: LogFile, blocks: BlockReader) {
    this.#file = file
    this.#blocks = blocks
  }

  /** The changes that count and fulfil a condition. @param condition with the order and the limit. */
  counting(condition: string, ...values: SqlValue[]): Promise<Change[]> {
    return this.from(`${JOINED} s.start >= 0 AND ${condition}`, ...values)
  }

  /** @param rest of the query after its columns; its tables are named as in `CHANGE`. */
  async from(rest: string, ...values: SqlValue[]): Promise<Change[]> {
    return this.#read(() => true, rest, values)
  }

  /**
   * As `from`, but with statements of deleted resources alone: lists show what others have now, and the statements of
   * thousands of changes take hundreds of megabytes.
   */
  async fromWithDeleted(rest: string, ...values: SqlValue[]): Promise<Change[]> {
    return this.#read(({ kind }) => kind === 'Delete', rest, values)
  }

  async #read(
    hasStatements: (row: ColumnRow<typeof CHANGE>) => boolean,
    rest: string,
    values: SqlValue[],
  ): Promise<Change[]> {
    const changes: Change[] = []
    for (const row of await this.#file.select(CHANGE, rest, ...values)) {
      const statements = hasStatements(row) ? await this.#blocks.read(row.changeset, row) : undefined
      changes.push(toChange(row, statements))
    }
    return changes
  }
}

function toChange(
  { uri, kind, start, number, time, cause, graph, ...row }: ColumnRow<typeof CHANGE>,
  statements: Pick<Change, 'removed' | 'added'> | undefined,
): Change {
  const isListed = number >= 0
  return {
    uri,
    kind: kind as ChangeKind,
    isListed,
    position: isListed && start >= 0 ? start + number : -1,
    time,
    cause: JSON.parse(cause) as Cause,
    graph,
    before: toHex(row.before),
    after: toHex(row.after),
    removed: statements?.removed,
    added: statements?.added,
  }
}

function toHex(digest: Buffer): string | undefined {
  return digest.length < DIGEST_BYTES || digest.equals(NOTHING) ? undefined : digest.toString('hex')
}
