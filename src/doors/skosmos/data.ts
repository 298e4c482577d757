import { ApiError } from '../../base/errors.ts'
import { EXPORT_FORMATS } from '../export/export.ts'
import { describedSource, hasUnknownBlankNodes, readResource, withoutNotes } from '../export/resource.ts'
import { acceptedMediaTypes } from '../../interface/http/headers.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { RDFS, SKOS, RDF_TYPE, STRING } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { askEndpoint } from '../../routes.ts'
import {
  badRequest,
  graphOf,
  noConcept,
  SkosmosError,
  type SkosmosAnswer,
  type SkosmosRequest,
  type VocabularyRequest,
} from './request.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { contexts } from './contexts.ts'

/** The media types of `data`, the first of which answers a request that accepts any. */
const FORMATS = ['application/rdf+xml', 'text/turtle', 'application/ld+json', 'application/json']

/**
 * The media types that a request takes, the best first. @throws SkosmosError 400 for an unknown `format`; 406 if it
 * accepts none.
 */
function chooseFormats({ parameters, http }: SkosmosRequest): [string, ...string[]] {
  const supported = `Unsupported format. Supported MIME types are: ${FORMATS.join(' ')}`
  // A plus sign that is not encoded arrives as a space.
  const format = parameters.get('format')?.replace(' ', '+')
  if (format !== undefined) {
    if (!FORMATS.includes(format)) throw badRequest(supported)
    return [format]
  }
  const [accepted, ...otherMediaTypes] = acceptedMediaTypes(http.headers.accept, FORMATS)
  if (accepted === undefined) throw new SkosmosError(406, 'Not Acceptable', supported)
  return [accepted, ...otherMediaTypes]
}

/** `data`: all about one concept or other resource; of a vocabulary without `uri` the address of the whole. */
export async function resourceData(request: SkosmosRequest | VocabularyRequest): Promise<SkosmosAnswer> {
  const uri = request.parameters.get('uri')
  const vocabulary = 'vocabulary' in request ? request.vocabulary : undefined
  if (uri === undefined && vocabulary === undefined) throw badRequest('uri parameter missing')
  const [mediaType, ...otherMediaTypes] = chooseFormats(request)
  if (uri === undefined) {
    const isJson = mediaType === 'application/json'
    const [format] = EXPORT_FORMATS.find(
      (exportFormat) => exportFormat.mediaType === (isJson ? 'application/ld+json' : mediaType),
    )!.formats
    const { baseUrl } = request.dependencies.config
    const id = encodeURIComponent(vocabulary!.ids[0]!)
    return { location: baseUrl + withQuery(`voc/${id}/export`, { format }), status: 302 }
  }
  const graph = await graphWith(request, uri)
  if (graph === undefined) throw noConcept()
  const description = await described(request, graph, uri)
  return written(description, mediaType).catch((error: unknown) => {
    // RDF/XML cannot name every property; a client that takes others gets the next.
    const [next] = otherMediaTypes
    if (next === undefined || !(error instanceof ApiError)) throw error
    return written(description, next)
  })
}

/** A graph in a format. @throws ApiError MalformedRequestError if RDF/XML has no name for a property. */
async function written(graph: Graph, mediaType: string): Promise<SkosmosAnswer> {
  if (mediaType.endsWith('json')) return { text: JSON.stringify(compacted(graph)), mediaType }
  const { write } = EXPORT_FORMATS.find((exportFormat) => exportFormat.mediaType === mediaType)!
  let text = ''
  for await (const part of write({ ...describedSource(Promise.resolve(graph)), records: noRecords }))
    text += String(part)
  return { text, mediaType }
}

/**
 * The name of the graph of a concept or vocabulary; undefined if no vocabulary contains it, or if the subset of the
 * request lacks it.
 */
async function graphWith(request: SkosmosRequest | VocabularyRequest, uri: string): Promise<string | undefined> {
  const { uri: voc, isSubset } = 'vocabulary' in request ? request.vocabulary : {}
  if (voc !== undefined && (!isSubset || uri === voc)) return voc
  if (!isAbsoluteIri(uri)) return undefined
  const { records } = await askEndpoint(request, '/data', { uri, properties: 'inScheme', voc })
  if ('vocabulary' in request) return records.length > 0 ? graphOf(request) : undefined
  const schemes = records.flatMap((record) => [record.uri, ...(record.inScheme ?? []).map((scheme) => scheme.uri)])
  const vocabularies = await request.dependencies.registry.list()
  return vocabularies.find((vocabulary) => !vocabulary.isSubset && schemes.includes(vocabulary.uri))?.uri
}

/** RDF has none. */
const noRecords = () => {
  throw new Error('RDF has no records')
}

