/**
 * The used part of libsql (SQLite). Its binding ends the process for some unknown values, after a close, and for text
 * that is not UTF-8, which any column of a damaged file may contain. So queries read every column as bytes or as a
 * number: CAST(... AS BLOB), CAST(... AS INTEGER).
 */
import { basename } from 'node:path'
import Database from 'libsql/promise'
import { DamageError, DiskError, LockedError } from './errors.ts'

/** A copy waits so long for a transaction of another process. */
const COPY_BUSY_MS = 10_000

/** The values of parameters. */
export type SqlValue = string | number | Uint8Array
/** The values of a row, in the order of its columns. */
type SqlRow = (number | Buffer)[]

export interface PreparedStatement {
  /**
   * Changes rows. Call it in a transaction, whose end resets the statement: the binding has no other way to reset one
   * that a lock has stopped.
   */
  run(...values: SqlValue[]): void
  /** The first row; undefined if there is none. */
  get(...values: SqlValue[]): SqlRow | undefined
}

/** A column of a query: an expression in SQL, and how its values are read. */
interface QueryColumn<Value> {
  readonly sql: string
  read(value: SqlRow[number] | undefined): Value
}

/** Makes the columns of a query. None of their values may be NULL. */
export const column = {
  number: (expression: string): QueryColumn<number> => ({ sql: `CAST(${expression} AS INTEGER)`, read: Number }),
  text: (expression: string): QueryColumn<string> => ({ sql: `CAST(${expression} AS BLOB)`, read: columnText }),
  bytes: (expression: string): QueryColumn<Buffer> => ({
    sql: `CAST(${expression} AS BLOB)`,
    read: (value) => (value instanceof Buffer ? value : Buffer.alloc(0)),
  }),
}

/** The columns of a query by the names that its rows have for them. */
export type Columns = Readonly<Record<string, QueryColumn<unknown>>>
/** A row of a query with these columns. */
export type ColumnRow<Of extends Columns> = { readonly [Name in keyof Of]: ReturnType<Of[Name]['read']> }

/** A query that is prepared for many calls. */
export interface PreparedQuery<Of extends Columns> {
  /** The first row; undefined if there is none. */
  first(...values: SqlValue[]): ColumnRow<Of> | undefined
}

/**
 * One connection to one file. Never call `terminate()` on a thread that is using one, because that ends the whole
 * process.
 */
export class Connection {
  readonly file: string
  #database: NativeDatabase | undefined
  readonly #pending = new Set<Promise<unknown>>()
  /** Queries that a lock of another process has stopped, with their values. */
  readonly #stopped = new Map<NativeStatement, SqlValue[]>()

  /** @param busyMs milliseconds to wait for the locks of others; the thread waits meanwhile. */
  constructor(file: string, busyMs: number) {
    this.file = file
    this.#database = this.#try(() => new Database(file, { timeout: busyMs }) as unknown as NativeDatabase)
  }

  get inTransaction(): boolean {
    return this.#database?.inTransaction ?? false
  }

  async prepare(sql: string): Promise<PreparedStatement> {
    const statement = await this.#wait(this.#open.prepare(sql))
    return {
      run: (...values) => void this.#try(() => this.#open && statement.run(values)),
      get: (...values) => {
        try {
          const row = this.#try(() => this.#open && statement.raw().get(values))
          this.#stopped.delete(statement)
          this.#endStopped()
          return row
        } catch (error) {
          throw this.#noteStopped(error, statement, values)
        }
      },
    }
  }

  /** All rows of a query. */
  async all(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    const statement = await this.#wait(this.#open.prepare(sql))
    try {
      const rows = await this.#wait(statement.raw().all(values))
      this.#endStopped()
      return rows
    } catch (error) {
      throw this.#noteStopped(error, statement, values)
    }
  }

  /**
   * All rows of a query.
   *
   * @param rest of the query after its columns: FROM, WHERE, ORDER BY.
   * @example await connection.select({ uri: column.text('uri') }, 'FROM graph WHERE id > ?', 7) // [{ uri: 'http://...'
   *   }]
   */
  async select<Of extends Columns>(columns: Of, rest: string, ...values: SqlValue[]): Promise<ColumnRow<Of>[]> {
    const rows = await this.all(selectOf(columns, rest), ...values)
    return rows.map((row) => readRow(columns, row))
  }

  /** Prepares a query for many calls. @param rest as in `select`. */
  async query<Of extends Columns>(columns: Of, rest: string): Promise<PreparedQuery<Of>> {
    const statement = await this.prepare(selectOf(columns, rest))
    return {
      first: (...values) => {
        const row = statement.get(...values)
        return row && readRow(columns, row)
      },
    }
  }

