import { GRAPH, GRAPH_SIZE, kindOf, isLabelOf, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import {
  CLASS,
  DEFINITION,
  LABEL_KINDS,
  NARROWER,
  NOTATION,
  PREF_LABEL,
  SCHEME,
  TOP,
  type Statement,
} from '../../graph/index/statements.ts'
import { columns, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { compareCodePoints, compareRecords, notationKey, smallest, sortLabel } from '../../graph/jskos/order.ts'
import { groupedBy } from './grouping.ts'
import type { LabelRows, Note } from './label-rows.ts'

/** Inserts and removes single concepts. Call it in transactions. */
export class ConceptTable {
  readonly #file: IndexFile
  readonly #labels: LabelRows

  constructor(file: IndexFile, labels: LabelRows) {
    this.#file = file
    this.#labels = labels
  }

  idsOf(graph: number, uris: readonly string[]): Promise<number[]> {
    return this.#ids(
      sql`SELECT c.id FROM json_each(${uris}) u JOIN concept c ON c.uri = u.value WHERE c.id >> ${GRAPH} = ${graph}`,
    )
  }

  /**
   * Inserts a concept between the concepts of the graph. If no id is free at its place, the graph loses its revision,
   * so that the service reads it again.
   *
   * @returns true if it is at its place.
   */
  async insert(
    graph: { id: number; step: number; uri: string; ordering: string },
    statements: readonly Statement[],
  ): Promise<boolean> {
    const uri = statements[0]![0]
    const texts = (kind: number) => statements.flatMap((statement) => (statement[1] === kind ? [statement[3]] : []))
    const notation = smallest(texts(NOTATION))
    const combination = await this.#combination(graph.id, texts(CLASS), texts(SCHEME))
    const key = keyIn(graph.ordering, statements)
    const { id, isInPlace } = await this.#freeId(graph, { uri, key: key === undefined ? notation : (key ?? undefined) })
    if (!isInPlace) await this.#file.run(sql`UPDATE graph SET revision = '', load = '' WHERE id = ${graph.id}`)
    const top = Number(texts(TOP).includes(graph.uri))
    await this.#file.run(
      sql`INSERT INTO concept SELECT ${columns(7)} FROM json_each(${[[id, uri, notation ?? null, key ?? null, combination, top, 0]]})`,
    )
    await this.#file.run(
      sql`UPDATE combination SET concepts = concepts + 1, top = top + ${top} WHERE graph = ${graph.id} AND id = ${combination}`,
    )
    const concept = this.#labels.concept(id, combination)
    let labels = 0
    for (const [, kind, language, text] of statements) {
      if (kind >= CLASS) continue
      if (kind > 0) labels++
      this.#labels.add(concept, [kind, language, text])
    }
    this.#labels.end(concept)
    const notes = statements.flatMap(([, kind, , text]): Note[] => (kind >= DEFINITION ? [[kind, text]] : []))
    this.#labels.addNotes(id, combination, notes)
    await this.#labels.insert()
    await this.#file.run(
      sql`UPDATE graph SET concepts = concepts + 1, labels = labels + ${labels} WHERE id = ${graph.id}`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO membership SELECT m.graph, ${id} FROM graph s JOIN member m ON m.graph = s.id AND m.uri = ${uri}
      WHERE s.state = 1`,
    )
    return isInPlace
  }

  /** Inserts the links to narrower concepts among some statements of a graph. */
  async insertLinks(graph: number, statements: readonly Statement[]): Promise<void> {
    const links = statements.flatMap(([uri, kind, , text]) => (kind === NARROWER && uri !== text ? [[uri, text]] : []))
    if (links.length === 0) return
    const inGraph = (id: string) => ofGraph(id, graph)
    const ends = sql`FROM json_each(${links}) e
      LEFT JOIN concept p ON p.uri = e.value->>0 AND ${inGraph('p.id')} LEFT JOIN concept c ON c.uri = e.value->>1 AND ${inGraph('c.id')}`
    await this.#file.run(
      sql`INSERT OR IGNORE INTO edge SELECT p.id, c.id ${ends} WHERE p.id IS NOT NULL AND c.id IS NOT NULL`,
    )
    await this.#file.run(
      sql`INSERT OR IGNORE INTO outer_edge SELECT ${graph}, e.value->>0, e.value->>1 ${ends} WHERE p.id IS NULL OR c.id IS NULL`,
    )
  }

  /** The number of some classes and vocabularies. */
  async #combination(graph: number, classes: readonly string[], schemes: readonly string[]): Promise<number> {
    const [ownClasses, ownSchemes] = [classes, schemes].map((some) =>
      [...new Set(some)].sort(compareCodePoints).join(' '),
    )
    const [present] = await this.#ids(
      sql`SELECT id FROM combination WHERE graph = ${graph} AND classes = ${ownClasses} AND schemes = ${ownSchemes}`,
    )
    if (present !== undefined) return present
    const id = await this.#file.number(sql`SELECT coalesce(max(id), -1) + 1 FROM combination WHERE graph = ${graph}`)
    await this.#file.run(sql`INSERT INTO combination VALUES (${graph}, ${id}, ${ownClasses}, ${ownSchemes}, 0, 0, 0)`)
    return id
  }

  /**
   * An id between those of the neighbours in the order of records. If none is free, the concept comes last, out of
   * order.
   */
  async #freeId(
    { id: graph, step, ordering }: { id: number; step: number; ordering: string },
    key: { uri: string; key: string | undefined },
  ): Promise<{ id: number; isInPlace: boolean }> {
    const end = (graph + 1) * GRAPH_SIZE
    const next = async (from: number) => {
      const query = sql`SELECT id, uri, ${graphKey(ordering)} AS key FROM concept WHERE id >= ${from} AND id < ${end} ORDER BY id LIMIT 1`
      const [row] = await this.#file.rows<[number, string, string | null]>(query, 'id, uri, key')
      return row && { id: row[0], uri: row[1], key: row[2] ?? undefined }
    }
    let before = graph * GRAPH_SIZE
    // The concept comes after the one at `before`, and before all from `high` on.
    for (let low = before, high = end; low < high;) {
      const middle = Math.floor((low + high) / 2)
      const candidate = await next(middle)
      if (candidate && candidate.id < high && compareRecords(candidate, key) < 0) low = (before = candidate.id) + 1
      else high = middle
    }
    const after = await next(before + 1)
    if (!after) return { id: before + step, isInPlace: true }
    const between = Math.floor((before + after.id) / 2)
    if (between > before) return { id: between, isInPlace: true }
    const last = await this.#file.number(sql`SELECT max(id) FROM concept WHERE id < ${end}`)
    return { id: last + step, isInPlace: false }
  }

  async remove(ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const labels = await this.#file.rows<[graph: number, labels: number]>(
      sql`SELECT i.value >> ${GRAPH} AS a, count(*) AS b
      FROM json_each(${ids}) i JOIN label l ON ${isLabelOf('i.value', LABEL_KINDS)} GROUP BY 1`,
      'a, b',
    )
    for (const [graph, count] of labels) {
      await this.#file.run(sql`UPDATE graph SET labels = labels - ${count} WHERE id = ${graph}`)
    }
    const removed = sql`SELECT value AS id FROM json_each(${ids})`
    for (const [graph, some] of groupedBy(ids, (id) => Math.floor(id / GRAPH_SIZE))) {
      await this.#file.run(sql`UPDATE graph SET concepts = concepts - ${some.length} WHERE id = ${graph}`)
      await this.#file.run(sql`DELETE FROM edge WHERE ${ofGraph('parent', graph)} AND child IN (${removed})`)
    }
    await this.#file.run(
      sql`UPDATE combination AS d SET concepts = d.concepts - n.concepts, top = d.top - n.top, unreached = d.unreached - n.unreached
      FROM (SELECT c.id >> ${GRAPH} AS graph, c.combination AS id, count(*) AS concepts, sum(c.top) AS top, sum(c.unreached) AS unreached
        FROM concept c WHERE c.id IN (${removed}) GROUP BY 1, 2) n WHERE d.graph = n.graph AND d.id = n.id`,
    )
    await this.deleteRows(removed)
    await this.#file.run(sql`DELETE FROM membership WHERE concept IN (${removed})`)
    await this.#file.run(sql`DELETE FROM twin WHERE concept IN (${removed})`)
  }

  /** @param concepts a query for their ids. */
  async deleteRows(concepts: Sql): Promise<void> {
    const labels = sql`SELECT l.id FROM (${concepts}) i JOIN label l ON ${isLabelOf('i.id')}`
    await this.#file.run(sql`DELETE FROM labels WHERE rowid IN (${labels} WHERE ${kindOf('l.id')} > 0)`)
    await this.#file.run(sql`DELETE FROM label WHERE id IN (${labels})`)
    await this.#file.run(sql`DELETE FROM concepts WHERE rowid IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM notes WHERE rowid IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM edge WHERE parent IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM concept WHERE id IN (${concepts})`)
  }

  #ids(query: Sql): Promise<number[]> {
    return this.#file.values(query, 'id')
  }
}

/** The column that orders the concepts of a graph. */
function graphKey(ordering: string): Sql {
  return plain(ordering === 'code-point' ? 'notation' : 'key')
}

/**
 * The key of a concept in a graph, from the statements about it.
 *
 * @returns null if it has none; undefined in a graph that goes by notation alone.
 */
function keyIn(ordering: string, statements: readonly Statement[]): string | null | undefined {
  const [order, language = ''] = ordering.split(' ')
  if (order === 'code-point') return undefined
  if (order === 'natural') {
    const notations = statements.flatMap(([, kind, , text]) => (kind === NOTATION ? notationKey(text, order) : []))
    return smallest(notations) ?? null
  }
  const labels = statements.flatMap(([, kind, tag, text]) =>
    kind === PREF_LABEL ? [[tag || 'und', text] as const] : [],
  )
  return sortLabel(Object.fromEntries(labels), language) ?? null
}
