import { GRAPH, GRAPH_SIZE, MOST_GRAPHS } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { MEMBER_KIND } from '../../graph/index/statements.ts'
import { plain, sql } from '../../graph/index/sql.ts'
import type { MappingRows, MappingStatement } from '../../graph/index/mappings/mapping-rows.ts'
import type { ConceptRows, NewLabel, LabelRows, Note } from './label-rows.ts'
import { CHUNK } from './stage.ts'
import { groupedBy } from '../../base/groups.ts'

/** The space between the ids of two concepts, or two mappings, for later ones between them. */
const MOST_STEP = 4096
/** Concepts to insert in one transaction. */
const INSERTED = 5000

/**
 * Inserts an arranged graph as a pending one, in parts. Call it in transactions. Functions that insert some rows return
 * the next row.
 */
export class PendingInserts {
  readonly #file: IndexFile
  readonly #labels: LabelRows
  readonly #mappings: MappingRows
  readonly #writeMs: number

  /** @param writeMs about how long `insertLabels` takes at most, in milliseconds. */
  constructor(file: IndexFile, rows: { labels: LabelRows; mappings: MappingRows }, writeMs: number) {
    this.#file = file
    this.#labels = rows.labels
    this.#mappings = rows.mappings
    this.#writeMs = writeMs
  }

  /**
   * Adds a graph.
   *
   * @param rows the number of its concepts and collections, or of its mappings, whichever is larger.
   * @returns its id, the smallest that is free.
   */
  async newGraph(uri: string, rows: number, ordering: string): Promise<number> {
    const used = new Set(await this.#file.values<number>(sql`SELECT id FROM graph`, 'id'))
    let id = 1
    while (used.has(id)) id++
    if (id >= MOST_GRAPHS) throw new Error(`the search index has no room for more than ${MOST_GRAPHS} vocabularies`)
    const concepts = await this.#file.number(sql`SELECT count(*) FROM chosen WHERE concept`)
    const labels = await this.#file.number(
      sql`SELECT count(*) FROM arranged a JOIN chosen c ON c.place = a.place WHERE a.kind > 0 AND c.concept`,
    )
    const step = Math.max(1, Math.min(MOST_STEP, Math.floor(GRAPH_SIZE / 2 / (rows + 1))))
    await this.#file.run(
      sql`INSERT INTO graph (id, uri, state, touched, concepts, labels, step, ordering)
      VALUES (${id}, ${uri}, 0, ${Date.now()}, ${concepts}, ${labels}, ${step}, ${ordering})`,
    )
    await this.#file.run(
      sql`INSERT INTO combination SELECT ${id}, id - 1, classes, schemes, concepts, top, unreached FROM combined`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO member SELECT ${id}, text FROM staged WHERE kind = ${MEMBER_KIND} AND uri = ${uri}`,
    )
    return id
  }

  /** Inserts some concepts of the chosen ones. */
  async insertConcepts(graph: number, from: number): Promise<number> {
    await this.#file.run(
      sql`INSERT INTO concept (id, uri, notation, key, combination, top, unreached)
      SELECT (g.id << ${GRAPH}) + c.place * g.step, c.uri, c.notation, c.key,
        (SELECT d.id - 1 FROM combined d WHERE d.classes = c.classes AND d.schemes = c.schemes), c.top, c.unreached
      FROM graph g JOIN chosen c WHERE g.id = ${graph} AND c.place BETWEEN ${from} AND ${from + INSERTED - 1} ORDER BY c.place`,
    )
    await this.#touch(graph)
    return from + INSERTED
  }

  /** Inserts the labels of some concepts. @returns the row of the next label; Infinity after the last. */
  async insertLabels(graph: number, from: number): Promise<number> {
    const latest = performance.now() + this.#writeMs
    const end = async () => {
      await this.#labels.insert()
      await this.#touch(graph)
    }
    let concept: ConceptRows | undefined
    for (let at = from; ; at += CHUNK) {
      const labels = await this.#file.rows<[row: number, id: number, combination: number, ...NewLabel]>(
        sql`SELECT a.row AS a, c.id AS b, c.combination AS c, a.kind AS d, a.language AS e, a.text AS f
        FROM arranged a JOIN graph g ON g.id = ${graph} JOIN concept c ON c.id = (g.id << ${GRAPH}) + a.place * g.step
        WHERE a.row BETWEEN ${at} AND ${at + CHUNK - 1} ORDER BY a.row`,
        'a, b, c, d, e, f',
      )
      for (const [row, id, combination, ...label] of labels) {
        if (concept?.id !== id) {
          if (concept) this.#labels.end(concept)
          // All rows of a concept are written together.
          if (performance.now() > latest) {
            await end()
            return row
          }
          concept = this.#labels.concept(id, combination)
        }
        this.#labels.add(concept, label)
      }
      if (labels.length < CHUNK) {
        if (concept) this.#labels.end(concept)
        await end()
        return Infinity
      }
      await this.#labels.insertMany()
    }
  }

  /** Inserts the words of the notes of some concepts. */
  async insertNotes(graph: number, from: number): Promise<number> {
    const notes = await this.#file.rows<[id: number, combination: number, kind: number, text: string]>(
      sql`SELECT c.id AS a, c.combination AS b, n.kind AS c, n.text AS d
      FROM arranged_note n JOIN graph g ON g.id = ${graph} JOIN concept c ON c.id = (g.id << ${GRAPH}) + n.place * g.step
      WHERE n.place BETWEEN ${from} AND ${from + CHUNK - 1} ORDER BY n.place, n.kind, n.text`,
      'a, b, c, d',
    )
    for (const [id, some] of groupedBy(notes, ([concept]) => concept)) {
      this.#labels.addNotes(
        id,
        some[0]![1],
        some.map(([, , kind, text]): Note => [kind, text]),
      )
    }
    await this.#labels.insert()
    await this.#touch(graph)
    return from + CHUNK
  }

  /** Inserts some links between concepts of the arranged ones. */
  async insertLinks(graph: number, from: number): Promise<number> {
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
    await this.#touch(graph)
    return from + CHUNK
  }

  /** Inserts some mappings of the arranged ones. */
  async insertMappings({ id, uri }: { id: number; uri: string }, from: number): Promise<number> {
    const some = await this.#file.rows<MappingStatement>(
      sql`SELECT uri, kind, text FROM arranged_mapping WHERE row BETWEEN ${from} AND ${from + CHUNK - 1} ORDER BY row`,
      'uri, kind, text',
    )
    const step = await this.#file.number(sql`SELECT step FROM graph WHERE id = ${id}`)
    const ids = some.map((_, at) => id * GRAPH_SIZE + (from + at) * step)
    await this.#mappings.insert({ id, uri }, ids, some)
    await this.#touch(id)
    return from + CHUNK
  }

  /** Records that a pending graph is still being written. */
  #touch(graph: number): Promise<void> {
    return this.#file.run(sql`UPDATE graph SET touched = ${Date.now()} WHERE id = ${graph}`)
  }
}
