import { setImmediate } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { column, type ColumnRow } from '../../../base/durable/sqlite.ts'
import { BlockReader } from './blocks.ts'
import type { Cause, Change, ChangeKind, Decision, LoggedGraph, LoggedResource } from './change.ts'
import { ChangeRows } from './change-rows.ts'
import { NOTHING } from './digest.ts'
import { Drafts } from './drafts.ts'
import { openLogFile, type LogFile } from './file.ts'
import { Intents } from './intents.ts'

/** The positions that one query looks through; other requests get a turn between two queries. */
const SLICE = 10_000
const RESOURCES_AT_A_TIME = 10_000
/** Numbers of changes to remember. */
const MOST_TOTALS = 3000

const COUNT = { count: column.number('count(*)') }
const GRAPH = {
  id: column.number('id'),
  uri: column.text('uri'),
  load: column.text('load'),
  whole: column.number('whole'),
  changeset: column.number('changeset'),
  changes: column.number('changes'),
}
const URI = { uri: column.text('uri') }
const RESOURCE = { id: column.number('id'), ...URI }
const GRAPH_OF_RESOURCE = { uri: column.text('g.uri') }
const PLACE = { id: column.number('r.id'), uri: column.text('r.uri'), graph: column.text('g.uri') }
/** The last state of a resource. CROSS JOIN keeps the order of the tables, as in `BETWEEN`. */
const LAST = { id: column.number('r.id'), digest: column.bytes('c.after'), number: column.number('c.number') }
const LAST_OF =
  'FROM resource r CROSS JOIN change c CROSS JOIN changeset s WHERE c.resource = r.id AND s.id = c.changeset AND s.start >= 0 AND'
/** With the id of a resource, SQLite does not look through all changes of its graph. */
const ID_OF = 'SELECT id FROM resource WHERE uri = ? AND graph = (SELECT id FROM graph WHERE uri = ?)'
const LAST_STATE = { uri: column.text('r.uri'), ...LAST }
/** Without the names of the indexes, SQLite looks through the changes of a whole changeset. */
const LAST_OF_SOME = `FROM json_each(?) u
  CROSS JOIN resource r INDEXED BY sqlite_autoindex_resource_1 ON r.uri = u.value AND r.graph = ?
  CROSS JOIN change c INDEXED BY change_resource ON c.resource = r.id AND c.changeset =
    (SELECT l.changeset FROM change l INDEXED BY change_resource CROSS JOIN changeset s ON s.id = l.changeset
      WHERE l.resource = r.id AND s.start >= 0 ORDER BY l.changeset DESC LIMIT 1)`
/** The changes of resources up to before a changeset each, which come as arrays of two. */
const CHANGES_OF_SOME = `FROM json_each(?) i CROSS JOIN change c INDEXED BY change_resource
  ON c.resource = i.value->>0 AND c.changeset < i.value->>1
  CROSS JOIN changeset s ON s.id = c.changeset AND s.start >= 0
  CROSS JOIN resource r ON r.id = c.resource CROSS JOIN graph g ON g.id = s.graph ORDER BY i.key, c.changeset, c.number`
const LATEST = 'ORDER BY c.changeset DESC LIMIT 1'
const FIRST = { id: column.number('s.id'), time: column.text('s.time'), kind: column.text('c.kind') }
const ID = { id: column.number('id') }
const ID_AND_TIME = { ...ID, time: column.text('time') }
/** 0 and the empty text if there is none. */
const LAST_BY_CLOCK = { id: column.number('coalesce(max(changeset), 0)') }
const FIRST_CLOCK = { time: column.text("coalesce(min(time), '')") }
const LAST_OF_GRAPH = { uri: column.text('g.uri'), time: column.text('s.time') }
const BEGINNING = { id: column.number('s.id'), time: column.text('s.time') }
const START = { start: column.number('start') }
const COUNTED = { changeset: column.number('changeset'), triples: column.number('triples') }
const CHANGESET = { id: column.number('s.id') }
const ACCOUNT = { uri: column.text('r.uri'), cause: column.text('s.cause') }

