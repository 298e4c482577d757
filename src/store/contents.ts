import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Database, type Transaction } from '../durable/database.ts'
import { DamageError } from '../durable/errors.ts'
import { GRAPH_FILE, type GraphFile } from './graph-files.ts'
import { forgetOldStore, readOldStore, readOldManifest } from './old-form.ts'

/** The file of a graph, and the updates that were executed on it since. A replaced graph has a new object. */
export interface StoredGraph {
  file: GraphFile | undefined
  /** In their order; if they are executed again on the same graph, the result is the same. */
  updates: string[]
}

/** A change of one graph, or the end of some. */
export type ContentsChange =
  | { type: 'put'; graph: string; file: GraphFile }
  | { type: 'update'; graph: string; update: string }
  | { type: 'delete'; graphs: readonly string[] }

/** A graph and the number of its first updates that are in a new file. */
export interface WrittenGraph {
  name: string
  graph: StoredGraph
  updates: number
  file: GraphFile
}

/** Graphs by their IRIs, updates by graph and number, and whether anything was ever written. */
const TABLES = ['graphs', 'updates', 'history'] as const
const WRITTEN = 'written'
const TAKEN_OVER = 'taken over'
const NUMBER_DIGITS = 15

/**
 * The contents of the store on disk: graph files in a directory, and a database that says which of them count, and how
 * their graphs were updated since. The process reads them once, when it starts.
 */
export class StoreContents {
  readonly directory: string
  readonly #database: Database
  readonly #graphs = new Map<string, StoredGraph>()
  /** Of the last update. */
  #number = 0
  #isNew: boolean

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
   * Reads the contents, and removes graph files that do not count, which a crash has left. Takes over a store of the
   * version before.
   *
   * @param directory of one process at a time; made if it is not there.
   * @throws DamageError; DiskError; HeldError if a process of the version before uses the directory.
   */
  static async open(directory: string): Promise<StoreContents> {
    const database = await Database.open(join(directory, 'database.sqlite'), { tables: TABLES, checkValues: false })
    try {
      const contents = new StoreContents(directory, database)
      await contents.#takeOver()
      const kept = new Set([...contents.graphs.values()].map(({ file }) => file?.name))
      await contents.removeFiles((await readdir(directory)).filter((name) => GRAPH_FILE.test(name) && !kept.has(name)))
      return contents
    } catch (error) {
      await database.close()
      throw error
    }
  }

  /** True if nothing was ever written. */
  get isNew(): boolean {
    return this.#isNew
  }

  get graphs(): ReadonlyMap<string, StoredGraph> {
    return this.#graphs
  }

  /** Length of all updates that were executed since the graph files were written, in characters. */
  get updateLength(): number {
    let length = 0
    for (const { updates } of this.#graphs.values()) for (const update of updates) length += update.length
    return length
  }

  /**
   * Makes all of the changes or none; they are on disk when this resolves.
   *
   * @param whenRecorded is called at the moment at which `graphs` begins to show them.
   * @returns names of the files that do not count any more.
   * @throws DiskError
   */
  async record(changes: readonly ContentsChange[], whenRecorded: () => void): Promise<string[]> {
    await this.#database.write((transaction) => {
      for (const change of changes) this.#record(transaction, change)
      if (this.#isNew && changes.length > 0) transaction.put('history', WRITTEN, '')
    })
    const obsolete = changes.flatMap((change) => this.#show(change))
    this.#isNew &&= changes.length === 0
    whenRecorded()
    return obsolete
  }

  /**
   * Lets files take the place of the updates that they hold, but not of a graph that was replaced since. Nothing may be
   * recorded at the same time.
   *
   * @returns names of the files that do not count.
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
    return written.flatMap((one) => {
      const { graph, updates, file } = one
      if (!isCurrent(one)) return [file.name]
      const before = graph.file
      graph.file = file
      graph.updates.splice(0, updates)
      return before ? [before.name] : []
    })
  }

  /** Removes files that do not count. */
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

  /** @returns names of the files that do not count any more */
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

  #graphOf(name: string): StoredGraph {
    const graph = this.#graphs.get(name) ?? { file: undefined, updates: [] }
    this.#graphs.set(name, graph)
    return graph
  }

  async #takeOver(): Promise<void> {
    const manifest = await readOldManifest(this.directory)
    if (manifest === undefined) return
    // A crash may have come after the database was made, but before the files that it was made from were removed.
    if (this.#database.get('history', TAKEN_OVER)?.toString() !== manifest) {
      if (!this.#isNew)
        throw new DamageError(this.directory, 'it has a store of this version and one of the version before')
      const { isNew, changes } = await readOldStore(this.directory, manifest)
      await this.#database.write((transaction) => {
        for (const change of changes) this.#record(transaction, change)
        if (!isNew) transaction.put('history', WRITTEN, '')
        transaction.put('history', TAKEN_OVER, manifest)
      })
      for (const change of changes) this.#show(change)
      this.#isNew = isNew
    }
    await forgetOldStore(this.directory)
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
