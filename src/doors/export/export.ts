import type { Quad } from '@rdfjs/types'
import { ApiError } from '../../base/errors.ts'
import { ListOrder } from '../../graph/jskos/order.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { BOOKKEEPING } from '../../base/namespaces.ts'
import { FORMATS } from '../../interface/representations/formats.ts'
import { expandedJsonLd, turtle, type QuadWriter } from '../../interface/representations/quad-writers.ts'
import { rdfXml, requireXmlName } from '../../interface/representations/rdf-xml.ts'
import { NO_DEADLINE, type RequestOptions, type SparqlClient } from '../../graph/sparql/client.ts'
import { linesOf, linesWhere, readNTriples } from '../../graph/sparql/ntriples.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { quadsIn } from '../../graph/sparql/statements.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { TableWriter, type TextRow, csvLine } from '../../graph/tables/table-writer.ts'
import { xlsxFile } from '../../graph/tables/write-xlsx.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { VocabularySource } from './vocabulary-statements.ts'
import { vocabularyRows, vocabularySheets } from './vocabulary-tables.ts'

/** The sources of an export. */
export interface ExportSource {
  /** The vocabulary whose whole graph it is; absent for a subset and for a part of a graph. */
  vocabulary?: Pick<VocabularySource, 'scheme' | 'order'>
  /** Its statements as N-Triples, in texts of whole lines. */
  statements: () => AsyncIterable<string>
  /** The properties of these statements. */
  properties: () => Promise<readonly string[]>
  /** Properties all of whose statements follow from their inverse, so that loading adds them again. */
  derived: () => Promise<readonly string[]>
  /** Its JSKOS records, the one of the vocabulary first. */
  records: () => AsyncIterable<JskosRecord[]>
}

/** A format of exports. */
export interface ExportFormat {
  /** For people. */
  title: string
  mediaType: string
  /** File extension; `load` recognises it. */
  extension: string
  /** Values of the `format` parameter, the usual one first. */
  formats: readonly [string, ...string[]]
  /** `rdf` and `table` have all statements, `records` has JSKOS. */
  kind: 'rdf' | 'table' | 'records'
  /** The document in pieces. It throws the errors of the source before its end if the source fails. */
  write: (source: ExportSource) => AsyncIterable<string | Uint8Array>
}

/**
 * THE table of the formats of exports, the default first: for the endpoint, the command, pages, VoID and the OpenAPI
 * document.
 */
export const EXPORT_FORMATS: readonly ExportFormat[] = [
  {
    title: 'Turtle',
    ...FORMATS.turtle,
    kind: 'rdf',
    write: (source) => written(turtle(), source),
  },
  {
    title: 'N-Triples',
    ...FORMATS.ntriples,
    kind: 'rdf',
    write: (source) => source.statements(),
  },
  {
    title: 'JSON-LD',
    ...FORMATS.jsonld,
    kind: 'rdf',
    write: (source) => written(expandedJsonLd(), source),
  },
  {
    title: 'RDF/XML',
    ...FORMATS.rdfxml,
    kind: 'rdf',
    write: writeRdfXml,
  },
  {
    title: 'JSKOS (NDJSON)',
    ...FORMATS.ndjson,
    kind: 'records',
    write: writeNdjson,
  },
  {
    title: 'CSV',
    ...FORMATS.csv,
    kind: 'table',
    write: writeCsv,
  },
  {
    title: 'Excel (XLSX)',
    ...FORMATS.xlsx,
    kind: 'table',
    write: writeXlsx,
  },
]

/** @throws ApiError MalformedRequestError before the document begins if it has a property that RDF/XML cannot name. */
async function* writeRdfXml(source: ExportSource): AsyncGenerator<string> {
  for (const property of await source.properties()) requireXmlName(property)
  yield* written(rdfXml(), source)
}

async function* writeNdjson(source: ExportSource): AsyncGenerator<string> {
  for await (const records of source.records()) yield records.map((record) => `${JSON.stringify(record)}\n`).join('')
}

async function* writeCsv(source: ExportSource): AsyncGenerator<string> {
  let text = ''
  for await (const row of tableRows(source)) {
    text += csvLine(row)
    if (text.length < PIECE) continue
    yield text
    text = ''
  }
  yield text
}

/** Characters of CSV to send at a time. */
const PIECE = 1 << 16

async function* writeXlsx(source: ExportSource): AsyncGenerator<Uint8Array> {
  const vocabulary = await vocabularyOf(source)
  yield* xlsxFile(vocabulary ? vocabularySheets(vocabulary) : [{ name: 'Concepts', rows: tableRows(source) }])
}

/** The rows of a table with all statements, the heading first. */
async function* tableRows(source: ExportSource): AsyncGenerator<TextRow> {
  const vocabulary = await vocabularyOf(source)
  if (vocabulary) {
    yield* vocabularyRows(vocabulary)
    return
  }
  const writer = new TableWriter()
  for await (const quads of parsed(source)) yield* writer.write(quads)
  yield* writer.end()
}

async function vocabularyOf({ vocabulary, derived, statements }: ExportSource): Promise<VocabularySource | undefined> {
  return vocabulary && { ...vocabulary, derived: new Set(await derived()), statements: statements() }
}

async function* written(writer: QuadWriter, source: ExportSource): AsyncGenerator<string> {
  for await (const quads of parsed(source)) yield writer.write(quads)
  yield writer.end()
}

async function* parsed(source: ExportSource): AsyncGenerator<Quad[]> {
  for await (const text of source.statements()) yield quadsIn(text)
}

/**
 * The statements of a vocabulary or subset and their properties, without the bookkeeping of the service.
 *
 * @param language of the labels that order a vocabulary.
 */
export function storedSource(
  client: SparqlClient,
  { uri: graph, isSubset, order }: Pick<Vocabulary, 'uri' | 'isSubset' | 'order'>,
  language: string,
  options: RequestOptions = NO_DEADLINE,
): Omit<ExportSource, 'records'> {
  const listOrder = new ListOrder([{ uri: graph, order }], language)
  const propertiesBy = async (template: 'export/properties' | 'export/derived') => {
    const query = queryTemplate(template).bind({ terms: { graph: [iri(graph)] } })
    const rows = await client.select(query, options)
    return rows.flatMap(({ p }) => p?.value ?? [])
  }
  return {
    ...(isSubset ? {} : { vocabulary: { scheme: graph, order: listOrder } }),
    statements: () => graphLines(client, graph, options),
    properties: () => propertiesBy('export/properties'),
    derived: () => propertiesBy('export/derived'),
  }
}

/**
 * @throws ApiError EntityNotFoundError if the graph is empty; TimeoutError if the store breaks off, even if it does so
 *   as if its answer were complete.
 */
async function* graphLines(client: SparqlClient, graph: string, options: RequestOptions): AsyncGenerator<string> {
  let isEmpty = true
  for await (const text of linesOf(client.getGraph(graph, options))) {
    if (text === '') continue
    const isWhole = text.endsWith('\n')
    if (!isWhole) readNTriples(text)
    isEmpty = false
    const kept = withoutBookkeeping(isWhole ? text : `${text}\n`)
    if (kept !== '') yield kept
  }
  if (isEmpty) throw new ApiError('EntityNotFoundError', `There is no graph <${graph}> any more.`)
}

const OURS = `<${BOOKKEEPING}`

function withoutBookkeeping(text: string): string {
  return linesWhere(text, ({ predicate }) => !predicate.startsWith(OURS))
}
