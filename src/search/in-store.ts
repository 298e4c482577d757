import { scopeTerms } from '../read/terms.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, literal } from '../sparql/terms.ts'
import { labelQuery, notationQuery } from './lucene.ts'
import { graphsOf, toMatches, type Matches, type SearchDependencies, type SearchQuestion } from './matches.ts'
import { beginningPattern, wholePattern, wordPattern } from './patterns.ts'
import type { SearchText } from './words.ts'

/**
 * The concepts that match a text, found by the text index of the store or by looking at every label, unordered within a rank.
 * This takes one request to the store, and another one if the request names one of several vocabularies.
 */
export async function findInStore(
  dependencies: SearchDependencies,
  question: SearchQuestion,
  signal: AbortSignal | undefined,
): Promise<Matches> {
  const { text, fields, scope, below, types, variants } = question
  const graphs = (await graphsOf(dependencies, scope, signal))?.map(iri)
  const terms = {
    scope: scopeTerms(scope),
    graph: graphs,
    below,
    type: types?.map(iri),
    word: text.words.map((word) => literal(wordPattern(word, variants))),
    whole: [literal(wholePattern(text.text, variants))],
    beginning: [literal(beginningPattern(text.text, variants))],
  }
  const include = [
    // A text without words matches no label.
    ...(fields.label && text.words.length > 0 ? ['label'] : []),
    ...(fields.notation ? ['notation'] : []),
  ]
  const useIndex = !isShort(text) && (await dependencies.textIndex.isThere(signal))
  const name = useIndex ? 'search/text' : 'search/scan'
  const indexed = { words: [literal(labelQuery(text.words, variants))], notations: [literal(notationQuery(text.text))] }
  const query = queryTemplate(name).bind({ terms: { ...terms, ...(useIndex ? indexed : {}) }, include })
  const rows = await dependencies.client.select(query, { signal })
  return toMatches(
    new Map(
      rows.flatMap(({ rank, concepts }) =>
        rank && concepts?.value ? [[Number(rank.value), concepts.value.split(' ')] as const] : [],
      ),
    ),
  )
}

/**
 * Nearly every label has a word with a given first letter, so a scan of all takes less time than fetching hits one by one.
 */
function isShort({ words }: SearchText): boolean {
  return words.length > 0 && words.every((word) => /^(?![\p{Script=Han}\p{Script=Hiragana}])[\p{L}\p{N}]$/u.test(word))
}
