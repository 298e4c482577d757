import { textOrder } from './language.ts'
import { fieldsOf, isStructured, NOTES, type FieldName, type RecordKind } from '../../graph/jskos/fields.ts'
import { nameOf, type Item } from '../../graph/jskos/names.ts'
import {
  COLLECTIONS,
  CONCEPT,
  DC,
  DCT,
  FOAF,
  KINDS_OF_LINKS,
  RDF,
  RDF_TYPE,
  RDFS,
  SCHEMA,
  SKOS,
  SKOSXL,
  STATUS,
  UNDER_DEVELOPMENT,
} from '../../base/namespaces.ts'
import { readShape } from '../../graph/shapes/read.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { PageRequest } from './page-request.ts'
import type { PageResource } from './records.ts'

/** A property with its values. */
export interface PageStatement {
  property: Item & { uri: string }
  /** Its name with a prefix, such as `foaf:name`; undefined if no prefix is known. */
  prefixed: string | undefined
  /** As many as a page shows. */
  values: readonly ShownValue[]
  /** The number of all values. */
  count: number
}

/**
 * A value: a literal, something with a URI, or a blank node. Labels of SKOS-XL, notes that are resources, and blank
 * nodes have statements.
 */
export type ShownValue =
  | { literal: ObjectTerm }
  | { item: Item & { uri: string }; isConcept: boolean; statements: readonly PageStatement[] }
  | { statements: readonly PageStatement[] }

/** Values of a property that a page shows. */
const MOST_VALUES = 20
/** Values of a property of a blank node that a page shows. */
const BLANK_VALUES = 5
/** How many blank nodes lead from the resource to a statement, at most. */
const DEPTH = 3

/** Fields that no page shows in another form. */
const UNSHOWN_FIELDS = [
  'subjectOf',
  'versionOf',
  'basedOn',
  'media',
  'annotations',
  'rank',
  'tool',
  'issue',
  'issueTracker',
  'guidelines',
  'notationExamples',
  'types',
  'objectTypes',
  'depth',
  'hiddenLabel',
  'startDate',
  'endDate',
  'relatedDates',
  'startPlace',
  'endPlace',
  'location',
  'depiction',
  'status',
] as const

/** Fields of schemes and collections that no page shows in another form. */
const UNSHOWN_BESIDE_CONCEPTS = ['altLabel', 'place', 'replacedBy'] as const

/** Further fields that the pages of a kind show in no other form. */
const UNSHOWN: Readonly<Record<RecordKind, readonly FieldName[]>> = {
  concept: ['partOf'],
  scheme: [...UNSHOWN_BESIDE_CONCEPTS, 'namespace', 'uriPattern', 'notationPattern', 'extent', 'levels'],
  collection: [...UNSHOWN_BESIDE_CONCEPTS, 'partOf'],
}

/** Properties that pages show in another form: the hierarchy and mappings. */
const OTHERWISE = [
  ...['broaderTransitive', 'narrowerTransitive', 'topConceptOf', 'hasTopConcept'].map((name) => SKOS + name),
  ...['mappingRelation', 'exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'].map(
    (name) => SKOS + name,
  ),
  RDF_TYPE,
]
/** The members of a collection, which its page shows; those of a composed concept are statements. */
const MEMBERS = ['member', 'memberList'].map((name) => SKOS + name)

/** The properties that the pages of a kind of resource show. */
function shownOn(kind: RecordKind): string[] {
  const unshown: readonly string[] = [...UNSHOWN_FIELDS, ...UNSHOWN[kind]]
  const fields = fieldsOf(kind).filter((field) => !unshown.includes(field.name) && !isStructured(field))
  const properties = fields.flatMap(({ property }) => property ?? []).filter((property) => !MEMBERS.includes(property))
  return [...new Set([...properties, ...OTHERWISE, ...(kind === 'concept' ? [] : MEMBERS)])]
}

const SHOWN = { concept: shownOn('concept'), scheme: shownOn('scheme'), collection: shownOn('collection') } as const

/** Names of properties by IRI, and the prefixes of their namespaces. */
interface CommonProperties {
  names: ReadonlyMap<string, Record<string, string>>
  prefixes: readonly (readonly [namespace: string, prefix: string])[]
}

let cachedProperties: CommonProperties | undefined

function commonProperties(): CommonProperties {
  if (cachedProperties) return cachedProperties
  type Terms = Record<string, Record<string, string>>
  const namespaces = readShape<{ prefix: string; namespace: string; terms: Terms }[]>('property-labels.json')
  return (cachedProperties = {
    names: new Map(
      namespaces.flatMap(({ namespace, terms }) =>
        Object.entries(terms).map(([name, labels]) => [namespace + name, labels] as const),
      ),
    ),
    prefixes: namespaces.map(({ prefix, namespace }) => [namespace, prefix]),
  })
}

