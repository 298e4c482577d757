import { isInLanguage } from '../jskos/names.ts'
import { compareCodePoints, compareRecords, type SortKey } from '../jskos/order.ts'
import type { ListLengths, ListPage, ListQuestion } from '../read/indexed-lists.ts'
import type { ReplacedWords } from '../read/list.ts'
import { GRAPH, GRAPH_SIZE, KIND, kindOf, labelOfGraph, labelsOf, ofGraph } from '../index/ids.ts'
import type { IndexFile } from '../index/index-file.ts'
import { readIndexedGraphs, type IndexedGraph } from './index-writer.ts'
import { fold, unmarked, wordForm } from './letters.ts'
import { lengthsOf, ListReader } from './list-reader.ts'
import { isOfConcepts, nameCollections, Places, type Graph, type IndexScope } from './places.ts'
import { similarWords } from './similar-words.ts'
import { allOf, beginsWith, joined, plain, sql, type Sql } from '../index/sql.ts'
import { keyMatcher } from './matching.ts'
import { keyOf } from './spellings.ts'
import { anyOf, exactly, inKinds, keyExpression, TextReader, type TypedText, type Variants } from './typed-text.ts'
import { DEPRECATED, LABEL_TYPES, type LabelType } from '../index/statements.ts'
import { readWildcards, type Wildcards } from './wildcards.ts'
import { indexedWords, isCharacter, readSearchText, visibleText, type SearchText } from './words.ts'

/** The fields to search: the parameter `use`. */
export interface SearchFields {
  label: boolean
  notation: boolean
}

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
}

/** A label of a concept. */
interface FoundLabel {
  type: LabelType
  language: string
  text: string
}

/** A notation, or a preferred or alternative label. An array takes less time on its way between threads than an object. */
type ConceptName = [type: Exclude<LabelType, 'hiddenLabel'>, language: string, text: string]

/** A page of the concepts that match, by rank, then in the order of records. */
export interface Found {
  /** The length of the whole list. */
  total: number
  concepts: { uri: string; names?: ConceptName[] }[]
  /** Present if the text itself matches nothing and the text with these words does. */
  replaced?: ReplacedWords
}

/** Names to find concepts for. */
export interface ReconcileQuestion {
  scope: IndexScope
  names: readonly NameToFind[]
  /** Lists of the URIs of concepts, which conditions name by their places. */
  lists: readonly (readonly string[])[]
}

export interface NameToFind {
  /** A name, a notation or a URI; undefined: asks only for `among`. */
  text: string | undefined
  /** True: only a notation or a URI. */
  isIdentifier?: boolean
  /** True: no words with other letters. */
  isExact?: boolean
  types?: readonly string[] | undefined
  allTypes?: boolean
  /** The only languages of labels, by the beginning of their tags; undefined: any. */
  languages?: readonly string[] | undefined
  /** Lists that the concepts have to be in, and lists that they must not be in. */
  only?: readonly number[]
  not?: readonly number[]
  /** A list of which the answer has the concepts that count. */
  among?: number | undefined
}

/** Resources that a name may mean; the caller still has to compare. */
export interface NameMatches {
  /** Concepts with this URI or notation. */
  identified: string[]
  /** Labels that have most in common with the name; rare words count more. */
  labels: [uri: string, type: LabelType, text: string, language: string][]
  /** The URIs of the list `among` that count. */
  among: string[]
}

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

/** A first character, the number of labels, and that of the preferred ones among them. */
export type LetterCount = [first: string, labels: number, preferred: number]

/** A preferred or alternative label; an alternative one with the preferred label in the same language, if there is one. */
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

/** The kinds of labels by their numbers: notation, then preferred, alternative and hidden labels. */
const NOTATION = 0
const LABELS = [1, 2, 3]
/** Preferred and alternative labels. */
const NAMES = [1, 2]

/** Words to try instead of one that finds nothing. */
const MAX_VARIANTS = 8
/** Similar words that are looked for in the vocabularies of the scope. */
const MAX_SIMILAR = 100

/** Labels to compare with a name. */
const MAX_LABELS = 100
/** Of so many labels with the words of a name, those are taken that are about as long. */
const MAX_WEIGHED = 2000
/** Words of a name. */
const MAX_WORDS = 20
/** Words to try that begin like a given one or resemble it; further ones say little about its meaning. */
const MAX_LIKE = 200
/** A word in more labels than this finds none by itself if the name has a rarer word. */
const COMMON = 5000
/** The weights of a word itself, a form of it, a word that begins like it, and a word with a wrong letter. */
const WEIGHTS = { same: 1, form: 0.8, beginning: 0.7, edit: 0.7 }
/** Labels that a text with wildcards matches; of more, some are left out. */
const MAX_MATCHES = 100_000
/** Answers about first characters to keep. */
const MOST_LETTERS = 1000
/** Labels of one letter. */
const MAX_ENTRIES = 20_000

const ALL: IndexScope = { all: true, schemes: [], subsets: [] }

/** Reads the index: one question at a time, all of it from one state of the index. */
export class IndexReader {
  readonly #file: IndexFile
  readonly #texts: TextReader
  readonly #lists: ListReader
  #version = -1
  /** The answers about first characters in this version. */
  readonly #letters = new Map<string, LetterCount[]>()
  #graphs: readonly Graph[] = []

  constructor(file: IndexFile) {
    this.#file = file
    this.#texts = new TextReader(file)
    this.#lists = new ListReader(file)
  }

