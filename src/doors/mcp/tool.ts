import type { z } from 'zod'
import { ApiError } from '../../base/errors.ts'
import type { FollowDependencies } from '../../writing/history/activity.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { SKOS } from '../../base/namespaces.ts'
import { askEndpoint, type RouteDependencies } from '../../routes.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import type { SoughtWords } from '../../interface/search/matched-label.ts'
import { keyOf } from '../../interface/search/spellings.ts'
import { quoted } from '../../base/unicode.ts'
import { brief, COMPACT_FIELDS, compactConcept, type NamingOptions } from './concepts.ts'

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

/** How an answer names concepts, in a language and as those of a vocabulary. */
export function namingOf(
  { dependencies: { config } }: ToolCall,
  language: string | undefined,
  within?: Vocabulary,
): NamingOptions {
  // Without the language asked for, English; then whatever there is.
  const preferred = language === undefined ? config.defaultLanguages : [language, 'en']
  return { preferred, within, baseUrl: config.baseUrl }
}

/** A list of concepts as the model has asked for it. */
interface AskedList {
  language: string | undefined
  within?: Vocabulary | undefined
  cursor: string | undefined
  /** Advice for an empty answer. */
  advice: string
  /** The words of a search. */
  words?: SoughtWords
}

/** A page of concepts in few words. */
export function listedConcepts(
  call: ToolCall,
  { total, records }: { total: number; records: readonly JskosRecord[] },
  { language, within, words, ...asked }: AskedList,
): Record<string, unknown> {
  const naming = namingOf(call, language, within)
  const concepts = records.map((record) => compactConcept(record, naming, words))
  return itemPage('concepts', concepts, { total, ...asked })
}

/**
 * As many items as fit, and how to go on.
 *
 * @param name of the member with the items.
 * @param advice what to try if there are none.
 */
export function itemPage(
  name: string,
  items: readonly object[],
  { total, cursor, advice }: { total: number } & Pick<AskedList, 'cursor' | 'advice'>,
): Record<string, unknown> {
  const fitting = fit(items)
  const next = Number(cursor ?? 0) + fitting.length
  const hasMore = next < total && fitting.length > 0
  const more = `These are ${fitting.length} of ${total}. Call again with cursor "${next}" for more, or ask more narrowly.`
  const end = `There are only ${total}: this cursor is after the last one.`
  const note = hasMore ? more : total === 0 ? advice : fitting.length === 0 ? end : undefined
  return {
    [name]: fitting,
    total,
    ...(hasMore && { nextCursor: String(next) }),
    ...(note !== undefined && { note }),
  }
}

/** The first items that fit into an answer, at least one. */
export function fit<Item extends object>(items: readonly Item[]): Item[] {
  let bytes = 0
  const end = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item))) > MOST_BYTES)
  return items.slice(0, end < 0 ? items.length : Math.max(1, end))
}

/**
 * The vocabulary with an id, notation, URI or name. Case, accents and the spelling of umlauts do not matter in names.
 *
 * @throws ApiError EntityNotFoundError that names the vocabularies that are here; MalformedRequestError that names
 *   those with the same name.
 */
export async function vocabularyOfTool(call: ToolCall, name: string): Promise<Vocabulary> {
  const { registry, config } = call.dependencies
  const match = await registry.find(name)
  if (match) return match
  const present = await registry.list()
  const key = keyOf(name)
  const alike = present.filter(({ ids, notations, prefLabel }) =>
    [...ids, ...notations, ...Object.values(prefLabel)].some((text) => keyOf(text) === key),
  )
  // A subset without a name of its own has the name of its vocabulary.
  const vocabularies = alike.filter(({ isSubset }) => !isSubset)
  const named = vocabularies.length > 0 ? vocabularies : alike
  if (named.length === 1) return named[0]!
  const shown = (vocabularies: readonly Vocabulary[]) =>
    vocabularies
      .slice(0, MOST_LIMIT)
      .map((vocabulary) => `${idOf(vocabulary)} (${quoted(brief(nameOf(vocabulary, config.defaultLanguages)))})`)
      .join(', ')
  if (named.length > 1) {
    throw new ApiError('MalformedRequestError', `vocabulary: several have this name. Take the id: ${shown(named)}.`)
  }
  const whole = present.filter(({ isSubset }) => !isSubset)
  const more = whole.length > MOST_LIMIT ? ' There are more: call list_vocabularies with a word of the name.' : ''
  const advice = whole.length === 0 ? 'This service has none yet.' : `There are: ${shown(whole)}.${more}`
  throw new ApiError('EntityNotFoundError', `vocabulary: there is none with this id or name. ${advice}`)
}

/**
 * The record of a concept.
 *
 * @param advice more words for the error if the URI names something else.
 * @throws ApiError MalformedRequestError for what is no URI; EntityNotFoundError if no vocabulary has the concept.
 */
export async function requireConcept(call: ToolCall, uri: string, advice = ''): Promise<JskosRecord> {
  if (!isAbsoluteIri(uri)) {
    throw new ApiError('MalformedRequestError', 'uri: expected an absolute URI. Use search_concepts to find it.')
  }
  const { records } = await askEndpoint(call, '/data', { uri, properties: COMPACT_FIELDS })
  const record = records.find(isConcept)
  if (record) return record
  const reason = records.length > 0 ? 'this is a vocabulary or a collection' : 'no vocabulary here has this concept'
  throw new ApiError(
    'EntityNotFoundError',
    `uri: ${reason}. Use search_concepts to find the right one.${records.length > 0 ? advice : ''}`,
  )
}

/** True for a concept, false for a vocabulary or a collection. */
export const isConcept = ({ type }: JskosRecord) => type.includes(`${SKOS}Concept`)
