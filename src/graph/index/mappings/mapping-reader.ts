import { isCreator, type MappingAnnotation } from '../../jskos/mapping.ts'
import { MAPPINGS_GRAPH } from '../../../base/namespaces.ts'
import { isAbsoluteIri } from '../../sparql/grammar.ts'
import { GRAPH } from '../ids.ts'
import type { IndexFile } from '../index-file.ts'
import { nameKey, SIDES } from './mapping-rows.ts'
import { beginsWith, joinedSql, plain, sql, type Sql } from '../sql.ts'

/** The values that mappings must have. An absent list restricts nothing; of a list, one value is enough. */
export interface MappingQuestion {
  /** URIs or notations of concepts; one that ends in `*` is the beginning of such. */
  from?: readonly string[] | undefined
  to?: readonly string[] | undefined
  /** URIs and other identifiers. */
  identifier?: readonly string[] | undefined
  /** `or`: one of `from`, `to` and `identifier` is enough. */
  mode: 'and' | 'or'
  /** URIs of vocabularies, or notations that mappings give them. */
  fromScheme?: readonly string[] | undefined
  toScheme?: readonly string[] | undefined
  /** `backward`: `from` and `fromScheme` refer to the other side. */
  direction: 'forward' | 'backward' | 'both'
  types?: readonly string[] | undefined
  /** URIs of concordances; `ANY`: mappings of any, null: of none. */
  partOf?: readonly (string | null)[] | undefined
  /** URIs, or parts of names, of creators. */
  creator?: readonly string[] | undefined
  /** True: only mappings to at most one concept. */
  isSingle?: boolean
  annotated?: AnnotationFilter | undefined
  sort: MappingSort
  order: 'asc' | 'desc'
  page: { limit: number; offset: number }
}

/** The annotations that mappings must have: one that has all of these values. */
interface AnnotationFilter {
  /** A motivation; `any`, `none`, or a motivation after `!` that no annotation may have. */
  motivation?: string | undefined
  /** Values of bodies. */
  values?: readonly string[] | undefined
  /** URIs or names of creators. */
  creators?: readonly string[] | undefined
}

/** The question that restricts nothing, without its page. */
export const EVERY_MAPPING = { mode: 'and', direction: 'forward', sort: 'modified', order: 'desc' } as const

export type MappingSort = 'created' | 'modified' | 'mappingRelevance'

/** Any concordance. */
export const ANY = '*'

/** A mapping that the index has found. */
export interface FoundMapping {
  /** Of a stated mapping the URI of the concept, of a loaded one its own URI. */
  uri: string
  type: string
  /** The vocabularies by URI; empty if they are not known. */
  source: string
  target: string
  /** The graph: a vocabulary, or a concordance. */
  graph: string
  /** Of a stated mapping: the URI of the other concept, and the notations of both as far as they are known. */
  stated: string | null
  notations: [from: string | null, to: string | null]
  /** Of a loaded mapping: its JSKOS text. */
  jskos: string | null
}

/** One page of the mappings that a question finds. */
export interface FoundMappings {
  total: number
  mappings: FoundMapping[]
}

/** How many mappings lead from a vocabulary and to it. */
export type SchemeCount = [scheme: string, fromCount: number, toCount: number]

/** A notation, and the number of mappings of concepts with it. */
export type NotationCount = [notation: string, mappings: number]

/** The values that many mappings have in common. */
interface Relation {
  id: number
  source: string
  target: string
  type: string
  creator: string
  isSingle: boolean
  mappings: number
  /** The notations that loaded mappings give their vocabularies. */
  notations: [from: readonly string[], to: readonly string[]]
  annotations: readonly MappingAnnotation[]
  /** The URIs of the concordance with the graph of the mappings, and of the concordances in their `partOf`. */
  concordances: readonly string[]
}

