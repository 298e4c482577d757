import { DataFactory } from 'n3'
import type { Literal, NamedNode, Quad, Quad_Object, Quad_Subject } from '@rdfjs/types'
import type { ContextDefinition } from 'jsonld'
import { RDF, SKOS, XSD } from '../namespaces.ts'
import { isAbsoluteIri, isLanguageTag } from '../sparql/terms.ts'
import { processContext } from './frame.ts'
import type { JskosRecord } from './record.ts'

/** How the context reads one property of a record. */
interface Property {
  predicate: NamedNode
  /** A language map, IRIs, one JSON value, or strings, booleans and nodes. */
  kind: 'language' | 'iri' | 'json' | 'value'
  /** Of its strings; plain unless the context says otherwise. */
  datatype: NamedNode | undefined
}

/** A context ready for use: what `compileContext` makes of it. */
export interface CompiledContext {
  '@context': ContextDefinition
  /** Term to property. */
  properties: ReadonlyMap<string, Property>
}

/** A node object (JSON-LD 1.1, section 9.2) in the terms of the context, without `@context`. */
export type LinkedNode = Record<string, unknown>

const DATE = `${XSD}date`
/** What a date without a month or without a day is (XML Schema Definition Language 1.1 Part 2, section 3.3). */
const PARTIAL_DATES: readonly [RegExp, string][] = [
  [/^-?\d{4,}$/, `${XSD}gYear`],
  [/^-?\d{4,}-\d\d$/, `${XSD}gYearMonth`],
]

/**
 * Reads a JSON-LD context once, so that records become triples without jsonld on the path of an answer.
 *
 * @throws Error naming the term that is not supported.
 */
export async function compileContext(context: { '@context': ContextDefinition }): Promise<CompiledContext> {
  const { mappings } = await processContext(context)
  const properties = new Map<string, Property>()
  for (const [name, mapping] of mappings) {
    if (mapping === null || mapping['@id'].startsWith('@')) continue
    if (mapping.reverse) throw new Error(`context: "${name}" is not supported`)
    const type = mapping['@type']
    properties.set(name, {
      predicate: DataFactory.namedNode(mapping['@id']),
      kind: mapping['@container']?.includes('@language')
        ? 'language'
        : type === '@id'
          ? 'iri'
          : type === '@json'
            ? 'json'
            : 'value',
      datatype: type && !type.startsWith('@') ? DataFactory.namedNode(type) : undefined,
    })
  }
  return { '@context': context['@context'], properties }
}

/**
 * A record as linked data: the same facts, in terms that the context knows.
 *
 * JSKOS says "there are some" by `null` and mappings by objects of their own; here the first is left out, and the second
 * are the SKOS properties that they stand for. What is no IRI names nothing, what is no language tag is no language, and
 * a date without a day is no xsd:date.
 *
 * @returns undefined for a record whose `uri` is no IRI.
 */
export function toLinkedData(context: CompiledContext, record: JskosRecord): LinkedNode | undefined {
  return typeof record['uri'] === 'string' && isAbsoluteIri(record['uri']) ? linkedNode(context, record) : undefined
}

function linkedNode(context: CompiledContext, record: JskosRecord): LinkedNode {
  const node: LinkedNode = {}
  for (const [name, value] of Object.entries(record)) {
    if (name === 'uri') {
      if (typeof value === 'string' && isAbsoluteIri(value)) node['uri'] = value
      continue
    }
    const property = context.properties.get(name)
    const linked =
      property && value !== null ? linkedValue(context, property, value as object | string | boolean) : undefined
    if (linked !== undefined) node[name] = linked
  }
  for (const [name, targets] of matches(record)) {
    if (context.properties.has(name)) node[name] = targets
  }
  return node
}

function linkedValue(context: CompiledContext, property: Property, value: object | string | boolean): unknown {
  if (property.kind === 'json') return value
  if (property.kind === 'language')
    return Object.fromEntries(Object.entries(value).filter(([tag]) => isLanguageTag(tag)))
  if (!Array.isArray(value)) return linkedItem(context, property, value)
  if (value.includes(null)) return undefined
  return value.flatMap((item) => {
    const linked = linkedItem(context, property, item)
    return linked === undefined ? [] : [linked]
  })
}

