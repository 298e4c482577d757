import { createHash } from 'node:crypto'
import {
  annotationsOf,
  conceptsOf,
  creatorsOf,
  identifiersOf,
  mappingId,
  parseMapping,
  statedMapping,
  statedMappingId,
  typeOf,
} from '../../jskos/mapping.ts'
import type { Namespace } from '../../vocabularies/namespaces.ts'
import { compareCodePoints } from '../../jskos/order.ts'
import { freeIds } from '../free-ids.ts'
import { GRAPH_SIZE, ofGraph } from '../ids.ts'
import type { IndexFile } from '../index-file.ts'
import { kindOfMapping, LOADED_MAPPING_KIND, mappingTypeOf } from '../statements.ts'
import { columns, LAST, plain, sql } from '../sql.ts'

/** The sides of mappings in the table `mapped`: by URI, then by notation. */
export const SIDES = { from: [0, 2], to: [1, 3] } as const

/** A mapping as in the store: a statement of a vocabulary, or the JSKOS text of a loaded mapping. */
export type MappingStatement = [uri: string, kind: number, text: string]

/** A mapping as the tables have it, apart from its place. */
interface MappingRow {
  uri: string
  source: string
  target: string
  type: string
  creator: string
  isSingle: boolean
  /** A JSON text: the notations that the mapping gives its vocabularies. */
  notations: string
  /** A JSON text: `annotationsOf` the mapping. */
  annotations: string
  /** A JSON text: the URIs of the concordances that the mapping names. */
  concordances: string
  created: string
  modified: string
  relevance: number | null
  /** The URI of the other concept, if a vocabulary states the mapping. */
  stated: string | null
  jskos: string | null
  mapped: [side: number, value: string][]
  names: string[]
}

/** Mappings to move at a time if they belong to another vocabulary from now on. */
const PIECE = 2000

/** The values of a relation that are the same for all stated mappings. */
const STATED = { creator: '', isSingle: true, notations: '[[],[]]', annotations: '[]', concordances: '[]' } as const

/** The values that mappings have in common if they are counted together. */
type RelationKey = Pick<
  MappingRow,
  'source' | 'target' | 'type' | 'creator' | 'isSingle' | 'notations' | 'annotations' | 'concordances'
>

/** A target, and the id of a mapping to it. */
export type AssignedPlace = [value: string, id: number]

/** The names of mappings, as short as they can be and still differ. */
export function nameKey(name: string): string {
  return createHash('sha1').update(name).digest('hex').slice(0, 20)
}

/** The vocabulary that a URI belongs to: the one with the longest beginning. */
export class Spaces {
  readonly #all: readonly Namespace[]

  constructor(all: readonly Namespace[]) {
    this.#all = [...all].sort(([a], [b]) => b.length - a.length)
  }

  schemeOf(uri: string): string {
    return this.#all.find(([start]) => uri.startsWith(start))?.[1] ?? ''
  }
}

/** @returns undefined if the text is no mapping. */
function mappingRow(graph: string, [uri, kind, text]: MappingStatement, spaces: Spaces): MappingRow | undefined {
  if (kind !== LOADED_MAPPING_KIND) {
    const type = mappingTypeOf(kind)
    const mapping = statedMapping(uri, type, text)
    return {
      uri,
      source: graph,
      target: spaces.schemeOf(text),
      type,
      ...STATED,
      created: '',
      modified: '',
      relevance: null,
      stated: text,
      jskos: null,
      mapped: [
        [SIDES.from[0], uri],
        [SIDES.to[0], text],
      ],
      names: [statedMappingId(graph, uri, type, text), ...identifiersOf(mapping)],
    }
  }
  const mapping = parseMapping(text)
  if (!mapping) return undefined
  const { fromScheme, toScheme, created = '', modified = '', mappingRelevance, identifier = [] } = mapping
  const mapped = (['from', 'to'] as const).flatMap((side) =>
    conceptsOf(mapping[side]).flatMap(({ uri: conceptUri, notation = [] }): [number, string][] => [
      ...(conceptUri === undefined ? [] : [[SIDES[side][0], conceptUri] as [number, string]]),
      ...notation.map((text): [number, string] => [SIDES[side][1], text]),
    ]),
  )
  const names = [mappingId(uri), uri, ...identifier.filter((name) => name !== null), ...identifiersOf(mapping)]
  return {
    uri,
    source: fromScheme?.uri ?? fromScheme?.notation?.[0] ?? '',
    target: toScheme?.uri ?? toScheme?.notation?.[0] ?? '',
    type: typeOf(mapping),
    creator: creatorsOf(mapping).join('\n'),
    isSingle: conceptsOf(mapping.to).length <= 1,
    notations: JSON.stringify([fromScheme, toScheme].map((scheme) => scheme?.notation ?? [])),
    annotations: JSON.stringify(annotationsOf(mapping)),
    concordances: JSON.stringify((mapping.partOf ?? []).flatMap((concordance) => concordance?.uri ?? [])),
    created,
    modified,
    relevance: mappingRelevance ?? null,
    stated: null,
    jskos: text,
    mapped,
    names: [...new Set(names)],
  }
}

