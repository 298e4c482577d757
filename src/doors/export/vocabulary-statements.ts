import { setImmediate } from 'node:timers/promises'
import type { Quad } from '@rdfjs/types'
import { Spool } from '../../base/files/spool.ts'
import {
  COLLECTION,
  CONCEPT,
  DEPRECATED,
  IN_SCHEME,
  NOTATION,
  ORDERED_COLLECTION,
  RDF_TYPE,
  SKOS,
  VANN,
} from '../../base/namespaces.ts'
import { compareRecords, type ListOrder, type SortKey } from '../../graph/jskos/order.ts'
import { quadsIn } from '../../graph/sparql/statements.ts'
import { ConceptNames } from '../../graph/tables/concept-names.ts'
import { NO_CONCEPTS } from '../../graph/tables/row-cells.ts'
import { TableColumns } from '../../graph/tables/table-columns.ts'
import { quadsBySubject, statementText, typesOfRow } from '../../graph/tables/table-writer.ts'
import { looksMinted } from '../../graph/vocabularies/proposals.ts'
import { runsOf } from '../../writing/history/resources.ts'
import { NAMESPACE, NamespaceFinder } from '../../writing/source/namespace.ts'

/** A vocabulary whose whole graph becomes tables. */
export interface VocabularySource {
  scheme: string
  /** The order of its records. */
  order: ListOrder
  /** Its statements as N-Triples, in texts of whole lines. */
  statements: AsyncIterable<string>
  /** Properties all of whose statements follow from their inverse. */
  derived: ReadonlySet<string>
}

/** The kinds of resources in the order of their rows; `rest` has other vocabularies, and all that has no row. */
export const RESOURCE_KINDS = ['concepts', 'collections', 'scheme', 'rest'] as const
export type ResourceKind = (typeof RESOURCE_KINDS)[number]

/** The most characters of N-Triples of a vocabulary that is in memory as a whole. */
const MOST_IN_MEMORY = 12_000_000
/** Resources to read at a time; other requests get a turn in between. */
const AT_A_TIME = 500

/**
 * The statements of a vocabulary by kinds of resources, for tables.
 *
 * A vocabulary of up to `MOST_IN_MEMORY` comes resource by resource, in the order of records, and cells can name
 * concepts by notations and labels. Of a larger one, concepts come as the store has them; all else waits
 * on disk until they are written.
 */
export abstract class VocabularyStatements {
  protected readonly source: VocabularySource

  protected constructor(source: VocabularySource) {
    this.source = source
  }

  /** @throws the errors of the source, as do the methods. */
  static async read(source: VocabularySource): Promise<VocabularyStatements> {
    const texts: string[] = []
    let length = 0
    const iterator = source.statements[Symbol.asyncIterator]()
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
      texts.push(next.value)
      length += next.value.length
      if (length > MOST_IN_MEMORY) return new LargeVocabulary(source, texts, iterator)
    }
    return await SmallVocabulary.of(source, texts)
  }

  /** The columns of tables; undefined: the first statements show them. */
  abstract columnsOf(kinds: readonly ResourceKind[]): Promise<TableColumns | undefined>

  /** The statements about resources of a kind. Call it for one kind after the other, in the order of `KINDS`. */
  abstract of(kind: ResourceKind): AsyncGenerator<Quad[]>

  /** The name by which cells name a concept; undefined: its URI. */
  abstract nameOf(uri: string): string | undefined

  /** Ends the reading of the source. */
  close(): Promise<void> {
    return Promise.resolve()
  }

  /** True for a statement that loading adds. @param statements about the same resource. */
  follows({ subject, predicate, object }: Quad, statements: readonly Quad[]): boolean {
    const { scheme, derived } = this.source
    if (derived.has(predicate.value)) return true
    const has = (property: string, value: string) =>
      statements.some((quad) => quad.predicate.value === property && quad.object.value === value)
    if (predicate.value === NAMESPACE) return subject.value === scheme && this.findsNamespace(statements)
    if (object.value !== scheme || !has(RDF_TYPE, CONCEPT)) return false
    if (predicate.value === IN_SCHEME) {
      const isConcept = typesOfRow(statements)?.every((type) => !NO_CONCEPTS.includes(type)) ?? false
      return isConcept && statements.every((quad) => quad.predicate.value !== IN_SCHEME || quad.object.value === scheme)
    }
    if (predicate.value !== TOP_CONCEPT_OF || !derived.has(NARROWER) || !has(IN_SCHEME, scheme)) return false
    const elsewhere = (property: string) =>
      statements.flatMap((quad) =>
        quad.predicate.value === property && quad.object.value !== subject.value ? [quad.object.value] : [],
      )
    const isDeprecated = has(DEPRECATED, 'true') || has(DEPRECATED, '1')
    return !this.hasMember(elsewhere(BROADER)) && (!isDeprecated || this.hasConcept(elsewhere(NARROWER)))
  }

  /** True if one of some broader concepts may be in the vocabulary. */
  protected abstract hasMember(uris: readonly string[]): boolean
  /** True if one of some narrower concepts is a concept for sure. */
  protected abstract hasConcept(uris: readonly string[]): boolean
  /** True if loading finds the namespace that statements about the vocabulary give it. */
  protected abstract findsNamespace(statements: readonly Quad[]): boolean

  protected kindOf(quads: readonly Quad[]): ResourceKind {
    if (quads[0]!.subject.value === this.source.scheme) return 'scheme'
    const types = typesOfRow(quads)
    if (types?.includes(CONCEPT)) return 'concepts'
    return types?.some((type) => COLLECTION_TYPES.includes(type)) ? 'collections' : 'rest'
  }
}

