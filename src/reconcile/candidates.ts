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
import { Turn } from '../turn.ts'
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
    found.push(await candidatesOf(query, labels, holding, turn))
    if (turn.isOver) await turn.next()
  }
  return found
}

/** The texts in a query that name concepts. */
function textsOf({ text, ids, conditions }: Query): string[] {
  const naming = conditions.filter(({ property }) => !['language', 'exactMatch'].includes(property))
  return [...(text === undefined ? [] : [text]), ...ids, ...naming.flatMap(({ values }) => values)]
}

async function candidatesOf(
  query: Query,
  labels: ScopedLabels,
  holding: ConditionSets,
  turn: Turn,
): Promise<Candidate[]> {
  const required = query.conditions.filter(({ isRequired }) => isRequired)
  const optional = query.conditions.filter(({ isRequired }) => !isRequired)
  const { types, allTypes } = query
  const isMet = required.map((condition) => holding.test(condition))
  const ofTypes = ({ classes }: Groups) =>
    allTypes ? types.every((type) => classes.includes(type)) : types.some((type) => classes.includes(type))
  const filter: HitFilter = {
    concept: (groups, uri) =>
      (labels.filter.concept?.(groups, uri) ?? true) &&
      (types.length === 0 || ofTypes(groups)) &&
      isMet.every((holds) => holds(uri)),
    languages: required.find(({ property }) => property === 'language')?.values.map((tag) => tag.toLowerCase()),
  }
  const best =
    query.text === undefined
      ? await withoutName(query, labels, holding, filter, turn)
      : byName(query.text, labels, filter)
  const isLiked = optional.map((condition) => holding.test(condition))
  const failed = ({ uri }: Found) => isLiked.filter((holds) => !holds(uri)).length
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
async function withoutName(
  { ids, conditions }: Query,
  { indexes }: ScopedLabels,
  holding: ConditionSets,
  filter: HitFilter,
  turn: Turn,
): Promise<Found[]> {
  const found = new Map<string, Likeness>()
  for (const id of ids) {
    if (turn.isOver) await turn.next()
    if (indexes.some((index) => index.has(id, filter))) found.set(id, IDENTIFIER)
    for (const { uri } of indexes.flatMap((index) => index.byNotation(id, filter))) found.set(uri, IDENTIFIER)
  }
  if (ids.length > 0) return [...found].map(([uri, likeness]): Found => ({ uri, likeness }))
  for (const { property, values, quantifier } of conditions) {
    if (quantifier === 'none') continue
    const likeness = property === 'broader' ? BY_CONDITIONS : IDENTIFIER
    for (const set of values.flatMap((value) => holding.of(property, value))) {
      for (const uri of set) {
        if (turn.isOver) await turn.next()
        const known = found.get(uri)
        if (known === likeness || known === IDENTIFIER) continue
        if (indexes.some((index) => index.has(uri, filter))) found.set(uri, likeness)
      }
    }
  }
  return [...found].map(([uri, likeness]): Found => ({ uri, likeness }))
}

/** The concepts that have a value, by property and value. */
class ConditionSets {
  /** A value may stand for several things, such as a name that several concepts have; each of them has a set. */
  readonly #sets = new Map<string, readonly ReadonlySet<string>[]>()

  set(property: string, value: string, sets: readonly ReadonlySet<string>[]): void {
    this.#sets.set(`${property} ${value}`, sets)
  }

  of(property: string, value: string): readonly ReadonlySet<string>[] {
    return this.#sets.get(`${property} ${value}`) ?? []
  }

  /** A test of concepts, by URI. The sets are found once: a search asks about thousands of concepts. */
  test({ property, values, quantifier }: Condition): (uri: string) => boolean {
    // The search for labels has already checked their languages.
    if (property === 'language') return () => true
    const sets = values.map((value) => this.of(property, value))
    const has = (uri: string) => (some: readonly ReadonlySet<string>[]) => some.some((set) => set.has(uri))
    if (quantifier === 'none') return (uri) => !sets.some(has(uri))
    return quantifier === 'all' ? (uri) => sets.every(has(uri)) : (uri) => sets.some(has(uri))
  }
}

/**
 * Finds the concepts that meet the conditions of all queries, with at most one request to the store for each kind of condition.
 * A request may have thousands of values, so other requests get a turn in between.
 */
async function conditionSets(
  { client }: SearchDependencies,
  labels: ScopedLabels,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<ConditionSets> {
  const sets = new ConditionSets()
  const turn = new Turn(signal)
  /** What `find` gives for each of the different values of a property. */
  const eachValue = async <Found>(property: string, find: (value: string) => Found): Promise<Map<string, Found>> => {
    const found = new Map<string, Found>()
    for (const { conditions } of queries) {
      for (const condition of conditions) {
        if (condition.property !== property) continue
        for (const value of condition.values) {
          if (turn.isOver) await turn.next()
          if (!found.has(value)) found.set(value, find(value))
        }
      }
    }
    return found
  }
  const exactly = (text: string) => {
    const found = byName(text, labels, labels.filter)
    return new Set(found.flatMap(({ uri, likeness }) => (isExact(likeness) ? [uri] : [])))
  }
  for (const property of ['label', 'prefLabel', 'altLabel'] as const) {
    const found = await eachValue(property, (value) => withLabel(value, property, labels))
    for (const [value, uris] of found) sets.set(property, value, [uris])
  }
  const withNotation = await eachValue('notation', (notation) => {
    return new Set(labels.indexes.flatMap((index) => index.byNotation(notation).map(({ uri }) => uri)))
  })
  for (const [notation, uris] of withNotation) sets.set('notation', notation, [uris])
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
    for (const [value, some] of values)
      sets.set(
        property,
        value,
        [...some].flatMap((uri) => found.get(uri) ?? []),
      )
  }
  const matches = await eachValue('exactMatch', (value) => new Set([value]))
  const broader = await eachValue('broader', exactly)
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
