import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Database, type Transaction } from '../../base/durable/database.ts'
import { column, Connection } from '../../base/durable/sqlite.ts'
import { GRAPH_FILE, type GraphFile } from './graph-files.ts'

/** The file of a graph, and the later updates of the graph. A replaced graph has a new object. */
export interface GraphContents {
  file: GraphFile | undefined
  /** In their order; executing them again on the same graph gives the same result. */
  updates: string[]
}

/** A change of one graph, or the removal of some. */
export type ContentsChange =
  | { type: 'put'; graph: string; file: GraphFile }
  | { type: 'update'; graph: string; update: string }
  | { type: 'delete'; graphs: readonly string[] }

/** A graph and the number of its first updates that are in a new file. */
interface WrittenGraph {
  name: string
  graph: GraphContents
  updates: number
  file: GraphFile
}

/** The name of the database in the directory of a store. */
export const STORE_DATABASE = 'database.sqlite'
/** Graphs by their IRIs, updates by graph and number, and a mark that the store is no longer new. */
const TABLES = ['graphs', 'updates', 'history'] as const
const WRITTEN = 'written'
const NUMBER_DIGITS = 15
const BUSY_MS = 2000

/**
 * The contents of the store on disk: graph files in a directory, and a database with the names of the valid files and
 * the later updates of their graphs. The process reads them once, at its start.
 */
export class StoreContents {
  readonly directory: string
  readonly #database: Database
  readonly #graphs = new Map<string, GraphContents>()
  /** The number of the last update. */
  #number = 0
  #isNew: boolean
  #isFilling = false

  private constructor(directory: string, database: Database) {
    this.directory = directory
    this.#database = database
    this.#isNew = database.get('history', WRITTEN) === undefined
    for (const name of database.keys('graphs')) {
      const file = JSON.parse(database.get('graphs', name)!.toString()) as GraphFile
      this.#graphs.set(name, { file, updates: [] })
    }
    for (const key of database.keys('updates')) {
      const [graph, number] = key.split(' ') as [string, string]
      this.#graphOf(graph).updates.push(database.get('updates', key)!.toString())
      this.#number = Math.max(this.#number, Number(number))
    }
  }

  /**
   * Reads the contents, and removes invalid graph files, which a crash has left.
   *
   * @param directory of one process at a time; made if it is missing.
   * @throws DamageError; DiskError.
   */
  static async open(directory: string): Promise<StoreContents> {
    const database = await Database.open(join(directory, STORE_DATABASE), { tables: TABLES, checkValues: false })
    try {
      if (database.get('history', WRITTEN) === undefined) await database.write(removeAll)
      const contents = new StoreContents(directory, database)
      const kept = new Set([...contents.graphs.values()].map(({ file }) => file?.name))
      await contents.removeFiles((await readdir(directory)).filter((name) => GRAPH_FILE.test(name) && !kept.has(name)))
      return contents
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** True if nothing was ever written, or a process ended while it filled the store. */
  get isNew(): boolean {
    return this.#isNew
  }

  /**
   * Fills a new store. If the process ends before `fill` resolves, the next process finds a new and empty store.
   *
   * @throws the errors of `fill`, after which the store must be closed; DiskError.
   */
  async fill(fill: () => Promise<void>): Promise<void> {
    this.#isFilling = true
    await fill()
    await this.#database.write((transaction) => transaction.put('history', WRITTEN, ''))
    this.#isNew = false
  }

  get graphs(): ReadonlyMap<string, GraphContents> {
    return this.#graphs
  }

  /** The length of all updates since the graph files were written, in characters. */
  get updateLength(): number {
    let length = 0
    for (const { updates } of this.#graphs.values()) for (const update of updates) length += update.length
    return length
  }

  /**
   * Makes all of the changes or none; they are on disk when this resolves.
   *
   * @param whenRecorded called when `graphs` begins to show them.
   * @returns names of the files that have become invalid.
   * @throws DiskError
   */
  async record(changes: readonly ContentsChange[], whenRecorded: () => void): Promise<string[]> {
    const isFirst = this.#isNew && !this.#isFilling && changes.length > 0
    await this.#database.write((transaction) => {
      for (const change of changes) this.#record(transaction, change)
      if (isFirst) transaction.put('history', WRITTEN, '')
    })
    const obsolete = changes.flatMap((change) => this.#show(change))
    this.#isNew &&= !isFirst
    whenRecorded()
    return obsolete
  }

  /**
   * Replaces updates by the files that contain them, except for graphs that were replaced meanwhile. Nothing may be
   * recorded at the same time.
   *
   * @returns names of the invalid files.
   * @throws DiskError
   */
  async replaceUpdates(written: readonly WrittenGraph[]): Promise<string[]> {
    const isCurrent = ({ name, graph }: WrittenGraph) => this.#graphs.get(name) === graph
    await this.#database.write((transaction) => {
      for (const { name, file, updates } of written.filter(isCurrent)) {
        transaction.put('graphs', name, JSON.stringify(file))
        for (const key of [...keysOfUpdates(transaction, name)].slice(0, updates)) transaction.delete('updates', key)
      }
    })
    return written.flatMap((replacement) => {
      const { graph, updates, file } = replacement
      if (!isCurrent(replacement)) return [file.name]
      const before = graph.file
      graph.file = file
      graph.updates.splice(0, updates)
      return before ? [before.name] : []
    })
  }

