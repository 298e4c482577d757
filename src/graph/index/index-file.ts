import { existsSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { LockedError } from '../../base/durable/errors.ts'
import { applicationIdOf, SqliteFile } from '../../base/durable/sqlite-file.ts'
import { column, Connection, type SqlValue, type PreparedStatement } from '../../base/durable/sqlite.ts'
import { plain, sql, type Sql } from './sql.ts'

/**
 * "vocs", and the form of the tables. Raise it for other tables and for another order of notations: the index is built
 * anew.
 */
const APPLICATION_ID = 0x766f730e
/** Other processes keep the lock for one transaction at most. */
const BUSY_MS = 10_000
/** How often to ask for the lock: SQLite alone asks so seldom that it misses the pauses of a long write. */
const ASK_MS = 3
const JOURNAL_BYTES = 16 << 20

/**
 * The tables of the index.
 *
 * A concept or collection has an id for each graph that it is in; ids of one graph are in the order of records.
 * `concepts` has a row for each concept: the words of its labels and notations, each label as a whole (`KEY`), by the
 * kind of label. `labels` has a row for each label, because the words of a text have to be in the same label. A label
 * has the id of its concept, its kind and a number. `inside` finds the words of `word` by three letters side by side.
 * `notes` has the words of the definitions and of the other notes of a concept, without their texts.
 * `top` and `unreached` of a concept tell whether it is in these lists of the vocabulary that names its graph; a
 * combination has the numbers of its concepts in each list. `edge` has the narrower concepts within a graph by their
 * ids, `outer_edge` by their URIs the links whose ends are not both concepts of the graph.
 *
 * `labels` alone would find the same concepts, but to count those with a beginning takes it four times as long as
 * `concepts` (0.4 instead of 0.1 ms for 1,800 of 7,600 concepts), and every search counts. `twin` has the concepts that
 * are in several graphs, each with the first of its ids. To compare URIs instead takes four times as long, too (1.3
 * instead of 0.3 ms), and only the table tells a search that it can do without.
 *
 * Graphs with the state 0 are being written: a first load appears as a whole, although other writes come between its
 * transactions. Those with 2 are being removed. `version` of `meta` is for what searches find, `changes` also for the
 * revisions of graphs, and `removals` for words that no label has any more.
 *
 * A mapping has an id in the same way. `stated` is the other concept if a vocabulary states the mapping, `jskos` the
 * text of a loaded one. `mapped` finds mappings by the URIs and notations of their concepts (`SIDES`), `mapping_name`
 * by their identifiers. A relation is what many mappings have in common, with their number. `space` has the beginnings
 * of the URIs of vocabularies.
 */
const SCHEMA = `
CREATE TABLE meta (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID;
INSERT INTO meta VALUES ('version', 0), ('changes', 0), ('complete', 0), ('removals', 0);
CREATE TABLE graph (id INTEGER PRIMARY KEY, uri TEXT NOT NULL, state INTEGER NOT NULL, touched INTEGER NOT NULL, revision TEXT NOT NULL DEFAULT '', load TEXT NOT NULL DEFAULT '', digest BLOB NOT NULL DEFAULT x'', concepts INTEGER NOT NULL DEFAULT 0, labels INTEGER NOT NULL DEFAULT 0, step INTEGER NOT NULL DEFAULT 1, ordering TEXT NOT NULL DEFAULT 'code-point');
CREATE UNIQUE INDEX graph_current ON graph (uri) WHERE state = 1;
CREATE TABLE combination (graph INTEGER NOT NULL, id INTEGER NOT NULL, classes TEXT NOT NULL, schemes TEXT NOT NULL, concepts INTEGER NOT NULL DEFAULT 0, top INTEGER NOT NULL DEFAULT 0, unreached INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (graph, id)) WITHOUT ROWID;
CREATE TABLE concept (id INTEGER PRIMARY KEY, uri TEXT NOT NULL, notation TEXT, key TEXT, combination INTEGER NOT NULL, top INTEGER NOT NULL, unreached INTEGER NOT NULL);
CREATE INDEX concept_uri ON concept (uri);
CREATE INDEX concept_place ON concept (id, combination);
CREATE INDEX concept_top ON concept (id, combination) WHERE top = 1;
CREATE INDEX concept_unreached ON concept (id, combination) WHERE unreached = 1;
CREATE TABLE edge (parent INTEGER NOT NULL, child INTEGER NOT NULL, PRIMARY KEY (parent, child)) WITHOUT ROWID;
CREATE INDEX edge_child ON edge (child);
CREATE TABLE outer_edge (graph INTEGER NOT NULL, parent TEXT NOT NULL, child TEXT NOT NULL, PRIMARY KEY (parent, child, graph)) WITHOUT ROWID;
CREATE TABLE label (id INTEGER PRIMARY KEY, language TEXT NOT NULL, text TEXT NOT NULL);
CREATE TABLE member (graph INTEGER NOT NULL, uri TEXT NOT NULL, PRIMARY KEY (graph, uri)) WITHOUT ROWID;
CREATE TABLE membership (graph INTEGER NOT NULL, concept INTEGER NOT NULL, PRIMARY KEY (graph, concept)) WITHOUT ROWID;
CREATE TABLE twin (concept INTEGER PRIMARY KEY, first INTEGER NOT NULL);
CREATE INDEX twin_first ON twin (first);
CREATE TABLE word (term TEXT NOT NULL, spelling TEXT NOT NULL, folded TEXT NOT NULL, backwards TEXT NOT NULL, form TEXT NOT NULL, PRIMARY KEY (term, spelling)) WITHOUT ROWID;
CREATE INDEX word_folded ON word (folded);
CREATE INDEX word_backwards ON word (backwards);
CREATE INDEX word_form ON word (form);
CREATE VIRTUAL TABLE inside USING fts5(folded, term UNINDEXED, columnsize=0, detail=none, tokenize='trigram case_sensitive 1');
CREATE TRIGGER word_inserted AFTER INSERT ON word BEGIN INSERT INTO inside VALUES (new.folded, new.term); END;
CREATE TABLE character (character TEXT PRIMARY KEY NOT NULL) WITHOUT ROWID;
CREATE VIRTUAL TABLE concepts USING fts5(notation, preferred, alternative, hidden, marks, content='', contentless_delete=1, detail=column, prefix='1 2 3', tokenize='ascii');
CREATE VIRTUAL TABLE labels USING fts5(words, marks, content='', contentless_delete=1, detail=full, prefix='1 2', tokenize='ascii');
CREATE VIRTUAL TABLE notes USING fts5(definition, note, marks, content='', contentless_delete=1, detail=full, tokenize='ascii');
CREATE TABLE space (start TEXT PRIMARY KEY NOT NULL, scheme TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE relation (id INTEGER PRIMARY KEY, graph INTEGER NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, type TEXT NOT NULL, creator TEXT NOT NULL, single INTEGER NOT NULL, notations TEXT NOT NULL, annotations TEXT NOT NULL, concordances TEXT NOT NULL, mappings INTEGER NOT NULL, UNIQUE (graph, source, target, type, creator, single, notations, annotations, concordances));
CREATE TABLE mapping (id INTEGER PRIMARY KEY, uri TEXT NOT NULL, relation INTEGER NOT NULL, created TEXT NOT NULL, modified TEXT NOT NULL, relevance REAL, stated TEXT, jskos TEXT);
CREATE INDEX mapping_modified ON mapping (relation, modified);
CREATE INDEX mapping_created ON mapping (relation, created);
CREATE TABLE mapped (side INTEGER NOT NULL, value TEXT NOT NULL, mapping INTEGER NOT NULL, PRIMARY KEY (side, value, mapping)) WITHOUT ROWID;
CREATE TABLE mapping_name (name BLOB NOT NULL, mapping INTEGER NOT NULL, PRIMARY KEY (name, mapping)) WITHOUT ROWID;
INSERT INTO concepts(concepts, rank) VALUES ('hashsize', 33554432);
INSERT INTO labels(labels, rank) VALUES ('hashsize', 33554432);
INSERT INTO concepts(concepts, rank) VALUES ('usermerge', 2);
INSERT INTO labels(labels, rank) VALUES ('usermerge', 2);
INSERT INTO inside(inside, rank) VALUES ('usermerge', 2);
INSERT INTO notes(notes, rank) VALUES ('hashsize', 33554432);
INSERT INTO notes(notes, rank) VALUES ('usermerge', 2);
`

/** The columns of `notes`, for definitions and for other notes. */
export const NOTE_COLUMNS = ['definition', 'note'] as const
export type NoteColumn = (typeof NOTE_COLUMNS)[number]

/** The columns of `concepts` for the kinds of labels (`LABEL_TYPES`), in the same order. */
export const COLUMNS = ['notation', 'preferred', 'alternative', 'hidden'] as const

/** Begins the term for a label as a whole. */
const KEY = '\ue002'
/** Begins the term for the classes and vocabularies of a concept. */
const MARK = '\ue001'
/** A term that no row has. */
export const NO_TERM = MARK

/** The term for a label as a whole. FTS5 would divide it at signs, so these become other characters. */
export function keyTerm(key: string): string {
  return KEY + key.replace(/[^a-z0-9\x80-\uffff]/g, (sign) => String.fromCharCode(0xe100 + sign.charCodeAt(0)))
}

/** The term for a combination of classes and vocabularies. */
export function markTerm(combination: number): string {
  return MARK + combination.toString(36)
}

/** The words of a column, as they go into the index. FTS5 divides them at the spaces. */
export function columnOf(terms: Iterable<string>): string {
  return [...terms].join(' ').replaceAll('\0', '')
}

/** A connection to the file of the index, for one thread. */
export class IndexFile {
  /** The file as the operating system knows it; another one with the same name is another index. */
  readonly inode: number
  /** Called before each statement; its error ends the work of which the statement is a part. */
  beforeStatement: () => void = () => undefined
  readonly #file: SqliteFile
  readonly #busyMs: number
  #readVersions: (() => [version: number, changes: number] | undefined) | undefined

  private constructor(file: SqliteFile, busyMs: number, inode: number) {
    this.#file = file
    this.#busyMs = busyMs
    this.inode = inode
  }

  /**
   * Opens the index, or makes it with its folder; only its owner can read it. It has a write-ahead log, so that readers
   * never wait for writers; if a crash of the machine loses its last writes, the service reads them from the store
   * again.
   *
   * @param cacheBytes memory for its pages.
   * @param busyMs how long to wait for a lock of another process.
   * @throws DamageError if the file is damaged or not of this version; DiskError if it cannot be read or made.
   */
  static async open(path: string, cacheBytes: number, busyMs = BUSY_MS): Promise<IndexFile> {
    const file = await SqliteFile.open(path, {
      applicationId: APPLICATION_ID,
      kind: 'an index of this version',
      settings: [
        'journal_mode=WAL',
        'synchronous=NORMAL',
        `journal_size_limit=${JOURNAL_BYTES}`,
        'temp_store=FILE',
        'cell_size_check=ON',
        `cache_size=-${cacheBytes >> 10}`,
      ],
      busyMs,
      schema: SCHEMA,
    })
    return new IndexFile(file, busyMs, (await stat(path)).ino)
  }

  get connection(): Connection {
    return this.#file.connection
  }

  /** True if `open` has made it. */
  get isNew(): boolean {
    return this.#file.isNew
  }

  /** Makes `versions` work. */
  async watchVersions(): Promise<void> {
    const value = (name: string) => `(SELECT value FROM meta WHERE name = '${name}')`
    const statement = await this.connection.prepare(`SELECT ${value('version')}, ${value('changes')}`)
    this.#readVersions = () => statement.get() as [version: number, changes: number] | undefined
  }

  /**
   * A number that changes whenever searches may find something else, and one that changes with every other change, too;
   * undefined if the file cannot be read at the moment.
   */
  get versions(): [version: number, changes: number] | undefined {
    try {
      return this.#readVersions?.()
    } catch {
      // A statement that has failed fails again: the binding does not reset it.
      this.#readVersions = undefined
      void this.watchVersions().catch(() => undefined)
      return undefined
    }
  }

  /** A statement, prepared once. */
  async prepare(text: string): Promise<PreparedStatement> {
    this.beforeStatement()
    return this.#file.prepare(text)
  }

  /** Runs a statement. */
  async run({ text, values }: Sql): Promise<void> {
    const statement = await this.prepare(text)
    statement.run(...values.map(asValue))
  }

  /**
   * The value of a query with one row and one column that has JSON; undefined if there is no row. JSON is the quickest
   * way from SQLite into JavaScript.
   */
  async json<T>(query: Sql): Promise<T | undefined> {
    const bytes = await this.bytes(query)
    return bytes && (JSON.parse(bytes.toString('utf8') || 'null') as T)
  }

  /** The same as it is in SQLite, in bytes. */
  async bytes({ text, values }: Sql): Promise<Buffer | undefined> {
    const statement = await this.prepare(text)
    return statement.get(...values.map(asValue))?.[0] as Buffer | undefined
  }

  /** All rows of a query as arrays. @param columns expressions over the columns of the query. */
  async rows<Row extends unknown[]>(query: Sql, columns: string): Promise<Row[]> {
    return (
      (await this.json<Row[]>(
        sql`SELECT CAST(json_group_array(json_array(${plain(columns)})) AS BLOB) FROM (${query})`,
      )) ?? []
    )
  }

  /** The number that a query returns; 0 if it has no row. */
  async number(query: Sql): Promise<number> {
    return (await this.json<number>(sql`SELECT CAST((${query}) AS BLOB)`)) ?? 0
  }

  /** A column of all rows of a query. */
  async values<T>(query: Sql, column: string): Promise<T[]> {
    return (await this.json<T[]>(sql`SELECT CAST(json_group_array(${plain(column)}) AS BLOB) FROM (${query})`)) ?? []
  }

  /**
   * Runs a transaction when the previous ones have ended.
   *
   * @param begin `BEGIN` sees one state of the index; `BEGIN IMMEDIATE` may change it.
   * @throws LockedError if another process keeps the lock for too long, DiskError, DamageError, and the errors of
   *   `work`.
   */
  transaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: () => Promise<T>): Promise<T> {
    if (begin === 'BEGIN IMMEDIATE') return this.#file.transaction(work, () => this.#lock())
    return this.#file.transaction(
      work,
      () => this.run(plain('BEGIN')),
      () => this.run(plain('COMMIT')),
    )
  }

  /** Begins a transaction that writes. @throws LockedError if another process keeps the lock for too long. */
  async #lock(): Promise<void> {
    const end = performance.now() + this.#busyMs
    await this.#setBusyTimeout(0)
    try {
      for (;;) {
        try {
          return await this.run(plain('BEGIN IMMEDIATE'))
        } catch (error) {
          if (!(error instanceof LockedError) || performance.now() > end) throw error
        }
        await sleep(ASK_MS)
      }
    } finally {
      await this.#setBusyTimeout(this.#busyMs)
    }
  }

  async #setBusyTimeout(ms: number): Promise<void> {
    const statement = await this.prepare(`PRAGMA busy_timeout=${ms}`)
    statement.get()
  }

  close(): Promise<void> {
    return this.#file.close()
  }
}

