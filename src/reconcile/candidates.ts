import { setImmediate } from 'node:timers/promises'
import { isInLanguage } from '../jskos/names.ts'
import { compareCodePoints } from '../jskos/order.ts'
import type { NameToFind, NameMatches } from '../search/index-reader.ts'
import {
  compareLabel,
  compareLikeness,
  isCertain,
  isExact,
  scoresOf,
  toSought,
  type Likeness,
} from '../search/ranking.ts'
import type { SearchDependencies } from '../search/search.ts'
import { readSearchText } from '../search/words.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import { iri } from '../sparql/terms.ts'
import { Turn } from '../turn.ts'
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

const IDENTIFIER: Likeness = { kind: 'identifier', type: 'notation', closeness: 1 }
/** Stands for the label of a candidate that only conditions have found. */
const BY_CONDITIONS: Likeness = { kind: 'similar', type: 'prefLabel', closeness: 0.5 }

/**
 * The candidates for each of some queries, best first (Reconciliation Service API 0.2, section 4.2).
 *
 * @throws ApiError ServiceUnavailableError if the index lacks a vocabulary, and the errors of the store.
 */
export async function findCandidates(
  dependencies: SearchDependencies,
  scope: Scope,
  queries: readonly Query[],
  signal: AbortSignal,
): Promise<Candidate[][]> {
  const asking: CandidateRequest = { dependencies, scope, signal, turn: new Turn(signal) }
  const holding = await conditionSets(asking, queries)
  const lists = new Lists()
  const named: NameToFind[][] = []
  for (const query of queries) named.push(await namesOf(query, holding, lists, asking.turn))
  const answers = await findNames(asking, named.flat(), lists.all)
  const found: Candidate[][] = []
  let at = 0
  for (const [index, query] of queries.entries()) {
    const count = named[index]!.length
    found.push(candidatesOf(query, answers.slice(at, at + count), holding))
    at += count
    if (asking.turn.isOver) await asking.turn.next()
  }
  return found
}

/** A request for candidates. */
interface CandidateRequest {
  dependencies: SearchDependencies
  scope: Scope
  signal: AbortSignal
  turn: Turn
}

/** Lists of concepts that conditions name; equal conditions share one. */
class Lists {
  readonly all: (readonly string[])[] = []
  readonly #known = new Map<string, number>()

  /** The place of a list. @param key tells equal ones. */
  async add(key: string, make: () => Promise<readonly string[]>): Promise<number> {
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const place = this.all.push(await make()) - 1
    this.#known.set(key, place)
    return place
  }
}

/** Names in one question to the index, so that other searches get a turn. */
const NAMES_AT_ONCE = 20
/** Concepts in the lists of one question: they are copied to the thread that answers. */
const LISTED_AT_ONCE = 50_000

/** The hits of the index for some names, in their order. */
async function findNames(
  { dependencies: { index }, scope, signal }: CandidateRequest,
  names: readonly NameToFind[],
  lists: readonly (readonly string[])[] = [],
): Promise<NameMatches[]> {
  const found: NameMatches[] = []
  for (const { some, used } of portionsOf(names, lists)) {
    found.push(...(await index.reconcile({ scope, names: some, lists: used }, signal)))
  }
  return found
}

/** Divides names into questions, each with the lists that its names need. */
function* portionsOf(names: readonly NameToFind[], lists: readonly (readonly string[])[]) {
  let some: NameToFind[] = []
  let places = new Map<number, number>()
  let listed = 0
  for (const name of names) {
    const own = [...(name.only ?? []), ...(name.not ?? []), ...(name.among === undefined ? [] : [name.among])]
    listed += own.reduce((sum, place) => sum + (places.has(place) ? 0 : lists[place]!.length), 0)
    if (some.length === NAMES_AT_ONCE || (some.length > 0 && listed > LISTED_AT_ONCE)) {
      yield { some, used: [...places.keys()].map((place) => lists[place]!) }
      some = []
      places = new Map()
      listed = own.reduce((sum, place) => sum + lists[place]!.length, 0)
    }
    const placeOf = (place: number) => {
      if (!places.has(place)) places.set(place, places.size)
      return places.get(place)!
    }
    const { only, not, among } = name
    some.push({
      ...name,
      ...(only && { only: only.map(placeOf) }),
      ...(not && { not: not.map(placeOf) }),
      ...(among !== undefined && { among: placeOf(among) }),
    })
  }
  if (some.length > 0) yield { some, used: [...places.keys()].map((place) => lists[place]!) }
}

