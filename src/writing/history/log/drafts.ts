import { column, type SqlValue } from '../../../base/durable/sqlite.ts'
import { BlockWriter } from './blocks.ts'
import type { Cause, LoggedGraph, NewChange } from './change.ts'
import { DRAFT, type LogFile, type LogTransaction } from './file.ts'

/** Changes that do not count yet. */
export interface Draft {
  changeset: number
  graph: LoggedGraph
  load: string
  /** The number of triples that the graph then has, without bookkeeping; undefined if it is not known. */
  triples?: number | undefined
  /** Number of changes. */
  size: number
}

/** The facts of the changes that begin to count. */
interface DraftFacts {
  /** Of the changes, ISO 8601. */
  time: string
  /** True if the log then has every resource of the graph. */
  isWhole?: boolean
  /** The URI of the graph, if the change gives it another one. */
  uri?: string
  /** The ids of intents whose end the changes are. */
  intents?: readonly string[]
  /** True if the draft comes from the graph in the store, which completes an entry of `unfinished`. */
  isRead?: boolean
  /** The cause of changes that the store has: if the draft cannot count, the graph is `unfinished`. */
  otherwise?: Cause
}

const ROWS_IN_TRANSACTION = 1000

const COUNT = { count: column.number('count(*)') }
const BASE = { id: column.number('id'), base: column.number('base') }
const LAST_ID = { id: column.number('last_insert_rowid()') }
const GRAPH = { changeset: column.number('changeset'), changes: column.number('changes') }
const START = { start: column.number('start'), listed: column.number('listed') }
const CAUSE = { cause: column.text('cause') }
const TIME = { time: column.text('time') }
/** The changes of a changeset that create concepts of ingests which are not recorded yet. */
const OF_INGESTS = `FROM intent i CROSS JOIN json_each(i.uris) u CROSS JOIN resource r CROSS JOIN change c
  WHERE c.changeset = ? AND i.graph = ? AND i.id NOT IN (SELECT value FROM json_each(?))
  AND r.uri = u.value AND c.resource = r.id AND c.kind IN ('Create', 'Add')`

/**
 * The drafts of a log. A draft is written a little at a time; its changes count from the one transaction that commits
 * it. A draft can be committed only if nothing else was committed for its graph since the draft began, and if it does
 * not create concepts of an ingest that is not recorded yet.
 */
export class Drafts {
  readonly #file: LogFile

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Begins a draft, and removes earlier drafts of the graph that can never be committed. */
  begin(graph: LoggedGraph, load: string, cause: Cause, time: string): Promise<Draft> {
    return this.#file.write((transaction) => begin(transaction, graph, load, cause, time))
  }

  /**
   * Records a few changes that the store has, in one transaction.
   *
   * @returns false if something else was committed for the graph since it was read; then nothing is recorded.
   */
  record(
    graph: LoggedGraph,
    changes: readonly NewChange[],
    { cause, ...options }: DraftFacts & { cause: Cause },
  ): Promise<boolean> {
    return this.#file.write(async (transaction) => {
      const draft = await begin(transaction, graph, graph.load, cause, options.time)
      const rows = new ChangeWriter(draft)
      for (const change of changes) rows.add(change)
      await rows.write(transaction)
      return commitDraft(transaction, draft, options)
    })
  }

  /** The cause of changes to a graph in the store that are not compared with the log yet. */
  async unfinished({ id }: LoggedGraph): Promise<Cause | undefined> {
    const [row] = await this.#file.select(CAUSE, 'FROM unfinished WHERE graph = ?', id)
    return row && (JSON.parse(row.cause) as Cause)
  }

  /** The draft of a load that was not committed. */
  async find(graph: LoggedGraph, load: string): Promise<Draft | undefined> {
    const [row] = await this.#file.select(
      BASE,
      `FROM changeset WHERE graph = ? AND load = ? AND start = ${DRAFT} ORDER BY id DESC LIMIT 1`,
      graph.id,
      load,
    )
    if (!row) return undefined
    const [counted] = await this.#file.select(COUNT, 'FROM change WHERE changeset = ?', row.id)
    return { changeset: row.id, graph: { ...graph, changeset: row.base }, load, size: counted!.count }
  }

  /** Adds changes to a draft, a thousand at a time, so that nobody waits long for the lock. */
  async add(draft: Draft, changes: AsyncIterable<NewChange> | Iterable<NewChange>): Promise<void> {
    const rows = new ChangeWriter(draft)
    for await (const change of changes) {
      rows.add(change)
      if (rows.size >= ROWS_IN_TRANSACTION) await this.#file.write((transaction) => rows.write(transaction))
    }
    if (rows.size > 0) await this.#file.write((transaction) => rows.write(transaction))
  }

  /**
   * Commits a draft: its changes count from now on. A draft without changes leaves nothing behind.
   *
   * @returns false if something else was committed for the graph since the draft began, or if an ingest has to be
   *   recorded first; the draft is then gone.
   */
  commit(draft: Draft, options: DraftFacts): Promise<boolean> {
    return this.#file.write((transaction) => commitDraft(transaction, draft, options))
  }

  /** Removes a draft. */
  async discard({ changeset }: Draft): Promise<void> {
    await this.#file.write((transaction) => forget(transaction, changeset))
  }
}

