import { fold, unmarked } from './letters.ts'
import { beginningPattern, wholePattern } from './patterns.ts'
import { indexedWords, type SearchText } from './words.ts'

/**
 * How a label answers a text that somebody looks for, best first. A candidate of an earlier kind always comes before one
 * of a later kind.
 */
export const KINDS = [
  /** The notation or the URI of the concept. */
  'identifier',
  /** The preferred label, whatever its case, accents and way to write umlauts. */
  'exactLabel',
  /** Likewise an alternative or hidden label. */
  'exactAlternative',
  /** The words of a label in another order, or with other punctuation. */
  'sameWords',
  /** The words of a label in another form, such as the plural. */
  'inflection',
  /** A label begins so. */
  'beginning',
  /** A label has words that begin like each of these. */
  'allWords',
  /** A label looks like this: letters are missing, wrong, too many or swapped; a few words are missing or too many. */
  'similar',
] as const
export type Kind = (typeof KINDS)[number]

/** A text that labels are compared with, prepared once for all comparisons. */
export interface Sought {
  /** In lower case. */
  text: string
  /** Folded. */
  words: readonly string[]
  /** By the folded word. */
  unmarked: ReadonlyMap<string, string>
  isWhole: RegExp
  isBeginning: RegExp
  /** By the folded word, because folding makes one of several words. */
  isWord: ReadonlyMap<string, RegExp>
}

export function toSought({ text }: SearchText): Sought {
  const words = indexedWords(text).slice(0, MAX_WORDS)
  return {
    text: text.toLowerCase(),
    words: words.map(fold),
    unmarked: new Map(words.map((word) => [fold(word), unmarked(word)])),
    isWhole: new RegExp(wholePattern(text), 'u'),
    isBeginning: new RegExp(beginningPattern(text), 'u'),
    isWord: new Map(words.map((word) => [fold(word), new RegExp(wholePattern(word), 'u')])),
  }
}

/** The type of a label; `notation` is a notation of the concept, which counts as a label here. */
export interface Label {
  text: string
  type: LabelType
}
export type LabelType = 'notation' | 'prefLabel' | 'altLabel' | 'hiddenLabel'

/** How near a label comes to what is sought. */
export interface Likeness {
  kind: Kind
  type: LabelType
  /** Within the kind, 0 to 1: the share of the label that was sought, or that is like it; 1 for the same text. */
  closeness: number
  /** Letters to be changed; 0 for all kinds but the last. */
  edits: number
  /** The length of the shortest word that has to be changed; Infinity if none has to. */
  changed: number
}

const MAX_WORDS = 20
/** Of a label; a longer one is a note rather than a name. */
const MAX_LENGTH = 200
/** Texts that are less similar do not match. */
const LEAST_SIMILARITY = 0.5
/** A word more in the label than was sought counts less than one that is missing. */
const WORD_TOO_MANY = 0.6

const SAME = { closeness: 1, edits: 0, changed: Infinity }

/** Compares a label with what is sought; undefined if they have too little in common. */
export function compareLabel(sought: Sought, { text, type }: Label): Likeness | undefined {
  const label = text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text
  if (sought.isWhole.test(label)) {
    const kind = type === 'notation' ? 'identifier' : type === 'prefLabel' ? 'exactLabel' : 'exactAlternative'
    return { kind, type, ...SAME, closeness: label.toLowerCase() === sought.text ? 1 : 0.9 }
  }
  // Part of a notation names another concept.
  if (type === 'notation') return undefined
  const unfolded = indexedWords(label).slice(0, MAX_WORDS)
  const words = unfolded.map(fold)
  if (words.length === 0 || sought.words.length === 0) return undefined
  const isSought = (word: string, at: number) => sought.isWord.get(words[at]!)?.test(word)
  if (sameSet(sought.words, words) && unfolded.every(isSought)) return { kind: 'sameWords', type, ...SAME }
  if (!sameSet(sought.words, words) && sameSet(sought.words.map(wordForm), words.map(wordForm))) {
    return { kind: 'inflection', type, ...SAME }
  }
  const coverage = Math.min(1, lettersOf(sought.words) / lettersOf(words))
  if (sought.isBeginning.test(label)) return { kind: 'beginning', type, ...SAME, closeness: coverage }
  if (sought.words.every((word) => words.some((other) => other.startsWith(word)))) {
    return { kind: 'allWords', type, ...SAME, closeness: coverage }
  }
  const { edits, changed } = editsBetween(sought.words, words)
  const closeness = 1 - edits / Math.max(lettersOf(sought.words), lettersOf(words))
  return closeness < LEAST_SIMILARITY ? undefined : { kind: 'similar', type, closeness, edits, changed }
}

const TYPES: readonly LabelType[] = ['notation', 'prefLabel', 'altLabel', 'hiddenLabel']

/** The order of candidates: by kind, then by closeness, then preferred before alternative before hidden labels. */
export function compareLikeness(a: Likeness, b: Likeness): number {
  return (
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    b.closeness - a.closeness ||
    TYPES.indexOf(a.type) - TYPES.indexOf(b.type)
  )
}

/** Scores of the kinds: of the least close and of the closest. */
const SCORES: Readonly<Record<Kind, readonly [least: number, most: number]>> = {
  identifier: [100, 100],
  exactLabel: [100, 100],
  exactAlternative: [98, 98],
  sameWords: [96, 96],
  inflection: [94, 94],
  beginning: [70, 90],
  allWords: [50, 80],
  similar: [0, 95],
}