/** The questions of a query to the index: one name, or the concepts that meet the conditions. */
async function namesOf(query: Query, holding: ConditionSets, lists: Lists, turn: Turn): Promise<NameToFind[]> {
  const { types, allTypes, text, conditions } = query
  const only: number[] = []
  const not: number[] = []
  for (const condition of conditions) {
    if (!condition.isRequired || condition.property === 'language') continue
    const list = await lists.add(JSON.stringify(condition), () => holding.meeting(condition, turn))
    if (condition.quantifier === 'none') not.push(list)
    else only.push(list)
  }
  const language = conditions.find(({ isRequired, property }) => isRequired && property === 'language')
  const filter = {
    ...(types.length > 0 && { types, allTypes }),
    languages: language?.values,
    only,
    not,
  }
  if (text !== undefined) return [{ ...filter, text }]
  const names: NameToFind[] = []
  for (const condition of conditions) {
    if (condition.quantifier === 'none') continue
    const among = await lists.add(`any ${JSON.stringify(condition)}`, () => holding.any(condition, turn))
    names.push({ ...filter, text: undefined, among })
  }
  return names
}

function candidatesOf(query: Query, answers: readonly NameMatches[], holding: ConditionSets): Candidate[] {
  const optional = query.conditions.filter(({ isRequired }) => !isRequired)
  const best = query.text === undefined ? withoutName(query, answers) : byName(query.text, answers[0]!)
  const isLiked = optional.map((condition) => testOf(condition, holding))
  const failed = (found: Found) => isLiked.filter((holds) => !holds(found)).length
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
  /** The languages of the labels that are so like the name; undefined if no label was compared. */
  languages?: string[]
}

/** A test of whether a concept meets a condition. */
function testOf(condition: Condition, holding: ConditionSets): (found: Found) => boolean {
  const { property, values } = condition
  if (property !== 'language') {
    const holds = holding.test(condition)
    return ({ uri }) => holds(uri)
  }
  return ({ languages }) => !languages || languages.some((tag) => values.some((value) => isInLanguage(tag, value)))
}

function compareFound(a: Found, b: Found): number {
  return compareLikeness(a.likeness, b.likeness) || compareCodePoints(a.uri, b.uri)
}

/** The concepts that a text may mean as URI, notation or name. */
function byName(text: string, { identified, labels }: NameMatches): Found[] {
  const best = new Map<string, Found>(identified.map((uri) => [uri, { uri, likeness: IDENTIFIER }]))
  const searched = readSearchText(text)
  if (!searched) return [...best.values()]
  const sought = toSought(searched)
  for (const [uri, type, label, language] of labels) {
    const likeness = compareLabel(sought, { text: label, type })
    if (!likeness) continue
    const known = best.get(uri)
    const order = known ? compareLikeness(likeness, known.likeness) : -1
    // All labels that equal the name count, whatever their kinds.
    const before = known && isExact(known.likeness) ? (known.languages ?? []) : []
    if (order < 0) best.set(uri, { uri, likeness, languages: [...before, language] })
    else if (known?.languages && (order === 0 || isExact(likeness))) known.languages.push(language)
  }
  return [...best.values()]
}

