import { DamageError } from '../../durable/errors.ts'
import { makeFile } from '../../durable/files.ts'
import {
  column,
  Connection,
  isSqliteError,
  type Columns,
  type Query,
  type Row,
  type SqlValue,
  type Statement,
} from '../../durable/sqlite.ts'

const APPLICATION_ID = 0x766f6368
/** Other processes hold the lock for the time of one small transaction. */
const BUSY_MS = 10_000

const SETTINGS =
  'PRAGMA journal_mode=PERSIST; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=1048576; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF; PRAGMA cache_size=-16384'

/** `start` of a changeset that does not count yet. */
export const DRAFT = -1

/**
 * The tables of the log:
 *
 * - `graph`: a vocabulary or subset with its last changeset and the number of its listed changes.
 * - `resource`: a URI in a graph.
 * - `changeset`: changes that were made together. `start` is the position of the first one among the listed changes of the graph, or
 *   `DRAFT`; `base` is the changeset that it follows.
 * - `change`: one change of one resource. `number` counts the listed changes of the changeset from 0 and the other ones from -1
 *   downwards. `block`, `at` and `length` say where its text is; `block` is -1 if the log has no text.
 * - `block`: the texts of many changes, compressed.
 * - `intent`: concepts that an ingest is about to write.
 */
const SCHEMA = `
CREATE TABLE graph (id INTEGER PRIMARY KEY, uri TEXT NOT NULL UNIQUE, load TEXT NOT NULL DEFAULT '', whole INTEGER NOT NULL DEFAULT 0, changeset INTEGER NOT NULL DEFAULT 0, changes INTEGER NOT NULL DEFAULT 0);
CREATE TABLE resource (id INTEGER PRIMARY KEY, graph INTEGER NOT NULL, uri TEXT NOT NULL, UNIQUE (uri, graph));
CREATE INDEX resource_graph ON resource (graph);
CREATE TABLE changeset (id INTEGER PRIMARY KEY AUTOINCREMENT, graph INTEGER NOT NULL, base INTEGER NOT NULL, load TEXT NOT NULL, time TEXT NOT NULL, cause TEXT NOT NULL, start INTEGER NOT NULL, listed INTEGER NOT NULL DEFAULT 0);
CREATE TABLE change (changeset INTEGER NOT NULL, number INTEGER NOT NULL, resource INTEGER NOT NULL, kind TEXT NOT NULL, before BLOB NOT NULL, after BLOB NOT NULL, block INTEGER NOT NULL, at INTEGER NOT NULL, length INTEGER NOT NULL, PRIMARY KEY (changeset, number)) WITHOUT ROWID;
CREATE INDEX change_resource ON change (resource, changeset);
CREATE TABLE block (changeset INTEGER NOT NULL, number INTEGER NOT NULL, body BLOB NOT NULL, PRIMARY KEY (changeset, number));
CREATE TABLE intent (id TEXT PRIMARY KEY NOT NULL, graph TEXT NOT NULL, time TEXT NOT NULL, account TEXT NOT NULL, uris TEXT NOT NULL);
`

/**
 * Tables added later; created when an older log is opened. The log finds pages by position, and positions by time. `counted` has the
 * number of triples of a graph after a changeset, without bookkeeping. `unfinished` has the graphs that were replaced in the store while something else was recorded, and the cause; the next process
 * that looks compares them with the log.
 */
const ADDITIONS = `
DROP TABLE IF EXISTS loaded;
CREATE TABLE IF NOT EXISTS counted (graph INTEGER PRIMARY KEY, changeset INTEGER NOT NULL, triples INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS unfinished (graph INTEGER PRIMARY KEY, cause TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS changeset_start ON changeset (graph, start);
CREATE INDEX IF NOT EXISTS changeset_time ON changeset (graph, time);
`

/** The means to change the log within one transaction. */
export interface Transaction {
  readonly run: (sql: string, ...values: SqlValue[]) => Promise<void>
  /** The first row of a query. @param rest as in `Connection.select`. */
  readonly first: <Of extends Columns>(columns: Of, rest: string, ...values: SqlValue[]) => Promise<Row<Of> | undefined>
}

/** The file of the log (SQLite). Several processes may have it open. */
export class LogFile {
  readonly #connection: Connection
  readonly #statements = new Map<string, Statement>()
  readonly #queries = new Map<Columns, Map<string, Query<Columns>>>()
  #writing: Promise<unknown> = Promise.resolve()

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws DamageError if the file is something else; DiskError. */
  static async open(file: string): Promise<LogFile> {
    await makeFile(file)
    const connection = new Connection(file, BUSY_MS)
    try {
      await connection.exec(SETTINGS)
      await connection.exec('BEGIN IMMEDIATE')
      const [{ id, tables } = {}] = await connection.select(
        { id: column.number('application_id'), tables: column.number('(SELECT count(*) FROM sqlite_schema)') },
        'FROM pragma_application_id',
      )
      if (id === 0 && tables === 0) await connection.exec(`PRAGMA application_id=${APPLICATION_ID}; ${SCHEMA}`)
      else if (id !== APPLICATION_ID) throw new DamageError(file, 'it is not a log of changes of this version')
      await connection.exec(`${ADDITIONS} COMMIT`)
      return new LogFile(connection)
    } catch (error) {
      await connection.close()
      if (!isSqliteError(error)) throw error
      throw new DamageError(file, error.message, { cause: error })
    }
  }

  get path(): string {
    return this.#connection.file
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#connection.close()
  }

  /** All rows of a query. Simultaneous readers get statements of their own, because rows come as they are read. */
  select<Of extends Columns>(columns: Of, rest: string, ...values: SqlValue[]): Promise<Row<Of>[]> {
    return this.#connection.select(columns, rest, ...values)
  }

  /** A query for many calls, which is prepared only once. */
  async query<Of extends Columns>(columns: Of, rest: string): Promise<Query<Of>> {
    let known = this.#queries.get(columns)
    if (!known) this.#queries.set(columns, (known = new Map<string, Query<Columns>>()))
    let query = known.get(rest)
    if (!query) known.set(rest, (query = await this.#connection.query(columns, rest)))
    return query as Query<Of>
  }

  /** Makes changes in one transaction; transactions of this process come one after the other. @throws DiskError, HeldError */
  write<T>(change: (transaction: Transaction) => Promise<T>): Promise<T> {
    const written = this.#writing.then(() => this.#transaction(change))
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #transaction<T>(change: (transaction: Transaction) => Promise<T>): Promise<T> {
    await this.#connection.exec('BEGIN IMMEDIATE')
    try {
      const result = await change({
        run: async (sql, ...values) => (await this.#prepare(sql)).run(...values),
        first: async (columns, rest, ...values) => (await this.query(columns, rest)).first(...values),
      })
      await this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#connection.inTransaction) await this.#connection.exec('ROLLBACK')
      throw error
    }
  }

  async #prepare(sql: string): Promise<Statement> {
    let statement = this.#statements.get(sql)
    if (!statement) this.#statements.set(sql, (statement = await this.#connection.prepare(sql)))
    return statement
  }
}
