import type { Quad } from '@rdfjs/types'
import { FIELDS } from '../jskos/fields.ts'
import { COLLECTION, CONCEPT, CONCEPT_SCHEME, ORDERED_COLLECTION, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { isLiteral, writeLiteral } from '../sparql/statements.ts'
import { SEPARATOR } from './cell-text.ts'
import { expand, headingOf, readHeading, type PropertyColumn } from './heading.ts'
import { readValues, type ColumnSettings } from './row-values.ts'
import { KNOWN_PREFIXES } from './words.ts'

/** The texts of one row; an empty text is an empty cell. */
export type TextRow = string[]

/** Excel has room for 32,767 characters in a cell. */
const MOST_CHARACTERS = 32_000
/** The most columns of properties; what is rarest goes without. */
const MOST_COLUMNS = 300
/** Statements that wait for the columns of a table to be known. */
const SAMPLE = 20_000
/** The types of resources that have rows; all that is said about others are statements. */
const TYPES = [CONCEPT, COLLECTION, ORDERED_COLLECTION, CONCEPT_SCHEME]
const PREFIXES = new Map(Object.entries(KNOWN_PREFIXES))
/** How exports are read: without options. */
const SETTINGS: ColumnSettings = { prefixes: PREFIXES, language: undefined }
/**
 * Characters that XML does not have, carriage returns, which it changes, and what workbooks take for an escape
 * (ECMA-376, ST_Xstring).
 */
// oxlint-disable-next-line no-control-regex
const NOT_IN_CELLS = /[\u0000-\u0009\u000b-\u001f\ufffe\uffff]|_x[0-9A-Fa-f]{4}_/

/** Vocabularies and collections to remember. */
const MOST_NON_CONCEPTS = 10_000

interface WrittenColumn {
  key: string
  heading: string
  column: PropertyColumn
}

/**
 * Writes statements as the rows of a table that `parseTables` reads back without a difference: a row for every
 * concept, collection and vocabulary, columns by property and language. Statements that cells cannot say go as
 * N-Triples into the column `statements`: a value is in a column only if reading the cell gives exactly this value.
 *
 * Statements about one subject have to come one after the other to be one row; otherwise it gets several, which mean
 * the same.
 */
export class TableWriter {
  readonly #leftOut: ReadonlySet<string>
  #columns: WrittenColumn[] | undefined
  #waiting: Quad[] = []
  #run: Quad[] = []
  /** The types of vocabularies and collections so far; stores may give statements about them in several places. */
  readonly #nonConceptTypes = new Map<string, string>()
  /** N-Triples about resources without a row of their own. */
  #statements = ''

  /** @param leftOut properties that follow from others. */
  constructor(leftOut: readonly string[] = []) {
    this.#leftOut = new Set(leftOut)
  }

  /**
   * The next rows, the first of which is the heading. The first statements wait until there are enough to know the
   * columns.
   */
  *write(quads: readonly Quad[]): Generator<TextRow> {
    if (this.#columns === undefined) {
      for (const quad of quads) this.#waiting.push(quad)
      if (this.#waiting.length < SAMPLE) return
      yield* this.#begin()
      return
    }
    yield* this.#rows(quads)
  }

  /** The last rows. */
  *end(): Generator<TextRow> {
    if (this.#columns !== undefined) {
      yield* this.#last()
      return
    }
    const rows = [...this.#begin(), ...this.#last()]
    const needsStatements = rows.some((row, at) => at > 0 && row.at(-1) !== '')
    yield* needsStatements ? rows : rows.map((row) => row.slice(0, -1))
  }

  *#last(): Generator<TextRow> {
    yield* this.#resource()
    if (this.#statements !== '') yield* this.#statementRows('', '', this.#statements)
  }

  *#begin(): Generator<TextRow> {
    this.#columns = columnsOf(this.#waiting.filter(({ predicate }) => !this.#leftOut.has(predicate.value)))
    yield ['uri', 'type', ...this.#columns.map(({ heading }) => heading), 'statements']
    yield* this.#rows(this.#waiting.splice(0))
  }

  *#rows(quads: readonly Quad[]): Generator<TextRow> {
    for (const quad of quads) {
      if (this.#leftOut.has(quad.predicate.value)) continue
      const { subject } = quad
      const [first] = this.#run
      if (first && (first.subject.value !== subject.value || first.subject.termType !== subject.termType)) {
        yield* this.#resource()
      }
      this.#run.push(quad)
    }
  }

  /** The rows of the statements about one subject. */
  *#resource(): Generator<TextRow> {
    const quads = this.#run.splice(0)
    const [first] = quads
    if (first === undefined) return
    const types = quads.flatMap(({ predicate, object }) => (predicate.value === RDF_TYPE ? [object] : []))
    const uri = first.subject.value
    const earlierType = this.#nonConceptTypes.get(uri)
    const hasRow =
      earlierType !== undefined ||
      (first.subject.termType === 'NamedNode' &&
        readsAs(uri) &&
        types.some(({ value }) => TYPES.includes(value)) &&
        types.every(({ termType, value }) => termType === 'NamedNode' && !/[,|\s]/.test(value) && readsAs(value)))
    if (!hasRow) {
      this.#statements += quads.map(toNTriples).join('')
      if (this.#statements.length > MOST_CHARACTERS / 2) {
        yield* this.#statementRows('', '', this.#statements)
        this.#statements = ''
      }
      return
    }
    const type = types.map(({ value }) => shortened(value)).join(SEPARATOR) || earlierType!
    if (!types.some(({ value }) => value === CONCEPT) && this.#nonConceptTypes.size < MOST_NON_CONCEPTS)
      this.#nonConceptTypes.set(uri, type)
    const texts = new Map<string, string[]>()
    let rest = ''
    for (const quad of quads) {
      if (quad.predicate.value === RDF_TYPE) continue
      const cell = this.#cellOf(quad)
      if (cell === undefined) {
        rest += toNTriples(quad)
        continue
      }
      const before = texts.get(cell.key)
      if (before) before.push(cell.text)
      else texts.set(cell.key, [cell.text])
    }
    do {
      yield [uri, type, ...this.#columns!.map(({ key }) => takeCell(texts, key)), takeStatements()]
    } while (texts.size > 0 || rest !== '')

    function takeStatements(): string {
      const [taken, left] = splitStatements(rest)
      rest = left
      return taken
    }
  }

  *#statementRows(uri: string, type: string, statements: string): Generator<TextRow> {
    for (let rest = statements; rest !== '';) {
      const [taken, left] = splitStatements(rest)
      rest = left
      yield [uri, type, ...this.#columns!.map(() => ''), taken]
    }
  }

  /** The place and the text of a value; undefined if no cell can have it. */
  #cellOf(quad: Quad): { key: string; text: string } | undefined {
    const key = keyOf(quad)
    const written = key === undefined ? undefined : this.#columns!.find((column) => column.key === key)
    if (written === undefined) return undefined
    const { value } = quad.object
    if (value.length > MOST_CHARACTERS || NOT_IN_CELLS.test(value)) return undefined
    const [read, ...more] = readValues(value, written.column, SETTINGS)
    if (read === undefined || more.length > 0 || !('term' in read)) return undefined
    const { term } = read
    const { object } = quad
    if (term.termType !== object.termType || term.value !== object.value) return undefined
    if (isLiteral(term) && isLiteral(object)) {
      if (term.language !== object.language || term.datatype.value !== object.datatype.value) return undefined
    }
    return { key: written.key, text: value }
  }
}

/** Takes as many values of a column as one cell has room for. */
function takeCell(texts: Map<string, string[]>, key: string): string {
  const values = texts.get(key)
  if (values === undefined) return ''
  let text = values.shift()!
  while (values.length > 0 && text.length + values[0]!.length < MOST_CHARACTERS) text += SEPARATOR + values.shift()!
  if (values.length === 0) texts.delete(key)
  return text
}

/** Takes as much N-Triples as one cell has room for: whole lines, or a part of one that does not look like its end. */
function splitStatements(text: string): [taken: string, rest: string] {
  if (text.length <= MOST_CHARACTERS) return [text, '']
  let at = text.lastIndexOf('\n', MOST_CHARACTERS - 1) + 1
  if (at === 0) {
    at = MOST_CHARACTERS
    while (/[\s.\ud800-\udbff]/.test(text[at - 1]!)) at--
  }
  return [text.slice(0, at), text.slice(at)]
}

/** A statement in N-Triples, in characters that cells can have. */
function toNTriples({ subject, predicate, object }: Quad): string {
  const name = (term: { termType: string; value: string }) =>
    term.termType === 'BlankNode' ? `_:${term.value.replace(/^_:/, '')}` : `<${term.value}>`
  const written = isLiteral(object)
    ? writeLiteral(object.value, { language: object.language, datatype: object.datatype.value })
    : name(object)
  return `${name(subject)} <${predicate.value}> ${written} .\n`
    .replace(/[\ufffe\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '\\u005F')
}

/** A column stands for a property, and for one language. */
function keyOf({ predicate, object }: Quad): string | undefined {
  if (object.termType === 'BlankNode') return undefined
  const language = isLiteral(object) ? object.language : ''
  return language === '' ? predicate.value : `${predicate.value}@${language}`
}

/** The columns for statements, in the order of the fields of records. */
function columnsOf(quads: readonly Quad[]): WrittenColumn[] {
  const counts = new Map<string, number>()
  const examples = new Map<string, Quad>()
  for (const quad of quads) {
    const key = keyOf(quad)
    if (key === undefined || quad.predicate.value === RDF_TYPE) continue
    counts.set(key, (counts.get(key) ?? 0) + 1)
    if (!examples.has(key)) examples.set(key, quad)
  }
  const columns = [...examples].flatMap(([key, { predicate, object }]): WrittenColumn[] => {
    const language = isLiteral(object) ? object.language : ''
    const after = language === '' ? '' : `@${language}`
    for (const name of [headingOf(predicate.value, PREFIXES), `<${predicate.value}>`]) {
      const column = readHeading(name + after, PREFIXES)
      if (column?.kind !== 'property' || column.isInverse) continue
      if (
        column.property === predicate.value &&
        (column.language ?? '') === language &&
        column.datatype === undefined
      ) {
        return [{ key, heading: name + after, column }]
      }
    }
    return []
  })
  return columns
    .sort((a, b) => counts.get(b.key)! - counts.get(a.key)!)
    .slice(0, MOST_COLUMNS)
    .sort((a, b) => place(a) - place(b) || (a.key < b.key ? -1 : 1))
}

function place({ column }: WrittenColumn): number {
  const at = FIELDS.findIndex((field) => field === column.field)
  return at < 0 ? FIELDS.length : at
}

/** True for an IRI that a cell reads as this IRI. */
function readsAs(iri: string): boolean {
  return !NOT_IN_CELLS.test(iri) && expand(iri, PREFIXES) === iri
}

function shortened(type: string): string {
  return type.startsWith(SKOS) ? `skos:${type.slice(SKOS.length)}` : type
}