/**
 * The listed changes of a graph between two positions, with the values of `between`. CROSS JOIN keeps the order of the
 * tables, so that SQLite reads nothing else.
 */
const BETWEEN = `FROM changeset s CROSS JOIN change c CROSS JOIN resource r CROSS JOIN graph g
  WHERE s.graph = ? AND s.start < ?
  AND s.start >= coalesce((SELECT max(start) FROM changeset WHERE graph = ? AND start BETWEEN 0 AND ?), 0)
  AND c.changeset = s.id AND c.number >= max(0, ? - s.start) AND c.number < ? - s.start
  AND r.id = c.resource AND g.id = s.graph`
const between = (graph: number, from: number, to: number): number[] => [graph, to, graph, from, from, to]

/**
 * The log of changes in one file, for the service and the commands at the same time. `drafts` adds changes, `intents`
 * notes ingests beforehand, everything else here reads.
 *
 * @example
 * const log = await ChangeLog.open('data/history/log.sqlite')
 * const graph = await log.intern('http://example.org/vocabulary/crafts/')
 * const draft = await log.drafts.begin(graph, load, { by: 'load' }, time)
 * await log.drafts.add(draft, changes)
 * await log.drafts.commit(draft, { time })
 * await log.changesOf('http://example.org/vocabulary/crafts/bookbinding')
 */
export class ChangeLog {
  readonly drafts: Drafts
  readonly intents: Intents
  readonly #file: LogFile
  readonly #rows: ChangeRows
  /** Numbers of last changes by their selection, and by the changeset until which they were counted. */
  readonly #totals = new LRUCache<string, number>({ max: MOST_TOTALS })

  private constructor(file: LogFile) {
    this.#file = file
    this.#rows = new ChangeRows(file, new BlockReader(file))
    this.drafts = new Drafts(file)
    this.intents = new Intents(file)
  }

  /** @throws DamageError if the file is something else; DiskError. */
  static async open(file: string): Promise<ChangeLog> {
    return new ChangeLog(await openLogFile(file))
  }

  /** Waits for what is being written. */
  close(): Promise<void> {
    return this.#file.close()
  }

  /** A graph by its URI, as the log knows it. */
  async graph(uri: string): Promise<LoggedGraph | undefined> {
    const [row] = await this.#file.select(GRAPH, 'FROM graph WHERE uri = ?', uri)
    return row && toGraph(row)
  }

