import type { JskosRecord } from '../jskos/record.ts'
import { LISTS } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { readConceptGraph } from './concept-graph.ts'
import { toConcepts, type ListedConcept } from './concepts.ts'
import type { ReadDependencies } from './dependencies.ts'
import { listOfOneState, ONE_REQUEST, type ConceptList, type RecordList } from './list.ts'
import { changed, inPieces, LARGEST_PIECE, inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'
import type { PlaceSelection } from './selection.ts'

/** The positions do not fit the concepts any more, because another program has changed the vocabulary. */
export class MisplacedError extends Error {
  override readonly name = 'MisplacedError'
}

/** Records of a long list to fetch and write at a time: few for a quick beginning, then twice as many, up to a bound. */
const FIRST_PIECE = 25
const PORTION = { size: 1, ahead: 1 }

/** Concepts by which a list may have grown since its length was noticed. */
const GROWTH = 10

/** A part of a list. */
interface Part {
  offset: number
  limit: number
}

/** Concepts by their places in a list of a vocabulary. All methods throw MisplacedError. */
export class PlaceList implements ConceptList {
  readonly #dependencies: ReadDependencies
  readonly #selection: PlaceSelection
  readonly #request: ListRequest

  constructor(dependencies: ReadDependencies, selection: PlaceSelection, request: ListRequest) {
    this.#dependencies = dependencies
    this.#selection = selection
    this.#request = request
  }

  async count(): Promise<number> {
    const { client, registry } = this.#dependencies
    const { vocabulary, list, places } = this.#selection
    const { signal } = this.#request
    const { uri, revision } = vocabulary
    if (places) {
      const present = (await registry.fresh(signal)).find((one) => one.uri === uri)
      if (present?.revision !== revision) throw changed()
      return places.length
    }
    const query = queryTemplate('list/check').bind({ terms: { scheme: [iri(uri)], graph: [iri(uri)] } })
    const [row] = await client.select(query, { signal })
    const length = row?.[list]?.value
    if (length === undefined) throw new MisplacedError()
    return Number(length)
  }

  async inOneRequest(): Promise<RecordList | undefined> {
    const { vocabulary, list, places } = this.#selection
    const { offset, limit } = this.#request.page
    // They are chosen by place because they are many.
    if (places) return undefined
    // A short list takes one request, whatever the page.
    const asked = Math.min(limit, Math.max(0, vocabulary.lengths[list]! - offset) + GROWTH)
    if (asked > ONE_REQUEST) return undefined
    const { concepts, total } = await this.#read({ offset, limit: asked })
    if (total !== undefined && concepts.length === this.#shownOf(total)) {
      return { total, records: inOnePiece(concepts.map(({ record }) => record)) }
    }
    const hasGrown = total !== undefined && total - offset > asked && asked < limit
    if (!hasGrown) throw new MisplacedError()
    return undefined
  }

  async inPieces(): Promise<RecordList> {
    return listOfOneState(this.#dependencies.client, this.#request.signal, async () => {
      const total = await this.count()
      const shown = this.#shownOf(total)
      return { total, shown, records: this.#records(shown) }
    })
  }

  /** The number of records of the page. */
  #shownOf(total: number): number {
    const { offset, limit } = this.#request.page
    return Math.max(0, Math.min(limit, total - offset))
  }

  #records(shown: number): AsyncGenerator<JskosRecord[]> {
    const { page, signal } = this.#request
    const read = async ([part]: readonly Part[]) => {
      const { offset, limit } = part!
      const { concepts } = await this.#read({ offset: page.offset + offset, limit })
      if (concepts.length !== limit) throw changed()
      return concepts.map(({ record }) => record)
    }
    return inPieces(parts(shown), PORTION, read, signal)
  }

  /** The concepts of a part in the order of the list, and the length of the list, all from one state of the store. */
  async #read(part: Part): Promise<{ concepts: ListedConcept[]; total: number | undefined }> {
    const { vocabulary, list } = this.#selection
    const { view, signal } = this.#request
    const { position, length } = LISTS[list]
    const { uri } = vocabulary
    const set = { places: this.#placesOf(part), list, vocabulary: uri }
    const graph = await readConceptGraph(this.#dependencies, set, view, signal)
    const concepts = await toConcepts(this.#dependencies, graph, view, signal)
    const placeOf = (one: string) => Number(graph.get(one)?.get(position)?.[0]?.value)
    const noted = graph.get(uri)?.get(length)?.[0]?.value
    return {
      concepts: concepts.sort((a, b) => placeOf(a.uri) - placeOf(b.uri)),
      total: noted === undefined ? undefined : Number(noted),
    }
  }

  #placesOf({ offset, limit }: Part): readonly number[] {
    const { places } = this.#selection
    if (places) return places.slice(offset, offset + limit)
    const before = Math.min(offset, Number.MAX_SAFE_INTEGER - limit)
    return Array.from({ length: limit }, (_, at) => before + at + 1)
  }
}

/** The parts of a page: a short one first, so that the answer begins soon. */
function parts(shown: number): Part[] {
  const all = []
  for (let offset = 0; offset < shown;) {
    const limit = Math.min(Math.max(FIRST_PIECE, offset), LARGEST_PIECE, shown - offset)
    all.push({ offset, limit })
    offset += limit
  }
  return all
}
