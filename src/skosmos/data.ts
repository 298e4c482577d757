import { ApiError } from '../errors.ts'
import { EXPORT_FORMATS } from '../export/export.ts'
import { describedSource, hasUnknownBlankNodes, readResource, withoutNotes } from '../export/resource.ts'
import { acceptedMediaTypes } from '../http/accept-header.ts'
import { withQuery } from '../http/addresses.ts'
import { RDFS, SKOS } from '../namespaces.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import type { Graph, NodeProperties, ObjectTerm } from '../sparql/ntriples.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { compacted } from './json-ld.ts'
import {
  ask,
  badRequest,
  graphOf,
  SkosmosError,
  type SkosmosAnswer,
  type SkosmosRequest,
  type VocabularyRequest,
} from './request.ts'

/** The media types of `data`, the first of which answers a request that accepts any. */
const FORMATS = ['application/rdf+xml', 'text/turtle', 'application/ld+json', 'application/json']

/** The media types that a request takes, the best first. @throws SkosmosError 400 for an unknown `format`; 406 if it accepts none. */
function chooseFormats({ parameters, http }: SkosmosRequest): [string, ...string[]] {
  const supported = `Unsupported format. Supported MIME types are: ${FORMATS.join(' ')}`
  // A plus sign that is not encoded arrives as a space.
  const format = parameters.get('format')?.replace(' ', '+')
  if (format !== undefined) {
    if (!FORMATS.includes(format)) throw badRequest(supported)
    return [format]
  }
  const [accepted, ...others] = acceptedMediaTypes(http.headers.accept, FORMATS)
  if (accepted === undefined) throw new SkosmosError(406, 'Not Acceptable', supported)
  return [accepted, ...others]
}

/** `data`: all about one concept or other resource; of a vocabulary without `uri` the address of the whole. */
export async function data(asked: SkosmosRequest | VocabularyRequest): Promise<SkosmosAnswer> {
  const uri = asked.parameters.get('uri')
  const vocabulary = 'vocabulary' in asked ? asked.vocabulary : undefined
  if (uri === undefined && vocabulary === undefined) throw badRequest('uri parameter missing')
  const [mediaType, ...others] = chooseFormats(asked)
  if (uri === undefined) {
    const isJson = mediaType === 'application/json'
    const [format] = EXPORT_FORMATS.find(
      (one) => one.mediaType === (isJson ? 'application/ld+json' : mediaType),
    )!.formats
    const { baseUrl } = asked.dependencies.config
    const id = encodeURIComponent(vocabulary!.ids[0]!)
    return { location: baseUrl + withQuery(`voc/${id}/export`, { format }), status: 302 }
  }
  const graph = await graphWith(asked, uri)
  if (graph === undefined) throw unknown()
  const found = await described(asked, graph, uri)
  return written(found, mediaType).catch((error: unknown) => {
    // RDF/XML cannot name every property; a client that takes others gets the next.
    const [next] = others
    if (next === undefined || !(error instanceof ApiError)) throw error
    return written(found, next)
  })
}

/** A graph in a format. @throws ApiError MalformedRequestError if RDF/XML has no name for a property. */
async function written(found: Graph, mediaType: string): Promise<SkosmosAnswer> {
  if (mediaType.endsWith('json')) return { text: JSON.stringify(compacted(found)), mediaType }
  const { write } = EXPORT_FORMATS.find((one) => one.mediaType === mediaType)!
  let text = ''
  for await (const part of write({ ...describedSource(Promise.resolve(found)), records: noRecords }))
    text += String(part)
  return { text, mediaType }
}

/** The name of the graph of a concept or vocabulary; undefined if no vocabulary has it, or if the subset of the request does not. */
async function graphWith(asked: SkosmosRequest | VocabularyRequest, uri: string): Promise<string | undefined> {
  const { uri: voc, isSubset } = 'vocabulary' in asked ? asked.vocabulary : {}
  if (voc !== undefined && (!isSubset || uri === voc)) return voc
  if (!isAbsoluteIri(uri)) return undefined
  const { records } = await ask(asked, '/data', { uri, properties: 'inScheme', voc })
  if ('vocabulary' in asked) return records.length > 0 ? graphOf(asked) : undefined
  const own = records.flatMap((record) => [record.uri, ...(record.inScheme ?? []).map((scheme) => scheme.uri)])
  const vocabularies = await asked.dependencies.registry.list()
  return vocabularies.find((one) => !one.isSubset && own.includes(one.uri))?.uri
}

/** RDF has none. */
const noRecords = () => {
  throw new Error('RDF has no records')
}

/** The statements of a graph about a concept and with it as JSON-LD with the terms of Skosmos. @throws SkosmosError 404. */
export async function conceptJsonLd(asked: SkosmosRequest, graph: string, uri: string): Promise<string> {
  return JSON.stringify(compacted(await described(asked, graph, uri)))
}

/** The statements of a graph about a resource and with it, and the names of all that these name. @throws SkosmosError 404. */
async function described(asked: SkosmosRequest, graph: string, uri: string): Promise<Graph> {
  if (!isAbsoluteIri(uri)) throw unknown()
  const { dependencies, signal } = asked
  const query = queryTemplate('skosmos/data').bind({ terms: { graph: [iri(graph)], c: [iri(uri)] } })
  const found = withoutNotes(await dependencies.client.construct(query, { signal }))
  if (hasUnknownBlankNodes(found)) {
    // Only one answer names blank nodes, so all that stands about the resource comes from the same.
    for (const [name, node] of await readResource(dependencies, graph, uri, signal)) found.set(name, node)
  }
  const scheme = found.get(graph)
  if (scheme && graph !== uri) withoutLoaded(scheme)
  const kept = [...found].filter(([, node]) => node.size > 0)
  if (kept.length === 0) throw unknown()
  // The resource comes first.
  return new Map([...kept.filter(([name]) => name === uri), ...kept])
}

/** Takes from a concept scheme that is only named what loading adds: its id as a notation, and a name that its label is already. */
function withoutLoaded(scheme: NodeProperties): void {
  scheme.delete(`${SKOS}notation`)
  const labels = scheme.get(`${RDFS}label`) ?? []
  const isLabel = ({ value, language }: ObjectTerm) =>
    labels.some((one) => one.value === value && one.language === language)
  const names = (scheme.get(`${SKOS}prefLabel`) ?? []).filter((name) => !isLabel(name))
  if (names.length > 0) scheme.set(`${SKOS}prefLabel`, names)
  else scheme.delete(`${SKOS}prefLabel`)
}

function unknown(): SkosmosError {
  return new SkosmosError(404, 'Bad Request', 'no concept found with given uri')
}
