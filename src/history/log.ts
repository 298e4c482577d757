import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { deflateRawSync, inflateRawSync } from 'node:zlib'
import { DamageError } from '../durable/errors.ts'
import { Connection, isSqliteError, textOf, type SqlRow, type SqlValue, type Statement } from '../durable/sqlite.ts'
import { DIGEST_BYTES, NOTHING } from './resources.ts'

/**
 * The kinds of changes, in the words of Entity Metadata Management 1.0: `Add` is a resource that existed before the log
 * began.
 */
export const CHANGE_KINDS = ['Create', 'Update', 'Deprecate', 'Delete', 'Add'] as const
export type ChangeKind = (typeof CHANGE_KINDS)[number]

/** The command or request that made a change; `found`: another program, whose result the service found in the store. */
export interface Cause {
  by: 'load' | 'ingest' | 'normalise' | 'remove' | 'proposals' | 'subset' | 'found'
  /** Names of the files of a load, without their folders. */
  files?: string[]
  /** The account of an ingest. */
  account?: string
}

/** A vocabulary or subset whose changes are in the log. */
export interface LoggedGraph {
  id: number
  uri: string
  /** The UUID of the last load that the log knows (`LOAD` in the graph); empty if there was none. */
  load: string
  /** True if the log has every resource of the graph; false if it only knows some ingests. */
  isWhole: boolean
  /** The last changeset; 0 before the first one. */
  changeset: number
  /** Number of its listed changes since the log began, including those that were pruned. */
  changes: number
}

/** One change of one resource. */
export interface Change {
  uri: string
  kind: ChangeKind
  /** False for resources other than concepts, schemes and collections. */
  isListed: boolean
  /** The place among the listed changes of its graph, from 0; -1 if it has none. */
  position: number
  /** ISO 8601 in UTC. */
  time: string
  cause: Cause
  graph: string
  /** Hexadecimal digests of the statements; undefined if there are none. */
  before: string | undefined
  after: string | undefined
  /**
   * Statements as in `Resource`; undefined if they were too many to be kept. The end of a resource may add `dct:isReplacedBy`, for
   * whoever looks for the resource, although the graph does not have it.
   */
  removed: string[] | undefined
  added: string[] | undefined
}

/** A change to record. */
export interface NewChange {
  uri: string
  kind: ChangeKind
  isListed: boolean
  before: Buffer
  after: Buffer
  removed: readonly string[]
  added: readonly string[]
}

/** The last known state of a resource. */
export interface LoggedResource {
  id: number
  digest: Buffer
  isListed: boolean
}

/** Concepts that an ingest is about to write, or has written. */
export interface Intent {
  id: string
  graph: string
  time: string
  account: string
  uris: string[]
}

/** Changes that do not count yet. */
export interface Draft {
  changeset: number
  graph: LoggedGraph
  load: string
  /** The digest of the text that a load sends; undefined for other changes. */
  text?: Buffer | undefined
  /** Number of changes. */
  size: number
}

const APPLICATION_ID = 0x766f6368
/** Other processes hold the lock for the time of one small transaction. */
const BUSY_MS = 10_000
const BLOCK_BYTES = 1 << 16
/** The maximum text of one change; the log keeps only the digests of larger ones. */
const MOST_TEXT = 16 << 20
const ROWS_IN_TRANSACTION = 1000
/** Marks a changeset that does not count yet. */
const DRAFT = -1

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
 * Opening a log adds those that it lacks. The log finds pages by position, and positions by time. `loaded` has the digest of the
 * text that was last loaded into a graph, and the changeset after which the graph said the same as this text. `unfinished` has the
 * graphs that were replaced in the store while something else was recorded, and the cause; whoever comes next compares them with
 * the log.
 */
const ADDITIONS = `
CREATE TABLE IF NOT EXISTS loaded (graph INTEGER PRIMARY KEY, changeset INTEGER NOT NULL, digest BLOB NOT NULL);
CREATE TABLE IF NOT EXISTS unfinished (graph INTEGER PRIMARY KEY, cause TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS changeset_start ON changeset (graph, start);
CREATE INDEX IF NOT EXISTS changeset_time ON changeset (graph, time);
`

/** The positions that one query looks through; other requests get a turn between two queries. */
const SLICE = 10_000

