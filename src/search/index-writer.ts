import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { compareCodePoints, compareRecords, notationKey, smallestNotation } from '../jskos/order.ts'
import { COLLECTIONS, CONCEPT } from '../namespaces.ts'
import type { Namespace } from '../vocabularies/namespaces.ts'
import type { IndexedState } from '../vocabularies/vocabulary-index.ts'
import { GRAPH, GRAPH_SIZE, kindOf, labelId, labelsOf, MOST_GRAPHS, MOST_LABELS, ofGraph } from '../index/ids.ts'
import { columnOf, COLUMNS, keyTerm, markTerm, type IndexFile } from '../index/index-file.ts'
import { CLASS, LOADED_MAPPING, MAPPING, MEMBER, NARROWER, SCHEME, TOP, type Statement } from '../index/statements.ts'
import { fold, reversed, toLowerCase, wordForm } from './letters.ts'
import { MappingRows, type AssignedPlace, type MappingStatement, Spaces } from '../mappings/index/mapping-rows.ts'
import { indexedTerms, keyOf, MOST_CHARACTERS } from './spellings.ts'
import { columns, plain, sql, type Sql } from '../index/sql.ts'
import { MOST_LETTERS, termsOfWord } from './typed-text.ts'
import { indexedWords, isCharacter, visibleText } from './words.ts'

/** A graph as the index has it. */
export interface IndexedGraph extends IndexedState {
  uri: string
}

/** A change of the revision of a graph. */
export interface RevisionChange {
  before: string
  after: string
}

/** A graph that is written, but does not count yet. */
interface IndexDraft {
  id: number
  uri: string
  /** Undefined: the index has the graph as it is. */
  digest: Buffer | undefined
}

/** Statements in one step. */
const CHUNK = 2000
/** The space between the ids of two concepts, for those that an ingest adds between them. */
const MOST_STEP = 4096
/** A draft that nobody has written to for so long was given up by a process that has ended. */
const ABANDONED_MS = 3_600_000
/** Words that a connection remembers to have written. */
const MOST_KNOWN = 200_000
/** Words to insert together. */
const MANY_WORDS = 50_000
/** Pages of FTS5 to put together in one transaction. */
const MERGED_PAGES = 200
/**
 * Who writes much ends a transaction after this time, and pauses, so that others, such as an ingest, write in between. Shorter
 * transactions would divide the index into more segments, which SQLite has to put together.
 */
const WRITE_MS = 100
const PAUSE_MS = 10
/** Concepts to insert, concepts to remove, and words to look for in one transaction. */
const INSERTED = 5000
const REMOVED = 200
const CHECKED_WORDS = 1000

const LINKS = plain('SELECT coalesce(max(row), 0) FROM linked')
const MAPPINGS = plain('SELECT coalesce(max(row), 0) FROM arranged_mapping')

/** Writes the index. A new version of a graph is written as a draft; it counts when it is committed. */
export class IndexWriter {
  readonly #file: IndexFile
  readonly #writeMs: number
  readonly #mappings: MappingRows
  /** The terms of words that are in the index, and the characters of these words. */
  readonly #words = new Map<string, string>()
  /** How often words had been removed from the index when these were remembered. */
  #removals = 0
  readonly #characters = new Set<string>()

  /** @param writeMs about how long a transaction of many takes, in milliseconds. */
  constructor(file: IndexFile, writeMs = WRITE_MS) {
    this.#file = file
    this.#writeMs = writeMs
    this.#mappings = new MappingRows(file)
  }

