import type { RequestHandler } from 'express'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'

/**
 * The formats that several parts of the interface read or write: of records, of whole vocabularies, of submitted texts.
 */
export const FORMATS = {
  json: format('application/json', 'json', ['json']),
  ndjson: format('application/x-ndjson', 'ndjson', ['ndjson']),
  jsonld: format('application/ld+json', 'jsonld', ['jsonld', 'json-ld']),
  turtle: format('text/turtle', 'ttl', ['turtle', 'ttl']),
  ntriples: format('application/n-triples', 'nt', ['ntriples', 'n-triples', 'nt']),
  rdfxml: format('application/rdf+xml', 'rdf', ['rdfxml', 'rdf']),
  // RFC 7111 and ECMA-376.
  csv: format('text/csv', 'csv', ['csv']),
  xlsx: format('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'xlsx', ['xlsx']),
}

/**
 * @param extension of files, by which the loader knows the format.
 * @param formats values of the `format` parameter, the usual one first.
 */
function format(mediaType: string, extension: string, formats: readonly [string, ...string[]]) {
  return { mediaType, extension, formats }
}

const EXTENSIONS = Object.values(FORMATS).map(({ extension }) => extension)
const ADDRESS = new RegExp(String.raw`^(?<path>/[^?]*[^/?])\.(?<extension>${EXTENSIONS.join('|')})(?<query>\?.*)?$`)
const VOCABULARY = /^\/voc\/(?<name>[^/]+)$/
/** Rows and lines are the concepts of a vocabulary; the other formats have its own record. */
const OF_CONCEPTS: readonly string[] = [FORMATS.ndjson, FORMATS.csv, FORMATS.xlsx].map(({ extension }) => extension)

/** An address that ends in the extension of a format. */
interface FileAddress {
  /** Without the extension. */
  path: string
  extension: string
  /** The value of `format`. */
  format: string
  /** Begins with `?`; empty if there is none. */
  query: string
}

/** The address of a request as that of a file; undefined if it has no extension of a format. */
export function fileAddress(target: string): FileAddress | undefined {
  const { path, extension, query = '' } = ADDRESS.exec(target)?.groups ?? {}
  if (path === undefined || extension === undefined) return undefined
  const { formats } = Object.values(FORMATS).find((format) => format.extension === extension)!
  return { path, extension, format: formats[0], query }
}

/**
 * `/voc/crafts.ttl` means `/voc/crafts?format=turtle`, and `/voc/crafts.csv` means `/voc/crafts/concepts?download=csv`,
 * unless a vocabulary has the whole name as its id.
 */
export function vocabularyExtensions(registry: VocabularyRegistry): RequestHandler {
  return async (request, _response, next) => {
    const file = request.method === 'GET' || request.method === 'HEAD' ? fileAddress(request.target) : undefined
    const name = file && VOCABULARY.exec(file.path)?.groups?.['name']
    if (file === undefined || name === undefined || (await hasVocabulary(registry, `${name}.${file.extension}`))) {
      return next()
    }
    const { path, extension, format, query } = file
    const [place, parameter] = OF_CONCEPTS.includes(extension) ? [`${path}/concepts`, 'download'] : [path, 'format']
    request.url = `${place}${query === '' ? '?' : `${query}&`}${parameter}=${format}`
    request.target = request.url
    next()
  }
}

/** False if the store does not answer: the endpoint reports it. */
async function hasVocabulary(registry: VocabularyRegistry, name: string): Promise<boolean> {
  try {
    return (await registry.find(decodeURIComponent(name))) !== undefined
  } catch {
    return false
  }
}
