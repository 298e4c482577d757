import type { Remembered } from '../memory/remembered.ts'
import { compareRecords, type SortKey } from '../jskos/order.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import type { Page } from '../http/parameters.ts'
import { iri, type SparqlTerm } from '../sparql/terms.ts'
import type { Scope } from '../vocabularies/registry.ts'
import { findVocabulary } from '../vocabularies/vocabulary.ts'
import type { LabelIndexes } from './label-indexes.ts'
import type { Variants } from './patterns.ts'
import type { TextIndex } from './text-index.ts'
import type { SearchText } from './words.ts'

/** The dependencies of searching. */
export interface SearchDependencies extends ReadDependencies {
  textIndex: TextIndex
  labelIndexes: LabelIndexes
  /** Remembers matches that took long to find. */
  matches: Remembered<Matches>
}

/** The fields to search: the parameter `use`. */
export interface SearchFields {
  label: boolean
  notation: boolean
}

/** The text to look for, and the place. */
export interface SearchQuestion {
  text: SearchText
  fields: SearchFields
  scope: Scope
  /** Only concepts below one of these; undefined: all. */
  below: SparqlTerm[] | undefined
  /** Only concepts of one of these classes, given by URI; undefined: of any. */
  types: readonly string[] | undefined
  /** Words to accept instead of words of the text. */
  variants?: Variants | undefined
}

/** The concepts that match, by rank, best first. */
export interface Matches {
  total: number
  ranks: Rank[]
}

/** Concepts that match equally well. */
interface Rank {
  uris: string[]
  /** True if they already are in the order of records. */
  isInOrder: boolean
  /** Sort keys, one for each URI, until the rank is in order. If absent, the store gives them. */
  keys?: (string | undefined)[]
}

/**
 * Concepts by the numbers of their ranks as matches, best first.
 *
 * @param keyOf gives the smallest notation of a concept; without it, the store does.
 */
export function toMatches(ranked: ReadonlyMap<number, string[]>, keyOf?: (uri: string) => string | undefined): Matches {
  const ranks = [...ranked]
    .sort(([a], [b]) => a - b)
    .map(([, uris]): Rank => ({ uris, isInOrder: false, ...(keyOf && { keys: uris.map(keyOf) }) }))
  return { total: ranks.reduce((sum, { uris }) => sum + uris.length, 0), ranks }
}

/** Concepts whose sort keys one request fetches. */
const KEY_CHUNK = 2000

/**
 * The names of the graphs with concepts of a scope; undefined: search all graphs. A vocabulary is in the graph with its
 * name; a query finds other graphs that have concepts of it, too.
 */
export async function graphsOf(
  { registry, client }: ReadDependencies,
  scope: Scope,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  if (scope.all) return undefined
  const known = await registry.list()
  const wholes = scope.subsets.flatMap(({ partOf }) => partOf.map((uri) => findVocabulary(known, uri)))
  if (wholes.includes(undefined)) return undefined
  const own = new Set([...scope.schemes, ...wholes.flatMap((whole) => whole ?? [])].map(({ uri }) => uri))
  const others = known.map(({ uri }) => uri).filter((uri) => !own.has(uri))
  if (others.length === 0) return [...own]
  const query = queryTemplate('search/graphs').bind({
    terms: { graph: others.map(iri), voc: [...own].map(iri) },
  })
  const rows = await client.select(query, { signal })
  return [...own, ...rows.flatMap(({ graph }) => graph?.value ?? [])]
}

/** One page of matches: by rank, then in the order of records. Sorts only the ranks that the page shows. */
export async function pageOf(
  dependencies: ReadDependencies,
  { ranks }: Matches,
  { limit, offset }: Page,
  signal: AbortSignal | undefined,
): Promise<string[]> {
  let before = 0
  const shown = ranks.flatMap((rank) => {
    const [from, to] = [Math.max(0, offset - before), Math.min(rank.uris.length, offset + limit - before)]
    before += rank.uris.length
    return from < to ? [{ rank, from, to }] : []
  })
  await putInOrder(
    dependencies,
    shown.map(({ rank }) => rank),
    signal,
  )
  return shown.flatMap(({ rank, from, to }) => rank.uris.slice(from, to))
}

async function putInOrder(
  dependencies: ReadDependencies,
  ranks: readonly Rank[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const open = ranks.filter(({ uris, isInOrder }) => !isInOrder && uris.length > 1)
  const keys = new Map<string, string | undefined>()
  for (const { uris, keys: known } of open) known?.forEach((key, at) => keys.set(uris[at]!, key))
  const uris = open.flatMap((rank) => (rank.keys ? [] : rank.uris))
  const keysTemplate = queryTemplate('search/keys')
  for (let start = 0; start < uris.length; start += KEY_CHUNK) {
    const query = keysTemplate.bind({ terms: { c: uris.slice(start, start + KEY_CHUNK).map(iri) } })
    const rows = await dependencies.client.select(query, { signal })
    for (const { c, key } of rows) if (c && key) keys.set(c.value, key.value)
  }
  for (const rank of open) {
    const sortable = rank.uris.map((uri): SortKey => ({ uri, key: keys.get(uri) }))
    rank.uris = sortable.sort(compareRecords).map(({ uri }) => uri)
    rank.isInOrder = true
    delete rank.keys
  }
}
