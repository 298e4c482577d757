import { setImmediate } from 'node:timers/promises'
import { ApiError } from '../errors.ts'
import type { JskosRecord } from '../jskos/record.ts'
import type { Page } from '../http/parameters.ts'
import type { Bindings, Template } from '../sparql/templates.ts'
import { iri, type SparqlTerm } from '../sparql/terms.ts'
import type { Scope } from '../vocabularies/registry.ts'
import { describeConcepts, template, type ReadDependencies, type View } from './describe.ts'
import { readRevisions } from './revisions.ts'

/** A list of records: its true length, and the page of it in pieces, in order. */
export interface RecordList {
  total: number
  records: AsyncIterable<JskosRecord[]>
  /** What the list may be called when it is saved. */
  name?: string | undefined
}

/** Records fetched, framed and written at a time: small enough that the event loop is never held for long. */
export const CHUNK = 400

/** Answers up to this length are put together before they are sent, so that they can be begun again. */
const WHOLE = 2000
const ATTEMPTS = 4

/** A question for concepts: a template that selects them, with the terms of its slots. */
export interface Question {
  template: Template
  terms: Record<string, SparqlTerm[]>
  include?: string[]
}

/** The slots and blocks that keep a selection inside a scope. */
export function scopeBindings(scope: Scope): { terms: Record<string, SparqlTerm[]>; include: string[] } {
  if (scope.all) return { terms: {}, include: ['any'] }
  const uris = [...scope.schemes, ...scope.subsets].map(({ uri }) => iri(uri))
  return { terms: { voc: uris }, include: [scope.subsets.length > 0 ? 'subset' : 'voc'] }
}

function bindings(question: Question, scope: Scope, include: string[], limit?: number, offset?: number): Bindings {
  const inScope = scopeBindings(scope)
  return {
    terms: { ...question.terms, ...inScope.terms },
    include: [...inScope.include, ...(question.include ?? []), ...include],
    limit,
    offset,
  }
}

/**
 * One page of the concepts that a question selects, in the order of records.
 *
 * A short list takes one request to the store. A long one is fetched in pieces, the next while one is being written;
 * that all pieces come from the same version of the vocabularies is checked by their revisions: a list that can still
 * be begun again is, one that is partly sent is broken off.
 */
export async function listConcepts(
  dependencies: ReadDependencies,
  question: Question,
  page: Page,
  view: View,
  signal: AbortSignal | undefined,
): Promise<RecordList> {
  if (!view.scope.all && view.scope.schemes.length + view.scope.subsets.length === 0) return nothing
  const total = () => countConcepts(dependencies, question, view.scope, signal)
  if (page.limit === 0) return { total: await total(), records: none() }

  for (let attempt = 1; ; attempt++) {
    const firstLimit = Math.min(page.limit, CHUNK)
    const before = firstLimit < page.limit ? await revisions(dependencies, signal) : ''
    const select = question.template.bindSubselect(bindings(question, view.scope, ['order'], firstLimit, page.offset))
    const first = await describeConcepts(dependencies, { select }, view, signal)
    const records = first.map(({ record }) => record)
    if (first.length < firstLimit) {
      const known = first.length > 0 || page.offset === 0
      return { total: known ? page.offset + first.length : await total(), records: once(records) }
    }
    if (firstLimit === page.limit) return { total: await total(), records: once(records) }

    const uris = await selectUris(dependencies, question, page, view.scope, signal)
    const length = uris.length < page.limit ? page.offset + uris.length : await total()
    const rest = chunks(dependencies, uris.slice(CHUNK), view, signal)
    if (uris.length > WHOLE) return { total: length, records: checked(dependencies, records, rest, before, signal) }

    for await (const chunk of rest) records.push(...chunk)
    if ((await revisions(dependencies, signal)) === before) return { total: length, records: once(records) }
    if (attempt === ATTEMPTS) throw changed()
  }
}

/** The concepts with these URIs in the given order; those that are none in the store are left out. */
export async function* describeInOrder(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  yield* chunks(dependencies, uris, view, signal)
}

const nothing: RecordList = { total: 0, records: none() }

async function* none(): AsyncGenerator<JskosRecord[]> {
  // An empty list.
}

/** A list that is known as a whole. */
export async function* once(records: JskosRecord[]): AsyncGenerator<JskosRecord[]> {
  await Promise.resolve()
  yield records
}

async function* chunks(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  const fetch = async (start: number) => {
    const chunk = uris.slice(start, start + CHUNK)
    const described = await describeConcepts(dependencies, { uris: chunk }, view, signal)
    const position = new Map(chunk.map((uri, index) => [uri, index]))
    return described.sort((a, b) => position.get(a.uri)! - position.get(b.uri)!).map(({ record }) => record)
  }
  let next = uris.length > 0 ? fetch(0) : undefined
  for (let start = 0; next; start += CHUNK) {
    const current = await next
    next = start + CHUNK < uris.length ? fetch(start + CHUNK) : undefined
    // A piece that nobody comes to read must not become an unhandled rejection.
    next?.catch(() => undefined)
    yield current
    await setImmediate()
  }
}

async function* checked(
  dependencies: ReadDependencies,
  first: JskosRecord[],
  rest: AsyncIterable<JskosRecord[]>,
  before: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  yield first
  yield* rest
  if ((await revisions(dependencies, signal)) !== before) throw changed()
}

function changed(): ApiError {
  return new ApiError('ServiceUnavailableError', 'The vocabulary was being replaced; please ask again.', {
    retryAfter: 1,
  })
}

function revisions(dependencies: ReadDependencies, signal: AbortSignal | undefined): Promise<string> {
  return readRevisions(dependencies.client, template(dependencies, 'revisions'), signal)
}

async function selectUris(
  { client }: ReadDependencies,
  question: Question,
  page: Page,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  const query = question.template.bind(bindings(question, scope, ['order'], page.limit, page.offset))
  const rows = await client.select(query, { template: question.template.name, signal })
  return rows.flatMap((row) => row['c']?.value ?? [])
}

async function countConcepts(
  dependencies: ReadDependencies,
  question: Question,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<number> {
  const select = question.template.bindSubselect(bindings(question, scope, []))
  const query = template(dependencies, 'describe/count').bind({ subselect: { slot: 'c', select } })
  const [row] = await dependencies.client.select(query, { template: 'describe/count', signal })
  return Number(row?.['count']?.value ?? 0)
}
