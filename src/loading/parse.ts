import { extname } from 'node:path'
import type { Literal, Quad, Term } from '@rdfjs/types'
import { Parser } from 'n3'
import { CONTEXT, isJskosContext, type RecordKind } from '../jskos/fields.ts'
import { RDF, STRING } from '../namespaces.ts'
import { InputError, type Position } from '../files/input-error.ts'
import { parseRecord } from '../files/json-records.ts'
import { isCompoundFile, isZip, readStart, readText, type ReadProgress } from '../files/text.ts'
import type { TableFormat } from '../tables/parse-tables.ts'
import type { TableOptions } from '../tables/sheet.ts'
import { parseJskos } from './jskos.ts'
import { boundedJson } from './levels.ts'

/** The formats of vocabularies; `json` is JSKOS or JSON-LD, depending on the content. */
export type Format = 'turtle' | 'ntriples' | 'nquads' | 'trig' | 'rdfxml' | 'jsonld' | 'json' | 'ndjson'

const FORMAT_BY_EXTENSION: Record<string, Format> = {
  '.ttl': 'turtle',
  '.nt': 'ntriples',
  '.nq': 'nquads',
  '.trig': 'trig',
  '.rdf': 'rdfxml',
  '.xml': 'rdfxml',
  '.owl': 'rdfxml',
  '.jsonld': 'jsonld',
  '.json': 'json',
  '.ndjson': 'ndjson',
}

const N3_FORMAT: Partial<Record<Format, string>> = {
  turtle: 'text/turtle',
  ntriples: 'application/n-triples',
  nquads: 'application/n-quads',
  trig: 'application/trig',
}

/** Longer texts do not fit into a string. */
const MOST_JSON_CHARACTERS = 500_000_000

/**
 * The base of relative IRIs in files without one. Loading refuses IRIs below it, because they were relative; a parser without
 * a base would drop such statements or pass them on unchanged.
 */
export const NO_BASE = 'x-relative://base/'

/**
 * The statements of a file in batches. Graph names stay; relative IRIs without a base are below `NO_BASE`.
 *
 * @param untyped the kind of JSKOS records without a type.
 * @param tables what tables themselves do not say.
 * @param onDropped called for each value of JSKOS that RDF cannot say, with the name of its field.
 * @throws InputError with file, line and column if the file cannot be read, has an unknown format or is broken.
 */
export async function* parseFile(
  file: string,
  onProgress?: ReadProgress,
  untyped: RecordKind = 'concept',
  tables?: TableOptions,
  onDropped?: (field: string) => void,
): AsyncGenerator<Quad[]> {
  const table = await tableFormatOf(file)
  if (table) {
    const { parseTables } = await import('../tables/parse-tables.ts')
    yield* parseTables(file, table, tables, onProgress)
    return
  }
  const text = readText(file, onProgress)
  try {
    const first = await text.next()
    const start = first.done ? '' : first.value
    const format = FORMAT_BY_EXTENSION[extname(file.replace(/\.gz$/i, '')).toLowerCase()] ?? sniff(start)
    if (format === undefined) {
      const { beginsWithHeading, parseTables } = await import('../tables/parse-tables.ts')
      if (!(await beginsWithHeading(file))) throw new InputError(UNKNOWN_FORMAT, file)
      yield* parseTables(file, 'csv', tables, onProgress)
      return
    }
    const lines = new LineCount()
    const whole = lines.of(prepend(start, text))
    try {
      yield* parseText({ text: whole, format, start, file, untyped, onDropped })
    } catch (error) {
      if (isTooLong(error)) throw new InputError('a text is too long; expected less than 500 MB.', file, lines)
      throw error
    }
  } finally {
    await text.return(undefined)
  }
}

/** The format of a table, by the name of the file or by its first bytes; undefined if it is no table. */
async function tableFormatOf(file: string): Promise<TableFormat | undefined> {
  // First, because it says that a file is missing or no file.
  const start = await readStart(file)
  if (/\.(csv|tsv)(\.gz)?$/i.test(file)) return 'csv'
  return /\.(xlsx|xlsm|xltx|xls|ods)$/i.test(file) || isZip(start) || isCompoundFile(start) ? 'workbook' : undefined
}