const GRAPH = 'SELECT id, CAST(uri AS BLOB), CAST(load AS BLOB), whole, changeset, changes FROM graph'
const COLUMNS = `CAST(r.uri AS BLOB), CAST(c.kind AS BLOB), s.start, c.number, CAST(s.time AS BLOB), CAST(s.cause AS BLOB),
  CAST(g.uri AS BLOB), CAST(c.before AS BLOB), CAST(c.after AS BLOB), c.changeset, c.block, c.at, c.length`
const CHANGE = `SELECT ${COLUMNS}
  FROM change c JOIN changeset s ON s.id = c.changeset JOIN resource r ON r.id = c.resource JOIN graph g ON g.id = s.graph
  WHERE s.start >= 0`
/**
 * The listed changes of a graph between two positions, with the values of `between`. CROSS JOIN keeps the order of the tables,
 * so that SQLite reads nothing else.
 */
const BETWEEN = `changeset s CROSS JOIN change c CROSS JOIN resource r CROSS JOIN graph g
  WHERE s.graph = ? AND s.start < ?
  AND s.start >= coalesce((SELECT max(start) FROM changeset WHERE graph = ? AND start BETWEEN 0 AND ?), 0)
  AND c.changeset = s.id AND c.number >= max(0, ? - s.start) AND c.number < ? - s.start
  AND r.id = c.resource AND g.id = s.graph`
const between = (graph: number, from: number, to: number): number[] => [graph, to, graph, from, from, to]

/**
 * The log of changes in one file (SQLite), for the service and the commands at the same time.
 *
 * It writes changes as a draft, a little at a time; they count from the one transaction that commits the draft. A draft can be
 * committed only if nothing else was committed for its graph since the draft began.
 */
export class ChangeLog {
  readonly #connection: Connection
  readonly #statements = new Map<string, Statement>()
  #writing: Promise<unknown> = Promise.resolve()
  /** The last block that was read, because resources that were written together are read together. */
  #block: { key: string; body: Buffer } | undefined

  private constructor(connection: Connection) {
    this.#connection = connection
  }

  /** @throws DamageError if the file is something else; DiskError. */
  static async open(file: string): Promise<ChangeLog> {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    const connection = new Connection(file, BUSY_MS)
    try {
      await connection.exec(
        'PRAGMA journal_mode=PERSIST; PRAGMA synchronous=FULL; PRAGMA journal_size_limit=1048576; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF; PRAGMA cache_size=-16384',
      )
      await connection.exec('BEGIN IMMEDIATE')
      const [row] = await connection.all('PRAGMA application_id')
      const [tables] = await connection.all('SELECT count(*) FROM sqlite_schema')
      if (row![0] === 0 && tables![0] === 0) {
        await connection.exec(`PRAGMA application_id=${APPLICATION_ID}; ${SCHEMA}`)
      } else if (row![0] !== APPLICATION_ID) throw new DamageError(file, 'it is not a log of changes of this version')
      await connection.exec(`${ADDITIONS} COMMIT`)
      return new ChangeLog(connection)
    } catch (error) {
      await connection.close()
      if (!isSqliteError(error)) throw error
      throw new DamageError(file, error.message, { cause: error })
    }
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#connection.close()
  }

