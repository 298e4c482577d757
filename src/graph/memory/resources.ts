import { readNTriples, type NodeProperties, type ObjectTerm } from '../sparql/ntriples.ts'
import { writeNode } from '../sparql/statements.ts'
import { copyOfText, isLatin1 } from '../../base/unicode.ts'
import { Remembered } from './remembered.ts'
import { statementsOf, type StoreState } from './store-state.ts'

export interface RememberedResourcesOptions {
  state: StoreState
  /** Memory for all resources, in bytes. */
  maxBytes: number
  /** The properties of a concept that are remembered together. */
  statement: ReadonlySet<string>
  /** The properties that name a resource; they belong to `statement`. */
  naming: ReadonlySet<string>
  /** False: remembers names alone. */
  keepsStatements: boolean
}

/** Memory of an entry in addition to its text and its key. */
const OVERHEAD_BYTES = 250
/** The subject of remembered statements: a URI in each line would take a tenth of the memory. */
const SUBJECT = '_:c'

/**
 * The statements of the store about resources, by URI: the statement of a concept with all objects of its usual
 * properties, or only the names of something that a record names. Records are put together from these, so that a
 * concept counts as known whether it was read as data, as somebody's broader concept or as a search result.
 *
 * @example
 * const known = await resources.known([uri])
 * const node = known?.statement(uri, new Set([`${SKOS}prefLabel`]))
 */
export class RememberedResources {
  readonly #options: RememberedResourcesOptions
  /** The statements as N-Triples, which take a tenth of the memory of maps of terms. */
  readonly #entries: Remembered<string>

  constructor(options: RememberedResourcesOptions) {
    const { state, maxBytes } = options
    this.#options = options
    const sizeOf = (text: string, key: string) => text.length * (isLatin1(text) ? 1 : 2) + key.length + OVERHEAD_BYTES
    this.#entries = new Remembered({ state, maxSize: maxBytes, sizeOf, outliveAdditions: true })
  }

  /** The memory that all resources take, in bytes. */
  get bytes(): number {
    return this.#entries.size
  }

  /** False: statements are not remembered, but only names. */
  get keepsStatements(): boolean {
    return this.#options.keepsStatements
  }

  /** True if statements have all of these properties. */
  haveAll(properties: ReadonlySet<string>): boolean {
    const { statement } = this.#options
    return [...properties].every((property) => statement.has(property))
  }

  /** True if whoever reads these properties reads statements. */
  areAllIn(properties: ReadonlySet<string>): boolean {
    const { statement } = this.#options
    return [...statement].every((property) => properties.has(property))
  }

  /** True if the names of a resource are known in a state of the store. */
  hasNames(uri: string, state: string): boolean {
    return this.#entries.peek(namesKey(uri), statementsOf(state), state) !== undefined
  }

  /**
   * The known resources in the present state of the store; undefined if there is no statement of any of these
   * resources. Only if there is one does this look at the state.
   *
   * @throws the errors of the store.
   */
  async known(uris: readonly string[]): Promise<KnownResources | undefined> {
    return uris.some((uri) => this.#entries.mayHold(statementKey(uri))) ? this.present() : undefined
  }

  /**
   * The known resources in the present state of the store.
   *
   * @throws the errors of the store.
   */
  async present(): Promise<KnownResources> {
    const state = await this.#options.state.now()
    const statements = statementsOf(state)
    const peek = (key: string) => this.#entries.peek(key, statements, state)
    const { naming } = this.#options
    return {
      state,
      statement: (uri, wanted) => read(peek(statementKey(uri)), wanted),
      names: (uri) => read(peek(namesKey(uri)) ?? peek(statementKey(uri)), naming),
    }
  }

  /**
   * Keeps the statement of a concept, unless it has blank nodes, which only the same answer can describe.
   *
   * @param node with all objects of the properties of statements; others do not matter.
   * @param state of the store before the node was read.
   */
  keepStatement(uri: string, node: NodeProperties, state: string): void {
    this.#keep(statementKey(uri), node, this.#options.statement, state)
  }

  /** Keeps the names of a resource, also if it has none. @param state of the store before they were read. */
  keepNames(uri: string, node: NodeProperties, state: string): void {
    this.#keep(namesKey(uri), node, this.#options.naming, state)
  }

  #keep(key: string, node: NodeProperties, properties: ReadonlySet<string>, state: string): void {
    const kept = pick(node, properties)
    if ([...kept.values()].some((objects) => objects.some((object) => !isWritable(object)))) return
    // The URI is a part of an answer of the store. A resource without statements may be a concept that somebody adds.
    const lasting = node.size > 0 ? statementsOf(state) : state
    this.#entries.keep(copyOfText(key), copyOfText(writeNode(SUBJECT, kept)), lasting)
  }
}

/** False for blank nodes, which only the same answer can describe, and for IRIs that N-Triples cannot have. */
function isWritable({ termType, value, datatype }: ObjectTerm): boolean {
  return termType !== 'BlankNode' && !NOT_IN_IRIS.test(termType === 'NamedNode' ? value : datatype)
}

const NOT_IN_IRIS = /[<>\\\n\r]/

function read(text: string | undefined, wanted: ReadonlySet<string>): NodeProperties | undefined {
  return text === undefined ? undefined : pick(readNTriples(text).get(SUBJECT) ?? new Map<never, never>(), wanted)
}

function pick(node: NodeProperties, properties: ReadonlySet<string>): NodeProperties {
  return new Map([...node].filter(([property]) => properties.has(property)))
}

/** The statements about resources that are remembered at one state of the store; undefined for others. */
export interface KnownResources {
  state: string
  /** @param wanted properties, which belong to statements. */
  statement: (uri: string, wanted: ReadonlySet<string>) => NodeProperties | undefined
  names: (uri: string) => NodeProperties | undefined
}

const statementKey = (uri: string) => `<${uri}`
const namesKey = (uri: string) => ` ${uri}`
