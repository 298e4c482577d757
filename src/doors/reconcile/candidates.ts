import { setImmediate } from 'node:timers/promises'
import { isInLanguage } from '../../graph/jskos/names.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { conceptsBelow } from '../../interface/search/below.ts'
import type { NameToFind, NameMatches } from '../../interface/search/name-reader.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import { readSearchText } from '../../interface/search/words.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { Turn } from '../../base/clock.ts'
import type { Scope } from '../../graph/vocabularies/registry.ts'
import type { QueryCondition, ReconcileQuery } from './query.ts'
import { compareLabel, compareLikeness, isCertain, isExact, scoresOf, toSought, type Likeness } from './ranking.ts'

/** A concept that a query may mean. */
interface ReconcileCandidate {
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
  queries: readonly ReconcileQuery[],
  signal: AbortSignal,
): Promise<ReconcileCandidate[][]> {
  const candidateRequest: CandidateRequest = { dependencies, scope, signal, turn: new Turn(signal) }
  const sets = await conditionSets(candidateRequest, queries)
  const lists = new ConceptLists()
  const named: NameToFind[][] = []
  for (const query of queries) named.push(await namesToFind(query, sets, lists, candidateRequest.turn))
  const answers = await findNames(candidateRequest, named.flat(), lists.lists)
  const candidateLists: ReconcileCandidate[][] = []
  let answerStart = 0
  for (const [index, query] of queries.entries()) {
    const count = named[index]!.length
    candidateLists.push(candidatesOf(query, answers.slice(answerStart, answerStart + count), sets))
    answerStart += count
    if (candidateRequest.turn.isOver) await candidateRequest.turn.next()
  }
  return candidateLists
}

/** A request for candidates. */
interface CandidateRequest {
  dependencies: SearchDependencies
  scope: Scope
  signal: AbortSignal
  turn: Turn
}

/** Lists of concepts that conditions name; equal conditions share one. */
class ConceptLists {
  readonly lists: (readonly string[])[] = []
  readonly #indexByKey = new Map<string, number>()

