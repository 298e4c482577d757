import { COLLECTION, COLLECTIONS, CONCEPT } from '../../base/namespaces.ts'
import type { ListLengths } from '../read/indexed-lists.ts'
import type { SortKey } from '../../graph/jskos/order.ts'
import { GRAPH, GRAPH_OF_LABEL, KIND, kindOf, labelOfGraph, ofGraph } from '../../graph/index/ids.ts'
import { markTerm, type IndexFile } from '../../graph/index/index-file.ts'
import { allOf, joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'

/** The vocabularies and subsets to search, by URI. */
export interface IndexScope {
  all: boolean
  schemes: readonly string[]
  subsets: readonly string[]
  /** Vocabularies with different orders, one after the other; absent: all are in one order. */
  order?: readonly string[] | undefined
}

/** A graph that counts, with the combinations of classes and vocabularies that its concepts and collections have. */
export interface CountedGraph {
  id: number
  uri: string
  combinations: readonly Combination[]
  /** The subsets with members in it. */
  subsets: ReadonlySet<string>
  /** True if another graph has some of its concepts, too. */
  hasTwins: boolean
  labels: number
  /** How its concepts are ordered. */
  ordering: string
}

interface Combination {
  id: number
  classes: readonly string[]
  schemes: readonly string[]
  /** The numbers of its concepts, or collections, in the lists of the vocabulary that names the graph. */
  lengths: ListLengths
}

/** Restricts the concepts that count. */
interface ConceptFilter {
  /** Only concepts of these classes; undefined: of any. */
  types?: readonly string[] | undefined
  /** True: of all of these classes, instead of one. */
  allTypes?: boolean | undefined
  /** True: collections count, too. */
  withCollections?: boolean | undefined
  /** No concepts of this class. */
  without?: string | undefined
  /** A condition on `id`, the id of a concept. */
  condition?: Sql | undefined
}

/** Graphs in which the same concepts count. */
interface Place {
  graphs: number[]
  /** A condition on marks, in the syntax of FTS5; empty for none. */
  marks: string
  /** The same on `c`, a concept. */
  accepts: Sql
  condition: Sql | undefined
}

/** Marks in one expression. */
const MOST_MARKS = 300

/** Builds the SQL that searches the graphs of a scope, restricted to the concepts that count. */
export class Places {
  readonly graphs: readonly CountedGraph[]
  readonly #places: readonly Place[]
  /** True if several places may have the same concept. */
  readonly #overlap: boolean
  /** True if several graphs may have the same concepts. */
  readonly hasTwins: boolean

  /** The places of vocabularies with different orders, one after the other; undefined: all are in one order. */
  readonly #order: ReadonlyMap<string, number> | undefined

  private constructor(
    graphs: readonly CountedGraph[],
    places: readonly Place[],
    overlap: boolean,
    order: ReadonlyMap<string, number> | undefined,
  ) {
    this.graphs = graphs
    this.#order = order
    this.#places = places
    this.#overlap = overlap
    this.hasTwins = graphs.length > 1 && graphs.some(({ hasTwins }) => hasTwins)
  }

  /** @param graphs all that count. */
  static of(graphs: readonly CountedGraph[], scope: IndexScope, filter: ConceptFilter = {}): Places {
    const places = new Map<string, Place>()
    const concerned = new Set<CountedGraph>()
    let count = 0
    const add = (graph: CountedGraph, wanted: readonly Combination[], subset?: CountedGraph) => {
      if (wanted.length === 0) return
      const conditions = filter.condition ? [filter.condition] : []
      let marks = ''
      const unwanted = graph.combinations.filter((combination) => !wanted.includes(combination))
      if (unwanted.length > MOST_MARKS && wanted.length > MOST_MARKS) {
        const combination = sql`(SELECT combination FROM concept WHERE concept.id = h.id)`
        conditions.push(sql`${combination} IN (SELECT value FROM json_each(${wanted.map(({ id }) => id)}))`)
      } else if (unwanted.length > 0) marks = marksOf(wanted, unwanted)
      if (subset) conditions.push(sql`h.id IN (SELECT concept FROM membership WHERE graph = ${subset.id})`)
      const ids = wanted.map(({ id }) => id)
      const accepts = unwanted.length > 0 ? sql`c.combination IN (SELECT value FROM json_each(${ids}))` : plain('true')
      const key = JSON.stringify([marks, conditions, accepts])
      const same = places.get(key)
      if (same) same.graphs.push(graph.id)
      else places.set(key, { graphs: [graph.id], marks, accepts, condition: allOf(conditions) })
      concerned.add(graph)
      count++
    }
    for (const graph of graphs) {
      const wanted = graph.combinations.filter(({ classes }) => ofTypes(classes, filter))
      if (scope.all) add(graph, wanted)
      else {
        add(
          graph,
          wanted.filter(({ schemes }) => schemes.some((scheme) => scope.schemes.includes(scheme))),
        )
        const subsets = graphs.filter(({ uri }) => scope.subsets.includes(uri) && graph.subsets.has(uri))
        for (const subset of subsets) add(graph, wanted, subset)
      }
    }
    const order = scope.order && new Map(scope.order.map((uri, at) => [uri, at]))
    return new Places([...concerned], [...places.values()], count > concerned.size, order)
  }

  /** The sort key of a concept of a graph, from its row in the table of concepts. */
  sortKeyIn(graph: CountedGraph, uri: string, key: string | null, notation: string | null): SortKey {
    const text = graph.ordering === 'code-point' ? notation : key
    return { uri, key: text ?? undefined, place: this.#order?.get(graph.uri) }
  }

  /** The number of labels in the graphs. */
  get labels(): number {
    return this.graphs.reduce((sum, { labels }) => sum + labels, 0)
  }

  /** The same for one of the graphs alone. */
  only(graph: CountedGraph): Places {
    const places = this.#places.filter(({ graphs }) => graphs.includes(graph.id))
    return new Places(
      [graph],
      places.map((place) => ({ ...place, graphs: [graph.id] })),
      places.length > 1,
      this.#order,
    )
  }

  /** True if the ids that a query gives are in the order of records: there is only one place. */
  get isOrdered(): boolean {
    return this.#places.length === 1 && this.#places[0]!.graphs.length === 1
  }

  /** The ids of the concepts that match an expression of FTS5 for `concepts`, or for `notes`. */
  concepts(expression: string, table: 'concepts' | 'notes' = 'concepts'): Sql {
    const from = plain(table)
    return this.#union((place) => {
      const match = sql`c.${from} MATCH ${withMarks(expression, place)}`
      const [only, ...more] = place.graphs
      if (more.length === 0) {
        return sql`SELECT c.rowid AS id FROM ${from} c WHERE ${match} AND ${ofGraph('c.rowid', only!)} ORDER BY c.rowid`
      }
      const range = ofGraph('c.rowid', plain('g.value'))
      return sql`SELECT c.rowid AS id FROM json_each(${place.graphs}) g CROSS JOIN ${from} c WHERE ${match} AND ${range}`
    })
  }

  /** The ids of all concepts that count. */
  all(): Sql {
    return this.#union((place) => {
      const inGraphs = sql`json_each(${place.graphs}) g CROSS JOIN concept c ON ${ofGraph('c.id', plain('g.value'))}`
      return sql`SELECT c.id AS id FROM ${inGraphs} WHERE ${place.accepts}`
    })
  }

  /** The concepts among some that count. @param ids a query for the ids of concepts. */
  accepted(ids: Sql): Sql {
    return this.#union((place) => {
      const wanted = sql`h.id >> ${GRAPH} IN (SELECT value FROM json_each(${place.graphs}))`
      return sql`SELECT h.id AS id FROM (${ids}) h JOIN concept c ON c.id = h.id WHERE ${wanted} AND ${place.accepts}`
    })
  }

  /**
   * The ids of the labels that match an expression of FTS5 for `labels`.
   *
   * @param kinds of the labels; by default all.
   */
  labelsLike(expression: string, kinds?: readonly number[]): Sql {
    return this.#union((place) => this.#labels(place, expression, kinds), true)
  }

  /** The ids of the concepts that have such labels. */
  conceptsLike(expression: string, kinds?: readonly number[]): Sql {
    return this.#union(
      (place) => sql`SELECT DISTINCT id >> ${KIND} AS id FROM (${this.#labels(place, expression, kinds)})`,
    )
  }

  /** The condition that a label is one of the graphs. @param id of the label. */
  hasLabel(id: string): Sql {
    const [only, ...more] = this.graphs.map((graph) => graph.id)
    if (only !== undefined && more.length === 0) return labelOfGraph(id, only)
    return sql`${plain(id)} >> ${GRAPH_OF_LABEL} IN (SELECT value FROM json_each(${this.graphs.map((graph) => graph.id)}))`
  }

  #labels(place: Place, expression: string, kinds: readonly number[] | undefined): Sql {
    const match = sql`l.labels MATCH ${withMarks(expression, place)}`
    const kind = kinds ? sql` AND ${kindOf('l.rowid')} IN (${plain(kinds.join(', '))})` : plain('')
    const [only, ...more] = place.graphs
    if (more.length === 0) {
      return sql`SELECT l.rowid AS id FROM labels l WHERE ${match} AND ${labelOfGraph('l.rowid', only!)}${kind} ORDER BY l.rowid`
    }
    const graphs = sql`json_each(${place.graphs}) g`
    return sql`SELECT l.rowid AS id FROM ${graphs} CROSS JOIN labels l WHERE ${match} AND ${labelOfGraph('l.rowid', plain('g.value'))}${kind}`
  }

  #union(select: (place: Place) => Sql, ofLabels = false): Sql {
    const id = ofLabels ? sql`id >> ${KIND}` : plain('id')
    const all = this.#places.map((place) => {
      if (!place.condition) return select(place)
      return sql`SELECT h.own AS id FROM (SELECT id AS own, ${id} AS id FROM (${select(place)})) h WHERE ${place.condition}`
    })
    if (all.length === 0) return plain('SELECT 0 AS id WHERE false')
    if (all.length === 1) return all[0]!
    return joinedSql(
      all.map((query) => sql`SELECT id FROM (${query})`),
      this.#overlap ? ' UNION ' : ' UNION ALL ',
    )
  }
}