/**
 * The statements of graphs about a resource, by property. Statements that its page shows in another form are left out,
 * and so is bookkeeping.
 *
 * @param graphs of vocabularies and subsets.
 * @throws the errors of the store.
 */
export async function moreStatements(
  { dependencies: { client }, reading, signal }: Pick<PageRequest, 'dependencies' | 'reading' | 'signal'>,
  kind: RecordKind,
  resource: PageResource,
  graphs: readonly string[],
): Promise<PageStatement[]> {
  if (graphs.length === 0) return []
  const query = queryTemplate('describe/more').bind({
    terms: {
      c: [iri(resource.uri)],
      graph: graphs.map(iri),
      shown: SHOWN[kind].map(iri),
      note: [...NOTES].map(iri),
      text: RESOURCES_WITH_TEXT.map(iri),
    },
  })
  const graph = await client.construct(query, { signal })
  const node = graph.get(resource.uri)
  if (!node) return []
  const compare = textOrder(reading.page)
  const rank = ({ termType, language }: ObjectTerm) =>
    termType !== 'Literal' ? -1 : 1 + (reading.preferred.indexOf(language) + 1 || reading.preferred.length + 1)
  const inOrder = (a: ObjectTerm, b: ObjectTerm) => rank(a) - rank(b) || compare(a.value, b.value)
  const cut = (properties: NodeProperties, most: number): Cut =>
    new Map(
      [...properties].map(([uri, objects]) => [
        uri,
        { values: objects.sort(inOrder).slice(0, most), count: objects.length },
      ]),
    )
  const shownProperties = cut(withoutTexts(withoutShown(node, resource), graph), MOST_VALUES)
  graph.delete(resource.uri)
  // Of blank nodes, labels and notes.
  const inner = new Map(
    [...graph].map(([name, properties]) => [name, cut(withoutPlain(name, properties), BLANK_VALUES)]),
  )
  const uris = new Set<string>()
  const collect = (properties: Cut, depth: number) => {
    for (const [property, { values }] of properties) {
      uris.add(property)
      for (const { termType, value } of values) {
        if (termType === 'NamedNode') uris.add(value)
        if (termType === 'BlankNode' ? depth < DEPTH : depth === 0) collect(inner.get(value) ?? new Map(), depth + 1)
      }
    }
  }
  collect(shownProperties, 0)
  const named = [...uris].filter(isAbsoluteIri)
  const names = await readPropertyNames(client, named, signal)
  const name = (item: Item) => nameOf(item, reading.preferred)
  const toStatements = (properties: Cut, depth: number): PageStatement[] =>
    [...properties]
      .map(([uri, { values, count }]) => ({
        property: { uri, ...propertyLabel(uri, names) },
        prefixed: prefixedName(uri),
        values: values.flatMap((value) => toValue(value, depth)),
        count,
      }))
      .filter(({ values }) => values.length > 0)
      .sort((a, b) => compare(name(a.property), name(b.property)) || (a.property.uri < b.property.uri ? -1 : 1))
  const toValue = (term: ObjectTerm, depth: number): ShownValue[] => {
    const { termType, value } = term
    if (termType === 'Literal') return [{ literal: term }]
    const isShown = termType === 'NamedNode' ? depth === 0 : depth < DEPTH
    const statements = isShown ? toStatements(inner.get(value) ?? new Map(), depth + 1) : []
    if (termType === 'NamedNode') return [{ ...toItem(value, names.get(value)), statements }]
    return statements.length > 0 ? [{ statements }] : []
  }
  return toStatements(shownProperties, 0)
}

/**
 * Classes and names of anything, in the common terms for names.
 *
 * @throws the errors of the store.
 */
