import { setTimeout as sleep } from 'node:timers/promises'
import { GRAPH, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { LOADED_MAPPING_KIND, MAPPING_KIND, type Statement } from '../../graph/index/statements.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'
import type { IndexDifference } from '../../graph/index/difference.ts'
import {
  MappingRows,
  Spaces,
  type AssignedPlace,
  type MappingStatement,
} from '../../graph/index/mappings/mapping-rows.ts'
import type { Namespace } from '../../graph/vocabularies/namespaces.ts'
import type { IndexedState, RevisionChange } from '../../graph/vocabularies/vocabulary-index.ts'
import { ConceptTable } from './concept-table.ts'
import { PendingInserts } from './pending-inserts.ts'
import { LabelRows } from './label-rows.ts'
import { addMemberships, findTwins, replaceMembers } from './shared-concepts.ts'
import { CHUNK, orderingOf, Stage } from './stage.ts'
import { removeUnusedWords, type WordKey } from './unused-words.ts'

/** A graph as the index has it. */
export interface IndexedGraph extends IndexedState {
  uri: string
  /** Its order, as `orderingOf` writes it. */
  ordering: string
}

/**
 * The state of a graph after a change: the index has its revision; it lacks other changes; or the graph has to be read
 * again, because its order has changed or has no room for new concepts.
 */
type ChangeResult = 'current' | 'behind' | 'disordered'

/** A graph that is written, but that no search sees yet. */
interface PendingRows {
  id: number
  uri: string
  /** Undefined: the index has the graph as it is. */
  digest: Buffer | undefined
}

/** If nothing was added to a pending graph for this time, the process that wrote it has ended. */
const ABANDONED_MS = 3_600_000
/** Pages of FTS5 to put together in one transaction. */
const MERGED_PAGES = 200
/**
 * A long write ends its transaction after this time, and pauses, so that other processes can write in between. Shorter
 * transactions would divide the index into more segments, which SQLite then has to merge.
 */
const WRITE_MS = 100
const PAUSE_MS = 10
/** Concepts to remove in one transaction. */
const REMOVED = 200

/** Writes the index. A new version of a graph is pending until it is committed. */
export class IndexWriter {
  readonly #file: IndexFile
  readonly #language: string
  readonly #mappings: MappingRows
  readonly #labels: LabelRows
  readonly #concepts: ConceptTable
  readonly #stage: Stage
  readonly #pending: PendingInserts
  /** How often words had been removed from the index when these were remembered. */
  #removals = 0

  /**
   * @param language of the labels that order a vocabulary without notations for people.
   * @param writeMs about how many milliseconds each transaction of a long write takes.
   */
  constructor(file: IndexFile, language: string, writeMs = WRITE_MS) {
    this.#file = file
    this.#language = language
    this.#mappings = new MappingRows(file)
    this.#labels = new LabelRows(file)
    this.#concepts = new ConceptTable(file, this.#labels)
    this.#stage = new Stage(file)
    this.#pending = new PendingInserts(file, { labels: this.#labels, mappings: this.#mappings }, writeMs)
  }

  /** The graphs that the index has, by URI. */
  graphs(): Promise<Map<string, IndexedGraph>> {
    return readIndexedGraphs(this.#file)
  }

  /**
   * Writes a graph, which stays pending until `commit`. One at a time.
   *
   * @param statements in any order.
   * @param onProgress receives, once the statements are read, the share that is written, from 0 to 1.
   * @returns undefined if `isWanted` has become false.
   * @throws DiskError, DamageError, LockedError and the errors of `statements`.
   */
  async writeGraph(
    uri: string,
    statements: AsyncIterable<readonly Statement[]> | Iterable<readonly Statement[]>,
    isWanted: () => boolean = () => true,
    onProgress: (share: number) => void = () => undefined,
  ): Promise<PendingRows | undefined> {
    const stage = this.#stage
    await stage.clear()
    for await (const some of statements) {
      if (!isWanted()) return undefined
      await stage.insert(some)
    }
    const ordering = await stage.arrange(uri, this.#language)
    const digest = await stage.digest()
    const [indexed] = await this.#file.values<string>(
      sql`SELECT hex(digest) AS indexed FROM graph WHERE uri = ${uri} AND state = 1`,
      'indexed',
    )
    if (indexed === digest.toString('hex').toUpperCase()) return { id: -1, uri, digest: undefined }
    const concepts = await stage.concepts()
    const rows = Math.max(concepts, await stage.mappings())
    const pending = { id: await this.#write(() => this.#pending.newGraph(uri, rows, ordering)), uri, digest }
    const tables: { rows: number; insert: (from: number) => Promise<number> }[] = [
      { rows: concepts, insert: (from) => this.#pending.insertConcepts(pending.id, from) },
      { rows: await stage.labels(), insert: (from) => this.#pending.insertLabels(pending.id, from) },
      { rows: concepts, insert: (from) => this.#pending.insertNotes(pending.id, from) },
      { rows: await stage.links(), insert: (from) => this.#pending.insertLinks(pending.id, from) },
      { rows: await stage.mappings(), insert: (from) => this.#pending.insertMappings(pending, from) },
    ]
    const all = tables.reduce((sum, { rows }) => sum + rows, 0)
    let before = 0
    for (const { rows, insert } of tables) {
      for (let from = 1; from <= rows;) {
        if (!isWanted()) return this.#giveUp(pending)
        from = await this.#writeSome(() => insert(from))
        onProgress((before + Math.min(from - 1, rows)) / all)
      }
      before += rows
    }
    await stage.clear()
    return pending
  }

  /**
   * Commits a pending graph, in place of the rows that the index had for it.
   *
   * @param state of the graph in the store.
   * @param replaces further graphs that this one replaces.
   */
  async commit(pending: PendingRows, state: IndexedState, replaces: readonly string[] = []): Promise<void> {
    const { id, uri, digest } = pending
    const gone = replaces.filter((replaced) => replaced !== uri)
    await this.#write(async () => {
      if (digest === undefined) {
        if (gone.length > 0) await findTwins(this.#file, undefined, await this.#retire(gone))
      } else {
        const affected = await this.#retire([uri, ...gone])
        await this.#file.run(
          sql`UPDATE graph SET state = 1, digest = unhex(${digest.toString('hex')}) WHERE id = ${id} AND state = 0`,
        )
        await addMemberships(this.#file, id)
        await findTwins(this.#file, id, affected)
      }
      await this.#setState(uri, state)
      if (digest !== undefined || gone.length > 0) await this.#countChange()
    })
    await this.clean()
  }

  /** Forgets a pending graph. @param isWanted false: another process removes its rows. */
  async discard(pending: PendingRows, isWanted: () => boolean = () => true): Promise<void> {
    await this.#giveUp(pending)
    if (isWanted()) await this.clean()
  }

  /** Marks a pending graph for deletion; `clean` removes its rows. */
  async #giveUp({ id }: PendingRows): Promise<undefined> {
    await this.#write(() => this.#file.run(sql`UPDATE graph SET state = 2 WHERE id = ${id} AND state = 0`))
  }

  /** The URIs among some that a graph of the index lacks. */
  async missing(graph: string, uris: readonly string[]): Promise<string[]> {
    const present = sql`SELECT 1 FROM concept c JOIN graph g ON g.id = c.id >> ${GRAPH} AND g.state = 1
      WHERE c.uri = u.value AND g.uri = ${graph}`
    return this.#read(() =>
      this.#file.values(sql`SELECT value FROM json_each(${uris}) u WHERE NOT EXISTS (${present})`, 'value'),
    )
  }

  /** Records that the index has a graph in another revision, unless an ingest has changed the revision meanwhile. */
  confirm(uri: string, { before, after }: Pick<RevisionChange, 'before' | 'after'>): Promise<void> {
    return this.#write(async () => {
      const graph = await this.#current(uri)
      if (graph?.revision === before) await this.#setState(uri, { revision: after, load: graph.load })
    })
  }

  /** Removes graphs. */
  async remove(uris: readonly string[]): Promise<void> {
    await this.#write(async () => {
      await findTwins(this.#file, undefined, await this.#retire(uris))
      await this.#countChange()
    })
    await this.clean()
  }

  /**
   * Changes a graph, if the index has it: an ingest, a decision and a load with few differences change it in this way.
   *
   * @param change of the revision that the difference has made: an index with the revision before gets that after.
   */
  change(uri: string, difference: IndexDifference, change?: RevisionChange): Promise<ChangeResult> {
    return this.#write(async () => {
      const present = await this.#current(uri)
      if (!present) return 'behind'
      const graph = { ...present, uri }
      const { resources } = difference
      const { concepts, isInOrder } = await this.#concepts.change(graph, difference)
      const mappings = [...concepts].flatMap((concept) => statedMappings(resources.get(concept)!))
      const areMappingsInOrder = await this.#mappings.replaceStated(graph, [...resources.keys()], mappings)
      const members = resources.get(uri)
      if (members) await replaceMembers(this.#file, graph.id, members)
      await findTwins(this.#file, undefined, [...resources.keys()])
      // The graph is no longer what `writeGraph` has written.
      await this.#file.run(sql`UPDATE graph SET digest = x'' WHERE id = ${graph.id}`)
      await this.#countChange()
      if (!isInOrder || !areMappingsInOrder) {
        await this.#setState(uri, { revision: '', load: '' })
        return 'disordered'
      }
      if (change && orderingOf(change.order, this.#language) !== graph.ordering) return 'disordered'
      if (!change || change.before === '' || change.before !== graph.revision) return 'behind'
      await this.#setState(uri, { revision: change.after, load: change.load ?? graph.load })
      return 'current'
    })
  }

  /**
   * Records how the URIs of the concepts of vocabularies begin, and moves stated mappings to the vocabularies of their
   * targets. It takes long only if a beginning has changed.
   */
  async assign(all: readonly Namespace[]): Promise<void> {
    const changed = await this.#read(() => this.#mappings.changedSpaces(all))
    if (changed.length === 0) return
    const spaces = new Spaces(all)
    for (const start of changed) {
      let place: AssignedPlace | undefined
      do {
        place = await this.#writeSome(async () => {
          const next = await this.#mappings.assign(start, place, spaces)
          await this.#countChange()
          return next
        })
      } while (place)
    }
    // Last, so that an interrupted call begins again.
    await this.#write(() => this.#mappings.setSpaces(all))
  }

  /** Records that every vocabulary of the store has been read: a new one delays searches in all no longer. */
  complete(): Promise<void> {
    return this.#write(async () => {
      await this.#file.run(sql`UPDATE meta SET value = 1 WHERE name = 'complete'`)
      await this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name = 'changes'`)
    })
  }

  /** Removes the rows of graphs that do not count any more, a few at a time. */
  async clean(): Promise<void> {
    const old = Date.now() - ABANDONED_MS
    const stale = sql`SELECT id FROM graph WHERE state = 2 OR (state = 0 AND touched < ${old})`
    const ids = await this.#ids(stale)
    for (const id of ids) {
      await this.#write(() => this.#file.run(sql`UPDATE graph SET state = 2 WHERE id = ${id}`))
      while (await this.#writeSome(() => this.#removeSome(id)));
    }
    if (ids.length > 0) await this.#removeWords()
  }

  /** Removes the words that no concept has any more. */
  async #removeWords(): Promise<void> {
    let last: WordKey | undefined = ['', '']
    while (last) last = await this.#writeSome(() => removeUnusedWords(this.#file, last!))
  }

  /**
   * Merges segments of FTS5 of similar size, because each search reads all segments. It takes seconds for a large
   * index, in short transactions.
   *
   * @param isWanted false ends it.
   */
  async compact(isWanted: () => boolean = () => true): Promise<void> {
    for (const table of ['concepts', 'labels', 'inside', 'notes'])
      while (isWanted() && (await this.#writeSome(() => this.#mergeSome(plain(table)))));
  }

  /** @returns false if there was nothing to merge (https://sqlite.org/fts5.html#the_merge_command). */
  async #mergeSome(table: Sql): Promise<boolean> {
    const changes = () => this.#file.number(plain('SELECT total_changes()'))
    const before = await changes()
    await this.#file.run(sql`INSERT INTO ${table}(${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)
    return (await changes()) - before >= 2
  }

  async #write<T>(change: () => Promise<T>): Promise<T> {
    try {
      return await this.#file.transaction('BEGIN IMMEDIATE', async () => {
        const removals = await this.#file.number(sql`SELECT value FROM meta WHERE name = 'removals'`)
        // Another process may have removed words that this connection remembers as written.
        if (removals !== this.#removals) this.#labels.reset()
        this.#removals = removals
        return change()
      })
    } catch (error) {
      this.#labels.reset()
      throw error
    }
  }

  /** One of the transactions of a long write; other processes can write between them. */
  async #writeSome<T>(change: () => Promise<T>): Promise<T> {
    const result = await this.#write(change)
    await sleep(PAUSE_MS)
    return result
  }

  #read<T>(work: () => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN', work)
  }

  #countChange(): Promise<void> {
    return this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name IN ('version', 'changes')`)
  }

  async #setState(uri: string, { revision, load }: IndexedState): Promise<void> {
    await this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name = 'changes'`)
    await this.#file.run(
      sql`UPDATE graph SET revision = ${revision}, load = ${load}, touched = ${Date.now()}
      WHERE uri = ${uri} AND state = 1`,
    )
  }

  async #current(uri: string): Promise<(IndexedState & { id: number; step: number; ordering: string }) | undefined> {
    const query = sql`SELECT id, step, revision, load, ordering FROM graph WHERE uri = ${uri} AND state = 1`
    const columns = 'id, step, revision, load, ordering'
    const [row] = await this.#file.rows<[number, number, string, string, string]>(query, columns)
    return row && { id: row[0], step: row[1], revision: row[2], load: row[3], ordering: row[4] }
  }

  /** Takes graphs out of the index. @returns the URIs of concepts that other graphs have, too. */
  async #retire(uris: readonly string[]): Promise<string[]> {
    if (uris.length === 0) return []
    const graphs = await this.#ids(
      sql`SELECT id FROM graph WHERE state = 1 AND uri IN (SELECT value FROM json_each(${uris}))`,
    )
    const isOf = (id: string) => sql`${plain(id)} >> ${GRAPH} IN (SELECT value FROM json_each(${graphs}))`
    const shared = sql`${isOf('t.concept')} OR ${isOf('t.first')}`
    const affected = await this.#file.values<string>(
      sql`SELECT DISTINCT c.uri FROM twin t JOIN concept c ON c.id = t.concept WHERE ${shared}`,
      'uri',
    )
    await this.#file.run(sql`DELETE FROM twin AS t WHERE ${shared}`)
    await this.#file.run(
      sql`DELETE FROM membership WHERE graph IN (SELECT value FROM json_each(${graphs})) OR ${isOf('concept')}`,
    )
    await this.#file.run(sql`UPDATE graph SET state = 2 WHERE id IN (SELECT value FROM json_each(${graphs}))`)
    return affected
  }

  /** @returns false if there is nothing left of the graph. */
  async #removeSome(graph: number): Promise<boolean> {
    const some = sql`SELECT id FROM concept WHERE ${ofGraph('id', graph)} ORDER BY id LIMIT ${REMOVED}`
    const ids = await this.#ids(some)
    if (ids.length > 0) {
      const removed = sql`SELECT value AS id FROM json_each(${ids})`
      await this.#concepts.deleteRows(removed)
      await this.#file.run(sql`DELETE FROM edge WHERE parent IN (${removed})`)
      return true
    }
    const [uri = ''] = await this.#file.values<string>(sql`SELECT uri FROM graph WHERE id = ${graph}`, 'uri')
    if (await this.#mappings.removeSome({ id: graph, uri }, CHUNK)) return true
    for (const table of ['combination', 'member', 'membership', 'outer_edge']) {
      await this.#file.run(sql`DELETE FROM ${plain(table)} WHERE graph = ${graph}`)
    }
    await this.#file.run(sql`DELETE FROM graph WHERE id = ${graph} AND state = 2`)
    return false
  }

  #ids(query: Sql): Promise<number[]> {
    return this.#file.values(query, 'id')
  }
}

/** The mappings among the statements about a concept. */
function statedMappings(statements: readonly Statement[]): MappingStatement[] {
  return statements.flatMap(([uri, kind, , text]): MappingStatement[] =>
    kind >= MAPPING_KIND && kind < LOADED_MAPPING_KIND ? [[uri, kind, text]] : [],
  )
}

/** The graphs that the index has, by URI. */
export async function readIndexedGraphs(file: IndexFile): Promise<Map<string, IndexedGraph>> {
  const rows = await file.rows<[string, string, string, string]>(
    sql`SELECT uri, revision, load, ordering FROM graph WHERE state = 1`,
    'uri, revision, load, ordering',
  )
  return new Map(rows.map(([uri, revision, load, ordering]) => [uri, { uri, revision, load, ordering }]))
}