/** The concepts of the index, as far as mappings need them. */
interface IndexedConcepts {
  /** Runs work on one state of the index, which `version` names. */
  reading<T>(work: (version: number) => Promise<T>): Promise<T>
  /** The URIs of the concepts with a notation, within `reading`. */
  identified(notation: string): Promise<string[]>
  /**
   * A query for `uri` and `notation` of the concepts with a notation that begins like a text; undefined if none can.
   */
  notated(beginning: string): Sql | undefined
}

const COLUMNS: Record<MappingSort, string> = { created: 'created', modified: 'modified', mappingRelevance: 'relevance' }
/** Of up to this many relations, mappings are read in order; of more, they are sorted. */
const MOST_ORDERED = 50

/** Finds mappings in the index. */
export class MappingReader {
  readonly #file: IndexFile
  readonly #concepts: IndexedConcepts
  #relations: Relation[] = []
  #version = -1

  constructor(file: IndexFile, concepts: IndexedConcepts) {
    this.#file = file
    this.#concepts = concepts
  }

  /** The mappings that a question finds, one page of them. */
  mappings(question: MappingQuestion): Promise<FoundMappings> {
    return this.#concepts.reading(async (version) => {
      const { page } = question
      const branches = await this.#branches(question, version)
      const total = await this.#count(branches)
      const ids = page.limit > 0 && page.offset < total ? await this.#pageNear(branches, question, total) : []
      return { total, mappings: await this.#describe(ids) }
    })
  }

  /** The vocabularies of the mappings that a question finds, by URI. */
  mappedSchemes(question: MappingQuestion): Promise<SchemeCount[]> {
    return this.#concepts.reading(async (version) => {
      const branches = await this.#branches(question, version)
      const counts = await this.#countRelations(branches)
      const schemes = new Map<string, [from: number, to: number]>()
      const add = (scheme: string, side: 0 | 1, count: number) => {
        // A vocabulary of which only a notation is known is no record.
        if (!isAbsoluteIri(scheme) || count === 0) return
        const countsOfScheme = schemes.get(scheme) ?? [0, 0]
        schemes.set(scheme, countsOfScheme)
        countsOfScheme[side] += count
      }
      for (const { id, source, target } of this.#relations) {
        add(source, 0, counts.get(id) ?? 0)
        add(target, 1, counts.get(id) ?? 0)
      }
      return [...schemes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([scheme, [from, to]]) => [scheme, from, to])
    })
  }

  /**
   * Notations of mapped concepts that begin like a text, with the number of mappings, most first.
   *
   * @param schemes only mappings from or to one of these vocabularies; undefined: all.
   */
  mappedNotations(beginning: string, schemes: readonly string[] | undefined): Promise<NotationCount[]> {
    return this.#concepts.reading(async (version) => {
      await this.#readRelations(version)
      const isOf = ({ source, target, notations }: Relation) =>
        !schemes || [source, target, ...notations.flat()].some((scheme) => schemes.includes(scheme))
      const relations = this.#relations.filter(isOf).map(({ id }) => id)
      const mapped = [
        sql`SELECT value, mapping FROM mapped
        WHERE side IN (${SIDES.from[1]}, ${SIDES.to[1]}) AND ${beginsWith('value', beginning)}`,
      ]
      const notated = this.#concepts.notated(beginning)
      if (notated) {
        mapped.push(
          sql`SELECT n.notation AS value, o.mapping FROM (${notated}) n
          JOIN mapped o ON o.side IN (${SIDES.from[0]}, ${SIDES.to[0]}) AND o.value = n.uri`,
        )
      }
      return this.#file.rows<NotationCount>(
        sql`SELECT o.value AS a, count(*) AS b FROM (${joinedSql(mapped, ' UNION ')}) o
        JOIN mapping m ON m.id = o.mapping
        WHERE m.relation IN (SELECT value FROM json_each(${relations})) GROUP BY o.value ORDER BY 2 DESC, 1`,
        'a, b',
      )
    })
  }

  /** The number of mappings of each concordance. */
  concordanceSizes(): Promise<[concordance: string, mappings: number][]> {
    return this.#concepts.reading(async (version) => {
      await this.#readRelations(version)
      const sizes = new Map<string, number>()
      for (const { concordances, mappings } of this.#relations)
        for (const concordance of concordances) sizes.set(concordance, (sizes.get(concordance) ?? 0) + mappings)
      return [...sizes]
    })
  }

  /** The relations and mappings that answer a question, in a branch for each direction. */
  async #branches(question: MappingQuestion, version: number): Promise<Branch[]> {
    await this.#readRelations(version)
    const directions = question.direction === 'both' ? (['forward', 'backward'] as const) : [question.direction]
    return Promise.all(
      directions.map(async (direction) => {
        const turned = direction === 'forward' ? question : turn(question)
        return {
          relations: this.#relations.filter((relation) => fits(relation, turned)),
          candidates: await this.#candidates(turned),
        }
      }),
    )
  }

  async #readRelations(version: number): Promise<void> {
    if (version === this.#version) return
    type Row = [number, string, string, string, string, string, number, number, number, string, string, string]
    const rows = await this.#file.rows<Row>(
      sql`SELECT r.id AS a, g.uri AS b, r.source AS c, r.target AS d, r.type AS e, r.creator AS f, r.single AS g,
        m.jskos IS NOT NULL AS h, r.mappings AS i, r.notations AS j, r.annotations AS k, r.concordances AS l
      FROM relation r JOIN graph g ON g.id = r.graph AND g.state = 1
      LEFT JOIN mapping m ON m.id = (SELECT id FROM mapping WHERE relation = r.id LIMIT 1) WHERE r.mappings > 0`,
      'a, b, c, d, e, f, g, h, i, j, k, l',
    )
    this.#relations = rows.map(([id, graph, source, target, type, creator, isSingle, isLoaded, mappings, ...lists]) => {
      const [notations, annotations, named] = lists.map((text) => JSON.parse(text) as unknown)
      return {
        id,
        source,
        target,
        type,
        creator,
        isSingle: isSingle === 1,
        mappings,
        notations: notations as Relation['notations'],
        annotations: annotations as Relation['annotations'],
        concordances: [
          ...new Set([...(isLoaded === 1 && graph !== MAPPINGS_GRAPH ? [graph] : []), ...(named as string[])]),
        ],
      }
    })
    this.#version = version
  }

  /** A query for the ids of the mappings of some concepts or with some names, each once; undefined: it names none. */
  async #candidates({ from, to, identifier, mode }: MappingQuestion): Promise<Sql | undefined> {
    const criteria: Sql[] = []
    if (from) criteria.push(await this.#ofConcepts('from', from))
    if (to) criteria.push(await this.#ofConcepts('to', to))
    if (identifier) {
      const keys = identifier.map(nameKey)
      criteria.push(sql`SELECT mapping FROM mapping_name WHERE name IN (SELECT unhex(value) FROM json_each(${keys}))`)
    }
    if (criteria.length === 0) return undefined
    // Several values may name the same mapping; UNION and INTERSECT have it once anyway.
    if (criteria.length === 1) return sql`SELECT DISTINCT mapping FROM (${criteria[0]!})`
    return joinedSql(criteria, mode === 'or' ? ' UNION ' : ' INTERSECT ')
  }

  async #ofConcepts(side: 'from' | 'to', values: readonly string[]): Promise<Sql> {
    const [byUri, byNotation] = SIDES[side]
    const sides = sql`side IN (${byUri}, ${byNotation})`
    const beginnings = values.filter((value) => value.endsWith('*')).map((value) => value.slice(0, -1))
    const whole = values.filter((value) => !value.endsWith('*'))
    const identified: string[] = []
    for (const value of whole) if (!isAbsoluteIri(value)) identified.push(...(await this.#concepts.identified(value)))
    const queries = [
      sql`SELECT mapping FROM mapped WHERE ${sides} AND value IN (SELECT value FROM json_each(${[...whole, ...identified]}))`,
      ...beginnings.map((value) => sql`SELECT mapping FROM mapped WHERE ${sides} AND ${beginsWith('value', value)}`),
      ...beginnings.flatMap((value) => {
        const notated = isAbsoluteIri(value) ? undefined : this.#concepts.notated(value)
        return notated
          ? [sql`SELECT mapping FROM mapped WHERE side = ${byUri} AND value IN (SELECT uri FROM (${notated}))`]
          : []
      }),
    ]
    return sql`SELECT mapping FROM (${joinedSql(queries, ' UNION ')})`
  }

  async #count(branches: readonly Branch[]): Promise<number> {
    if (branches.every(({ candidates }) => candidates === undefined)) {
      const relations = new Set(branches.flatMap((branch) => branch.relations))
      return [...relations].reduce((sum, { mappings }) => sum + mappings, 0)
    }
    return this.#file.number(sql`SELECT count(*) FROM (${matchingIds(branches)})`)
  }

  /** The number of mappings of each relation. */
  async #countRelations(branches: readonly Branch[]): Promise<Map<number, number>> {
    if (branches.every(({ candidates }) => candidates === undefined)) {
      return new Map(branches.flatMap(({ relations }) => relations.map(({ id, mappings }) => [id, mappings])))
    }
    const counts = await this.#file.rows<[number, number]>(
      sql`SELECT m.relation AS a, count(*) AS b FROM (${matchingIds(branches)}) f CROSS JOIN mapping m ON m.id = f.id GROUP BY 1`,
      'a, b',
    )
    return new Map(counts)
  }

  /** Reads a page from the nearer end of the list, because the index skips the mappings before a page one by one. */
  async #pageNear(branches: readonly Branch[], question: MappingQuestion, total: number): Promise<number[]> {
    const { limit, offset } = question.page
    const after = Math.max(0, total - offset - limit)
    if (offset <= after) return this.#pageOf(branches, question)
    const page = { offset: after, limit: Math.min(limit, total - offset) }
    const order = question.order === 'asc' ? 'desc' : 'asc'
    return (await this.#pageOf(branches, { ...question, order, page })).reverse()
  }

  async #pageOf(branches: readonly Branch[], { sort, order, page }: MappingQuestion): Promise<number[]> {
    const [column, way] = [plain(COLUMNS[sort]), plain(order)]
    const { limit, offset } = page
    const ordered = sql`ORDER BY ${column} ${way}, id ${way}`
    let query: Sql
    const relations = [...new Set(branches.flatMap((branch) => branch.relations.map(({ id }) => id)))]
    if (branches.some(({ candidates }) => candidates !== undefined)) {
      query = sql`SELECT m.id, m.${column} FROM (${matchingIds(branches)}) f CROSS JOIN mapping m ON m.id = f.id`
    } else if (sort !== 'mappingRelevance' && relations.length > 1 && relations.length <= MOST_ORDERED) {
      const most = offset + limit
      const tops = relations.map(
        (id) => sql`SELECT * FROM (SELECT id, ${column} FROM mapping WHERE relation = ${id} ${ordered} LIMIT ${most})`,
      )
      query = joinedSql(tops, ' UNION ALL ')
    } else if (relations.length === 1) {
      query = sql`SELECT id, ${column} FROM mapping WHERE relation = ${relations[0]!}`
    } else {
      query = sql`SELECT id, ${column} FROM mapping WHERE relation IN (SELECT value FROM json_each(${relations}))`
    }
    return this.#file.values(sql`SELECT id FROM (${query}) ${ordered} LIMIT ${limit} OFFSET ${offset}`, 'id')
  }

  async #describe(ids: readonly number[]): Promise<FoundMapping[]> {
    if (ids.length === 0) return []
    const notation = (uri: string) =>
      sql`(SELECT min(c.notation) FROM concept c JOIN graph s ON s.id = c.id >> ${GRAPH} AND s.state = 1 WHERE c.uri = ${plain(uri)})`
    type Row = [string, string, string, string, string, string | null, string | null, string | null, string | null]
    const rows = await this.#file.rows<Row>(
      sql`SELECT m.uri AS a, r.type AS b, r.source AS c, r.target AS d, g.uri AS e, m.stated AS f, m.jskos AS g,
        CASE WHEN m.jskos IS NULL THEN ${notation('m.uri')} END AS h,
        CASE WHEN m.jskos IS NULL THEN ${notation('m.stated')} END AS i
      FROM json_each(${ids}) i JOIN mapping m ON m.id = i.value JOIN relation r ON r.id = m.relation
      JOIN graph g ON g.id = m.id >> ${GRAPH} ORDER BY i.key`,
      'a, b, c, d, e, f, g, h, i',
    )
    return rows.map(([uri, type, source, target, graph, stated, jskos, from, to]) => {
      return { uri, type, source, target, graph, stated, notations: [from, to], jskos }
    })
  }
}

