import { GRAPH, GRAPH_SIZE, KIND, kindOf, isLabelOf } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { LABEL_TYPES, LABEL_KINDS, NAME_KINDS, NOTATION_KIND, type LabelType } from '../../graph/index/statements.ts'
import { allOf, joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { compareRecords, type SortKey } from '../../graph/jskos/order.ts'
import type { FacetName, Facets, ReplacedWords } from '../read/list.ts'
import { countFacets } from './facets.ts'
import { ofLanguage } from './label-language.ts'
import { isInList, setLimits } from './limits.ts'
import type { ListReader } from './list-reader.ts'
import { LabelHits, type Step, inNotes, inWords, Matches, type Rank, type SearchFields } from './matches.ts'
import { nameCollections, Places, type CountedGraph, type IndexScope } from './places.ts'
import { inKinds, keyExpression, MOST_BEGINNINGS, type TextReader, type TypedText } from './typed-text.ts'
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
  /** Search only labels in this language, given by the beginning of their tags; undefined: in any. */
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

/** The concepts that match a text in one way, and in none of the ways before it, with their number. */
interface Look {
  step: Step
  typed: TypedText
  fields: SearchFields
  places: Places
  total: number
  /** True if `LabelHits` has the labels. */
  isListed: boolean
}

/**
 * Up to this number of hits of a step, hits of a rank are sorted by the length of their labels; beyond it, in the order
 * of records.
 */
const MOST_SORTED = 500
/** Maximum number of labels to list. */
const MOST_LISTED = 5_000
/** Maximum number of notations that a text with wildcards matches; further ones are left out. */
const MOST_NOTATIONS = 10_000

/** Characters by the ids of concepts. */
type Sizes = ReadonlyMap<number, number>

const LABELS_ALONE: SearchFields = { label: true, notation: false }
const NOTHING_TYPED: TypedText = { whole: undefined, beginning: undefined, words: undefined, isOneWord: false }

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
    const looks: Look[] = []
    const look = async (step: Step, typed: TypedText, fields: SearchFields) => {
      const inLanguage = language === undefined ? [] : [matchesInLanguage(typed, fields, language, all)]
      const condition = allOf([...limits, ...inLanguage, ...looks.flatMap(isNotIn)])
      const places = Places.of(graphs, scope, { types, withCollections, condition })
      const counted = await this.#look({ step, typed, fields, places, total: 0, isListed: false })
      if (counted.total > 0) looks.push(counted)
      return counted.total
    }
    const typed = await this.#texts.read(text, all.labels)
    if (fields.notation && text.pattern !== undefined) typed.notated = await this.#notated(text.pattern, fields, all)
    let replaced: ReplacedWords | undefined
    const total = await look('words', typed, { ...fields, notes: [] })
    if (fields.label && total < MOST_BEGINNINGS) {
      const inside = await this.#texts.inside(text, all)
      if (inside && (await look('inside', inside.typed, LABELS_ALONE)) > 0) replaced = inside.replaced
    }
    if (fields.notes) {
      const notes = await this.#texts.notes(text)
      if (notes)
        await look('notes', { ...NOTHING_TYPED, notes }, { label: false, notation: false, notes: fields.notes })
    }
    if (fields.label && looks.length === 0) {
      const variants = await readVariants(this.#file, this.#texts, text, Places.of(graphs, scope))
      if (variants && (await look('words', await this.#texts.read(text, all.labels, variants), LABELS_ALONE)) > 0)
        replaced = new Map([...variants].map(([word, all]) => [word, all.filter((other) => other !== word)]))
    }
    return { ...(await this.#page(looks, question, all)), ...(replaced && { replaced }) }
  }

  /** Counts the concepts of a step. Of several words, it lists the labels, unless there are too many. */
  async #look(look: Look): Promise<Look> {
    const { step, typed, fields, places } = look
    const { words = [], isOneWord } = typed
    const isListed =
      fields.label &&
      words.length > 0 &&
      // Concepts with one word are counted in less time than it takes to list their labels.
      !isOneWord &&
      (await this.#hits.list(step, places.labelsLike(inWords(words), LABEL_KINDS), MOST_LISTED)) < MOST_LISTED
    return { ...look, isListed, total: await this.#count({ ...look, isListed }) }
  }

  /**
   * The concepts with a notation that a text with wildcards matches. If labels count as well, it has to begin with a
   * letter or digit: otherwise all notations would be read for a word of labels.
   *
   * @returns undefined if there are none.
   */
  async #notated(text: string, { label }: SearchFields, all: Places): Promise<number[] | undefined> {
    const { beginning, like, matches } = readWildcards(text)
    if (label && beginning === '') return undefined
    const candidates =
      beginning === '' ? all.all() : all.concepts(inKinds([NOTATION_KIND], `${keyExpression(beginning)} *`))
    const rows = await this.#file.rows<[id: number, notation: string]>(
      sql`SELECT h.id AS a, l.text AS b FROM (${candidates}) h CROSS JOIN label l ON ${isLabelOf('h.id', [NOTATION_KIND])}
      WHERE l.text LIKE ${like} ESCAPE '\\' LIMIT ${MOST_NOTATIONS}`,
      'a, b',
    )
    const ids = new Set(rows.flatMap(([id, notation]) => (matches(notation) ? [id] : [])))
    return ids.size > 0 ? [...ids] : undefined
  }

  /** @param all the places of the question. */
  async #page(looks: readonly Look[], question: IndexQuestion, all: Places): Promise<Found> {
    const total = looks.reduce((sum, look) => sum + look.total, 0)
    const ids: number[] = []
    let { limit, offset } = question.page
    for (const look of looks) {
      if (limit > 0 && offset < look.total) {
        for (const id of await this.#pageOf(look, { limit: Math.min(limit, look.total - offset), offset })) ids.push(id)
      }
      limit = question.page.limit - ids.length
      offset = Math.max(0, offset - look.total)
    }
    const concepts = await this.#describe(ids, all, question)
    if (!question.facets) return { total, concepts }
    const facets = { places: all, total, wanted: question.facets }
    return { total, concepts, facets: await countFacets(this.#file, eitherOf(looks.flatMap(allIn)), facets) }
  }

  /** The numbers of all concepts of a scope by facet; collections do not count, because lists leave them out. */
  async facets({ scope, types, facets, ...limits }: FacetQuestion, graphs: readonly CountedGraph[]): Promise<Facets> {
    const condition = allOf(await this.#limit(limits, graphs))
    const places = Places.of(graphs, scope, { types, condition })
    const total = await this.#file.number(sql`SELECT count(*) FROM (${places.all()})`)
    return countFacets(this.#file, places.all(), { places, total, wanted: facets })
  }

  /** The conditions that concepts are below the wanted ones, and among the wanted URIs. */
  async #limit(
    { below, only }: Pick<IndexQuestion, 'below' | 'only'>,
    graphs: readonly CountedGraph[],
  ): Promise<Sql[]> {
    const limits = [...(below ? [await this.#lists.below(below, graphs)] : []), ...(only ? [only] : [])]
    if (limits.length > 0) await setLimits(this.#file, limits)
    return limits.map((_, list) => isInList(list))
  }

  async #count(look: Look): Promise<number> {
    const all = allIn(look)
    if (all.length === 0) return 0
    const either = eitherOf(all)
    return look.places.hasTwins
      ? this.#file.number(
          sql`SELECT count(DISTINCT coalesce(t.first, h.id)) FROM (${either}) h LEFT JOIN twin t ON t.concept = h.id`,
        )
      : this.#file.number(sql`SELECT count(*) FROM (${either})`)
  }

  /** The ids of the concepts of a page of one step. */
  async #pageOf(look: Look, page: IndexQuestion['page']): Promise<number[]> {
    const { step, typed, fields, places, isListed, total } = look
    const matches = new Matches(step, typed, fields, isListed)
    const whole = matches.whole(places)
    const ranks = whole && !(await isAny(this.#file, whole)) ? matches.ranks(false) : matches.ranks()
    if (total <= MOST_SORTED) {
      return this.#idsBySize([...ranks], matches, places, page)
    }
    if (places.isOrdered) {
      // SQLite goes on to the next rank only if it still needs it.
      const all = joinedSql(
        [...ranks].map((rank) => sql`SELECT id FROM (${rank.ids(places)})`),
        ' UNION ALL ',
      )
      return this.#ids(sql`SELECT id FROM (${all}) LIMIT ${page.limit} OFFSET ${page.offset}`)
    }
    const ids: number[] = []
    // A concept in several graphs can appear at several ranks, so earlier ranks must be read, not skipped.
    let skipped = places.hasTwins ? 0 : page.offset
    const wanted = places.hasTwins ? page.offset + page.limit : page.limit
    const seen = new Set<string>()
    for (const rank of ranks) {
      if (ids.length >= wanted) break
      if (skipped > 0) {
        const count = await this.#file.number(sql`SELECT count(*) FROM (${rank.ids(places)})`)
        if (count <= skipped) {
          skipped -= count
          continue
        }
      }
      for (const id of await this.#idsOf(rank, places, { offset: skipped, limit: wanted - ids.length, seen }))
        ids.push(id)
      skipped = 0
    }
    return places.hasTwins ? ids.slice(page.offset) : ids
  }

  /** Some of the concepts of a rank, in the order of records. */
  async #idsOf(
    rank: Rank,
    places: Places,
    { offset, limit, seen }: { offset: number; limit: number; seen: Set<string> },
  ): Promise<number[]> {
    if (places.graphs.length <= 1) {
      const order = places.isOrdered ? plain('') : plain(' ORDER BY id')
      return this.#ids(sql`SELECT id FROM (${rank.ids(places)})${order} LIMIT ${limit} OFFSET ${offset}`)
    }
    const keys: { id: number; uri: string; place: SortKey }[] = []
    // No graph has a concept twice, so at most the concepts seen before do not count.
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
    const counted = places.hasTwins ? unseen(keys, seen) : keys
    return counted.slice(offset, offset + limit).map(({ id }) => id)
  }

  /** A page of some ranks: of one rank, concepts with a shorter label come first. */
  async #idsBySize(
    ranks: readonly Rank[],
    matches: Matches,
    places: Places,
    page: IndexQuestion['page'],
  ): Promise<number[]> {
    const ids = joinedSql(
      ranks.map((rank, at) => sql`SELECT ${at} AS rank, id FROM (${rank.ids(places)})`),
      ' UNION ALL ',
    )
    // In one graph, ids are in the order of records.
    const isOneGraph = places.graphs.length <= 1
    const rows = await this.#file.rows<
      [rank: number, id: number, uri?: string, key?: string | null, notation?: string | null]
    >(
      isOneGraph ? ids : sql`SELECT h.*, c.uri, c.key, c.notation FROM (${ids}) h JOIN concept c ON c.id = h.id`,
      isOneGraph ? 'rank, id' : 'rank, id, uri, key, notation',
    )
    const sizes = new Map<number, Sizes>()
    let start = 0
    for (const [at, { kind }] of ranks.entries()) {
      const count = rows.filter(([rank]) => rank === at).length
      const isShown = places.hasTwins || (start < page.offset + page.limit && start + count > page.offset)
      if (kind !== undefined && count > 1 && isShown && !sizes.has(kind))
        sizes.set(kind, await this.#readSizes(kind, matches, places))
      start += count
    }
    const graphOf = new Map(places.graphs.map((graph) => [graph.id, graph]))
    const keys = rows.map(([rank, id, uri = '', key = null, notation = null]) => {
      const graph = graphOf.get(Math.floor(id / GRAPH_SIZE))!
      return {
        rank,
        id,
        size: sizes.get(ranks[rank]!.kind ?? 0)?.get(id) ?? 0,
        ...places.sortKeyIn(graph, uri, key, notation),
      }
    })
    keys.sort((a, b) => a.rank - b.rank || a.size - b.size || (isOneGraph ? a.id - b.id : compareRecords(a, b)))
    const counted = places.hasTwins ? unseen(keys, new Set()) : keys
    return counted.slice(page.offset, page.offset + page.limit).map(({ id }) => id)
  }

  /** For each concept, the characters of its shortest label of a kind that matches. */
  async #readSizes(kind: number, matches: Matches, places: Places): Promise<Sizes> {
    const rows = await this.#file.rows<[id: number, size: number]>(
      // CROSS: SQLite can match only in the table that it reads first.
      sql`SELECT l.id >> ${KIND} AS a, min(length(l.text)) AS b FROM (${matches.labels(kind, places)}) m
      CROSS JOIN label l ON l.id = m.id GROUP BY 1`,
      'a, b',
    )
    return new Map(rows)
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
      JOIN label l ON ${isLabelOf('o.other', [NOTATION_KIND, ...NAME_KINDS])}`,
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

/** The queries whose results together are all concepts of a step. */
function allIn({ step, typed, fields, places, isListed }: Look): Sql[] {
  return new Matches(step, typed, fields, isListed).all(places)
}

/** The condition that a concept is not among those of a step, nor is one in another graph that is the same. */
function isNotIn(look: Look): Sql {
  const all = eitherOf(allIn(look))
  if (!look.places.hasTwins) return sql`h.id NOT IN (${all})`
  return sql`coalesce((SELECT t.first FROM twin t WHERE t.concept = h.id), h.id)
    NOT IN (SELECT coalesce(t.first, a.id) FROM (${all}) a LEFT JOIN twin t ON t.concept = a.id)`
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
  const notations = notation && beginning !== undefined ? [all.concepts(inKinds([NOTATION_KIND], beginning))] : []
  const inNote = typed.notes
  const notes = inNote ? (fields.notes ?? []).map((column) => all.concepts(inNotes(column, inNote), 'notes')) : []
  const either = [...labels, ...notations, ...notes].map((query) => sql`SELECT id FROM (${query})`)
  return either.length > 0 ? sql`h.id IN (${joinedSql(either, ' UNION ALL ')})` : plain('false')
}

/** The concepts that were not seen before; adds them to those seen. */
function unseen<Keyed extends { uri: string }>(keys: readonly Keyed[], seen: Set<string>): Keyed[] {
  return keys.filter(({ uri }) => !seen.has(uri) && seen.add(uri))
}
