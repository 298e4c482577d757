import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf, messageOf } from '../thrown.ts'
import { DamageError, DiskError } from './errors.ts'
import { replaceFile, syncFolder } from './files.ts'
import { asDamage, SqliteFile } from './sqlite-file.ts'
import { column, type Connection, type PreparedQuery, type PreparedStatement } from './sqlite.ts'

/** Marks a file as ours (PRAGMA application_id): "voc" and the form of its tables. */
const APPLICATION_ID = 0x766f6301
const DIGEST_BYTES = 16
/** Readers of the file, for instance a backup, may lock it for a moment. */
const BUSY_MS = 2000
/** SQLite cuts the journal to this size after a large change. */
const JOURNAL_BYTES = 1 << 20

interface DatabaseOptions {
  /** Names of its tables, in letters. Missing tables are added, as new versions need; unknown tables are damage. */
  tables: readonly string[]
  /**
   * False: opening reads only keys and digests, and reading a damaged value reports it. For values that are read before
   * use anyway.
   */
  checkValues?: boolean
}

/** The expected content of a table: its number of rows, and the digests of all rows, combined by XOR. */
interface TableState {
  rows: number
  digest: Buffer
}

const KEY = { key: column.text('key') }
const DIGEST = { digest: column.bytes('digest') }
const VALUE = { ...DIGEST, value: column.bytes('value') }

interface TableStatements {
  get: PreparedQuery<typeof VALUE>
  digest: PreparedQuery<typeof DIGEST>
  next: PreparedQuery<typeof KEY>
  put: PreparedStatement
  delete: PreparedStatement
  saveState: PreparedStatement
}

/** The statements of a transaction that can undo each change separately. */
type Steps = Record<'savepoint' | 'release' | 'undo', PreparedStatement>

/** The reading side of a database or a transaction. */
interface Rows {
  /**
   * The value of a key; undefined if there is none.
   *
   * @throws DamageError if it is not what was written.
   */
  get(table: string, key: string): Buffer | undefined
  /**
   * Keys in the order of their bytes in UTF-8: from the first one after `after` and before `before`. Rows may change
   * meanwhile.
   */
  keys(table: string, after?: string, before?: string): Generator<string>
}

/** Changes that become durable together. */
export interface Transaction extends Rows {
  /** Replaces or adds a value. Keys have no control characters. */
  put(table: string, key: string, value: string | Uint8Array): void
  /** Removes a key if it is there. */
  delete(table: string, key: string): void
}

interface Task {
  change: (transaction: Transaction) => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
}

/**
 * Tables of keys and values in one file (SQLite), for one process at a time (see `lockFile`).
 *
 * - When `write` resolves, its change is on disk; after a crash each change is there as a whole or not at all.
 * - Reads give exactly what was written: every row has a digest, every table a count and a digest of all rows, and a
 *   file (`FILE.made`) distinguishes a lost database from a new one. So the database refuses, with file and place,
 *   damage of any byte, a truncated, emptied or removed file, and a journal that was lost in a crash, unless they make
 *   no difference.
 *
 * The journal is a rollback journal (PERSIST, synchronous=FULL), because SQLite silently drops everything after a
 * damaged frame of a write-ahead log; here the main file has everything that was acknowledged.
 */
export class Database implements Rows {
  readonly file: string
  readonly #sqlite: SqliteFile
  readonly #statements: ReadonlyMap<string, TableStatements>
  readonly #steps: Steps
  #states: ReadonlyMap<string, TableState>
  #tasks: Task[] = []
  #working: Promise<void> | undefined

  private constructor(
    sqlite: SqliteFile,
    statements: ReadonlyMap<string, TableStatements>,
    steps: Steps,
    states: ReadonlyMap<string, TableState>,
  ) {
    this.file = sqlite.path
    this.#sqlite = sqlite
    this.#statements = statements
    this.#steps = steps
    this.#states = states
  }

  /**
   * Opens a database, or makes it with its folder; only its owner can read it.
   *
   * @throws DamageError if the file is damaged; DiskError if it cannot be read or made; LockedError if another process
   *   is writing to it.
   */
  static async open(file: string, { tables, checkValues = true }: DatabaseOptions): Promise<Database> {
    const mayBeNew = await isMissing(file)
    const sqlite = await SqliteFile.open(file, {
      applicationId: APPLICATION_ID,
      kind: 'a database of this service',
      settings: SETTINGS,
      busyMs: BUSY_MS,
      schema: STATE_TABLE,
      mayBeNew,
    })
    const { connection } = sqlite
    try {
      await addTables(connection, tables)
      await checkStructure(connection, tables)
      await markAsMade(file)
      const statements = new Map<string, TableStatements>()
      for (const table of tables) statements.set(table, await prepareTable(connection, table))
      const steps = {
        savepoint: await connection.prepare('SAVEPOINT change'),
        release: await connection.prepare('RELEASE change'),
        undo: await connection.prepare('ROLLBACK TO change'),
      }
      const states = await readStates(connection, tables)
      const database = new Database(sqlite, statements, steps, states)
      await checkRows(connection, states)
      if (checkValues) for (const table of tables) for (const key of database.keys(table)) database.get(table, key)
      return database
    } catch (error) {
      await sqlite.close()
      throw asDamage(error, file)
    }
  }

