import { ApiError } from '../errors.ts'
import { SKOS } from '../namespaces.ts'
import { Turn } from '../read/turn.ts'
import { until } from '../read/until.ts'
import type { SparqlClient } from '../sparql/client.ts'
import type { NodeProperties } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { LabelIndex } from './label-index.ts'
import type { LabelType } from './ranking.ts'

/** The labels of the graph of a vocabulary or subset. */
export interface IndexedGraph {
  labels: LabelIndex
  /** The concepts of a subset. */
  members: ReadonlySet<string>
}

export interface LabelIndexesOptions {
  client: SparqlClient
  /** Labels in all indexes together. */
  maxLabels: number
  /** How long the service may overlook changes by other programs, if building an index does not take long. */
  maxStalenessMs: number
  /** Only this process can write to the store. */
  isOwn: boolean
}

interface Entry {
  revision: string | undefined
  building: Promise<IndexedGraph | undefined>
  /** The result of building. */
  built: IndexedGraph | undefined
  /** The previous index, which serves until this one is built. */
  meanwhile: Promise<IndexedGraph | undefined> | undefined
  /** The number of labels, once the index is built. */
  size: number
  builtAt: number
  tookMs: number
}

/** Reading all labels of a graph takes longer than a request may. */
const READING_MS = 300_000
/** If the revision of a graph stays the same, its index is rebuilt only after this many times its building time. */
const REST = 100
/** Likewise for a new revision if nobody has to wait for the index. */
const REST_AFTER_CHANGE = 10

const LABELS: Readonly<Record<string, Exclude<LabelType, 'notation'>>> = {
  [`${SKOS}prefLabel`]: 'prefLabel',
  [`${SKOS}altLabel`]: 'altLabel',
  [`${SKOS}hiddenLabel`]: 'hiddenLabel',
}

/**
 * The labels of vocabularies by their words, one index for each graph. The first request for an index builds it, and so does
 * a new revision of its graph. Indexes are built one at a time and in small steps, so that other requests go on.
 */
export class LabelIndexes {
  readonly #options: LabelIndexesOptions
  readonly #entries = new Map<string, Entry>()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: LabelIndexesOptions) {
    this.#options = options
  }

  /**
   * The labels of a vocabulary or subset in its given revision.
   *
   * @param signal ends only the waiting; building goes on for others.
   * @returns undefined if it has more labels than fit into memory.
   * @throws ApiError ServiceUnavailableError if the index is not built when the waiting ends, and the errors of the store.
   */
  async of(vocabulary: Vocabulary, signal: AbortSignal): Promise<IndexedGraph | undefined> {
    const { uri, revision } = vocabulary
    let entry = this.#entries.get(uri)
    if (!entry || entry.revision !== revision) entry = this.#build(vocabulary)
    // The old index serves meanwhile, because nothing shows that it is out of date.
    else if (this.#isOld(entry)) entry = this.#build(vocabulary, revision === undefined ? undefined : entry.building)
    return until(signal, entry.meanwhile ?? entry.building, stillReading)
  }

  /** True if the indexes have all that a search of the store would find. */
  get areComplete(): boolean {
    return this.#options.isOwn
  }

  /**
   * Like `of`, but undefined also as long as the index is not built, or if the vocabulary has no revision. The index is built
   * after this call, unless building took much of the time since the last change.
   */
  present(vocabulary: Vocabulary): IndexedGraph | undefined {
    const { uri, revision } = vocabulary
    if (revision === undefined) return undefined
    const entry = this.#entries.get(uri)
    if (entry?.revision === revision) return entry.built
    if (!entry || performance.now() - entry.builtAt > REST_AFTER_CHANGE * entry.tookMs) this.#build(vocabulary)
    return undefined
  }

  /** Forgets the graphs of other vocabularies. */
  keepOnly(vocabularies: readonly Vocabulary[]): void {
    const present = new Set(vocabularies.map(({ uri }) => uri))
    for (const uri of this.#entries.keys()) if (!present.has(uri)) this.#entries.delete(uri)
  }

  #isOld({ revision, builtAt, tookMs }: Entry): boolean {
    if (this.#options.isOwn && revision !== undefined) return false
    return performance.now() - builtAt > Math.max(this.#options.maxStalenessMs, REST * tookMs)
  }

  #build({ uri, revision }: Vocabulary, meanwhile?: Entry['building']): Entry {
    const building = Promise.resolve(undefined)
    const entry: Entry = {
      revision,
      building,
      built: undefined,
      meanwhile,
      size: 0,
      builtAt: Infinity,
      tookMs: 0,
    }
    this.#entries.set(uri, entry)
    const run = async () => {
      // A request for a newer revision may have come while others were being built.
      if (this.#entries.get(uri) !== entry) return this.#entries.get(uri)?.building
      const started = performance.now()
      entry.built = await this.#read(uri, entry)
      entry.builtAt = performance.now()
      entry.tookMs = entry.builtAt - started
      entry.meanwhile = undefined
      return entry.built
    }
    entry.building = this.#last.then(run)
    entry.building.catch(() => {
      if (this.#entries.get(uri) === entry) this.#entries.delete(uri)
    })
    this.#last = entry.building.catch(() => undefined)
    return entry
  }

  async #read(uri: string, entry: Entry): Promise<IndexedGraph | undefined> {
    const { client, maxLabels } = this.#options
    const others = [...this.#entries.values()].filter((other) => other !== entry)
    const room = maxLabels - others.reduce((sum, { size }) => sum + size, 0)
    const labels = new LabelIndex()
    const members = new Set<string>()
    const query = queryTemplate('search/labels').bind({ terms: { graph: [iri(uri)] } })
    const turn = new Turn()
    await client.constructInPieces(query, { template: 'search/labels', timeoutMs: READING_MS }, async (piece) => {
      for (const subject of piece) {
        addSubject(labels, subject)
        if (subject[0] === uri) addMembers(members, subject[1])
        if (turn.isOver) await turn.next()
      }
      return labels.size <= room
    })
    if (labels.size > room) return undefined
    entry.size = labels.size
    return { labels, members }
  }
}

/** Adds the labels, notations, vocabularies and classes of a subject. */
export function addSubject(labels: LabelIndex, [uri, properties]: [uri: string, properties: NodeProperties]): void {
  // A blank node has no URI to return.
  if (uri.startsWith('_:')) return
  for (const [property, objects] of properties) {
    const type = LABELS[property]
    for (const { termType, value, language, datatype } of objects) {
      if (type !== undefined) {
        if (termType === 'Literal' && datatype === '' && value !== '') labels.addLabel(uri, type, language, value)
      } else if (property === `${SKOS}notation`) labels.addNotation(uri, value)
      else if (property !== `${SKOS}member`) labels.addGroup(uri, value)
    }
  }
}

function addMembers(members: Set<string>, properties: NodeProperties): void {
  for (const { termType, value } of properties.get(`${SKOS}member`) ?? []) {
    if (termType === 'NamedNode') members.add(value)
  }
}

function stillReading(): ApiError {
  return new ApiError('ServiceUnavailableError', 'The labels are still being read; please retry.', { retryAfter: 5 })
}
