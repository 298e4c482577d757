import { ApiError } from '../errors.ts'
import { smallest } from '../jskos/order.ts'
import { Turn } from '../turn.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { accepts, type Hit } from './label-index.ts'
import { toMatches, type Matches, type SearchDependencies, type SearchQuestion } from './matches.ts'
import { beginningPattern, isAtBoundary, wholePattern, wordPattern } from './patterns.ts'
import type { LabelType } from './ranking.ts'
import { labelsOf, type ScopedLabels } from './scoped-labels.ts'

/** The numbers of ranks as in queries/search/scan.rq: whole labels by their types, then others. */
const WHOLE: Readonly<Record<LabelType, number>> = { notation: 0, prefLabel: 1, altLabel: 2, hiddenLabel: 3 }
const BEGINNING = 4
const WORDS = 8

/**
 * The concepts that match a text, as the store finds them, but from the labels in memory, in a tenth of the time or less: without
 * a text index the store compares every label.
 *
 * @returns undefined if the labels are not in memory, or if the question takes more than labels.
 * @throws ApiError TimeoutError, and the errors of the store.
 */
export async function findInMemory(
  dependencies: SearchDependencies,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<Matches | undefined> {
  const { labelIndexes } = dependencies
  if (!labelIndexes.areComplete || question.below) return undefined
  const present = (graph: Vocabulary) => Promise.resolve(labelIndexes.present(graph))
  const labels = await labelsOf(dependencies, question.scope, signal, present)
  if (!labels) return undefined
  const rankOf = comparison(question)
  const isWanted = concepts(labels, question)
  const ranks = new Map<string, number>()
  const turn = new Turn()
  for (const { uri, label } of candidates(labels, question)) {
    const rank = rankOf(label)
    if (rank !== undefined && rank < (ranks.get(uri) ?? Infinity) && isWanted(uri)) ranks.set(uri, rank)
    if (!turn.isOver) continue
    await turn.next()
    if (signal.aborted) throw new ApiError('TimeoutError', 'The search takes longer than a request may.')
  }
  const found = new Map<number, string[]>()
  for (const [uri, rank] of ranks) {
    const uris = found.get(rank)
    if (uris) uris.push(uri)
    else found.set(rank, [uri])
  }
  return toMatches(found, (uri) => smallest(labels.indexes.flatMap((index) => index.keyOf(uri) ?? [])))
}

/** The labels and notations that may match; only labels with the longest word of the text, which is in the fewest. */
function* candidates({ indexes }: ScopedLabels, { text, fields, variants }: SearchQuestion): Generator<Hit> {
  const [word] = text.words.filter(isAtBoundary).sort((a, b) => b.length - a.length)
  const [ofWord, ofText] = [word ?? '', text.text].map((typed) => new RegExp(beginningPattern(typed, variants), 'u'))
  for (const index of indexes) {
    if (fields.label && word !== undefined) yield* index.labelsWith(variants?.get(word) ?? [word], ofWord!)
    // A text without words matches no label.
    else if (fields.label && text.words.length > 0) yield* index.labels()
    if (fields.notation) yield* index.notationsLike(ofText!)
  }
}

/** Gives the rank of a label; undefined if it does not match. */
function comparison({ text: { text, words }, variants }: SearchQuestion): (label: Hit['label']) => number | undefined {
  const [whole, beginning] = [wholePattern, beginningPattern].map((pattern) => new RegExp(pattern(text, variants), 'u'))
  const patterns = words.map((word) => new RegExp(wordPattern(word, variants), 'u'))
  return ({ text, type }) => {
    if (!patterns.every((pattern) => pattern.test(text))) return undefined
    return WHOLE[type] + (whole!.test(text) ? 0 : beginning!.test(text) ? BEGINNING : WORDS)
  }
}

/** True for concepts of the scope and the classes. A graph may have labels of a concept that another one describes. */
function concepts({ indexes, filter }: ScopedLabels, { types }: SearchQuestion): (uri: string) => boolean {
  return (uri) => {
    const known = indexes.flatMap((index) => index.groupsOf(uri) ?? [])
    const groups = {
      classes: known.flatMap(({ classes }) => classes),
      schemes: known.flatMap(({ schemes }) => schemes),
    }
    return accepts(filter, groups, uri) && (types?.some((type) => groups.classes.includes(type)) ?? true)
  }
}
