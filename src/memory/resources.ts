import type { NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { copyOfText } from '../unicode.ts'
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

/**
 * The statements of the store about resources, by URI: the statement of a concept with all objects of its usual properties, or only the names
 * of something that a record names. Records are put together from these, so that a concept counts as known whether it was read as
 * data, as somebody's broader concept or as a search result.
 *
 * @example
 * const known = await resources.known([uri])
 * const node = known?.statement(uri, new Set([`${SKOS}prefLabel`]))
 */
export class RememberedResources {
  readonly #options: RememberedResourcesOptions
  readonly #entries: Remembered<string>
  readonly #packing: Packing

  constructor(options: RememberedResourcesOptions) {
    const { state, maxBytes, statement } = options
    this.#options = options
    const sizeOf = (packed: string, key: string) => packed.length + key.length + OVERHEAD_BYTES
    this.#entries = new Remembered({ state, maxSize: maxBytes, sizeOf, outliveAdditions: true })
    this.#packing = new Packing(statement)
  }

  /** The memory that all resources take, in bytes. */
  get bytes(): number {
    return this.#entries.size
  }

  /** The memory that is left, in bytes. */
  get freeBytes(): number {
    return this.#options.maxBytes - this.bytes
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
   * The known resources in the present state of the store; undefined if there is no statement of any of these resources. Only if there is
   * one does this look at the state.
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
    const read = (key: string, wanted: ReadonlySet<string>) => {
      const packed = this.#entries.peek(key, statements, state)
      return packed === undefined ? undefined : this.#packing.unpack(packed, wanted)
    }
    const { naming } = this.#options
    return {
      state,
      statement: (uri, wanted) => read(statementKey(uri), wanted),
      names: (uri) => read(namesKey(uri), naming) ?? read(statementKey(uri), naming),
    }
  }

  /**
   * Keeps the statement of a concept, unless it has nodes without IRIs, which only the same answer can describe.
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
    const packed = this.#packing.pack(node, properties)
    // The URI is a part of an answer of the store. A resource without statements may be a concept that somebody adds.
    if (packed !== undefined) this.#entries.keep(copyOfText(key), packed, node.size > 0 ? statementsOf(state) : state)
  }
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

/** Writes statements as short texts, a tenth of their size as maps of terms. */
class Packing {
  readonly #properties: readonly string[]
  readonly #numbers: ReadonlyMap<string, number>
  /** Takes one text after the other: a buffer for each would be much garbage. */
  #bytes = Buffer.allocUnsafeSlow(8192)

  /** @param properties that statements may have. */
  constructor(properties: Iterable<string>) {
    this.#properties = [...properties]
    this.#numbers = new Map(this.#properties.map((property, number) => [property, number]))
  }

  /** Undefined for a node that links to blank nodes. */
  pack(node: NodeProperties, wanted: ReadonlySet<string>): string | undefined {
    const packed: (string | number)[][] = []
    for (const [property, objects] of node) {
      if (!wanted.has(property)) continue
      if (objects.some(({ termType }) => termType === 'BlankNode')) return undefined
      packed.push([this.#numbers.get(property)!, ...objects.flatMap((term) => [tagOf(term), term.value])])
    }
    // UTF-8 as Latin-1: a text with a single character beyond Latin-1 would take two bytes for every one of its characters.
    return Buffer.from(JSON.stringify(packed)).toString('latin1')
  }

  unpack(packed: string, wanted: ReadonlySet<string>): NodeProperties {
    const node: NodeProperties = new Map()
    for (const [number, ...terms] of JSON.parse(this.#decode(packed)) as [number, ...string[]][]) {
      const property = this.#properties[number]!
      if (!wanted.has(property)) continue
      const objects: ObjectTerm[] = []
      for (let at = 0; at < terms.length; at += 2) objects.push(termOf(terms[at]!, terms[at + 1]!))
      node.set(property, objects)
    }
    return node
  }

  #decode(packed: string): string {
    if (packed.length > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(packed.length)
    return this.#bytes.toString('utf8', 0, this.#bytes.write(packed, 'latin1'))
  }
}

/** Tells the kind of a term, with its language or datatype: a short text, which the engine keeps once for all terms. */
function tagOf({ termType, language, datatype }: ObjectTerm): string {
  if (termType === 'NamedNode') return '<'
  return datatype === '' ? language : `^${datatype}`
}

function termOf(tag: string, value: string): ObjectTerm {
  if (tag === '<') return { termType: 'NamedNode', value, language: '', datatype: '' }
  const datatype = tag.startsWith('^') ? tag.slice(1) : ''
  return { termType: 'Literal', value, language: datatype === '' ? tag : '', datatype }
}
