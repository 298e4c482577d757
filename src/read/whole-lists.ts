import type { JskosRecord } from '../jskos/record.ts'
import { LISTS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Terms } from '../sparql/templates.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { describedConcepts, type Described, type ReadDependencies } from './describe.ts'
import { listOfOneState, ONE_REQUEST, type RecordList } from './list.ts'
import type { ListName } from './list-checks.ts'
import { changed, inPieces, LARGEST_PIECE, once } from './pieces.ts'
import { readGraph } from './graph.ts'
import { listConcepts } from './read.ts'
import type { ListRequest } from './request.ts'

/** Records of a long list to fetch and write at a time: few for a quick beginning, then twice as many, up to a bound. */
const FIRST_PIECE = 25
const PORTION = { size: 1, ahead: 1 }

/** A part of a list. */
interface Part {
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
export async function wholeList(
  dependencies: ReadDependencies,
  request: ListRequest,
  vocabulary: Vocabulary,
  name: ListName,
): Promise<RecordList | undefined> {
  const { page, signal } = request
  if (!isWhole(request, vocabulary, name)) return undefined
  // Whoever reads the lists of a vocabulary may ask for descendants next.
  dependencies.hierarchies.of(vocabulary)
  const fitting = dependencies.listChecks.fits(vocabulary, name)
  // Awaited below, if at all.
  fitting.catch(() => undefined)
  const length = () => readLength(dependencies, request, vocabulary, name)
  const shownOf = (total: number) => Math.max(0, Math.min(page.limit, total - page.offset))

  if (page.limit === 0) {
    const total = await length()
    return total !== undefined && (await fitting) ? { total, records: once([]) } : undefined
  }
  // A short list takes one request, whatever the page.
  const limit = Math.min(page.limit, Math.max(0, vocabulary.lengths[name]! - page.offset) + GROWTH)
  if (limit <= ONE_REQUEST) {
    const { described, total } = await describePlaces(
      dependencies,
      request,
      vocabulary,
      name,
      placesOf({ offset: page.offset, limit }),
    )
    const isComplete = total !== undefined && described.length === shownOf(total)
    if (isComplete && (await fitting)) return { total, records: once(described.map(({ record }) => record)) }
    if (total === undefined || total - page.offset <= limit || page.limit === limit) return undefined
  }
  if ((await length()) === undefined || !(await fitting)) return undefined
  return listOfOneState(dependencies.client, signal, async () => {
    const total = await length()
    if (total === undefined) throw changed()
    const shown = shownOf(total)
    const records = recordsAt(dependencies, request, vocabulary, name, shown, ({ offset, limit }) =>
      placesOf({ offset: page.offset + offset, limit }),
    )
    return { total, shown, records }
  })
}

/**
 * A page of the many concepts below one concept of a large vocabulary, in the order of the list of all concepts.
 *
 * @returns undefined if they are not many, if the request wants a part of them, or if their hierarchy is not known yet.
 */
export async function manyDescendants(
  dependencies: ReadDependencies,
  request: ListRequest,
  uri: string,
): Promise<RecordList | undefined> {
  const { page, signal } = request
  const { client, hierarchies, listChecks, registry } = dependencies
  const known = (await registry.list()).flatMap((vocabulary) => {
    const hierarchy = isWhole(request, vocabulary, 'concepts') ? hierarchies.of(vocabulary) : undefined
    return hierarchy ? [{ vocabulary, hierarchy }] : []
  })
  if (known.length === 0) return undefined
  const query = queryTemplate('list/place').bind({ terms: { c: [iri(uri)] } })
  const rows = await client.select(query, { signal })
  for (const { vocabulary, hierarchy } of known) {
    const place = rows.find(({ graph }) => graph?.value === vocabulary.uri)?.['place']?.value
    if (place === undefined) continue
    const places = hierarchy.descendantsOf(Number(place))
    if (places.length < hierarchies.leastDescendants || !(await listChecks.fits(vocabulary, 'concepts')))
      return undefined
    const shown = places.slice(page.offset, page.offset + page.limit)
    return listOfOneState(client, signal, async () => {
      const present = (await registry.fresh(signal)).find((one) => one.uri === vocabulary.uri)
      if (present?.revision !== vocabulary.revision) throw changed()
      const records = recordsAt(dependencies, request, vocabulary, 'concepts', shown.length, ({ offset, limit }) =>
        shown.slice(offset, offset + limit),
      )
      return { total: places.length, shown: shown.length, records }
    })
  }
  return undefined
}

/**
 * The records at some places of a list, in pieces.
 *
 * @param placesIn gives the places of a part of the list.
 */
function recordsAt(
  dependencies: ReadDependencies,
  request: ListRequest,
  vocabulary: Vocabulary,
  name: ListName,
  shown: number,
  placesIn: (part: Part) => readonly number[],
): AsyncGenerator<JskosRecord[]> {
  const describe = async ([part]: readonly Part[]) => {
    const { described } = await describePlaces(dependencies, request, vocabulary, name, placesIn(part!))
    if (described.length !== part!.limit) throw changed()
    return described.map(({ record }) => record)
  }
  return inPieces(parts(shown), PORTION, describe, request.signal)
}

/** The parts of a list: a short one first, so that the answer begins soon. */
function parts(shown: number): Part[] {
  const all = []
  for (let offset = 0; offset < shown;) {
    const limit = Math.min(Math.max(FIRST_PIECE, offset), LARGEST_PIECE, shown - offset)
    all.push({ offset, limit })
    offset += limit
  }
  return all
}

/** The places of a part of the list of all. */
function placesOf({ offset, limit }: Part): number[] {
  const before = Math.min(offset, Number.MAX_SAFE_INTEGER - limit)
  return Array.from({ length: limit }, (_, at) => before + at + 1)
}

/** All concepts of the vocabularies and subsets that a request names, or of all vocabularies. */
export async function conceptsInScope(
  dependencies: ReadDependencies,
  request: ListRequest,
  more: Terms = {},
): Promise<RecordList> {
  const { schemes, subsets } = request.view.scope
  const [only] = schemes.length === 1 && subsets.length === 0 && more['below'] === undefined ? schemes : []
  const whole = only && (await wholeList(dependencies, request, only, 'concepts'))
  return whole ?? listConcepts(dependencies, { template: 'search/all', isLong: true, terms: more }, request)
}

/** True if a request wants the whole list of a vocabulary whose length is known. */
function isWhole({ view: { scope }, parameters }: ListRequest, { uri, lengths }: Vocabulary, name: ListName): boolean {
  const isInside = scope.all || (scope.subsets.length === 0 && scope.schemes.some((scheme) => scheme.uri === uri))
  return isInside && !parameters.has('type') && lengths[name] !== undefined
}

async function readLength(
  { client }: ReadDependencies,
  { signal }: ListRequest,
  { uri }: Vocabulary,
  name: ListName,
): Promise<number | undefined> {
  const query = queryTemplate('list/lengths').bind({ terms: { scheme: [iri(uri)], graph: [iri(uri)] } })
  const [row] = await client.select(query, { signal })
  return row?.[name] && Number(row[name].value)
}

/** The concepts at some places in the order of the list, and the length of the list, all from one state of the store. */
async function describePlaces(
  dependencies: ReadDependencies,
  { view, signal }: ListRequest,
  { uri }: Vocabulary,
  name: ListName,
  places: readonly number[],
): Promise<{ described: Described[]; total: number | undefined }> {
  const { position, length } = LISTS[name]
  const graph = await readGraph(dependencies, { places, list: name, vocabulary: uri }, view, signal)
  const place = (one: string) => Number(graph.get(one)?.get(position)?.[0]?.value)
  const concepts = await describedConcepts(dependencies, graph, view, signal)
  const noted = graph.get(uri)?.get(length)?.[0]?.value
  return {
    described: concepts.sort((a, b) => place(a.uri) - place(b.uri)),
    total: noted === undefined ? undefined : Number(noted),
  }
}
