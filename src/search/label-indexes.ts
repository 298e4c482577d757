import { ApiError } from '../errors.ts'
import { ByRevision } from '../memory/by-revision.ts'
import { RDF, SKOS } from '../namespaces.ts'
import { Turn } from '../turn.ts'
import type { SparqlClient } from '../sparql/client.ts'
import type { NodeProperties } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { Bindings } from '../sparql/templates.ts'
import { count, iri } from '../sparql/terms.ts'
import { until } from '../until.ts'
import type { VocabularyRegistry } from '../vocabularies/registry.ts'
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
  registry: Pick<VocabularyRegistry, 'onRead'>
  /** Labels in all indexes together. */
  maxLabels: number
  /** How long an index counts, although other programs may write to the store. */
  maxAgeMs: number
  /** Only this process can write to the store. */
  isOwn: boolean
}

/** Reading all labels of a graph takes longer than a request may. */
const READING_MS = 300_000
/** Concepts whose labels are read at a time. */
const PIECE = 500
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
  readonly #graphs: ByRevision<IndexedGraph, Vocabulary>

  constructor(options: LabelIndexesOptions) {
    this.#options = options
    const { registry, maxAgeMs } = options
    const read = this.#read.bind(this)
    this.#graphs = new ByRevision({ read, registry, maxAgeMs, restAfterChange: REST_AFTER_CHANGE })
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
    return until(signal, this.#graphs.of(vocabulary), stillReading)
  }

  /** Like `of`, but undefined also as long as the index is not built, or if the vocabulary has no revision. */
  present(vocabulary: Vocabulary): IndexedGraph | undefined {
    return vocabulary.revision === undefined ? undefined : this.#graphs.present(vocabulary)
  }

  /**
   * Begins to read the labels of vocabularies that fit into memory, the smallest first, so that nobody has to wait for them. A
   * vocabulary has at least a label for each concept.
   */
  begin(vocabularies: readonly Vocabulary[]): void {
    const size = ({ lengths }: Vocabulary) => lengths.concepts ?? 0
    const sorted = vocabularies.filter((one) => size(one) <= this.#options.maxLabels).sort((a, b) => size(a) - size(b))
    for (const vocabulary of sorted) this.present(vocabulary)
  }

  async #read(vocabulary: Vocabulary, { isWanted }: { isWanted: () => boolean }): Promise<IndexedGraph | undefined> {
    const { client, maxLabels } = this.#options
    const { uri, revision } = vocabulary
    const others = [...this.#graphs.values()].filter(([graph]) => graph !== uri)
    const room = maxLabels - others.reduce((sum, [, { labels }]) => sum + labels.size, 0)
    const labels = new LabelIndex()
    const members = new Set<string>()
    const turn = new Turn()
    const fits = () => labels.size <= room && isWanted()
    const pieces = piecesOf(vocabulary)
    for (const { template, ...bindings } of pieces) {
      if (!fits()) return undefined
      const query = queryTemplate(template).bind(bindings)
      await client.constructInPieces(query, { timeoutMs: READING_MS }, async (piece) => {
        for (const subject of piece) {
          addSubject(labels, subject)
          if (subject[0] === uri) addMembers(members, subject[1])
          if (turn.isOver) await turn.next()
        }
        return fits()
      })
    }
    const isOneVersion = pieces.length === 1 || (await readRevision(client, uri)) === revision
    return fits() && isOneVersion ? { labels, members } : undefined
  }
}

/** What to ask for: small pieces if places tell them apart, because the embedded store answers one request after the other. */
function piecesOf({ uri, revision, lengths }: Vocabulary): (Bindings & { template: TemplateName })[] {
  const graph = [iri(uri)]
  const template = 'search/labels'
  const length = revision === undefined ? 0 : (lengths.concepts ?? 0)
  if (length <= PIECE) return [{ template, terms: { graph } }]
  const pieces: ReturnType<typeof piecesOf> = []
  for (let start = 1; start <= length; start += PIECE) {
    const place = Array.from({ length: Math.min(PIECE, length - start + 1) }, (_, at) => count(start + at))
    pieces.push({ template: 'search/labels-at', terms: { graph, place } })
  }
  return [...pieces, { template, terms: { graph }, include: ['unplaced'] }]
}

async function readRevision(client: SparqlClient, uri: string): Promise<string | undefined> {
  const rows = await client.select(queryTemplate('revisions').bind())
  return rows.find(({ scheme }) => scheme?.value === uri)?.revision?.value
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