/** Mappings of some relations. */
interface Branch {
  relations: readonly Relation[]
  /** A query for the ids of the mappings of these relations that count; undefined: all of them. */
  candidates: Sql | undefined
}

/** A query for the ids of the mappings of branches, each once. */
function matchingIds(branches: readonly Branch[]): Sql {
  const all = branches.map(({ relations, candidates }) => {
    const ids = relations.map(({ id }) => id)
    const isOf = sql`m.relation IN (SELECT value FROM json_each(${ids}))`
    if (!candidates) return sql`SELECT m.id FROM mapping m WHERE ${isOf}`
    return sql`SELECT m.id FROM (${candidates}) o CROSS JOIN mapping m ON m.id = o.mapping WHERE ${isOf}`
  })
  return joinedSql(all, ' UNION ')
}

/** The same question for the other direction. */
function turn({ from, to, fromScheme, toScheme, ...question }: MappingQuestion): MappingQuestion {
  return { ...question, from: to, to: from, fromScheme: toScheme, toScheme: fromScheme }
}

function fits(relation: Relation, question: MappingQuestion): boolean {
  const { fromScheme, toScheme, types, partOf, creator, isSingle, annotated } = question
  const { source, target, type, notations, concordances } = relation
  const isOf = (name: string | null) =>
    name === null ? concordances.length === 0 : name === ANY ? concordances.length > 0 : concordances.includes(name)
  return (
    (!fromScheme || [source, ...notations[0]].some((name) => fromScheme.includes(name))) &&
    (!toScheme || [target, ...notations[1]].some((name) => toScheme.includes(name))) &&
    (!types || types.includes(type)) &&
    (!partOf || partOf.some(isOf)) &&
    (!creator || creator.some((name) => isCreator(relation.creator.split('\n'), name))) &&
    (!isSingle || relation.isSingle) &&
    (!annotated || isAnnotated(relation.annotations, annotated))
  )
}

function isAnnotated(annotations: Relation['annotations'], filter: AnnotationFilter): boolean {
  const { motivation = 'any', values, creators } = filter
  if (motivation === 'none') return annotations.length === 0 && !values && !creators
  const [isRefused, name] = motivation.startsWith('!') ? [true, motivation.slice(1)] : [false, motivation]
  if (isRefused && annotations.some((annotation) => annotation.motivation === name)) return false
  // A refused motivation alone holds for mappings without any annotation, too.
  if (isRefused && !values && !creators) return true
  return annotations.some(
    (annotation) =>
      (isRefused || name === 'any' || annotation.motivation === name) &&
      (!values || values.includes(annotation.value)) &&
      (!creators || creators.some((creator) => annotation.creators.includes(creator))),
  )
}