  /**
   * The concepts that match a text; if there are none, those that match it with the nearest words instead of the words that no label
   * has.
   */
  find(question: IndexQuestion): Promise<Found> {
    return this.reading(async () => {
      const { text, fields, scope, types, below, only, language } = question
      const limits = [...(below ? [await this.#lists.below(below, this.#graphs)] : []), ...(only ? [only] : [])]
      if (limits.length > 0) await this.#setLimits(limits)
      const all = Places.of(this.#graphs, scope, { withCollections: nameCollections(types) })
      const find = async (typed: TypedText, fields: SearchFields) => {
        const conditions = [
          ...limits.map((_, list) => isListed(list)),
          ...(language === undefined ? [] : [matchesInLanguage(typed, fields, language, all)]),
        ]
        const filter = { types, withCollections: nameCollections(types), condition: allOf(conditions) }
        const places = Places.of(this.#graphs, scope, filter)
        return this.#find(typed, places, { ...question, fields })
      }
      const exact = await find(await this.#texts.read(text), fields)
      if (exact.total > 0 || !fields.label) return exact
      const variants = await this.#variantsOf(text, Places.of(this.#graphs, scope))
      if (!variants) return exact
      const found = await find(await this.#texts.read(text, variants), { label: true, notation: false })
      if (found.total === 0) return exact
      const replaced = [...variants].map(([word, all]) => [word, all.filter((other) => other !== word)] as const)
      return { ...found, replaced: new Map(replaced) }
    })
  }

  /** The concepts and labels that some names may mean. */
  reconcile({ scope, names, lists }: ReconcileQuestion): Promise<NameMatches[]> {
    return this.reading(async () => {
      await this.#setLimits(lists)
      const all = Places.of(this.#graphs, scope)
      const known = new Map<string, Promise<WeighedWord[]>>()
      const found: NameMatches[] = []
      for (const name of names) {
        const { only = [], not = [], types, allTypes } = name
        const conditions = [...only.map((list) => isListed(list)), ...not.map((list) => sql`NOT ${isListed(list)}`)]
        const condition = allOf(conditions)
        const places = types || condition ? Places.of(this.#graphs, scope, { types, allTypes, condition }) : all
        const wordsOf = (word: string, typed: string) => {
          const key = JSON.stringify([word, typed, name.isExact])
          let words = known.get(key)
          if (!words) known.set(key, (words = this.#weigh(word, typed, name.isExact === true, all)))
          return words
        }
        found.push({
          identified: name.text === undefined ? [] : await this.#identified(name.text, places),
          labels: name.text === undefined || name.isIdentifier ? [] : await this.#named(name, places, wordsOf),
          among:
            name.among === undefined
              ? []
              : await this.#accepted(sql`SELECT concept AS id FROM temp.limited WHERE list = ${name.among}`, places),
        })
      }
      return found
    })
  }

  /** The URIs of the concepts with a URI, or with a notation in whatever case; within `reading`. */
  identified(text: string): Promise<string[]> {
    return this.#identified(text, Places.of(this.#graphs, ALL))
  }

  async #identified(text: string, places: Places): Promise<string[]> {
    const byUri = await this.#accepted(sql`SELECT id FROM concept WHERE uri = ${text.trim()}`, places)
    const notation = readSearchText(text)?.text
    if (notation === undefined) return byUri
    const found = await this.#file.rows<[uri: string, notation: string]>(
      sql`SELECT c.uri AS a, l.text AS b FROM (${places.concepts(inKinds([NOTATION], keyExpression(notation)))}) h
      JOIN concept c ON c.id = h.id JOIN label l ON ${labelsOf('h.id', [NOTATION])}`,
      'a, b',
    )
    const same = found.filter((one) => visibleText(one[1]).toLowerCase() === notation.toLowerCase()).map(([uri]) => uri)
    return [...new Set([...byUri, ...same])]
  }

  /**
   * A query for the URIs and notations of the concepts with a notation that begins like a text in whatever case; within `reading`.
   *
   * @returns undefined for no text.
   */
  notated(beginning: string): Sql | undefined {
    const text = readSearchText(beginning)?.text
    if (text === undefined) return undefined
    const places = Places.of(this.#graphs, ALL)
    return sql`SELECT c.uri, l.text AS notation FROM (${places.concepts(inKinds([NOTATION], `${keyExpression(text)} *`))}) h
      JOIN concept c ON c.id = h.id JOIN label l ON ${labelsOf('h.id', [NOTATION])}
      WHERE substr(l.text, 1, ${text.length}) = ${text} COLLATE NOCASE`
  }

  /** The URIs of the concepts that count among some. */
  async #accepted(ids: Sql, places: Places): Promise<string[]> {
    const own = places.accepted(ids)
    return this.#file.values(sql`SELECT DISTINCT c.uri FROM (${own}) h JOIN concept c ON c.id = h.id`, 'uri')
  }

  /** The labels that have most in common with a name. */
  async #named(
    { text = '', languages }: NameToFind,
    places: Places,
    wordsOf: (word: string, typed: string) => Promise<WeighedWord[]>,
  ): Promise<NameMatches['labels']> {
    const searched = readSearchText(text)
    if (!searched) return []
    const inLanguages = languages ? sql`WHERE ${ofLanguages(languages)}` : plain('')
    const typed = new Map(
      indexedWords(searched.text)
        .slice(0, MAX_WORDS)
        .map((word) => [fold(word), unmarked(word)]),
    )
    const words: WeighedWord[][] = []
    for (const [folded, unfolded] of typed) words.push(await wordsOf(folded, unfolded))
    const frequency = (some: readonly WeighedWord[]) => some.reduce((sum, { count }) => sum + count, 0)
    const byRarity = words.filter((some) => some.length > 0).sort((a, b) => frequency(a) - frequency(b))
    const rare = byRarity.filter((some, at) => at === 0 || frequency(some) <= COMMON)
    if (rare.length === 0) return this.#equal(searched, places, inLanguages)
    const value = ({ weight, count }: WeighedWord) => weight * Math.log(1 + places.labels / count)
    const finding = anyOf(rare.flat().map(({ expression }) => expression))!
    const weighed = byRarity.flatMap((some) =>
      some.map((one) => {
        const expression = rare.includes(some) ? one.expression : `(${one.expression}) AND (${finding})`
        return sql`SELECT id, CAST(${String(value(one))} AS REAL) AS v FROM (${places.labelsLike(expression)})`
      }),
    )
    // Among labels with the same words, shorter ones are nearer.
    const rows = await this.#file.rows<LabelRow>(
      sql`SELECT c.uri AS a, ${kindOf('l.id')} AS b, l.text AS c, l.language AS d FROM
      (SELECT id, sum(v) AS v FROM (${joined(weighed, ' UNION ALL ')}) GROUP BY id ORDER BY 2 DESC LIMIT ${MAX_WEIGHED}) s
      CROSS JOIN label l ON l.id = s.id JOIN concept c ON c.id = l.id >> ${KIND} ${inLanguages}
      ORDER BY s.v / (20 + length(l.text)) DESC LIMIT ${MAX_LABELS}`,
      'a, b, c, d',
    )
    // If there are fewer, no label was left out before its language was looked at.
    const isWhole = rows.length < MAX_LABELS && !languages
    return [...(isWhole ? [] : await this.#equal(searched, places, inLanguages)), ...rows.map(foundLabel)]
  }

  /** The labels that equal a name: by their words they need not stand out among thousands. */
  async #equal(searched: SearchText, places: Places, inLanguages: Sql): Promise<NameMatches['labels']> {
    const { whole } = await this.#texts.read(searched)
    if (whole === undefined) return []
    const rows = await this.#file.rows<LabelRow>(
      sql`SELECT c.uri AS a, ${kindOf('l.id')} AS b, l.text AS c, l.language AS d
      FROM (${places.concepts(inKinds(LABELS, whole))}) h JOIN concept c ON c.id = h.id
      JOIN label l ON ${labelsOf('h.id', LABELS)} ${inLanguages} LIMIT ${MAX_WEIGHED}`,
      'a, b, c, d',
    )
    const match = keyMatcher(searched.text)
    const equal = rows.filter(([, , label]) => match(keyOf(label)) === 'whole')
    return equal.slice(0, MAX_LABELS).map(foundLabel)
  }

  /** The words of labels that a word may mean, with their weights; a label has one of them at most. */
  async #weigh(word: string, typed: string, isExact: boolean, places: Places): Promise<WeighedWord[]> {
    const weighed: WeighedWord[] = []
    const seen = new Set<string>()
    const add = async (spellings: readonly string[], weight: number) => {
      const others = spellings.filter((spelling) => !seen.has(spelling) && seen.add(spelling))
      const expression = anyOf(others.map(exactly))
      if (expression === undefined) return
      const better = weighed.map((one) => one.expression).join(' OR ')
      const own = better === '' ? expression : `(${expression}) NOT (${better})`
      const count = await this.#file.number(sql`SELECT count(*) FROM (${places.labelsLike(own)})`)
      if (count > 0) weighed.push({ expression: own, weight, count })
    }
    const spelled = (condition: Sql) =>
      this.#file.values<string>(
        sql`SELECT spelling FROM word WHERE ${condition} ORDER BY folded LIMIT ${MAX_LIKE}`,
        'spelling',
      )
    await add(isCharacter(word) ? [word] : await spelled(sql`folded = ${word}`), WEIGHTS.same)
    const isKnown = weighed.length > 0
    if (isKnown && weighed[0]!.count > COMMON) return weighed
    if (!isCharacter(word)) {
      await add(await spelled(sql`form = ${wordForm(word)}`), WEIGHTS.form)
      await add(await spelled(beginsWith('folded', word)), WEIGHTS.beginning)
    }
    if (isKnown || isExact) return weighed
    const others = weighed.length
    for (const most of [1, 2] as const) {
      const similar = await similarWords(this.#file, [word, typed], { most })
      for (const edits of [0, 1, 2]) {
        const some = similar.filter((one) => one.edits === edits).map((one) => one.word)
        await add(some.slice(0, MAX_LIKE), WEIGHTS.edit ** edits)
      }
      // To look for words with two wrong letters takes longer, and the others are more likely.
      if (weighed.length > others) break
    }
    return weighed
  }

  /** The first characters of the preferred and alternative labels of a vocabulary or subset, with the numbers of labels. */
  letters({ of, isSubset, languages }: Omit<LetterQuestion, 'first' | 'without'>): Promise<LetterCount[]> {
    return this.reading(async () => {
      const key = JSON.stringify([of, languages])
      const letters = this.#letters.get(key) ?? (await this.#countLetters({ of, isSubset, languages }))
      if (this.#letters.size < MOST_LETTERS) this.#letters.set(key, letters)
      return letters
    })
  }

  async #countLetters({ of, isSubset, languages }: Omit<LetterQuestion, 'first' | 'without'>): Promise<LetterCount[]> {
    const places = Places.of(this.#graphs, {
      all: false,
      schemes: isSubset ? [] : [of],
      subsets: isSubset ? [of] : [],
    })
    return this.#file.rows<LetterCount>(
      sql`SELECT substr(l.text, 1, 1) AS a, count(*) AS b, sum(${kindOf('l.id')} = 1) AS c
      FROM (${places.all()}) h CROSS JOIN label l ON ${labelsOf('h.id', NAMES)}
      WHERE l.language IN (SELECT value FROM json_each(${languages})) GROUP BY 1`,
      'a, b, c',
    )
  }

  /** The preferred and alternative labels of a vocabulary or subset with these first characters. */
  entries({ of, isSubset, languages, first, without }: LetterQuestion): Promise<LabelEntry[]> {
    return this.reading(() => {
      const scope = { all: false, schemes: isSubset ? [] : [of], subsets: isSubset ? [of] : [] }
      const beginning = anyOf(first.map((character) => `${keyExpression(character)} *`))
      if (beginning === undefined) return Promise.resolve([])
      const query = sql`SELECT c.uri AS a, l.text AS b, CASE ${kindOf('l.id')} WHEN 2 THEN
        (SELECT p.text FROM label p WHERE ${labelsOf('h.id', [1], 'p')}
        AND p.language = l.language LIMIT 1) END AS c, ${kindOf('l.id')} = 1 AS d, l.language AS e
        FROM (${Places.of(this.#graphs, scope, { without }).concepts(inKinds(NAMES, beginning))}) h JOIN concept c ON c.id = h.id
        JOIN label l ON ${labelsOf('h.id', NAMES)} WHERE l.language IN (SELECT value FROM json_each(${languages}))
        AND substr(l.text, 1, 1) IN (SELECT value FROM json_each(${first})) LIMIT ${MAX_ENTRIES}`
      return this.#file.rows<LabelEntry>(query, 'a, b, c, d, e')
    })
  }

  /** The labels that a text with wildcards matches, in the order of their texts in lower case. */
  matches(question: MatchQuestion): Promise<LabelMatch[]> {
    return this.reading(async () => {
      const { text, scope, types, withCollections, only, withDeprecated, page } = question
      if (only) await this.#setLimits([only])
      const condition = only ? isListed(0) : undefined
      const without = withDeprecated ? undefined : DEPRECATED
      const places = Places.of(this.#graphs, scope, {
        types,
        withCollections,
        condition,
        without,
      })
      if (text === undefined && !only) return []
      const found = await this.#matching(question, places)
      const order = found.map((one) => ({ ...one, key: one.text.toLowerCase() }))
      order.sort(
        (a, b) =>
          compareCodePoints(a.key, b.key) ||
          compareCodePoints(a.language, b.language) ||
          a.id - b.id ||
          a.kind - b.kind,
      )
      return this.#withConcepts(order.slice(page.offset, page.offset + page.limit))
    })
  }

  async #matching(question: MatchQuestion, places: Places): Promise<MatchingLabel[]> {
    const { text, language, preferred, isUnique } = question
    const kinds = text === undefined ? [1] : LABELS
    const inLanguage = language === undefined ? plain('true') : ofLanguage(language)
    const wildcards = readWildcards(text ?? '*')
    const isLike = sql`trim(l.text) LIKE ${wildcards.like} ESCAPE '\\'`
    const rows = await this.#file.rows<[id: number, kind: number, language: string, text: string]>(
      sql`SELECT h.id AS a, ${kindOf('l.id')} AS b, l.language AS c, l.text AS d FROM (${this.#candidates(wildcards, isLike, question, places)}) h
      JOIN label l ON ${labelsOf('h.id', kinds)} WHERE ${inLanguage} AND ${isLike} LIMIT ${MAX_MATCHES}`,
      'a, b, c, d',
    )
    const found = rows
      .map(([id, kind, tag, label]) => ({ id, kind, language: tag, text: label }))
      .filter((one) => wildcards.matches(one.text))
    if (!isUnique) return found
    const isOther = ({ language: tag }: MatchingLabel) => (isInLanguage(tag, preferred) ? 0 : 1)
    const best = new Map<number, MatchingLabel>()
    found.sort(
      (a, b) =>
        a.kind - b.kind ||
        isOther(a) - isOther(b) ||
        compareCodePoints(a.language, b.language) ||
        compareCodePoints(a.text, b.text),
    )
    for (const one of found) if (!best.has(one.id)) best.set(one.id, one)
    return [...best.values()]
  }

  /** A query for the ids of concepts among which are all that have a matching label. */
  #candidates({ beginning, isOpen }: Wildcards, isLike: Sql, { text }: MatchQuestion, places: Places): Sql {
    if (text === undefined) return places.accepted(sql`SELECT concept AS id FROM temp.limited WHERE list = 0`)
    if (beginning.trim() !== '') {
      const key = keyExpression(beginning)
      return places.concepts(inKinds(LABELS, isOpen ? `${key} *` : key))
    }
    const ids = sql`SELECT DISTINCT l.id >> ${KIND} AS id FROM json_each(${places.graphs.map(({ id }) => id)}) g JOIN label l
      ON ${labelOfGraph('l.id', plain('g.value'))} WHERE ${isLike}`
    return places.accepted(ids)
  }