/** The scores of candidates in their order, 0 to 100: none is higher than the one before it. */
export function scoresOf(candidates: readonly Likeness[]): number[] {
  let before = 100
  return candidates.map(({ kind, closeness }) => {
    const [least, most] = SCORES[kind]
    return (before = Math.min(before, Math.round(least + (most - least) * closeness)))
  })
}

const EXACT: readonly Kind[] = ['identifier', 'exactLabel', 'exactAlternative', 'sameWords']

/** True if a label has exactly the words that are sought. */
export function isExact({ kind }: Likeness): boolean {
  return EXACT.includes(kind)
}

/**
 * True if the first of some candidates may be taken without a person looking at it: if it is the only one that has just
 * these words, or the only one of the best kind that has them letter by letter. All else may be another thing: "Messe" and
 * "Messer" look like two forms of one word.
 */
export function isCertain([first, second]: readonly Likeness[]): boolean {
  if (!first || !isExact(first)) return false
  if (!second || !isExact(second)) return true
  return first.kind === second.kind && first.closeness > second.closeness
}

/** The part that all forms of a word have in common, without endings of German and English. Different words may share it. */
export function wordForm(word: string): string {
  return word.replace(/(?<=^.{3,})(?:innen|[enrsm]{1,3})$/, '').replace(/(?<=^.{3,})y$/, 'i')
}

/** How many letters of a word may be wrong: none in short words, where every letter counts, and in numbers. */
export function toleratedEdits(word: string): number {
  return word.length < 4 || /\p{N}/u.test(word) ? 0 : word.length < 8 ? 1 : 2
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  const sorted = [...b].sort()
  return [...a].sort().every((word, at) => word === sorted[at])
}

function lettersOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0)
}

interface Edits {
  edits: number
  changed: number
}

/** The letters to be changed: word by word in any order, or as one word if the spaces are somewhere else. */
function editsBetween(sought: readonly string[], words: readonly string[]): Edits {
  const byWords = editsByWords(sought, words)
  const [one, other] = [sought.join(''), words.join('')]
  const inOne = editDistance(one, other, Math.min(byWords.edits - 1, Math.floor(one.length / 5)))
  return inOne === undefined ? byWords : { edits: inOne, changed: Math.min(one.length, other.length) }
}

/** The letters to be changed if each word stands for the word that is most like it. */
function editsByWords(sought: readonly string[], words: readonly string[]): Edits {
  const free = new Set(words.keys())
  let edits = 0
  let changed = Infinity
  for (const word of sought) {
    let best: { at: number; distance: number } | undefined
    for (const at of free) {
      const most = Math.min(best ? best.distance - 1 : Infinity, Math.max(1, Math.floor(word.length / 3)))
      const distance = word === words[at] ? 0 : editDistance(word, words[at]!, most)
      if (distance !== undefined) best = { at, distance }
      if (best?.distance === 0) break
    }
    if (best?.distance !== 0) changed = Math.min(changed, word.length)
    edits += best?.distance ?? word.length
    if (best) free.delete(best.at)
  }
  for (const at of free) {
    edits += words[at]!.length * WORD_TOO_MANY
    changed = 0
  }
  return { edits, changed }
}

/** Rows of the table of distances: what is being computed, and the two before. Longer texts are not compared. */
const ROWS = Array.from({ length: 3 }, () => new Uint16Array(2 * MAX_LENGTH + 2))

/**
 * How many letters have to be put in, left out, replaced or swapped with their neighbour to make one text of the other
 * (optimal string alignment distance).
 *
 * @param isBeginning the second text may go on after that.
 * @returns undefined if there are more than `most`.
 */
export function editDistance(a: string, b: string, most: number, isBeginning = false): number | undefined {
  const width = Math.min(b.length, a.length + most)
  if (most < 0 || a.length - width > most || (!isBeginning && b.length > width)) return undefined
  if (width > 2 * MAX_LENGTH) return undefined
  let [row, last, beforeLast] = ROWS as [Uint16Array, Uint16Array, Uint16Array]
  const none = most + 1
  for (let j = 0; j <= width; j++) row[j] = j
  // Cells further from the diagonal than `most` would take more changes than that.
  for (let i = 1; i <= a.length; i++) {
    ;[row, last, beforeLast] = [beforeLast, row, last]
    const [from, to] = [Math.max(1, i - most), Math.min(width, i + most)]
    row[from - 1] = from === 1 ? i : none
    let least = row[from - 1]!
    const letter = a.charCodeAt(i - 1)
    for (let j = from; j <= to; j++) {
      const other = b.charCodeAt(j - 1)
      let edits = last[j - 1]! + (letter === other ? 0 : 1)
      if (j < i + most && last[j]! + 1 < edits) edits = last[j]! + 1
      if (row[j - 1]! + 1 < edits) edits = row[j - 1]! + 1
      if (i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === other) {
        if (beforeLast[j - 2]! + 1 < edits) edits = beforeLast[j - 2]! + 1
      }
      row[j] = edits
      if (edits < least) least = edits
    }
    if (least > most) return undefined
  }
  let distance = row[width]!
  if (isBeginning) for (let j = Math.max(0, a.length - most); j <= width; j++) distance = Math.min(distance, row[j]!)
  return distance > most ? undefined : distance
}