  /** Runs SQL without values, in another thread. */
  async exec(sql: string): Promise<void> {
    await this.#wait(this.#open.exec(sql))
  }

  /** Makes what is under way in another thread fail. */
  interrupt(): void {
    this.#database?.interrupt()
  }

  /** Ends an open transaction and releases its locks. */
  async close(): Promise<void> {
    // The binding ends the process if a thread ends before something in it has an answer.
    await Promise.allSettled(this.#pending)
    // The binding keeps the file open while a statement is in memory, so this releases the locks first.
    if (this.inTransaction) await this.exec('ROLLBACK')
    this.#database?.close()
    this.#database = undefined
  }

  #noteStopped(error: unknown, statement: NativeStatement, values: SqlValue[]): unknown {
    if (error instanceof LockedError) this.#stopped.set(statement, values)
    return error
  }

  /**
   * Ends the queries that a lock has stopped; call it after a query that has succeeded. The binding does not reset
   * them, and while one is open, SQLite keeps the locks of all later queries: no process could commit any more.
   */
  #endStopped(): void {
    for (const [statement, values] of this.#stopped) {
      try {
        statement.get(values)
        this.#stopped.delete(statement)
      } catch {
        // It is locked again; the next query ends it.
        return
      }
    }
  }

  /** @throws DiskError after `close`. */
  get #open(): NativeDatabase {
    if (this.#database) return this.#database
    throw new DiskError(`${this.file} has been closed`)
  }

  #try<T>(ask: () => T): T {
    try {
      return ask()
    } catch (error) {
      throw explain(error, this.file)
    }
  }

  async #wait<T>(promise: Promise<T>): Promise<T> {
    this.#pending.add(promise)
    try {
      return await promise
    } catch (error) {
      throw explain(error, this.file)
    } finally {
      this.#pending.delete(promise)
    }
  }
}

/**
 * Copies a database as it is at one moment, while other processes write to it.
 *
 * @param to a file that is not there yet.
 * @throws DamageError, DiskError; LockedError if it stays locked.
 */
export async function copyDatabase(file: string, to: string): Promise<void> {
  const connection = new Connection(file, COPY_BUSY_MS)
  try {
    await connection.exec(`VACUUM INTO '${to.replaceAll("'", "''")}'`)
  } finally {
    await connection.close()
  }
}

/** The used part of the binding, whose own types are `any`. */
interface NativeDatabase {
  inTransaction: boolean
  prepare(sql: string): Promise<NativeStatement>
  exec(sql: string): Promise<void>
  interrupt(): void
  close(): void
}

interface NativeStatement {
  raw(): NativeStatement
  run(values: SqlValue[]): unknown
  get(values: SqlValue[]): SqlRow | undefined
  all(values: SqlValue[]): Promise<SqlRow[]>
}

function selectOf(columns: Columns, rest: string): string {
  const list = Object.values(columns).map(({ sql }) => sql)
  return `SELECT ${list.join(', ')} ${rest}`
}

function readRow<Of extends Columns>(columns: Of, row: SqlRow): ColumnRow<Of> {
  const read: Record<string, unknown> = {}
  let at = 0
  for (const name in columns) read[name] = columns[name]!.read(row[at++])
  return read as ColumnRow<Of>
}

/** The text of a column read as bytes, with replacements for bytes that are not UTF-8. */
export function columnText(column: SqlRow[number] | undefined): string {
  return column instanceof Buffer ? column.toString('utf8') : ''
}

/** True for an error of SQLite that `explain` does not translate. */
export function isSqliteError(error: unknown): error is Error {
  return error instanceof Error && error.name === 'SqliteError'
}

/** Translates an error of SQLite (https://www.sqlite.org/rescode.html). */
function explain(error: unknown, file: string): unknown {
  const { code, message } = error as { code?: string; message: string }
  const primary = /^SQLITE_[A-Z]+/.exec(code ?? '')?.[0]
  switch (primary) {
    case 'SQLITE_CORRUPT':
    case 'SQLITE_NOTADB':
      return new DamageError(file, message, { cause: error })
    case 'SQLITE_FULL':
    case 'SQLITE_IOERR':
    case 'SQLITE_READONLY':
      return new DiskError(`${file} cannot be written: ${message}`, { cause: error })
    case 'SQLITE_BUSY':
      // This happens while the service runs and is in the log, which has no paths.
      return new LockedError(`${basename(file)} is in use by another process`, { cause: error })
    default:
      return message.startsWith('ConnectionFailed')
        ? new DiskError(`${file} cannot be opened`, { cause: error })
        : error
  }
}
