import { canonical } from './letters.ts'
import { GAP, indexedTerms, keyOf, openSegments, segmentsOf, spellingsOf, type Segment } from './spellings.ts'
import { isCharacter, isUnspaced, termsOf, visibleText, WILDCARD, type SearchText } from './words.ts'

/** The maximum number of phrases that a typed word stands for. */
const MOST_PHRASES = 64

/** How a label matches a typed text: it equals the text, begins with it, or has words that begin with its words. */
type Match = 'whole' | 'beginning' | 'words'

/**
 * Returns a function that compares labels with a typed text in the way of the index: regardless of case, accents and
 * the spelling of umlauts.
 *
 * @returns the best way in which a label matches; undefined if it does not.
 * @example labelMatcher(readSearchText('munch kun')!)('Kunst in München') // 'words'
 */
export function labelMatcher({ text, words }: SearchText): (label: string) => Match | undefined {
  const match = keyMatcher(text)
  const hasWords = wordMatcher(words)
  return (label) => match(keyOf(label)) ?? (words.length > 0 && hasWords(label) ? 'words' : undefined)
}

/** Returns a function that compares the keys of labels (`keyOf`) with a typed text. */
export function keyMatcher(text: string): (key: string) => 'whole' | 'beginning' | undefined {
  const whole = segmentsOf(text)
  const beginning = openSegments(whole)
  return (key) => {
    if (endsOf(whole, key, 0).includes(key.length)) return 'whole'
    return endsOf(beginning, key, 0).length > 0 ? 'beginning' : undefined
  }
}

/** The places in a canonical text where the spellings that begin at `start` end; none if no spelling begins there. */
function endsOf(segments: readonly Segment[], text: string, start: number): number[] {
  let ends = [start]
  for (const segment of segments) {
    const next: number[] = []
    for (const end of ends) {
      for (const form of segment) {
        if (text.startsWith(form, end) && !next.includes(end + form.length)) next.push(end + form.length)
      }
    }
    if (next.length === 0) return next
    ends = next
  }
  return ends
}

/**
 * Returns a function that checks whether a label has all of some typed words, as beginnings of its words or, with
 * wildcards, as words.
 *
 * @example wordMatcher(['munch', '*unst'])('Kunst in München') // true
 */
export function wordMatcher(words: readonly string[]): (label: string) => boolean {
  const typed = words.filter((word) => !hasWildcard(word)).map(readWord)
  const withWildcards = words.filter(hasWildcard).map(wildcardMatcher)
  const literals = [
    ...typed.flatMap(({ terms }) => terms.map(literalOf)),
    ...words.filter(hasWildcard).flatMap((word) => piecesOf(word).map(literalOf)),
  ]
  return (label) => {
    // Most labels lack the letters. To find this out, nothing needs the terms of the label.
    const text = canonical(visibleText(label))
    if (literals.some((literal) => !text.includes(literal))) return false
    const termsOfLabel = indexedTerms(label)
    if (!withWildcards.every((match) => termsOfLabel.some((term) => match(term)))) return false
    const labelTerms = ` ${termsOfLabel.join(' ')} `
    const isBeginning = (beginning: string) => labelTerms.includes(` ${beginning}`)
    return typed.every(({ terms, isWord }) =>
      phrasesOf(terms, isBeginning).some((phrase) => labelTerms.includes(isWord ? ` ${phrase}` : ` ${phrase} `)),
    )
  }
}

/** True if a word has a wildcard before its end. A wildcard at its end changes nothing. */
export function hasWildcard(word: string): boolean {
  const place = word.indexOf(WILDCARD)
  return place >= 0 && place < word.length - 1
}

/**
 * Returns a function that finds the part of a term of labels that the letters of a word with wildcards stand for: from
 * the first to the last of them, in UTF-16 code units; undefined if the whole term does not match.
 *
 * @example wildcardMatcher('*phys*k')('kernphysik') // [4, 10]
 */
export function wildcardMatcher(word: string): (term: string) => [start: number, end: number] | undefined {
  const pieces = piecesOf(word)
  const isOpen = [pieces[0]!.length === 0, pieces.at(-1)!.length === 0]
  const sought = pieces.filter((piece) => piece.length > 0)
  return (term) => {
    let first: number | undefined
    let end = 0
    for (const [at, segments] of sought.entries()) {
      const isLast = at === sought.length - 1 && !isOpen[1]
      const place = placeFrom(end, at === 0 && !isOpen[0] ? end : term.length, { segments, term, isLast })
      if (!place) return undefined
      first ??= place[0]
      end = place[1]
    }
    return first === undefined ? undefined : [first, end]
  }
}

