import { setImmediate } from 'node:timers/promises'
import type { JsonLdDocument } from 'jsonld'
import type { Quad } from '@rdfjs/types'
import type { Graph, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { parseJsonText } from '../../base/json.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { BOOKKEEPING, OWN, RDF, XSD } from '../../base/namespaces.ts'
import { isStrictIri, withoutDotSegments } from '../../graph/sparql/grammar.ts'
import { iri, literal, rdfTerm, type SparqlTerm, triple } from '../../graph/sparql/terms.ts'
import { FORMAT_CONTEXT, TERMS, type FormatConstants, type FormatTerm, type FormatTerms } from './shapes.ts'

/**
 * A data format description record (docs/endpoints.md, "Format records"). Everything but `id` is optional;
 * shapes/format.schema.json describes the values.
 */
export interface FormatRecord {
  id: string
  [property: string]: unknown
}

/** The IRI of the record with an id, whatever characters the id has. */
export function formatIri(id: string): string {
  return `${OWN}format:${encodeURIComponent(id)}`
}

/** A URI as it is stored: an IRI, or a literal if the store would change the IRI. */
export function uriTerm(uri: string): SparqlTerm {
  return survivesAsIri(uri) ? iri(uri) : literal(uri, { datatype: ANY_URI })
}

/** Stores accept different IRIs, and they resolve dot segments (RFC 3986, section 5.2.4). */
function survivesAsIri(uri: string): boolean {
  return isStrictIri(uri) && withoutDotSegments(uri) === uri
}

/**
 * The arrays of strings of a record by property, as one JSON object. RDF only has sets; this keeps the order, the
 * repetitions, and whether a single value came in an array.
 */
const ARRAYS = `${BOOKKEEPING}arrays`

const RDF_JSON = `${RDF}JSON`
const ANY_URI = `${XSD}anyURI`
const NUMBERS = new Set(['integer', 'decimal', 'double'].map((name) => XSD + name))

/** A document loader that refuses, because the service never fetches anything from elsewhere. */
const refuseRemoteDocuments = (url: string): Promise<never> =>
  Promise.reject(new Error(`remote JSON-LD document refused: ${url}`))

/** Records that are turned into RDF at a time; jsonld blocks the event loop for each group. */
const BATCH = 100

/**
 * The triples of records as rows of subject, predicate and object: those of the context (JSON-LD 1.1 API, toRdf), with
 * an IRI for every record and every schema, and ARRAYS. `@context` and `$schema` are left out.
 *
 * @param records records that have passed the check.
 */
export async function formatTriples(records: readonly FormatRecord[]): Promise<SparqlTerm[]> {
  // Needed when format records are loaded, and a tenth of what a start would load.
  const { default: jsonld } = await import('jsonld')
  const rows: SparqlTerm[] = []
  for (let start = 0; start < records.length; start += BATCH) {
    const graph = records.slice(start, start + BATCH).map(toJsonLd)
    const document = { '@context': FORMAT_CONTEXT['@context'], '@graph': graph } as JsonLdDocument
    const quads = (await jsonld.toRDF(document, { documentLoader: refuseRemoteDocuments })) as Quad[]
    for (const { subject, predicate, object } of quads) {
      rows.push(triple(rdfTerm(subject), rdfTerm(predicate), rdfTerm(object)))
    }
    await setImmediate()
  }
  return rows
}

function toJsonLd(record: FormatRecord): object {
  const node = formatNode(formatIri(record.id), record, TERMS)
  const arrays = Object.entries(record).filter(([, value]) => isArrayOfStrings(value))
  if (arrays.length > 0) node[ARRAYS] = jsonLiteral(Object.fromEntries(arrays))
  return node
}

function isArrayOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((member) => typeof member === 'string')
}

function formatNode(uri: string, properties: object, terms: FormatTerms): Record<string, unknown> {
  const node: Record<string, unknown> = { '@id': uri }
  for (const [name, value] of Object.entries(properties)) {
    const term = terms.get(name)
    // By its IRI: under the name of such a term, jsonld takes the whole object for the JSON.
    if (term?.type === '@json') node[term.iri] = jsonLiteral(value)
    else if (term) node[name] = toValue(uri, term, value)
  }
  return node
}

function toValue(uri: string, { name, type, terms }: FormatTerm, value: unknown): unknown {
  if (terms) return (value as object[]).map((object, index) => formatNode(`${uri}#${name}-${index + 1}`, object, terms))
  if (type === '@id' && !survivesAsIri(value as string)) return { '@value': value, '@type': ANY_URI }
  return value
}

/** jsonld would sort the keys and lose the key __proto__. */
function jsonLiteral(value: unknown): object {
  return { '@value': JSON.stringify(value), '@type': RDF_JSON }
}

/**
 * The records in a graph, in the code point order of their ids, with `@context` and `$schema`: the same as were loaded.
 * If the triples of a property and ARRAYS disagree, another program has changed the triples, and the triples count.
 *
 * @param graph all triples of the records and of their schemas.
 */
export function toRecords(graph: Graph, constants: FormatConstants): FormatRecord[] {
  const identifier = TERMS.get('id')!.iri
  const records: FormatRecord[] = []
  for (const [uri, properties] of graph) {
    const id = properties.get(identifier)?.[0]?.value
    if (id === undefined) continue
    const arrays = properties.get(ARRAYS)?.map(fromObject)[0] ?? {}
    records.push({ ...constants, id, ...fromNode(graph, uri, TERMS, arrays as Record<string, unknown>) })
  }
  return records.sort((a, b) => compareCodePoints(a.id, b.id))
}

function fromNode(
  graph: Graph,
  uri: string,
  terms: FormatTerms,
  arrays: Record<string, unknown> = {},
): Record<string, unknown> {
  const properties = graph.get(uri)
  const node: Record<string, unknown> = {}
  for (const { name, iri: predicate, isArray, terms: nested } of terms.values()) {
    const objects = properties?.get(predicate) ?? []
    const values = nested
      ? sortedValues(objects).map(({ value }) => fromNode(graph, value, nested))
      : objects.map(fromObject)
    const array = arrays[name]
    if (isArrayOfStrings(array) && haveSameMembers(array, values)) node[name] = array
    else if (isArray && values.length > 0) node[name] = values
    else if (values.length > 0) node[name] = values.length > 1 ? values : values[0]
  }
  return node
}

function fromObject({ termType, value, datatype }: ObjectTerm): unknown {
  if (termType !== 'Literal') return value
  if (NUMBERS.has(datatype)) return Number(value)
  if (datatype !== RDF_JSON) return value
  const parsed = parseJsonText(value)
  return parsed === undefined ? value : parsed
}

/** Sorted by the number at the end of IRIs that are equal otherwise. */
function sortedValues(objects: readonly ObjectTerm[]): ObjectTerm[] {
  return [...objects].sort((a, b) => a.value.length - b.value.length || compareCodePoints(a.value, b.value))
}

function haveSameMembers(a: readonly unknown[], b: readonly unknown[]): boolean {
  const members = new Set(a)
  return members.size === new Set(b).size && b.every((member) => members.has(member))
}
