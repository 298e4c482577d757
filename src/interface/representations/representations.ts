import type { Request } from 'express'
import { LRUCache } from 'lru-cache'
import { acceptedMediaType } from '../http/headers.ts'
import { quoted } from '../../base/unicode.ts'
import { malformed, type Parameters } from '../http/parameters.ts'
import type { Representation, BodyWriter } from '../http/send.ts'
import { CONTEXT } from '../../graph/jskos/context.ts'
import { blankNodesOf, toLinkedData, toQuads, type LinkedNode } from '../../graph/jskos/linked-data.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { TableWriter, type TextRow, csvLine } from '../../graph/tables/table-writer.ts'
import { xlsxFile } from '../../graph/tables/write-xlsx.ts'
import { FORMATS } from './formats.ts'
import { nTriples, turtle, type QuadWriter } from './quad-writers.ts'
import { rdfXml } from './rdf-xml.ts'

/** The formats of records (docs/endpoints.md, "Answers"), the default first. */
export type Representations = readonly Representation[]

/** All formats. */
export const REPRESENTATIONS: Representations = [
  {
    ...FORMATS.json,
    formats: ['json', 'jskos'],
    open: () => textWriter('[', ',\n', ']\n', (record) => JSON.stringify(record)),
  },
  { ...FORMATS.jsonld, open: jsonLd },
  { ...FORMATS.ndjson, open: () => textWriter('', '', '', (record) => `${JSON.stringify(record)}\n`) },
  { ...FORMATS.turtle, open: () => triples(turtle()) },
  { ...FORMATS.ntriples, open: () => triples(nTriples()) },
  { ...FORMATS.rdfxml, open: () => triples(rdfXml()) },
  { ...FORMATS.csv, open: () => rows(csvLine) },
  {
    ...FORMATS.xlsx,
    open: () => rows((row) => `${JSON.stringify(row)}\n`),
    convert: (texts) => xlsxFile([{ name: 'Concepts', rows: rowsOf(texts) }]),
  },
]

/** The formats of lists that are not RDF. */
export const JSON_FORMATS: Representations = REPRESENTATIONS.filter(({ formats }) =>
  formats.some((name) => name === 'json' || name === 'ndjson'),
)

/** The values of `format` and `download`, for descriptions of the interface in CommonMark. */
export function formatNames(representations: readonly Pick<Representation, 'formats'>[] = REPRESENTATIONS): string {
  const names = representations.flatMap(({ formats }) => formats).map((name) => `\`${name}\``)
  return `${names.join(', ')}, or a media type`
}

/**
 * Writes records as the rows of a table; statements without a column of their own go as N-Triples into the last column.
 */
function rows(toText: (row: TextRow) => string): BodyWriter {
  const writer = new TableWriter()
  // The resources that a record names have records of their own.
  const isWritten = () => true
  const write = (rows: Iterable<TextRow>) => Array.from(rows, toText).join('')
  return {
    write(records) {
      const nodes = records.map((record) => toLinkedData(record)).filter((node) => node !== undefined)
      return write(writer.write(nodes.flatMap((node) => toQuads(node, { isWritten, blankNode: blankNodesOf(node) }))))
    },
    end: () => write(writer.end()),
  }
}

/** The rows of texts with a row as JSON on each line. */
async function* rowsOf(texts: AsyncIterable<string>): AsyncGenerator<TextRow> {
  for await (const text of texts) {
    for (const line of text.split('\n')) if (line !== '') yield JSON.parse(line) as TextRow
  }
}

/** A JSON-LD document. */
function jsonLd(): BodyWriter {
  const begin = `{"@context":${JSON.stringify(CONTEXT['@context'])},\n"@graph":[\n`
  return textWriter(begin, ',\n', '\n]}\n', (record) => {
    const node = toLinkedData(record)
    return node && JSON.stringify(node)
  })
}

/** The parameters that name a format. */
const FORMAT_PARAMETERS = ['download', 'format']

/**
 * The representation that a request asks for by `format` or `download`, which take a name or a media type, else by
 * `Accept` (RFC 9110, section 12.5.1). If the request accepts no known format, it gets the first: for records this is
 * JSON, which browsers and most programs want.
 *
 * @throws ApiError MalformedRequestError for an unknown format.
 * @example const { mediaType, open } = chooseRepresentation(REPRESENTATIONS, request, parameters)
 */
export function chooseRepresentation<Form extends Pick<Representation, 'mediaType' | 'formats'>>(
  representations: readonly Form[],
  request: Request,
  parameters: Parameters,
): Form {
  const parameter = FORMAT_PARAMETERS.find((parameterName) => parameters.has(parameterName))
  if (parameter === undefined) {
    const types = representations.map(({ mediaType }) => mediaType)
    const accepted = acceptedMediaType(request.headers.accept, types)
    return representations.find(({ mediaType }) => mediaType === accepted) ?? representations[0]!
  }
  // The "+" of a media type in a query string has become a space.
  const value = parameters.get(parameter)!
  const name = value.toLowerCase().replaceAll(' ', '+')
  const requested = representations.find(({ mediaType, formats }) => mediaType === name || formats.includes(name))
  if (requested) return requested
  const names = representations.flatMap(({ formats }) => formats).join(', ')
  throw malformed(`${parameter}: expected one of ${names}, got ${quoted(value)}`)
}

/** Writes records one by one as texts and skips records without a text in this format. */
function textWriter(
  begin: string,
  separator: string,
  end: string,
  toText: (record: AnyRecord) => string | undefined,
): BodyWriter {
  let isEmpty = true
  return {
    write(records) {
      let text = ''
      for (const record of records) {
        const recordText = toText(record)
        if (recordText === undefined) continue
        text += (isEmpty ? begin : separator) + recordText
        isEmpty = false
      }
      return text
    },
    end: () => (isEmpty ? begin : '') + end,
  }
}

/** The number of nodes within records, such as the vocabulary and its publisher, to remember as already written. */
const MAX_WRITTEN = 5000

/** Writes records as triples of one graph, with a unique label for each blank node. */
function triples(writer: QuadWriter): BodyWriter {
  const written = new LRUCache<string, LinkedNode>({ max: MAX_WRITTEN })
  const isWritten = (node: LinkedNode) => {
    const uri = node['uri'] as string
    const before = written.get(uri)
    if (before === node) return true
    // Equal nodes count as the same. Within a piece of a list, the same resource is even the same object.
    written.set(uri, node)
    return JSON.stringify(before) === JSON.stringify(node)
  }
  return {
    write(records) {
      const nodes = records.map((record) => toLinkedData(record)).filter((node) => node !== undefined)
      return writer.write(nodes.flatMap((node) => toQuads(node, { isWritten, blankNode: blankNodesOf(node) })))
    },
    end: () => writer.end(),
  }
}
