import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { FIELDS, isIri, isLanguageMap, isLink, isSet } from './fields.ts'

/** A value as a frame writes it: a string, an embedded node, or a map from language tag to strings. */
export type FramedValue = string | FramedNode | Record<string, string[]>
/** A node in the words of the table of fields: one member a field. Sets are arrays; so is any other field with several values. */
export interface FramedNode {
  [field: string]: FramedValue | FramedValue[] | undefined
}

/** How the objects of a property become values. */
interface Term {
  name: string
  container: 'language' | 'set' | 'none'
  /** A node is embedded with what is shown of it; else it is given by its IRI alone. */
  embeds: boolean
  /** A node is a string, its IRI. */
  iri: boolean
}

/** What a record shows, by property. */
const RECORD: ReadonlyMap<string, Term> = new Map(
  FIELDS.flatMap((field) => {
    if (!field.property) return []
    const container = isLanguageMap(field) ? 'language' : isSet(field) ? 'set' : 'none'
    return [[field.property, { name: field.name, container, embeds: isLink(field), iri: isIri(field) } as const]]
  }),
)
/** What is shown of a node within a record. */
const EMBEDDED: ReadonlyMap<string, Term> = new Map(
  [...RECORD].filter(([, { name }]) => name === 'prefLabel' || name === 'notation'),
)

/** One node of a graph in the form of a frame; undefined where the graph says nothing of the node. */
export type Framing = (subject: string) => FramedNode | undefined

/**
 * Nodes of a graph as the table of fields has them: what `jsonld.frame` (JSON-LD 1.1 Framing) gives for them at twenty times
 * the cost, with literals as their text, untagged texts of language maps under `und`, and blank nodes without an id (JSKOS
 * knows neither).
 *
 * What many nodes name, their vocabulary above all, is embedded as one object, framed once.
 */
export function frameNodes(graph: Graph): Framing {
  const embedded = new Map<string, FramedNode>()

  const frame = (terms: ReadonlyMap<string, Term>, subject: string, properties: NodeProperties | undefined) => {
    const node: FramedNode = {}
    if (!subject.startsWith('_:')) node['uri'] = subject
    if (!properties) return node
    for (const [property, objects] of properties) {
      const term = terms.get(property)
      if (!term) continue
      if (term.container === 'language') {
        const map = languageMap(objects)
        if (map) node[term.name] = map
      } else {
        const values = objects.map((object) => value(term, object))
        node[term.name] = term.container === 'set' || values.length > 1 ? values : values[0]
      }
    }
    return node
  }
  const embed = (subject: string): FramedNode => {
    let node = embedded.get(subject)
    if (!node) embedded.set(subject, (node = frame(EMBEDDED, subject, graph.get(subject))))
    return node
  }
  const value = ({ iri, embeds }: Term, object: ObjectTerm): FramedValue => {
    if (object.termType === 'Literal') return object.value
    if (iri && object.termType === 'NamedNode') return object.value
    if (embeds) return embed(object.value)
    return object.termType === 'NamedNode' ? { uri: object.value } : {}
  }

  return (subject) => {
    const properties = graph.get(subject)
    return properties && frame(RECORD, subject, properties)
  }
}

/**
 * Inherits nothing, because Turtle allows "constructor" as a language tag. Object.create(null) would do as well, but such an
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