  /** The graphs that the index has, by URI. */
  graphs(): Promise<Map<string, IndexedGraph>> {
    return readIndexedGraphs(this.#file)
  }

  /**
   * Writes a graph as a draft. One at a time.
   *
   * @param statements in any order.
   * @returns undefined if `isWanted` has become false.
   * @throws DiskError, DamageError, HeldError and the errors of `statements`.
   */
  async draft(
    uri: string,
    statements: AsyncIterable<readonly Statement[]> | Iterable<readonly Statement[]>,
    isWanted: () => boolean = () => true,
  ): Promise<IndexDraft | undefined> {
    await this.#read(() => this.#clearStage())
    for await (const some of statements) {
      if (!isWanted()) return undefined
      for (let at = 0; at < some.length; at += CHUNK) {
        const rows = some.slice(at, at + CHUNK).map((row) => (row[1] === 0 ? [...row, notationKey(row[3])] : row))
        await this.#read(() => this.#file.run(sql`INSERT INTO staged SELECT ${columns(5)} FROM json_each(${rows})`))
      }
    }
    const labels = await this.#read(() => this.#arrange(uri))
    const digest = await this.#digest(labels)
    const [known] = await this.#file.values<string>(
      sql`SELECT hex(digest) AS known FROM graph WHERE uri = ${uri} AND state = 1`,
      'known',
    )
    if (known === digest.toString('hex').toUpperCase()) return { id: -1, uri, digest: undefined }
    const all = await this.#file.number(sql`SELECT count(*) FROM chosen`)
    const draft = { id: await this.#write(() => this.#newGraph(uri, all)), uri, digest }
    for (let from = 1; from <= all; from += INSERTED) {
      if (!isWanted()) return this.#giveUp(draft)
      await this.#writeSome(() => this.#insertConcepts(draft.id, from))
    }
    for (let from = 1; from <= labels;) {
      if (!isWanted()) return this.#giveUp(draft)
      from = await this.#writeSome(() => this.#insertLabels(draft.id, from))
    }
    const links = await this.#file.number(LINKS)
    for (let from = 1; from <= links; from += CHUNK) {
      if (!isWanted()) return this.#giveUp(draft)
      await this.#writeSome(() => this.#insertLinks(draft.id, from))
    }
    const mappings = await this.#file.number(MAPPINGS)
    for (let from = 1; from <= mappings; from += CHUNK) {
      if (!isWanted()) return this.#giveUp(draft)
      await this.#writeSome(() => this.#insertMappings(draft, from))
    }
    await this.#read(() => this.#clearStage())
    return draft
  }

  /**
   * Makes a draft count, in place of what the index had for the graph.
   *
   * @param state of the graph in the store.
   * @param replaces further graphs that this one replaces.
   */
  async commit(draft: IndexDraft, state: IndexedState, replaces: readonly string[] = []): Promise<void> {
    const { id, uri, digest } = draft
    const gone = replaces.filter((one) => one !== uri)
    await this.#write(async () => {
      if (digest === undefined) {
        if (gone.length > 0) await this.#findTwins(undefined, await this.#retire(gone))
      } else {
        const affected = await this.#retire([uri, ...gone])
        await this.#file.run(
          sql`UPDATE graph SET state = 1, digest = unhex(${digest.toString('hex')}) WHERE id = ${id} AND state = 0`,
        )
        await this.#addMemberships(id)
        await this.#findTwins(id, affected)
      }
      await this.#setState(uri, state)
      if (digest !== undefined || gone.length > 0) await this.#announce()
    })
    await this.clean()
  }

  /** Forgets a draft. */
  async discard(draft: IndexDraft): Promise<void> {
    await this.#giveUp(draft)
    await this.clean()
  }

  /** Leaves the rows of a draft to the next cleaning. */
  async #giveUp({ id }: IndexDraft): Promise<undefined> {
    await this.#write(() => this.#file.run(sql`UPDATE graph SET state = 2 WHERE id = ${id} AND state = 0`))
  }

  /** Those of some concepts that a graph of the index does not have. */
  async missing(graph: string, uris: readonly string[]): Promise<string[]> {
    const present = sql`SELECT 1 FROM concept c JOIN graph g ON g.id = c.id >> ${GRAPH} AND g.state = 1
      WHERE c.uri = u.value AND g.uri = ${graph}`
    return this.#read(() =>
      this.#file.values(sql`SELECT value FROM json_each(${uris}) u WHERE NOT EXISTS (${present})`, 'value'),
    )
  }

  /** Notes that the store says the same of a graph in another revision. */
  confirm(uri: string, state: IndexedState): Promise<void> {
    return this.#write(() => this.#setState(uri, state))
  }

  /** Removes graphs. */
  async remove(uris: readonly string[]): Promise<void> {
    await this.#write(async () => {
      await this.#findTwins(undefined, await this.#retire(uris))
      await this.#announce()
    })
    await this.clean()
  }

  /**
   * Adds concepts to a graph, or replaces them, if the index has the graph.
   *
   * @param statements all statements about each of these concepts.
   * @param change of the revision that these concepts have made: an index with the revision before gets that after.
   */
  add(uri: string, statements: readonly Statement[], change?: RevisionChange): Promise<void> {
    return this.#write(async () => {
      const graph = await this.#current(uri)
      if (!graph) return
      const bySubject = groupedBy(statements, ([subject]) => subject)
      for (const [subject, own] of bySubject) {
        await this.#removeConcepts(await this.#idsOf(graph.id, [subject]))
        if (own.some(([, kind, , text]) => kind === CLASS && text === CONCEPT))
          await this.#insertConcept({ ...graph, uri }, own)
      }
      await this.#insertLinksOf(graph.id, statements)
      await this.#mappings.removeStated({ id: graph.id, uri }, [...bySubject.keys()])
      const mappings = statements.flatMap(([subject, kind, , text]): MappingStatement[] =>
        kind >= MAPPING ? [[subject, kind, text]] : [],
      )
      if (mappings.length > 0) {
        const next = await this.#mappings.next(graph.id)
        await this.#mappings.insert({ id: graph.id, uri }, next, mappings, await this.#mappings.spaces())
      }
      await this.#findTwins(undefined, [...bySubject.keys()])
      if (change?.before === graph.revision) await this.#setState(uri, { revision: change.after, load: graph.load })
      await this.#announce()
    })
  }

  /**
   * Removes concepts from a graph.
   *
   * @param state of the graph in the store, if the index then has all of it.
   */
  removeConcepts(graph: string, uris: readonly string[], state?: IndexedState): Promise<void> {
    return this.#write(async () => {
      const known = await this.#current(graph)
      if (!known) return
      await this.#removeConcepts(await this.#idsOf(known.id, uris))
      await this.#mappings.removeStated({ id: known.id, uri: graph }, uris)
      await this.#findTwins(undefined, uris)
      if (state) await this.#setState(graph, state)
      await this.#announce()
    })
  }

  /**
   * Notes how the URIs of the concepts of vocabularies begin, and finds the vocabularies of stated mappings by them. Takes long only if
   * that has changed.
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
          await this.#announce()
          return next
        })
      } while (place)
    }
    // At the end, so that whoever is interrupted begins anew.
    await this.#write(() => this.#mappings.setSpaces(all))
  }

  /** Notes that every vocabulary of the store has been read: from now on a new one does not hold up searches in all. */
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
    while (last) last = await this.#writeSome(() => this.#removeSomeWords(last!))
  }

  /** @returns the last word that was looked for; undefined at the end. */
  async #removeSomeWords(after: WordKey): Promise<WordKey | undefined> {
    const words = await this.#file.rows<WordKey>(
      sql`SELECT term, spelling FROM word WHERE (term, spelling) > (${after[0]}, ${after[1]})
      ORDER BY term, spelling LIMIT ${CHECKED_WORDS}`,
      'term, spelling',
    )
    const looked = words.map(([term, spelling]) => [term, spelling, termsOfWord(spelling)])
    const unused = await this.#file.rows<WordKey>(
      sql`SELECT value->>0 AS a, value->>1 AS b FROM json_each(${looked}) v
      WHERE NOT EXISTS (SELECT 1 FROM concepts WHERE concepts MATCH v.value->>2)`,
      'a, b',
    )
    if (unused.length > 0) {
      await this.#file.run(
        sql`DELETE FROM word WHERE (term, spelling) IN (SELECT ${columns(2)} FROM json_each(${unused}))`,
      )
      await this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name = 'removals'`)
    }
    return words.length < CHECKED_WORDS ? undefined : words.at(-1)
  }

  /**
   * Puts segments of FTS5 together that are about as large, because a search looks into each of them. Takes seconds for a large index, in
   * short transactions.
   *
   * @param isWanted false ends it.
   */
  async compact(isWanted: () => boolean = () => true): Promise<void> {
    for (const table of ['concepts', 'labels'])
      while (isWanted() && (await this.#writeSome(() => this.#mergeSome(plain(table)))));
  }

  /** @returns false if there was nothing to merge (https://sqlite.org/fts5.html#the_merge_command). */
  async #mergeSome(table: Sql): Promise<boolean> {
    const changes = () => this.#file.number(plain('SELECT total_changes()'))
    const before = await changes()
    await this.#file.run(sql`INSERT INTO ${table}(${table}, rank) VALUES ('merge', ${MERGED_PAGES})`)
    return (await changes()) - before >= 2
  }

  #write<T>(change: () => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN IMMEDIATE', async () => {
      const removals = await this.#file.number(sql`SELECT value FROM meta WHERE name = 'removals'`)
      // Another process may have removed words that this one remembers as written.
      if (removals !== this.#removals) this.#words.clear()
      this.#removals = removals
      return change()
    })
  }

  /** A part of much to write: others write after it. */
  async #writeSome<T>(change: () => Promise<T>): Promise<T> {
    const result = await this.#write(change)
    await sleep(PAUSE_MS)
    return result
  }

  /** Work that changes temporary tables alone. */
  #read<T>(work: () => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN', work)
  }

  #announce(): Promise<void> {
    return this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name IN ('version', 'changes')`)
  }

  async #setState(uri: string, { revision, load }: IndexedState): Promise<void> {
    await this.#file.run(sql`UPDATE meta SET value = value + 1 WHERE name = 'changes'`)
    await this.#file.run(
      sql`UPDATE graph SET revision = ${revision}, load = ${load}, touched = ${Date.now()}
      WHERE uri = ${uri} AND state = 1`,
    )
  }

  async #current(uri: string): Promise<(IndexedState & { id: number; step: number }) | undefined> {
    const query = sql`SELECT id, step, revision, load FROM graph WHERE uri = ${uri} AND state = 1`
    const [row] = await this.#file.rows<[number, number, string, string]>(query, 'id, step, revision, load')
    return row && { id: row[0], step: row[1], revision: row[2], load: row[3] }
  }

  /** Makes or empties the tables for arranging the statements of a graph; they are in a temporary file. */
  async #clearStage(): Promise<void> {
    for (const [table, definition] of Object.entries(STAGE)) {
      await this.#file.run(plain(`CREATE TEMP TABLE IF NOT EXISTS ${table} (${definition})`))
      await this.#file.run(plain(`DELETE FROM temp.${table}`))
    }
  }

  /**
   * Puts the concepts and collections of a graph in the order of records, and their labels in the same order. A collection is of the
   * vocabulary whose graph describes it. @returns the number of labels and notations.
   */
  async #arrange(graph: string): Promise<number> {
    const texts = (kind: number) =>
      plain(`coalesce(group_concat(text, ' ' ORDER BY text) FILTER (WHERE kind = ${kind}), '')`)
    await this.#file.run(
      sql`INSERT INTO chosen (uri, notation, classes, schemes, concept, listed, top)
      SELECT uri, substr(smallest, instr(smallest, char(1)) + 1), classes, schemes, concept, listed, top FROM
      (SELECT uri, min(key || char(1) || text) AS smallest, ${texts(CLASS)} AS classes, ${texts(SCHEME)} AS schemes,
        max(kind = ${CLASS} AND text = ${CONCEPT}) AS concept, max(kind = ${SCHEME} AND text = ${graph}) AS listed,
        max(kind = ${TOP} AND text = ${graph}) AS top
      FROM (SELECT DISTINCT uri, kind, language, text, key FROM staged WHERE kind < ${NARROWER} AND kind <> ${MEMBER})
      GROUP BY uri
      HAVING max(kind = ${CLASS} AND (text = ${CONCEPT} OR (uri <> ${graph} AND text IN (SELECT value FROM json_each(${[...COLLECTIONS]}))))) = 1)
      ORDER BY smallest IS NULL, smallest, uri`,
    )
    await this.#file.run(
      sql`UPDATE chosen SET schemes = ltrim(schemes || ' ' || ${graph}) WHERE concept = 0
      AND instr(' ' || schemes || ' ', ${` ${graph} `}) = 0`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.chosen_uri ON chosen (uri)`)
    await this.#arrangeHierarchy()
    await this.#file.run(
      sql`INSERT INTO combined (classes, schemes, concepts, top, unreached)
      SELECT classes, schemes, count(*), sum(top), sum(unreached) FROM chosen GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.combined_key ON combined (classes, schemes)`)
    await this.#file.run(
      sql`INSERT INTO arranged (place, kind, language, text)
      SELECT DISTINCT c.place, s.kind, s.language, s.text FROM staged s CROSS JOIN chosen c ON c.uri = s.uri
      WHERE s.kind < ${CLASS} ORDER BY 1, 2, 3, 4`,
    )
    await this.#file.run(
      sql`INSERT INTO arranged_mapping (uri, kind, text)
      SELECT DISTINCT uri, kind, text FROM staged s
      WHERE kind = ${LOADED_MAPPING} OR (kind >= ${MAPPING} AND EXISTS (SELECT 1 FROM chosen c WHERE c.uri = s.uri AND c.concept))
      ORDER BY 1, 2, 3`,
    )
    return this.#file.number(sql`SELECT coalesce(max(row), 0) FROM arranged`)
  }

  /** Finds the links between the concepts, and the concepts with broader ones that no top concept reaches: those of a cycle, and those below. */
  async #arrangeHierarchy(): Promise<void> {
    const ofConcept = (uri: string) => sql`(SELECT place FROM chosen WHERE uri = ${plain(uri)} AND concept)`
    await this.#file.run(
      sql`INSERT INTO linked (parent, child, above, below)
      SELECT DISTINCT p, c, iif(p IS NULL OR c IS NULL, u, NULL) AS a, iif(p IS NULL OR c IS NULL, t, NULL) AS b
      FROM (SELECT ${ofConcept('s.uri')} AS p, ${ofConcept('s.text')} AS c, s.uri AS u, s.text AS t
        FROM staged s WHERE s.kind = ${NARROWER} AND s.uri <> s.text) ORDER BY p, c, a, b`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.linked_parent ON linked (parent)`)
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.linked_child ON linked (child)`)
    await this.#file.run(
      sql`WITH RECURSIVE reached (place) AS (
        SELECT c.place FROM chosen c WHERE c.listed AND (c.top OR NOT EXISTS
          (SELECT 1 FROM linked l JOIN chosen p ON p.place = l.parent AND p.listed WHERE l.child = c.place))
        UNION SELECT c.place FROM reached r JOIN linked l ON l.parent = r.place JOIN chosen c ON c.place = l.child AND c.listed
      ) UPDATE chosen SET unreached = 1 WHERE concept AND listed AND place NOT IN (SELECT place FROM reached)`,
    )
  }

  /** Inserts some links between concepts of the arranged ones. */
  async #insertLinks(graph: number, from: number): Promise<void> {
    const some = sql`row BETWEEN ${from} AND ${from + CHUNK - 1}`
    const id = (place: string) => sql`(g.id << ${GRAPH}) + l.${plain(place)} * g.step`
    await this.#file.run(
      sql`INSERT INTO edge SELECT ${id('parent')}, ${id('child')} FROM linked l JOIN graph g ON g.id = ${graph}
      WHERE ${some} AND l.parent IS NOT NULL AND l.child IS NOT NULL`,
    )
    await this.#file.run(
      sql`INSERT INTO outer_edge (graph, parent, child) SELECT CAST(${graph} AS INTEGER), above, below FROM linked
      WHERE ${some} AND (parent IS NULL OR child IS NULL)`,
    )
    await this.#file.run(sql`UPDATE graph SET touched = ${Date.now()} WHERE id = ${graph}`)
  }

  /** Inserts some mappings of the arranged ones. */
  async #insertMappings({ id, uri }: IndexDraft, from: number): Promise<void> {
    const some = await this.#file.rows<MappingStatement>(
      sql`SELECT uri, kind, text FROM arranged_mapping WHERE row BETWEEN ${from} AND ${from + CHUNK - 1} ORDER BY row`,
      'uri, kind, text',
    )
    await this.#mappings.insert({ id, uri }, from, some, await this.#mappings.spaces())
    await this.#touch(id)
  }

  /** Notes that a draft is still being written. */
  #touch(graph: number): Promise<void> {
    return this.#file.run(sql`UPDATE graph SET touched = ${Date.now()} WHERE id = ${graph}`)
  }

  /** A digest of everything that the index gets of a graph. */
  async #digest(labels: number): Promise<Buffer> {
    const digest = createHash('sha1')
    const add = async (table: string, some: string, count: number) => {
      for (let from = 1; from <= count; from += CHUNK) {
        const rows = sql`SELECT CAST(json_group_array(json_array(${plain(some)})) AS BLOB) FROM ${plain(table)}
          WHERE rowid BETWEEN ${from} AND ${from + CHUNK - 1}`
        await this.#read(async () => digest.update((await this.#file.bytes(rows))!))
      }
    }
    await add(
      'chosen',
      'uri, notation, classes, schemes, top, unreached',
      await this.#file.number(sql`SELECT count(*) FROM chosen`),
    )
    await add('arranged', 'place, kind, language, text', labels)
    await add('linked', 'parent, child, above, below', await this.#file.number(LINKS))
    await add('arranged_mapping', 'uri, kind, text', await this.#file.number(MAPPINGS))
    const members = sql`SELECT DISTINCT text FROM staged WHERE kind = ${MEMBER} ORDER BY text`
    for (const member of await this.#file.values<string>(members, 'text')) digest.update(`${member}\n`)
    return digest.digest()
  }

  /** @param all the number of its concepts and collections. @returns the number of a new graph, the smallest that is free. */
  async #newGraph(uri: string, all: number): Promise<number> {
    const used = new Set(await this.#ids(sql`SELECT id FROM graph`))
    let id = 1
    while (used.has(id)) id++
    if (id >= MOST_GRAPHS) throw new Error(`the search index has no room for more than ${MOST_GRAPHS} vocabularies`)
    const concepts = await this.#file.number(sql`SELECT count(*) FROM chosen WHERE concept`)
    const labels = await this.#file.number(
      sql`SELECT count(*) FROM arranged a JOIN chosen c ON c.place = a.place WHERE a.kind > 0 AND c.concept`,
    )
    const step = Math.max(1, Math.min(MOST_STEP, Math.floor(GRAPH_SIZE / 2 / (all + 1))))
    await this.#file.run(
      sql`INSERT INTO graph (id, uri, state, touched, concepts, labels, step)
      VALUES (${id}, ${uri}, 0, ${Date.now()}, ${concepts}, ${labels}, ${step})`,
    )
    await this.#file.run(
      sql`INSERT INTO combination SELECT ${id}, id - 1, classes, schemes, concepts, top, unreached FROM combined`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO member SELECT ${id}, text FROM staged WHERE kind = ${MEMBER} AND uri = ${uri}`,
    )
    return id
  }

  /** Inserts some concepts of the chosen ones. */
  async #insertConcepts(graph: number, from: number): Promise<void> {
    await this.#file.run(
      sql`INSERT INTO concept (id, uri, notation, combination, top, unreached)
      SELECT (g.id << ${GRAPH}) + c.place * g.step, c.uri, c.notation,
        (SELECT d.id - 1 FROM combined d WHERE d.classes = c.classes AND d.schemes = c.schemes), c.top, c.unreached
      FROM graph g JOIN chosen c WHERE g.id = ${graph} AND c.place BETWEEN ${from} AND ${from + INSERTED - 1} ORDER BY c.place`,
    )
    await this.#touch(graph)
  }

  /** Inserts the labels of some concepts. @returns the row of the next label; Infinity after the last. */
  async #insertLabels(graph: number, from: number): Promise<number> {
    const latest = performance.now() + this.#writeMs
    const rows = new Rows()
    const end = async () => {
      await rows.insert(this.#file)
      await rows.insertWords(this.#file)
      await this.#touch(graph)
    }
    let concept: ConceptRows | undefined
    for (let at = from; ; at += CHUNK) {
      const labels = await this.#file.rows<[row: number, id: number, combination: number, ...Label]>(
        sql`SELECT a.row AS a, c.id AS b, c.combination AS c, a.kind AS d, a.language AS e, a.text AS f
        FROM arranged a JOIN graph g ON g.id = ${graph} JOIN concept c ON c.id = (g.id << ${GRAPH}) + a.place * g.step
        WHERE a.row BETWEEN ${at} AND ${at + CHUNK - 1} ORDER BY a.row`,
        'a, b, c, d, e, f',
      )
      for (const [row, id, combination, ...label] of labels) {
        if (concept?.id !== id) {
          concept?.end(rows)
          // All rows of a concept are written together.
          if (performance.now() > latest) {
            await end()
            return row
          }
          concept = new ConceptRows(id, combination)
        }
        this.#addLabel(concept, label, rows)
      }
      if (labels.length < CHUNK) {
        concept?.end(rows)
        await end()
        return Infinity
      }
      if (rows.isLarge) await rows.insert(this.#file)
    }
  }

  #addLabel(concept: ConceptRows, label: Label, rows: Rows): void {
    const [kind, , text] = label
    concept.add(label, kind === 0 ? [] : this.#termsOf(text, rows), rows)
  }

  /** The terms of a label; its words go into the table of words. */
  #termsOf(text: string, rows: Rows): readonly string[] {
    const words = indexedWords(toLowerCase(visibleText(text.slice(0, MOST_CHARACTERS))))
    // In most labels every word is a term.
    let areTerms = true
    const terms = words.map((word) => {
      const term = this.#words.get(word) ?? this.#addWord(word, rows)
      areTerms &&= term !== undefined
      return term!
    })
    return areTerms ? terms : indexedTerms(text)
  }

  /** @returns the term of a word; undefined if it has several, or is a character. */
  #addWord(word: string, rows: Rows): string | undefined {
    const spelling = word.slice(0, MOST_LETTERS)
    const [term, ...more] = indexedTerms(word)
    if (term === undefined || (more.length === 0 && isCharacter(term))) return undefined
    if (this.#words.size > MOST_KNOWN) this.#words.clear()
    if (more.length === 0) this.#words.set(word, term)
    const folded = fold(spelling)
    rows.words.push([indexedTerms(spelling).join(''), spelling, folded, reversed(folded), wordForm(folded)])
    for (const character of folded) {
      if (this.#characters.has(character)) continue
      this.#characters.add(character)
      rows.characters.push([character])
    }
    return more.length === 0 ? term : undefined
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

  /** Finds the members of subsets in a new graph; if it is a subset, its members in all graphs. */
  async #addMemberships(graph: number): Promise<void> {
    const found = sql`INSERT OR IGNORE INTO membership SELECT m.graph, c.id
      FROM member m JOIN graph s ON s.id = m.graph AND s.state = 1 JOIN concept c ON c.uri = m.uri
      JOIN graph g ON g.id = c.id >> ${GRAPH} AND g.state = 1`
    await this.#file.run(sql`${found} WHERE m.graph = ${graph}`)
    await this.#file.run(sql`${found} WHERE g.id = ${graph}`)
  }

  /**
   * Notes which concepts are in several graphs.
   *
   * @param graph with new concepts.
   * @param uris of concepts that have changed.
   */
  async #findTwins(graph: number | undefined, uris: readonly string[]): Promise<void> {
    const all = [...uris]
    if (graph !== undefined) {
      const own = await this.#file.number(sql`SELECT concepts FROM graph WHERE id = ${graph}`)
      const others = await this.#file.number(
        sql`SELECT coalesce(sum(concepts), 0) FROM graph WHERE state = 1 AND id <> ${graph}`,
      )
      const current = sql`JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
      // Looks at the concepts of the smaller side.
      const shared =
        own <= others
          ? sql`SELECT c.uri FROM concept c WHERE ${ofGraph('c.id', graph)}
            AND EXISTS (SELECT 1 FROM concept o ${current} WHERE o.uri = c.uri AND o.id <> c.id)`
          : sql`SELECT DISTINCT o.uri FROM graph g JOIN concept o ON ${ofGraph('o.id', plain('g.id'))}
            WHERE g.state = 1 AND g.id <> ${graph}
            AND EXISTS (SELECT 1 FROM concept c WHERE c.uri = o.uri AND c.id >> ${GRAPH} = ${graph})`
      for (const uri of await this.#file.values<string>(shared, 'uri')) all.push(uri)
    }
    if (all.length === 0) return
    const ofUris = sql`SELECT o.id, o.uri FROM json_each(${all}) u JOIN concept o ON o.uri = u.value
      JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
    await this.#file.run(sql`DELETE FROM twin WHERE concept IN (SELECT id FROM (${ofUris}))`)
    await this.#file.run(
      sql`INSERT OR REPLACE INTO twin SELECT id, first FROM
      (SELECT id, min(id) OVER same AS first, count(*) OVER same AS number FROM (${ofUris}) WINDOW same AS (PARTITION BY uri))
      WHERE number > 1`,
    )
  }

  #idsOf(graph: number, uris: readonly string[]): Promise<number[]> {
    return this.#ids(
      sql`SELECT c.id FROM json_each(${uris}) u JOIN concept c ON c.uri = u.value WHERE c.id >> ${GRAPH} = ${graph}`,
    )
  }

  /**
   * Inserts one concept between those that the graph has. If there is no id left at its place, the index does not have the graph in any
   * revision until it has read it again as a whole.
   */
  async #insertConcept(
    graph: { id: number; step: number; uri: string },
    statements: readonly Statement[],
  ): Promise<void> {
    const uri = statements[0]![0]
    const texts = (kind: number) => statements.flatMap((one) => (one[1] === kind ? [one[3]] : []))
    const notation = smallestNotation(texts(0))
    const combination = await this.#combination(graph.id, texts(CLASS), texts(SCHEME))
    const { id, isInPlace } = await this.#freeId(graph, { uri, key: notation })
    if (!isInPlace) await this.#file.run(sql`UPDATE graph SET revision = '', load = '' WHERE id = ${graph.id}`)
    const top = Number(texts(TOP).includes(graph.uri))
    await this.#file.run(
      sql`INSERT INTO concept SELECT ${columns(6)} FROM json_each(${[[id, uri, notation ?? null, combination, top, 0]]})`,
    )
    await this.#file.run(
      sql`UPDATE combination SET concepts = concepts + 1, top = top + ${top} WHERE graph = ${graph.id} AND id = ${combination}`,
    )
    const rows = new Rows()
    const concept = new ConceptRows(id, combination)
    let labels = 0
    for (const [, kind, language, text] of statements) {
      if (kind >= CLASS) continue
      if (kind > 0) labels++
      this.#addLabel(concept, [kind, language, text], rows)
    }
    concept.end(rows)
    await rows.insert(this.#file)
    await rows.insertWords(this.#file)
    await this.#file.run(
      sql`UPDATE graph SET concepts = concepts + 1, labels = labels + ${labels} WHERE id = ${graph.id}`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO membership SELECT m.graph, ${id} FROM graph s JOIN member m ON m.graph = s.id AND m.uri = ${uri}
      WHERE s.state = 1`,
    )
  }

  /** Inserts the links to narrower concepts among some statements of a graph. */
  async #insertLinksOf(graph: number, statements: readonly Statement[]): Promise<void> {
    const links = statements.flatMap(([uri, kind, , text]) => (kind === NARROWER && uri !== text ? [[uri, text]] : []))
    if (links.length === 0) return
    const inGraph = (id: string) => ofGraph(id, graph)
    const found = sql`FROM json_each(${links}) e
      LEFT JOIN concept p ON p.uri = e.value->>0 AND ${inGraph('p.id')} LEFT JOIN concept c ON c.uri = e.value->>1 AND ${inGraph('c.id')}`
    await this.#file.run(
      sql`INSERT OR IGNORE INTO edge SELECT p.id, c.id ${found} WHERE p.id IS NOT NULL AND c.id IS NOT NULL`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO outer_edge SELECT ${graph}, e.value->>0, e.value->>1 ${found} WHERE p.id IS NULL OR c.id IS NULL`,
    )
  }

  /** The number of some classes and vocabularies. */
  async #combination(graph: number, classes: readonly string[], schemes: readonly string[]): Promise<number> {
    const [ownClasses, ownSchemes] = [classes, schemes].map((some) =>
      [...new Set(some)].sort(compareCodePoints).join(' '),
    )
    const [known] = await this.#ids(
      sql`SELECT id FROM combination WHERE graph = ${graph} AND classes = ${ownClasses} AND schemes = ${ownSchemes}`,
    )
    if (known !== undefined) return known
    const id = await this.#file.number(sql`SELECT coalesce(max(id), -1) + 1 FROM combination WHERE graph = ${graph}`)
    await this.#file.run(sql`INSERT INTO combination VALUES (${graph}, ${id}, ${ownClasses}, ${ownSchemes}, 0, 0, 0)`)
    return id
  }

  /** An id between those of the concepts before and after in the order of records. If there is none, the concept comes last, out of its place. */
  async #freeId(
    { id: graph, step }: { id: number; step: number },
    key: { uri: string; key: string | undefined },
  ): Promise<{ id: number; isInPlace: boolean }> {
    const end = (graph + 1) * GRAPH_SIZE
    const next = async (from: number) => {
      const query = sql`SELECT id, uri, notation FROM concept WHERE id >= ${from} AND id < ${end} ORDER BY id LIMIT 1`
      const [row] = await this.#file.rows<[number, string, string | null]>(query, 'id, uri, notation')
      return row && { id: row[0], uri: row[1], key: row[2] ?? undefined }
    }
    let before = graph * GRAPH_SIZE
    // The concept comes after the one at `before`, and before all from `high` on.
    for (let low = before, high = end; low < high;) {
      const middle = Math.floor((low + high) / 2)
      const found = await next(middle)
      if (found && found.id < high && compareRecords(found, key) < 0) low = (before = found.id) + 1
      else high = middle
    }
    const after = await next(before + 1)
    if (!after) return { id: before + step, isInPlace: true }
    const between = Math.floor((before + after.id) / 2)
    if (between > before) return { id: between, isInPlace: true }
    const last = await this.#file.number(sql`SELECT max(id) FROM concept WHERE id < ${end}`)
    return { id: last + step, isInPlace: false }
  }

  async #removeConcepts(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const labels = await this.#file.rows<[graph: number, labels: number]>(
      sql`SELECT i.value >> ${GRAPH} AS a, count(*) AS b
      FROM json_each(${ids}) i JOIN label l ON ${labelsOf('i.value', [1, 2, 3])} GROUP BY 1`,
      'a, b',
    )
    for (const [graph, count] of labels) {
      await this.#file.run(sql`UPDATE graph SET labels = labels - ${count} WHERE id = ${graph}`)
    }
    const own = sql`SELECT value AS id FROM json_each(${ids})`
    for (const [graph, some] of groupedBy(ids, (id) => Math.floor(id / GRAPH_SIZE))) {
      await this.#file.run(sql`UPDATE graph SET concepts = concepts - ${some.length} WHERE id = ${graph}`)
      await this.#file.run(sql`DELETE FROM edge WHERE ${ofGraph('parent', graph)} AND child IN (${own})`)
    }
    await this.#file.run(
      sql`UPDATE combination AS d SET concepts = d.concepts - n.concepts, top = d.top - n.top, unreached = d.unreached - n.unreached
      FROM (SELECT c.id >> ${GRAPH} AS graph, c.combination AS id, count(*) AS concepts, sum(c.top) AS top, sum(c.unreached) AS unreached
        FROM concept c WHERE c.id IN (${own}) GROUP BY 1, 2) n WHERE d.graph = n.graph AND d.id = n.id`,
    )
    await this.#deleteRows(own)
    await this.#file.run(sql`DELETE FROM membership WHERE concept IN (${own})`)
    await this.#file.run(sql`DELETE FROM twin WHERE concept IN (${own})`)
  }

  /** @param concepts a query for their ids. */
  async #deleteRows(concepts: Sql): Promise<void> {
    const labels = sql`SELECT l.id FROM (${concepts}) i JOIN label l ON ${labelsOf('i.id')}`
    await this.#file.run(sql`DELETE FROM labels WHERE rowid IN (${labels} WHERE ${kindOf('l.id')} > 0)`)
    await this.#file.run(sql`DELETE FROM label WHERE id IN (${labels})`)
    await this.#file.run(sql`DELETE FROM concepts WHERE rowid IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM edge WHERE parent IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM concept WHERE id IN (${concepts})`)
  }

  /** @returns false if there is nothing left of the graph. */
  async #removeSome(graph: number): Promise<boolean> {
    const some = sql`SELECT id FROM concept WHERE ${ofGraph('id', graph)} ORDER BY id LIMIT ${REMOVED}`
    const ids = await this.#ids(some)
    if (ids.length > 0) {
      await this.#deleteRows(sql`SELECT value AS id FROM json_each(${ids})`)
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

/** The graphs that the index has, by URI. */
export async function readIndexedGraphs(file: IndexFile): Promise<Map<string, IndexedGraph>> {
  const rows = await file.rows<[string, string, string]>(
    sql`SELECT uri, revision, load FROM graph WHERE state = 1`,
    'uri, revision, load',
  )
  return new Map(rows.map(([uri, revision, load]) => [uri, { uri, revision, load }]))
}

const STAGE = {
  staged: 'uri TEXT, kind INTEGER, language TEXT, text TEXT, key TEXT',
  chosen:
    'place INTEGER PRIMARY KEY, uri TEXT, notation TEXT, classes TEXT, schemes TEXT, concept INTEGER, listed INTEGER, top INTEGER, unreached INTEGER DEFAULT 0',
  combined: 'id INTEGER PRIMARY KEY, classes TEXT, schemes TEXT, concepts INTEGER, top INTEGER, unreached INTEGER',
  linked: 'row INTEGER PRIMARY KEY, parent INTEGER, child INTEGER, above TEXT, below TEXT',
  arranged_mapping: 'row INTEGER PRIMARY KEY, uri TEXT, kind INTEGER, text TEXT',
  arranged: 'row INTEGER PRIMARY KEY, place INTEGER, kind INTEGER, language TEXT, text TEXT',
}

function groupedBy<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const known = groups.get(key)
    if (known) known.push(item)
    else groups.set(key, [item])
  }
  return groups
}

