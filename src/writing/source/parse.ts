import { extname } from 'node:path'
import type { Quad } from '@rdfjs/types'
import type { RecordKind } from '../../graph/jskos/fields.ts'
import { InputError } from '../../base/files/input-error.ts'
import { isCompoundFile, isZip, readStart, readText, type ReadProgress } from '../../base/files/text.ts'
import type { TableFormat } from '../../graph/tables/parse-tables.ts'
import type { TableOptions } from '../../graph/tables/sheet.ts'
import { parseJskos, type JskosListener } from './jskos.ts'
import { parseJsonLd } from './json-ld.ts'
import { parseRdfXml } from './rdf-xml.ts'
import { NO_BASE } from './terms.ts'
import { parseTurtle, TURTLE_FAMILY } from './turtle.ts'

/** The formats of vocabularies; `json` is JSKOS or JSON-LD, depending on the content. */
type Format = 'turtle' | 'ntriples' | 'nquads' | 'trig' | 'rdfxml' | 'jsonld' | 'json' | 'ndjson'

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

interface ParseOptions {
  onProgress?: ReadProgress | undefined
  /** The kind of JSKOS records without a type; by default a concept. */
  untyped?: RecordKind
  /** Settings that tables themselves do not have. */
  tables?: TableOptions
  /** Takes what JSKOS has beside the statements of its records. */
  jskos?: JskosListener
  /**
   * Called for what a reader leaves out because it is no IRI, with the resource that it would be about, in N-Triples.
   */
  onWrongIri?: (iri: string, about: string) => void
  /** The base of relative IRIs; by default `NO_BASE`. */
  base?: string
}

/**
 * The statements of a file in batches, as its format means them: graph names, language tags and what stands in the
 * place of an IRI come as they are.
 *
 * @throws InputError with file, line and column if the file cannot be read, has an unknown format or is broken.
 */
export async function* parseFile(file: string, options: ParseOptions = {}): AsyncGenerator<Quad[]> {
  const { onProgress, tables } = options
  const table = await tableFormatOf(file)
  if (table) {
    const { parseTables } = await import('../../graph/tables/parse-tables.ts')
    yield* parseTables(file, table, tables, onProgress)
    return
  }
  const text = readText(file, onProgress)
  try {
    const first = await text.next()
    const start = first.done ? '' : first.value
    const format = formatNamed(file) ?? sniff(start)
    if (format === undefined) {
      const { beginsWithHeading, parseTables } = await import('../../graph/tables/parse-tables.ts')
      if (!(await beginsWithHeading(file))) throw new InputError(UNKNOWN_FORMAT, file)
      yield* parseTables(file, 'csv', tables, onProgress)
      return
    }
    const lines = new LineCount()
    const whole = lines.of(prepend(start, text))
    try {
      yield* parseText({ text: whole, format, start, file }, options)
    } catch (error) {
      if (isTooLong(error)) throw new InputError('a text is too long; expected less than 500 MB.', file, lines)
      throw error
    }
  } finally {
    await text.return(undefined)
  }
}

function formatNamed(file: string): Format | undefined {
  return FORMAT_BY_EXTENSION[extname(file.replace(/\.gz$/i, '')).toLowerCase()]
}

/**
 * True for a file of RDF, by its name, else by the beginning of its text; false for JSKOS. A comment alone shows no
 * RDF, because tables have comments, too.
 *
 * @throws InputError if the file cannot be read.
 */
export async function isRdf(file: string): Promise<boolean> {
  if (await tableFormatOf(file)) return false
  const text = readText(file)
  try {
    const first = await text.next()
    const start = first.done ? '' : first.value
    const format = formatNamed(file) ?? (start.trimStart().startsWith('#') ? undefined : sniff(start))
    if (format === 'json') return !looksLikeJskos(start)
    return format !== undefined && format !== 'ndjson'
  } finally {
    await text.return(undefined)
  }
}

/** The format of a table, by the name of the file or by its first bytes; undefined if it is no table. */
async function tableFormatOf(file: string): Promise<TableFormat | undefined> {
  // First, because it reports that a file is missing or not a file.
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
}

function parseText(
  { text, format, start, file }: Source,
  { untyped, jskos, onWrongIri, base = NO_BASE }: ParseOptions,
): AsyncIterable<Quad[]> {
  if (format in TURTLE_FAMILY) return parseTurtle(text, format as keyof typeof TURTLE_FAMILY, file, base)
  if (format === 'rdfxml') return parseRdfXml(text, file, base)
  if (format === 'ndjson' || (format === 'json' && looksLikeJskos(start))) return parseJskos(text, file, untyped, jskos)
  return parseJsonLd(text, file, base, onWrongIri)
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
