import { column, type SqlValue } from '../../durable/sqlite.ts'
import { BlockWriter } from './blocks.ts'
import type { Cause, LoggedGraph, NewChange } from './change.ts'
import { DRAFT, type LogFile, type Transaction } from './file.ts'

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

const ROWS_IN_TRANSACTION = 1000

const COUNT = { count: column.number('count(*)') }
const BASE = { id: column.number('id'), base: column.number('base') }
const LAST_ID = { id: column.number('last_insert_rowid()') }
const GRAPH = { changeset: column.number('changeset'), changes: column.number('changes') }
const START = { start: column.number('start'), listed: column.number('listed') }
const CAUSE = { cause: column.text('cause') }
const TIME = { time: column.text('time') }

/**
 * The drafts of a log. A draft is written a little at a time; its changes count from the one transaction that commits it. A draft can
 * be committed only if nothing else was committed for its graph since the draft began.
 */
export class Drafts {
  readonly #file: LogFile

  constructor(file: LogFile) {
    this.#file = file
  }

  /** Begins a draft, and removes earlier drafts of the graph that can never be committed. */
  async begin(graph: LoggedGraph, load: string, cause: Cause, time: string): Promise<Draft> {
    return this.#file.write(async ({ run, first }) => {
      const stale = 'SELECT id FROM changeset WHERE graph = ? AND start < 0 AND base < ?'
      for (const table of ['change', 'block']) {
        await run(`DELETE FROM ${table} WHERE changeset IN (${stale})`, graph.id, graph.changeset)
      }
      await run('DELETE FROM changeset WHERE graph = ? AND start < 0 AND base < ?', graph.id, graph.changeset)
      const values = [graph.id, graph.changeset, load, time, JSON.stringify(cause)]
      await run(
        `INSERT INTO changeset (graph, base, load, time, cause, start) VALUES (?, ?, ?, ?, ?, ${DRAFT})`,
        ...values,
      )
      return { changeset: (await first(LAST_ID, ''))!.id, graph, load, size: 0 }
    })
  }

  /** The cause of changes to a graph that the store has, and that nobody has compared with the log yet. */
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
    const blocks = new BlockWriter(draft.changeset)
    let rows: { uri: string; values: SqlValue[] }[] = []
    let [listed, unlisted] = [0, 0]
    const write = async (transaction: Transaction) => {
      const { run } = transaction
      for (const { uri, values } of rows) {
        await run('INSERT OR IGNORE INTO resource (graph, uri) VALUES (?, ?)', draft.graph.id, uri)
        await run(
          'INSERT INTO change (resource, changeset, number, kind, before, after, block, at, length) SELECT id, ?, ?, ?, ?, ?, ?, ?, ? FROM resource WHERE uri = ? AND graph = ?',
          draft.changeset,
          ...values,
          uri,
          draft.graph.id,
        )
      }
      await blocks.write(transaction)
      await run('UPDATE changeset SET listed = ? WHERE id = ?', listed, draft.changeset)
      rows = []
    }
    for await (const change of changes) {
      const { uri, kind, isListed, before, after } = change
      const number = isListed ? listed++ : -++unlisted
      const { block, at, length } = blocks.add(change)
      rows.push({ uri, values: [number, kind, before, after, block, at, length] })
      draft.size++
      if (rows.length >= ROWS_IN_TRANSACTION) await this.#file.write(write)
    }
    if (rows.length > 0) await this.#file.write(write)
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
    { changeset, graph, load, triples, size }: Draft,
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
    return this.#file.write(async (transaction) => {
      const { run, first } = transaction
      const current = (await first(GRAPH, 'FROM graph WHERE id = ?', graph.id))!
      const written = await first(START, 'FROM changeset WHERE id = ?', changeset)
      // Another process may have found the draft after the load, and committed it.
      if (written && written.start !== DRAFT) return true
      if (!written || current.changeset !== graph.changeset) {
        await forget(transaction, changeset)
        if (otherwise) {
          await run('INSERT OR REPLACE INTO unfinished VALUES (?, ?)', graph.id, JSON.stringify(otherwise))
          await run('UPDATE OR IGNORE graph SET uri = ? WHERE id = ?', uri, graph.id)
        }
        return false
      }
      if (isRead) await run('DELETE FROM unfinished WHERE graph = ?', graph.id)
      for (const id of settled) await run('DELETE FROM intent WHERE id = ?', id)
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
      await run('UPDATE changeset SET start = ?, time = ? WHERE id = ?', current.changes, time, changeset)
      await run(
        'UPDATE OR IGNORE graph SET load = ?, whole = ?, uri = ?, changeset = ?, changes = ? WHERE id = ?',
        ...facts,
        changeset,
        current.changes + written.listed,
        graph.id,
      )
      return true
    })
  }

  /** Removes a draft. */
  async discard({ changeset }: Draft): Promise<void> {
    await this.#file.write((transaction) => forget(transaction, changeset))
  }
}

async function forget({ run }: Transaction, changeset: number): Promise<void> {
  await run('DELETE FROM change WHERE changeset = ?', changeset)
  await run('DELETE FROM block WHERE changeset = ?', changeset)
  await run('DELETE FROM changeset WHERE id = ?', changeset)
}
