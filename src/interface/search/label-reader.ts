import { GRAPH_SIZE, KIND, kindOf, labelOfGraph, isLabelOf, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { DEPRECATED } from '../../base/namespaces.ts'
import { LABEL_TYPES, LABEL_KINDS, NAME_KINDS, type LabelType } from '../../graph/index/statements.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'
import { isInLanguage } from '../../graph/jskos/names.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { CONCEPT } from '../../base/namespaces.ts'
import { ofLanguage } from './label-language.ts'
import { isInList, setLimits } from './limits.ts'
import { isOfConcepts, Places, type CountedGraph, type IndexScope } from './places.ts'
import { anyOf, inKinds, keyExpression } from './typed-text.ts'
import { readWildcards, type Wildcards } from './wildcards.ts'

/** Asks for the labels of a vocabulary or subset by their first characters. */
export interface LetterQuestion {
  /** The URI of a vocabulary or subset. */
  of: string
  isSubset: boolean
  languages: readonly string[]
  first: readonly string[]
  /** No concepts of this class. */
  without?: string | undefined
}

/** A first character, the number of its labels, and how many of these are preferred. */
export type LetterCount = [first: string, labels: number, preferred: number]

/**
 * A preferred or alternative label; an alternative label comes with the preferred label in its language, if any.
 */
export type LabelEntry = [uri: string, label: string, preferred: string | null, isPreferred: 0 | 1, language: string]

/** Asks for labels one by one, each with its concept. */
export interface MatchQuestion {
  scope: IndexScope
  /** A text with `*` as a wildcard; undefined: the preferred labels of all concepts of `only`. */
  text: string | undefined
  /** Only labels in this language, by the beginning of their tags; undefined: in any. */
  language?: string | undefined
  /** Labels in this language come first if a concept has several and only one is wanted. */
  preferred?: string | undefined
  types?: readonly string[] | undefined
  /** True: collections count as concepts do. */
  withCollections?: boolean
  /** The URIs of the only concepts to find; undefined: all. */
  only?: readonly string[] | undefined
  /** True: also concepts that should not be used any more. */
  withDeprecated?: boolean
  /** True: one label for each concept, the best. */
  isUnique?: boolean
  page: { limit: number; offset: number }
}

/** A label of a concept. */
interface FoundLabel {
  type: LabelType
  language: string
  text: string
}

/** A label that matches, with what the index knows of its concept in one graph. */
export interface LabelMatch extends FoundLabel {
  uri: string
  /** The name of the graph. */
  graph: string
  notation: string | null
  classes: string[]
  /** The preferred labels of the concept. */
  names: [language: string, text: string][]
}

/** Figures of a vocabulary. */
export interface IndexFigures {
  /** Labels by their kind and language. */
  labels: [type: LabelType, language: string, count: number][]
  /** Concepts by their class, and how many of them should not be used any more. */
  classes: [uri: string, concepts: number, deprecated: number][]
}

/** Maximum number of labels that a text with wildcards matches; further ones are left out. */
const MAX_MATCHES = 100_000
/** Maximum number of answers about first characters to keep. */
const MOST_LETTERS = 1000
/** Maximum number of labels of one letter. */
const MAX_ENTRIES = 20_000

/** Reads labels one by one, and counts them. Call it in a transaction. */
export class LabelReader {
  readonly #file: IndexFile
  /** Answers about first characters in a version of the index. */
  readonly #letters = new Map<string, LetterCount[]>()
  #version = -1

  constructor(file: IndexFile) {
    this.#file = file
  }

  /** The first characters of the preferred and alternative labels of a vocabulary or subset, with their numbers. */
  async letters(
    { of, isSubset, languages }: Omit<LetterQuestion, 'first' | 'without'>,
    graphs: readonly CountedGraph[],
    version: number,
  ): Promise<LetterCount[]> {
    if (version !== this.#version) this.#letters.clear()
    this.#version = version
    const key = JSON.stringify([of, languages])
    const letters = this.#letters.get(key) ?? (await this.#countLetters({ of, isSubset, languages }, graphs))
    if (this.#letters.size < MOST_LETTERS) this.#letters.set(key, letters)
    return letters
  }

  async #countLetters(
    { of, isSubset, languages }: Omit<LetterQuestion, 'first' | 'without'>,
    graphs: readonly CountedGraph[],
  ): Promise<LetterCount[]> {
    const places = Places.of(graphs, {
      all: false,
      schemes: isSubset ? [] : [of],
      subsets: isSubset ? [of] : [],
    })
    return this.#file.rows<LetterCount>(
      sql`SELECT substr(l.text, 1, 1) AS a, count(*) AS b, sum(${kindOf('l.id')} = 1) AS c
      FROM (${places.all()}) h CROSS JOIN label l ON ${isLabelOf('h.id', NAME_KINDS)}
      WHERE l.language IN (SELECT value FROM json_each(${languages})) GROUP BY 1`,
      'a, b, c',
    )
  }

  /** The preferred and alternative labels of a vocabulary or subset with these first characters. */
  async entries(
    { of, isSubset, languages, first, without }: LetterQuestion,
    graphs: readonly CountedGraph[],
  ): Promise<LabelEntry[]> {
    const scope = { all: false, schemes: isSubset ? [] : [of], subsets: isSubset ? [of] : [] }
    const beginning = anyOf(first.map((character) => `${keyExpression(character)} *`))
    if (beginning === undefined) return []
    const query = sql`SELECT c.uri AS a, l.text AS b, CASE ${kindOf('l.id')} WHEN 2 THEN
        (SELECT p.text FROM label p WHERE ${isLabelOf('h.id', [1], 'p')}
        AND p.language = l.language LIMIT 1) END AS c, ${kindOf('l.id')} = 1 AS d, l.language AS e
        FROM (${Places.of(graphs, scope, { without }).concepts(inKinds(NAME_KINDS, beginning))}) h JOIN concept c ON c.id = h.id
        JOIN label l ON ${isLabelOf('h.id', NAME_KINDS)} WHERE l.language IN (SELECT value FROM json_each(${languages}))
        AND substr(l.text, 1, 1) IN (SELECT value FROM json_each(${first})) LIMIT ${MAX_ENTRIES}`
    return this.#file.rows<LabelEntry>(query, 'a, b, c, d, e')
  }

  /** The labels that a text with wildcards matches, in the order of their texts in lower case. */
  async matches(question: MatchQuestion, graphs: readonly CountedGraph[]): Promise<LabelMatch[]> {
    const { text, scope, types, withCollections, only, withDeprecated, page } = question
    if (only) await setLimits(this.#file, [only])
    const condition = only ? isInList(0) : undefined
    const without = withDeprecated ? undefined : DEPRECATED
    const places = Places.of(graphs, scope, {
      types,
      withCollections,
      condition,
      without,
    })
    if (text === undefined && !only) return []
    const matching = await this.#matching(question, places)
    const order = matching.map((label) => ({ ...label, key: label.text.toLowerCase() }))
    order.sort(
      (a, b) =>
        compareCodePoints(a.key, b.key) || compareCodePoints(a.language, b.language) || a.id - b.id || a.kind - b.kind,
    )
    return this.#withConcepts(graphs, order.slice(page.offset, page.offset + page.limit))
  }

  async #matching(question: MatchQuestion, places: Places): Promise<MatchingLabel[]> {
    const { text, language, preferred, isUnique } = question
    const kinds = text === undefined ? [1] : LABEL_KINDS
    const inLanguage = language === undefined ? plain('true') : ofLanguage(language)
    const wildcards = readWildcards(text ?? '*')
    const isLike = sql`trim(l.text) LIKE ${wildcards.like} ESCAPE '\\'`
    const rows = await this.#file.rows<[id: number, kind: number, language: string, text: string]>(
      sql`SELECT h.id AS a, ${kindOf('l.id')} AS b, l.language AS c, l.text AS d FROM (${this.#candidates(wildcards, isLike, question, places)}) h
      JOIN label l ON ${isLabelOf('h.id', kinds)} WHERE ${inLanguage} AND ${isLike} LIMIT ${MAX_MATCHES}`,
      'a, b, c, d',
    )
    const matching = rows
      .map(([id, kind, tag, label]) => ({ id, kind, language: tag, text: label }))
      .filter((label) => wildcards.matches(label.text))
    if (!isUnique) return matching
    const isOther = ({ language: tag }: MatchingLabel) => (isInLanguage(tag, preferred) ? 0 : 1)
    const best = new Map<number, MatchingLabel>()
    matching.sort(
      (a, b) =>
        a.kind - b.kind ||
        isOther(a) - isOther(b) ||
        compareCodePoints(a.language, b.language) ||
        compareCodePoints(a.text, b.text),
    )
    for (const label of matching) if (!best.has(label.id)) best.set(label.id, label)
    return [...best.values()]
  }

  /** A query for the ids of concepts among which are all that have a matching label. */
  #candidates({ beginning, isOpen }: Wildcards, isLike: Sql, { text }: MatchQuestion, places: Places): Sql {
    if (text === undefined) return places.accepted(sql`SELECT concept AS id FROM temp.limited WHERE list = 0`)
    if (beginning.trim() !== '') {
      const key = keyExpression(beginning)
      return places.concepts(inKinds(LABEL_KINDS, isOpen ? `${key} *` : key))
    }
    const ids = sql`SELECT DISTINCT l.id >> ${KIND} AS id FROM json_each(${places.graphs.map(({ id }) => id)}) g JOIN label l
      ON ${labelOfGraph('l.id', plain('g.value'))} WHERE ${isLike}`
    return places.accepted(ids)
  }

  /** Labels with their concepts, in the same order. */
  async #withConcepts(graphs: readonly CountedGraph[], labels: readonly MatchingLabel[]): Promise<LabelMatch[]> {
    const ids = [...new Set(labels.map(({ id }) => id))]
    const concepts = await this.#file.rows<[id: number, uri: string, notation: string | null, combination: number]>(
      sql`SELECT c.id AS a, c.uri AS b, c.notation AS c, c.combination AS d FROM json_each(${ids}) i JOIN concept c ON c.id = i.value`,
      'a, b, c, d',
    )
    const names = await this.#file.rows<[id: number, language: string, text: string]>(
      sql`SELECT i.value AS a, l.language AS b, l.text AS c FROM json_each(${ids}) i JOIN label l ON ${isLabelOf('i.value', [1])}`,
      'a, b, c',
    )
    const namesOf = new Map<number, [string, string][]>(ids.map((id) => [id, []]))
    for (const [id, language, text] of names) namesOf.get(id)!.push([language, text])
    const conceptOf = new Map(concepts.map((concept) => [concept[0], concept]))
    return labels.map(({ id, kind, language, text }) => {
      const [, uri, notation, combination] = conceptOf.get(id)!
      const graph = graphs.find((indexed) => indexed.id === Math.floor(id / GRAPH_SIZE))!
      const classes = graph.combinations.find((combined) => combined.id === combination)?.classes ?? []
      const type = LABEL_TYPES[kind]!
      return { uri, graph: graph.uri, notation, classes: [...classes], type, language, text, names: namesOf.get(id)! }
    })
  }

  /** The classes of the concepts of a vocabulary or subset besides skos:Concept. */
  async classes(
    { of, isSubset }: Pick<LetterQuestion, 'of' | 'isSubset'>,
    graphs: readonly CountedGraph[],
  ): Promise<string[]> {
    const all = new Set<string>()
    for (const { id, combinations } of graphs) {
      const ofConcepts = combinations.filter(({ classes }) => isOfConcepts(classes))
      const present = isSubset
        ? await this.#file.values<number>(
            sql`SELECT DISTINCT c.combination FROM graph s JOIN membership m ON m.graph = s.id JOIN concept c ON c.id = m.concept
              WHERE s.uri = ${of} AND s.state = 1 AND ${ofGraph('c.id', id)}`,
            'combination',
          )
        : ofConcepts.flatMap(({ id, schemes, lengths }) => (schemes.includes(of) && lengths.concepts > 0 ? id : []))
      for (const { id: combination, classes } of ofConcepts) {
        if (present.includes(combination)) for (const uri of classes) all.add(uri)
      }
    }
    all.delete(CONCEPT)
    all.delete(DEPRECATED)
    return [...all]
  }

  /** How many labels and concepts a vocabulary or subset has. */
  async figures(
    { of, isSubset }: Pick<LetterQuestion, 'of' | 'isSubset'>,
    graphs: readonly CountedGraph[],
  ): Promise<IndexFigures> {
    const labels = new Map<string, [LabelType, string, number]>()
    const figures = new Map<string, [string, number, number]>()
    const add = (classes: readonly string[], count: number) => {
      const deprecated = classes.includes(DEPRECATED) ? count : 0
      for (const uri of classes.filter((uri) => uri !== DEPRECATED)) {
        const [, all, ofThese] = figures.get(uri) ?? [uri, 0, 0]
        figures.set(uri, [uri, all + count, ofThese + deprecated])
      }
    }
    const isMember = sql`c.id IN (SELECT m.concept FROM graph s JOIN membership m ON m.graph = s.id
        WHERE s.uri = ${of} AND s.state = 1)`
    const isShared = sql`c.id IN (SELECT concept FROM twin)`
    // By the first of their ids.
    const classesOfShared = new Map<number, readonly string[]>()
    for (const { id, combinations, hasTwins } of graphs) {
      const counted = combinations.filter(
        ({ classes, schemes }) => isOfConcepts(classes) && (isSubset || schemes.includes(of)),
      )
      if (counted.length === 0) continue
      const classesOf = (combination: number) => counted.find((combined) => combined.id === combination)!.classes
      const inGraph = sql`${ofGraph('c.id', id)}
          AND c.combination IN (SELECT value FROM json_each(${counted.map((combined) => combined.id)}))
          AND ${isSubset ? isMember : plain('true')}`
      const counts = await this.#file.rows<[combination: number, count: number]>(
        sql`SELECT c.combination AS a, count(*) AS b FROM concept c
          WHERE ${inGraph} ${hasTwins ? sql`AND NOT ${isShared}` : sql``} GROUP BY 1`,
        'a, b',
      )
      for (const [combination, count] of counts) add(classesOf(combination), count)
      if (hasTwins) {
        const shared = await this.#file.rows<[first: number, combination: number]>(
          sql`SELECT t.first AS a, c.combination AS b FROM concept c JOIN twin t ON t.concept = c.id WHERE ${inGraph}`,
          'a, b',
        )
        for (const [first, combination] of shared) {
          const all = [...(classesOfShared.get(first) ?? []), ...classesOf(combination)]
          classesOfShared.set(first, [...new Set(all)])
        }
      }
      const rows = await this.#file.rows<[kind: number, language: string, count: number]>(
        sql`SELECT ${kindOf('l.id')} AS a, l.language AS b, count(*) AS c FROM concept c
          CROSS JOIN label l ON ${isLabelOf('c.id', LABEL_KINDS)} WHERE ${inGraph} GROUP BY 1, 2`,
        'a, b, c',
      )
      for (const [kind, language, count] of rows) {
        const type = LABEL_TYPES[kind]!
        const key = `${type} ${language}`
        labels.set(key, [type, language, (labels.get(key)?.[2] ?? 0) + count])
      }
    }
    for (const classes of classesOfShared.values()) add(classes, 1)
    return { labels: [...labels.values()], classes: [...figures.values()] }
  }
}

/** A label that matches a text with wildcards. */
interface MatchingLabel {
  /** Of its concept. */
  id: number
  kind: number
  language: string
  text: string
}
