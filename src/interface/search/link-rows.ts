import type { NarrowerLink } from '../../graph/index/difference.ts'
import { ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { columns, plain, sql, type Sql } from '../../graph/index/sql.ts'

/** The ends of links that are rows of a graph. */
interface LinkedGraph {
  id: number
  /** Its combinations of classes and vocabularies: of all concepts, and of the concepts in its vocabulary's lists. */
  ofConcepts: readonly number[]
  listed: readonly number[]
}

/** Changes the links to narrower concepts in a graph, and what follows from them. Call it in transactions. */
export class LinkRows {
  readonly #file: IndexFile
  readonly #graph: LinkedGraph
  /** Concepts whose path from the top may have changed; so may those of all concepts below them. */
  readonly #touched = new Set<number>()

  constructor(file: IndexFile, graph: LinkedGraph) {
    this.#file = file
    this.#graph = graph
  }

  /** Call this for a concept that is new, or that enters or leaves the lists of its vocabulary. */
  touch(id: number): void {
    this.#touched.add(id)
  }

  /** Concepts that are about to leave the graph: links to them, and theirs, have URIs from now on. */
  async detach(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const left = sql`(SELECT value FROM json_each(${ids}))`
    const links = sql`SELECT parent, child FROM edge WHERE parent IN ${left} UNION SELECT parent, child FROM edge WHERE child IN ${left}`
    const children = sql`SELECT DISTINCT child FROM edge WHERE parent IN ${left}`
    for (const child of await this.#file.values<number>(children, 'child')) this.#touched.add(child)
    await this.#file.run(
      sql`INSERT OR IGNORE INTO outer_edge (graph, parent, child) SELECT CAST(${this.#graph.id} AS INTEGER), p.uri, c.uri
      FROM (${links}) e CROSS JOIN concept p ON p.id = e.parent CROSS JOIN concept c ON c.id = e.child`,
    )
    await this.#file.run(sql`DELETE FROM edge WHERE (parent, child) IN (${links})`)
  }

  /** Concepts that have come into the graph: their links that had URIs. */
  async attach(uris: readonly string[]): Promise<void> {
    if (uris.length === 0 || (await this.#file.number(plain('SELECT EXISTS (SELECT 1 FROM outer_edge)'))) === 0) return
    const come = sql`(SELECT value FROM json_each(${uris}))`
    const links = sql`SELECT parent, child FROM outer_edge
      WHERE graph = ${this.#graph.id} AND (parent IN ${come} OR child IN ${come})`
    await this.#insert(await this.#file.rows<NarrowerLink>(links, 'parent, child'))
  }

  /** Gives links the new ids of concepts. */
  async move(ids: readonly (readonly [before: number, after: number])[]): Promise<void> {
    if (ids.length === 0) return
    for (const end of ['parent', 'child'].map(plain)) {
      await this.#file.run(
        sql`UPDATE edge SET ${end} = m.value->>1 FROM json_each(${ids}) m WHERE edge.${end} = m.value->>0`,
      )
    }
  }

  async add(links: readonly NarrowerLink[]): Promise<void> {
    const proper = links.filter(([parent, child]) => parent !== child)
    if (proper.length === 0) return
    await this.#file.run(
      sql`INSERT OR IGNORE INTO outer_edge (graph, parent, child)
      SELECT CAST(${this.#graph.id} AS INTEGER), value->>0, value->>1 FROM json_each(${proper})`,
    )
    await this.#insert(proper)
  }

  async remove(links: readonly NarrowerLink[]): Promise<void> {
    if (links.length === 0) return
    const ids = await this.#ends(links)
    for (const [, child] of ids) this.#touched.add(child)
    await this.#file.run(sql`DELETE FROM edge WHERE (parent, child) IN (SELECT ${columns(2)} FROM json_each(${ids}))`)
    await this.#file.run(
      sql`DELETE FROM outer_edge WHERE (parent, child, graph) IN
      (SELECT ${columns(2)}, CAST(${this.#graph.id} AS INTEGER) FROM json_each(${links}))`,
    )
  }

  /** Makes links with URIs links with ids, where both ends are concepts of the graph. */
  async #insert(links: readonly NarrowerLink[]): Promise<void> {
    const ids = await this.#ends(links)
    for (const [, child] of ids) this.#touched.add(child)
    await this.#file.run(sql`INSERT OR IGNORE INTO edge SELECT ${columns(2)} FROM json_each(${ids})`)
    await this.#file.run(
      sql`DELETE FROM outer_edge WHERE (parent, child, graph) IN
      (SELECT p.uri, c.uri, CAST(${this.#graph.id} AS INTEGER) FROM json_each(${ids}) e
        CROSS JOIN concept p ON p.id = e.value->>0 CROSS JOIN concept c ON c.id = e.value->>1)`,
    )
  }

  /** The ids of the ends of links between concepts of the graph. */
  #ends(links: readonly NarrowerLink[]): Promise<[parent: number, child: number][]> {
    const concept = (alias: string, uri: Sql) => {
      const [id, combination] = [`${alias}.id`, plain(`${alias}.combination`)]
      return sql`CROSS JOIN concept ${plain(alias)} ON ${plain(`${alias}.uri`)} = ${uri} AND ${ofGraph(id, this.#graph.id)}
        AND ${combination} IN (SELECT value FROM json_each(${this.#graph.ofConcepts}))`
    }
    return this.#file.rows<[number, number]>(
      sql`SELECT p.id AS a, c.id AS b FROM json_each(${links}) e
      ${concept('p', plain('e.value->>0'))} ${concept('c', plain('e.value->>1'))}`,
      'a, b',
    )
  }

  /**
   * Finds anew which concepts no top concept reaches: those in a cycle, and those below one. A concept can only be
   * concerned if it is below a changed one.
   */
  async findUnreached(): Promise<void> {
    if (this.#touched.size === 0) return
    await this.#file.run(plain('CREATE TEMP TABLE IF NOT EXISTS concerned (id INTEGER PRIMARY KEY)'))
    await this.#file.run(plain('DELETE FROM temp.concerned'))
    await this.#file.run(
      sql`INSERT INTO concerned WITH RECURSIVE below (id) AS (
        SELECT value FROM json_each(${[...this.#touched]})
        UNION SELECT e.child FROM below b CROSS JOIN edge e ON e.parent = b.id
      ) SELECT id FROM below`,
    )
    const isListed = (alias: string) =>
      sql`${plain(alias)}.combination IN (SELECT value FROM json_each(${this.#graph.listed}))`
    const parents = sql`SELECT 1 FROM edge e CROSS JOIN concept p ON p.id = e.parent AND ${isListed('p')} WHERE e.child = c.id`
    const changed = await this.#file.rows<[id: number, combination: number, unreached: number]>(
      sql`WITH RECURSIVE reached (id) AS (
        SELECT c.id FROM concerned a CROSS JOIN concept c ON c.id = a.id AND ${isListed('c')}
        WHERE c.top OR NOT EXISTS (${parents})
          OR EXISTS (${parents} AND NOT p.unreached AND NOT EXISTS (SELECT 1 FROM concerned o WHERE o.id = p.id))
        UNION SELECT c.id FROM reached r CROSS JOIN edge e ON e.parent = r.id CROSS JOIN concept c ON c.id = e.child AND ${isListed('c')}
      ), found AS (
        SELECT c.id, c.combination, c.unreached, ${isListed('c')} AND NOT EXISTS (SELECT 1 FROM reached r WHERE r.id = c.id) AS now
        FROM concerned a CROSS JOIN concept c ON c.id = a.id
      ) SELECT id AS a, combination AS b, now AS c FROM found WHERE now <> unreached`,
      'a, b, c',
    )
    if (changed.length === 0) return
    await this.#file.run(
      sql`UPDATE concept SET unreached = u.value->>2 FROM json_each(${changed}) u WHERE concept.id = u.value->>0`,
    )
    await this.#file.run(
      sql`UPDATE combination SET unreached = unreached + n.number FROM
      (SELECT value->>1 AS id, sum(iif(value->>2, 1, -1)) AS number FROM json_each(${changed}) GROUP BY 1) n
      WHERE combination.graph = ${this.#graph.id} AND combination.id = n.id`,
    )
  }
}