function linkedItem(context: CompiledContext, { kind, datatype }: Property, value: unknown): unknown {
  if (typeof value === 'object') {
    const node = linkedNode(context, value as JskosRecord)
    return Object.keys(node).length > 0 ? node : undefined
  }
  if (typeof value !== 'string') return value
  if (kind === 'iri') return isAbsoluteIri(value) ? value : undefined
  if (datatype?.value !== DATE) return value
  const partial = PARTIAL_DATES.find(([form]) => form.test(value))
  return partial ? { '@value': value, '@type': partial[1] } : value
}

/** The mappings of a record: `exactMatch` and its like, with the IRIs that they lead to. */
function matches({ mapping, mappings }: JskosRecord): Map<string, string[]> {
  const found = new Map<string, string[]>()
  const add = (type: unknown, to: unknown) => {
    if (typeof type !== 'string' || typeof to !== 'string' || !type.startsWith(SKOS) || !isAbsoluteIri(to)) return
    const name = type.slice(SKOS.length)
    const targets = found.get(name)
    if (!targets) found.set(name, [to])
    else if (!targets.includes(to)) targets.push(to)
  }
  for (const { type, to } of (mapping ?? []) as { type?: unknown; to?: unknown }[]) add(type, to)
  for (const { type, to } of (mappings ?? []) as { type?: unknown[]; to?: { memberSet?: { uri?: unknown }[] } }[]) {
    for (const member of to?.memberSet ?? []) add(type?.[0], member.uri)
  }
  return found
}

/**
 * The triples of a node: the same that `jsonld.toRDF` gives for it with the context, at a fraction of its time.
 *
 * The triples about the node itself come first, then those about each node in it.
 *
 * @param isWritten true for a node within this one whose triples need not be there again; blank nodes are not asked for.
 */
export function toQuads(
  context: CompiledContext,
  node: LinkedNode,
  isWritten: (node: LinkedNode) => boolean = () => false,
): Quad[] {
  const quads: Quad[] = []
  writeNode(context, node, subjectOf(node), quads, isWritten)
  return quads
}

function subjectOf(node: LinkedNode): Quad_Subject {
  return typeof node['uri'] === 'string' ? DataFactory.namedNode(node['uri']) : DataFactory.blankNode()
}

function writeNode(
  context: CompiledContext,
  node: LinkedNode,
  subject: Quad_Subject,
  quads: Quad[],
  isWritten: (node: LinkedNode) => boolean,
): void {
  const inner: [LinkedNode, Quad_Subject][] = []
  for (const [name, value] of Object.entries(node)) {
    const property = context.properties.get(name)
    if (!property) continue
    const add = (object: Quad_Object) => quads.push(DataFactory.quad(subject, property.predicate, object))
    if (property.kind === 'language') {
      for (const [language, texts] of Object.entries(value as Record<string, string | string[]>)) {
        for (const text of [texts].flat()) add(DataFactory.literal(text, language))
      }
    } else if (property.kind === 'json') {
      add(DataFactory.literal(canonicalJson(value), JSON_LITERAL))
    } else {
      for (const item of Array.isArray(value) ? (value as unknown[]) : [value]) {
        if (typeof item !== 'object' || item === null) add(literalOrIri(property, item))
        else if ('@value' in item) add(typedLiteral(item as { '@value': string; '@type': string }))
        else {
          const object = subjectOf(item as LinkedNode)
          add(object)
          inner.push([item as LinkedNode, object])
        }
      }
    }
  }
  for (const [other, object] of inner) {
    if (object.termType === 'BlankNode' || !isWritten(other)) writeNode(context, other, object, quads, isWritten)
  }
}

const JSON_LITERAL = DataFactory.namedNode(`${RDF}JSON`)
const BOOLEAN = DataFactory.namedNode(`${XSD}boolean`)

function literalOrIri({ kind, datatype }: Property, value: unknown): Literal | NamedNode {
  if (typeof value === 'boolean') return DataFactory.literal(String(value), BOOLEAN)
  if (kind === 'iri') return DataFactory.namedNode(String(value))
  return datatype ? DataFactory.literal(String(value), datatype) : DataFactory.literal(String(value))
}

function typedLiteral(value: { '@value': string; '@type': string }): Literal {
  return DataFactory.literal(value['@value'], DataFactory.namedNode(value['@type']))
}

/** The canonical form of a JSON value, which a JSON literal of RDF has (RFC 8785: no space, members sorted by name). */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  members.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`).join(',')}}`
}