/** The concepts that meet the conditions. */
function withoutName({ conditions }: Query, answers: readonly NameMatches[]): Found[] {
  const found = new Map<string, Likeness>()
  const asked = conditions.filter(({ quantifier }) => quantifier !== 'none')
  for (const [at, { property }] of asked.entries()) {
    const likeness = property === 'broader' ? BY_CONDITIONS : IDENTIFIER
    for (const uri of answers[at]!.among) if (found.get(uri) !== IDENTIFIER) found.set(uri, likeness)
  }
  return [...found].map(([uri, likeness]) => ({ uri, likeness }))
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

  /** The concepts with one of the values of a condition. */
  async any({ property, values }: Condition, turn: Turn): Promise<string[]> {
    const all = new Set<string>()
    for (const set of values.flatMap((value) => this.of(property, value))) {
      for (const uri of set) {
        if (turn.isOver) await turn.next()
        all.add(uri)
      }
    }
    return [...all]
  }

  /** The concepts that meet a condition; if it says none, those that do not. */
  async meeting(condition: Condition, turn: Turn): Promise<string[]> {
    const some = await this.any(condition, turn)
    if (condition.quantifier !== 'all') return some
    const holds = this.test(condition)
    const all: string[] = []
    for (const uri of some) {
      if (turn.isOver) await turn.next()
      if (holds(uri)) all.push(uri)
    }
    return all
  }

  /** A test of concepts, by URI. The sets are found once: a search asks about thousands of concepts. */
  test({ property, values, quantifier }: Condition): (uri: string) => boolean {
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
async function conditionSets(asking: CandidateRequest, queries: readonly Query[]): Promise<ConditionSets> {
  const { dependencies, signal, turn } = asking
  const { client } = dependencies
  const sets = new ConditionSets()
  /** The different values of a property. */
  const valuesOf = async (property: string): Promise<string[]> => {
    const found = new Set<string>()
    for (const { conditions } of queries) {
      for (const condition of conditions) {
        if (condition.property !== property) continue
        for (const value of condition.values) {
          if (turn.isOver) await turn.next()
          found.add(value)
        }
      }
    }
    return [...found]
  }
  for (const property of ['label', 'prefLabel', 'altLabel'] as const) {
    const values = await valuesOf(property)
    const answers = await findNames(
      asking,
      values.map((text) => ({ text, isExact: true })),
    )
    for (const [at, value] of values.entries()) {
      if (turn.isOver) await turn.next()
      sets.set(property, value, [withLabel(value, property, answers[at]!)])
    }
  }
  for (const property of ['notation', 'id']) {
    const values = await valuesOf(property)
    const answers = await findNames(
      asking,
      values.map((text) => ({ text, isIdentifier: true })),
    )
    for (const [at, value] of values.entries()) {
      sets.set(property, value, [new Set(answers[at]!.identified)])
    }
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
      const setsOf = [...some].flatMap((uri) => found.get(uri) ?? [])
      sets.set(property, value, setsOf)
    }
  }
  const matches = new Map((await valuesOf('exactMatch')).map((value) => [value, new Set([value])]))
  const above = await valuesOf('broader')
  const named = await findNames(
    asking,
    above.map((text) => ({ text })),
  )
  const broader = new Map<string, Set<string>>()
  for (const [at, value] of above.entries()) {
    if (turn.isOver) await turn.next()
    broader.set(value, exactly(value, named[at]!))
  }
  await Promise.all([
    related('reconcile/matches', 'exactMatch', matches),
    related('reconcile/below', 'broader', broader),
  ])
  return sets
}

/** The concepts that are exactly meant by a text. */
function exactly(text: string, answer: NameMatches): Set<string> {
  return new Set(byName(text, answer).flatMap(({ uri, likeness }) => (isExact(likeness) ? [uri] : [])))
}

/** The concepts with a label of exactly these words. */
function withLabel(text: string, property: 'label' | 'prefLabel' | 'altLabel', { labels }: NameMatches): Set<string> {
  const searched = readSearchText(text)
  if (!searched) return new Set()
  const sought = toSought(searched)
  const isMeant = ([, type, label]: NameMatches['labels'][number]) => {
    const likeness = compareLabel(sought, { text: label, type })
    return likeness && isExact(likeness) && (property === 'label' || type === property)
  }
  return new Set(labels.filter(isMeant).map(([uri]) => uri))
}