const [TOP_CONCEPT_OF, BROADER, NARROWER] = [`${SKOS}topConceptOf`, `${SKOS}broader`, `${SKOS}narrower`]
const COLLECTION_TYPES: readonly string[] = [COLLECTION, ORDERED_COLLECTION]

/** A resource in memory. */
interface StoredResource extends SortKey {
  text: string
}

class SmallVocabulary extends VocabularyStatements {
  readonly #resources = new Map<ResourceKind, StoredResource[]>(RESOURCE_KINDS.map((kind) => [kind, []]))
  readonly #names = new ConceptNames()
  readonly #concepts = new Set<string>()
  readonly #members = new Set<string>()
  /** The namespace of all concepts, and the namespace of the concepts that cannot be proposals. */
  readonly #namespaces = [new NamespaceFinder(), new NamespaceFinder()] as const

  static async of(source: VocabularySource, texts: readonly string[]): Promise<SmallVocabulary> {
    const vocabulary = new SmallVocabulary(source)
    const bySubject = new Map<string, string>()
    for (const text of texts) {
      for (const [subject, run] of runsOf(text)) bySubject.set(subject, (bySubject.get(subject) ?? '') + run)
    }
    const columns = new TableColumns()
    let at = 0
    for (const text of bySubject.values()) {
      if (++at % AT_A_TIME === 0) await setImmediate()
      const quads = quadsIn(text)
      const kind = vocabulary.kindOf(quads)
      vocabulary.#resources.get(kind)!.push({ ...keyOfRow(quads, source), text })
      vocabulary.#add(quads, columns)
    }
    for (const resources of vocabulary.#resources.values()) resources.sort(compareRecords)
    return vocabulary
  }

  #add(quads: readonly Quad[], columns: TableColumns): void {
    const { value: uri, termType } = quads[0]!.subject
    const isConcept = quads.some(({ predicate, object }) => predicate.value === RDF_TYPE && object.value === CONCEPT)
    if (termType !== 'NamedNode' || !isConcept) return
    this.#concepts.add(uri)
    this.#names.add(quads, columns)
    if (!quads.some(({ predicate, object }) => predicate.value === IN_SCHEME && object.value === this.source.scheme))
      return
    this.#members.add(uri)
    this.#namespaces[0].addConcept(uri)
    if (!looksMinted(uri)) this.#namespaces[1].addConcept(uri)
  }

