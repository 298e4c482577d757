import { editDistance } from '../../base/edit-distance.ts'
import { LABEL_TYPES, type LabelType } from '../../graph/index/statements.ts'
import { fold, wordForm } from '../../interface/search/letters.ts'
import { keyMatcher } from '../../interface/search/matching.ts'
import { keyOf } from '../../interface/search/spellings.ts'
import { indexedWords, singleSpaced, visibleText, type SearchText } from '../../interface/search/words.ts'

/**
 * The ways in which a label matches a search text, best first. A candidate of an earlier kind always comes before one
 * of a later kind.
 */
export const MATCH_KINDS = [
  /** The notation or the URI of the concept. */
  'identifier',
  /** The preferred label, whatever its case, accents and spelling of umlauts. */
  'exactLabel',
  /** Likewise an alternative or hidden label. */
  'exactAlternative',
  /** The words of a label in another order, or with other punctuation. */
  'sameWords',
  /** The words of a label in another form, such as the plural. */
  'inflection',
  /** A label begins with the text. */
  'beginning',
  /** A label has words that begin with each word of the text. */
  'allWords',
  /** A label resembles the text: letters are missing, wrong, added or swapped; a few words are missing or added. */
  'similar',
] as const
export type MatchKind = (typeof MATCH_KINDS)[number]

/** A search text, prepared once for all comparisons with labels. */
interface Sought {
  /** In lower case. */
  text: string
  /** Folded. */
  words: readonly string[]
  match: ReturnType<typeof keyMatcher>
  /** By the folded word, because folding makes several words equal. */
  matchWord: ReadonlyMap<string, ReturnType<typeof keyMatcher>>
}

/** The text of a search, prepared for comparing labels with it. */
export function toSought({ text }: SearchText): Sought {
  const words = indexedWords(text).slice(0, MAX_WORDS)
  return {
    text: text.toLowerCase(),
    words: words.map(fold),
    match: keyMatcher(text),
    matchWord: new Map(words.map((word) => [fold(word), keyMatcher(word)])),
  }
}

/** The type of a label; `notation` is a notation of the concept, which counts as a label here. */
interface RankedLabel {
  text: string
  type: LabelType
}

/** How close a label comes to the search text. */
export interface Likeness {
  kind: MatchKind
  type: LabelType
  /** Within the kind, 0 to 1: the share of the label that matches or resembles the text; 1 for the same text. */
  closeness: number
}

const MAX_WORDS = 20
/** The length of a label to compare; a longer one is a note rather than a name. */
const MAX_LENGTH = 200
/** Texts that are less similar do not match. */
const LEAST_SIMILARITY = 0.5
/** An additional word in the label counts less than a missing one. */
const WORD_TOO_MANY = 0.6

/** Compares a label with the search text; undefined if they have too little in common. */
export function compareLabel(sought: Sought, { text, type }: RankedLabel): Likeness | undefined {
  const label = singleSpaced(visibleText(text.length > MAX_LENGTH ? text.slice(0, MAX_LENGTH) : text))
  const match = sought.match(keyOf(label))
  if (match === 'whole') {
    const kind = type === 'notation' ? 'identifier' : type === 'prefLabel' ? 'exactLabel' : 'exactAlternative'
    return { kind, type, closeness: label.toLowerCase() === sought.text ? 1 : 0.9 }
  }
  // Part of a notation names another concept.
  if (type === 'notation') return undefined
  const unfolded = indexedWords(label).slice(0, MAX_WORDS)
  const words = unfolded.map(fold)
  if (words.length === 0 || sought.words.length === 0) return undefined
  const isSought = (word: string, at: number) => sought.matchWord.get(words[at]!)?.(keyOf(word)) === 'whole'
  if (sameSet(sought.words, words) && unfolded.every(isSought)) return { kind: 'sameWords', type, closeness: 1 }
  const isSameNumber = sought.words.length === words.length
  if (isSameNumber && !sameSet(sought.words, words) && sameSet(sought.words.map(wordForm), words.map(wordForm))) {
    return { kind: 'inflection', type, closeness: 1 }
  }
  const coverage = Math.min(1, lettersOf(sought.words) / lettersOf(words))
  if (match === 'beginning') return { kind: 'beginning', type, closeness: coverage }
  if (sought.words.every((word) => words.some((other) => other.startsWith(word)))) {
    return { kind: 'allWords', type, closeness: coverage }
  }
  const edits = editsBetween(sought.words, words)
  const closeness = 1 - edits / Math.max(lettersOf(sought.words), lettersOf(words))
  return closeness < LEAST_SIMILARITY ? undefined : { kind: 'similar', type, closeness }
}