/** The line at which the last chunk of a text begins. */
class LineCount {
  line = 1

  /** The text, counted as it is read. */
  async *of(text: AsyncIterable<string>): AsyncGenerator<string> {
    for await (const chunk of text) {
      yield chunk
      for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', at + 1)) this.line++
    }
  }
}

/** True if a parser has found more than fits into a string. */
function isTooLong(error: unknown): boolean {
  return error instanceof RangeError && error.message === 'Invalid string length'
}

interface Source {
  text: AsyncIterable<string>
  format: Format
  /** The first chunk of the text. */
  start: string
  file: string
  untyped: RecordKind
  onDropped: ((field: string) => void) | undefined
}

function parseText({ text, format, start, file, untyped, onDropped }: Source): AsyncIterable<Quad[]> {
  const n3Format = N3_FORMAT[format]
  if (n3Format) return parseWithN3(text, n3Format, file)
  if (format === 'rdfxml') return parseRdfXml(text, file)
  if (format === 'ndjson' || (format === 'json' && looksLikeJskos(start)))
    return parseJskos(text, file, untyped, onDropped)
  return parseJsonLd(text, file)
}

/** True if the text uses `uri` as JSKOS does; JSON-LD without the context of JSKOS uses `@id`. */
export function looksLikeJskos(start: string): boolean {
  const uri = start.search(/"uri"\s*:/)
  const id = start.search(/"@(id|graph)"\s*:/)
  return id < 0 || (uri >= 0 && uri < id)
}

const UNKNOWN_FORMAT =
  'unknown format: expected Turtle (.ttl), N-Triples (.nt), N-Quads (.nq), TriG (.trig), RDF/XML (.rdf), JSON-LD (.jsonld), JSKOS (.json, .ndjson) or a table (.csv, .tsv), each also as .gz, or a workbook (.xlsx, .ods).'