/** The order of the mappings of a graph. */
function compareMappings(a: MappingStatement, b: MappingStatement): number {
  return compareCodePoints(a[0], b[0]) || a[1] - b[1] || compareCodePoints(a[2], b[2])
}

/** Writes the mappings of graphs into the index, within the transactions of its writer. */
export class MappingRows {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  /**
   * Inserts mappings of a graph.
   *
   * @param graph with its URI, which is that of the vocabulary or of the concordance.
   * @param ids of the mappings.
   */
  async insert(
    graph: { id: number; uri: string },
    ids: readonly number[],
    statements: readonly MappingStatement[],
  ): Promise<void> {
    const spaces = new Spaces(await this.#readSpaces())
    const rows = statements.flatMap((statement) => mappingRow(graph.uri, statement, spaces) ?? [])
    const relations = await this.#relationsOf(graph.id, rows)
    const mappings = rows.map((row, at) => {
      const { uri, created, modified, relevance, stated, jskos } = row
      return [ids[at], uri, relations[at], created, modified, relevance, stated, jskos]
    })
    const mapped = rows.flatMap((row, at) => row.mapped.map((pair) => [...pair, ids[at]]))
    const names = rows.flatMap((row, at) => row.names.map((name) => [nameKey(name), ids[at]]))
    await this.#file.run(sql`INSERT INTO mapping SELECT ${columns(8)} FROM json_each(${mappings})`)
    await this.#file.run(sql`INSERT OR IGNORE INTO mapped SELECT ${columns(3)} FROM json_each(${mapped})`)
    await this.#file.run(
      sql`INSERT OR IGNORE INTO mapping_name SELECT unhex(value->>0), value->>1 FROM json_each(${names})`,
    )
  }