export async function readPropertyNames(
  client: SparqlClient,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<Graph> {
  if (uris.length === 0) return new Map()
  return client.construct(queryTemplate('describe/names').bind({ terms: { link: uris.map(iri) } }), { signal })
}

/** Properties with as many values as a page shows, and their number. */
type Cut = ReadonlyMap<string, { values: readonly ObjectTerm[]; count: number }>

/**
 * Leaves out literals that the record has in another property, such as a title that repeats the name, links with a
 * kind, and the status of proposals.
 */
function withoutShown(node: NodeProperties, { prefLabel, altLabel, ...resource }: PageResource): NodeProperties {
  const notes = [resource.definition, resource.scopeNote, resource.note].flatMap((map) => Object.values(map ?? {}))
  const shownTexts = new Set(
    [Object.values(prefLabel ?? {}), Object.values(altLabel ?? {}).flat(), notes.flat()].flat(),
  )
  const isNew = (property: string, { termType, value }: ObjectTerm) => {
    if (termType === 'Literal') return !(TEXTS.has(property) && shownTexts.has(value))
    // The kinds of links stand beside these.
    if (termType === 'NamedNode' && KINDS.has(property)) return false
    return !(property === STATUS && value === UNDER_DEVELOPMENT)
  }
  return withStatements(node, isNew)
}

/** The statements with a property and an object that count. */
function withStatements(
  node: NodeProperties,
  counts: (property: string, object: ObjectTerm) => boolean,
): NodeProperties {
  return new Map(
    [...node]
      .map(([property, objects]) => [property, objects.filter((object) => counts(property, object))] as const)
      .filter(([, objects]) => objects.length > 0),
  )
}

/** The statements of a blank node, or those of something with a URI beside its text, which is the name of a label. */
function withoutPlain(name: string, properties: NodeProperties): NodeProperties {
  if (name.startsWith('_:')) return properties
  return withStatements(
    properties,
    (property, { value }) =>
      property !== `${SKOSXL}literalForm` && !(property === RDF_TYPE && value === `${SKOSXL}Label`),
  )
}

/**
 * Leaves out labels of SKOS-XL that add nothing to the plain labels that loading has made of them, and notes whose text
 * the record has.
 */
function withoutTexts(node: NodeProperties, graph: Graph): NodeProperties {
  const isPlain = ({ termType, value }: ObjectTerm) =>
    termType === 'BlankNode' &&
    [...(graph.get(value)?.keys() ?? [])].every((property) => OF_PLAIN_LABELS.includes(property))
  const isText = ({ value }: ObjectTerm) => graph.get(value)?.has(`${RDF}value`) ?? false
  return withStatements(
    node,
    (property, object) => !(LABELS.includes(property) && isPlain(object)) && !(NOTES.has(property) && isText(object)),
  )
}

const LABELS = ['prefLabel', 'altLabel'].map((name) => SKOSXL + name)
/** Properties whose objects may be resources with the text. */
const RESOURCES_WITH_TEXT = [...LABELS, `${SKOSXL}hiddenLabel`, ...NOTES, `${DCT}description`]
const OF_PLAIN_LABELS: readonly string[] = [RDF_TYPE, `${SKOSXL}literalForm`]

const KINDS: ReadonlySet<string> = new Set(Object.values(KINDS_OF_LINKS))

/** Properties whose texts often are names or notes of the record. */
const TEXTS: ReadonlySet<string> = new Set([
  ...['title', 'alternative', 'description', 'abstract'].map((name) => DCT + name),
  ...['title', 'description'].map((name) => DC + name),
  ...['label', 'comment'].map((name) => RDFS + name),
  ...['name', 'description', 'alternateName'].map((name) => SCHEMA + name),
  `${FOAF}name`,
])

/** Properties that name something, the best first. */
const NAMING = [
  `${SKOS}prefLabel`,
  `${SKOSXL}literalForm`,
  `${RDFS}label`,
  `${FOAF}name`,
  `${SCHEMA}name`,
  `${DCT}title`,
]

function labelsIn(node: NodeProperties | undefined): Record<string, string> | undefined {
  for (const property of NAMING) {
    const texts = node?.get(property)?.filter(({ termType, value }) => termType === 'Literal' && value.trim() !== '')
    if (texts?.length) return Object.fromEntries(texts.map(({ language, value }) => [language || 'und', value]))
  }
  return undefined
}

/** The names among what `readPropertyNames` has read about something. */
export function namesOf(node: NodeProperties | undefined): Omit<Item, 'uri'> {
  const prefLabel = labelsIn(node)
  const notation = node?.get(`${SKOS}notation`)?.map(({ value }) => value)
  return { ...(prefLabel && { prefLabel }), ...(notation && { notation }) }
}

function toItem(uri: string, node: NodeProperties | undefined): { item: Item & { uri: string }; isConcept: boolean } {
  const classes = node?.get(RDF_TYPE)?.map(({ value }) => value) ?? []
  return {
    item: { uri, ...namesOf(node) },
    isConcept: classes.some(
      (classUri) => classUri === CONCEPT || (COLLECTIONS as readonly string[]).includes(classUri),
    ),
  }
}

/** The label of a property in the data, else in a well-known vocabulary. */
function propertyLabel(uri: string, names: Graph): { prefLabel?: Record<string, string> } {
  const prefLabel = labelsIn(names.get(uri)) ?? commonProperties().names.get(uri)
  return prefLabel ? { prefLabel } : {}
}

function prefixedName(uri: string): string | undefined {
  const { prefixes } = commonProperties()
  const [namespace, prefix] = prefixes.find(([start]) => uri.startsWith(start)) ?? []
  return namespace === undefined ? undefined : `${prefix}:${uri.slice(namespace.length)}`
}