/** The graphs that count, with their combinations. */
export async function readCountedGraphs(file: IndexFile): Promise<CountedGraph[]> {
  const graphs = await file.rows<[id: number, uri: string, labels: number, ordering: string]>(
    sql`SELECT id, uri, labels, ordering FROM graph WHERE state = 1`,
    'id, uri, labels, ordering',
  )
  const combinations = await file.rows<
    [graph: number, id: number, classes: string, schemes: string, concepts: number, top: number, unreached: number]
  >(
    sql`SELECT c.* FROM combination c JOIN graph g ON g.id = c.graph AND g.state = 1`,
    'graph, id, classes, schemes, concepts, top, unreached',
  )
  const twins = new Set(await file.values<number>(sql`SELECT DISTINCT concept >> ${GRAPH} AS id FROM twin`, 'id'))
  const subsets = await file.rows<[subset: string, graph: number]>(
    sql`SELECT DISTINCT g.uri AS a, m.concept >> ${GRAPH} AS b FROM membership m JOIN graph g ON g.id = m.graph AND g.state = 1`,
    'a, b',
  )
  const words = (text: string) => text.split(' ').filter(Boolean)
  return graphs.map(([id, uri, labels, ordering]) => ({
    id,
    uri,
    labels,
    ordering,
    combinations: combinations.flatMap(([graph, combination, classes, schemes, concepts, topConcepts, unreached]) => {
      if (graph !== id) return []
      const lengths = { concepts, topConcepts, unreached }
      return [{ id: combination, classes: words(classes), schemes: words(schemes), lengths }]
    }),
    subsets: new Set(subsets.flatMap(([subset, graph]) => (graph === id ? [subset] : []))),
    hasTwins: twins.has(id),
  }))
}

