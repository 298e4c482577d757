import { GRAPH, GRAPH_SIZE, KIND, kindOf, isLabelOf } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { LABEL_TYPES, LABEL_KINDS, NAMES, NOTATION, type LabelType } from '../../graph/index/statements.ts'
import { allOf, joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { compareRecords, type SortKey } from '../../graph/jskos/order.ts'
import type { FacetName, Facets, ReplacedWords } from '../read/list.ts'
import { countFacets } from './facets.ts'
import { ofLanguage } from './label-language.ts'
import { LabelHits, type Step } from './label-hits.ts'
import { isInList, setLimits } from './limits.ts'
import type { ListReader } from './list-reader.ts'
import { inNotes, inWords, Matches, type Rank, type SearchFields } from './matches.ts'
import { nameCollections, Places, type CountedGraph, type IndexScope } from './places.ts'
import {
  inKinds,
  keyExpression,
  MOST_BEGINNINGS,
  type InsideText,
  type TextReader,
  type TypedText,
} from './typed-text.ts'
import { readWildcards } from './wildcards.ts'
import { isAny, readVariants } from './word-variants.ts'
import type { SearchText } from './words.ts'

/** The text to look for, and the place. */
export interface IndexQuestion {
  text: SearchText
  fields: SearchFields
  scope: IndexScope
  /** Only concepts below one of these, given by URI; undefined: all. */
  below?: readonly string[] | undefined
  /** The URIs of the only concepts to find; undefined: all. */
  only?: readonly string[] | undefined
  /** Only concepts and collections of one of these classes, given by URI; undefined: concepts of any. */
  types?: readonly string[] | undefined
  /** The only language of labels to search, by the beginning of their tags; undefined: any. */
  language?: string | undefined
  page: { limit: number; offset: number }
  /** True: the answer has the names of the concepts. */
  withNames?: boolean
  /** What to count the concepts by. */
  facets?: readonly FacetName[]
}

/** Asks for the numbers of all concepts, whatever their labels. */
export type FacetQuestion = Pick<IndexQuestion, 'scope' | 'below' | 'only' | 'types'> & { facets: readonly FacetName[] }

/** A notation, or a preferred or alternative label. Threads exchange arrays faster than objects. */
type ConceptName = [type: Exclude<LabelType, 'hiddenLabel'>, language: string, text: string]

/** A page of the concepts that match, by rank, then in the order of records. */
export interface Found {
  /** The length of the whole list. */
  total: number
  concepts: { uri: string; names?: ConceptName[] }[]
  /** Present if the text itself matches nothing and the text with these words does. */
  replaced?: ReplacedWords
  /** Present if they were asked for. */
  facets?: Facets
}

/** The concepts that match a text in some way, and their number. */
interface Look {
  typed: TypedText
  fields: SearchFields
  places: Places
  /** The labels that are listed. */
  listed: readonly Step[]
  matches: Matches
  total: number
}

/** Of so many hits, those of one rank are in the order of the sizes of their labels; of more, in that of records. */
const MOST_SORTED = 500
/** Labels to list; of more inside of words, some are left out. */
const MOST_LISTED = 5_000
/** Notations that a text with wildcards matches; of more, some are left out. */
const MOST_NOTATIONS = 10_000

/** Finds concepts by typed texts. Call it in a transaction. */
export class ConceptReader {
  readonly #file: IndexFile
  readonly #texts: TextReader
  readonly #lists: ListReader
  readonly #hits: LabelHits

  constructor(file: IndexFile, texts: TextReader, lists: ListReader) {
    this.#file = file
    this.#texts = texts
    this.#lists = lists
    this.#hits = new LabelHits(file)
  }

  /**
   * Finds the concepts that match a text. If there are few, it also looks inside of words; if there are none, it
   * replaces each word that no label has by the nearest words.
   */
  async find(question: IndexQuestion, graphs: readonly CountedGraph[]): Promise<Found> {
    const { text, fields, scope, types, below, only, language } = question
    const limits = await this.#limit({ below, only }, graphs)
    const withCollections = nameCollections(types)
    const all = Places.of(graphs, scope, { withCollections })
    const look = async (typed: TypedText, fields: SearchFields): Promise<Look> => {
      const inLanguage = language === undefined ? [] : [matchesInLanguage(typed, fields, language, all)]
      const condition = allOf([...limits, ...inLanguage])
      return this.#look(typed, fields, Places.of(graphs, scope, { types, withCollections, condition }))
    }
    const typed = await this.#texts.read(text, all.labels)
    if (fields.notation && text.pattern !== undefined) typed.notated = await this.#notated(text.pattern, fields, all)
    if (fields.notes) typed.noted = await this.#texts.noted(text)
    const exact = await look(typed, fields)
    if (!fields.label) return this.#page(exact, question)
    const inside = exact.total < MOST_BEGINNINGS ? await this.#texts.inside(text, all) : undefined
    if (inside) {
      const places = Places.of(graphs, scope, { types, withCollections, condition: allOf(limits) })
      const wider = await this.#lookInside(exact, inside, places, language)
      if (wider.total > exact.total) return { ...(await this.#page(wider, question)), replaced: inside.replaced }
    }
    if (exact.total > 0) return this.#page(exact, question)
    const variants = await readVariants(this.#file, this.#texts, text, Places.of(graphs, scope))
    if (!variants) return this.#page(exact, question)
    const replacement = await look(await this.#texts.read(text, all.labels, variants), { label: true, notation: false })
    if (replacement.total === 0) return this.#page(exact, question)
    const replaced = [...variants].map(([word, all]) => [word, all.filter((other) => other !== word)] as const)
    return { ...(await this.#page(replacement, question)), replaced: new Map(replaced) }
  }

  /** The concepts that match a text. Of few, the labels are listed. */
  async #look(typed: TypedText, fields: SearchFields, places: Places): Promise<Look> {
    const { words = [], isOneWord } = typed
    const hasWords = fields.label && words.length > 0
    await this.#hits.clear()
    const list = async (): Promise<Step[]> => {
      const labels = places.labelsLike(inWords(words), LABEL_KINDS)
      return (await this.#hits.add('words', labels, MOST_LISTED)) < MOST_LISTED ? ['words'] : []
    }
    let listed = hasWords && !isOneWord ? await list() : []
    const total = await this.#count(new Matches(typed, fields, listed), places)
    // Concepts with one word are counted in less time than it takes to list their labels, which only sorting needs.
    if (hasWords && isOneWord && total > 0 && total <= MOST_SORTED) listed = await list()
    return { typed, fields, places, listed, total, matches: new Matches(typed, fields, listed) }
  }

  /** The same concepts, and concepts with some of the words only inside of words, by labels in a language. */
  async #lookInside(exact: Look, { words }: InsideText, places: Places, language: string | undefined): Promise<Look> {
    const { typed, fields } = exact
    const isNew = sql`m.id >> ${KIND} NOT IN (${eitherOf(exact.matches.named(exact.places))})`
    const labels = sql`(${places.labelsLike(inWords(words), LABEL_KINDS)}) m`
    await this.#hits.add(
      'inside',
      language === undefined
        ? sql`SELECT m.id FROM ${labels} WHERE ${isNew}`
        : // CROSS: SQLite can match only in the table that it reads first.
          sql`SELECT m.id FROM ${labels} CROSS JOIN label l ON l.id = m.id WHERE ${isNew} AND ${ofLanguage(language)}`,
      MOST_LISTED,
    )
    const listed: Step[] = [...exact.listed, 'inside']
    const matches = new Matches(typed, fields, listed)
    return { ...exact, listed, matches, total: await this.#count(matches, exact.places) }
  }

  /**
   * The concepts with a notation that a text with wildcards matches. If labels count as well, it has to begin with a
   * letter or digit: otherwise all notations would be read for a word of labels.
   */
  async #notated(text: string, { label }: SearchFields, all: Places): Promise<number[]> {
    const { beginning, like, matches } = readWildcards(text)
    if (label && beginning === '') return []
    const candidates = beginning === '' ? all.all() : all.concepts(inKinds([NOTATION], `${keyExpression(beginning)} *`))
    const rows = await this.#file.rows<[id: number, notation: string]>(
      sql`SELECT h.id AS a, l.text AS b FROM (${candidates}) h CROSS JOIN label l ON ${isLabelOf('h.id', [NOTATION])}
      WHERE l.text LIKE ${like} ESCAPE '\\' LIMIT ${MOST_NOTATIONS}`,
      'a, b',
    )
    return [...new Set(rows.flatMap(([id, notation]) => (matches(notation) ? [id] : [])))]
  }

  async #page(look: Look, question: IndexQuestion): Promise<Found> {
    const { matches, places, total } = look
    const { page } = question
    const ids = page.limit > 0 && page.offset < total ? await this.#pageOf(look, page) : []
    const concepts = await this.#describe(ids, places, question)
    if (!question.facets) return { total, concepts }
    const all = eitherOf(matches.all(places))
    return { total, concepts, facets: await countFacets(this.#file, all, { places, total, wanted: question.facets }) }
  }

  /** The numbers of all concepts of a scope by facet. */
  async facets({ scope, types, facets, ...limits }: FacetQuestion, graphs: readonly CountedGraph[]): Promise<Facets> {
    const condition = allOf(await this.#limit(limits, graphs))
    const places = Places.of(graphs, scope, { types, withCollections: nameCollections(types), condition })
    const total = await this.#file.number(sql`SELECT count(*) FROM (${places.all()})`)
    return countFacets(this.#file, places.all(), { places, total, wanted: facets })
  }

  /** The conditions that concepts are below some others, and among some. */
  async #limit(
    { below, only }: Pick<IndexQuestion, 'below' | 'only'>,
    graphs: readonly CountedGraph[],
  ): Promise<Sql[]> {
    const limits = [...(below ? [await this.#lists.below(below, graphs)] : []), ...(only ? [only] : [])]
    if (limits.length > 0) await setLimits(this.#file, limits)
    return limits.map((_, list) => isInList(list))
  }

  async #count(matches: Matches, places: Places): Promise<number> {
    const all = matches.all(places)
    if (all.length === 0) return 0
    const first = eitherOf(all)
    return places.hasTwins
      ? this.#file.number(
          sql`SELECT count(DISTINCT coalesce(t.first, h.id)) FROM (${first}) h LEFT JOIN twin t ON t.concept = h.id`,
        )
      : this.#file.number(sql`SELECT count(*) FROM (${first})`)
  }

  /** The ids of the concepts of a page. */
  async #pageOf({ matches, places, total, listed }: Look, page: IndexQuestion['page']): Promise<number[]> {
    const ids: number[] = []
    // A concept in several graphs can appear at several ranks, so earlier ranks must be read, not skipped.
    let skipped = places.hasTwins ? 0 : page.offset
    const wanted = Math.min(
      places.hasTwins ? page.offset + page.limit : page.limit,
      places.hasTwins ? total : total - page.offset,
    )
    const seen = new Set<string>()
    const whole = matches.whole(places)
    const ranks = whole && !(await isAny(this.#file, whole)) ? matches.ranks(false) : matches.ranks()
    const bySize = listed.length > 0 && total <= MOST_SORTED
    if (places.isOrdered) {
      // SQLite goes on to the next rank only if it still needs it.
      const all = joinedSql(
        [...ranks].map((rank) => sql`SELECT id FROM (${bySize ? idsBySize(rank, places) : rank.ids(places)})`),
        ' UNION ALL ',
      )
      return this.#ids(sql`SELECT id FROM (${all}) LIMIT ${page.limit} OFFSET ${page.offset}`)
    }
    for (const rank of ranks) {
      if (ids.length >= wanted) break
      if (skipped > 0) {
        const count = await this.#file.number(sql`SELECT count(*) FROM (${rank.ids(places)})`)
        if (count <= skipped) {
          skipped -= count
          continue
        }
      }
      for (const id of await this.#idsOf(rank, places, { offset: skipped, limit: wanted - ids.length, seen, bySize }))
        ids.push(id)
      skipped = 0
    }
    return places.hasTwins ? ids.slice(page.offset) : ids
  }

  /**
   * Some of the concepts of a rank, in the order of records.
   *
   * @param bySize true: those with a shorter label come first.
   */
  async #idsOf(
    rank: Rank,
    places: Places,
    { offset, limit, seen, bySize }: { offset: number; limit: number; seen: Set<string>; bySize: boolean },
  ): Promise<number[]> {
    if (bySize) return this.#idsBySize(rank, places, { offset, limit, seen })
    if (places.graphs.length <= 1) {
      const order = places.isOrdered ? plain('') : plain(' ORDER BY id')
      return this.#ids(sql`SELECT id FROM (${rank.ids(places)})${order} LIMIT ${limit} OFFSET ${offset}`)
    }
    const keys: { id: number; uri: string; place: SortKey }[] = []
    // No graph has a concept twice, so of this many at most those that were seen do not count.
    const most = offset + limit + seen.size
    for (const graph of places.graphs) {
      const inGraph = places.only(graph)
      const order = inGraph.isOrdered ? plain('') : plain(' ORDER BY id')
      const some = sql`SELECT id FROM (${rank.ids(inGraph)})${order} LIMIT ${most}`
      const rows = await this.#file.rows<[id: number, uri: string, key: string | null, notation: string | null]>(
        sql`SELECT c.id AS a, c.uri AS b, c.key AS c, c.notation AS d FROM (${some}) h JOIN concept c ON c.id = h.id`,
        'a, b, c, d',
      )
      // If no id was free between its neighbours, a concept sorts with the concept before it: all pages have the same
      // order.
      let place: SortKey | undefined
      for (const [id, uri, key, notation] of rows) {
        const sortKey = places.sortKeyIn(graph, uri, key, notation)
        if (!place || compareRecords(place, sortKey) < 0) place = sortKey
        keys.push({ id, uri, place })
      }
    }
    keys.sort((a, b) => compareRecords(a.place, b.place))
    return pageOfIds(places.hasTwins ? unseen(keys, seen) : keys, { offset, limit })
  }

  async #idsBySize(
    rank: Rank,
    places: Places,
    { offset, limit, seen }: { offset: number; limit: number; seen: Set<string> },
  ): Promise<number[]> {
    if (places.graphs.length <= 1)
      return this.#ids(sql`SELECT id FROM (${idsBySize(rank, places)}) LIMIT ${limit} OFFSET ${offset}`)
    const rows = await this.#file.rows<
      [id: number, uri: string, key: string | null, notation: string | null, size: number]
    >(
      sql`SELECT c.id AS a, c.uri AS b, c.key AS c, c.notation AS d, coalesce(h.size, 0) AS e FROM (${idsBySize(rank, places)}) h
      JOIN concept c ON c.id = h.id`,
      'a, b, c, d, e',
    )
    const graphOf = new Map(places.graphs.map((graph) => [graph.id, graph]))
    const keys = rows.map(([id, uri, key, notation, size]) => {
      return { id, size, ...places.sortKeyIn(graphOf.get(Math.floor(id / GRAPH_SIZE))!, uri, key, notation) }
    })
    keys.sort((a, b) => a.size - b.size || compareRecords(a, b))
    return pageOfIds(places.hasTwins ? unseen(keys, seen) : keys, { offset, limit })
  }

  async #describe(
    ids: readonly number[],
    { graphs }: Places,
    { withNames }: IndexQuestion,
  ): Promise<Found['concepts']> {
    const uris = await this.#file.rows<[id: number, uri: string]>(
      sql`SELECT c.id, c.uri FROM json_each(${ids}) i JOIN concept c ON c.id = i.value ORDER BY i.key`,
      'id, uri',
    )
    if (!withNames) return uris.map(([, uri]) => ({ uri }))
    const names = new Map<number, ConceptName[]>(ids.map((id) => [id, []]))
    // The names of a concept in other graphs count, too.
    const copies = graphs.some(({ hasTwins }) => hasTwins)
      ? sql`SELECT c.id, o.id AS other FROM json_each(${ids}) i JOIN concept c ON c.id = i.value
        JOIN concept o ON o.uri = c.uri JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
      : sql`SELECT value AS id, value AS other FROM json_each(${ids})`
    const rows = await this.#file.rows<[id: number, kind: number, language: string, text: string]>(
      sql`SELECT o.id AS a, ${kindOf('l.id')} AS b, l.language AS c, l.text AS d FROM (${copies}) o
      JOIN label l ON ${isLabelOf('o.other', [NOTATION, ...NAMES])}`,
      'a, b, c, d',
    )
    for (const [id, kind, language, text] of rows) {
      names.get(id)!.push([LABEL_TYPES[kind] as ConceptName[0], language, text])
    }
    return uris.map(([id, uri]) => ({ uri, names: names.get(id)! }))
  }

  #ids(query: Sql): Promise<number[]> {
    return this.#file.values(query, 'id')
  }
}

/** The ids that some queries give, each once. */
function eitherOf(queries: readonly Sql[]): Sql {
  if (queries.length === 0) return plain('SELECT 0 AS id WHERE false')
  if (queries.length === 1) return queries[0]!
  return joinedSql(
    queries.map((query) => sql`SELECT id FROM (${query})`),
    ' UNION ',
  )
}

/** The ids of a rank with their sizes, the smallest first, then in the order of records. */
function idsBySize({ ids, sizes }: Rank, places: Places): Sql {
  if (!sizes) return sql`SELECT id, NULL AS size FROM (${ids(places)}) ORDER BY id LIMIT -1`
  // Without a limit, SQLite may leave out the order.
  return sql`SELECT r.id, m.size FROM (${ids(places)}) r LEFT JOIN (${sizes(places)}) m ON m.id = r.id
    ORDER BY m.size, r.id LIMIT -1`
}

/** The condition that a label in a language, or a notation, is what makes a concept match. */
function matchesInLanguage(typed: TypedText, fields: SearchFields, language: string, all: Places): Sql {
  const { beginning, words = [] } = typed
  const { label, notation } = fields
  const expression = label && words.length > 0 ? inWords(words) : undefined
  // CROSS: SQLite can match only in the table that it reads first.
  const labels =
    expression === undefined
      ? []
      : [
          sql`SELECT l.id >> ${KIND} AS id FROM (${all.labelsLike(expression, LABEL_KINDS)}) m CROSS JOIN label l ON l.id = m.id
          WHERE ${ofLanguage(language)}`,
        ]
  const notations = notation && beginning !== undefined ? [all.concepts(inKinds([NOTATION], beginning))] : []
  const { noted } = typed
  const notes = noted ? (fields.notes ?? []).map((column) => all.concepts(inNotes(column, noted), 'notes')) : []
  const either = [...labels, ...notations, ...notes].map((query) => sql`SELECT id FROM (${query})`)
  return either.length > 0 ? sql`h.id IN (${joinedSql(either, ' UNION ALL ')})` : plain('false')
}

/** The concepts that were not seen before; notes them as seen. */
function unseen<Keyed extends { uri: string }>(keys: readonly Keyed[], seen: Set<string>): Keyed[] {
  return keys.filter(({ uri }) => !seen.has(uri) && seen.add(uri))
}

function pageOfIds(keys: readonly { id: number }[], { offset, limit }: { offset: number; limit: number }): number[] {
  return keys.slice(offset, offset + limit).map(({ id }) => id)
}