/** The binding gives SQLite every number as a floating-point number, so numbers go as text in JSON or are cast. */
function asValue(value: unknown): SqlValue {
  if (typeof value === 'string' || value instanceof Uint8Array) return value
  return JSON.stringify(value)
}

/** The file of the index in DATA_DIR. */
export function indexFileIn(dataDir: string): string {
  return join(dataDir, 'search', 'index.sqlite')
}

/**
 * The UUIDs of the last loads of graphs, by the URI of the graph, as the index in DATA_DIR has them. Empty if there is
 * no index of this version.
 */
export async function indexedLoads(dataDir: string): Promise<ReadonlyMap<string, string>> {
  const file = indexFileIn(dataDir)
  // SQLite would make the file.
  if (!existsSync(file)) return new Map()
  const connection = new Connection(file, BUSY_MS)
  try {
    if ((await applicationIdOf(connection)) !== APPLICATION_ID) return new Map()
    const columns = { uri: column.text('uri'), load: column.text('load') }
    const rows = await connection.select(columns, "FROM graph WHERE state = 1 AND load != ''")
    return new Map(rows.map(({ uri, load }) => [uri, load]))
  } finally {
    await connection.close()
  }
}

/** Removes the index, so that it can be built anew. */
export async function removeIndexFile(file: string): Promise<void> {
  for (const suffix of ['', '-wal', '-shm', '-journal']) await rm(file + suffix, { force: true })
}
