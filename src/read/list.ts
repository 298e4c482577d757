import type { JskosRecord } from '../jskos/record.ts'
import type { Page } from '../http/parameters.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Bindings, Template, Terms } from '../sparql/templates.ts'
import { iri, type SparqlTerm } from '../sparql/terms.ts'
import type { Scope } from '../vocabularies/registry.ts'
import { describeConcepts, type ReadDependencies, type View } from './describe.ts'
import { changed, inPieces, ofOneState, once } from './pieces.ts'
import { readRevisions } from './revisions.ts'

/** A list of records: its true length, and the page of it in pieces, in order. */
export interface RecordList {
  total: number
  records: AsyncIterable<JskosRecord[]>
  /** What the list may be called when it is saved. */
  name?: string | undefined
}

/** Answers up to this length take one request to the store. */
export const ONE_REQUEST = 400

const PORTION = { size: 100, ahead: 1 }

/** Answers up to this length are put together before they are sent, so that they can be begun again. */
const WHOLE = 2000
const ATTEMPTS = 4

/** A question for concepts: a template that selects them, with the terms of its slots. */
export interface Question {
  template: Template
  terms: Terms
  /** To find the concepts takes longer than to describe them: they are not to be found twice. */
  isLong?: boolean
}

/** The vocabularies and subsets that a selection is to stay in; undefined if it may be anywhere. */
export function scopeTerms(scope: Scope): SparqlTerm[] | undefined {
  return scope.all ? undefined : [...scope.schemes, ...scope.subsets].map(({ uri }) => iri(uri))
}

/** A page of what a question selects. */
function selectPage(question: Question, scope: Scope, page: Pick<Page, 'limit' | 'offset'>): Bindings {
  return { ...selectAll(question, scope), include: ['order'], limit: page.limit, offset: page.offset }
}

function selectAll({ terms }: Question, scope: Scope): Bindings {
  return { terms: { ...terms, scope: scopeTerms(scope) } }
}

/**
 * One page of the concepts that a question selects, in the order of records.
 *
 * A short list takes one request to the store. For a long one the URIs come first, then the records in pieces, the next
 * ones while one is being written; that all come from the same version of the vocabularies is checked by their
 * revisions: a list that can still be begun again is, one that is partly sent is broken off.
 */
export async function listConcepts(
  dependencies: ReadDependencies,
  question: Question,
  page: Page,
  view: View,
  signal: AbortSignal | undefined,
): Promise<RecordList> {
  if (!view.scope.all && view.scope.schemes.length + view.scope.subsets.length === 0) return nothing()
  const total = () => countConcepts(dependencies, question, view.scope, signal)
  if (page.limit === 0) return { total: await total(), records: once([]) }

  // Ancestors make the store find the concepts a second time.
  const isTwiceAsLong = question.isLong && view.properties.has('ancestors')
  if ((page.limit <= ONE_REQUEST && !isTwiceAsLong) || !question.isLong) {
    const counting = question.isLong ? total() : undefined
    // Waited for below, if at all.
    counting?.catch(() => undefined)
    const limit = Math.min(page.limit, ONE_REQUEST)
    const select = question.template.bindSubselect(selectPage(question, view.scope, { ...page, limit }))
    const records = (await describeConcepts(dependencies, { select }, view, signal)).map(({ record }) => record)
    if (records.length < limit && (records.length > 0 || page.offset === 0)) {
      return { total: page.offset + records.length, records: once(records) }
    }
    if (page.limit <= ONE_REQUEST) return { total: await (counting ?? total()), records: once(records) }
  }

  const state = () => readRevisions(dependencies.client, signal)
  for (let attempt = 1; ; attempt++) {
    const before = await state()
    const uris = await selectUris(dependencies, question, page, view.scope, signal)
    const isEnd = uris.length < page.limit && (uris.length > 0 || page.offset === 0)
    const length = isEnd ? page.offset + uris.length : await total()
    const records = describeInOrder(dependencies, uris, view, signal)
    if (uris.length > WHOLE) return { total: length, records: ofOneState(records, before, state) }

    const whole: JskosRecord[] = []
    for await (const piece of records) whole.push(...piece)
    if ((await state()) === before) return { total: length, records: once(whole) }
    if (attempt === ATTEMPTS) throw changed()
  }
}

/** The concepts with these URIs in the given order; those that are none in the store are left out. */
export function describeInOrder(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  return inPieces(uris, PORTION, async (piece) => {
    const described = await describeConcepts(dependencies, { uris: piece }, view, signal)
    const position = new Map(piece.map((uri, index) => [uri, index]))
    return described.sort((a, b) => position.get(a.uri)! - position.get(b.uri)!).map(({ record }) => record)
  })
}

/** The list without records. */
export function nothing(): RecordList {
  return { total: 0, records: once([]) }
}

async function selectUris(
  { client }: ReadDependencies,
  question: Question,
  page: Page,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const query = question.template.bind(selectPage(question, scope, page))
  const rows = await client.select(query, { template: question.template.name, signal })
  return rows.flatMap((row) => row['c']?.value ?? [])
}

async function countConcepts(
  dependencies: ReadDependencies,
  question: Question,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<number> {
  const select = question.template.bindSubselect(selectAll(question, scope))
  const query = queryTemplate('describe/count').bind({ subselect: { slot: 'c', select } })
  const find = async () => {
    const [row] = await dependencies.client.select(query, { template: 'describe/count', signal })
    return Number(row?.['count']?.value ?? 0)
  }
  return question.isLong ? dependencies.recentCounts.get(query, find, signal) : find()
}