  /** All graphs that the log knows, in the order of their URIs. */
  async graphs(): Promise<LoggedGraph[]> {
    return (await this.#file.select(GRAPH, 'FROM graph ORDER BY uri')).map(toGraph)
  }

  /** A graph by its URI; the log records it if it is new. */
  async intern(uri: string): Promise<LoggedGraph> {
    const logged = await this.graph(uri)
    if (logged) return logged
    await this.#file.write(({ run }) => run('INSERT OR IGNORE INTO graph (uri) VALUES (?)', uri))
    return (await this.graph(uri))!
  }

  /**
   * The number of triples that a graph has by this log, without bookkeeping.
   *
   * @returns undefined if no load has counted them, or if the log does not have the text of a change since.
   */
  async triples({ id, uri }: LoggedGraph): Promise<number | undefined> {
    const [counted] = await this.#file.select(COUNTED, 'FROM counted WHERE graph = ?', id)
    if (!counted) return undefined
    let { triples } = counted
    const since = 'g.uri = ? AND s.id > ? ORDER BY s.id, c.number'
    for (const { after, removed, added } of await this.#rows.counting(since, uri, counted.changeset)) {
      if (!removed || !added) return undefined
      // The statements that the end of a resource adds are not in the graph.
      triples += (after === undefined ? 0 : added.length) - removed.length
    }
    return triples
  }

  /** The last state of a resource of a graph; undefined if the graph never had it. */
  async resource(graph: LoggedGraph, uri: string): Promise<LoggedResource | undefined> {
    const last = await this.#file.query(LAST, `${LAST_OF} r.uri = ? AND r.graph = ? ${LATEST}`)
    const row = last.first(uri, graph.id)
    return row && toResource(row)
  }

  /**
   * The last states of some resources of a graph, by URI, without resources that the graph never had. For many it takes
   * a third of the time of `resource`.
   */
  async statesOf(graph: LoggedGraph, uris: readonly string[]): Promise<Map<string, LoggedResource>> {
    const rows = await this.#file.select(LAST_STATE, LAST_OF_SOME, JSON.stringify(uris), graph.id)
    return new Map(rows.map(({ uri, ...row }) => [uri, toResource(row)]))
  }

  /**
   * The resources that a graph has, in the order of their ids.
   *
   * @param without the ids of resources to leave out.
   */
  async *resources(
    graph: LoggedGraph,
    without: Pick<ReadonlySet<number>, 'has'> = new Set(),
  ): AsyncGenerator<LoggedResource & { uri: string }> {
    const last = await this.#file.query(LAST, `${LAST_OF} r.id = ? ${LATEST}`)
    const rest = `FROM resource WHERE graph = ? AND id > ? ORDER BY id LIMIT ${RESOURCES_AT_A_TIME}`
    for (let from = 0; ;) {
      const rows = await this.#file.select(RESOURCE, rest, graph.id, from)
      for (const { id, uri } of rows) {
        if (without.has(id)) continue
        const row = last.first(id)
        if (row && !row.digest.equals(NOTHING)) yield { ...toResource(row), uri }
      }
      const end = rows.at(-1)
      if (!end) return
      from = end.id
    }
  }

  /**
   * The statements of a resource before a changeset of its graph, by default the last ones; undefined if the log does
   * not have them.
   */
  async statements(resource: number, before = Number.MAX_SAFE_INTEGER): Promise<string[] | undefined> {
    const condition = 'c.resource = ? AND c.changeset < ? ORDER BY c.changeset, c.number'
    return statementsAfter(await this.#rows.counting(condition, resource, before))
  }

  /**
   * The same of many resources by their ids, which takes a fraction of the time. @param before by the URI of a graph.
   */
  async statementsOf(
    resources: readonly { id: number; uri: string; graph: string }[],
    before: ReadonlyMap<string, number | undefined>,
  ): Promise<Map<number, string[] | undefined>> {
    const asked = resources.map(({ id, graph }) => [id, before.get(graph) ?? Number.MAX_SAFE_INTEGER])
    const keyOf = ({ uri, graph }: { uri: string; graph: string }) => `${graph} ${uri}`
    const changes = new Map(resources.map((resource): [string, Change[]] => [keyOf(resource), []]))
    for (const change of await this.#rows.from(CHANGES_OF_SOME, JSON.stringify(asked))) {
      changes.get(keyOf(change))!.push(change)
    }
    return new Map(resources.map((resource) => [resource.id, statementsAfter(changes.get(keyOf(resource))!)]))
  }

  /**
   * The first changeset that a graph did not have yet at a time: that after the last one whose clock showed this time
   * or an earlier one. A changeset whose clock was ahead of the present counts from the one before it, so that the
   * graph at the present is always the newest.
   *
   * @param times ISO 8601.
   * @returns undefined if the graph had all of them.
   */
  async endAt({ id }: LoggedGraph, { time, now }: { time: string; now: string }): Promise<number | undefined> {
    const counting = 'FROM changeset WHERE graph = ? AND start >= 0'
    const [byTime] = await this.#file.select(
      ID,
      `${counting} AND time <= ? ORDER BY time DESC, id DESC LIMIT 1`,
      id,
      time,
    )
    const [byClock] = await this.#file.select(LAST_BY_CLOCK, 'FROM clock WHERE graph = ? AND time <= ?', id, time)
    const last = Math.max(byTime?.id ?? 0, byClock!.id)
    const [next] = await this.#file.select(ID_AND_TIME, `${counting} AND id > ? ORDER BY id LIMIT 1`, id, last)
    if (!next || next.time <= now) return next?.id
    // Later ones have the same time or a later one, but perhaps from a clock that was right.
    const rest = 'FROM clock WHERE graph = ? AND changeset > ? AND time <= ? ORDER BY changeset LIMIT 1'
    return (await this.#file.select({ id: column.number('changeset') }, rest, id, last, now))[0]?.id
  }

  /**
   * The time from which the log knows all states of a resource: that of its first change or, if this change created it,
   * the beginning of the log, because the resource did not exist before. Empty if all clocks since then were ahead.
   *
   * @param now the present, ISO 8601.
   */
  async knownSince(resource: number, now: string): Promise<string> {
    const [first] = await this.#file.select(
      FIRST,
      `FROM change c JOIN changeset s ON s.id = c.changeset
      WHERE c.resource = ? AND s.start >= 0 ORDER BY c.changeset LIMIT 1`,
      resource,
    )
    const rest = 'FROM changeset WHERE start >= 0 ORDER BY id LIMIT 1'
    const { id, time } = first!.kind === 'Create' ? (await this.#file.select(ID_AND_TIME, rest))[0]! : first!
    if (time <= now) return time
    const [clock] = await this.#file.select(FIRST_CLOCK, 'FROM clock WHERE changeset > ?', id)
    return clock!.time
  }

  /** The graphs with changes from a clock that was ahead of the present, with the last time. @param now ISO 8601. */
  async inFuture(now: string): Promise<{ uri: string; time: string }[]> {
    const rest = 'FROM graph g JOIN changeset s ON s.id = g.changeset WHERE s.time > ? ORDER BY g.uri'
    return this.#file.select(LAST_OF_GRAPH, rest, now)
  }

  /** The URIs of the graphs that a resource is or was in, or will be in if a draft counts. */
  async graphsOf(uri: string): Promise<string[]> {
    const rest = 'FROM resource r JOIN graph g ON g.id = r.graph WHERE r.uri = ?'
    return (await this.#file.select(GRAPH_OF_RESOURCE, rest, uri)).map((graph) => graph.uri)
  }

  /** The resources with some URIs in all graphs that have or had them. */
  async resourcesNamed(uris: readonly string[]): Promise<{ id: number; uri: string; graph: string }[]> {
    return this.#file.select(
      PLACE,
      `FROM json_each(?) u CROSS JOIN resource r ON r.uri = u.value CROSS JOIN graph g ON g.id = r.graph WHERE EXISTS
        (SELECT 1 FROM change c CROSS JOIN changeset s ON s.id = c.changeset WHERE c.resource = r.id AND s.start >= 0)`,
      JSON.stringify(uris),
    )
  }

  /** The accounts whose ingests have made resources of a graph, by the URI of the resource, the oldest first. */
  async accounts({ id }: LoggedGraph): Promise<Map<string, string>> {
    const rows = await this.#file.select(
      ACCOUNT,
      `FROM changeset s CROSS JOIN change c CROSS JOIN resource r
      WHERE s.graph = ? AND s.start >= 0 AND json_extract(s.cause, '$.by') = 'ingest'
      AND c.changeset = s.id AND c.kind IN ('Create', 'Add') AND r.id = c.resource ORDER BY s.id, c.number`,
      id,
    )
    return new Map(rows.map(({ uri, cause }) => [uri, (JSON.parse(cause) as Cause).account ?? '']))
  }

  /**
   * The changes by which proposals of a graph were accepted or refused, the last one first. A refused proposal that has
   * come back is not among them.
   */
  async decisions({ id }: LoggedGraph, decision: Decision): Promise<Change[]> {
    return this.#rows.from(
      `FROM changeset s CROSS JOIN change c CROSS JOIN resource r CROSS JOIN graph g
      WHERE s.graph = ? AND s.start >= 0 AND json_extract(s.cause, '$.decision') = ?
      AND c.changeset = s.id AND c.number >= 0 AND c.kind = ? AND r.id = c.resource AND g.id = s.graph
      AND (c.kind <> 'Delete' OR NOT EXISTS (SELECT 1 FROM change l JOIN changeset t ON t.id = l.changeset
        WHERE l.resource = c.resource AND l.changeset > c.changeset AND l.number >= 0 AND t.start >= 0))
      ORDER BY s.id DESC, r.uri`,
      id,
      decision,
      KIND_OF_DECISION[decision],
    )
  }

