import type { ReplacedWords } from '../read/list.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, literal } from '../sparql/terms.ts'
import { fold, unmarked } from './letters.ts'
import { similarQuery } from './lucene.ts'
import { findInMemory } from './in-memory.ts'
import { findInStore } from './in-store.ts'
import { graphsOf, type Matches, type SearchDependencies, type SearchQuestion } from './matches.ts'
import type { Variants } from './patterns.ts'
import { editDistance, toleratedEdits } from './ranking.ts'
import { labelsOf } from './scoped-labels.ts'
import { nearest, variantsOf } from './variants.ts'
import { indexedWords } from './words.ts'

/** Concepts that match a text, perhaps with other words in it. */
export interface ForgivenMatches extends Matches {
  /** Present if the text itself matches nothing and the text with these words does. */
  replaced?: ReplacedWords
}

/**
 * The concepts that match a text. If there are none, this replaces each word that no label has by the nearest words of labels
 * and tries again.
 *
 * The nearest words come from the labels in memory, or, for vocabularies with more labels than fit, from the text index of
 * the store, if it has one.
 *
 * @throws the errors of the store, and of `LabelIndexes.of`.
 */
export async function findForgivingly(
  dependencies: SearchDependencies,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<ForgivenMatches> {
  const exact = await findMatches(dependencies, question, signal)
  const { text, fields, scope } = question
  if (exact.total > 0 || !fields.label || text.words.every((word) => toleratedEdits(word) === 0)) return exact
  const labels = await labelsOf(dependencies, scope, signal)
  const variants = labels ? variantsOf(text, labels) : await indexedVariants(dependencies, question, signal)
  if (!variants) return exact
  const others = { ...question, fields: { label: true, notation: false }, variants }
  const found = await findMatches(dependencies, others, signal)
  return found.total > 0 ? { ...found, replaced: replacedWords(variants) } : found
}

/** The variants without the words themselves, which stay in the search if they begin words of labels. */
function replacedWords(variants: Variants): ReplacedWords {
  return new Map([...variants].map(([word, others]) => [word, others.filter((other) => other !== word)]))
}

async function findMatches(
  dependencies: SearchDependencies,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<Matches> {
  const { text, fields, scope, below, types, variants } = question
  const uris = [...scope.schemes, ...scope.subsets].map(({ uri }) => uri)
  const key = JSON.stringify([text, fields, scope.all, uris, below, types, variants && [...variants]])
  const find = async () =>
    (await findInMemory(dependencies, question, signal)) ?? findInStore(dependencies, question, signal)
  return dependencies.matches.get(key, find, signal)
}

/** Like `variantsOf`, but from the text index of the store; undefined also if the store has none. */
async function indexedVariants(
  dependencies: SearchDependencies,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<Variants | undefined> {
  if (!(await dependencies.textIndex.isThere(signal))) return undefined
  const { scope, text } = question
  const graphs = (await graphsOf(dependencies, scope, signal))?.map(iri)
  const variants = new Map<string, string[]>()
  for (const word of text.words) {
    const only: SearchQuestion = {
      text: { text: word, words: [word] },
      fields: { label: true, notation: false },
      scope,
      below: undefined,
      types: undefined,
    }
    const isKnown = text.words.length > 1 && (await findMatches(dependencies, only, signal)).total > 0
    if (isKnown) continue
    const similar = await similarWords(dependencies, word, graphs, signal)
    if (similar.length === 0) return undefined
    variants.set(word, similar)
  }
  return variants.size > 0 ? variants : undefined
}

async function similarWords(
  { client }: SearchDependencies,
  word: string,
  graph: ReturnType<typeof iri>[] | undefined,
  signal: AbortSignal,
): Promise<string[]> {
  const forms = [fold(word), unmarked(word)]
  const most = Math.max(...forms.map(toleratedEdits))
  if (most === 0) return []
  const terms = { graph, words: [literal(similarQuery(word, most))] }
  const query = queryTemplate('search/similar').bind({ terms })
  const labels = (await client.select(query, { signal })).flatMap(({ label }) => label?.value ?? [])
  const words = new Set(labels.flatMap((label) => indexedWords(label.toLowerCase())))
  return nearest(
    [...words].flatMap((known) => {
      const edits = forms.map((form) => editDistance(form, fold(known), toleratedEdits(form)) ?? Infinity)
      return Math.min(...edits) === Infinity ? [] : [{ word: known, edits: Math.min(...edits) }]
    }),
  )
}