/** The order of candidates: by kind, then by closeness, then preferred before alternative before hidden labels. */
export function compareLikeness(a: Likeness, b: Likeness): number {
  return (
    MATCH_KINDS.indexOf(a.kind) - MATCH_KINDS.indexOf(b.kind) ||
    b.closeness - a.closeness ||
    LABEL_TYPES.indexOf(a.type) - LABEL_TYPES.indexOf(b.type)
  )
}

/** For each kind, the scores of the least close and the closest label. */
const SCORES: Readonly<Record<MatchKind, readonly [least: number, most: number]>> = {
  identifier: [100, 100],
  exactLabel: [100, 100],
  exactAlternative: [98, 98],
  sameWords: [96, 96],
  inflection: [94, 94],
  beginning: [70, 90],
  allWords: [50, 80],
  similar: [0, 95],
}

/** The scores of candidates in their order, 0 to 100, never rising. */
export function scoresOf(candidates: readonly Likeness[]): number[] {
  let before = 100
  return candidates.map(({ kind, closeness }) => {
    const [least, most] = SCORES[kind]
    return (before = Math.min(before, Math.round(least + (most - least) * closeness)))
  })
}

const EXACT: readonly MatchKind[] = ['identifier', 'exactLabel', 'exactAlternative', 'sameWords']

/** True if a label has exactly the words of the search text. */
export function isExact({ kind }: Likeness): boolean {
  return EXACT.includes(kind)
}

/**
 * True if the first candidate needs no check by a person: it is the only one with exactly these words, or the only
 * one of the best kind with the same letters. Others may mean something else: "Messe" and "Messer" look like two
 * forms of one word.
 */
export function isCertain([first, second]: readonly Likeness[]): boolean {
  if (!first || !isExact(first)) return false
  if (!second || !isExact(second)) return true
  return first.kind === second.kind && first.closeness > second.closeness
}

function sameSet(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false
  const sorted = [...b].sort()
  return [...a].sort().every((word, at) => word === sorted[at])
}

function lettersOf(words: readonly string[]): number {
  return words.reduce((sum, { length }) => sum + length, 0)
}

/** The letters to change, word by word in any order, or as one word if only the spaces differ. */
function editsBetween(sought: readonly string[], words: readonly string[]): number {
  const byWords = editsByWords(sought, words)
  const [soughtText, text] = [sought.join(''), words.join('')]
  return editDistance(soughtText, text, Math.min(byWords - 1, Math.floor(soughtText.length / 5))) ?? byWords
}

/** The letters to change if each word stands for the most similar one. */
function editsByWords(sought: readonly string[], words: readonly string[]): number {
  const free = new Set(words.keys())
  let edits = 0
  for (const word of sought) {
    let best: { at: number; distance: number } | undefined
    for (const at of free) {
      const most = Math.min(best ? best.distance - 1 : Infinity, Math.max(1, Math.floor(word.length / 3)))
      const distance = word === words[at] ? 0 : editDistance(word, words[at]!, most)
      if (distance !== undefined) best = { at, distance }
      if (best?.distance === 0) break
    }
    edits += best?.distance ?? word.length
    if (best) free.delete(best.at)
  }
  for (const at of free) edits += words[at]!.length * WORD_TOO_MANY
  return edits
}
