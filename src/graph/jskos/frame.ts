import { KINDS_OF_LINKS, NAMING, RDF, RDF_TYPE, SKOSXL } from '../../base/namespaces.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { containerOf } from './context.ts'
import { FIELD, FIELDS, fieldsOf, isIri, holdsLinks, isStructured, type Field, type ObjectKind } from './fields.ts'
import { memoize } from './memoize.ts'
import { compareCodePoints } from './order.ts'

/** A value of a framed node: a string, an embedded node, or a map from language tag to strings. */
export type FramedValue = string | FramedNode | Record<string, string[]>
/** A node with a member for each field of the table. Sets are arrays, as is any other field with several values. */
export interface FramedNode {
  /** Blank nodes have none. */
  uri?: string
  [field: string]: FramedValue | FramedValue[] | undefined
}
export type FramedResource = FramedNode & { uri: string }

/** How the objects of a property become values. */
interface FrameTerm {
  name: string
  container: ReturnType<typeof containerOf>
  /** True: a node is embedded with its name. False: only its IRI is given. */
  embeds: boolean
  /** True: a node is a string, its IRI. */
  iri: boolean
  /** True: the values are texts with their languages, as objects. */
  literal: boolean
  /** The kind of the nodes if the graph of objects describes them; undefined for values without fields. */
  holds: ObjectKind | undefined
  /** The term of JSON literals, if there is another one for these. */
  json?: FrameTerm
}

type FrameTerms = ReadonlyMap<string, FrameTerm>

/** The terms of fields by property. */
function frameTerms(fields: readonly Field[]): FrameTerms {
  const terms = new Map<string, FrameTerm>()
  for (const field of fields) {
    const { name, kind, property, holds } = field
    if (property === undefined) continue
    const term: FrameTerm = {
      name,
      container: containerOf(field),
      embeds: holdsLinks(field) || kind === 'item',
      iri: isIri(field),
      literal: kind === 'literal',
      holds: holds ?? (kind === 'items' || kind === 'item' ? 'item' : undefined),
    }
    const other = terms.get(property)
    if (other && kind === 'jsons') other.json = term
    else if (!other) terms.set(property, term)
  }
  return terms
}

/** The terms of records, but for values that only a graph of objects has. */
const RECORD = frameTerms(FIELDS.filter((field) => !isStructured(field)))
/** The terms of records whose values a graph of objects describes, and those of objects by their kind. */
const DESCRIBED: FrameTerms = new Map(
  [...frameTerms(FIELDS)].filter(([, { holds, container }]) => holds !== undefined || container === '@list'),
)
const termsOfObject = memoize((kind: ObjectKind | 'concept') => frameTerms(fieldsOf(kind)), new Map())
/** The terms of records whose values are concepts; a graph of objects describes those without a URI. */
const NEIGHBOURS: FrameTerms = frameTerms(FIELDS.filter(({ kind }) => kind === 'concepts'))
/** The terms of nodes within a record. */
const EMBEDDED: FrameTerms = frameTerms(['prefLabel', 'notation', 'depth'].map((name) => FIELD.get(name)!))

/** Frames the nodes of a graph. */
export interface Framing {
  /** A resource; undefined if the graph has no triples about it. */
  (subject: string): FramedResource | undefined
  /** The node as records name it, with label and notation: one object, however many records name it. */
  named: (subject: string) => FramedNode
}

/** The member of framed nodes with the labels that their labels are related to, by these relations. */
export const LABEL_RELATIONS = 'labelRelations'

/** The properties that lead from the node of a qualified statement to its value. */
const OBJECT_OF_STATEMENT = `${RDF}object`
const LITERAL_FORM = `${SKOSXL}literalForm`

/** The field of a qualified statement by its node; undefined for any other node. */
function qualifiedField(node: NodeProperties | undefined): Field | undefined {
  if (node?.has(LITERAL_FORM)) return FIELD.get('qualifiedLiterals')
  const objects = node?.get(OBJECT_OF_STATEMENT)
  if (!objects) return undefined
  return FIELD.get(objects.some(({ termType }) => termType === 'Literal') ? 'qualifiedDates' : 'qualifiedRelations')
}

