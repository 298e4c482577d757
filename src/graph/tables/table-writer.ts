import type { Quad } from '@rdfjs/types'
import { COLLECTION, CONCEPT, CONCEPT_SCHEME, ORDERED_COLLECTION, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { isLiteral, writeLiteral } from '../sparql/statements.ts'
import { SEPARATOR, withApostrophes } from './cell-text.ts'
import { MOST_CELL_CHARACTERS, readsAs, TableColumns, type WrittenColumn } from './table-columns.ts'
import { addToList } from '../../base/groups.ts'

/** The texts of one row; an empty text is an empty cell. */
export type TextRow = string[]

/** Statements that wait for the columns of a table to be known. */
const SAMPLE = 20_000
/** The types of resources with rows of their own; other resources only appear in the column of statements. */
const TYPES = [CONCEPT, COLLECTION, ORDERED_COLLECTION, CONCEPT_SCHEME]
/** Vocabularies and collections to remember. */
const MOST_NON_CONCEPTS = 10_000

interface TableWriting {
  /** The columns; absent: the first statements show them. */
  columns?: TableColumns | undefined
  /** The type of most rows, whose cell stays empty; absent: every row has its type. */
  usualType?: string | undefined
  /** True for a statement that follows from others. @param statements about the same resource. */
  follows?: (quad: Quad, statements: readonly Quad[]) => boolean
  /** The name by which cells name a concept; by default its URI. */
  nameOf?: (uri: string) => string | undefined
}

/**
 * Writes statements as the rows of a table that `parseTables` reads back without a difference: a row for every concept,
 * collection and vocabulary, columns by property and language. Statements that cells cannot express go as N-Triples
 * into the column `statements`: a value is in a column only if reading the cell gives exactly this value.
 *
 * Statements about one subject have to come one after the other to be one row; otherwise it gets several, which mean
 * the same.
 */
export class TableWriter {
  readonly #writing: TableWriting
  readonly #columns: TableColumns
  /** Undefined until the heading is written. */
  #chosen: WrittenColumn[] | undefined
  readonly #usualType: string | undefined
  #waiting: Quad[] = []
  #run: Quad[] = []
  /** The types of vocabularies and collections so far; stores may give statements about them in several places. */
  readonly #nonConceptTypes = new Map<string, string>()
  /** N-Triples about resources without a row of their own. */
  #statements = ''

  constructor(writing: TableWriting = {}) {
    this.#writing = writing
    this.#columns = writing.columns ?? new TableColumns()
    this.#usualType = writing.usualType && shortened(writing.usualType)
  }

  /**
   * The next rows, the first of which is the heading. If no columns are given, the first statements wait until there
   * are enough to know them.
   */
  *write(quads: readonly Quad[]): Generator<TextRow> {
    if (this.#chosen === undefined) {
      for (const quad of quads) this.#waiting.push(quad)
      if (this.#waiting.length < SAMPLE && !this.#writing.columns) return
      yield* this.#begin()
      return
    }
    yield* this.#rows(quads)
  }

  /** The last rows. */
  *end(): Generator<TextRow> {
    if (this.#chosen !== undefined) yield* this.#last()
    else yield* withoutEmpty('statements', [...this.#begin(), ...this.#last()])
  }

  *#last(): Generator<TextRow> {
    yield* this.#resource()
    if (this.#statements !== '') yield* this.#statementRows(this.#statements)
  }

  *#begin(): Generator<TextRow> {
    const quads = this.#waiting.splice(0)
    if (!this.#writing.columns) {
      for (const run of quadsBySubject(quads)) if (typesOfRow(run)) this.#columns.count(this.#stated(run))
    }
    this.#chosen = this.#columns.chosen()
    yield ['uri', 'type', ...this.#chosen.map(({ heading }) => heading), 'statements']
    yield* this.#rows(quads)
  }

  *#rows(quads: readonly Quad[]): Generator<TextRow> {
    for (const run of quadsBySubject(quads)) {
      if (this.#run.length > 0 && !isSameSubject(this.#run[0]!, run[0]!)) yield* this.#resource()
      for (const quad of run) this.#run.push(quad)
    }
  }

  /** The statements about a resource that do not follow from others. */
  #stated(quads: readonly Quad[]): readonly Quad[] {
    const { follows } = this.#writing
    return follows ? quads.filter((quad) => !follows(quad, quads)) : quads
  }

  /** The rows of the statements about one subject. */
  *#resource(): Generator<TextRow> {
    const whole = this.#run.splice(0)
    const [first] = whole
    if (first === undefined) return
    const quads = this.#stated(whole)
    const uri = first.subject.value
    const earlierType = this.#nonConceptTypes.get(uri)
    const types = typesOfRow(whole)
    if (types === undefined && earlierType === undefined) {
      this.#statements += quads.map(statementText).join('')
      if (this.#statements.length > MOST_CELL_CHARACTERS / 2) {
        yield* this.#statementRows(this.#statements)
        this.#statements = ''
      }
      return
    }
    const type = types?.map(shortened).join(SEPARATOR) ?? earlierType!
    if (types && !types.includes(CONCEPT) && this.#nonConceptTypes.size < MOST_NON_CONCEPTS)
      this.#nonConceptTypes.set(uri, type)
    const texts = new Map<string, string[]>()
    let rest = ''
    for (const quad of quads) {
      if (types && quad.predicate.value === RDF_TYPE) continue
      const cell = this.#columns.write(quad, this.#writing.nameOf)
      if (cell === undefined || !this.#chosen!.includes(cell.column)) {
        rest += statementText(quad)
        continue
      }
      addToList(texts, cell.column.key, cell.text)
    }
    const typeCell = type === this.#usualType ? '' : type
    do {
      yield [uri, typeCell, ...this.#chosen!.map(({ key }) => takeCell(texts, key)), takeStatements()]
    } while (texts.size > 0 || rest !== '')

    function takeStatements(): string {
      const [taken, left] = splitStatements(rest)
      rest = left
      return taken
    }
  }

  *#statementRows(statements: string): Generator<TextRow> {
    for (let rest = statements; rest !== '';) {
      const [taken, left] = splitStatements(rest)
      rest = left
      yield ['', '', ...this.#chosen!.map(() => ''), taken]
    }
  }
}

/** The statements in their order, those about one subject together that come one after the other. */
export function* quadsBySubject(quads: readonly Quad[]): Generator<Quad[]> {
  let start = 0
  for (let at = 1; at <= quads.length; at++) {
    if (at < quads.length && isSameSubject(quads[start]!, quads[at]!)) continue
    yield quads.slice(start, at)
    start = at
  }
}

function isSameSubject({ subject: a }: Quad, { subject: b }: Quad): boolean {
  return a.value === b.value && a.termType === b.termType
}

/** The types of a resource with rows of its own; undefined if it only appears in the column of statements. */
export function typesOfRow(quads: readonly Quad[]): string[] | undefined {
  const types = quads.flatMap(({ predicate, object }) => (predicate.value === RDF_TYPE ? [object] : []))
  const [first] = quads
  const hasRow =
    first?.subject.termType === 'NamedNode' &&
    readsAs(first.subject.value) &&
    types.some(({ value }) => TYPES.includes(value)) &&
    types.every(({ termType, value }) => termType === 'NamedNode' && !/[,|\s]/.test(value) && readsAs(value))
  return hasRow ? types.map(({ value }) => value) : undefined
}

/** Rows without a column that is empty in all of them. */
export function withoutEmpty(heading: string, rows: readonly TextRow[]): readonly TextRow[] {
  const at = rows[0]?.indexOf(heading) ?? -1
  const isEmpty = at >= 0 && rows.slice(1).every((row) => row[at] === '')
  return isEmpty ? rows.map((row) => row.toSpliced(at, 1)) : rows
}

/** Takes as many values of a column as one cell has room for. */
function takeCell(texts: Map<string, string[]>, key: string): string {
  const values = texts.get(key)
  if (values === undefined) return ''
  let text = values.shift()!
  while (values.length > 0 && text.length + values[0]!.length < MOST_CELL_CHARACTERS)
    text += SEPARATOR + values.shift()!
  if (values.length === 0) texts.delete(key)
  return text
}

/** Takes as much N-Triples as one cell has room for: whole lines, or a part of one that does not look like its end. */
function splitStatements(text: string): [taken: string, rest: string] {
  if (text.length <= MOST_CELL_CHARACTERS) return [text, '']
  let at = text.lastIndexOf('\n', MOST_CELL_CHARACTERS - 1) + 1
  if (at === 0) {
    at = MOST_CELL_CHARACTERS
    while (/[\s.\ud800-\udbff]/.test(text[at - 1]!)) at--
  }
  return [text.slice(0, at), text.slice(at)]
}

/** A statement in N-Triples, in characters that cells can have. */
export function statementText({ subject, predicate, object }: Quad): string {
  const name = (term: { termType: string; value: string }) =>
    term.termType === 'BlankNode' ? `_:${term.value.replace(/^_:/, '')}` : `<${term.value}>`
  const written = isLiteral(object)
    ? writeLiteral(object.value, { language: object.language, datatype: object.datatype.value })
    : name(object)
  return `${name(subject)} <${predicate.value}> ${written} .\n`
    .replace(/[\ufffe\uffff]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).toUpperCase()}`)
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, '\\u005F')
}

function shortened(type: string): string {
  return type.startsWith(SKOS) ? `skos:${type.slice(SKOS.length)}` : type
}

/** A row as a line of CSV (RFC 4180), in which no cell is a formula. */
export function csvLine(row: TextRow): string {
  return `${row.map((text) => quotedCell(withApostrophes(text))).join(',')}\r\n`
}

/** A row as a line of values between tabs, in which no cell is a formula. */
export function tsvLine(row: readonly string[]): string {
  return `${row.map((text) => quotedCell(withApostrophes(text))).join('\t')}\n`
}

function quotedCell(text: string): string {
  return /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
