import { setImmediate } from 'node:timers/promises'
import type { JsonLdDocument, Options } from 'jsonld'
import type { Quad, Quad_Graph, Quad_Object, Quad_Predicate, Quad_Subject } from '@rdfjs/types'
import { CONTEXT, isJskosContext } from '../../graph/jskos/context.ts'
import { canonicalJson } from '../../graph/jskos/linked-data.ts'
import { isObject } from '../../base/json.ts'
import { RDF, RDF_TYPE, XSD } from '../../base/namespaces.ts'
import { InputError, type Position } from '../../base/files/input-error.ts'
import { JsonItems, type JsonItem } from '../../base/files/json-items.ts'
import { parseRecord } from '../../base/files/json-records.ts'
import { readText } from '../../base/files/text.ts'
import { messageOf } from '../../base/thrown.ts'
import { factory, MOST_LEVELS, TOO_DEEP } from './terms.ts'

/** Nodes to expand at once: many enough that the context costs little, few enough for memory. */
const NODES_AT_ONCE = 200

/**
 * The statements of a text in JSON-LD 1.1. jsonld expands it, a few nodes of the outermost array or `@graph` at a time.
 *
 * @param text the text of the file. That of an object is read from the file a second time, because its context may
 *   follow its nodes.
 * @param onWrongIri called for properties that are no IRI.
 * @throws InputError, with line and column where the JSON is broken or a node is no JSON-LD.
 */
export async function* parseJsonLd(
  text: AsyncIterable<string>,
  file: string,
  base: string,
  onWrongIri: (iri: string, about: string) => void = () => {},
): AsyncGenerator<Quad[]> {
  const expander = new Expander(file, base, onWrongIri)
  const writer = new StatementWriter(file)
  let graph: Quad_Graph = factory.defaultGraph()
  let context: unknown
  const lists = new Set<string>()

  const outer = await readOuter(file, lists)
  if (outer !== undefined) {
    context = outer['@context']
    for (const node of await expander.expand(withoutNulls(outer, new Map()))) {
      const subject = writer.node(node, graph) as Quad_Subject
      // Nodes of a `@graph` beside which something is stated are in the graph that this names.
      if (lists.size > 0) graph = subject as Quad_Graph
    }
    yield writer.take()
    if (lists.size === 0) return
  }

  const items = new JsonItems((name) => lists.has(name), MOST_LEVELS, TOO_DEEP)
  let batch: JsonItem[] = []
  const writeBatch = async () => {
    for (const node of await expander.expandItems(batch, context)) writer.node(node, graph)
    batch = []
    await setImmediate()
    return writer.take()
  }
  for await (const item of items.of(text, file)) {
    if (batch.push(item) === NODES_AT_ONCE) yield await writeBatch()
  }
  yield await writeBatch()
  await parseWhole(items.rest, file)
}

/**
 * The outermost object of a file without the nodes in its `@graph`; undefined if the text is an array.
 *
 * @param lists gets the names of the members with the nodes.
 */
async function readOuter(file: string, lists: Set<string>): Promise<Record<string, unknown> | undefined> {
  let terms: ContextTerms = new Map()
  const isGraph = (name: string, before: () => unknown) => {
    // A name with a colon is an IRI or begins with a prefix.
    if (name !== '@graph' && terms.size === 0 && !name.includes(':')) terms = aliases(before())
    if (keywordOf(name, terms) !== '@graph') return false
    lists.add(name)
    return true
  }
  const items = new JsonItems(isGraph, MOST_LEVELS, TOO_DEEP)
  const reading = items.of(readText(file), file)
  const first = await reading.next()
  if (!first.done && items.rest.trimStart().startsWith('[')) {
    await reading.return(undefined)
    return undefined
  }
  while (!(await reading.next()).done);
  const outer = await parseWhole(items.rest, file)
  if (!isObject(outer)) return undefined
  for (const name of lists) outer[name] = []
  return outer
}

/** Terms with the keyword that they stand for; those of JSON literals with `@json`. */
type ContextTerms = ReadonlyMap<string, string>