  /** A graph by its URI, as the log knows it. */
  async graph(uri: string): Promise<LoggedGraph | undefined> {
    return toGraph((await this.#all(`${GRAPH} WHERE uri = ?`, uri))[0])
  }

  /** All graphs that the log knows, in the order of their URIs. */
  async graphs(): Promise<LoggedGraph[]> {
    return (await this.#all(`${GRAPH} ORDER BY uri`)).map((row) => toGraph(row)!)
  }

  /** A graph by its URI; the log records it if it is new. */
  async intern(uri: string): Promise<LoggedGraph> {
    const known = await this.graph(uri)
    if (known) return known
    await this.#write((run) => run('INSERT OR IGNORE INTO graph (uri) VALUES (?)', uri))
    return (await this.graph(uri))!
  }

  /** The last state of a resource of a graph; undefined if the graph never had it. */
  async resource(graph: LoggedGraph, uri: string): Promise<LoggedResource | undefined> {
    return toResource((await this.#prepare(`${LAST} r.uri = ? AND r.graph = ? ${LATEST}`)).get(uri, graph.id))
  }

  /**
   * The resources that a graph has, in the order of their ids.
   *
   * @param without the ids of resources to leave out.
   */
  async *resources(
    graph: LoggedGraph,
    without: ReadonlySet<number> = new Set(),
  ): AsyncGenerator<LoggedResource & { uri: string }> {
    const last = await this.#prepare(`${LAST} r.id = ? ${LATEST}`)
    for (let from = 0; ;) {
      const rows = await this.#all(
        'SELECT id, CAST(uri AS BLOB) FROM resource WHERE graph = ? AND id > ? ORDER BY id LIMIT 10000',
        graph.id,
        from,
      )
      if (rows.length === 0) return
      for (const [id, uri] of rows) {
        if (without.has(id as number)) continue
        const resource = toResource(last.get(id!))
        if (resource && !resource.digest.equals(NOTHING)) yield { ...resource, uri: textOf(uri) }
      }
      from = rows.at(-1)![0] as number
    }
  }

  /** The statements of a resource at a time, by default the last ones; undefined if the log does not have them. */
  async statements(resource: number, time = '9'): Promise<string[] | undefined> {
    return this.#replay(resource, 's.time <= ?', time)
  }

  /**
   * The time from which the log knows all states of a resource: that of its first change or, if this change created it, the
   * beginning of the log, because the resource did not exist before.
   */
  async knownSince(resource: number): Promise<string> {
    const [first] = await this.#all(
      `SELECT CAST(s.time AS BLOB), CAST(c.kind AS BLOB) FROM change c JOIN changeset s ON s.id = c.changeset
      WHERE c.resource = ? AND s.start >= 0 ORDER BY c.changeset LIMIT 1`,
      resource,
    )
    const [time, kind] = first!.map(textOf) as [string, ChangeKind]
    if (kind !== 'Create') return time
    const [beginning] = await this.#all('SELECT CAST(time AS BLOB) FROM changeset WHERE start >= 0 ORDER BY id LIMIT 1')
    return textOf(beginning![0])
  }

  async #replay(resource: number, condition: string, time: string): Promise<string[] | undefined> {
    const statements = new Set<string>()
    for (const { removed, added, after } of await this.#changes(
      `AND c.resource = ? AND ${condition} ORDER BY c.changeset, c.number`,
      resource,
      time,
    )) {
      if (!removed || !added) return undefined
      for (const statement of removed) statements.delete(statement)
      for (const statement of added) statements.add(statement)
      // The end of a resource may say what replaced it.
      if (after === undefined) statements.clear()
    }
    return [...statements].sort()
  }

  /** The URIs of the graphs that a resource is or was in, or will be in if a draft counts. */
  async graphsOf(uri: string): Promise<string[]> {
    const sql = 'SELECT CAST(g.uri AS BLOB) FROM resource r JOIN graph g ON g.id = r.graph WHERE r.uri = ?'
    return (await this.#all(sql, uri)).map(([graph]) => textOf(graph))
  }

  /** The accounts whose ingests have made resources of a graph, by the URI of the resource. */
  async accounts({ id }: LoggedGraph): Promise<Map<string, string>> {
    const rows = await this.#all(
      `SELECT CAST(r.uri AS BLOB), CAST(s.cause AS BLOB) FROM changeset s CROSS JOIN change c CROSS JOIN resource r
      WHERE s.graph = ? AND s.start >= 0 AND json_extract(s.cause, '$.by') = 'ingest'
      AND c.changeset = s.id AND c.kind IN ('Create', 'Add') AND r.id = c.resource ORDER BY s.id`,
      id,
    )
    return new Map(rows.map(([uri, cause]) => [textOf(uri), (JSON.parse(textOf(cause)) as Cause).account ?? '']))
  }

  /** The changes of a resource in all graphs, the last one first. */
  async changesOf(
    uri: string,
    { limit, offset }: { limit: number; offset: number } = { limit: -1, offset: 0 },
  ): Promise<Change[]> {
    const order = 'ORDER BY c.changeset DESC, c.number DESC LIMIT ? OFFSET ?'
    return this.#changes(`AND r.uri = ? ${order}`, uri, limit, offset)
  }

  async countChangesOf(uri: string): Promise<number> {
    const [row] = await this.#all(
      'SELECT count(*) FROM resource r JOIN change c ON c.resource = r.id JOIN changeset s ON s.id = c.changeset WHERE r.uri = ? AND s.start >= 0',
      uri,
    )
    return row![0] as number
  }