/** The segments of each piece of a word with wildcards. */
export function piecesOf(word: string): (readonly Segment[])[] {
  const pieces = word.split(WILDCARD)
  return pieces.map((piece, at) => openSegments(segmentsOf(piece), { start: at > 0, end: at < pieces.length - 1 }))
}

/** Where segments first end in a term if they begin at one of some places. @param isLast true: at its end. */
function placeFrom(
  from: number,
  to: number,
  { segments, term, isLast }: { segments: readonly Segment[]; term: string; isLast: boolean },
): [start: number, end: number] | undefined {
  let place: [number, number] | undefined
  for (let start = from; start <= to; start++) {
    for (const end of endsOf(segments, term, start)) {
      if (isLast ? end === term.length && !place : !place || end < place[1]) place = [start, end]
    }
  }
  return place
}

/** Letters that a word needs to be looked for inside others. */
const LEAST_LETTERS = 3

/**
 * A word with wildcards around it; undefined if it is not looked for inside others: it has less than three letters, or
 * wildcards, or it is of a script in which it is found everywhere anyway.
 */
export function insideWord(word: string): string | undefined {
  const { terms, isWord } = readWord(word)
  const letters = word.match(/\p{L}/gu)?.length ?? 0
  const isWhole = isWord && terms.length === 1 && !word.includes(WILDCARD)
  return isWhole && letters >= LEAST_LETTERS ? WILDCARD + word + WILDCARD : undefined
}

/** The longest text that each spelling of a term has. */
export function literalOf(term: readonly Segment[]): string {
  let longest = ''
  let literal = ''
  for (const forms of term) {
    literal = forms.length === 1 ? literal + forms[0]! : ''
    if (literal.length > longest.length) longest = literal
  }
  return longest
}

/**
 * The terms of a typed word without wildcards, each in segments; a label may go on after the last one.
 *
 * @returns `isWord` false if the last term is a single character.
 */
export function readWord(word: string): { terms: (readonly Segment[])[]; isWord: boolean } {
  const terms = termsOf(word, GAP)
  return {
    terms: terms.map((term, at) => {
      if (isCharacter(term)) return [[canonical(term)]]
      return at === terms.length - 1 ? openSegments(segmentsOf(term)) : segmentsOf(term)
    }),
    isWord: terms.length > 0 && !isCharacter(terms.at(-1)!),
  }
}

/**
 * The phrases that the terms of a word stand for.
 *
 * @param isBeginning true if a term of some label begins so.
 */
export function phrasesOf(
  terms: readonly (readonly Segment[])[],
  isBeginning: (spelling: string) => boolean,
): string[] {
  if (terms.length === 0) return []
  let phrases = ['']
  for (const term of terms) {
    const forms = spellingsOf(term, isBeginning)
    phrases = phrases.flatMap((phrase) => forms.map((form) => (phrase === '' ? form : `${phrase} ${form}`)))
    phrases = phrases.slice(0, MOST_PHRASES)
  }
  return phrases
}

const WORD_CHARACTER = /^[\p{L}\p{M}\p{N}]/u

/**
 * The places in a label where a word begins with a typed word, or is one with wildcards: the start, and the end of the
 * longest spelling, in UTF-16 code units.
 *
 * @param label in NFC.
 * @example placesOf('munch', 'Kunst in München') // [[9, 14]]
 */
export function placesOf(word: string, label: string): [start: number, end: number][] {
  const characters = [...label]
  // No canonical form of a character is longer or shorter, so places in this text are places in the label.
  const text = characters.map(canonical).join('')
  if (hasWildcard(word)) return placesOfWildcards(word, text)
  const typed = word.replaceAll(WILDCARD, '')
  const segments = openSegments(segmentsOf(typed))
  const isAnywhere = !WORD_CHARACTER.test(typed) || isUnspaced(typed)
  const places: [number, number][] = []
  let start = 0
  let before = ''
  for (const character of characters) {
    if (isAnywhere || !WORD_CHARACTER.test(before) || isUnspaced(before)) {
      const ends = endsOf(segments, text, start)
      if (ends.length > 0) places.push([start, Math.max(...ends)])
    }
    before = character
    start += character.length
  }
  return places
}

function placesOfWildcards(word: string, text: string): [start: number, end: number][] {
  const match = wildcardMatcher(word)
  return [...text.matchAll(/[\p{L}\p{M}\p{N}]+/gu)].flatMap(({ 0: term, index }) => {
    const place = match(term)
    return place ? [[index + place[0], index + place[1]] as [number, number]] : []
  })
}