/** The terms of the context of an object that stand for a keyword, or whose values are JSON literals. */
function aliases(object: unknown): ContextTerms {
  const contexts = isObject(object) ? [object['@context']].flat() : []
  return new Map(
    contexts.filter(isObject).flatMap((context) =>
      Object.entries(context).flatMap(([term, definition]): [string, string][] => {
        const { '@id': id, '@type': type } = isObject(definition) ? definition : { '@id': definition }
        if (type === '@json') return [[term, '@json']]
        return typeof id === 'string' && id.startsWith('@') ? [[term, id]] : []
      }),
    ),
  )
}

function keywordOf(name: string, terms: ContextTerms): string | undefined {
  return name.startsWith('@') ? name : terms.get(name)
}

/** Keywords whose null JSON-LD refuses or takes for a node without a name. */
const STATE_NOTHING = ['@type', '@graph', '@reverse', '@included', '@nest', '@index']

/**
 * A value without nulls that state nothing but that jsonld does not ignore: a keyword with null, and an object with
 * nothing but a null list, set or name.
 */
function withoutNulls(value: unknown, outer: ContextTerms): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutNulls(item, outer))
  if (!isObject(value)) return value
  const terms = '@context' in value ? new Map([...outer, ...aliases(value)]) : outer
  const members = Object.entries(value).flatMap(([name, member]): [string, unknown][] => {
    const keyword = keywordOf(name, terms)
    if (member === null && STATE_NOTHING.includes(keyword ?? '')) return []
    const isOpaque = keyword === '@context' || keyword === '@value' || keyword === '@json'
    return [[name, isOpaque ? member : withoutNulls(member, terms)]]
  })
  const isNull = members.some(([name, member]) => {
    const keyword = keywordOf(name, terms)
    return member === null && (keyword === '@list' || keyword === '@set' || (keyword === '@id' && members.length === 1))
  })
  return isNull ? null : Object.fromEntries(members)
}

/** Parses JSON from which items were taken. @throws InputError with the place in the file. */
async function parseWhole(json: string, file: string): Promise<unknown> {
  try {
    return JSON.parse(json) as unknown
  } catch (error) {
    let whole = ''
    for await (const chunk of readText(file)) whole += chunk
    parseRecord(whole, file, { line: 1, column: 1 })
    throw error
  }
}

/** A node object in expanded form (JSON-LD 1.1, section 9.2): `@id`, and arrays of values by IRIs. */
type ExpandedNode = Record<string, unknown>

interface JsonLdEvent {
  code: string
  details: { expandedProperty?: unknown }
}

/** Expands JSON-LD without fetching contexts. */
class Expander {
  readonly #options: Options.Expand
  /** Why a context was not fetched; for some, the message of jsonld gives another reason. */
  #refused: InputError | undefined