  async columnsOf(kinds: readonly ResourceKind[]): Promise<TableColumns> {
    const columns = new TableColumns()
    for (const kind of kinds) {
      for await (const quads of this.of(kind)) {
        if (typesOfRow(quads)) columns.count(quads.filter((quad) => !this.follows(quad, quads)))
      }
    }
    return columns
  }

  async *of(kind: ResourceKind): AsyncGenerator<Quad[]> {
    for (const [at, { text }] of this.#resources.get(kind)!.entries()) {
      if (at % AT_A_TIME === 0) await setImmediate()
      yield quadsIn(text)
    }
  }

  nameOf(uri: string): string | undefined {
    return this.#names.of(uri)
  }

  protected hasMember(uris: readonly string[]): boolean {
    return uris.some((uri) => this.#members.has(uri))
  }

  protected hasConcept(uris: readonly string[]): boolean {
    return uris.some((uri) => this.#concepts.has(uri))
  }

  protected findsNamespace(statements: readonly Quad[]): boolean {
    const about = statements.filter(({ predicate }) => NAMESPACES.includes(predicate.value))
    const [stated] = about
    return (
      about.length === 1 &&
      stated!.object.termType === 'Literal' &&
      this.#namespaces.every(({ namespace }) => namespace === stated!.object.value)
    )
  }
}

/** The sort key of a row. */
function keyOfRow(quads: readonly Quad[], { scheme, order }: VocabularySource): SortKey {
  const literalsOf = (property: string) =>
    quads.flatMap(({ predicate, object }) =>
      predicate.value === property && object.termType === 'Literal' && object.value !== '' ? [object] : [],
    )
  return order.keyOf({
    uri: quads[0]!.subject.value,
    schemes: [scheme],
    notations: literalsOf(NOTATION).map(({ value }) => value),
    labels: () => Object.fromEntries(literalsOf(`${SKOS}prefLabel`).map(({ language, value }) => [language, value])),
  })
}

const NAMESPACES = [NAMESPACE, `${VANN}preferredNamespaceUri`]

class LargeVocabulary extends VocabularyStatements {
  readonly #texts: string[]
  readonly #further: AsyncIterator<string>
  readonly #waiting = new Spool()

  constructor(source: VocabularySource, texts: string[], further: AsyncIterator<string>) {
    super(source)
    this.#texts = texts
    this.#further = further
  }

  columnsOf(): Promise<undefined> {
    return Promise.resolve(undefined)
  }

  async *of(kind: ResourceKind): AsyncGenerator<Quad[]> {
    if (kind === 'concepts') yield* this.#concepts()
    else {
      for (const chunk of this.#waiting.chunks(RESOURCE_KINDS.indexOf(kind))) {
        yield quadsIn(chunk.toString())
        await setImmediate()
      }
    }
  }

  /** The statements about concepts, as they come; all others wait. */
  async *#concepts(): AsyncGenerator<Quad[]> {
    let begun: Quad[] = []
    for (let text = await this.#next(); text !== undefined; text = await this.#next()) {
      const runs = [...quadsBySubject([...begun, ...quadsIn(text)])]
      // The next text may go on with the last resource.
      begun = runs.pop() ?? []
      yield this.#conceptsIn(runs)
    }
    yield this.#conceptsIn([begun])
  }

  #conceptsIn(runs: readonly Quad[][]): Quad[] {
    const concepts: Quad[] = []
    for (const run of runs) {
      const kind = this.kindOf(run)
      if (kind === 'concepts') for (const quad of run) concepts.push(quad)
      else this.#waiting.append(RESOURCE_KINDS.indexOf(kind), run.map(statementText).join(''))
    }
    return concepts
  }

  async #next(): Promise<string | undefined> {
    const begun = this.#texts.shift()
    if (begun !== undefined) return begun
    const next = await this.#further.next()
    return next.done ? undefined : next.value
  }

  nameOf(): undefined {
    return undefined
  }

  protected hasMember(uris: readonly string[]): boolean {
    return uris.length > 0
  }

  protected hasConcept(): boolean {
    return false
  }

  protected findsNamespace(): boolean {
    return false
  }

  override async close(): Promise<void> {
    this.#waiting.close()
    await this.#further.return?.()
  }
}
