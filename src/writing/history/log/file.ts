import { asDamage, SqliteFile, type SqlTransaction } from '../../../base/durable/sqlite-file.ts'

const APPLICATION_ID = 0x766f6368
/** Other processes keep the lock for one small transaction. */
const BUSY_MS = 10_000

const SETTINGS = [
  'journal_mode=PERSIST',
  'synchronous=FULL',
  'journal_size_limit=1048576',
  'cell_size_check=ON',
  'trusted_schema=OFF',
  'cache_size=-16384',
]

/** `start` of a changeset that does not count yet. */
export const DRAFT = -1

/**
 * The tables of the log:
 *
 * - `graph`: a vocabulary or subset with its last changeset and the number of its listed changes.
 * - `resource`: a URI in a graph.
 * - `changeset`: changes that were made together. `start` is the position of the first one among the listed changes of
 *   the graph, or `DRAFT`; `base` is the changeset that it follows.
 * - `change`: one change of one resource. `number` counts the listed changes of the changeset from 0 and the other ones
 *   from -1 downwards. `block`, `at` and `length` are the place of its text; `block` is -1 if the log has no text.
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
 * Tables added later; created when an older log is opened. The log finds pages by position, and positions by time.
 * `counted` has the number of triples of a graph after a changeset, without bookkeeping. `unfinished` has the graphs
 * that were replaced in the store while something else was recorded, and the cause; the next process that looks
 * compares them with the log. `unannounced` has the changesets of decisions about proposals of which no mail is in the
 * outbox yet. `clock` has the time of the clock for the changesets that have another time, because an earlier one of
 * their graph has it from a clock that was ahead.
 */
const ADDITIONS = `
DROP TABLE IF EXISTS loaded;
CREATE TABLE IF NOT EXISTS counted (graph INTEGER PRIMARY KEY, changeset INTEGER NOT NULL, triples INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS unfinished (graph INTEGER PRIMARY KEY, cause TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unannounced (changeset INTEGER PRIMARY KEY);
CREATE TABLE IF NOT EXISTS clock (changeset INTEGER PRIMARY KEY, graph INTEGER NOT NULL, time TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS clock_time ON clock (graph, time);
CREATE INDEX IF NOT EXISTS changeset_start ON changeset (graph, start);
CREATE INDEX IF NOT EXISTS changeset_time ON changeset (graph, time);
`

/** The file of the log. Several processes may have it open. */
export type LogFile = SqliteFile
export type LogTransaction = SqlTransaction

/** Opens the log, or makes it. @throws DamageError if the file is something else; DiskError, LockedError. */
export async function openLogFile(path: string): Promise<LogFile> {
  const file = await SqliteFile.open(path, {
    applicationId: APPLICATION_ID,
    kind: 'a log of changes of this version',
    settings: SETTINGS,
    busyMs: BUSY_MS,
    schema: SCHEMA,
  })
  try {
    await file.transaction(() => file.connection.exec(ADDITIONS))
    return file
  } catch (error) {
    await file.close()
    throw asDamage(error, path)
  }
}