  /** Labels with their concepts, in the same order. */
  async #withConcepts(labels: readonly MatchingLabel[]): Promise<LabelMatch[]> {
    const ids = [...new Set(labels.map(({ id }) => id))]
    const concepts = await this.#file.rows<[id: number, uri: string, notation: string | null, combination: number]>(
      sql`SELECT c.id AS a, c.uri AS b, c.notation AS c, c.combination AS d FROM json_each(${ids}) i JOIN concept c ON c.id = i.value`,
      'a, b, c, d',
    )
    const names = await this.#file.rows<[id: number, language: string, text: string]>(
      sql`SELECT i.value AS a, l.language AS b, l.text AS c FROM json_each(${ids}) i JOIN label l ON ${labelsOf('i.value', [1])}`,
      'a, b, c',
    )
    const namesOf = new Map<number, [string, string][]>(ids.map((id) => [id, []]))
    for (const [id, language, text] of names) namesOf.get(id)!.push([language, text])
    const conceptOf = new Map(concepts.map((one) => [one[0], one]))
    return labels.map(({ id, kind, language, text }) => {
      const [, uri, notation, combination] = conceptOf.get(id)!
      const graph = this.#graphs.find((one) => one.id === Math.floor(id / GRAPH_SIZE))!
      const classes = graph.combinations.find((one) => one.id === combination)?.classes ?? []
      const type = LABEL_TYPES[kind]!
      return { uri, graph: graph.uri, notation, classes: [...classes], type, language, text, names: namesOf.get(id)! }
    })
  }

  /** How many labels and concepts a vocabulary or subset has. */
  figures({ of, isSubset }: Pick<LetterQuestion, 'of' | 'isSubset'>): Promise<IndexFigures> {
    return this.reading(async () => {
      const labels = new Map<string, [LabelType, string, number]>()
      const classes = new Map<string, [string, number, number]>()
      const isMember = sql`c.id IN (SELECT m.concept FROM graph s JOIN membership m ON m.graph = s.id
        WHERE s.uri = ${of} AND s.state = 1)`
      for (const { id, combinations } of this.#graphs) {
        const own = combinations.filter(
          ({ classes, schemes }) => isOfConcepts(classes) && (isSubset || schemes.includes(of)),
        )
        if (own.length === 0) continue
        const inGraph = sql`${ofGraph('c.id', id)}
          AND c.combination IN (SELECT value FROM json_each(${own.map((one) => one.id)}))
          AND ${isSubset ? isMember : plain('true')}`
        const counts = await this.#file.rows<[combination: number, count: number]>(
          sql`SELECT c.combination AS a, count(*) AS b FROM concept c WHERE ${inGraph} GROUP BY 1`,
          'a, b',
        )
        for (const [combination, count] of counts) {
          const all = own.find((one) => one.id === combination)!.classes
          const deprecated = all.includes(DEPRECATED) ? count : 0
          for (const uri of all.filter((one) => one !== DEPRECATED)) {
            const known = classes.get(uri)
            if (!known) classes.set(uri, [uri, count, deprecated])
            else classes.set(uri, [uri, known[1] + count, known[2] + deprecated])
          }
        }
        const rows = await this.#file.rows<[kind: number, language: string, count: number]>(
          sql`SELECT ${kindOf('l.id')} AS a, l.language AS b, count(*) AS c FROM concept c
          CROSS JOIN label l ON ${labelsOf('c.id', LABELS)} WHERE ${inGraph} GROUP BY 1, 2`,
          'a, b, c',
        )
        for (const [kind, language, count] of rows) {
          const type = LABEL_TYPES[kind]!
          const key = `${type} ${language}`
          labels.set(key, [type, language, (labels.get(key)?.[2] ?? 0) + count])
        }
      }
      return { labels: [...labels.values()], classes: [...classes.values()] }
    })
  }

  /** A page of a list of a vocabulary; undefined if the index does not have the whole list in this revision. */
  page(question: ListQuestion): Promise<ListPage | undefined> {
    return this.reading(() => this.#lists.page(question, this.#graphs, this.#version))
  }

  /** The URIs of all concepts below some. */
  below(uris: readonly string[]): Promise<string[]> {
    return this.reading(async () => {
      const ids = await this.#lists.below(uris, this.#graphs)
      return this.#file.values(sql`SELECT DISTINCT c.uri FROM (${ids}) i JOIN concept c ON c.id = i.id`, 'uri')
    })
  }

  /** The number of concepts before one among those of a vocabulary that no top concept reaches; undefined if it is none of them. */
  unreachedBefore(uri: string, of: string): Promise<number | undefined> {
    return this.reading(() => this.#lists.unreachedBefore(uri, of))
  }

  /** The contents of the index. */
  state(): Promise<{ graphs: (IndexedGraph & { lengths: ListLengths })[]; isComplete: boolean }> {
    return this.reading(async () => ({
      graphs: [...(await readIndexedGraphs(this.#file)).values()].map((one) => ({
        ...one,
        lengths: lengthsOf(this.#graphs.find(({ uri }) => uri === one.uri)!),
      })),
      isComplete: (await this.#file.number(sql`SELECT value FROM meta WHERE name = 'complete'`)) === 1,
    }))
  }

  async #find(typed: TypedText, places: Places, question: IndexQuestion): Promise<Found> {
    const { fields, page } = question
    const matches = new Matches(typed, fields)
    const total = await this.#count(matches, places)
    const ids = page.limit > 0 && page.offset < total ? await this.#pageOf(matches, places, page, total) : []
    return { total, concepts: await this.#describe(ids, places, question) }
  }

  async #count(matches: Matches, places: Places): Promise<number> {
    const all = matches.all(places)
    if (all.length === 0) return 0
    const first =
      all.length === 1
        ? all[0]!
        : joined(
            all.map((one) => sql`SELECT id FROM (${one})`),
            ' UNION ',
          )
    return places.hasTwins
      ? this.#file.number(
          sql`SELECT count(DISTINCT coalesce(t.first, h.id)) FROM (${first}) h LEFT JOIN twin t ON t.concept = h.id`,
        )
      : this.#file.number(sql`SELECT count(*) FROM (${first})`)
  }

  /** The ids of the concepts of a page. */
  async #pageOf(matches: Matches, places: Places, page: IndexQuestion['page'], total: number): Promise<number[]> {
    const ids: number[] = []
    // Concepts that are in several graphs may have several ranks, so nothing can be skipped unseen.
    let skipped = places.hasTwins ? 0 : page.offset
    const wanted = Math.min(
      places.hasTwins ? page.offset + page.limit : page.limit,
      places.hasTwins ? total : total - page.offset,
    )
    const seen = new Set<string>()
    const whole = matches.whole(places)
    const ranks = whole && !(await this.#isAny(whole)) ? matches.ranks(false) : matches.ranks()
    if (places.isOrdered) {
      // SQLite goes on to the next rank only if it still needs it.
      const all = joined(
        [...ranks].map((rank) => sql`SELECT id FROM (${rank(places)})`),
        ' UNION ALL ',
      )
      return this.#ids(sql`SELECT id FROM (${all}) LIMIT ${page.limit} OFFSET ${page.offset}`)
    }
    for (const rank of ranks) {
      if (ids.length >= wanted) break
      if (skipped > 0) {
        const count = await this.#file.number(sql`SELECT count(*) FROM (${rank(places)})`)
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
    rank: RankSql,
    places: Places,
    { offset, limit, seen }: { offset: number; limit: number; seen: Set<string> },
  ): Promise<number[]> {
    if (places.graphs.length <= 1) {
      const order = places.isOrdered ? plain('') : plain(' ORDER BY id')
      return this.#ids(sql`SELECT id FROM (${rank(places)})${order} LIMIT ${limit} OFFSET ${offset}`)
    }
    const keys: { id: number; uri: string; place: SortKey }[] = []
    // No graph has a concept twice, so of this many at most those that were seen do not count.
    const most = offset + limit + seen.size
    for (const graph of places.graphs) {
      const own = places.only(graph)
      const order = own.isOrdered ? plain('') : plain(' ORDER BY id')
      const some = sql`SELECT id FROM (${rank(own)})${order} LIMIT ${most}`
      const rows = await this.#file.rows<[id: number, uri: string, notation: string | null]>(
        sql`SELECT c.id AS a, c.uri AS b, c.notation AS c FROM (${some}) h JOIN concept c ON c.id = h.id`,
        'a, b, c',
      )
      // A concept for which there was no id at its place counts with the one before it, so that all pages have one order.
      let place: SortKey | undefined
      for (const [id, uri, notation] of rows) {
        const own = { uri, key: notation ?? undefined }
        if (!place || compareRecords(place, own) < 0) place = own
        keys.push({ id, uri, place })
      }
    }
    keys.sort((a, b) => compareRecords(a.place, b.place))
    const isNew = ({ uri }: { uri: string }) => !seen.has(uri) && seen.add(uri)
    return (places.hasTwins ? keys.filter(isNew) : keys).slice(offset, offset + limit).map(({ id }) => id)
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
    const own = graphs.some(({ hasTwins }) => hasTwins)
      ? sql`SELECT c.id, o.id AS other FROM json_each(${ids}) i JOIN concept c ON c.id = i.value
        JOIN concept o ON o.uri = c.uri JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
      : sql`SELECT value AS id, value AS other FROM json_each(${ids})`
    const rows = await this.#file.rows<[id: number, kind: number, language: string, text: string]>(
      sql`SELECT o.id AS a, ${kindOf('l.id')} AS b, l.language AS c, l.text AS d FROM (${own}) o
      JOIN label l ON ${labelsOf('o.other', [NOTATION, ...NAMES])}`,
      'a, b, c, d',
    )
    for (const [id, kind, language, text] of rows) {
      names.get(id)!.push([LABEL_TYPES[kind] as ConceptName[0], language, text])
    }
    return uris.map(([id, uri]) => ({ uri, names: names.get(id)! }))
  }

  /**
   * The words that a text may mean if it finds nothing: the nearest words, with one or two different letters. A word that a
   * label has stays as it is; one that only begins words of labels stays among its own variants.
   *
   * @param places with all concepts of the scope.
   * @returns undefined if a word is neither known nor similar to a known one, or if there is nothing to try.
   */
  async #variantsOf({ words }: SearchText, places: Places): Promise<Variants | undefined> {
    const variants = new Map<string, string[]>()
    for (const word of words) {
      if (await this.#isWord(word, places)) continue
      const beginning = await this.#texts.beginning(word)
      const isBeginning = beginning !== undefined && (await this.#isThere(beginning, places))
      const similar = await this.#nearest(word, !isBeginning && word === words.at(-1), places)
      if (similar.length > 0) variants.set(word, isBeginning ? [word, ...similar] : similar)
      else if (!isBeginning) return undefined
    }
    return variants.size > 0 ? variants : undefined
  }

  /** The nearest words; if there are none and the word may be incomplete, the nearest longer ones. */
  async #nearest(word: string, mayGoOn: boolean, places: Places): Promise<string[]> {
    for (const goesOn of mayGoOn ? [false, true] : [false]) {
      for (const most of [1, 2] as const) {
        const similar = await similarWords(this.#file, [fold(word), unmarked(word)], { most, isBeginning: goesOn })
        for (const edits of [0, 1, 2]) {
          const equal = similar.filter((one) => one.edits === edits).slice(0, MAX_SIMILAR)
          const found: { word: string; count: number }[] = []
          for (const one of equal) {
            const count = await this.#file.number(sql`SELECT count(*) FROM (${places.labelsLike(exactly(one.word))})`)
            if (count > 0) found.push({ word: one.word, count })
          }
          if (found.length === 0) continue
          return found
            .sort((a, b) => b.count - a.count)
            .slice(0, MAX_VARIANTS)
            .map((one) => one.word)
        }
      }
    }
    return []
  }

  /** True if a label has this word in a spelling that a search for it finds: "isral" is the folded form of "Israel", but no spelling. */
  async #isWord(word: string, places: Places): Promise<boolean> {
    const spellings = await this.#file.values<string>(
      sql`SELECT spelling FROM word WHERE folded = ${fold(word)}`,
      'spelling',
    )
    const match = keyMatcher(word)
    const expression = anyOf(spellings.filter((one) => match(keyOf(one)) === 'whole').map(exactly))
    return expression !== undefined && this.#isThere(expression, places)
  }

  #isThere(expression: string, places: Places): Promise<boolean> {
    return this.#isAny(places.labelsLike(expression))
  }

  /** True if a query for ids gives one. */
  async #isAny(ids: Sql): Promise<boolean> {
    return (await this.#file.number(sql`SELECT count(*) FROM (SELECT id FROM (${ids}) LIMIT 1)`)) > 0
  }

  /** Runs work on one state of the index, which `version` names. */
  reading<T>(work: (version: number) => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN', async () => {
      const version = await this.#file.number(sql`SELECT value FROM meta WHERE name = 'version'`)
      if (version !== this.#version) {
        this.#letters.clear()
        this.#graphs = await this.#readGraphs()
        this.#version = version
      }
      return work(version)
    })
  }

  async #readGraphs(): Promise<Graph[]> {
    const file = this.#file
    const graphs = await file.rows<[id: number, uri: string, labels: number]>(
      sql`SELECT id, uri, labels FROM graph WHERE state = 1`,
      'id, uri, labels',
    )
    const combinations = await file.rows<
      [graph: number, id: number, classes: string, schemes: string, concepts: number, top: number, unreached: number]
    >(
      sql`SELECT c.* FROM combination c JOIN graph g ON g.id = c.graph AND g.state = 1`,
      'graph, id, classes, schemes, concepts, top, unreached',
    )
    const twins = new Set(await this.#ids(sql`SELECT DISTINCT concept >> ${GRAPH} AS id FROM twin`))
    const subsets = await file.rows<[subset: string, graph: number]>(
      sql`SELECT DISTINCT g.uri AS a, m.concept >> ${GRAPH} AS b FROM membership m JOIN graph g ON g.id = m.graph AND g.state = 1`,
      'a, b',
    )
    const words = (text: string) => text.split(' ').filter(Boolean)
    return graphs.map(([id, uri, labels]) => ({
      id,
      uri,
      labels,
      combinations: combinations.flatMap(([graph, combination, classes, schemes, concepts, topConcepts, unreached]) => {
        if (graph !== id) return []
        const lengths = { concepts, topConcepts, unreached }
        return [{ id: combination, classes: words(classes), schemes: words(schemes), lengths }]
      }),
      subsets: new Set(subsets.flatMap(([subset, graph]) => (graph === id ? [subset] : []))),
      hasTwins: twins.has(id),
    }))
  }

  /** Puts the ids of concepts into a table of this connection, one list after the other. @param lists URIs, or queries for ids. */
  async #setLimits(lists: readonly (readonly string[] | Sql)[]): Promise<void> {
    await this.#file.run(
      plain(
        'CREATE TEMP TABLE IF NOT EXISTS limited (list INTEGER, concept INTEGER, PRIMARY KEY (list, concept)) WITHOUT ROWID',
      ),
    )
    await this.#file.run(plain('DELETE FROM temp.limited'))
    for (const [list, of] of lists.entries()) {
      const ids = 'text' in of ? of : sql`SELECT c.id FROM json_each(${of}) u JOIN concept c ON c.uri = u.value`
      await this.#file.run(sql`INSERT OR IGNORE INTO temp.limited SELECT ${list}, id FROM (${ids})`)
    }
  }

  #ids(query: Sql): Promise<number[]> {
    return this.#file.values(query, 'id')
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

/** Words of labels that a word may mean. */
interface WeighedWord {
  /** For `labels`. */
  expression: string
  weight: number
  /** The number of labels. */
  count: number
}

type LabelRow = [uri: string, kind: number, text: string, language: string]

function foundLabel([uri, kind, text, language]: LabelRow): NameMatches['labels'][number] {
  return [uri, LABEL_TYPES[kind]!, text, language]
}

/** The condition that `l` is in a language, whatever else its tag says (RFC 4647, section 3.3.1). */
function ofLanguage(language: string): Sql {
  const tag = language.toLowerCase()
  const [first, last] = [`${tag}-`, `${tag}.`]
  return sql`(lower(l.language) = ${tag} OR lower(l.language) >= ${first} AND lower(l.language) < ${last})`
}

/** The condition that `l` is in one of some languages. */
function ofLanguages(languages: readonly string[]): Sql {
  return languages.length > 0 ? sql`(${joined(languages.map(ofLanguage), ' OR ')})` : plain('false')
}

/** The condition that a label in a language, or a notation, is what makes a concept match. */
function matchesInLanguage(
  { words = [], beginning }: TypedText,
  { label, notation }: SearchFields,
  language: string,
  all: Places,
): Sql {
  const expression = label && words.length > 0 ? inWords(words) : undefined
  // CROSS: SQLite can match only in the table that it reads first.
  const labels =
    expression === undefined
      ? []
      : [
          sql`SELECT l.id >> ${KIND} AS id FROM (${all.labelsLike(expression, LABELS)}) m CROSS JOIN label l ON l.id = m.id
          WHERE ${ofLanguage(language)}`,
        ]
  const notations = notation && beginning !== undefined ? [all.concepts(inKinds([NOTATION], beginning))] : []
  const either = [...labels, ...notations].map((one) => sql`SELECT id FROM (${one})`)
  return either.length > 0 ? sql`h.id IN (${joined(either, ' UNION ALL ')})` : plain('false')
}

/** The condition that a concept is in a list. */
function isListed(list: number): Sql {
  return sql`h.id IN (SELECT concept FROM temp.limited WHERE list = ${list})`
}

/** Gives the ids of the concepts of a rank. */
type RankSql = (places: Places) => Sql

/** The concepts that match a typed text: whole labels first, then their beginnings, then the words; in each, by the kind of label. */
class Matches {
  readonly #typed: TypedText
  readonly #kinds: readonly number[]
  readonly #labels: readonly number[]

  constructor(typed: TypedText, fields: SearchFields) {
    this.#typed = typed
    // A text without words matches no label.
    const hasLabels = fields.label && typed.words !== undefined && typed.words.length > 0
    this.#labels = hasLabels ? LABELS : []
    this.#kinds = [...(fields.notation ? [NOTATION] : []), ...this.#labels]
  }

  /** The queries whose results together are all matches. */
  all(places: Places): Sql[] {
    const { beginning, words = [], isOneWord } = this.#typed
    const notations = this.#kinds.includes(NOTATION) && beginning !== undefined ? [inKinds([NOTATION], beginning)] : []
    if (this.#labels.length === 0) return notations.map((expression) => places.concepts(expression))
    if (isOneWord) return [places.concepts([inKinds(this.#labels, words[0]!), ...notations].join(' OR '))]
    return [places.conceptsLike(inWords(words)), ...notations.map((expression) => places.concepts(expression))]
  }

  /** The matches whose whole label equals the text; undefined if no label can. */
  whole(places: Places): Sql | undefined {
    const { whole } = this.#typed
    return whole === undefined ? undefined : places.concepts(inKinds(this.#kinds, whole))
  }

  /** The ranks, the best first. @param hasWhole false: no whole label equals the text. */
  *ranks(hasWhole = true): Generator<RankSql> {
    const { whole, beginning, words = [], isOneWord } = this.#typed
    const before = (kind: number) => this.#kinds.filter((one) => one < kind)
    const ranked = (expression: string, kind: number, better: readonly string[]): RankSql => {
      const own = inKinds([kind], expression)
      return (places) => places.concepts(better.length > 0 ? `(${own}) NOT (${better.join(' OR ')})` : own)
    }
    const of = (kinds: readonly number[], expression: string | undefined) =>
      expression !== undefined && kinds.length > 0 ? [inKinds(kinds, expression)] : []
    if (whole !== undefined && hasWhole)
      for (const kind of this.#kinds) yield ranked(whole, kind, of(before(kind), whole))
    if (beginning !== undefined) {
      for (const kind of this.#kinds) {
        const better = hasWhole ? of(this.#kinds, whole) : []
        yield ranked(beginning, kind, [...better, ...of(before(kind), beginning)])
      }
    }
    for (const kind of this.#labels) {
      const better = before(kind).filter((one) => one !== NOTATION)
      const begun = of(this.#kinds, beginning)
      if (isOneWord) {
        yield ranked(words[0]!, kind, [...begun, ...of(better, words[0])])
        continue
      }
      yield (places) => {
        const without = [
          ...begun.map((expression) => places.concepts(expression)),
          ...(better.length > 0 ? [places.conceptsLike(inWords(words), better)] : []),
        ]
        const own = places.conceptsLike(inWords(words), [kind])
        const condition = allOf(without.map((one) => sql`id NOT IN (${one})`))
        return condition ? sql`SELECT id FROM (${own}) WHERE ${condition}` : own
      }
    }
  }
}

/** The expression for labels with all of some words. */
function inWords(words: readonly string[]): string {
  return `words : (${words.join(' AND ')})`
}
