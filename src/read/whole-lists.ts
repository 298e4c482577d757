import { LISTS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Terms } from '../sparql/templates.ts'
import { count as wholeNumber, iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { describedConcepts, type Described } from './describe.ts'
import { listOfOneState, ONE_REQUEST, type RecordList } from './list.ts'
import type { ListName } from './list-checks.ts'
import { changed, inPieces, LARGEST_PIECE, once } from './pieces.ts'
import { describingGraph, listConcepts, type Read } from './read.ts'

/** Records of a long list to fetch and write at a time: few for a quick beginning, then twice as many, up to a bound. */
const FIRST_PIECE = 25
const PORTION = { size: 1, ahead: 1 }

/** A piece of a list. */
interface Places {
  offset: number
  limit: number
}

/** Concepts by which a list may have grown since its length was noticed. */
const GROWTH = 10

/**
 * A page of all concepts or of all top concepts of a vocabulary, by the positions that loading and ingest write
 * (docs/interface.md, "Order and pages"). Any page of any list takes the same time.
 *
 * @returns undefined if positions do not help, because the request wants a part of the list, or because another program has
 *   changed the vocabulary.
 */
export async function wholeList(read: Read, vocabulary: Vocabulary, name: ListName): Promise<RecordList | undefined> {
  const { dependencies, page, signal } = read
  if (!isWhole(read, vocabulary, name)) return undefined
  const fitting = dependencies.listChecks.fits(vocabulary, name)
  // Awaited below, if at all.
  fitting.catch(() => undefined)
  const length = () => readLength(read, vocabulary, name)
  const shownOf = (total: number) => Math.max(0, Math.min(page.limit, total - page.offset))

  if (page.limit === 0) {
    const total = await length()
    return total !== undefined && (await fitting) ? { total, records: once([]) } : undefined
  }
  // A short list takes one request, whatever the page.
  const limit = Math.min(page.limit, Math.max(0, vocabulary.lengths[name]! - page.offset) + GROWTH)
  if (limit <= ONE_REQUEST) {
    const { described, total } = await describePlaces(read, vocabulary, name, { ...page, limit })
    const isComplete = total !== undefined && described.length === shownOf(total)
    if (isComplete && (await fitting)) return { total, records: once(described.map(({ record }) => record)) }
    if (total === undefined || total - page.offset <= limit || page.limit === limit) return undefined
  }
  if ((await length()) === undefined || !(await fitting)) return undefined
  return listOfOneState(dependencies.client, signal, async () => {
    const total = await length()
    if (total === undefined) throw changed()
    const shown = shownOf(total)
    const describe = async ([piece]: readonly Places[]) => {
      const { described } = await describePlaces(read, vocabulary, name, piece!)
      if (described.length !== piece!.limit) throw changed()
      return described.map(({ record }) => record)
    }
    return { total, shown, records: inPieces(pieces(page.offset, shown), PORTION, describe, signal) }
  })
}

function pieces(offset: number, shown: number): Places[] {
  const all = []
  for (let at = 0; at < shown;) {
    const limit = Math.min(Math.max(FIRST_PIECE, at), LARGEST_PIECE, shown - at)
    all.push({ offset: offset + at, limit })
    at += limit
  }
  return all
}

/** All concepts of the vocabularies and subsets that a request names, or of all vocabularies. */
export async function conceptsInScope(read: Read, more: Terms = {}): Promise<RecordList> {
  const { schemes, subsets } = read.view.scope
  const [only] = schemes.length === 1 && subsets.length === 0 && more['below'] === undefined ? schemes : []
  const whole = only && (await wholeList(read, only, 'concepts'))
  return whole ?? listConcepts({ ...read, endpoint: { template: 'search/all', isLong: true } }, more)
}

/** True if a request wants the whole list of a vocabulary whose length is known. */
function isWhole({ view: { scope }, parameters }: Read, { uri, lengths }: Vocabulary, name: ListName): boolean {
  const isInside = scope.all || (scope.subsets.length === 0 && scope.schemes.some((scheme) => scheme.uri === uri))
  return isInside && !parameters.has('type') && lengths[name] !== undefined
}

async function readLength(
  { dependencies: { client }, signal }: Read,
  { uri }: Vocabulary,
  name: ListName,
): Promise<number | undefined> {
  const query = queryTemplate('list/lengths').bind({ terms: { scheme: [iri(uri)], graph: [iri(uri)] } })
  const [row] = await client.select(query, { template: 'list/lengths', signal })
  return row?.[name] && Number(row[name].value)
}

/** The concepts at the positions of a page in their order, and the length of the list, all from one state of the store. */
async function describePlaces(
  { dependencies, view, signal }: Read,
  { uri }: Vocabulary,
  name: ListName,
  { limit, offset }: Places,
): Promise<{ described: Described[]; total: number | undefined }> {
  const graph = [iri(uri)]
  const before = Math.min(offset, Number.MAX_SAFE_INTEGER - limit)
  const places = Array.from({ length: limit }, (_, at) => wholeNumber(before + at + 1))
  const { position, length } = LISTS[name]
  const slot = name === 'concepts' ? 'position' : 'topPosition'
  const select = queryTemplate('list/places').bindSubselect({ terms: { graph, [slot]: places } })
  const more = { place: [iri(position)], graph }
  const described = await describingGraph(dependencies, { select }, view, signal, { more })
  const place = (one: string) => Number(described.get(one)?.get(position)?.[0]?.value)
  const concepts = await describedConcepts(dependencies, described, view, signal)
  const noted = described.get(uri)?.get(length)?.[0]?.value
  return {
    described: concepts.sort((a, b) => place(a.uri) - place(b.uri)),
    total: noted === undefined ? undefined : Number(noted),
  }
}
