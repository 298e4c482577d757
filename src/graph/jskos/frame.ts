import { RDF } from '../../base/namespaces.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { containerOf, FIELDS, isIri, isLink } from './fields.ts'
import { memoize } from './memoize.ts'

/** A value of a framed node: a string, an embedded node, or a map from language tag to strings. */
export type FramedValue = string | FramedNode | Record<string, string[]>
/** A node with a member for each field of the table. Sets are arrays, as is any other field with several values. */
export interface FramedNode {
  /** Blank nodes have none. */
  uri?: string
  [field: string]: FramedValue | FramedValue[] | undefined
}
export type FramedResource = FramedNode & { uri: string }

/** The way from the objects of a property to values. */
interface FrameTerm {
  name: string
  container: ReturnType<typeof containerOf>
  /** True: a node is embedded with its name. False: only its IRI is given. */
  embeds: boolean
  /** True: a node is a string, its IRI. */
  iri: boolean
}

/** The terms of records by property. */
const RECORD: ReadonlyMap<string, FrameTerm> = new Map(
  FIELDS.flatMap((field) => {
    if (!field.property) return []
    const container = containerOf(field)
    return [[field.property, { name: field.name, container, embeds: isLink(field), iri: isIri(field) } as const]]
  }),
)
/** The terms of nodes within a record. */
const EMBEDDED: ReadonlyMap<string, FrameTerm> = new Map(
  [...RECORD].filter(([, { name }]) => name === 'prefLabel' || name === 'notation'),
)

/** Frames the nodes of a graph. */
export interface Framing {
  /** A resource; undefined if the graph has no triples about it. */
  (subject: string): FramedResource | undefined
  /** The node as records name it, with label and notation: one object, however many records name it. */
  named: (subject: string) => FramedNode
}

/**
 * Frames the nodes of a graph by the table of fields. The result is that of `jsonld.frame` (JSON-LD 1.1 Framing), which
 * costs twenty times as much; but literals are their text, untagged texts of language maps are under `und`, and blank
 * nodes have no id, because JSKOS knows neither.
 */
export function frameNodes(graph: Graph): Framing {
  const frame = <Node extends FramedNode>(
    node: Node,
    terms: ReadonlyMap<string, FrameTerm>,
    properties: NodeProperties | undefined,
  ): Node => {
    if (!properties) return node
    const fields: FramedNode = node
    for (const [property, objects] of properties) {
      const term = terms.get(property)
      if (!term) continue
      if (term.container === '@language') {
        const map = languageMap(objects)
        if (map) fields[term.name] = map
      } else if (term.container === '@list') {
        fields[term.name] = objects.flatMap((head) => listIn(graph, head)).map((object) => value(term, object))
      } else {
        const values = objects.map((object) => value(term, object))
        fields[term.name] = term.container === '@set' || values.length > 1 ? values : values[0]
      }
    }
    return node
  }
  const named: Framing['named'] = memoize((subject: string) => {
    const node: FramedNode = subject.startsWith('_:') ? {} : { uri: subject }
    return frame(node, EMBEDDED, graph.get(subject))
  }, new Map())
  const value = ({ iri, embeds }: FrameTerm, object: ObjectTerm): FramedValue => {
    if (object.termType === 'Literal') return object.value
    if (iri && object.termType === 'NamedNode') return object.value
    if (embeds) return named(object.value)
    return object.termType === 'NamedNode' ? { uri: object.value } : {}
  }

  const framed = (subject: string) => {
    const properties = graph.get(subject)
    return properties && frame({ uri: subject }, RECORD, properties)
  }
  return Object.assign(framed, { named })
}

/**
 * The members of an RDF collection (RDF Schema 1.1, section 5.2), up to the end or the first node for the second time.
 */
function listIn(graph: Graph, head: ObjectTerm): ObjectTerm[] {
  const members: ObjectTerm[] = []
  const seen = new Set<string>()
  for (let node: string | undefined = head.value; node !== undefined && !seen.has(node);) {
    seen.add(node)
    const cell: NodeProperties | undefined = graph.get(node)
    members.push(...(cell?.get(`${RDF}first`)?.slice(0, 1) ?? []))
    node = cell?.get(`${RDF}rest`)?.[0]?.value
  }
  return members
}

/**
 * Inherits nothing, because Turtle allows "constructor" as a language tag. Object.create(null) would do, but such an
 * object takes longer to fill and to write.
 */
const LanguageMap = function () {} as unknown as { new (): Record<string, string[]>; prototype: object }
LanguageMap.prototype = Object.create(null) as object

function languageMap(objects: ObjectTerm[]): Record<string, string[]> | undefined {
  const map = new LanguageMap()
  let empty = true
  for (const { termType, language, value } of objects) {
    if (termType !== 'Literal') continue
    ;(map[language || 'und'] ??= []).push(value)
    empty = false
  }
  return empty ? undefined : map
}
