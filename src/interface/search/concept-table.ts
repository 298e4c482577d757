import { COLLECTIONS, CONCEPT } from '../../base/namespaces.ts'
import type { IndexDifference } from '../../graph/index/difference.ts'
import { freeIds } from '../../graph/index/free-ids.ts'
import { GRAPH_SIZE, isLabelOf, kindOf, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import {
  CLASS_KIND,
  DEFINITION_KIND,
  LABEL_KINDS,
  NOTATION_KIND,
  PREF_LABEL_KIND,
  SCHEME_KIND,
  TOP_KIND,
  type Statement,
} from '../../graph/index/statements.ts'
import { columns, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { compareCodePoints, compareRecords, notationKey, smallest, sortLabel } from '../../graph/jskos/order.ts'
import { wordsOfLabel, type LabelRows, type NewLabel, type Note } from './label-rows.ts'
import { LinkRows } from './link-rows.ts'
import { isOfConcepts } from './places.ts'
import { removeUnused, wordKey } from './unused-words.ts'

/** A graph whose concepts change. */
interface ChangedGraph {
  id: number
  uri: string
  /** The space between two ids. */
  step: number
  ordering: string
}

/** A concept or collection as the table has it, or will have it. */
interface Row {
  uri: string
  notation: string | undefined
  /** Undefined in a graph that is ordered by notation alone, and for a concept without the key of the order. */
  key: string | undefined
  combination: number
  isConcept: boolean
  isTop: boolean
}

type PresentRow = Row & { id: number; isUnreached: boolean }
type NewRow = Row & { statements: readonly Statement[] }

/** Changes single concepts and collections. Call it in transactions. */
export class ConceptTable {
  readonly #file: IndexFile
  readonly #labels: LabelRows

  constructor(file: IndexFile, labels: LabelRows) {
    this.#file = file
    this.#labels = labels
  }

  /**
   * Makes the changes of a graph, so that its concepts, labels, notes and links are what a new version of it would
   * have. If no id is free at the place of a concept, it comes last.
   *
   * @returns the URIs of the changed resources that are concepts, and whether all are at their places.
   */
  async change(
    graph: ChangedGraph,
    { resources, linked, unlinked }: IndexDifference,
  ): Promise<{ concepts: ReadonlySet<string>; isInOrder: boolean }> {
    const combinations = await Combinations.read(this.#file, graph.id)
    const uris = [...resources.keys()]
    const before = await this.#present(graph, uris, combinations)
    const after = [...resources].flatMap(
      ([uri, statements]) => this.#newRow(graph, uri, statements, combinations) ?? [],
    )
    await combinations.insertNew()
    const { ids, isInOrder } = await this.#idsOf(graph, after, before)
    const { ofConcepts, listed } = combinations.ofLists(graph.uri)
    const links = new LinkRows(this.#file, { id: graph.id, ofConcepts, listed })
    const isConceptNow = new Set(after.flatMap(({ uri, isConcept }) => (isConcept ? uri : [])))
    const left = [...before.values()].filter(({ uri, isConcept }) => isConcept && !isConceptNow.has(uri))
    await links.detach(left.map(({ id }) => id))
    const words = await this.#remove(graph, [...before.values()])
    const come: string[] = []
    const moved: [before: number, after: number][] = []
    for (const [at, row] of after.entries()) {
      const id = ids[at]!
      const was = before.get(row.uri)
      if (was && was.id !== id) moved.push([was.id, id])
      const isListed = (some: Row | undefined) => some !== undefined && listed.includes(some.combination)
      if (!was?.isConcept && row.isConcept) come.push(row.uri)
      if (isListed(was) !== isListed(row) || was?.isTop !== row.isTop) links.touch(id)
    }
    await links.move(moved)
    await this.#insert(graph, after, ids, before)
    await links.attach(come)
    await links.remove(unlinked)
    await links.add(linked)
    await links.findUnreached()
    await this.#file.run(sql`DELETE FROM combination WHERE graph = ${graph.id} AND concepts = 0`)
    const kept = new Set(after.flatMap(({ statements }) => wordsOf(statements.map(([, kind, , text]) => [kind, text]))))
    await removeUnused(
      this.#file,
      words.filter((word) => !kept.has(word)).map((word) => wordKey(word)),
    )
    return { concepts: isConceptNow, isInOrder }
  }

  async #present(
    graph: ChangedGraph,
    uris: readonly string[],
    combinations: Combinations,
  ): Promise<Map<string, PresentRow>> {
    const rows = await this.#file.rows<
      [string, number, string | null, string | null, combination: number, top: number, unreached: number]
    >(
      sql`SELECT c.* FROM json_each(${uris}) u CROSS JOIN concept c ON c.uri = u.value AND ${ofGraph('c.id', graph.id)}`,
      'uri, id, notation, key, combination, top, unreached',
    )
    return new Map(
      rows.map(([uri, id, notation, key, combination, top, unreached]) => {
        const isConcept = combinations.isOfConcepts(combination)
        const [isTop, isUnreached] = [top === 1, unreached === 1]
        const common = { uri, notation: notation ?? undefined, key: key ?? undefined, combination, isConcept }
        return [uri, { ...common, id, isTop, isUnreached }]
      }),
    )
  }

  /** @returns undefined if the resource is neither a concept nor a collection. */
  #newRow(
    { uri: graph, ordering }: ChangedGraph,
    uri: string,
    statements: readonly Statement[],
    combinations: Combinations,
  ): NewRow | undefined {
    const texts = (kind: number) => statements.flatMap((statement) => (statement[1] === kind ? [statement[3]] : []))
    const classes = texts(CLASS_KIND)
    const isConcept = classes.includes(CONCEPT)
    if (!isConcept && (uri === graph || !COLLECTIONS.some((name) => classes.includes(name)))) return undefined
    const schemes = inOrder(texts(SCHEME_KIND))
    // A collection is of the vocabulary whose graph describes it.
    if (!isConcept && !schemes.includes(graph)) schemes.push(graph)
    return {
      uri,
      notation: smallest(texts(NOTATION_KIND)),
      key: keyIn(ordering, statements),
      combination: combinations.idOf(inOrder(classes).join(' '), schemes.join(' ')),
      isConcept,
      isTop: texts(TOP_KIND).includes(graph),
      statements,
    }
  }

  /** The ids of rows. A row that keeps its place in the order keeps its id. */
  async #idsOf(
    graph: ChangedGraph,
    rows: readonly NewRow[],
    before: ReadonlyMap<string, PresentRow>,
  ): Promise<{ ids: number[]; isInOrder: boolean }> {
    const isByNotation = graph.ordering === 'code-point'
    const keyOf = ({ uri, notation, key }: Row) => ({ uri, key: isByNotation ? notation : key })
    const column = plain(isByNotation ? 'notation' : 'key')
    const ids = rows.map((row) => {
      const was = before.get(row.uri)
      return was && keyOf(was).key === keyOf(row).key ? was.id : undefined
    })
    const unplaced = [...rows.keys()].filter((at) => ids[at] === undefined)
    unplaced.sort((a, b) => compareRecords(keyOf(rows[a]!), keyOf(rows[b]!)))
    const next = async (from: number) => {
      const query = sql`SELECT id, uri, ${column} AS key FROM concept
        WHERE id >= ${from} AND id < ${(graph.id + 1) * GRAPH_SIZE} ORDER BY id LIMIT 1`
      const [row] = await this.#file.rows<[number, string, string | null]>(query, 'id, uri, key')
      return row && { id: row[0], key: { uri: row[1], key: row[2] ?? undefined } }
    }
    const keys = unplaced.map((at) => keyOf(rows[at]!))
    const free = await freeIds({ graph: graph.id, step: graph.step, compare: compareRecords, next }, keys)
    for (const [at, row] of unplaced.entries()) ids[row] = free.ids[at]!
    return { ids: ids as number[], isInOrder: free.isInOrder }
  }

  /** Removes rows, but not their links. @returns the words of their labels. */
  async #remove({ id: graph }: ChangedGraph, rows: readonly PresentRow[]): Promise<string[]> {
    if (rows.length === 0) return []
    const removed = sql`SELECT value AS id FROM json_each(${rows.map(({ id }) => id)})`
    const labels = await this.#file.rows<[kind: number, text: string]>(
      sql`SELECT ${kindOf('l.id')} AS a, l.text AS b FROM (${removed}) i JOIN label l ON ${isLabelOf('i.id', LABEL_KINDS)}`,
      'a, b',
    )
    await this.#count(graph, rows, -1)
    await this.deleteRows(removed)
    await this.#file.run(sql`DELETE FROM membership WHERE concept IN (${removed})`)
    await this.#file.run(sql`DELETE FROM twin WHERE concept IN (${removed})`)
    return wordsOf(labels)
  }

  async #insert(
    { id: graph }: ChangedGraph,
    rows: readonly NewRow[],
    ids: readonly number[],
    before: ReadonlyMap<string, PresentRow>,
  ): Promise<void> {
    if (rows.length === 0) return
    const inserted = rows.map((row) => ({ ...row, isUnreached: before.get(row.uri)?.isUnreached ?? false }))
    const values = inserted.map(({ uri, notation, key, combination, isTop, isUnreached }, at) => {
      return [ids[at], uri, notation ?? null, key ?? null, combination, Number(isTop), Number(isUnreached)]
    })
    await this.#file.run(sql`INSERT INTO concept SELECT ${columns(7)} FROM json_each(${values})`)
    for (const [at, { combination, statements }] of rows.entries()) {
      const labels = labelsOf(statements)
      const concept = this.#labels.concept(ids[at]!, combination)
      for (const label of labels) this.#labels.add(concept, label)
      if (labels.length > 0) this.#labels.end(concept)
      this.#labels.addNotes(ids[at]!, combination, notesOf(statements))
      await this.#labels.insertMany()
    }
    await this.#labels.insert()
    await this.#count(graph, inserted, 1)
    const named = rows.map(({ uri }, at) => [uri, ids[at]])
    await this.#file.run(
      sql`INSERT OR IGNORE INTO membership SELECT m.graph, i.value->>1 FROM json_each(${named}) i
      CROSS JOIN graph s ON s.state = 1 CROSS JOIN member m ON m.graph = s.id AND m.uri = i.value->>0`,
    )
  }

  /** Adds new rows to the numbers of concepts, or takes removed rows from them. */
  async #count(graph: number, rows: readonly (Row & { isUnreached: boolean })[], by: 1 | -1): Promise<void> {
    const counts = rows.map(({ combination, isTop, isUnreached }) => [combination, Number(isTop), Number(isUnreached)])
    await this.#file.run(
      sql`UPDATE combination AS d SET concepts = d.concepts + ${by} * n.concepts, top = d.top + ${by} * n.top, unreached = d.unreached + ${by} * n.unreached
      FROM (SELECT value->>0 AS id, count(*) AS concepts, sum(value->>1) AS top, sum(value->>2) AS unreached
        FROM json_each(${counts}) GROUP BY 1) n WHERE d.graph = ${graph} AND d.id = n.id`,
    )
    const concepts = rows.filter(({ isConcept }) => isConcept)
    const uris = concepts.map(({ uri }) => uri)
    await this.#file.run(
      sql`UPDATE graph SET concepts = concepts + ${by * concepts.length}, labels = labels + ${by} *
      (SELECT count(*) FROM json_each(${uris}) u CROSS JOIN concept c ON c.uri = u.value AND ${ofGraph('c.id', graph)}
        CROSS JOIN label l ON ${isLabelOf('c.id', LABEL_KINDS)}) WHERE id = ${graph}`,
    )
  }

  /** Removes concepts with all that they have. @param concepts a query for their ids. */
  async deleteRows(concepts: Sql): Promise<void> {
    const labels = sql`SELECT l.id FROM (${concepts}) i JOIN label l ON ${isLabelOf('i.id')}`
    await this.#file.run(sql`DELETE FROM labels WHERE rowid IN (${labels} WHERE ${kindOf('l.id')} > 0)`)
    await this.#file.run(sql`DELETE FROM label WHERE id IN (${labels})`)
    await this.#file.run(sql`DELETE FROM concepts WHERE rowid IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM notes WHERE rowid IN (${concepts})`)
    await this.#file.run(sql`DELETE FROM concept WHERE id IN (${concepts})`)
  }
}

