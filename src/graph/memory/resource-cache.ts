import { readNTriples, type NodeProperties, type ObjectTerm } from '../sparql/ntriples.ts'
import { writeNode } from '../sparql/statements.ts'
import { copyOfText, isLatin1 } from '../../base/unicode.ts'
import { StoreCache, revisionOfStatements, type StoreState } from './store-state.ts'

interface ResourceCacheOptions {
  state: StoreState
  /** Memory for all resources, in bytes. */
  maxBytes: number
  /** The properties of a concept that are remembered together. */
  statement: ReadonlySet<string>
  /** The properties that name a resource; they belong to `statement`. */
  naming: ReadonlySet<string>
}

/** Memory of an entry in addition to its text and its key. */
const OVERHEAD_BYTES = 250
/** The subject of remembered statements: a URI in each line would take a tenth of the memory. */
const SUBJECT = '_:c'

/**
 * Caches the statements of the store about resources, by URI: for a concept all objects of its usual properties, for
 * everything else that records name only its names. Records are put together from these, so the cache serves a concept
 * that was read as data, as a broader concept or as a search result in the same way.
 *
 * @example
 * const cached = await resources.cached([uri])
 * const node = cached?.statement(uri, new Set([`${SKOS}prefLabel`]))
 */
export class ResourceCache {
  readonly #options: ResourceCacheOptions
  /** The statements as N-Triples, which take a tenth of the memory of maps of terms. */
  readonly #entries: StoreCache<string>

  constructor(options: ResourceCacheOptions) {
    const { state, maxBytes } = options
    this.#options = options
    const sizeOf = (text: string, key: string) => text.length * (isLatin1(text) ? 1 : 2) + key.length + OVERHEAD_BYTES
    this.#entries = new StoreCache({ state, maxSize: maxBytes, sizeOf, outliveAdditions: true })
  }

  /** The memory that all resources take, in bytes. */
  get bytes(): number {
    return this.#entries.size
  }

  /** True if statements have all of these properties. */
  haveAll(properties: ReadonlySet<string>): boolean {
    const { statement } = this.#options
    return [...properties].every((property) => statement.has(property))
  }

  /** True if these properties contain all those of statements. */
  areAllIn(properties: ReadonlySet<string>): boolean {
    const { statement } = this.#options
    return [...statement].every((property) => properties.has(property))
  }

  /** True if the names of a resource are cached for a state of the store. */
  hasNames(uri: string, state: string): boolean {
    return this.#entries.peek(namesKey(uri), revisionOfStatements(state), state) !== undefined
  }

  /**
   * The cached resources in the present state of the store; undefined if there is no statement of any of these
   * resources. Only if there is one does this look at the state.
   *
   * @throws the errors of the store.
   */
  async cached(uris: readonly string[]): Promise<CachedResources | undefined> {
    return uris.some((uri) => this.#entries.mayHave(statementKey(uri))) ? this.present() : undefined
  }

  /**
   * The cached resources in the present state of the store.
   *
   * @throws the errors of the store.
   */
  async present(): Promise<CachedResources> {
    const state = await this.#options.state.now()
    const statements = revisionOfStatements(state)
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
    const kept = pickProperties(node, properties)
    if ([...kept.values()].some((objects) => objects.some((object) => !isWritable(object)))) return
    // The URI is a part of an answer of the store. A resource without statements may be a concept that somebody adds.
    const lasting = node.size > 0 ? revisionOfStatements(state) : state
    this.#entries.keep(copyOfText(key), copyOfText(writeNode(SUBJECT, kept)), lasting)
  }
}

/** False for blank nodes, which only the same answer can describe, and for IRIs that N-Triples cannot have. */
function isWritable({ termType, value, datatype }: ObjectTerm): boolean {
  return termType !== 'BlankNode' && !NOT_IN_IRIS.test(termType === 'NamedNode' ? value : datatype)
}

const NOT_IN_IRIS = /[<>\\\n\r]/

function read(text: string | undefined, wanted: ReadonlySet<string>): NodeProperties | undefined {
  return text === undefined
    ? undefined
    : pickProperties(readNTriples(text).get(SUBJECT) ?? new Map<never, never>(), wanted)
}

/** The statements of a node with some properties. */
export function pickProperties(node: NodeProperties, properties: ReadonlySet<string>): NodeProperties {
  return new Map([...node].filter(([property]) => properties.has(property)))
}

/** The cached statements about resources at one state of the store; undefined for resources that are not cached. */
export interface CachedResources {
  state: string
  /** @param wanted properties, which belong to statements. */
  statement: (uri: string, wanted: ReadonlySet<string>) => NodeProperties | undefined
  names: (uri: string) => NodeProperties | undefined
}

const statementKey = (uri: string) => `<${uri}`
const namesKey = (uri: string) => ` ${uri}`
