import jsonld from 'jsonld'
import Negotiator from 'negotiator'
import { ApiError } from '../errors.ts'
import { EXPORT_FORMATS } from '../export/export.ts'
import { resourceSource } from '../export/resource.ts'
import { withQuery } from '../http/addresses.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { contexts } from './contexts.ts'
import {
  ask,
  badRequest,
  SkosmosError,
  type SkosmosAnswer,
  type SkosmosRequest,
  type VocabularyRequest,
} from './request.ts'

/** The media types of `data`, the first of which answers a request that accepts any. */
const FORMATS = ['application/rdf+xml', 'text/turtle', 'application/ld+json', 'application/json']

/** The media type that a request asks for. @throws SkosmosError 400 for an unknown `format`; 406 if it accepts none. */
function chooseFormat({ parameters, http }: SkosmosRequest): string {
  const supported = `Unsupported format. Supported MIME types are: ${FORMATS.join(' ')}`
  // A plus sign that is not encoded arrives as a space.
  const format = parameters.get('format')?.replace(' ', '+')
  if (format !== undefined) {
    if (!FORMATS.includes(format)) throw badRequest(supported)
    return format
  }
  const accepted = new Negotiator(http).mediaType(FORMATS)
  if (accepted === undefined) throw new SkosmosError(406, 'Not Acceptable', supported)
  return accepted
}

/** `data`: all about one concept or other resource; of a vocabulary without `uri` the address of the whole. */
export async function data(asked: SkosmosRequest | VocabularyRequest): Promise<SkosmosAnswer> {
  const uri = asked.parameters.get('uri')
  const vocabulary = 'vocabulary' in asked ? asked.vocabulary : undefined
  if (uri === undefined && vocabulary === undefined) throw badRequest('uri parameter missing')
  const mediaType = chooseFormat(asked)
  if (uri === undefined) {
    const isJson = mediaType === 'application/json'
    const [format] = EXPORT_FORMATS.find(
      (one) => one.mediaType === (isJson ? 'application/ld+json' : mediaType),
    )!.formats
    const { baseUrl } = asked.dependencies.config
    const id = encodeURIComponent(vocabulary!.ids[0]!)
    return { location: baseUrl + withQuery(`voc/${id}/export`, { format }) }
  }
  const graph = vocabulary?.uri ?? (await graphOf(asked, uri))
  if (graph === undefined) throw unknown()
  if (mediaType.endsWith('json')) return { text: await conceptJsonLd(asked, graph, uri), mediaType }
  const { write } = EXPORT_FORMATS.find((one) => one.mediaType === mediaType)!
  return { text: await collected(asked, graph, uri, write), mediaType }
}

/** The name of the graph of a concept or vocabulary; undefined if no vocabulary has it. */
async function graphOf(asked: SkosmosRequest, uri: string): Promise<string | undefined> {
  if (!isAbsoluteIri(uri)) return undefined
  const { records } = await ask(asked, '/data', { uri, properties: 'inScheme' })
  const own = records.flatMap((record) => [record.uri, ...(record.inScheme ?? []).map((scheme) => scheme.uri)])
  const vocabularies = await asked.dependencies.registry.list()
  return vocabularies.find((one) => !one.isSubset && own.includes(one.uri))?.uri
}

/** The statements of a graph about a concept as JSON-LD with the terms of Skosmos. @throws SkosmosError 404. */
export async function conceptJsonLd(asked: SkosmosRequest, graph: string, uri: string): Promise<string> {
  const lines = await collected(asked, graph, uri, ({ statements }) => statements())
  // The published types lack N-Quads as text.
  const expanded = await jsonld.fromRDF(lines, { format: 'application/n-quads' })
  return JSON.stringify(await jsonld.compact(expanded, contexts.data, { graph: true }))
}

async function collected(
  { dependencies, signal }: SkosmosRequest,
  graph: string,
  uri: string,
  write: (typeof EXPORT_FORMATS)[number]['write'],
): Promise<string> {
  if (!isAbsoluteIri(uri)) throw unknown()
  const records = () => {
    throw new Error('RDF has no records')
  }
  let text = ''
  try {
    for await (const part of write({ ...resourceSource(dependencies, graph, uri, signal), records }))
      text += String(part)
  } catch (error) {
    if (error instanceof ApiError && error.name === 'EntityNotFoundError') throw unknown()
    throw error
  }
  return text
}

function unknown(): SkosmosError {
  return new SkosmosError(404, 'Bad Request', 'no concept found with given uri')
}