/**
 * Frames the nodes of a graph by the table of fields. The result is that of `jsonld.frame` (JSON-LD 1.1 Framing), which
 * costs twenty times as much; but literals are their text, untagged texts of language maps are under `und`, and blank
 * nodes have no id, because JSKOS knows neither.
 *
 * @param objects what the store says about the objects within records (queries/describe/objects.rq), which is more than
 *   their names.
 */
export function frameNodes(graph: Graph, objects?: Graph): Framing {
  const frame = <Node extends FramedNode>(
    node: Node,
    terms: FrameTerms,
    properties: NodeProperties | undefined,
    valueOf = value,
    lists = graph,
  ): Node => {
    if (!properties) return node
    const fields: FramedNode = node
    for (const [property, all] of properties) {
      const term = terms.get(property)
      if (!term) continue
      let objects = all
      if (term.json && all.some(isJsonLiteral)) {
        fields[term.json.name] = all.filter(isJsonLiteral).map((object) => object.value)
        objects = all.filter((object) => !isJsonLiteral(object))
        if (objects.length === 0) continue
      }
      if (term.container === '@language') {
        const map = frameLanguageMap(objects)
        if (map) fields[term.name] = map
      } else if (term.container === '@list') {
        fields[term.name] = objects
          .toSorted(byValue)
          .flatMap((head) => listIn(lists, head))
          .map((object) => valueOf(term, object))
      } else {
        const values = objects.map((object) => valueOf(term, object))
        fields[term.name] = term.container === '@set' || values.length > 1 ? values : values[0]
      }
    }
    return node
  }
  const named: Framing['named'] = memoize((subject: string) => {
    return frame(emptyNode(subject), EMBEDDED, graph.get(subject))
  }, new Map())
  const value = ({ iri, embeds }: FrameTerm, object: ObjectTerm): FramedValue => {
    if (object.termType === 'Literal') return object.value
    if (iri && object.termType === 'NamedNode') return object.value
    if (embeds) return named(object.value)
    return object.termType === 'NamedNode' ? { uri: object.value } : {}
  }

  /** A value with the fields that the graph of objects has for it. */
  const described = (term: FrameTerm, object: ObjectTerm): FramedValue => {
    if (term.literal) return { string: object.value, language: object.language }
    if (object.termType === 'Literal' || term.iri) return value(term, object)
    // Concepts without a URI have no record of their own.
    if (term.holds === undefined && object.termType === 'BlankNode') return objectNode('concept', object.value)
    // Only what has a record of its own has a class in the graph.
    const isRecord = term.holds === undefined || graph.get(object.value)?.has(RDF_TYPE)
    if (isRecord) return frame(emptyNode(object.value), EMBEDDED, objects!.get(object.value))
    return objectNode(term.holds!, object.value)
  }
  // A node may lead back to itself.
  const open = new Set<string>()
  const objectNode = (kind: ObjectKind | 'concept', subject: string): FramedNode => {
    const node = emptyNode(subject)
    if (open.has(subject)) return node
    open.add(subject)
    addObjects(node, termsOfObject(kind), objects!.get(subject))
    open.delete(subject)
    return node
  }
  const addObjects = (node: FramedNode, terms: FrameTerms, properties: NodeProperties | undefined) => {
    const plain: NodeProperties = new Map()
    const roles = rolesOf(properties)
    for (const [property, all] of properties ?? []) {
      const kept: ObjectTerm[] = []
      for (const object of all) {
        const field = object.termType === 'Literal' ? undefined : qualifiedField(objects!.get(object.value))
        if (field) addStatement(node, field.name, property, objectNode(field.holds!, object.value))
        else if (roles?.has(property))
          addStatement(node, ROLES.name, property, described(MEMBER_TERM, object) as FramedNode)
        else kept.push(object)
      }
      if (kept.length > 0) plain.set(property, kept)
    }
    frame(node, terms, plain, described, objects)
    if (roles) delete node['memberSet']
  }

  /**
   * A concept that another concept names: without a record of its own, all that the graphs state about it. Without a
   * name it is no more than its URI, since a load adds links to what a file only mentions.
   */
  const neighbour = (object: ObjectTerm): FramedValue => {
    const { termType, value } = object
    if (termType === 'Literal') return value
    const properties = objects!.get(value)
    const isDescribed = properties !== undefined && [...NAMING].some((property) => properties.has(property))
    return isDescribed && !graph.get(value)?.has(RDF_TYPE) ? objectNode('concept', value) : named(value)
  }

  const isLabel = ({ termType, value: label }: ObjectTerm) =>
    termType !== 'Literal' && (objects!.get(label)?.has(LITERAL_FORM) ?? false)
  /** Adds the labels that the labels of a resource are related to, by these relations. */
  const addLabelRelations = (node: FramedNode, properties: NodeProperties | undefined) => {
    const labels = new Set(
      [...(properties?.values() ?? [])]
        .flat()
        .filter(isLabel)
        .map(({ value: label }) => label),
    )
    for (const label of labels) {
      for (const [property, all] of objects!.get(label)!) {
        for (const other of all.filter(isLabel)) {
          addStatement(node, LABEL_RELATIONS, property, objectNode('literal', other.value))
        }
      }
    }
  }

  const framed = (subject: string) => {
    const properties = graph.get(subject)
    if (!properties) return undefined
    const node: FramedResource = frame({ uri: subject }, RECORD, properties)
    for (const property of Object.values(KINDS_OF_LINKS)) {
      for (const { termType, value: target } of properties.get(property) ?? []) {
        if (termType !== 'NamedNode' || target === subject) continue
        addStatement(node, 'qualifiedRelations', property, { resource: named(target) })
      }
    }
    if (!objects) return node
    for (const [property, { name }] of NEIGHBOURS) {
      const all = properties.get(property)
      if (!all || node[name] === undefined) continue
      const blank =
        objects
          .get(subject)
          ?.get(property)
          ?.filter(({ termType }) => termType === 'BlankNode') ?? []
      const withUri = all.filter(({ termType }) => termType !== 'BlankNode')
      node[name] = [...withUri.map(neighbour), ...blank.map(({ value }) => objectNode('concept', value))]
    }
    addObjects(node, DESCRIBED, objects.get(subject))
    addLabelRelations(node, objects.get(subject))
    return node
  }
  return Object.assign(framed, { named })
}