  get(table: string, key: string): Buffer | undefined {
    const row = this.#table(table).get.first(key)
    if (!row) return undefined
    if (row.digest.equals(digestOfRow(table, key, row.value))) return row.value
    throw new DamageError(this.file, `the value of ${table} "${key}" is not what was written`)
  }

  *keys(table: string, after = '', before?: string): Generator<string> {
    const { next } = this.#table(table)
    for (let key = after; ;) {
      const row = next.first(key)
      if (!row) return
      key = row.key
      if (before !== undefined && Buffer.compare(Buffer.from(key), Buffer.from(before)) >= 0) return
      yield key
    }
  }

  /**
   * Makes a change; when this resolves, all of it is on disk, and if it rejects, nothing. Changes that come while the
   * disk is busy share the next transaction; an error of one undoes only that one. Reads meanwhile see the rows after
   * the change.
   *
   * @param change reads and writes, without waiting for anything.
   * @returns the result of `change`.
   * @throws DiskError, DamageError, and the errors of `change`.
   */
  write<T>(change: (transaction: Transaction) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#tasks.push({ change, resolve, reject })
      this.#working ??= this.#work()
    })
  }

  /** Resolves when all changes are on disk and the file is closed. */
  async close(): Promise<void> {
    await this.#working
    await this.#sqlite.close()
  }

  async #work(): Promise<void> {
    // Changes of the same turn go to disk together.
    await Promise.resolve()
    while (this.#tasks.length > 0) {
      const tasks = this.#tasks.splice(0)
      const done: (() => void)[] = []
      const states = this.#states
      try {
        await this.#sqlite.transaction(() => {
          for (const task of tasks) {
            const result = this.#change(task)
            if (result) done.push(result)
          }
        })
        for (const resolve of done) resolve()
      } catch (error) {
        this.#states = states
        for (const { reject } of tasks) reject(error)
      }
    }
    this.#working = undefined
  }

  /** @returns a function that reports success once it is on disk; undefined if the change itself has failed. */
  #change({ change, resolve, reject }: Task): (() => void) | undefined {
    const states = this.#states
    const changed = new Map(states)
    this.#steps.savepoint.run()
    try {
      const value = change(this.#transaction(changed))
      for (const [table, { rows, digest }] of changed) {
        if (changed.get(table) !== states.get(table)) this.#table(table).saveState.run(rows, digest)
      }
      this.#steps.release.run()
      this.#states = changed
      return () => resolve(value as never)
    } catch (error) {
      // An error of the disk has ended the transaction for all changes.
      if (!this.#sqlite.connection.inTransaction) throw error
      this.#steps.undo.run()
      this.#steps.release.run()
      reject(error)
      return undefined
    }
  }

  #transaction(states: Map<string, TableState>): Transaction {
    const replace = (table: string, before: Buffer | undefined, after: Buffer | undefined) => {
      const { rows, digest } = states.get(table)!
      let combined = digest
      for (const digestOfRow of [before, after]) if (digestOfRow) combined = xor(combined, digestOfRow)
      states.set(table, { rows: rows - (before ? 1 : 0) + (after ? 1 : 0), digest: combined })
    }
    const digestBefore = (table: string, key: string) => this.#table(table).digest.first(key)?.digest
    return {
      get: (table, key) => this.get(table, key),
      keys: (table, after, before) => this.keys(table, after, before),
      put: (table, key, value) => {
        if (/[\p{Cc}\p{Cs}]/u.test(key) || key === '') throw new TypeError(`expected a key, got ${JSON.stringify(key)}`)
        const bytes = typeof value === 'string' ? Buffer.from(value) : value
        const digest = digestOfRow(table, key, bytes)
        const before = digestBefore(table, key)
        this.#table(table).put.run(key, digest, bytes)
        replace(table, before, digest)
      },
      delete: (table, key) => {
        const before = digestBefore(table, key)
        if (!before) return
        this.#table(table).delete.run(key)
        replace(table, before, undefined)
      },
    }
  }

  #table(table: string): TableStatements {
    const statements = this.#statements.get(table)
    if (!statements) throw new TypeError(`there is no table ${table}`)
    return statements
  }
}

const SETTINGS = [
  'journal_mode=PERSIST',
  'synchronous=FULL',
  `journal_size_limit=${JOURNAL_BYTES}`,
  'cell_size_check=ON',
  'trusted_schema=OFF',
]

const MADE = 'There is a database beside this file. If it is missing or empty, restore the folder from a backup.\n'

function madeFile(file: string): string {
  return `${file}.made`
}

/** Marks beside a new database that it exists. */
async function markAsMade(file: string): Promise<void> {
  if ((await sizeOf(madeFile(file))) !== undefined) return
  await syncFolder(dirname(file))
  await replaceFile(madeFile(file), MADE)
}