/** The classes in a record, from those in the graph: every collection has `skos:Collection`. */
export function classesOfRecord(classes: readonly string[]): readonly string[] {
  return isOfConcepts(classes) || classes.includes(COLLECTION) ? classes : [...classes, COLLECTION]
}

/** True if some classes are those of a concept. */
export function isOfConcepts(classes: readonly string[]): boolean {
  return classes.includes(CONCEPT)
}

/** True if some classes have one of collections. */
export function nameCollections(classes: readonly string[] | undefined): boolean {
  return COLLECTIONS.some((collection) => classes?.includes(collection))
}

function ofTypes(classes: readonly string[], { types, allTypes, withCollections, without }: ConceptFilter): boolean {
  if (!withCollections && !isOfConcepts(classes)) return false
  if (without !== undefined && classes.includes(without)) return false
  if (!types) return true
  const all = classesOfRecord(classes)
  return allTypes ? types.every((type) => all.includes(type)) : types.some((type) => all.includes(type))
}

/** The combination 0 has no mark. */
function marksOf(wanted: readonly Combination[], unwanted: readonly Combination[]): string {
  const terms = (some: readonly Combination[]) => some.map(({ id }) => `"${markTerm(id)}"`).join(' OR ')
  return wanted.some(({ id }) => id === 0) ? `NOT marks : (${terms(unwanted)})` : `AND marks : (${terms(wanted)})`
}

function withMarks(expression: string, { marks }: Place): string {
  return marks === '' ? expression : `(${expression}) ${marks}`
}