async function begin(
  { run, first }: LogTransaction,
  graph: LoggedGraph,
  load: string,
  cause: Cause,
  time: string,
): Promise<Draft> {
  const stale = 'SELECT id FROM changeset WHERE graph = ? AND start < 0 AND base < ?'
  for (const table of ['change', 'block', 'unannounced']) {
    await run(`DELETE FROM ${table} WHERE changeset IN (${stale})`, graph.id, graph.changeset)
  }
  await run('DELETE FROM changeset WHERE graph = ? AND start < 0 AND base < ?', graph.id, graph.changeset)
  const values = [graph.id, graph.changeset, load, time, JSON.stringify(cause)]
  await run(`INSERT INTO changeset (graph, base, load, time, cause, start) VALUES (?, ?, ?, ?, ?, ${DRAFT})`, ...values)
  const changeset = (await first(LAST_ID, ''))!.id
  if (cause.decision) await run('INSERT INTO unannounced VALUES (?)', changeset)
  return { changeset, graph, load, size: 0 }
}

/** The changes of a draft on their way to the file. */
class ChangeWriter {
  readonly #draft: Draft
  readonly #blocks: BlockWriter
  #rows: { uri: string; values: SqlValue[] }[] = []
  #listed = 0
  #unlisted = 0

  constructor(draft: Draft) {
    this.#draft = draft
    this.#blocks = new BlockWriter(draft.changeset)
  }

  /** The number of changes that are not written yet. */
  get size(): number {
    return this.#rows.length
  }

  add(change: NewChange): void {
    const { uri, kind, isListed, before, after } = change
    const number = isListed ? this.#listed++ : -++this.#unlisted
    const { block, at, length } = this.#blocks.add(change)
    this.#rows.push({ uri, values: [number, kind, before, after, block, at, length] })
    this.#draft.size++
  }

  async write(transaction: LogTransaction): Promise<void> {
    const { run } = transaction
    const { changeset, graph } = this.#draft
    for (const { uri, values } of this.#rows) {
      await run('INSERT OR IGNORE INTO resource (graph, uri) VALUES (?, ?)', graph.id, uri)
      await run(
        'INSERT INTO change (resource, changeset, number, kind, before, after, block, at, length) SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM resource WHERE uri = ? AND graph = ?',
        changeset,
        ...values,
        uri,
        graph.id,
      )
    }
    await this.#blocks.write(transaction)
    await run('UPDATE changeset SET listed = ? WHERE id = ?', this.#listed, changeset)
    this.#rows = []
  }
}

async function commitDraft(
  transaction: LogTransaction,
  { changeset, graph, load, triples, size }: Draft,
  options: DraftFacts,
): Promise<boolean> {
  const { isWhole = graph.isWhole, uri = graph.uri, intents = [], isRead = false, otherwise } = options
  const { run, first } = transaction
  const current = (await first(GRAPH, 'FROM graph WHERE id = ?', graph.id))!
  const written = await first(START, 'FROM changeset WHERE id = ?', changeset)
  // Another process may have found the draft after the load, and committed it.
  if (written && written.start !== DRAFT) return true
  const isNext = current.changeset === graph.changeset
  const ofIngests = isNext && (await first(COUNT, OF_INGESTS, changeset, graph.uri, JSON.stringify(intents)))!.count
  if (!written || !isNext || ofIngests) {
    await forget(transaction, changeset)
    if (otherwise) {
      await run('INSERT OR REPLACE INTO unfinished VALUES (?, ?)', graph.id, JSON.stringify(otherwise))
      await run('UPDATE OR IGNORE graph SET uri = ? WHERE id = ?', uri, graph.id)
    }
    return false
  }
  if (isRead) await run('DELETE FROM unfinished WHERE graph = ?', graph.id)
  for (const id of intents) await run('DELETE FROM intent WHERE id = ?', id)
  if (triples !== undefined) {
    const last = size === 0 ? graph.changeset : changeset
    await run('INSERT OR REPLACE INTO counted VALUES (?, ?, ?)', graph.id, last, triples)
  }
  const facts = [load, Number(isWhole), uri]
  if (size === 0) {
    await forget(transaction, changeset)
    await run('UPDATE OR IGNORE graph SET load = ?, whole = ?, uri = ? WHERE id = ?', ...facts, graph.id)
    return true
  }
  const last = await first(TIME, 'FROM changeset WHERE id = ?', graph.changeset)
  // Times rise with positions, even if somebody sets the clock back.
  const time = last && last.time > options.time ? last.time : options.time
  if (time !== options.time) {
    await run('INSERT OR REPLACE INTO clock VALUES (?, ?, ?)', changeset, graph.id, options.time)
  }
  await run('UPDATE changeset SET start = ?, time = ? WHERE id = ?', current.changes, time, changeset)
  await run(
    'UPDATE OR IGNORE graph SET load = ?, whole = ?, uri = ?, changeset = ?, changes = ? WHERE id = ?',
    ...facts,
    changeset,
    current.changes + written.listed,
    graph.id,
  )
  return true
}

async function forget({ run }: LogTransaction, changeset: number): Promise<void> {
  await run('DELETE FROM change WHERE changeset = ?', changeset)
  await run('DELETE FROM block WHERE changeset = ?', changeset)
  await run('DELETE FROM unannounced WHERE changeset = ?', changeset)
  await run('DELETE FROM changeset WHERE id = ?', changeset)
}
