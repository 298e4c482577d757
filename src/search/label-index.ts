import { compareCodePoints } from '../jskos/order.ts'
import { CONCEPT } from '../namespaces.ts'
import { fold, toLowerCase, unmarked } from './letters.ts'
import { editDistance, toleratedEdits, wordForm, type Label, type LabelType, type Sought } from './ranking.ts'
import { indexedWords } from './words.ts'

/** A label that has words in common with the search text. */
export interface Hit {
  /** The concept. */
  uri: string
  label: Label
}

/** A word of the index that resembles another. */
export interface SimilarWord {
  word: string
  edits: number
}

/** The URIs of the classes (rdf:type) and vocabularies (skos:inScheme) of a resource. */
export interface Groups {
  classes: readonly string[]
  schemes: readonly string[]
}

/** Restricts the concepts and labels that count; besides, only members of skos:Concept do. */
export interface HitFilter {
  /** Accepts concepts by their classes and vocabularies, and by their URI. */
  concept?: (groups: Groups, uri: string) => boolean
  /** Language tags; labels with other tags do not count. */
  languages?: readonly string[] | undefined
}

/** Words of a label to index: a longer label is a note rather than a name. */
const MAX_WORDS = 40
/** Letters of a word to index. */
const MAX_WORD_LENGTH = 40
const MAX_TEXT = MAX_WORDS * MAX_WORD_LENGTH
/** Words whose ids to remember as they stand in labels. */
const MAX_RECENT = 50_000
/** Labels to compare with the search text. */
const MAX_HITS = 100
/** Words to try that begin like a given one or resemble it; further ones say little about its meaning. */
const MAX_VARIANTS = 200
/** A word in more labels than this finds none by itself if the text has a rarer word. */
const COMMON = 5000
/** The index groups words by this many first letters, to find words by their beginning. */
const BEGINNING = 3
/** The weights of a word itself, a form of it, a word that begins like it, and a word with a wrong letter. */
const WEIGHTS = { same: 1, form: 0.8, beginning: 0.7, edit: 0.7 }

/**
 * The labels of one graph by their words. The index grows label by label and stays small: per label it has a text, a concept
 * and a number for each word; per word its pairs of letters, which lead to similar words.
 */
export class LabelIndex {
  readonly #concepts = new Map<string, number>()
  readonly #uris: string[] = []
  readonly #classes: number[] = []
  readonly #schemes: number[] = []
  readonly #combinations = new Combinations()
  readonly #texts: string[] = []
  readonly #conceptOf: number[] = []
  /** Type and language of each label, as an index into `#kinds`. */
  readonly #kindOf: number[] = []
  readonly #kinds: { type: LabelType; language: string }[] = []
  readonly #notations = new Map<string, number[]>()
  /** The smallest notation of each concept. */
  readonly #keys: (string | undefined)[] = []
  readonly #wordIds = new Map<string, number>()
  readonly #words: string[] = []
  /** The original spellings of words that folding changes, by the ids of the folded words. */
  readonly #unfolded = new Map<number, Set<string>>()
  /** The ids of words that labels had of late, because folding a word takes longer than anything else. */
  readonly #recent = new Map<string, number>()
  /** The labels with a word, by the id of the word. */
  readonly #postings: number[][] = []
  readonly #byInitial = new Map<string | undefined, number[]>()
  readonly #byBeginning = new Map<string, number[]>()
  readonly #byForm = new Map<string, number[]>()
  readonly #byPair = new Map<string, number[]>()
  /** The labels that are not indexed to their end. */
  readonly #cut: number[] = []
  /** The scores of labels during a search, and the number of letter pairs that words have in common; 0 between searches. */
  #scores = new Float32Array(0)
  /** Makes a label count only once for a search word, by its best variant, which comes first. */
  #turns = new Uint32Array(0)
  #turn = 0
  #common = new Uint8Array(0)

  /** The number of labels, without notations. */
  get size(): number {
    return this.#texts.length
  }

