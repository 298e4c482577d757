import { KIND, kindOf, isLabelOf } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { LABEL_TYPES, LABEL_KINDS, NOTATION_KIND, type LabelType } from '../../graph/index/statements.ts'
import { allOf, beginsWith, joinedSql, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { ofLanguages } from './label-language.ts'
import { fold, unmarked, wordForm } from './letters.ts'
import { isInList, setLimits } from './limits.ts'
import { keyMatcher } from './matching.ts'
import { Places, type CountedGraph, type IndexScope } from './places.ts'
import { similarWords } from './similar-words.ts'
import { keyOf } from './spellings.ts'
import { anyOf, exactly, inKinds, keyExpression, type TextReader } from './typed-text.ts'
import { indexedWords, isCharacter, readSearchText, visibleText, type SearchText } from './words.ts'

/** Names to find concepts for. */
export interface ReconcileQuestion {
  scope: IndexScope
  names: readonly NameToFind[]
  /** Lists of the URIs of concepts; conditions name a list by its index. */
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
  /** Search only labels in these languages, given by the beginning of their tags; undefined: in any. */
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

/** Labels to compare with a name. */
const MAX_LABELS = 100
/** If more labels than this have the words of a name, only labels of about its length count. */
const MAX_WEIGHED = 2000
/** Maximum number of words of a name. */
const MAX_WORDS = 20
/** Words to try that begin like a given word or resemble it; further words have little to do with it. */
const MAX_LIKE = 200
/** A word in more labels than this finds none by itself if the name has a rarer word. */
const COMMON = 5000
/** The weights of a word itself, a form of it, a word that begins like it, and a word with a wrong letter. */
const WEIGHTS = { same: 1, form: 0.8, beginning: 0.7, edit: 0.7 }

/** Finds concepts and labels that names may mean. Call it in a transaction. */
export class NameReader {
  readonly #file: IndexFile
  readonly #texts: TextReader

  constructor(file: IndexFile, texts: TextReader) {
    this.#file = file
    this.#texts = texts
  }

  /** The concepts and labels that some names may mean. */
  async reconcile({ scope, names, lists }: ReconcileQuestion, graphs: readonly CountedGraph[]): Promise<NameMatches[]> {
    await setLimits(this.#file, lists)
    const all = Places.of(graphs, scope)
    const weighedWords = new Map<string, Promise<WeighedWord[]>>()
    const answers: NameMatches[] = []
    for (const name of names) {
      const { only = [], not = [], types, allTypes } = name
      const conditions = [...only.map((list) => isInList(list)), ...not.map((list) => sql`NOT ${isInList(list)}`)]
      const condition = allOf(conditions)
      const places = types || condition ? Places.of(graphs, scope, { types, allTypes, condition }) : all
      const wordsOf = (word: string, typed: string) => {
        const key = JSON.stringify([word, typed, name.isExact])
        let words = weighedWords.get(key)
        if (!words) weighedWords.set(key, (words = this.#weigh(word, typed, name.isExact === true, all)))
        return words
      }
      answers.push({
        identified: name.text === undefined ? [] : await this.identified(name.text, places),
        labels: name.text === undefined || name.isIdentifier ? [] : await this.#named(name, places, wordsOf),
        among:
          name.among === undefined
            ? []
            : await this.#accepted(sql`SELECT concept AS id FROM temp.limited WHERE list = ${name.among}`, places),
      })
    }
    return answers
  }

  /** The URIs of the concepts with a URI, or with a notation in whatever case. */
  async identified(text: string, places: Places): Promise<string[]> {
    const byUri = await this.#accepted(sql`SELECT id FROM concept WHERE uri = ${text.trim()}`, places)
    const notation = readSearchText(text)?.text
    if (notation === undefined) return byUri
    const notated = await this.#file.rows<[uri: string, notation: string]>(
      sql`SELECT c.uri AS a, l.text AS b FROM (${places.concepts(inKinds([NOTATION_KIND], keyExpression(notation)))}) h
      JOIN concept c ON c.id = h.id JOIN label l ON ${isLabelOf('h.id', [NOTATION_KIND])}`,
      'a, b',
    )
    const same = notated
      .filter(([, text]) => visibleText(text).toLowerCase() === notation.toLowerCase())
      .map(([uri]) => uri)
    return [...new Set([...byUri, ...same])]
  }

  /**
   * A query for the URIs and notations of the concepts with a notation that begins like a text in whatever case.
   *
   * @returns undefined for no text.
   */
  notated(beginning: string, places: Places): Sql | undefined {
    const text = readSearchText(beginning)?.text
    if (text === undefined) return undefined
    return sql`SELECT c.uri, l.text AS notation FROM (${places.concepts(inKinds([NOTATION_KIND], `${keyExpression(text)} *`))}) h
      JOIN concept c ON c.id = h.id JOIN label l ON ${isLabelOf('h.id', [NOTATION_KIND])}
      WHERE substr(l.text, 1, ${text.length}) = ${text} COLLATE NOCASE`
  }

  /** The URIs among some whose concepts count. */
  async #accepted(ids: Sql, places: Places): Promise<string[]> {
    const counting = places.accepted(ids)
    return this.#file.values(sql`SELECT DISTINCT c.uri FROM (${counting}) h JOIN concept c ON c.id = h.id`, 'uri')
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
      some.map((weighedWord) => {
        const expression = rare.includes(some) ? weighedWord.expression : `(${weighedWord.expression}) AND (${finding})`
        return sql`SELECT id, CAST(${String(value(weighedWord))} AS REAL) AS v FROM (${places.labelsLike(expression)})`
      }),
    )
    // Among labels with the same words, shorter ones are nearer.
    const rows = await this.#file.rows<LabelRow>(
      sql`SELECT c.uri AS a, ${kindOf('l.id')} AS b, l.text AS c, l.language AS d FROM
      (SELECT id, sum(v) AS v FROM (${joinedSql(weighed, ' UNION ALL ')}) GROUP BY id ORDER BY 2 DESC LIMIT ${MAX_WEIGHED}) s
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
    const { whole } = await this.#texts.read(searched, places.labels)
    if (whole === undefined) return []
    const rows = await this.#file.rows<LabelRow>(
      sql`SELECT c.uri AS a, ${kindOf('l.id')} AS b, l.text AS c, l.language AS d
      FROM (${places.concepts(inKinds(LABEL_KINDS, whole))}) h JOIN concept c ON c.id = h.id
      JOIN label l ON ${isLabelOf('h.id', LABEL_KINDS)} ${inLanguages} LIMIT ${MAX_WEIGHED}`,
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
      const unseen = spellings.filter((spelling) => !seen.has(spelling) && seen.add(spelling))
      const expression = anyOf(unseen.map(exactly))
      if (expression === undefined) return
      const better = weighed.map((word) => word.expression).join(' OR ')
      const matching = better === '' ? expression : `(${expression}) NOT (${better})`
      const count = await this.#file.number(sql`SELECT count(*) FROM (${places.labelsLike(matching)})`)
      if (count > 0) weighed.push({ expression: matching, weight, count })
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
    const certain = weighed.length
    for (const most of [1, 2] as const) {
      const similar = await similarWords(this.#file, [word, typed], { most })
      for (const edits of [0, 1, 2]) {
        const some = similar.filter((candidate) => candidate.edits === edits).map((candidate) => candidate.word)
        await add(some.slice(0, MAX_LIKE), WEIGHTS.edit ** edits)
      }
      // To look for words with two wrong letters takes longer, and the others are more likely.
      if (weighed.length > certain) break
    }
    return weighed
  }
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