  /** The changes by which proposals were decided and of which no mail is in the outbox yet, by changeset. */
  async unannounced(): Promise<Map<number, Change[]>> {
    const rest = 'FROM unannounced u JOIN changeset s ON s.id = u.changeset WHERE s.start >= 0 ORDER BY s.id'
    const byChangeset = new Map<number, Change[]>()
    for (const { id } of await this.#file.select(CHANGESET, rest)) {
      const changes = await this.#rows.counting('c.changeset = ? AND c.number >= 0 ORDER BY c.number', id)
      byChangeset.set(id, changes.filter(isDecision))
    }
    return byChangeset
  }

  /** Notes that the mails about a changeset are in the outbox. */
  async announce(changeset: number): Promise<void> {
    await this.#file.write(({ run }) => run('DELETE FROM unannounced WHERE changeset = ?', changeset))
  }

  /** The changes of a resource in all graphs, the last one first. */
  async changesOf(
    uri: string,
    { limit, offset }: { limit: number; offset: number } = { limit: -1, offset: 0 },
  ): Promise<Change[]> {
    const order = 'ORDER BY c.changeset DESC, c.number DESC LIMIT ? OFFSET ?'
    return this.#rows.counting(`r.uri = ? ${order}`, uri, limit, offset)
  }

  async countChangesOf(uri: string): Promise<number> {
    const [row] = await this.#file.select(
      COUNT,
      'FROM resource r JOIN change c ON c.resource = r.id JOIN changeset s ON s.id = c.changeset WHERE r.uri = ? AND s.start >= 0',
      uri,
    )
    return row!.count
  }

  /** The listed changes of a graph from one position up to before another, in the order of their positions. */
  async page({ id }: LoggedGraph, from: number, to: number): Promise<Change[]> {
    return this.#rows.from(`${BETWEEN} ORDER BY s.start, s.id, c.number`, ...between(id, from, to))
  }

  /** The first change of the same resource that the log still has. */
  async firstChange({ uri, graph }: Pick<Change, 'uri' | 'graph'>): Promise<Change | undefined> {
    return (await this.#rows.counting(`c.resource = (${ID_OF}) ORDER BY c.changeset LIMIT 1`, uri, graph))[0]
  }

  /** The last listed change of a resource in a graph. */
  async lastListedChange({ uri, graph }: Pick<Change, 'uri' | 'graph'>): Promise<Change | undefined> {
    const last = 'c.number >= 0 ORDER BY c.changeset DESC LIMIT 1'
    return (await this.#rows.counting(`c.resource = (${ID_OF}) AND ${last}`, uri, graph))[0]
  }

  /**
   * The position of the first listed change of a graph at a time (ISO 8601) or later; the number of changes if there is
   * none.
   */
  async positionAt({ id, changes }: LoggedGraph, time: string): Promise<number> {
    const rest = 'FROM changeset WHERE graph = ? AND time >= ? AND start >= 0 ORDER BY time, id LIMIT 1'
    const [row] = await this.#file.select(START, rest, id, time)
    return row?.start ?? changes
  }

  /**
   * How the log first recorded an existing graph: the id of the changeset, and its time (ISO 8601); undefined if it
   * only knows some ingests.
   */
  async beginning({ id, uri }: LoggedGraph): Promise<{ changeset: number; time: string } | undefined> {
    const [row] = await this.#file.select(
      BEGINNING,
      `FROM resource r CROSS JOIN change c CROSS JOIN changeset s WHERE r.uri = ? AND r.graph = ? AND c.resource = r.id
      AND c.kind IN ('Create', 'Add') AND s.id = c.changeset AND s.start >= 0 ORDER BY s.id DESC LIMIT 1`,
      uri,
      id,
    )
    return row && { changeset: row.id, time: row.time }
  }

  /**
   * The last listed change of each resource of a graph that has changed since a position, the newest first; statements
   * only for deleted ones.
   *
   * @param kinds only resources with a change of one of these kinds since then.
   * @param without leaves out this changeset, and all that was there before the log began.
   * @returns their number, too; to count them takes a look at each change, but only once.
   */
  async lastChanges(
    { id, changeset, changes }: LoggedGraph,
    { from, kinds, without }: { from: number; kinds: readonly ChangeKind[]; without?: number | undefined },
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ total: number; changes: Change[] }> {
    const key = JSON.stringify([id, changeset, from, without, kinds])
    const total = this.#totals.get(key)
    const isKind = `AND EXISTS (SELECT 1 FROM change k JOIN changeset u ON u.id = k.changeset
      WHERE k.resource = c.resource AND k.number >= 0 AND u.start >= ? AND k.kind IN (${kinds.map(() => '?').join()}))`
    const last = `${BETWEEN} AND NOT EXISTS (SELECT 1 FROM change l JOIN changeset t ON t.id = l.changeset
      WHERE l.resource = c.resource AND l.changeset > c.changeset AND l.number >= 0 AND t.start >= 0)
      ${without === undefined ? '' : "AND s.id <> ? AND c.kind <> 'Add'"} ${kinds.length > 0 ? isKind : ''}`
    const more = [...(without === undefined ? [] : [without]), ...(kinds.length > 0 ? [from, ...kinds] : [])]
    const order = 'ORDER BY s.start DESC, s.id DESC, c.number DESC LIMIT ? OFFSET ?'
    const page: Change[] = []
    let before = 0
    for (let to = changes; to > from && (total === undefined || page.length < limit); to -= SLICE) {
      const values = [...between(id, Math.max(from, to - SLICE), to), ...more]
      const { count } = (await this.#file.select(COUNT, last, ...values))[0]!
      const skipped = Math.max(0, offset - before)
      if (page.length < limit && skipped < count) {
        page.push(...(await this.#rows.fromWithDeleted(`${last} ${order}`, ...values, limit - page.length, skipped)))
      }
      before += count
      await setImmediate()
    }
    if (total === undefined) this.#totals.set(key, before)
    return { total: total ?? before, changes: page }
  }
}

/** The statements of a resource after its changes; undefined if the log does not have all of them. */
function statementsAfter(changes: readonly Change[]): string[] | undefined {
  const statements = new Set<string>()
  for (const { removed, added, after } of changes) {
    if (!removed || !added) return undefined
    for (const statement of removed) statements.delete(statement)
    for (const statement of added) statements.add(statement)
    // The end of a resource may name its replacement.
    if (after === undefined) statements.clear()
  }
  return [...statements].sort()
}

/** The changes to proposals; the changes of other resources that go with them have other kinds, or other resources. */
const KIND_OF_DECISION = { accepted: 'Update', refused: 'Delete' } as const

/** True for the change that a decision has made to a proposal itself. */
function isDecision({ kind, cause }: Pick<Change, 'kind' | 'cause'>): boolean {
  return cause.decision !== undefined && kind === KIND_OF_DECISION[cause.decision]
}

function toGraph({ whole, ...graph }: ColumnRow<typeof GRAPH>): LoggedGraph {
  return { ...graph, isWhole: whole === 1 }
}

function toResource({ id, digest, number }: ColumnRow<typeof LAST>): LoggedResource {
  return { id, digest, isListed: number >= 0 }
}