type Label = [kind: number, language: string, text: string]
type WordKey = [term: string, spelling: string]

/** Rows that are ready to be inserted. */
class Rows {
  readonly concepts: unknown[] = []
  readonly labels: unknown[] = []
  readonly texts: unknown[] = []
  readonly words: string[][] = []
  readonly characters: unknown[] = []

  get isLarge(): boolean {
    return this.texts.length >= CHUNK
  }

  async insert(file: IndexFile): Promise<void> {
    const insert = async (into: string, rows: unknown[], count: number) => {
      if (rows.length === 0) return
      // The ids of labels are too large for numbers in JavaScript.
      const values = count === 3 ? plain('CAST(value->>0 AS INTEGER), value->>1, value->>2') : columns(count)
      await file.run(sql`INSERT ${plain(into)} SELECT ${values} FROM json_each(${rows.splice(0)})`)
    }
    await insert('INTO label', this.texts, 3)
    await insert('INTO labels (rowid, words, marks)', this.labels, 3)
    await insert(`INTO concepts (rowid, ${COLUMNS.join(', ')}, marks)`, this.concepts, 6)
    await insert('OR IGNORE INTO character', this.characters, 1)
    if (this.words.length >= MANY_WORDS) await this.insertWords(file)
  }

  /** In their order, because that of a table is the quickest. */
  async insertWords(file: IndexFile): Promise<void> {
    const words = this.words.splice(0).sort(([a], [b]) => compareCodePoints(a!, b!))
    for (let at = 0; at < words.length; at += CHUNK) {
      const some = words.slice(at, at + CHUNK)
      await file.run(sql`INSERT OR IGNORE INTO word SELECT ${columns(5)} FROM json_each(${some})`)
    }
  }
}

/** The rows of one concept. */
class ConceptRows {
  readonly id: number
  readonly #mark: string
  readonly #columns = COLUMNS.map(() => new Set<string>())
  readonly #numbers = COLUMNS.map(() => 0)

  constructor(id: number, combination: number) {
    this.id = id
    this.#mark = combination === 0 ? '' : markTerm(combination)
  }

  add([kind, language, text]: Label, terms: readonly string[], rows: Rows): void {
    const column = this.#columns[kind]!
    column.add(keyTerm(keyOf(text)))
    for (const term of terms) column.add(term)
    const number = this.#numbers[kind]!++
    if (number >= MOST_LABELS) return
    const id = labelId(this.id, kind, number)
    rows.texts.push([id, language, text])
    if (kind === 0) return
    // Characters are looked for side by side, so they stay in their order.
    const words = terms.some(isCharacter) ? terms : new Set(terms)
    rows.labels.push([id, columnOf(words), this.#mark])
  }

  end(rows: Rows): void {
    rows.concepts.push([this.id, ...this.#columns.map(columnOf), this.#mark])
  }
}