/**
 * True if there is no database, and was none.
 *
 * @throws DamageError if there was one before.
 */
async function isMissing(file: string): Promise<boolean> {
  try {
    const size = await sizeOf(file)
    if (size) return false
    if ((await sizeOf(madeFile(file))) === undefined) return true
    throw new DamageError(file, size === undefined ? 'it is missing' : 'it is empty', {
      advice: `Restore its folder from a backup; only to begin anew remove ${madeFile(file)}.`,
    })
  } catch (error) {
    if (error instanceof DamageError) throw error
    throw new DiskError(`${file} cannot be used: ${messageOf(error)}`, { cause: error })
  }
}

async function sizeOf(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

const NAME = { name: column.text('name') }
const TABLE = { ...NAME, sql: column.text('sql') }
const SCHEMA = 'FROM sqlite_schema WHERE sql IS NOT NULL'
const STATE = { ...NAME, rows: column.number('rows'), ...DIGEST }
const STATE_TABLE = 'CREATE TABLE state (name TEXT PRIMARY KEY NOT NULL, rows INTEGER NOT NULL, digest BLOB NOT NULL)'

/** The digest comes first, so that it can be read without the value. */
function tableSql(name: string): string {
  return `CREATE TABLE ${name} (key TEXT PRIMARY KEY NOT NULL, digest BLOB NOT NULL, value BLOB NOT NULL)`
}

async function addTables(connection: Connection, tables: readonly string[]): Promise<void> {
  const existing = new Set((await connection.select(TABLE, SCHEMA)).map(({ name }) => name))
  const named = new Set((await connection.select(NAME, 'FROM state')).map(({ name }) => name))
  const added = tables.filter((table) => !existing.has(table) && !named.has(table))
  if (added.length === 0) return
  const statements = added.map(
    (table) => `${tableSql(table)}; INSERT INTO state VALUES ('${table}', 0, zeroblob(${DIGEST_BYTES}))`,
  )
  await connection.exec(`BEGIN IMMEDIATE; ${statements.join('; ')}; COMMIT`)
}

/** @throws DamageError */
async function checkStructure(connection: Connection, tables: readonly string[]): Promise<void> {
  const { file } = connection
  const check = { problem: column.text('integrity_check') }
  const [{ problem } = { problem: '' }] = await connection.select(check, 'FROM pragma_integrity_check(1)')
  if (problem !== 'ok') throw new DamageError(file, problem.replaceAll('*** in database main ***\n', ''))
  const expected = new Map([['state', STATE_TABLE], ...tables.map((table) => [table, tableSql(table)] as const)])
  for (const { name, sql } of await connection.select(TABLE, SCHEMA)) {
    if (expected.get(name) !== sql) throw new DamageError(file, `the table ${name} is not one of this version`)
    expected.delete(name)
  }
  for (const name of expected.keys()) throw new DamageError(file, `the table ${name} is missing`)
}

async function prepareTable(connection: Connection, table: string): Promise<TableStatements> {
  return {
    get: await connection.query(VALUE, `FROM ${table} WHERE key = ?`),
    digest: await connection.query(DIGEST, `FROM ${table} WHERE key = ?`),
    next: await connection.query(KEY, `FROM ${table} WHERE key > ? ORDER BY key LIMIT 1`),
    put: await connection.prepare(
      `INSERT INTO ${table} VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET digest = excluded.digest, value = excluded.value`,
    ),
    delete: await connection.prepare(`DELETE FROM ${table} WHERE key = ?`),
    saveState: await connection.prepare(`UPDATE state SET rows = ?, digest = ? WHERE name = '${table}'`),
  }
}

/** @throws DamageError */
async function readStates(connection: Connection, tables: readonly string[]): Promise<Map<string, TableState>> {
  const states = new Map<string, TableState>()
  for (const { name, ...state } of await connection.select(STATE, 'FROM state')) states.set(name, state)
  const wrong = [...states.keys()].find((name) => !tables.includes(name)) ?? tables.find((name) => !states.has(name))
  if (wrong !== undefined)
    throw new DamageError(connection.file, `the state of the table ${wrong} is not what was written`)
  return states
}

/**
 * Compares each table with its state.
 *
 * @throws DamageError
 */
async function checkRows(connection: Connection, states: ReadonlyMap<string, TableState>): Promise<void> {
  for (const [table, state] of states) {
    const digests = await connection.select(DIGEST, `FROM ${table}`)
    let combined: Buffer = Buffer.alloc(DIGEST_BYTES)
    for (const { digest } of digests) combined = xor(combined, digest)
    if (digests.length === state.rows && combined.equals(state.digest)) continue
    const place = `the table ${table} has ${digests.length} rows, expected ${state.rows}, or rows of another moment`
    throw new DamageError(connection.file, place)
  }
}

function digestOfRow(table: string, key: string, value: Uint8Array): Buffer {
  return createHash('sha256').update(`${table}\n${key}\n`).update(value).digest().subarray(0, DIGEST_BYTES)
}

function xor(left: Buffer, right: Buffer): Buffer {
  return Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)))
}
