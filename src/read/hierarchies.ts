import { ByRevision } from '../memory/by-revision.ts'
import { inBackground, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { count, iri } from '../sparql/terms.ts'
import type { VocabularyRegistry } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

export interface HierarchiesOptions {
  client: SparqlClient
  registry: VocabularyRegistry
  /** How long a hierarchy counts, although other programs may write to the store. */
  maxAgeMs: number
  /** Smaller vocabularies have no lists that take the store too long. */
  leastConcepts?: number
  /** Shorter lists of descendants are left to the store. */
  leastDescendants?: number
}

const LEAST_CONCEPTS = 20_000
const LEAST_DESCENDANTS = 10_000
/** Concepts whose narrower ones are read at a time: the embedded store answers one query after the other, so each holds up those of clients. */
const CHUNK = 250

/**
 * The hierarchies of large vocabularies, for lists of descendants that would take a store too long to find and to sort. A
 * concept takes 8 bytes.
 */
export class Hierarchies {
  readonly #options: HierarchiesOptions
  readonly #hierarchies: ByRevision<HierarchyOfPlaces, Vocabulary>

  constructor(options: HierarchiesOptions) {
    this.#options = options
    const { registry, maxAgeMs } = options
    this.#hierarchies = new ByRevision({ read: this.#read.bind(this), registry, maxAgeMs })
  }

  /** The length from which a list of descendants is not left to the store. */
  get leastDescendants(): number {
    return this.#options.leastDescendants ?? LEAST_DESCENDANTS
  }

  /**
   * The hierarchy of a vocabulary in its present revision. Nobody waits for its reading, which may take a minute; the first call
   * begins it.
   *
   * @returns undefined if the vocabulary is small or has no places, if a narrower concept has none, and during the reading.
   */
  of(vocabulary: Vocabulary): HierarchyOfPlaces | undefined {
    const { revision, lengths } = vocabulary
    const { leastConcepts = LEAST_CONCEPTS } = this.#options
    if (revision === undefined || (lengths.concepts ?? 0) < leastConcepts) return undefined
    return this.#hierarchies.present(vocabulary)
  }

  /** In small requests, because nobody waits. */
  async #read(
    { uri, lengths, revision }: Vocabulary,
    { isWanted }: { isWanted: () => boolean },
  ): Promise<HierarchyOfPlaces | undefined> {
    const length = lengths.concepts!
    const below: (readonly number[])[] = []
    for (let start = 1; start <= length; start += CHUNK) {
      if (!isWanted()) return undefined
      const places = Array.from({ length: Math.min(CHUNK, length - start + 1) }, (_, at) => count(start + at))
      const query = queryTemplate('list/narrower').bind({ terms: { place: places, graph: [iri(uri)] } })
      for (const row of await this.#options.client.select(query, { signal: inBackground() })) {
        const found = (row['below']?.value ?? '').split(' ').filter(Boolean).map(Number)
        if (found.length !== Number(row['narrower']!.value) || found.some((place) => place > length)) return undefined
        below[Number(row['place']!.value)] = found
      }
    }
    const now = (await this.#options.registry.fresh()).find((one) => one.uri === uri)
    return now?.revision === revision ? new HierarchyOfPlaces(length, below) : undefined
  }
}

/** The narrower concepts of each concept, by places in the list of all concepts, which count from 1. */
export class HierarchyOfPlaces {
  /** The narrower concepts of the concept at place p are in `#below` from `#first[p]` to before `#first[p + 1]`. */
  readonly #first: Int32Array
  readonly #below: Int32Array

  /** @param below the places of the narrower concepts, by place; absent for none. */
  constructor(length: number, below: readonly (readonly number[] | undefined)[]) {
    this.#first = new Int32Array(length + 2)
    for (let place = 1; place <= length; place++) {
      this.#first[place + 1] = this.#first[place]! + (below[place]?.length ?? 0)
    }
    this.#below = new Int32Array(this.#first[length + 1]!)
    below.forEach((places, place) => this.#below.set(places ?? [], this.#first[place]))
  }

  /** The places of all concepts below the one at a place, in ascending order; never that one itself. */
  descendantsOf(place: number): number[] {
    const isBelow = new Uint8Array(this.#first.length)
    const open = [place]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const one of this.#below.subarray(this.#first[next], this.#first[next + 1])) {
        if (isBelow[one]) continue
        isBelow[one] = 1
        open.push(one)
      }
    }
    isBelow[place] = 0
    const places: number[] = []
    for (let at = isBelow.indexOf(1); at >= 0; at = isBelow.indexOf(1, at + 1)) places.push(at)
    return places
  }
}
