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
