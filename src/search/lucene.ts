import type { Variants } from './patterns.ts'

/**
 * Queries in the syntax of Lucene's classic QueryParser, for one field of fuseki/config.ttl; text:query names the
 * field. Text that a person typed becomes words of letters and digits, or an escaped notation. Both are in lower case,
 * so that AND, OR, NOT and TO are ordinary words. The analyzers of the index also fold words before a *.
 */

/**
 * A query for the labels in which each of the given words, or another that stands for it, begins a word. Needs at least
 * one word.
 */
export function labelQuery(words: readonly string[], variants?: Variants): string {
  return words.map((word) => `+${anyQuery(variants?.get(word) ?? [word])}`).join(' ')
}

function anyQuery(words: readonly string[]): string {
  const queries = words.map((word) => wordQuery(word.toLowerCase()))
  return queries.length > 1 ? `(${queries.join(' ')})` : queries[0]!
}

/** A query for the notations that begin with a text. */
export function notationQuery(text: string): string {
  return `${escapeLucene(text.toLowerCase())}*`
}

function wordQuery(word: string): string {
  // The index has every character of these scripts as a term, so several in order are a phrase.
  if (/^[\p{Script=Han}\p{Script=Hiragana}]/u.test(word)) return `"${word}"`
  // The analyzer takes "ae" for "ä", but it may mean "æ", which is another term in the index.
  const terms = new Set([word, word.replaceAll('ae', 'æ').replaceAll('oe', 'œ')])
  const prefixes = [...terms].map((term) => `${escapeLucene(term)}*`)
  return prefixes.length > 1 ? `(${prefixes.join(' ')})` : prefixes[0]!
}

/** A query for the labels with a word in which so many letters are wrong (Lucene allows two). */
export function similarQuery(word: string, edits: number): string {
  return `${escapeLucene(word.toLowerCase())}~${edits}`
}

/** Text as one term of a query, with white space and the special characters of the syntax escaped. */
export function escapeLucene(text: string): string {
  return text.replace(/[\s!"&'()*+,\-./:;<=>?[\\\]^`{|}~]/g, '\\$&')
}
