/**
 * Queries in the syntax of Lucene's classic QueryParser, for one field of fuseki/config.ttl; which field says text:query.
 * Text that a person typed gets in as words of letters and digits, or as a notation with everything escaped; both in
 * lower case, so that AND, OR, NOT and TO are words like others. The analyzers of the index fold what stands before a *.
 */

/** A query for every label in which each of the words begins a word. There has to be one at least. */
export function labelQuery(words: readonly string[]): string {
  return words.map((word) => `+${wordQuery(word.toLowerCase())}`).join(' ')
}

/** A query for every notation that begins with a text. */
export function notationQuery(text: string): string {
  return `${escapeLucene(text.toLowerCase())}*`
}

function wordQuery(word: string): string {
  // The index has every character of these scripts as a term of its own: in order they are a phrase.
  if (/^[\p{Script=Han}\p{Script=Hiragana}]/u.test(word)) return `"${word}"`
  // "ae" is "ä" for the analyzer, but it may be "æ", which the index has as a term of its own.
  const terms = new Set([word, word.replaceAll('ae', 'æ').replaceAll('oe', 'œ')])
  const prefixes = [...terms].map((term) => `${escapeLucene(term)}*`)
  return prefixes.length > 1 ? `(${prefixes.join(' ')})` : prefixes[0]!
}

/** Text as one term of a query: white space and every character that has a meaning in the syntax, escaped. */
export function escapeLucene(text: string): string {
  return text.replace(/[\s!"&'()*+,\-./:;<=>?[\\\]^`{|}~]/g, '\\$&')
}
