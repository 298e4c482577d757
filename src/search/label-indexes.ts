import { ApiError } from '../errors.ts'
import { RDF, SKOS } from '../namespaces.ts'
import { ByRevision } from '../read/by-revision.ts'
import { Turn } from '../read/turn.ts'
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
  /** How long an index counts, although other programs may write to the store. */
  maxAgeMs: number
  /** Only this process can write to the store. */
  isOwn: boolean
}

/** Reading all labels of a graph takes longer than a request may. */
const READING_MS = 300_000
/** After a change, searches build no index until this many times the time that the last one took has passed. */
const REST_AFTER_CHANGE = 10

const LABELS: Readonly<Record<string, Exclude<LabelType, 'notation'>>> = {
  [`${SKOS}prefLabel`]: 'prefLabel',
  [`${SKOS}altLabel`]: 'altLabel',
  [`${SKOS}hiddenLabel`]: 'hiddenLabel',
}

/** The labels of vocabularies by their words, one index for each graph, built in small steps, so that other requests go on. */
export class LabelIndexes {
  readonly #options: LabelIndexesOptions
  readonly #graphs: ByRevision<IndexedGraph>

  constructor(options: LabelIndexesOptions) {
    this.#options = options
    const read = this.#read.bind(this)
    this.#graphs = new ByRevision({ read, maxAgeMs: options.maxAgeMs, restAfterChange: REST_AFTER_CHANGE })
  }

  /** True if the indexes have all that a search of the store would find. */
  get areComplete(): boolean {
    return this.#options.isOwn
  }

  /**
   * The labels of a vocabulary or subset in its given revision.
   *
   * @param signal ends only the waiting; building goes on for others.
   * @returns undefined if it has more labels than fit into memory.
   * @throws ApiError ServiceUnavailableError if the index is not built when the waiting ends, and the errors of the store.
   */
  of(vocabulary: Vocabulary, signal: AbortSignal): Promise<IndexedGraph | undefined> {
    return this.#graphs.of(vocabulary, signal, stillReading)
  }

  /** Like `of`, but undefined also as long as the index is not built, or if the vocabulary has no revision. */
  present(vocabulary: Vocabulary): IndexedGraph | undefined {
    return vocabulary.revision === undefined ? undefined : this.#graphs.present(vocabulary)
  }

  /** Forgets the graphs of other vocabularies. */
  keepOnly(vocabularies: readonly Vocabulary[]): void {
    this.#graphs.keepOnly(vocabularies)
  }

  async #read({ uri }: Vocabulary, isWanted: () => boolean): Promise<IndexedGraph | undefined> {
    const { client, maxLabels } = this.#options
    const others = [...this.#graphs.values()].filter(([graph]) => graph !== uri)
    const room = maxLabels - others.reduce((sum, [, { labels }]) => sum + labels.size, 0)
    const labels = new LabelIndex()
    const members = new Set<string>()
    const query = queryTemplate('search/labels').bind({ terms: { graph: [iri(uri)] } })
    const turn = new Turn()
    const fits = () => labels.size <= room && isWanted()
    await client.constructInPieces(query, { template: 'search/labels', timeoutMs: READING_MS }, async (piece) => {
      for (const subject of piece) {
        addSubject(labels, subject)
        if (subject[0] === uri) addMembers(members, subject[1])
        if (turn.isOver) await turn.next()
      }
      return fits()
    })
    return fits() ? { labels, members } : undefined
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
      else if (property === `${SKOS}inScheme`) labels.addScheme(uri, value)
      else if (property === `${RDF}type`) labels.addClass(uri, value)
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