  addLabel(uri: string, type: Exclude<LabelType, 'notation'>, language: string, text: string): void {
    const label = this.#texts.length
    this.#texts.push(ownText(text))
    this.#conceptOf.push(this.#concept(uri))
    this.#kindOf.push(this.#kind(type, language))
    const words = indexedWords(text.slice(0, MAX_TEXT))
    if (text.length > MAX_TEXT || words.length > MAX_WORDS || words.some(({ length }) => length > MAX_WORD_LENGTH)) {
      this.#cut.push(label)
    }
    for (const word of words.slice(0, MAX_WORDS)) {
      const id = this.#idOf(word)
      // A word that occurs twice in a label counts once.
      if (this.#postings[id]!.at(-1) !== label) this.#postings[id]!.push(label)
    }
  }

  addNotation(uri: string, text: string): void {
    const concept = this.#concept(uri)
    const own = ownText(text)
    add(this.#notations, own.toLowerCase(), concept)
    const key = this.#keys[concept]
    if (own !== '' && (key === undefined || compareCodePoints(own, key) < 0)) this.#keys[concept] = own
  }

  /** Adds a class of a resource. Searches find only members of skos:Concept. */
  addClass(uri: string, name: string): void {
    const concept = this.#concept(uri)
    this.#classes[concept] = this.#combinations.with(this.#classes[concept]!, name)
  }

  /** Adds a vocabulary of a resource. */
  addScheme(uri: string, name: string): void {
    const concept = this.#concept(uri)
    this.#schemes[concept] = this.#combinations.with(this.#schemes[concept]!, name)
  }

  has(uri: string, filter: HitFilter = {}): boolean {
    const concept = this.#concepts.get(uri)
    return concept !== undefined && this.#accepts(filter)(concept)
  }

  /** The concepts with a notation, whatever its case. */
  byNotation(notation: string, filter: HitFilter = {}): Hit[] {
    const accepts = this.#accepts(filter)
    const concepts = (this.#notations.get(notation.toLowerCase()) ?? []).filter(accepts)
    return concepts.map((concept) => ({
      uri: this.#uris[concept]!,
      label: { text: notation, type: 'notation' },
    }))
  }

  /** The classes and vocabularies of a resource; undefined for an unknown one. */
  groupsOf(uri: string): Groups | undefined {
    const concept = this.#concepts.get(uri)
    return concept === undefined ? undefined : this.#groupsOf(concept)
  }

  #groupsOf(concept: number): Groups {
    const { all } = this.#combinations
    return { classes: all[this.#classes[concept]!]!, schemes: all[this.#schemes[concept]!]! }
  }

  /** The smallest notation of a concept in code point order, by which records are ordered; undefined for none. */
  keyOf(uri: string): string | undefined {
    const concept = this.#concepts.get(uri)
    return concept === undefined ? undefined : this.#keys[concept]
  }

  /** The notations of all resources that match when they are in lower case. */
  *notationsLike(pattern: RegExp): Generator<Hit> {
    for (const [text, concepts] of this.#notations) {
      if (!pattern.test(text)) continue
      for (const concept of concepts) yield { uri: this.#uris[concept]!, label: { text, type: 'notation' } }
    }
  }

  /**
   * The labels of all resources with a word that begins like one of the given, and some others, which were too long to index.
   *
   * @param pattern matches words that begin so, as labels have them, but in lower case.
   */
  *labelsWith(words: readonly string[], pattern: RegExp): Generator<Hit> {
    const found = new Set(this.#cut)
    for (const initial of new Set(words.map((word) => fold(word)[0]))) {
      for (const id of this.#byInitial.get(initial) ?? []) {
        if (!this.#spellings(id).some((known) => pattern.test(known))) continue
        for (const label of this.#postings[id]!) found.add(label)
      }
    }
    for (const label of found) yield this.#hit(label)
  }

  /** The labels of all resources. */
  *labels(): Generator<Hit> {
    for (const label of this.#texts.keys()) yield this.#hit(label)
  }

  /** True if a label has this word, given in folded form. */
  hasWord(word: string): boolean {
    return this.#wordIds.has(word)
  }

  /** True if a label has a word that begins like this. */
  hasBeginning(word: string): boolean {
    if (word.length >= BEGINNING) return this.#beginningWith(word, 1).length > 0
    return (this.#byInitial.get(word[0]) ?? []).some((id) => this.#words[id]!.startsWith(word))
  }

  /**
   * The words that resemble a word that no label has, the most similar first.
   *
   * @param word as typed.
   * @param isBeginning true if the typist may go on, so that longer words count, too.
   * @returns words in the spelling of labels, in lower case.
   */
  similarWords(word: string, isBeginning = false): SimilarWord[] {
    const found = this.#similarIds([fold(word), unmarked(word)], isBeginning)
    return found.flatMap(({ id, edits }) => this.#spellings(id).map((known) => ({ word: known, edits })))
  }

  /**
   * The labels that have most in common with the search text; rare words count more. The caller still has to compare them.
   *
   * @param isKnown true for a known word, which needs no similar words.
   */
  find(sought: Sought, isKnown: (word: string) => boolean, filter: HitFilter = {}): Hit[] {
    const accepts = this.#accepts(filter)
    const acceptsKind = this.#kinds.map(({ language }) => filter.languages?.includes(language) ?? true)
    if (this.#scores.length < this.#texts.length) {
      this.#scores = new Float32Array(this.#texts.length * 1.2)
      this.#turns = new Uint32Array(this.#scores.length)
    }
    const [scores, turns] = [this.#scores, this.#turns]
    const touched: number[] = []
    const variants = [...new Set(sought.words)].map((word) =>
      this.#variants(word, isKnown(word), sought.unmarked.get(word)!),
    )
    const byRarity = variants.sort((a, b) => this.#frequency(a) - this.#frequency(b))
    for (const [at, ids] of byRarity.entries()) {
      const isCommon = at > 0 && this.#frequency(ids) > COMMON
      this.#turn++
      for (const [id, weight] of ids) {
        const postings = this.#postings[id]!
        const value = weight * Math.log(1 + this.#texts.length / postings.length)
        for (const label of postings) {
          if (scores[label] === 0) {
            if (isCommon) continue
            if (!acceptsKind[this.#kindOf[label]!] || !accepts(this.#conceptOf[label]!)) continue
            touched.push(label)
          } else if (turns[label] === this.#turn) continue
          scores[label]! += value
          turns[label] = this.#turn
        }
      }
    }
    // Among labels with the same words, shorter ones are nearer.
    const value = (label: number) => scores[label]! / (20 + this.#texts[label]!.length)
    const best = topOf(touched, MAX_HITS, value)
    for (const label of touched) scores[label] = 0
    return best.map((label) => this.#hit(label))
  }

  #hit(label: number): Hit {
    return {
      uri: this.#uris[this.#conceptOf[label]!]!,
      label: { text: this.#texts[label]!, type: this.#kinds[this.#kindOf[label]!]!.type },
    }
  }

  #accepts(filter: HitFilter): (concept: number) => boolean {
    return (concept) => accepts(filter, this.#groupsOf(concept), this.#uris[concept]!)
  }

  /** The words of the index that a word may mean, the likeliest first, with their weights. */
  #variants(word: string, isKnown: boolean, typed: string): [id: number, weight: number][] {
    const weights = new Map<number, number>()
    const note = (id: number, weight: number) => {
      if (!weights.has(id)) weights.set(id, weight)
    }
    const same = this.#wordIds.get(word)
    if (same !== undefined) note(same, WEIGHTS.same)
    if (same !== undefined && this.#postings[same]!.length > COMMON) return [[same, WEIGHTS.same]]
    for (const id of this.#byForm.get(wordForm(word)) ?? []) note(id, WEIGHTS.form)
    for (const id of this.#beginningWith(word, MAX_VARIANTS)) note(id, WEIGHTS.beginning)
    if (!isKnown) {
      for (const { id, edits } of this.#similarIds([word, typed], false)) note(id, WEIGHTS.edit ** edits)
    }
    return [...weights].sort(([, a], [, b]) => b - a)
  }

  #frequency(ids: readonly [id: number, weight: number][]): number {
    return ids.reduce((sum, [id]) => sum + this.#postings[id]!.length, 0)
  }

  #beginningWith(word: string, most: number): number[] {
    const found: number[] = []
    for (const id of this.#byBeginning.get(word.slice(0, BEGINNING)) ?? []) {
      if (found.length === most) break
      if (this.#words[id]!.startsWith(word)) found.push(id)
    }
    return found
  }

  /** The words that resemble one of the forms of a word. */
  #similarIds(forms: readonly string[], isBeginning: boolean): { id: number; edits: number }[] {
    const least = new Map<number, number>()
    for (const form of new Set(forms)) {
      for (const [id, edits] of this.#similarTo(form, toleratedEdits(form), isBeginning)) {
        if (edits < (least.get(id) ?? Infinity)) least.set(id, edits)
      }
    }
    const found = [...least].map(([id, edits]) => ({ id, edits }))
    return found.sort((a, b) => a.edits - b.edits || a.id - b.id).slice(0, MAX_VARIANTS)
  }

  #similarTo(word: string, most: number, isBeginning: boolean): [id: number, edits: number][] {
    if (most === 0 || word.length > MAX_WORD_LENGTH) return []
    if (this.#common.length < this.#words.length) this.#common = new Uint8Array(this.#words.length * 1.2)
    const common = this.#common
    const pairs = pairsOf(word)
    const touched: number[] = []
    for (const pair of pairs) {
      for (const id of this.#byPair.get(pair) ?? []) if (common[id]!++ === 0) touched.push(id)
    }
    // A wrong letter changes two pairs, a swap three; a longer word ends with another pair.
    const least = Math.max(1, pairs.size - 2 * most - (isBeginning ? 2 : 1))
    const found: [id: number, edits: number][] = []
    for (const id of touched) {
      if (common[id]! >= least) {
        const edits = editDistance(word, this.#words[id]!, most, isBeginning)
        if (edits !== undefined) found.push([id, edits])
      }
      common[id] = 0
    }
    return found
  }

  #concept(uri: string): number {
    let concept = this.#concepts.get(uri)
    if (concept === undefined) {
      concept = this.#uris.push(ownText(uri)) - 1
      this.#concepts.set(this.#uris[concept]!, concept)
      this.#classes.push(0)
      this.#schemes.push(0)
    }
    return concept
  }

  #kind(type: LabelType, language: string): number {
    const known = this.#kinds.findIndex((kind) => kind.type === type && kind.language === language)
    return known >= 0 ? known : this.#kinds.push({ type, language }) - 1
  }

  /** A word as labels have it, in lower case. */
  #spellings(id: number): string[] {
    const unfolded = this.#unfolded.get(id)
    return unfolded ? [...unfolded] : [this.#words[id]!]
  }

  /** The id of a word of a label, which becomes part of the index. */
  #idOf(part: string): number {
    const recent = this.#recent.get(part)
    if (recent !== undefined) return recent
    const word = toLowerCase(part.slice(0, MAX_WORD_LENGTH))
    const folded = fold(word)
    const id = this.#wordId(folded)
    if (folded !== word || this.#unfolded.has(id)) this.#noteUnfolded(id, folded, word)
    if (this.#recent.size === MAX_RECENT) this.#recent.clear()
    this.#recent.set(ownText(part), id)
    return id
  }

  #noteUnfolded(id: number, folded: string, word: string): void {
    let forms = this.#unfolded.get(id)
    // The word may have come without diacritics before.
    if (!forms) this.#unfolded.set(id, (forms = new Set(this.#postings[id]!.length > 0 ? [folded] : [])))
    if (!forms.has(word)) forms.add(ownText(word))
  }

  #wordId(word: string): number {
    const known = this.#wordIds.get(word)
    if (known !== undefined) return known
    const own = ownText(word)
    const id = this.#words.push(own) - 1
    this.#wordIds.set(own, id)
    this.#postings.push([])
    add(this.#byInitial, own[0], id)
    if (own.length >= BEGINNING) add(this.#byBeginning, own.slice(0, BEGINNING), id)
    add(this.#byForm, wordForm(own), id)
    for (const pair of pairsOf(own)) add(this.#byPair, pair, id)
    return id
  }
}

/** True if a filter lets a resource count that belongs to these. */
export function accepts({ concept: isWanted }: HitFilter, groups: Groups, uri: string): boolean {
  return groups.classes.includes(CONCEPT) && (isWanted?.(groups, uri) ?? true)
}

/** Numbers for sets of names, because most concepts belong to the same few vocabularies and classes. */
class Combinations {
  readonly all: string[][] = [[]]
  readonly #next = new Map<string, number>()

  /** The number of a set with another name added. */
  with(combination: number, name: string): number {
    const key = `${combination} ${name}`
    let next = this.#next.get(key)
    if (next === undefined) {
      const names = [...new Set([...this.all[combination]!, name])].sort()
      const known = this.all.findIndex((other) => other.join(' ') === names.join(' '))
      next = known >= 0 ? known : this.all.push(names) - 1
      this.#next.set(key, next)
    }
    return next
  }
}

/** The pairs of letters in a word, including its beginning and end. */
function pairsOf(word: string): Set<string> {
  const marked = `^${word}$`
  const pairs = new Set<string>()
  for (let at = 0; at + 1 < marked.length; at++) pairs.add(marked.slice(at, at + 2))
  return pairs
}

/** The items with the greatest values, the greatest first. Does not sort all of them, because there may be a hundred thousand. */
function topOf(items: readonly number[], count: number, valueOf: (item: number) => number): number[] {
  const top: { item: number; value: number }[] = []
  for (const item of items) {
    const value = valueOf(item)
    if (top.length === count && value <= top[count - 1]!.value) continue
    let at = top.length
    while (at > 0 && top[at - 1]!.value < value) at--
    top.splice(at, 0, { item, value })
    if (top.length > count) top.pop()
  }
  return top.map(({ item }) => item)
}

/** A copy of a text, because a text cut out of an answer of the store keeps the whole answer in memory. */
function ownText(text: string): string {
  return Buffer.from(text).toString()
}

function add<Key>(map: Map<Key, number[]>, key: Key, value: number): void {
  const list = map.get(key)
  if (list) list.push(value)
  else map.set(key, [value])
}