/** A node to fill. Blank nodes have no URI. */
function emptyNode(subject: string): FramedNode {
  return subject.startsWith('_:') ? {} : { uri: subject }
}

const ROLES = FIELD.get('memberRoles')!
const MEMBER = FIELD.get('memberSet')!.property!
const MEMBER_TERM = NEIGHBOURS.get(MEMBER)!
const NAMED_PROPERTIES: ReadonlySet<string> = new Set(FIELDS.flatMap(({ property }) => property ?? []))

/**
 * The roles of the members of a node: the properties without a field that lead to nothing but members. Undefined if a
 * member has no role, for a node has either roles or a set of members.
 */
function rolesOf(properties: NodeProperties | undefined): ReadonlySet<string> | undefined {
  const members = properties?.get(MEMBER)
  if (!properties || !members || properties.size < 2) return undefined
  const values = new Set(members.map(({ value }) => value))
  const roles = [...properties].filter(
    ([property, all]) => !NAMED_PROPERTIES.has(property) && all.every(({ value }) => values.has(value)),
  )
  const inRoles = new Set(roles.flatMap(([, all]) => all.map(({ value }) => value)))
  return inRoles.size === values.size ? new Set(roles.map(([property]) => property)) : undefined
}

function addStatement(node: FramedNode, name: string, property: string, statement: FramedNode): void {
  const map = (node[name] ??= {}) as Record<string, FramedValue[]>
  ;(map[property] ??= []).push(statement)
}

function isJsonLiteral({ datatype }: ObjectTerm): boolean {
  return datatype === `${RDF}JSON`
}

const byValue = (a: ObjectTerm, b: ObjectTerm) => compareCodePoints(a.value, b.value)

/**
 * The members of an RDF collection (RDF Schema 1.1, section 5.2), up to the end or the first node for the second time.
 * A resource that is no collection stands for itself.
 */
function listIn(graph: Graph, head: ObjectTerm): ObjectTerm[] {
  const about = graph.get(head.value)
  // A cell may have no member that the request shows.
  const isCell = about?.has(`${RDF}first`) || about?.has(`${RDF}rest`) || head.value === `${RDF}nil`
  if (about && !isCell) return [head]
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

function frameLanguageMap(objects: ObjectTerm[]): Record<string, string[]> | undefined {
  const map = new LanguageMap()
  let empty = true
  for (const { termType, language, value } of objects) {
    if (termType !== 'Literal') continue
    ;(map[language || 'und'] ??= []).push(value)
    empty = false
  }
  return empty ? undefined : map
}