  /** The listed changes of a graph from one position up to before another, in the order of their positions. */
  async page({ id }: LoggedGraph, from: number, to: number): Promise<Change[]> {
    const rows = await this.#all(
      `SELECT ${COLUMNS} FROM ${BETWEEN} ORDER BY s.start, s.id, c.number`,
      ...between(id, from, to),
    )
    return this.#toChanges(rows)
  }

  /** The first change of the same resource that the log still has. */
  async firstChange({ uri, graph }: Pick<Change, 'uri' | 'graph'>): Promise<Change | undefined> {
    // With the id of the resource, SQLite does not look through all changes of the graph.
    const id = 'SELECT id FROM resource WHERE uri = ? AND graph = (SELECT id FROM graph WHERE uri = ?)'
    return (await this.#changes(`AND c.resource = (${id}) ORDER BY c.changeset LIMIT 1`, uri, graph))[0]
  }

  /** The position of the first listed change of a graph at a time (ISO 8601) or later; the number of changes if there is none. */
  async positionAt({ id, changes }: LoggedGraph, time: string): Promise<number> {
    const [row] = await this.#all(
      'SELECT start FROM changeset WHERE graph = ? AND time >= ? AND start >= 0 ORDER BY time, id LIMIT 1',
      id,
      time,
    )
    return (row?.[0] as number | undefined) ?? changes
  }

  /**
   * The last change of each listed resource of a graph that has changed since a position, the newest first.
   *
   * @param kinds only resources with a change of one of these kinds since then.
   * @param options.total the number of all of them, if known; counting them takes a look at each change.
   */
  async lastChanges(
    { id, changes }: LoggedGraph,
    { from, kinds }: { from: number; kinds: readonly ChangeKind[] },
    { limit, offset, total }: { limit: number; offset: number; total?: number | undefined },
  ): Promise<{ total: number; changes: Change[] }> {
    const isKind = `AND EXISTS (SELECT 1 FROM change k JOIN changeset u ON u.id = k.changeset
      WHERE k.resource = c.resource AND k.number >= 0 AND u.start >= ? AND k.kind IN (${kinds.map(() => '?').join()}))`
    const last = `${BETWEEN} AND NOT EXISTS (SELECT 1 FROM change l JOIN changeset t ON t.id = l.changeset
      WHERE l.resource = c.resource AND l.changeset > c.changeset AND t.start >= 0) ${kinds.length > 0 ? isKind : ''}`
    const page: Change[] = []
    let before = 0
    for (let to = changes; to > from && (total === undefined || page.length < limit); to -= SLICE) {
      const values = [...between(id, Math.max(from, to - SLICE), to), ...(kinds.length > 0 ? [from, ...kinds] : [])]
      const [counted] = await this.#all(`SELECT count(*) FROM ${last}`, ...values)
      const count = counted![0] as number
      const skipped = Math.max(0, offset - before)
      if (page.length < limit && skipped < count) {
        const order = 'ORDER BY s.start DESC, s.id DESC, c.number DESC LIMIT ? OFFSET ?'
        const rows = await this.#all(`SELECT ${COLUMNS} FROM ${last} ${order}`, ...values, limit - page.length, skipped)
        page.push(...(await this.#toChanges(rows)))
      }
      before += count
      await setImmediate()
    }
    return { total: total ?? before, changes: page }
  }

  /** Begins a draft, and removes earlier drafts of the graph that can never be committed. */
  async begin(graph: LoggedGraph, load: string, cause: Cause, time: string): Promise<Draft> {
    return this.#write(async (run, get) => {
      const stale = 'SELECT id FROM changeset WHERE graph = ? AND start < 0 AND base < ?'
      for (const table of ['change', 'block']) {
        await run(`DELETE FROM ${table} WHERE changeset IN (${stale})`, graph.id, graph.changeset)
      }
      await run('DELETE FROM changeset WHERE graph = ? AND start < 0 AND base < ?', graph.id, graph.changeset)
      const values = [graph.id, graph.changeset, load, time, JSON.stringify(cause)]
      const [id] = (await get(
        `INSERT INTO changeset (graph, base, load, time, cause, start) VALUES (?, ?, ?, ?, ?, ${DRAFT}) RETURNING id`,
        ...values,
      ))!
      return { changeset: id as number, graph, load, size: 0 }
    })
  }

  /** True if a graph says the same as the text with this digest, because a load has sent it and nothing has changed since. */
  async hasLoaded({ id, changeset }: LoggedGraph, text: Buffer): Promise<boolean> {
    const sql = 'SELECT 1 FROM loaded WHERE graph = ? AND changeset = ? AND digest = ?'
    return (await this.#all(sql, id, changeset, text)).length > 0
  }

  /** The cause of changes to a graph that the store has, and that nobody has compared with the log yet. */
  async unfinished({ id }: LoggedGraph): Promise<Cause | undefined> {
    const [row] = await this.#all('SELECT CAST(cause AS BLOB) FROM unfinished WHERE graph = ?', id)
    return row && (JSON.parse(textOf(row[0])) as Cause)
  }

  /** The draft of a load that was not committed. */
  async findDraft(graph: LoggedGraph, load: string): Promise<Draft | undefined> {
    const [row] = await this.#all(
      `SELECT id, base FROM changeset WHERE graph = ? AND load = ? AND start = ${DRAFT} ORDER BY id DESC LIMIT 1`,
      graph.id,
      load,
    )
    if (!row) return undefined
    const [counted] = await this.#all('SELECT count(*) FROM change WHERE changeset = ?', row[0]!)
    return {
      changeset: row[0] as number,
      graph: { ...graph, changeset: row[1] as number },
      load,
      size: counted![0] as number,
    }
  }

  /** Adds changes to a draft, a few thousand at a time, so that nobody waits long for the lock. */
  async addChanges(draft: Draft, changes: AsyncIterable<NewChange> | Iterable<NewChange>): Promise<void> {
    const rows: SqlValue[][] = []
    let blocks: Buffer[] = []
    let block: Buffer[] = []
    let blockBytes = 0
    let blockNumber = 0
    let [listed, unlisted] = [0, 0]
    const endBlock = () => {
      if (blockBytes > 0) blocks.push(deflateRawSync(Buffer.concat(block), { level: 1 }))
      if (blockBytes > 0) blockNumber++
      block = []
      blockBytes = 0
    }
    const flush = async () => {
      endBlock()
      await this.#write(async (run) => {
        for (const row of rows) {
          const [uri] = row
          await run('INSERT OR IGNORE INTO resource (graph, uri) VALUES (?, ?)', draft.graph.id, uri!)
          await run(
            'INSERT INTO change (resource, changeset, number, kind, before, after, block, at, length) SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM resource WHERE uri = ? AND graph = ?',
            draft.changeset,
            ...row.slice(1),
            uri!,
            draft.graph.id,
          )
        }
        for (const [at, body] of blocks.entries()) {
          await run('INSERT INTO block VALUES (?, ?, ?)', draft.changeset, blockNumber - blocks.length + at, body)
        }
        await run('UPDATE changeset SET listed = ? WHERE id = ?', listed, draft.changeset)
      })
      rows.length = 0
      blocks = []
    }
    for await (const { uri, kind, isListed, before, after, removed, added } of changes) {
      const text = bodyOf(removed, added)
      const isKept = text.length <= MOST_TEXT
      const number = isListed ? listed++ : -++unlisted
      rows.push([uri, number, kind, before, after, isKept ? blockNumber : -1, blockBytes, text.length])
      draft.size++
      if (isKept) {
        block.push(text)
        blockBytes += text.length
        if (blockBytes >= BLOCK_BYTES) endBlock()
      }
      if (rows.length >= ROWS_IN_TRANSACTION) await flush()
    }
    if (rows.length > 0) await flush()
  }

  /**
   * Lets a draft count. A draft without changes leaves nothing behind.
   *
   * @param options.time of the changes, ISO 8601.
   * @param options.isWhole true if the log then has every resource of the graph.
   * @param options.uri the URI of the graph, if the change gives it another one.
   * @param options.settled ids of the intents that this settles.
   * @param options.isRead true if the draft comes from the graph in the store, which finishes what `unfinished` has.
   * @param options.otherwise the cause of changes that the store has: if the draft cannot count, the graph is `unfinished`.
   * @returns false if something else was committed for the graph since the draft began; the draft is then gone.
   */
  async commit(
    { changeset, graph, load, text, size }: Draft,
    options: {
      time: string
      isWhole?: boolean
      uri?: string
      settled?: readonly string[]
      isRead?: boolean
      otherwise?: Cause
    },
  ): Promise<boolean> {
    const { isWhole = graph.isWhole, uri = graph.uri, settled = [], isRead = false, otherwise } = options
    return this.#write(async (run, get) => {
      const [current, changes] = (await get('SELECT changeset, changes FROM graph WHERE id = ?', graph.id))!
      const [start] = (await get('SELECT start FROM changeset WHERE id = ?', changeset)) ?? []
      // Another process may have found the draft after the load, and committed it.
      if (start !== undefined && start !== DRAFT) return true
      if (start === undefined || current !== graph.changeset) {
        await this.#forget(run, changeset)
        if (otherwise) {
          await run('INSERT OR REPLACE INTO unfinished VALUES (?, ?)', graph.id, JSON.stringify(otherwise))
          await run('UPDATE OR IGNORE graph SET uri = ? WHERE id = ?', uri, graph.id)
        }
        return false
      }
      if (isRead) await run('DELETE FROM unfinished WHERE graph = ?', graph.id)
      for (const id of settled) await run('DELETE FROM intent WHERE id = ?', id)
      if (text) {
        const last = size === 0 ? graph.changeset : changeset
        await run('INSERT OR REPLACE INTO loaded VALUES (?, ?, ?)', graph.id, last, text)
      }
      if (size === 0) {
        await this.#forget(run, changeset)
        await run(
          'UPDATE OR IGNORE graph SET load = ?, whole = ?, uri = ? WHERE id = ?',
          load,
          Number(isWhole),
          uri,
          graph.id,
        )
        return true
      }
      const [listed] = (await get('SELECT listed FROM changeset WHERE id = ?', changeset))!
      const [last] = (await get('SELECT CAST(time AS BLOB) FROM changeset WHERE id = ?', graph.changeset)) ?? []
      // Times rise with positions, even if somebody sets the clock back.
      const time = [options.time, textOf(last)].sort().at(-1)!
      await run('UPDATE changeset SET start = ?, time = ? WHERE id = ?', changes!, time, changeset)
      await run(
        'UPDATE OR IGNORE graph SET load = ?, whole = ?, uri = ?, changeset = ?, changes = ? WHERE id = ?',
        load,
        Number(isWhole),
        uri,
        changeset,
        (changes as number) + (listed as number),
        graph.id,
      )
      return true
    })
  }

  /**
   * Forgets changes before a date, except for the last one of each resource, which becomes an `Add` of its whole state, or
   * stays a `Delete`. Positions stay as they are.
   *
   * @param before YYYY-MM-DD
   * @returns number of changes that are forgotten.
   */
  async prune(before: string): Promise<number> {
    let pruned = 0
    for (let from = 0; ;) {
      const rows = await this.#all(
        `SELECT c.resource, count(*) FROM change c JOIN changeset s ON s.id = c.changeset
        WHERE s.start >= 0 AND s.time < ? AND c.resource > ? GROUP BY c.resource ORDER BY c.resource LIMIT ${ROWS_IN_TRANSACTION}`,
        before,
        from,
      )
      if (rows.length === 0) break
      const several = rows.filter(([, count]) => (count as number) > 1).map(([id]) => id as number)
      const states = new Map<number, PrunedState>()
      for (const id of several) {
        const [last] = await this.#changes(
          'AND c.resource = ? AND s.time < ? ORDER BY c.changeset DESC LIMIT 1',
          id,
          before,
        )
        states.set(id, { removed: last!.removed ?? [], state: await this.#replay(id, 's.time < ?', before) })
      }
      await this.#write(async (run, get) => {
        for (const [id, state] of states) pruned += await this.#pruneResource(run, get, id, before, state)
      })
      from = rows.at(-1)![0] as number
    }
    await this.#write((run) =>
      run(
        'DELETE FROM block WHERE NOT EXISTS (SELECT 1 FROM change c WHERE c.changeset = block.changeset AND c.block = block.number)',
      ),
    )
    return pruned
  }

  async #pruneResource(
    run: Run,
    get: Get,
    id: number,
    before: string,
    { removed, state }: PrunedState,
  ): Promise<number> {
    const [changeset, kind, digest] = (await get(
      `SELECT c.changeset, CAST(c.kind AS BLOB), CAST(c.before AS BLOB) FROM change c JOIN changeset s ON s.id = c.changeset
      WHERE c.resource = ? AND s.start >= 0 AND s.time < ? ORDER BY c.changeset DESC LIMIT 1`,
      id,
      before,
    ))!
    const [older] = (await get('SELECT count(*) FROM change WHERE resource = ? AND changeset < ?', id, changeset!))!
    await run('DELETE FROM change WHERE resource = ? AND changeset < ?', id, changeset!)
    const isEnd = textOf(kind) === 'Delete'
    if (isEnd && state?.length === 0) return older as number
    // After a `Delete`, statements that do not describe the resource may remain.
    const body = bodyOf(isEnd ? removed : [], state ?? [])
    const [block] = (await get('SELECT coalesce(max(number), -1) + 1 FROM block WHERE changeset = ?', changeset!))!
    if (state) await run('INSERT INTO block VALUES (?, ?, ?)', changeset!, block!, deflateRawSync(body))
    await run(
      'UPDATE change SET kind = ?, before = ?, block = ?, at = 0, length = ? WHERE resource = ? AND changeset = ?',
      isEnd ? 'Delete' : 'Add',
      isEnd ? digest! : NOTHING,
      state ? block! : -1,
      body.length,
      id,
      changeset!,
    )
    return older as number
  }

  /** Removes a draft. */
  async discard({ changeset }: Draft): Promise<void> {
    await this.#write((run) => this.#forget(run, changeset))
  }

  /** The changes of a draft, in their order. */
  async *draftChanges({ changeset }: Draft): AsyncGenerator<Change> {
    const query = CHANGE.replace('s.start >= 0', 'c.changeset = ? AND c.number > ? ORDER BY c.number LIMIT 1000')
    for (let from = -(2 ** 40); ;) {
      const rows = await this.#all(query, changeset, from)
      for (const row of rows) yield await this.#toChange(row)
      if (rows.length === 0) return
      from = rows.at(-1)![3] as number
    }
  }

  /** Records on disk the concepts that ingests are about to write. */
  async addIntents(intents: readonly Intent[]): Promise<void> {
    await this.#write(async (run) => {
      for (const { id, graph, time, account, uris } of intents) {
        await run('INSERT INTO intent VALUES (?, ?, ?, ?, ?)', id, graph, time, account, JSON.stringify(uris))
      }
    })
  }

  /** The ingests whose fate is open, the oldest first. */
  async intents(): Promise<Intent[]> {
    const rows = await this.#all(
      'SELECT CAST(id AS BLOB), CAST(graph AS BLOB), CAST(time AS BLOB), CAST(account AS BLOB), CAST(uris AS BLOB) FROM intent ORDER BY time, id',
    )
    return rows.map((row) => {
      const [id, graph, time, account, uris] = row.map(textOf) as [string, string, string, string, string]
      return { id, graph, time, account, uris: JSON.parse(uris) as string[] }
    })
  }

  async #forget(run: Run, changeset: number): Promise<void> {
    await run('DELETE FROM change WHERE changeset = ?', changeset)
    await run('DELETE FROM block WHERE changeset = ?', changeset)
    await run('DELETE FROM changeset WHERE id = ?', changeset)
  }

  async #changes(condition: string, ...values: SqlValue[]): Promise<Change[]> {
    return this.#toChanges(await this.#all(`${CHANGE} ${condition}`, ...values))
  }

  async #toChanges(rows: readonly SqlRow[]): Promise<Change[]> {
    const changes: Change[] = []
    for (const row of rows) changes.push(await this.#toChange(row))
    return changes
  }

  async #toChange(row: SqlRow): Promise<Change> {
    const [uri, kind, start, number, time, cause, graph, before, after, changeset, block, at, length] = row
    const isListed = (number as number) >= 0
    let removed: string[] | undefined
    let added: string[] | undefined
    if (block !== -1) {
      const text =
        length === 0 ? '' : await this.#text(changeset as number, block as number, at as number, length as number)
      const lines = text.split('\n')
      removed = lines.filter((line) => line.startsWith('-')).map((line) => line.slice(1))
      added = lines.filter((line) => line.startsWith('+')).map((line) => line.slice(1))
    }
    return {
      uri: textOf(uri),
      kind: textOf(kind) as ChangeKind,
      isListed,
      position: isListed && (start as number) >= 0 ? (start as number) + (number as number) : -1,
      time: textOf(time),
      cause: JSON.parse(textOf(cause)) as Cause,
      graph: textOf(graph),
      before: toHex(before as Buffer),
      after: toHex(after as Buffer),
      removed,
      added,
    }
  }

  async #text(changeset: number, block: number, at: number, length: number): Promise<string> {
    const key = `${changeset} ${block}`
    if (this.#block?.key !== key) {
      const [row] = await this.#all(
        'SELECT CAST(body AS BLOB) FROM block WHERE changeset = ? AND number = ?',
        changeset,
        block,
      )
      if (!row) throw new DamageError(this.#connection.file, `block ${block} of changeset ${changeset} is missing`)
      this.#block = { key, body: inflateRawSync(row[0] as Buffer) }
    }
    return this.#block.body.toString('utf8', at, at + length)
  }

  async #prepare(sql: string): Promise<Statement> {
    const known = this.#statements.get(sql)
    if (known) return known
    const statement = await this.#connection.prepare(sql)
    this.#statements.set(sql, statement)
    return statement
  }

  async #all(sql: string, ...values: SqlValue[]): Promise<SqlRow[]> {
    // Rows come as they are read, so simultaneous readers need statements of their own.
    return this.#connection.all(sql, ...values)
  }

  /** Runs a transaction; one at a time. @throws DiskError, HeldError */
  #write<T>(change: (run: Run, get: Get) => Promise<T>): Promise<T> {
    const written = this.#writing.then(() => this.#transaction(change))
    this.#writing = written.catch(() => undefined)
    return written
  }

  async #transaction<T>(change: (run: Run, get: Get) => Promise<T>): Promise<T> {
    const run: Run = async (sql, ...values) => (await this.#prepare(sql)).run(...values)
    const get: Get = async (sql, ...values) => (await this.#prepare(sql)).get(...values)
    await this.#connection.exec('BEGIN IMMEDIATE')
    try {
      const result = await change(run, get)
      await this.#connection.exec('COMMIT')
      return result
    } catch (error) {
      if (this.#connection.inTransaction) await this.#connection.exec('ROLLBACK')
      throw error
    }
  }
}

/** The last state of a resource. CROSS JOIN keeps the order of the tables, as in `BETWEEN`. */
const LAST =
  'SELECT r.id, CAST(c.after AS BLOB), c.number FROM resource r CROSS JOIN change c CROSS JOIN changeset s WHERE c.resource = r.id AND s.id = c.changeset AND s.start >= 0 AND'
const LATEST = 'ORDER BY c.changeset DESC LIMIT 1'

type Run = (sql: string, ...values: SqlValue[]) => Promise<void>
type Get = (sql: string, ...values: SqlValue[]) => Promise<SqlRow | undefined>

/** The last change of a resource before a date, and its statements after it; undefined if they are not known. */
interface PrunedState {
  removed: readonly string[]
  state: readonly string[] | undefined
}

/** The form of a change in a block. */
function bodyOf(removed: readonly string[], added: readonly string[]): Buffer {
  return Buffer.from([...removed.map((line) => `-${line}\n`), ...added.map((line) => `+${line}\n`)].join(''))
}

function toGraph(row: SqlRow | undefined): LoggedGraph | undefined {
  if (!row) return undefined
  const [id, uri, load, whole, changeset, changes] = row
  return {
    id: id as number,
    uri: textOf(uri),
    load: textOf(load),
    isWhole: whole === 1,
    changeset: changeset as number,
    changes: changes as number,
  }
}

function toResource(row: SqlRow | undefined): LoggedResource | undefined {
  return row && { id: row[0] as number, digest: row[1] as Buffer, isListed: (row[2] as number) >= 0 }
}

function toHex(digest: Buffer): string | undefined {
  return digest.length < DIGEST_BYTES || digest.equals(NOTHING) ? undefined : digest.toString('hex')
}