/**
 * The statements that have a concept as subject or object, as JSON-LD with the terms of Skosmos. @throws SkosmosError
 * 404.
 */
export async function conceptJsonLd(request: SkosmosRequest, graph: string, uri: string): Promise<string> {
  return JSON.stringify(compacted(await described(request, graph, uri)))
}

/**
 * The statements that have a resource as subject or object, and the names of the other resources in them. @throws
 * SkosmosError 404.
 */
async function described(request: SkosmosRequest, graph: string, uri: string): Promise<Graph> {
  if (!isAbsoluteIri(uri)) throw noConcept()
  const { dependencies, signal } = request
  const query = queryTemplate('skosmos/data').bind({ terms: { graph: [iri(graph)], c: [iri(uri)] } })
  const description = withoutNotes(await dependencies.client.construct(query, { signal }))
  if (hasUnknownBlankNodes(description)) {
    // A blank node label is valid within one answer only, so read the whole resource again in one answer.
    for (const [name, node] of await readResource(dependencies, graph, uri, signal)) description.set(name, node)
  }
  const scheme = description.get(graph)
  if (scheme && graph !== uri) withoutLoaded(scheme)
  const nodes = [...description].filter(([, node]) => node.size > 0)
  if (nodes.length === 0) throw noConcept()
  // The resource comes first.
  return new Map([...nodes.filter(([name]) => name === uri), ...nodes])
}

/**
 * Removes from a concept scheme that is only mentioned what loading adds: its id as a notation, and a name that repeats
 * its label.
 */
function withoutLoaded(scheme: NodeProperties): void {
  scheme.delete(`${SKOS}notation`)
  const labels = scheme.get(`${RDFS}label`) ?? []
  const isLabel = ({ value, language }: ObjectTerm) =>
    labels.some((label) => label.value === value && label.language === language)
  const names = (scheme.get(`${SKOS}prefLabel`) ?? []).filter((name) => !isLabel(name))
  if (names.length > 0) scheme.set(`${SKOS}prefLabel`, names)
  else scheme.delete(`${SKOS}prefLabel`)
}

/** The names of properties in the context of `data`, and its prefixes, each with its namespace. */
const TERMS = new Map<string, string>()
const PREFIXES: [prefix: string, beginning: string][] = []
for (const [term, meaning] of Object.entries(contexts.data)) {
  if (/[#/]$/.test(meaning)) PREFIXES.push([term, meaning])
}
for (const [term, meaning] of Object.entries(contexts.data)) {
  const [prefix, beginning] = PREFIXES.find(([name]) => meaning.startsWith(`${name}:`)) ?? []
  if (prefix !== undefined) TERMS.set(beginning + meaning.slice(prefix.length + 1), term)
}

type JsonLdValue = string | { uri: string } | { lang: string; value: string } | { type: string; value: string }

/**
 * A graph as JSON-LD with the context of `data`: nodes and their properties in the order of their IRIs.
 *
 * The context is always the same and coerces no value, so this is all that compaction has to do (JSON-LD 1.1 API,
 * section 5.6). A processor takes ten times as long. Lists stay chains of blank nodes, as Skosmos sends them.
 */
function compacted(graph: Graph): object {
  const nodes = [...graph].filter(([, node]) => node.size > 0).sort(([a], [b]) => compareCodePoints(a, b))
  return {
    '@context': contexts.data,
    graph: nodes.map(([name, node]) => {
      const properties = [...node].filter(([property]) => property !== RDF_TYPE)
      properties.sort(([a], [b]) => compareCodePoints(a, b))
      const types = (node.get(RDF_TYPE) ?? []).map(({ value }) => compactIri(value)).sort(compareCodePoints)
      return {
        uri: compactIri(name),
        ...(types.length > 0 ? { type: alone(types) } : {}),
        ...Object.fromEntries(
          properties.map(([property, objects]) => [
            TERMS.get(property) ?? compactIri(property),
            alone(objects.map(compactValue)),
          ]),
        ),
      }
    }),
  }
}

/** A single value stands without brackets. */
function alone<One>(values: readonly One[]): One | readonly One[] {
  return values.length === 1 ? values[0]! : values
}

function compactIri(iri: string): string {
  for (const [prefix, beginning] of PREFIXES) {
    if (iri.length > beginning.length && iri.startsWith(beginning)) return `${prefix}:${iri.slice(beginning.length)}`
  }
  return iri
}

function compactValue({ termType, value, language, datatype }: ObjectTerm): JsonLdValue {
  if (termType !== 'Literal') return { uri: compactIri(value) }
  if (language !== '') return { lang: language, value }
  return datatype === '' || datatype === STRING ? value : { type: compactIri(datatype), value }
}