  /** Removes invalid files. */
  async removeFiles(names: readonly string[]): Promise<void> {
    for (const name of names) await rm(join(this.directory, name), { force: true })
  }

  async close(): Promise<void> {
    await this.#database.close()
  }

  #record(transaction: Transaction, change: ContentsChange): void {
    switch (change.type) {
      case 'update':
        transaction.put('updates', keyOfUpdate(change.graph, ++this.#number), change.update)
        break
      case 'put':
        deleteUpdates(transaction, change.graph)
        transaction.put('graphs', change.graph, JSON.stringify(change.file))
        break
      case 'delete':
        for (const graph of change.graphs) {
          deleteUpdates(transaction, graph)
          transaction.delete('graphs', graph)
        }
    }
  }

  /** @returns names of the files that have become invalid */
  #show(change: ContentsChange): string[] {
    if (change.type === 'update') {
      this.#graphOf(change.graph).updates.push(change.update)
      return []
    }
    const names = change.type === 'put' ? [change.graph] : change.graphs
    const obsolete = names.flatMap((name) => this.#graphs.get(name)?.file?.name ?? [])
    for (const name of names) this.#graphs.delete(name)
    if (change.type === 'put') this.#graphs.set(change.graph, { file: change.file, updates: [] })
    return obsolete
  }

  #graphOf(name: string): GraphContents {
    const graph = this.#graphs.get(name) ?? { file: undefined, updates: [] }
    this.#graphs.set(name, graph)
    return graph
  }
}

/**
 * True if the store in a directory has graphs. A process may use the store meanwhile.
 *
 * @throws DamageError; LockedError if that process is writing all the time.
 */
export async function hasGraphs(directory: string): Promise<boolean> {
  const file = join(directory, STORE_DATABASE)
  // SQLite would make the file.
  if (!existsSync(file)) return false
  const connection = new Connection(file, BUSY_MS)
  try {
    const graphs = column.number('EXISTS (SELECT 1 FROM graphs) OR EXISTS (SELECT 1 FROM updates)')
    return (await connection.select({ graphs }, ''))[0]!.graphs > 0
  } finally {
    await connection.close()
  }
}

/** Keys sort by number; an IRI contains no space. */
function keyOfUpdate(graph: string, number: number): string {
  return `${graph} ${String(number).padStart(NUMBER_DIGITS, '0')}`
}

function keysOfUpdates(transaction: Transaction, graph: string): Generator<string> {
  return transaction.keys('updates', `${graph} `, `${graph}!`)
}

function deleteUpdates(transaction: Transaction, graph: string): void {
  for (const key of keysOfUpdates(transaction, graph)) transaction.delete('updates', key)
}

function removeAll(transaction: Transaction): void {
  for (const table of ['graphs', 'updates']) {
    for (const key of transaction.keys(table)) transaction.delete(table, key)
  }
}