  /** The index of a list. @param key is the same for equal lists. */
  async add(key: string, make: () => Promise<readonly string[]>): Promise<number> {
    const existing = this.#indexByKey.get(key)
    if (existing !== undefined) return existing
    const place = this.lists.push(await make()) - 1
    this.#indexByKey.set(key, place)
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
  const matches: NameMatches[] = []
  for (const { some, used } of portionsOf(names, lists)) {
    matches.push(...(await index.reconcile({ scope, names: some, lists: used }, signal)))
  }
  return matches
}

/** Divides names into questions, each with the lists that its names need. */
function* portionsOf(names: readonly NameToFind[], lists: readonly (readonly string[])[]) {
  let some: NameToFind[] = []
  let places = new Map<number, number>()
  let listed = 0
  for (const name of names) {
    const listIndexes = [...(name.only ?? []), ...(name.not ?? []), ...(name.among === undefined ? [] : [name.among])]
    listed += listIndexes.reduce((sum, place) => sum + (places.has(place) ? 0 : lists[place]!.length), 0)
    if (some.length === NAMES_AT_ONCE || (some.length > 0 && listed > LISTED_AT_ONCE)) {
      yield { some, used: [...places.keys()].map((place) => lists[place]!) }
      some = []
      places = new Map()
      listed = listIndexes.reduce((sum, place) => sum + lists[place]!.length, 0)
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
async function namesToFind(
  query: ReconcileQuery,
  sets: ConditionSets,
  lists: ConceptLists,
  turn: Turn,
): Promise<NameToFind[]> {
  const { types, allTypes, text, conditions } = query
  const only: number[] = []
  const not: number[] = []
  for (const condition of conditions) {
    if (!condition.isRequired || condition.property === 'language') continue
    const list = await lists.add(JSON.stringify(condition), () => sets.meeting(condition, turn))
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
    const among = await lists.add(`any ${JSON.stringify(condition)}`, () => sets.any(condition, turn))
    names.push({ ...filter, text: undefined, among })
  }
  return names
}

function candidatesOf(
  query: ReconcileQuery,
  answers: readonly NameMatches[],
  sets: ConditionSets,
): ReconcileCandidate[] {
  const optional = query.conditions.filter(({ isRequired }) => !isRequired)
  const best = query.text === undefined ? withoutName(query, answers) : byName(query.text, answers[0]!)
  const isLiked = optional.map((condition) => testOf(condition, sets))
  const failed = (hit: ScoredConcept) => isLiked.filter((isMet) => !isMet(hit)).length
  const ranked = best.sort((a, b) => compareLikeness(a.likeness, b.likeness) || compareCodePoints(a.uri, b.uri))
  const scores = scoresOf(ranked.map(({ likeness }) => likeness))
  const isSafe = isCertain(ranked.map(({ likeness }) => likeness))
  const candidates = ranked.map((hit, rank): ReconcileCandidate => {
    const failures = optional.length > 0 ? failed(hit) : 0
    const score = Math.max(0, scores[rank]! - CONDITION_SCORE * failures)
    return { uri: hit.uri, score, match: rank === 0 && isSafe && failures === 0 }
  })
  return candidates.sort((a, b) => b.score - a.score).slice(0, query.limit)
}

interface ScoredConcept {
  uri: string
  likeness: Likeness
  /** The languages of the labels that are so like the name; undefined if no label was compared. */
  languages?: string[]
}

/** A test of whether a concept meets a condition. */
function testOf(condition: QueryCondition, sets: ConditionSets): (hit: ScoredConcept) => boolean {
  const { property, values } = condition
  if (property !== 'language') {
    const isMet = sets.test(condition)
    return ({ uri }) => isMet(uri)
  }
  return ({ languages }) => !languages || languages.some((tag) => values.some((value) => isInLanguage(tag, value)))
}

/** The concepts that a text may mean as URI, notation or name. */
function byName(text: string, { identified, labels }: NameMatches): ScoredConcept[] {
  const best = new Map<string, ScoredConcept>(identified.map((uri) => [uri, { uri, likeness: IDENTIFIER }]))
  const searched = readSearchText(text)
  if (!searched) return [...best.values()]
  const sought = toSought(searched)
  for (const [uri, type, label, language] of labels) {
    const likeness = compareLabel(sought, { text: label, type })
    if (!likeness) continue
    const previous = best.get(uri)
    const order = previous ? compareLikeness(likeness, previous.likeness) : -1
    // All labels that equal the name count, whatever their kinds.
    const before = previous && isExact(previous.likeness) ? (previous.languages ?? []) : []
    if (order < 0) best.set(uri, { uri, likeness, languages: [...before, language] })
    else if (previous?.languages && (order === 0 || isExact(likeness))) previous.languages.push(language)
  }
  return [...best.values()]
}

/** The concepts that meet the conditions. */
function withoutName({ conditions }: ReconcileQuery, answers: readonly NameMatches[]): ScoredConcept[] {
  const likenessByUri = new Map<string, Likeness>()
  const positive = conditions.filter(({ quantifier }) => quantifier !== 'none')
  for (const [index, { property }] of positive.entries()) {
    const likeness = property === 'broader' ? BY_CONDITIONS : IDENTIFIER
    for (const uri of answers[index]!.among) if (likenessByUri.get(uri) !== IDENTIFIER) likenessByUri.set(uri, likeness)
  }
  return [...likenessByUri].map(([uri, likeness]) => ({ uri, likeness }))
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
  async any({ property, values }: QueryCondition, turn: Turn): Promise<string[]> {
    const uris = new Set<string>()
    for (const set of values.flatMap((value) => this.of(property, value))) {
      for (const uri of set) {
        if (turn.isOver) await turn.next()
        uris.add(uri)
      }
    }
    return [...uris]
  }

  /** The concepts that meet a condition; with the quantifier `none`, the concepts that must be excluded. */
  async meeting(condition: QueryCondition, turn: Turn): Promise<string[]> {
    const some = await this.any(condition, turn)
    if (condition.quantifier !== 'all') return some
    const isMet = this.test(condition)
    const uris: string[] = []
    for (const uri of some) {
      if (turn.isOver) await turn.next()
      if (isMet(uri)) uris.push(uri)
    }
    return uris
  }

  /** A test of concepts, by URI. The sets are found once: a search asks about thousands of concepts. */
  test({ property, values, quantifier }: QueryCondition): (uri: string) => boolean {
    const sets = values.map((value) => this.of(property, value))
    const has = (uri: string) => (some: readonly ReadonlySet<string>[]) => some.some((set) => set.has(uri))
    if (quantifier === 'none') return (uri) => !sets.some(has(uri))
    return quantifier === 'all' ? (uri) => sets.every(has(uri)) : (uri) => sets.some(has(uri))
  }
}

/**
 * Finds the concepts that meet the conditions of all queries, with at most one request to the store for each kind of
 * condition. A request may have thousands of values, so other requests get a turn in between.
 */
async function conditionSets(
  candidateRequest: CandidateRequest,
  queries: readonly ReconcileQuery[],
): Promise<ConditionSets> {
  const { dependencies, signal, turn } = candidateRequest
  const { client } = dependencies
  const sets = new ConditionSets()
  /** The different values of a property. */
  const valuesOf = async (property: string): Promise<string[]> => {
    const values = new Set<string>()
    for (const { conditions } of queries) {
      for (const condition of conditions) {
        if (condition.property !== property) continue
        for (const value of condition.values) {
          if (turn.isOver) await turn.next()
          values.add(value)
        }
      }
    }
    return [...values]
  }
  for (const property of ['label', 'prefLabel', 'altLabel'] as const) {
    const values = await valuesOf(property)
    const answers = await findNames(
      candidateRequest,
      values.map((text) => ({ text, isExact: true })),
    )
    for (const [index, value] of values.entries()) {
      if (turn.isOver) await turn.next()
      sets.set(property, value, [withLabel(value, property, answers[index]!)])
    }
  }
  for (const property of ['notation', 'id']) {
    const values = await valuesOf(property)
    const answers = await findNames(
      candidateRequest,
      values.map((text) => ({ text, isIdentifier: true })),
    )
    for (const [index, value] of values.entries()) {
      sets.set(property, value, [new Set(answers[index]!.identified)])
    }
  }
  const related = async (
    find: (uris: readonly string[]) => Promise<ReadonlyMap<string, ReadonlySet<string>>>,
    property: string,
    values: ReadonlyMap<string, ReadonlySet<string>>,
  ) => {
    const uris = [...new Set([...values.values()].flatMap((some) => [...some]))].filter(isAbsoluteIri)
    const conceptsByUri = await find(uris)
    for (const [value, some] of values) {
      const setsOf = [...some].flatMap((uri) => conceptsByUri.get(uri) ?? [])
      sets.set(property, value, setsOf)
    }
  }
  const matches = new Map((await valuesOf('exactMatch')).map((value) => [value, new Set([value])]))
  const above = await valuesOf('broader')
  const named = await findNames(
    candidateRequest,
    above.map((text) => ({ text })),
  )
  const broader = new Map<string, Set<string>>()
  for (const [index, value] of above.entries()) {
    if (turn.isOver) await turn.next()
    broader.set(value, exactConcepts(value, named[index]!))
  }
  await Promise.all([
    related((uris) => conceptsMatching(client, uris, signal), 'exactMatch', matches),
    related((uris) => conceptsBelowEach(candidateRequest, uris), 'broader', broader),
  ])
  return sets
}

/** The concepts that are matches of each of some resources. */
async function conceptsMatching(
  client: SparqlClient,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Set<string>>> {
  const concepts = new Map(uris.map((uri) => [uri, new Set<string>()]))
  if (uris.length === 0) return concepts
  const query = queryTemplate('reconcile/matches').bind({ terms: { uri: uris.map(iri) } })
  // The answer may list every concept of the vocabulary.
  await client.constructInPieces(query, { signal }, async (piece) => {
    for (const [concept, properties] of piece) {
      for (const { value: uri } of [...properties.values()].flat()) concepts.get(uri)?.add(concept)
    }
    await setImmediate()
    return true
  })
  return concepts
}

/** The concepts below each of some. */
async function conceptsBelowEach(
  { dependencies, signal, turn }: CandidateRequest,
  uris: readonly string[],
): Promise<Map<string, Set<string>>> {
  const concepts = new Map<string, Set<string>>()
  for (const uri of uris) {
    if (turn.isOver) await turn.next()
    concepts.set(uri, new Set(await conceptsBelow(dependencies, [uri], signal)))
  }
  return concepts
}

/** The concepts that are exactly meant by a text. */
function exactConcepts(text: string, answer: NameMatches): Set<string> {
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