  /**
   * Replaces the mappings that a graph states of some resources.
   *
   * @param statements the mappings that it states of them now, without loaded ones.
   * @returns false if there was no room for some at their places, so that they come last.
   */
  async replaceStated(
    { id, uri, step }: { id: number; uri: string; step: number },
    resources: readonly string[],
    statements: readonly MappingStatement[],
  ): Promise<boolean> {
    const key = (statement: MappingStatement) => JSON.stringify(statement)
    const present = await this.#file.rows<[id: number, uri: string, type: string, stated: string]>(
      sql`SELECT m.id AS a, m.uri AS b, r.type AS c, m.stated AS d FROM json_each(${resources}) u
      CROSS JOIN mapped o ON o.side = ${SIDES.from[0]} AND o.value = u.value AND ${ofGraph('o.mapping', id)}
      CROSS JOIN mapping m ON m.id = o.mapping AND m.jskos IS NULL CROSS JOIN relation r ON r.id = m.relation`,
      'a, b, c, d',
    )
    const stays = new Map(statements.map((statement) => [key(statement), statement]))
    const gone: number[] = []
    for (const [mapping, subject, type, stated] of present) {
      if (!stays.delete(key([subject, kindOfMapping(type), stated]))) gone.push(mapping)
    }
    await this.#remove(uri, gone)
    const come = [...stays.values()].sort(compareMappings)
    if (come.length === 0) return true
    const next = async (from: number) => {
      const [row] = await this.#file.rows<[id: number, uri: string, type: string, text: string | null]>(
        sql`SELECT m.id AS a, m.uri AS b, r.type AS c, m.stated AS d FROM mapping m JOIN relation r ON r.id = m.relation
        WHERE m.id >= ${from} AND m.id < ${(id + 1) * GRAPH_SIZE} ORDER BY m.id LIMIT 1`,
        'a, b, c, d',
      )
      if (!row) return undefined
      const [mapping, subject, type, text] = row
      const kind = text === null ? LOADED_MAPPING_KIND : kindOfMapping(type)
      return { id: mapping, key: [subject, kind, text ?? ''] as MappingStatement }
    }
    const { ids, isInOrder } = await freeIds({ graph: id, step, compare: compareMappings, next }, come)
    await this.insert({ id, uri }, ids, come)
    return isInOrder
  }

  /** Removes some mappings of a graph. @returns false if the graph has no more mappings. */
  async removeSome(graph: { id: number; uri: string }, most: number): Promise<boolean> {
    const ids = await this.#file.values<number>(
      sql`SELECT id FROM mapping WHERE ${ofGraph('id', graph.id)} ORDER BY id LIMIT ${most}`,
      'id',
    )
    if (ids.length > 0) {
      await this.#remove(graph.uri, ids)
      return true
    }
    await this.#file.run(sql`DELETE FROM relation WHERE graph = ${graph.id}`)
    return false
  }

  /** The beginnings of URIs that differ from the beginnings in the index. */
  async changedSpaces(all: readonly Namespace[]): Promise<string[]> {
    const before = new Map(await this.#readSpaces())
    const now = new Map(all)
    const starts = new Set([...before.keys(), ...now.keys()])
    return [...starts].filter((start) => before.get(start) !== now.get(start))
  }

  /** Stores the beginnings of the URIs of vocabularies. */
  async setSpaces(all: readonly Namespace[]): Promise<void> {
    await this.#file.run(plain('DELETE FROM space'))
    await this.#file.run(sql`INSERT OR REPLACE INTO space SELECT ${columns(2)} FROM json_each(${all})`)
  }

  /**
   * Moves stated mappings to the vocabulary that their target now belongs to, some at a time.
   *
   * @param start the beginning of the URIs to look at.
   * @param after the place at which the previous call ended.
   * @returns the place at which this call ended; undefined at the end of the list.
   */
  async assign(start: string, after: AssignedPlace | undefined, spaces: Spaces): Promise<AssignedPlace | undefined> {
    const [from, id] = after ?? [start, -1]
    const rows = await this.#file.rows<[...AssignedPlace, number, string, string, string]>(
      sql`SELECT o.value AS a, m.id AS b, r.graph AS c, r.source AS d, r.target AS e, r.type AS f
      FROM mapped o JOIN mapping m ON m.id = o.mapping AND m.jskos IS NULL JOIN relation r ON r.id = m.relation
      WHERE o.side = 1 AND (o.value, o.mapping) > (${from}, ${id}) AND o.value < ${start + LAST}
      ORDER BY o.value, o.mapping LIMIT ${PIECE}`,
      'a, b, c, d, e, f',
    )
    const byGraph = new Map<number, { id: number; key: RelationKey }[]>()
    for (const [value, mapping, graph, source, target, type] of rows) {
      const scheme = spaces.schemeOf(value)
      if (scheme === target) continue
      const moved = byGraph.get(graph) ?? []
      byGraph.set(graph, moved)
      moved.push({ id: mapping, key: { source, target: scheme, type, ...STATED } })
    }
    for (const [graph, moved] of byGraph) {
      await this.#discount(moved.map((mapping) => mapping.id))
      const relations = await this.#relationsOf(
        graph,
        moved.map(({ key }) => key),
      )
      const pairs = moved.map((mapping, at) => [mapping.id, relations[at]])
      await this.#file.run(
        sql`UPDATE mapping SET relation = p.value->>1 FROM json_each(${pairs}) p WHERE mapping.id = p.value->>0`,
      )
    }
    const [last] = rows.slice(-1)
    return last && rows.length === PIECE ? [last[0], last[1]] : undefined
  }

  async #readSpaces(): Promise<Namespace[]> {
    return this.#file.rows<Namespace>(sql`SELECT start, scheme FROM space`, 'start, scheme')
  }

  async #remove(uri: string, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return
    const rows = await this.#file.rows<
      [id: number, uri: string, type: string, stated: string | null, jskos: string | null]
    >(
      sql`SELECT m.id AS a, m.uri AS b, r.type AS c, m.stated AS d, m.jskos AS e
      FROM json_each(${ids}) i JOIN mapping m ON m.id = i.value JOIN relation r ON r.id = m.relation`,
      'a, b, c, d, e',
    )
    const none = new Spaces([])
    const kept = rows.map(([id, subject, type, stated, jskos]) => {
      const statement: MappingStatement =
        jskos === null ? [subject, kindOfMapping(type), stated!] : [subject, LOADED_MAPPING_KIND, jskos]
      return { id, row: mappingRow(uri, statement, none)! }
    })
    const mapped = kept.flatMap(({ id, row }) => row.mapped.map((pair) => [...pair, id]))
    const names = kept.flatMap(({ id, row }) => row.names.map((name) => [nameKey(name), id]))
    await this.#file.run(
      sql`DELETE FROM mapped WHERE (side, value, mapping) IN (SELECT ${columns(3)} FROM json_each(${mapped}))`,
    )
    await this.#file.run(
      sql`DELETE FROM mapping_name WHERE (name, mapping) IN (SELECT unhex(value->>0), value->>1 FROM json_each(${names}))`,
    )
    await this.#discount(ids)
    await this.#file.run(sql`DELETE FROM mapping WHERE id IN (SELECT value FROM json_each(${ids}))`)
  }

  /** Subtracts mappings from the numbers of their relations. */
  #discount(ids: readonly number[]): Promise<void> {
    return this.#file.run(
      sql`UPDATE relation SET mappings = mappings - g.number FROM
      (SELECT relation AS r, count(*) AS number FROM mapping WHERE id IN (SELECT value FROM json_each(${ids})) GROUP BY 1) g
      WHERE relation.id = g.r`,
    )
  }

  /** The ids of the relations of some rows; the relations count these rows. */
  async #relationsOf(graph: number, rows: readonly RelationKey[]): Promise<number[]> {
    const counts = new Map<string, number>()
    const keys = rows.map((row) => {
      const { source, target, type, creator, isSingle, notations, annotations, concordances } = row
      const single = isSingle ? 1 : 0
      const key = JSON.stringify([graph, source, target, type, creator, single, notations, annotations, concordances])
      counts.set(key, (counts.get(key) ?? 0) + 1)
      return key
    })
    const counted = [...counts].map(([key, number]) => [...(JSON.parse(key) as unknown[]), number])
    await this.#file.run(
      sql`INSERT INTO relation (graph, source, target, type, creator, single, notations, annotations, concordances, mappings)
      SELECT ${columns(10)} FROM json_each(${counted}) WHERE true
      ON CONFLICT DO UPDATE SET mappings = mappings + excluded.mappings`,
    )
    const stored = await this.#file.rows<[id: number, ...key: unknown[]]>(
      sql`SELECT r.id AS a, r.graph AS b, r.source AS c, r.target AS d, r.type AS e, r.creator AS f, r.single AS g,
        r.notations AS h, r.annotations AS i, r.concordances AS j
      FROM json_each(${counted}) w JOIN relation r ON r.graph = w.value->>0 AND r.source = w.value->>1
      AND r.target = w.value->>2 AND r.type = w.value->>3 AND r.creator = w.value->>4 AND r.single = w.value->>5
      AND r.notations = w.value->>6 AND r.annotations = w.value->>7
      AND r.concordances = w.value->>8`,
      'a, b, c, d, e, f, g, h, i, j',
    )
    const ids = new Map(stored.map(([id, ...key]) => [JSON.stringify(key), id]))
    return keys.map((key) => ids.get(key)!)
  }
}
