import { messageOf } from '../thrown.ts'
import { DamageError, DiskError } from './errors.ts'
import { makeFile } from './files.ts'
import {
  column,
  Connection,
  isSqliteError,
  type Columns,
  type PreparedQuery,
  type ColumnRow,
  type SqlValue,
  type PreparedStatement,
} from './sqlite.ts'

/** Statements to keep for the next use. */
const MOST_STATEMENTS = 500

interface SqliteFileOptions {
  /** Marks the files of one form (PRAGMA application_id). */
  applicationId: number
  /** Names the form in the error for a file with another id: `a log of changes of this version`. */
  kind: string
  /** Settings of the connection, as PRAGMA takes them (https://sqlite.org/pragma.html). */
  settings: readonly string[]
  /** How long to wait for a lock of another process, in milliseconds. */
  busyMs: number
  /** The statements that make the tables of a new file. */
  schema: string
  /** False: the file has tables, or it is damaged. */
  mayBeNew?: boolean
}

/** The means to change a file within a transaction. */
export interface SqlTransaction {
  readonly run: (sql: string, ...values: SqlValue[]) => Promise<void>
  /** The first row of a query; undefined if there is none. @param rest as in `Connection.select`. */
  readonly first: <Of extends Columns>(
    columns: Of,
    rest: string,
    ...values: SqlValue[]
  ) => Promise<ColumnRow<Of> | undefined>
}

/** A connection to a file of SQLite, with one transaction at a time. Other processes may have the file open, too. */
export class SqliteFile {
  readonly connection: Connection
  /** True if this call of `open` has made the tables. */
  readonly isNew: boolean
  readonly #statements = new Map<string, PreparedStatement>()
  readonly #queries = new Map<Columns, Map<string, PreparedQuery<Columns>>>()
  #last: Promise<unknown> = Promise.resolve()

  private constructor(connection: Connection, isNew: boolean) {
    this.connection = connection
    this.isNew = isNew
  }

  /**
   * Opens a file, or makes it with its folder; only its owner can read it.
   *
   * @throws DamageError if it is damaged or of another form; DiskError if it cannot be read or made; LockedError.
   */
  static async open(path: string, options: SqliteFileOptions): Promise<SqliteFile> {
    const { busyMs, settings } = options
    try {
      await makeFile(path)
    } catch (cause) {
      throw new DiskError(`${path} cannot be used: ${messageOf(cause)}`, { cause })
    }
    const connection = new Connection(path, busyMs)
    try {
      // Undoes changes that a crash has left in a rollback journal, too.
      await connection.exec(settings.map((setting) => `PRAGMA ${setting};`).join(' '))
      return new SqliteFile(connection, await makeTables(connection, options))
    } catch (error) {
      await connection.close()
      throw asDamage(error, path)
    }
  }

  get path(): string {
    return this.connection.file
  }

  /** A statement, prepared once. */
  async prepare(sql: string): Promise<PreparedStatement> {
    if (this.#statements.size > MOST_STATEMENTS) this.#statements.clear()
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = await this.connection.prepare(sql)))
    return statement
  }

  /** A query for many calls, prepared once. @param columns the same object in each call. */
  async query<Of extends Columns>(columns: Of, rest: string): Promise<PreparedQuery<Of>> {
    let queries = this.#queries.get(columns)
    if (!queries) this.#queries.set(columns, (queries = new Map<string, PreparedQuery<Columns>>()))
    let query = queries.get(rest)
    if (!query) queries.set(rest, (query = await this.connection.query(columns, rest)))
    return query as PreparedQuery<Of>
  }

  /** All rows of a query. Simultaneous readers get statements of their own, because rows come as they are read. */
  select<Of extends Columns>(columns: Of, rest: string, ...values: SqlValue[]): Promise<ColumnRow<Of>[]> {
    return this.connection.select(columns, rest, ...values)
  }

  /** Makes changes in one transaction. @throws LockedError, DiskError, DamageError, and the errors of `change`. */
  write<T>(change: (transaction: SqlTransaction) => Promise<T>): Promise<T> {
    return this.transaction(() =>
      change({
        run: async (sql, ...values) => (await this.prepare(sql)).run(...values),
        first: async (columns, rest, ...values) => (await this.query(columns, rest)).first(...values),
      }),
    )
  }

  /**
   * Does work in a transaction, as soon as those before it have ended.
   *
   * @param begin begins the transaction; by default one that writes.
   * @param commit ends it. What writes waits for the disk, so by default it is done in another thread.
   * @throws LockedError if another process keeps the lock for too long, DiskError, DamageError, and the errors of
   *   `work`.
   */
  transaction<T>(
    work: () => Promise<T> | T,
    begin: () => Promise<void> = () => this.connection.exec('BEGIN IMMEDIATE'),
    commit: () => Promise<void> = () => this.connection.exec('COMMIT'),
  ): Promise<T> {
    const result = this.#last.then(async () => {
      await begin()
      try {
        const value = await work()
        await commit()
        return value
      } catch (error) {
        // A statement that has failed fails again: the binding does not reset it.
        this.#statements.clear()
        this.#queries.clear()
        // If the disk is full, SQLite has already undone the transaction.
        if (this.connection.inTransaction) await this.connection.exec('ROLLBACK')
        throw error
      }
    })
    this.#last = result.catch(() => undefined)
    return result
  }

  /** Closes the file after the transactions that have been asked for. */
  async close(): Promise<void> {
    await this.#last
    this.#statements.clear()
    await this.connection.close()
  }
}

/** @returns true if there were none. */
async function makeTables(
  connection: Connection,
  { applicationId, kind, schema, mayBeNew = true }: SqliteFileOptions,
): Promise<boolean> {
  if ((await applicationIdOf(connection)) === applicationId) return false
  await connection.exec('BEGIN IMMEDIATE')
  // Another process may have made them meanwhile.
  const id = await applicationIdOf(connection)
  const [{ tables } = {}] = await connection.select({ tables: column.number('count(*)') }, 'FROM sqlite_schema')
  const isEmpty = mayBeNew && id === 0 && tables === 0
  if (isEmpty) await connection.exec(`PRAGMA application_id=${applicationId}; ${schema}`)
  else if (id !== applicationId) throw new DamageError(connection.file, `it is not ${kind}`)
  await connection.exec('COMMIT')
  return isEmpty
}

/** The number that marks the form of a file; 0 if it has none. */
export async function applicationIdOf(connection: Connection): Promise<number | undefined> {
  const [row] = await connection.select({ id: column.number('application_id') }, 'FROM pragma_application_id')
  return row?.id
}

/** An error while a file is opened: errors of SQLite about its contents mean damage. */
export function asDamage(error: unknown, path: string): unknown {
  return isSqliteError(error) ? new DamageError(path, error.message, { cause: error }) : error
}