/** A line of N-Quads with the name of a graph, which no other format has. */
const QUAD =
  /^[^\S\n]*(<[^>\n]*>|_:\S+)[^\S\n]+<[^>\n]*>[^\S\n]+(<[^>\n]*>|_:\S+|"[^"\\\n]*(\\.[^"\\\n]*)*"(@[\w-]+|\^\^<[^>\n]*>)?)[^\S\n]+(<[^>\n]*>|_:\S+)[^\S\n]*\.[^\S\n]*$/m

/** The format that the beginning of a text shows; undefined if it shows none. */
export function sniff(start: string): 'json' | 'rdfxml' | 'nquads' | 'trig' | undefined {
  const text = start.replace(/^\ufeff/, '').trimStart()
  if (/^[{[]/.test(text)) return 'json'
  if (/^<(\?xml|!--|!DOCTYPE|rdf:RDF)/i.test(text)) return 'rdfxml'
  if (/^(@(prefix|base)\b|(prefix|base)\s|<[^>\s]*>|_:|#)/i.test(text)) return QUAD.test(text) ? 'nquads' : 'trig'
  return undefined
}

async function* prepend(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
}

interface N3Failure extends Error {
  context?: { line: number; token?: { start?: number }; previousToken?: { line: number; end?: number } }
}

/** True if another term is the same (RDF/JS: Data model, `Term.equals`). */
function equals(this: Term, other: Term | null | undefined): boolean {
  if (other?.termType !== this.termType || other.value !== this.value) return false
  if (this.termType !== 'Literal') return true
  const { language, datatype } = other as Literal
  return language === this.language && datatype.value === this.datatype.value
}

const XSD_STRING = { termType: 'NamedNode', value: STRING, equals }
const LANG_STRING = { termType: 'NamedNode', value: `${RDF}langString`, equals }
const DEFAULT_GRAPH = { termType: 'DefaultGraph', value: '', equals }

let anonymous = 0

/**
 * RDF/JS terms as plain objects that share their one method. Those of N3.js compute language and datatype with every access, and
 * they lower-case language tags, which the loader counts.
 */
const factory = {
  namedNode: (value: string) => ({ termType: 'NamedNode', value, equals }),
  // Names anonymous nodes; labels in a file cannot begin with "#".
  blankNode: (value = `#${anonymous++}`) => ({ termType: 'BlankNode', value, equals }),
  variable: (value: string) => ({ termType: 'Variable', value, equals }),
  defaultGraph: () => DEFAULT_GRAPH,
  literal: (value: string, of?: string | { language: string; direction?: string } | { termType: string } | null) => {
    if (of === undefined || of === null)
      return { termType: 'Literal', value, language: '', datatype: XSD_STRING, equals }
    if (typeof of === 'string') return { termType: 'Literal', value, language: of, datatype: LANG_STRING, equals }
    if ('termType' in of) return { termType: 'Literal', value, language: '', datatype: of, equals }
    return { termType: 'Literal', value, ...of, datatype: LANG_STRING, equals }
  },
  quad: (subject: unknown, predicate: unknown, object: unknown, graph: unknown = DEFAULT_GRAPH) => ({
    termType: 'Quad',
    value: '',
    subject,
    predicate,
    object,
    graph,
  }),
} as never

/**
 * Parses with N3.js, which calls back synchronously for every chunk. Without its stream, memory is bounded by one chunk, and
 * parsing takes a fifth less time.
 */
async function* parseWithN3(text: AsyncIterable<string>, format: string, file: string): AsyncGenerator<Quad[]> {
  const parser = new Parser({ format, baseIRI: NO_BASE, factory })
  const handlers: Record<string, (chunk?: string) => void> = {}
  const input = { on: (event: string, handler: (chunk?: string) => void) => (handlers[event] = handler) }
  let quads: Quad[] = []
  let failure: N3Failure | undefined
  parser.parse(input as never, (error: Error | null, quad: Quad | null) => {
    if (error) failure = error
    else if (quad) quads.push(quad)
  })
  const take = (): Quad[] => {
    if (failure) throw n3Error(failure, file)
    const taken = quads
    quads = []
    return taken
  }
  for await (const chunk of text) {
    handlers.data!(chunk)
    yield take()
  }
  handlers.end!()
  yield take()
}

function n3Error({ message, context }: N3Failure, file: string): InputError {
  // The message names the term before, which may have no id.
  const problem =
    brokenIri(message) ??
    message.replace(/ on line \d+\.$/, '.').replace(' to follow "undefined"', ' after the statement')
  if (!context) return new InputError(problem, file)
  const { line, token, previousToken } = context
  const before = previousToken?.line === line ? (previousToken.end ?? 0) : 0
  return new InputError(problem, file, { line, column: (token?.start ?? before) + 1 })
}

/** Turtle 1.1, section 6.5, IRIREF. */
const NOT_IN_IRIS = /["<>{}|^`\\]/

/** Says what is wrong with an IRI at which N3.js stops; it quotes the text up to the next white space. */
function brokenIri(message: string): string | undefined {
  const [, start] = /^Unexpected "(<\S*)" on line \d+\.$/.exec(message) ?? []
  if (start === undefined) return undefined
  const wrong = NOT_IN_IRIS.exec(/^<([^<>]*)/.exec(start)![1]!)?.[0]
  if (wrong) return `the IRI that begins with ${start} has the character ${wrong}, which an IRI cannot have.`
  if (/^<[^<>]*$/.test(start)) {
    return `the IRI that begins with ${start} has a space, which an IRI cannot have (write %20), or no ">" at its end.`
  }
  return undefined
}

async function* parseRdfXml(text: AsyncIterable<string>, file: string): AsyncGenerator<Quad[]> {
  const { BoundedRdfXmlParser } = await import('./rdf-xml-parser.ts')
  const parser = new BoundedRdfXmlParser({ baseIRI: NO_BASE, trackPosition: true, dataFactory: factory })
  yield* drive(parser, text, file, { beforeEnd: () => parser.close() })
}

async function* parseJsonLd(text: AsyncIterable<string>, file: string): AsyncGenerator<Quad[]> {
  const { JsonLdParser } = await import('jsonld-streaming-parser')
  const parser = new JsonLdParser({
    baseIRI: NO_BASE,
    dataFactory: factory,
    // Otherwise it drops statements with malformed IRIs and language tags silently.
    strictValues: true,
    documentLoader: {
      load: (url: string) => {
        if (isJskosContext(url)) return Promise.resolve(CONTEXT as never)
        return Promise.reject(new InputError(`the context ${url} is not fetched; put it into the file.`, file))
      },
    },
  })
  try {
    yield* drive(parser, boundedJson(text, file), file, { isHarmless: meansNothing })
  } catch (error) {
    if (error instanceof InputError && error.position === undefined) await refuseBrokenJson(file)
    throw error
  }
}

/** True for a key that the context does not name, which is no statement (JSON-LD 1.1 API, section 5.1.2). */
function meansNothing({ message }: Error): boolean {
  return /^(Unknown keyword |Invalid predicate IRI: (?![a-z][a-z\d+.-]*:\/\/))/i.test(message)
}

interface ParserEvents {
  beforeEnd?: () => void
  /** True for an error after which the parser goes on. */
  isHarmless?: (error: Error) => boolean
}

/** Pushes text through a parser that is a Node.js stream, and yields the results of each chunk. */
async function* drive(
  parser: NodeJS.ReadWriteStream & { destroy(): unknown },
  text: AsyncIterable<string>,
  file: string,
  { beforeEnd = () => {}, isHarmless = () => false }: ParserEvents,
): AsyncGenerator<Quad[]> {
  let quads: Quad[] = []
  let failed: (error: Error) => void = () => {}
  const failure = new Promise<never>((_, reject) => (failed = reject))
  failure.catch(() => {})
  parser.on('data', (quad: Quad) => quads.push(quad))
  parser.on('error', (error: Error) => {
    if (!isHarmless(error)) failed(error)
  })
  const take = () => {
    const taken = quads
    quads = []
    return taken
  }
  try {
    for await (const chunk of text) {
      await Promise.race([new Promise<void>((done) => parser.write(chunk, () => done())), failure])
      yield take()
    }
    const ended = new Promise<void>((done) => parser.on('end', () => done()))
    beforeEnd()
    parser.end()
    await Promise.race([ended, failure])
    yield take()
  } catch (error) {
    throw error instanceof InputError || isTooLong(error) ? error : streamError(error as Error, file)
  } finally {
    parser.destroy()
  }
}

/**
 * Finds the place of broken JSON, which the JSON-LD parser does not give.
 *
 * @throws InputError with line and column.
 */
async function refuseBrokenJson(file: string): Promise<void> {
  let whole = ''
  for await (const chunk of readText(file)) {
    if (whole.length + chunk.length > MOST_JSON_CHARACTERS) return
    whole += chunk
  }
  parseRecord(whole, file, { line: 1, column: 1 })
}

function streamError(error: Error & Partial<Position>, file: string): InputError {
  const { message, position } = placeOf(error)
  const [, iri] =
    /^Invalid (?:(?:resource|term|predicate) IRI: |IRI according to RDF Turtle: ')(.*?)'?$/s.exec(message) ?? []
  return new InputError(iri === undefined ? message : wrongIri(iri), file, position)
}

function placeOf(error: Error & Partial<Position>): { message: string; position?: Position } {
  // The XML parser puts the place into the message.
  const [, line, column, message] = /^(?:Line )?(\d+)(?::| column )(\d+): (.*)$/s.exec(error.message) ?? []
  if (message !== undefined) {
    // The parser gives the column of the last character, 0 at the end of a line.
    return { message, position: { line: Number(line), column: Number(column) || 1 } }
  }
  if (error.line === undefined) return { message: error.message }
  return { message: error.message, position: { line: error.line, column: error.column ?? 1 } }
}

/** Says what is wrong with an IRI. */
function wrongIri(resolved: string): string {
  const iri = resolved.startsWith(NO_BASE) ? resolved.slice(NO_BASE.length) : resolved
  if (/\s/.test(iri)) return `the IRI <${iri}> has a space, which an IRI cannot have (write %20).`
  const [wrong] = NOT_IN_IRIS.exec(iri) ?? []
  if (wrong) return `the IRI <${iri}> has the character ${wrong}, which an IRI cannot have.`
  return `expected an absolute IRI, found <${iri}>.`
}
