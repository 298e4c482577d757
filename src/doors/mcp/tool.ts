import type { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import type { FollowDependencies } from '../../writing/history/activity.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { SKOS } from '../../base/namespaces.ts'
import { askEndpoint, type RouteDependencies } from '../../routes.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { COMPACT_FIELDS, compactConcept, type NamingOptions } from './concepts.ts'

/** The dependencies of the tools and of the endpoints that they call. */
export interface ToolDependencies extends RouteDependencies, FollowDependencies {}

/** A call of a tool. */
export interface ToolCall {
  dependencies: ToolDependencies
  signal: AbortSignal
  /** Adds a concept with the account of the request; undefined if assistants only read. */
  propose?: ((concept: object) => Promise<JskosRecord[]>) | undefined
}

/** A tool: how a model sees it, and what it does. */
export interface Tool {
  name: string
  title: string
  /** True if it adds something. */
  writes?: true
  /** Describes to a model when to use the tool. It never contains text from a vocabulary. */
  description: string
  input: z.ZodRawShape
  output: z.ZodRawShape
  /** @throws ApiError with words that let a model correct itself. */
  run: (call: ToolCall, input: Record<string, unknown>) => Promise<Record<string, unknown>>
}

/** Bytes of the items of an answer, so that it fits a context. */
const MOST_BYTES = 18_000

export const MOST_LIMIT = 100

/** The parameters of a list of concepts. */
export function listOf({
  language,
  limit,
  cursor,
}: {
  language: string | undefined
  limit: number
  cursor: string | undefined
}) {
  return { language, limit: String(limit), offset: cursor, properties: COMPACT_FIELDS }
}

export function namingOf({ dependencies: { config } }: ToolCall, language: string | undefined): NamingOptions {
  // Without the language asked for, English; then whatever there is.
  return { preferred: language === undefined ? config.defaultLanguages : [language, 'en'], baseUrl: config.baseUrl }
}

/** A page of concepts in few words. */
export function listedConcepts(
  call: ToolCall,
  { total, records }: { total: number; records: readonly JskosRecord[] },
  { language, cursor }: { language: string | undefined; cursor?: string | undefined },
): Record<string, unknown> {
  const naming = namingOf(call, language)
  return itemPage(
    'concepts',
    records.map((record) => compactConcept(record, naming)),
    total,
    cursor,
  )
}

/** As many items as fit, and how to go on. */
export function itemPage(
  name: string,
  items: readonly object[],
  total: number,
  cursor: string | undefined,
): Record<string, unknown> {
  const fitting = fit(items)
  const next = Number(cursor ?? 0) + fitting.length
  const hasMore = next < total && fitting.length > 0
  return {
    [name]: fitting,
    total,
    ...(hasMore && {
      nextCursor: String(next),
      note: `These are ${fitting.length} of ${total}. Call again with cursor "${next}" for more, or ask more narrowly.`,
    }),
  }
}

/** The first items that fit into an answer, at least one. */
export function fit<Item extends object>(items: readonly Item[]): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > MOST_BYTES)
  return items.slice(0, end < 0 ? items.length : Math.max(1, end))
}

/** @throws ApiError EntityNotFoundError that names the vocabularies that are here. */
export async function vocabularyOfTool({ dependencies: { registry } }: ToolCall, name: string): Promise<Vocabulary> {
  const match = await registry.find(name)
  if (match) return match
  const present = (await registry.list()).filter(({ isSubset }) => !isSubset)
  const ids = present.slice(0, MOST_LIMIT).map(idOf)
  throw new ApiError('EntityNotFoundError', `vocabulary: there is none with this id. There are: ${ids.join(', ')}.`)
}

/** @throws ApiError MalformedRequestError for what is no URI; EntityNotFoundError if no vocabulary has the concept. */
export async function requireConcept(call: ToolCall, uri: string): Promise<JskosRecord> {
  if (!isAbsoluteIri(uri)) {
    throw new ApiError('MalformedRequestError', 'uri: expected an absolute URI. Use search_concepts to find it.')
  }
  const { records } = await askEndpoint(call, '/data', { uri, properties: COMPACT_FIELDS })
  const record = records.find(isConcept)
  if (record) return record
  const reason = records.length > 0 ? 'this is a vocabulary or a collection' : 'no vocabulary here has this concept'
  throw new ApiError('EntityNotFoundError', `uri: ${reason}. Use search_concepts to find the right one.`)
}

export const isConcept = ({ type }: JskosRecord) => type.includes(`${SKOS}Concept`)