/** The combinations of classes and vocabularies that the concepts of a graph have. */
class Combinations {
  readonly #file: IndexFile
  readonly #graph: number
  readonly #ids = new Map<string, number>()
  readonly #byId = new Map<number, { classes: string; schemes: string }>()
  readonly #new: [graph: number, id: number, classes: string, schemes: string, 0, 0, 0][] = []

  private constructor(file: IndexFile, graph: number) {
    this.#file = file
    this.#graph = graph
  }

  static async read(file: IndexFile, graph: number): Promise<Combinations> {
    const combinations = new Combinations(file, graph)
    const rows = await file.rows<[id: number, classes: string, schemes: string]>(
      sql`SELECT id, classes, schemes FROM combination WHERE graph = ${graph}`,
      'id, classes, schemes',
    )
    for (const row of rows) combinations.#add(...row)
    return combinations
  }

  /** The number of a combination. Call `insertNew` after the last one. */
  idOf(classes: string, schemes: string): number {
    const present = this.#ids.get(keyOfCombination(classes, schemes))
    if (present !== undefined) return present
    const id = [...this.#byId.keys()].reduce((most, other) => Math.max(most, other + 1), 0)
    this.#add(id, classes, schemes)
    this.#new.push([this.#graph, id, classes, schemes, 0, 0, 0])
    return id
  }

  async insertNew(): Promise<void> {
    if (this.#new.length === 0) return
    await this.#file.run(sql`INSERT INTO combination SELECT ${columns(7)} FROM json_each(${this.#new})`)
  }

  isOfConcepts(id: number): boolean {
    return isOfConcepts(this.#byId.get(id)!.classes.split(' '))
  }

  /** Those of concepts, and those of concepts in the lists of a vocabulary. */
  ofLists(vocabulary: string): { ofConcepts: number[]; listed: number[] } {
    const ofConcepts = [...this.#byId.keys()].filter((id) => this.isOfConcepts(id))
    const listed = ofConcepts.filter((id) => this.#byId.get(id)!.schemes.split(' ').includes(vocabulary))
    return { ofConcepts, listed }
  }

  #add(id: number, classes: string, schemes: string): void {
    this.#ids.set(keyOfCombination(classes, schemes), id)
    this.#byId.set(id, { classes, schemes })
  }
}

function keyOfCombination(classes: string, schemes: string): string {
  return JSON.stringify([classes, schemes])
}

/** Different texts in code point order. */
function inOrder(texts: readonly string[]): string[] {
  return [...new Set(texts)].sort(compareCodePoints)
}

/** The labels and notations among some statements, in the order of the table. */
function labelsOf(statements: readonly Statement[]): NewLabel[] {
  const labels = statements.flatMap(([, kind, ...text]): NewLabel[] => (kind < CLASS_KIND ? [[kind, ...text]] : []))
  labels.sort((a, b) => a[0] - b[0] || compareCodePoints(a[1], b[1]) || compareCodePoints(a[2], b[2]))
  return labels.filter((label, at) => label.some((value, column) => value !== labels[at - 1]?.[column]))
}

/** The notes among some statements, in the order of the table. */
function notesOf(statements: readonly Statement[]): Note[] {
  const notes = statements.flatMap(([, kind, , text]): Note[] => (kind >= DEFINITION_KIND ? [[kind, text]] : []))
  notes.sort((a, b) => a[0] - b[0] || compareCodePoints(a[1], b[1]))
  return notes.filter((note, at) => note.some((value, column) => value !== notes[at - 1]?.[column]))
}

/** The words of labels, without notations, in lower case. */
function wordsOf(texts: readonly (readonly [kind: number, text: string])[]): string[] {
  const labels = texts.filter(([kind]) => LABEL_KINDS.includes(kind))
  return [...new Set(labels.flatMap(([, text]) => wordsOfLabel(text)))]
}

/**
 * The key of a concept in a graph, from the statements about it.
 *
 * @returns undefined if it has none, as in a graph that is ordered by notation alone.
 */
function keyIn(ordering: string, statements: readonly Statement[]): string | undefined {
  const [order, language = ''] = ordering.split(' ')
  if (order === 'natural') {
    return smallest(statements.flatMap(([, kind, , text]) => (kind === NOTATION_KIND ? notationKey(text, order) : [])))
  }
  if (order !== 'label') return undefined
  // If a language has several labels, the smallest counts.
  const labels = labelsOf(statements).filter(([kind]) => kind === PREF_LABEL_KIND)
  return sortLabel(Object.fromEntries(labels.toReversed().map(([, tag, text]) => [tag || 'und', text])), language)
}
