import { isVocabularyId } from '../jskos/vocabulary-id.ts'
import { SKOS } from '../namespaces.ts'
import { unmarked } from '../search/letters.ts'
import { unescapeNTriples } from '../sparql/ntriples.ts'
import { splitLiteral } from '../sparql/statements.ts'
import { defaultIds, ownIds, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { namesFromTitles, textsOf } from './scheme.ts'
import type { Statement } from './source-graph.ts'

/** The id of a vocabulary that nobody has chosen: the end of its URI (docs/interface.md, "Loading"). */
export interface IdFromUri {
  id: string
  /** An id from the name of the vocabulary that no other one has; undefined if there is none, or if it is the same. */
  proposed?: string | undefined
}

const MOST_CHARACTERS = 30
/** Words that say little about a vocabulary, in the languages of most names. */
const LITTLE_WORDS = new Set([
  ...['a', 'an', 'and', 'by', 'for', 'from', 'in', 'of', 'on', 'or', 'the', 'to', 'with'],
  ...['am', 'auf', 'aus', 'das', 'dem', 'den', 'der', 'des', 'die', 'ein', 'eine', 'fuer', 'im', 'mit', 'oder', 'und'],
  ...['ueber', 'vom', 'von', 'zu', 'zum', 'zur'],
])
const UMLAUTS: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue' }

/**
 * The default id of a vocabulary if it comes from its URI, and a proposal.
 *
 * @param statements those of its scheme.
 * @param stored the vocabularies with whose ids the proposal must not collide.
 * @returns undefined if its own notations give the ids, or if it has none.
 */
export function idFromUri(
  uri: string,
  statements: Statement[],
  stored: readonly Vocabulary[] = [],
): IdFromUri | undefined {
  if (ownIds(textsOf(statements, `${SKOS}notation`)).length > 0) return undefined
  const [id] = defaultIds(uri, [])
  if (id === undefined) return undefined
  const proposed = idFromName(statements, stored)
  return proposed === id ? { id } : { id, proposed }
}

/** An id from the name of a vocabulary that none of those in the store has; undefined if the name has no such letters. */
export function idFromName(statements: Statement[], stored: readonly Vocabulary[]): string | undefined {
  const name = namesOf(statements).map(toId).find(Boolean)
  if (name === undefined) return undefined
  const isFree = (id: string) => isVocabularyId(id) && !stored.some(({ ids }) => ids.includes(id))
  let id = name
  for (let at = 2; !isFree(id); at++) id = `${name}-${at}`
  return id
}

interface Name {
  text: string
  language: string
}

/** The names of a scheme: German and English ones first. */
function namesOf(statements: Statement[]): Name[] {
  const labels = statements.flatMap(({ predicate, object }) => (predicate === `${SKOS}prefLabel` ? object : []))
  const names = (labels.length > 0 ? labels : namesFromTitles(statements)).flatMap((object) => {
    const literal = splitLiteral(object)
    if (!literal) return []
    return { text: unescapeNTriples(literal.lexical), language: literal.suffix.replace('@', '').toLowerCase() }
  })
  const isIn = (wanted: string) => (name: Name) => languageOf(name) === wanted
  return [...names.filter(isIn('de')), ...names.filter(isIn('en')), ...names]
}

const languageOf = ({ language }: Name) => language.split('-')[0]

/** The first words of a name in the characters of an id; empty if it has none. */
function toId(name: Name): string {
  const lower = name.text.normalize('NFC').toLowerCase().replace(/['’]/g, '')
  const ascii = unmarked(languageOf(name) === 'de' ? lower.replace(/[äöü]/g, (letter) => UMLAUTS[letter]!) : lower)
  const words = ascii.split(/[^a-z0-9]+/).filter((word) => word !== '' && !LITTLE_WORDS.has(word))
  let id = (words.shift() ?? '').slice(0, MOST_CHARACTERS)
  for (const word of words) {
    if (id.length + 1 + word.length > MOST_CHARACTERS) break
    id += `-${word}`
  }
  return id
}
