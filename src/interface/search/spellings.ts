import { asciiLetter, canonical, SAME_SIGNS, toLowerCase } from './letters.ts'
import { singleSpaced, termsOf, visibleText } from './words.ts'

/**
 * The canonical texts that a segment of a typed text stands for: one segment after the other gives a spelling. Most
 * segments have one form; a vowel may stand for an umlaut, `ss` for `ß`, and the other way round.
 */
export type Segment = readonly string[]

/** The forms in which an umlaut is written in one character. */
const IN_ONE = { a: ['ä', 'æ'], o: ['ö', 'œ'], u: ['ü'] } as const
type Vowel = keyof typeof IN_ONE

/** The segments of a typed text. */
export function segmentsOf(text: string): Segment[] {
  const characters = [...toLowerCase(text).normalize('NFC')]
  const segments: Segment[] = []
  for (let at = 0; at < characters.length;) {
    const [segment, length] = segmentAt(characters, at)
    segments.push(segment)
    at += length
  }
  return segments
}

const HALF_OF_SHARP_S: Segment = ['s', 'ß']

/**
 * The same segments for a text with more letters before or after it: an s there may be half of an ß, so that "stras" is
 * the beginning of "Straße".
 */
export function openSegments(segments: readonly Segment[], { start = false, end = true } = {}): readonly Segment[] {
  const ends = [...(start ? [0] : []), ...(end ? [segments.length - 1] : [])]
  const halves = ends.filter((at) => segments[at]?.[0] === 's')
  return halves.length === 0
    ? segments
    : segments.map((segment, at) => (halves.includes(at) ? HALF_OF_SHARP_S : segment))
}

/** The segment that begins at a place, and how many characters it covers. */
function segmentAt(characters: readonly string[], at: number): [segment: Segment, length: number] {
  const character = characters[at]!
  const pair = character + (characters[at + 1] ?? '')
  if (pair === 'ss') return [['ss', 'ß'], 2]
  if (pair === 'th') return [['th', 'þ'], 2]
  const base = asciiLetter(character)
  if (base === 'ss') return [['ss', 'ß'], 1]
  if (base === 'th') return [['th', 'þ'], 1]
  const vowel = /^[aou]/.test(base) ? (base[0] as Vowel) : undefined
  if (vowel === undefined) return [[signOrLetter(character)], 1]
  if ('äöüæøœ'.includes(character)) return [umlaut(vowel, true), 1]
  // An e is optional only if enough letters follow: "poet" does not find "pot", but "Muenchen" finds "Munchen".
  if (pair === `${vowel}e`) return [umlaut(vowel, lettersFrom(characters, at + 2) >= 2), 2]
  const [dotted] = IN_ONE[vowel]
  const hasE = character === vowel && lettersFrom(characters, at + 1) >= 2
  return [hasE ? [vowel, dotted, `${vowel}e`, `${dotted}e`] : [vowel, dotted], 1]
}

/** @param bare true: the vowel may stand alone. */
function umlaut(vowel: Vowel, bare: boolean): Segment {
  const forms = IN_ONE[vowel]
  const withE = [`${vowel}e`, `${forms[0]}e`]
  return bare ? [vowel, ...forms, ...withE] : [...forms, ...withE]
}

function lettersFrom(characters: readonly string[], at: number): number {
  let count = 0
  while (/^\p{L}$/u.test(characters[at + count] ?? '')) count++
  return count
}

function signOrLetter(character: string): string {
  return sign(canonical(character))
}

/** The spellings that a search looks for; a text of very many vowels has more, which no label has. */
const MOST_SPELLINGS = 64

/**
 * The canonical spellings of a typed text that some label may have.
 *
 * @param isBeginning true if a word of a label begins with a text. It is called only where there is a choice, and with
 *   the whole spellings if several are left.
 */
export function spellingsOf(segments: readonly Segment[], isBeginning: (spelling: string) => boolean): string[] {
  let spellings = ['']
  for (const segment of segments) {
    const longer = spellings.flatMap((spelling) => segment.map((form) => spelling + form))
    spellings = segment.length > 1 ? longer.filter(isBeginning).slice(0, MOST_SPELLINGS) : longer
  }
  const wasAsked = (segments.at(-1)?.length ?? 0) > 1
  return spellings.length > 1 && !wasAsked ? spellings.filter(isBeginning) : spellings
}

/** Labels are compared with typed texts up to this length, in UTF-16 code units. */
const MOST_KEY_LENGTH = 100

/**
 * A label as a search compares it as a whole and from its beginning: canonical, with one sign for all signs that look
 * the same.
 */
export function keyOf(label: string): string {
  const text = canonical(visibleText(label.length > MOST_KEY_TEXT ? label.slice(0, MOST_KEY_TEXT) : label))
  return (IS_PLAIN.test(text) ? text : singleSpaced(text).replace(SIGNS, sign)).slice(0, MOST_KEY_LENGTH)
}

/** Compares at most this many characters of a label, including runs of spaces. */
const MOST_KEY_TEXT = 4 * MOST_KEY_LENGTH
const IS_PLAIN = /^(?! )(?:[!-&(-,./0-9:-_a-z{-~\xdf-\xff]| (?! |$))*$/
const SIGNS = new RegExp(`[${SAME_SIGNS.join('').replace(/[-\]\\^]/g, '\\$&')}]`, 'g')

function sign(character: string): string {
  return SAME_SIGNS.find((same) => same.includes(character))?.[0] ?? character
}

/** Longer words are indexed up to here: no typed text is longer. */
const MOST_TERM_LENGTH = MOST_KEY_LENGTH
/** A label of more characters is indexed up to here. */
export const MOST_LABEL_CHARACTERS = 100_000

/** Stands where two characters are not side by side, so that a search for `京都` does not find `京、都`. */
export const GAP = '\ue010'

/**
 * The terms of a label as the index has them: canonical words, in scripts without spaces between words every character.
 */
export function indexedTerms(label: string): string[] {
  const terms = termsOf(canonical(visibleText(label.slice(0, MOST_LABEL_CHARACTERS))), GAP)
  return terms.some(({ length }) => length > MOST_TERM_LENGTH) ? terms.map(cut) : terms
}

const cut = (term: string) => term.slice(0, MOST_TERM_LENGTH)
