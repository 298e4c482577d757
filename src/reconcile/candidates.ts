import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import { compareCodePoints } from '../jskos/order.ts'
import type { Groups, Hit, HitFilter } from '../search/label-index.ts'
import type { SearchDependencies } from '../search/matches.ts'
import {
  compareLabel,
  compareLikeness,
  isCertain,
  isExact,
  scoresOf,
  toSought,
  type Likeness,
} from '../search/ranking.ts'
import { labelsFoundFor } from '../search/found-labels.ts'
import { labelsOf, type ScopedLabels } from '../search/scoped-labels.ts'
import { Turn } from '../read/turn.ts'
import { readSearchText } from '../search/words.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import { iri } from '../sparql/terms.ts'
import type { Scope } from '../vocabularies/registry.ts'
import type { Condition, Query } from './query.ts'

/** A concept that a query may mean. */
export interface Candidate {
  uri: string
  /** 0 to 100. */
  score: number
  /** True if the candidate needs no check by a person. */
  match: boolean
}

/** The points that the score loses for each unmet condition. */
const CONDITION_SCORE = 10

const IDENTIFIER: Likeness = { kind: 'identifier', type: 'notation', closeness: 1, edits: 0, changed: Infinity }
/** Stands for the label of a candidate that only conditions have found. */
const BY_CONDITIONS: Likeness = { kind: 'similar', type: 'prefLabel', closeness: 0.5, edits: 0, changed: 0 }

/**
 * The candidates for each of some queries, best first (Reconciliation Service API 0.2, section 4.2).
 *
 * @throws ApiError ServiceUnavailableError if the labels are not in memory, and the errors of the store.
 */