  constructor(
    private readonly file: string,
    base: string,
    onWrongIri: (iri: string, about: string) => void,
  ) {
    const documentLoader = (url: string) => {
      if (isJskosContext(url)) return Promise.resolve({ documentUrl: url, document: CONTEXT })
      this.#refused = new InputError(`the context ${url} is not fetched; put it into the file.`, file)
      return Promise.reject(this.#refused)
    }
    const eventHandler = ({ event: { code, details } }: { event: JsonLdEvent }) => {
      const { expandedProperty: property } = details
      // Other names are terms that the context does not have, which state nothing.
      if (code === 'invalid property' && typeof property === 'string' && /^[a-z][a-z\d+.-]*:\/\//i.test(property)) {
        onWrongIri(property, '_:')
      }
    }
    this.#options = { base, documentLoader, eventHandler } as Options.Expand
  }

  /** The nodes of items that share a context. @throws InputError with the place of a wrong item. */
  async expandItems(items: readonly JsonItem[], context: unknown): Promise<ExpandedNode[]> {
    const document = (nodes: unknown[]) => (context === undefined ? nodes : { '@context': context, '@graph': nodes })
    const terms = aliases({ '@context': context })
    const nodes = items.map(({ json, start }) => {
      const node = parseRecord(json, this.file, start)
      return json.includes('null') ? withoutNulls(node, terms) : node
    })
    try {
      return await this.expand(document(nodes))
    } catch (error) {
      for (const [at, node] of nodes.entries()) await this.expand(document([node]), items[at]!.start)
      throw error
    }
  }

  async expand(document: unknown, place?: Position): Promise<ExpandedNode[]> {
    const { default: jsonld } = await import('jsonld')
    try {
      return await jsonld.expand(document as JsonLdDocument, this.#options)
    } catch (error) {
      if (this.#refused) throw this.#refused
      throw error instanceof RangeError ? error : new InputError(messageOf(error), this.file, place)
    }
  }
}

const FIRST = factory.namedNode(`${RDF}first`)
const REST = factory.namedNode(`${RDF}rest`)
const NIL = factory.namedNode(`${RDF}nil`)
const TYPE = factory.namedNode(RDF_TYPE)

/**
 * Writes expanded JSON-LD as statements (JSON-LD 1.1 Processing Algorithms and API, section 8.1). IRIs stay as they
 * are.
 */
class StatementWriter {
  #quads: Quad[] = []

  constructor(private readonly file: string) {}

  /** The statements written since the last call. */
  take(): Quad[] {
    const quads = this.#quads
    this.#quads = []
    return quads
  }

  /**
   * Writes what a node states. Gives the node; undefined for one whose name is a keyword that JSON-LD does not have.
   */
  node(node: ExpandedNode, graph: Quad_Graph): Quad_Subject | undefined {
    if (node['@id'] === null) return undefined
    const subject = typeof node['@id'] === 'string' ? resource(node['@id']) : factory.blankNode()
    for (const [name, value] of Object.entries(node)) {
      const values = value as ExpandedNode[]
      if (name === '@type') {
        for (const type of value as string[]) this.#write(subject, TYPE, resource(type), graph)
      } else if (name === '@graph') {
        for (const inner of values) this.node(inner, subject as Quad_Graph)
      } else if (name === '@included') {
        for (const inner of values) this.node(inner, graph)
      } else if (name === '@reverse') {
        for (const [property, sources] of Object.entries(value as Record<string, ExpandedNode[]>)) {
          for (const source of sources) this.#write(this.node(source, graph), resource(property), subject, graph)
        }
      } else if (!name.startsWith('@')) {
        for (const item of values) this.#write(subject, resource(name), this.#object(item, graph), graph)
      }
    }
    return subject
  }

  #object(item: ExpandedNode, graph: Quad_Graph): Quad_Object | undefined {
    if ('@value' in item) {
      if (!Array.isArray(item['@type'])) return literalOf(item)
      throw new InputError(`@type of a value: expected one IRI, found ${JSON.stringify(item['@type'])}.`, this.file)
    }
    return '@list' in item ? this.#list(item['@list'] as ExpandedNode[], graph) : this.node(item, graph)
  }

  #list(items: ExpandedNode[], graph: Quad_Graph): Quad_Object {
    let rest: Quad_Object = NIL
    for (const item of items.toReversed()) {
      const cell = factory.blankNode()
      this.#write(cell, FIRST, this.#object(item, graph), graph)
      this.#write(cell, REST, rest, graph)
      rest = cell
    }
    return rest
  }

  #write(
    subject: Quad_Subject | undefined,
    predicate: Quad_Subject,
    object: Quad_Object | undefined,
    graph: Quad_Graph,
  ): void {
    // RDF has no blank nodes as predicates.
    if (!subject || !object || predicate.termType === 'BlankNode') return
    this.#quads.push(factory.quad(subject, predicate as Quad_Predicate, object, graph))
  }
}

function resource(id: string): Quad_Subject {
  return id.startsWith('_:') ? factory.blankNode(id.slice(2)) : factory.namedNode(id)
}

const DOUBLE = `${XSD}double`

/** The literal of a value object (section 8.2.2). A base direction is not part of it. */
function literalOf({ '@value': value, '@type': type, '@language': language }: ExpandedNode): Quad_Object {
  const typed = (lexical: string, datatype: string) =>
    factory.literal(lexical, factory.namedNode((type as string | undefined) ?? datatype))
  if (type === '@json') return factory.literal(canonicalJson(value), factory.namedNode(`${RDF}JSON`))
  if (typeof value === 'boolean') return typed(String(value), `${XSD}boolean`)
  if (typeof value === 'number') {
    const isDouble = type === DOUBLE || !Number.isInteger(value) || Math.abs(value) >= 1e21
    return isDouble
      ? typed(value.toExponential(15).replace(/(\d)0*e\+?/, '$1E'), DOUBLE)
      : typed(value.toFixed(0), `${XSD}integer`)
  }
  if (typeof type === 'string') return factory.literal(value as string, factory.namedNode(type))
  return language === undefined
    ? factory.literal(value as string)
    : factory.literal(value as string, language as string)
}
