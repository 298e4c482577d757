import {
  MANY_NARROWER,
  URIS_AT_A_TIME,
  type ListLengths,
  type ListName,
  type ListPage,
  type ListQuestion,
} from '../read/indexed-lists.ts'
import { GRAPH, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { isOfConcepts, type CountedGraph } from './places.ts'
import { joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { addToList } from '../../base/groups.ts'

/** How the lists stand in the table `concept`. */
const LISTS = {
  concepts: { condition: 'true', index: 'concept_place' },
  topConcepts: { condition: 'top = 1', index: 'concept_top' },
  unreached: { condition: 'unreached = 1', index: 'concept_unreached' },
} as const

/** Reads lists of whole vocabularies, and what is below concepts. Call it in a transaction. */
export class ListReader {
  readonly #file: IndexFile
  /** Vocabularies of which other graphs have concepts that their own graph lacks, in a version of the index. */
  readonly #scattered = new Map<string, { version: number; isScattered: boolean }>()
  /** The concepts with many narrower ones, by the URI of their graph; only loads and new readings change them. */
  readonly #manyNarrower = new Map<string, { reading: string; uris: string[] }>()

  constructor(file: IndexFile) {
    this.#file = file
  }

  /**
   * A page of a list.
   *
   * @param graphs all that count, in this version of the index.
   * @returns undefined if the index has another revision, or if graphs of other vocabularies have a part of the list.
   */
  async page(
    { of, revision, list, page }: ListQuestion,
    graphs: readonly CountedGraph[],
    version: number,
  ): Promise<ListPage | undefined> {
    const graph = graphs.find(({ uri }) => uri === of)
    const revisions = sql`SELECT revision FROM graph WHERE uri = ${of} AND state = 1`
    const [present] = await this.#file.values<string>(revisions, 'revision')
    if (!graph || present !== revision) return undefined
    if (typeof list === 'object') {
      if ('below' in list) return this.#pageBelow(list.below, graph, graphs, page)
      return this.#pageOfNarrower(list.narrower, graph, page)
    }
    if (await this.#isScattered(graph, graphs, version)) return undefined
    const { condition, index } = LISTS[list]
    const all = graph.combinations.filter(({ lengths }) => lengths.concepts > 0)
    const listed = all.filter((combination) => isListed(combination, of))
    const inThese =
      listed.length === all.length
        ? plain('true')
        : sql`combination IN (SELECT value FROM json_each(${listed.map(({ id }) => id)}))`
    // The index is smaller than the table, so that SQLite quickly skips what comes before the page.
    const ids = sql`SELECT id FROM concept INDEXED BY ${plain(index)}
      WHERE ${ofGraph('id', graph.id)} AND ${inThese} AND ${plain(condition)} ORDER BY id LIMIT ${page.limit} OFFSET ${page.offset}`
    return this.#page(lengthsOf(graph)[list], await this.#file.values<number>(ids, 'id'))
  }

  /** The URIs of the concepts with some ids in ascending order, without concepts that are no longer there. */
  async uris(ids: Iterable<number>): Promise<string[]> {
    const query = sql`SELECT c.uri FROM json_each(${[...ids]}) i CROSS JOIN concept c ON c.id = i.value ORDER BY c.id`
    return this.#file.values<string>(query, 'uri')
  }

  async #page(total: number, ids: readonly number[]): Promise<ListPage> {
    const uris = await this.uris(ids.slice(0, URIS_AT_A_TIME))
    return { total, uris, rest: Float64Array.from(ids.slice(URIS_AT_A_TIME)) }
  }

  /**
   * The number of concepts before a concept in the list of concepts that no top concept leads to; undefined if it is
   * not there.
   */
  async unreachedBefore(uri: string, of: string): Promise<number | undefined> {
    const query = sql`SELECT (SELECT count(*) FROM concept o WHERE o.id >= (g.id << ${GRAPH}) AND o.id < c.id AND o.unreached = 1) AS place
      FROM graph g JOIN concept c ON c.uri = ${uri} AND ${ofGraph('c.id', plain('g.id'))} AND c.unreached = 1
      WHERE g.uri = ${of} AND g.state = 1`
    return (await this.#file.values<number>(query, 'place'))[0]
  }

  /**
   * The numbers of the concepts of a vocabulary by their distance from the top concepts; concepts that none of these
   * leads to do not count.
   *
   * @returns undefined if the vocabulary has more than `most` concepts, or if the index does not have it.
   */
  async levels(of: string, most: number, graphs: readonly CountedGraph[]): Promise<number[] | undefined> {
    const graph = graphs.find(({ uri }) => uri === of)
    if (!graph || lengthsOf(graph).concepts > most) return undefined
    const listed = graph.combinations.flatMap((combination) => (isListed(combination, of) ? combination.id : []))
    const isListedHere = sql`c.combination IN (SELECT value FROM json_each(${listed}))`
    const edges = await this.#file.rows<[parent: number, child: number]>(
      sql`SELECT e.parent AS a, e.child AS b FROM edge e JOIN concept c ON c.id = e.child
        WHERE ${ofGraph('e.parent', graph.id)} AND ${isListedHere}`,
      'a, b',
    )
    const children = new Map<number, number[]>()
    for (const [parent, child] of edges) addToList(children, parent, child)
    let level = await this.#file.values<number>(
      sql`SELECT c.id FROM concept c WHERE ${ofGraph('c.id', graph.id)} AND c.top = 1 AND ${isListedHere}`,
      'id',
    )
    const seen = new Set(level)
    const counts: number[] = []
    while (level.length > 0) {
      counts.push(level.length)
      const below: number[] = []
      for (const child of level.flatMap((parent) => children.get(parent) ?? [])) {
        if (seen.has(child)) continue
        seen.add(child)
        below.push(child)
      }
      level = below
    }
    return counts
  }

  /**
   * A query for the ids of all concepts below some, in all graphs. The result has one of these concepts only if it is
   * below another of them.
   */
  async below(uris: readonly string[], graphs: readonly CountedGraph[]): Promise<Sql> {
    const current = sql`JOIN graph g ON g.id = p.id >> ${GRAPH} AND g.state = 1`
    const roots = sql`SELECT value AS uri FROM json_each(${uris})`
    const isOther = uris.length === 1 ? sql`c.uri <> ${uris[0]}` : plain('true')
    if ((await this.#file.number(plain('SELECT count(*) FROM (SELECT 1 FROM outer_edge LIMIT 1)'))) === 0) {
      const twins = sql`UNION SELECT o.concept FROM below b JOIN twin t ON t.concept = b.id JOIN twin o ON o.first = t.first`
      return sql`WITH RECURSIVE below (id) AS (
        SELECT e.child FROM (${roots}) r CROSS JOIN concept p ON p.uri = r.uri ${current} JOIN edge e ON e.parent = p.id
        UNION SELECT e.child FROM below b CROSS JOIN edge e ON e.parent = b.id
        ${graphs.some(({ hasTwins }) => hasTwins) ? twins : plain('')}
      ) SELECT c.id FROM below b CROSS JOIN concept c ON c.id = b.id WHERE ${isOther}`
    }
    // A link whose ends are not both concepts of its graph has URIs.
    const links = (from: Sql) => [
      sql`SELECT k.uri FROM ${from} f CROSS JOIN concept p ON p.uri = f.uri ${current} JOIN edge e ON e.parent = p.id JOIN concept k ON k.id = e.child`,
      sql`SELECT p.child FROM ${from} f CROSS JOIN outer_edge p ON p.parent = f.uri JOIN graph g ON g.id = p.graph AND g.state = 1`,
    ]
    const steps = [...links(sql`(${roots})`), ...links(plain('below'))]
    return sql`WITH RECURSIVE below (uri) AS (${joinedSql(steps, ' UNION ')})
      SELECT p.id FROM below c CROSS JOIN concept p ON p.uri = c.uri ${current} WHERE ${isOther}`
  }

  /** The URIs of the concepts of a graph with `MANY_NARROWER` or more. */
  async manyNarrower({ id, uri }: CountedGraph, load: string): Promise<string[]> {
    const reading = `${id} ${load}`
    const before = this.#manyNarrower.get(uri)
    if (before?.reading === reading) return before.uris
    const parents = sql`SELECT parent FROM edge WHERE ${ofGraph('parent', id)} GROUP BY parent HAVING count(*) >= ${MANY_NARROWER}`
    const uris = await this.#file.values<string>(sql`SELECT uri FROM concept WHERE id IN (${parents})`, 'uri')
    this.#manyNarrower.set(uri, { reading, uris })
    return uris
  }

  /** Undefined if the concept is not in the graph, or if other graphs may have a part of the concepts below it. */
  async #pageOfNarrower(
    uri: string,
    graph: CountedGraph,
    { limit, offset }: ListQuestion['page'],
  ): Promise<ListPage | undefined> {
    const isElsewhere = graph.combinations.some(
      (combination) =>
        combination.lengths.concepts > 0 && isOfConcepts(combination.classes) && !isListed(combination, graph.uri),
    )
    if (isElsewhere) return undefined
    const concept = sql`SELECT id FROM concept WHERE uri = ${uri} AND ${ofGraph('id', graph.id)}`
    const [id] = await this.#file.values<number>(concept, 'id')
    if (id === undefined) return undefined
    const narrower = sql`FROM edge WHERE parent = ${id} AND child <> parent`
    const total = await this.#file.number(sql`SELECT count(*) ${narrower}`)
    const elsewhere = sql`SELECT EXISTS (SELECT 1 FROM twin WHERE concept = ${id}) OR EXISTS
      (SELECT 1 FROM outer_edge o JOIN graph g ON g.id = o.graph AND g.state = 1 WHERE o.parent = ${uri})`
    if ((await this.#file.number(elsewhere)) === 1) return undefined
    const ids = sql`SELECT child ${narrower} ORDER BY child LIMIT ${limit} OFFSET ${offset}`
    return this.#page(total, await this.#file.values<number>(ids, 'child'))
  }

  /** Undefined if some of these concepts are not in the graph. */
  async #pageBelow(
    uri: string,
    graph: CountedGraph,
    graphs: readonly CountedGraph[],
    { limit, offset }: ListQuestion['page'],
  ): Promise<ListPage | undefined> {
    const isThere = sql`SELECT count(*) FROM concept WHERE uri = ${uri} AND ${ofGraph('id', graph.id)}`
    if ((await this.#file.number(isThere)) === 0 || (await this.#leadsOut(graph))) return undefined
    const answer = await this.#file.json<{ all: number; total: number; ids: number[] }>(
      sql`WITH listed AS MATERIALIZED (${await this.below([uri], graphs)})
      SELECT CAST(json_object('all', (SELECT count(*) FROM listed), 'total', (SELECT count(*) FROM listed WHERE ${ofGraph('id', graph.id)}),
        'ids', (SELECT json_group_array(id) FROM (SELECT id FROM listed ORDER BY id LIMIT ${limit} OFFSET ${offset}))) AS BLOB)`,
    )
    return answer && answer.all === answer.total ? this.#page(answer.total, answer.ids) : undefined
  }

  /**
   * True if concepts of a graph have narrower ones that are no concepts of it: these may belong to another vocabulary.
   */
  async #leadsOut({ id }: CountedGraph): Promise<boolean> {
    const query = sql`SELECT count(*) FROM (SELECT 1 FROM outer_edge o JOIN concept c ON c.uri = o.parent AND ${ofGraph('c.id', id)} LIMIT 1)`
    return (await this.#file.number(query)) > 0
  }

  /** True if other graphs have concepts of the vocabulary that its own graph lacks. */
  async #isScattered(graph: CountedGraph, graphs: readonly CountedGraph[], version: number): Promise<boolean> {
    const elsewhere = graphs.flatMap(({ id, combinations }) =>
      id === graph.id
        ? []
        : combinations.flatMap((combination) => (isListed(combination, graph.uri) ? [[id, combination.id]] : [])),
    )
    if (elsewhere.length === 0) return false
    const remembered = this.#scattered.get(graph.uri)
    if (remembered?.version === version) return remembered.isScattered
    const inOwnGraph = graph.combinations.flatMap((combination) =>
      isListed(combination, graph.uri) ? combination.id : [],
    )
    const query = sql`SELECT count(*) FROM (SELECT 1 FROM json_each(${elsewhere}) g
      JOIN concept o ON ${ofGraph('o.id', plain('(g.value->>0)'))} AND o.combination = g.value->>1
      WHERE NOT EXISTS (SELECT 1 FROM concept c WHERE c.uri = o.uri AND ${ofGraph('c.id', graph.id)}
        AND c.combination IN (SELECT value FROM json_each(${inOwnGraph}))) LIMIT 1)`
    const isScattered = (await this.#file.number(query)) > 0
    this.#scattered.set(graph.uri, { version, isScattered })
    return isScattered
  }
}

/** The lengths of the lists of the vocabulary that names a graph. */
export function lengthsOf({ uri, combinations }: CountedGraph): ListLengths {
  const sum = (list: ListName) =>
    combinations.reduce((all, combination) => all + (isListed(combination, uri) ? combination.lengths[list] : 0), 0)
  return { concepts: sum('concepts'), topConcepts: sum('topConcepts'), unreached: sum('unreached') }
}

function isListed({ classes, schemes }: CountedGraph['combinations'][number], scheme: string): boolean {
  return isOfConcepts(classes) && schemes.includes(scheme)
}