export async function findCandidates(
  dependencies: SearchDependencies,
  scope: Scope,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<Candidate[][]> {
  const labels =
    (await labelsOf(dependencies, scope, signal)) ??
    (await labelsFoundFor(dependencies, scope, queries.flatMap(textsOf), signal))
  if (!labels) {
    throw new ApiError(
      'ServiceUnavailableError',
      'There are more labels than this service holds in memory (SEARCH_INDEX_LABELS), and its store has no text index.',
    )
  }
  const holding = await conditionSets(dependencies, labels, queries, signal)
  const found: Candidate[][] = []
  const turn = new Turn(signal)
  for (const query of queries) {
    found.push(candidatesOf(query, labels, holding))
    if (turn.isOver) await turn.next()
  }
  return found
}

/** The texts in a query that name concepts. */
function textsOf({ text, ids, conditions }: Query): string[] {
  const naming = conditions.filter(({ property }) => !['language', 'exactMatch'].includes(property))
  return [...(text === undefined ? [] : [text]), ...ids, ...naming.flatMap(({ values }) => values)]
}

function candidatesOf(query: Query, labels: ScopedLabels, holding: ConditionSets): Candidate[] {
  const required = query.conditions.filter(({ isRequired }) => isRequired)
  const optional = query.conditions.filter(({ isRequired }) => !isRequired)
  const { types, allTypes } = query
  const ofTypes = ({ classes }: Groups) =>
    allTypes ? types.every((type) => classes.includes(type)) : types.some((type) => classes.includes(type))
  const filter: HitFilter = {
    concept: (groups, uri) =>
      (labels.filter.concept?.(groups, uri) ?? true) &&
      (types.length === 0 || ofTypes(groups)) &&
      required.every((condition) => holding.holds(condition, uri)),
    languages: required.find(({ property }) => property === 'language')?.values.map((tag) => tag.toLowerCase()),
  }
  const best =
    query.text === undefined ? withoutName(query, labels, holding, filter) : byName(query.text, labels, filter)
  const failed = ({ uri }: Found) => optional.filter((condition) => !holding.holds(condition, uri)).length
  const ranked = best.sort(compareFound)
  const scores = scoresOf(ranked.map(({ likeness }) => likeness))
  const isSafe = isCertain(ranked.map(({ likeness }) => likeness))
  const candidates = ranked.map((found, at): Candidate => {
    const failures = optional.length > 0 ? failed(found) : 0
    const score = Math.max(0, scores[at]! - CONDITION_SCORE * failures)
    return { uri: found.uri, score, match: at === 0 && isSafe && failures === 0 }
  })
  return candidates.sort((a, b) => b.score - a.score).slice(0, query.limit)
}

interface Found {
  uri: string
  likeness: Likeness
}

function compareFound(a: Found, b: Found): number {
  return compareLikeness(a.likeness, b.likeness) || compareCodePoints(a.uri, b.uri)
}

/** The concepts that a text may mean as URI, notation or name. */
function byName(text: string, { indexes }: ScopedLabels, filter: HitFilter): Found[] {
  const best = new Map<string, Likeness>()
  const note = (uri: string, likeness: Likeness | undefined) => {
    const known = best.get(uri)
    if (likeness && (!known || compareLikeness(likeness, known) < 0)) best.set(uri, likeness)
  }
  const trimmed = text.trim()
  if (isAbsoluteIri(trimmed) && indexes.some((index) => index.has(trimmed, filter))) note(trimmed, IDENTIFIER)
  const searched = readSearchText(text)
  if (searched) {
    const sought = toSought(searched)
    const isKnown = (word: string) => indexes.some((index) => index.hasWord(word))
    const hits = indexes.flatMap((index): Hit[] => [
      ...index.byNotation(searched.text, filter),
      ...index.find(sought, isKnown, filter),
    ])
    for (const { uri, label } of hits) note(uri, compareLabel(sought, label))
  }
  return [...best].map(([uri, likeness]) => ({ uri, likeness }))
}

/** The concepts with the given identifiers; without identifiers, those that meet the conditions. */
function withoutName({ ids, conditions }: Query, { indexes }: ScopedLabels, holding: ConditionSets, filter: HitFilter) {
  if (ids.length > 0) {
    const uris = ids.flatMap((id) => [
      ...(indexes.some((index) => index.has(id, filter)) ? [id] : []),
      ...indexes.flatMap((index) => index.byNotation(id, filter).map(({ uri }) => uri)),
    ])
    return [...new Set(uris)].map((uri): Found => ({ uri, likeness: IDENTIFIER }))
  }
  const found = new Map<string, Likeness>()
  for (const { property, values, quantifier } of conditions) {
    if (quantifier === 'none') continue
    const likeness = property === 'broader' ? BY_CONDITIONS : IDENTIFIER
    for (const value of values) {
      for (const uri of holding.of(property, value)) {
        if (found.get(uri) !== IDENTIFIER && indexes.some((index) => index.has(uri, filter))) found.set(uri, likeness)
      }
    }
  }
  return [...found].map(([uri, likeness]): Found => ({ uri, likeness }))
}

/** The concepts that have a value, by property and value. */
class ConditionSets {
  readonly #sets = new Map<string, ReadonlySet<string>>()

  set(property: string, value: string, uris: ReadonlySet<string>): void {
    this.#sets.set(`${property} ${value}`, uris)
  }

  of(property: string, value: string): ReadonlySet<string> {
    return this.#sets.get(`${property} ${value}`) ?? new Set()
  }

  holds({ property, values, quantifier }: Condition, uri: string): boolean {
    // The search for labels has already checked their languages.
    if (property === 'language') return true
    const holds = (value: string) => this.of(property, value).has(uri)
    if (quantifier === 'none') return !values.some(holds)
    return quantifier === 'all' ? values.every(holds) : values.some(holds)
  }
}

/** Finds the concepts that meet the conditions of all queries, with at most one request to the store for each kind of condition. */
async function conditionSets(
  { client }: SearchDependencies,
  labels: ScopedLabels,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<ConditionSets> {
  const sets = new ConditionSets()
  const valuesOf = (property: string) => {
    const conditions = queries.flatMap((query) =>
      query.conditions.filter((condition) => condition.property === property),
    )
    return new Set(conditions.flatMap(({ values }) => values))
  }
  const exactly = (text: string) => {
    const found = byName(text, labels, labels.filter)
    return new Set(found.flatMap(({ uri, likeness }) => (isExact(likeness) ? [uri] : [])))
  }
  for (const property of ['label', 'prefLabel', 'altLabel'] as const) {
    for (const value of valuesOf(property)) sets.set(property, value, withLabel(value, property, labels))
  }
  for (const notation of valuesOf('notation')) {
    const hits = labels.indexes.flatMap((index) => index.byNotation(notation))
    sets.set('notation', notation, new Set(hits.map(({ uri }) => uri)))
  }
  const related = async (
    template: TemplateName,
    property: string,
    values: ReadonlyMap<string, ReadonlySet<string>>,
  ) => {
    const uris = [...new Set([...values.values()].flatMap((some) => [...some]))].filter(isAbsoluteIri)
    const found = new Map(uris.map((uri) => [uri, new Set<string>()]))
    if (uris.length > 0) {
      const query = queryTemplate(template).bind({ terms: { uri: uris.map(iri) } })
      // The answer may list every concept of the vocabulary.
      await client.constructInPieces(query, { signal }, async (piece) => {
        for (const [concept, properties] of piece) {
          for (const { value: uri } of [...properties.values()].flat()) found.get(uri)?.add(concept)
        }
        await setImmediate()
        return true
      })
    }
    for (const [value, some] of values) {
      sets.set(property, value, new Set([...some].flatMap((uri) => [...(found.get(uri) ?? [])])))
    }
  }
  const matches = new Map([...valuesOf('exactMatch')].map((value) => [value, new Set([value])]))
  const broader = new Map([...valuesOf('broader')].map((value) => [value, exactly(value)]))
  await Promise.all([
    related('reconcile/matches', 'exactMatch', matches),
    related('reconcile/below', 'broader', broader),
  ])
  return sets
}

/** The concepts with a label of exactly these words. */
function withLabel(text: string, property: 'label' | 'prefLabel' | 'altLabel', labels: ScopedLabels): Set<string> {
  const searched = readSearchText(text)
  if (!searched) return new Set()
  const sought = toSought(searched)
  const hits = labels.indexes.flatMap((index) => index.find(sought, () => true, labels.filter))
  const isMeant = ({ label }: Hit) => {
    const likeness = compareLabel(sought, label)
    return likeness && isExact(likeness) && (property === 'label' || label.type === property)
  }
  return new Set(hits.filter(isMeant).map(({ uri }) => uri))
}
