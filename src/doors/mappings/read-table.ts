import { basename } from 'node:path'
import { mappingTypes } from 'jskos-tools'
import { parse } from 'yaml'
import { InputError } from '../../base/files/input-error.ts'
import { readRecords } from '../../base/files/json-records.ts'
import { readStart, readText } from '../../base/files/text.ts'
import { isObject, withoutUndefined } from '../../base/json.ts'
import { MAPPING_TYPES, type MappedConcept, type MappedScheme, type Mapping } from '../../graph/jskos/mapping.ts'
import { schemeNotations } from '../../graph/jskos/field-values.ts'
import { SKOS, SSSOM } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { withoutApostrophes } from '../../graph/tables/cell-text.ts'
import { readCsv } from '../../graph/tables/csv.ts'
import { messageOf } from '../../base/thrown.ts'
import { findVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { isRdf } from '../../writing/source/parse.ts'
import { readRdfMappings } from './read-rdf.ts'
import { BUILT_IN } from './sssom.ts'

/** The facts that a file of mappings may leave out. */
interface MappingContext {
  /** The vocabularies of the concordance. */
  fromScheme?: MappedScheme | null | undefined
  toScheme?: MappedScheme | null | undefined
  vocabularies: readonly Vocabulary[]
  /** Receives each column of a table, and each property of RDF, with values that no mapping keeps. */
  onIgnored?: (column: string) => void
}

/** A mapping of a file, unchecked, or what is wrong with it. */
export type MappingEntry = {
  /** Such as `table.csv, line 4`. */
  place: string
} & (
  | { value: unknown }
  /** Its mistakes. */
  | { mistake: string }
  /** The reason for which a valid row is left out. */
  | { leftOut: string }
)

/** A mapping of a table whose concepts may have notations alone. */
export type TableEntry = { place: string } & ({ value: Mapping } | { mistake: string })

/**
 * The mappings of a file, each with its place: JSKOS, RDF, SSSOM/TSV, or a table with the columns of docs/mappings.md.
 *
 * @param resolve finds the URIs of the concepts that rows of tables name by notation.
 * @throws InputError naming file and line if the file cannot be read further.
 */
export async function* readMappings(
  file: string,
  context: MappingContext,
  resolve: (rows: AsyncIterable<TableEntry>) => AsyncIterable<MappingEntry> = (rows) => rows,
): AsyncGenerator<MappingEntry> {
  if (await isRdf(file)) yield* readRdfEntries(file, context)
  else if (await isTableFile(file)) yield* resolve(readRows(file, context))
  else
    for await (const { value, line } of readRecords(readText(file), file)) yield { place: placeOf(file, line), value }
}

/** The mappings of a file of RDF, whether they belong to a correspondence or not. */
async function* readRdfEntries(
  file: string,
  { vocabularies, onIgnored }: MappingContext,
): AsyncGenerator<MappingEntry> {
  const { correspondences, unassigned, mistakes, ignored } = await readRdfMappings(file, vocabularies)
  yield* mistakes
  for (const { mappings } of correspondences) yield* mappings
  yield* unassigned
  for (const property of ignored) onIgnored?.(property)
}

/** A line of a file in the words of messages. */
export function placeOf(file: string, line: number): string {
  return `${basename(file)}, line ${line}`
}

async function* readRows(file: string, context: MappingContext): AsyncGenerator<TableEntry> {
  const { rows, delimiter } = await readCsv(file, undefined, /\.tsv(\.gz)?$/i.test(file) ? '\t' : undefined)
  let comment = ''
  let read: ((row: RowReader) => Mapping) | undefined
  let columns: string[] = []
  for await (const { number: line, values } of rows) {
    const cells = values.map((cell) => String(cell ?? '').trim())
    if (read === undefined && cells[0]!.startsWith('#')) {
      // Programs for tables fill the row up to its end.
      const filled = cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1).length
      comment += `${values.slice(0, filled).join(delimiter).replace(/^\s*#/, '').trimEnd()}\n`
      continue
    }
    if (cells.every((cell) => cell === '')) continue
    if (read === undefined) {
      columns = cells
      try {
        read = readerFor(columns, comment, context)
      } catch (error) {
        throw new InputError(messageOf(error), file, { line })
      }
      continue
    }
    const place = placeOf(file, line)
    if (cells.length > columns.length) {
      yield { place, mistake: `expected ${columns.length} cells, got ${cells.length}` }
      continue
    }
    const row = new RowReader(
      columns,
      hasSssomColumns(columns) && delimiter === '\t' ? cells.map(withoutApostrophes) : cells,
    )
    const value = row.attempt(() => read!(row))
    for (const mistake of row.mistakes) yield { place, mistake }
    if (row.mistakes.length === 0) yield { place, value: value! }
    row.unread().forEach((column) => context.onIgnored?.(column))
  }
  if (read === undefined) throw new InputError('expected a heading.', file)
}

/** A text that does not begin as JSON is a table, unless its name has the extension of another format. */
async function isTableFile(file: string): Promise<boolean> {
  if (/\.(csv|tsv)(\.gz)?$/i.test(file)) return true
  return !/\.(json|ndjson|jsonl)(\.gz)?$/i.test(file) && /[#A-Za-z"]/.test(await firstLetter(file))
}

async function firstLetter(file: string): Promise<string> {
  return (
    (await readStart(file))
      .toString()
      .replace(/^\ufeff/, '')
      .trimStart()[0] ?? ''
  )
}

/** The cells of a row by the names of their columns. */
class RowReader {
  readonly #cells: ReadonlyMap<string, string>
  readonly #columns: readonly string[]
  readonly #read = new Set<string>()
  /** The mistakes in the row. */
  readonly mistakes: string[] = []

  constructor(columns: readonly string[], cells: readonly string[]) {
    this.#cells = new Map(columns.map((column, at) => [column.toLowerCase(), cells[at] ?? '']))
    this.#columns = columns
  }

  /** Undefined if the cell is empty or there is no such column. */
  get(column: string): string | undefined {
    const key = column.toLowerCase()
    this.#read.add(key)
    return this.#cells.get(key) || undefined
  }

  /** The columns with values that nobody has read. */
  unread(): string[] {
    return this.#columns.filter((column) => {
      const key = column.toLowerCase()
      return this.#cells.get(key) !== '' && !this.#read.has(key)
    })
  }

  require(column: string): string {
    const value = this.get(column)
    if (value === undefined) throw new Error(`${column}: expected a value`)
    return value
  }

  /** The value of a part of the row; undefined if the part has a mistake, which is then in the list. */
  attempt<T>(read: () => T): T | undefined {
    try {
      return read()
    } catch (error) {
      this.mistakes.push(messageOf(error))
      return undefined
    }
  }
}

function readerFor(columns: readonly string[], comment: string, context: MappingContext): (row: RowReader) => Mapping {
  const names = columns.map((column) => column.toLowerCase())
  const twice = columns.find((column, at) => column !== '' && names.indexOf(column.toLowerCase()) !== at)
  if (twice !== undefined) throw new Error(`the column ${twice} is there twice`)
  const lacking = (needed: readonly string[]) => needed.filter((column) => !columns.includes(column)).join(', ')
  if (hasSssomColumns(columns)) {
    const missing = lacking(['predicate_id', 'object_id', 'mapping_justification'])
    if (missing !== '') throw new Error(`expected the columns of SSSOM, ${missing} is missing`)
    return sssomReader(comment, context)
  }
  const sides = (['from', 'to'] as const).map((side) => conceptColumns(columns, side))
  if (sides.some((concepts) => concepts.length === 0)) {
    throw new Error('expected the columns from, to and type, or those of SSSOM')
  }
  return (row) => notationRow(row, sides[0]!, sides[1]!, context)
}

function hasSssomColumns(columns: readonly string[]): boolean {
  return columns.includes('subject_id')
}

/** The columns of one concept: its URI or notation, and more about it. */
interface ConceptColumns {
  name: string[]
  uri: string | undefined
  label: string | undefined
}

/**
 * The columns of each concept of a side: `from`, `fromNotation`, `fromUri`, `fromLabel`, `fromNotation2` and so on, in
 * any case.
 */
function conceptColumns(columns: readonly string[], side: 'from' | 'to'): ConceptColumns[] {
  const named = (name: string) => columns.find((column) => column.toLowerCase() === name.toLowerCase())
  const form = RegExp(`^${side}(?:(?:notation|uri)(\\d*))?$`, 'i')
  const numbers = new Set(columns.filter((column) => form.test(column)).map((column) => form.exec(column)![1] ?? ''))
  return [...numbers].map((number) => {
    const nameColumns = [number === '' ? named(side) : undefined, named(`${side}Notation${number}`)]
    const name = nameColumns.filter((column) => column !== undefined)
    return { name, uri: named(`${side}Uri${number}`), label: named(`${side}Label${number}`) }
  })
}

/** A row of a table with `from`, `to` and `type`. */
function notationRow(
  row: RowReader,
  from: readonly ConceptColumns[],
  to: readonly ConceptColumns[],
  { fromScheme, toScheme, vocabularies }: MappingContext,
): Mapping {
  const concepts = (columns: readonly ConceptColumns[]): MappedConcept[] =>
    columns.flatMap(({ name, uri: ofUri, label: ofLabel }) => {
      const given = name.flatMap((column) => row.get(column) ?? [])
      const uri = (ofUri === undefined ? undefined : row.get(ofUri)) ?? given.find(isAbsoluteIri)
      const notation = given.find((name) => !isAbsoluteIri(name))
      const label = ofLabel === undefined ? undefined : row.get(ofLabel)
      if (uri === undefined && notation === undefined) return []
      return [
        {
          ...(uri !== undefined && { uri }),
          ...(notation !== undefined && { notation: [notation] }),
          ...(label !== undefined && { prefLabel: { und: label } }),
        },
      ]
    })
  const scheme = (side: 'from' | 'to', otherwise: MappedScheme | null | undefined): MappedScheme | undefined => {
    const [name, uri] = [row.get(`${side}Scheme`), row.get(`${side}SchemeUri`)]
    const given = uri ?? name
    if (given === undefined) return otherwise ?? undefined
    const vocabulary = findVocabulary(vocabularies, given)
    if (vocabulary) return { uri: vocabulary.uri, notation: schemeNotations(vocabulary.notations, vocabulary.ids) }
    if (uri !== undefined) return { uri, ...(name !== undefined && name !== uri && { notation: [name] }) }
    if (otherwise?.uri === given || otherwise?.notation?.includes(given)) return otherwise
    return isAbsoluteIri(given) ? { uri: given } : { notation: [given] }
  }
  const [source, target] = [concepts(from), concepts(to)]
  if (source.length + target.length === 0) row.mistakes.push('from, to: expected a concept in one of them')
  const type = row.get('type')
  const property = type === undefined ? undefined : row.attempt(() => typeNamed(type))
  return withoutUndefined<Mapping>({
    from: { memberSet: source },
    fromScheme: scheme('from', fromScheme),
    to: { memberSet: target },
    toScheme: scheme('to', toScheme),
    type: property === undefined ? undefined : [property],
  })
}

/** The mapping property with a URI, a name such as skos:exactMatch, exactMatch or exact, or a sign such as =. */
function typeNamed(name: string): string {
  const local = name.replace(SKOS, '').replace(/^skos:/, '')
  const type =
    MAPPING_TYPES.find((type) => [local, `${local}Match`].includes(type.slice(SKOS.length))) ??
    mappingTypes.find(({ notation }) => notation.includes(name))?.uri
  if (type) return type
  throw new Error(
    `type: expected one of ${MAPPING_TYPES.map((mappingType) => mappingType.slice(SKOS.length)).join(', ')}`,
  )
}

/** Reads rows of SSSOM. The lines before the table apply to every row without a value of its own. */
function sssomReader(comment: string, context: MappingContext): (row: RowReader) => Mapping {
  const set = (parse(comment) ?? {}) as unknown
  if (!isObject(set)) throw new Error('expected YAML with names and values before the table')
  const prefixes: Record<string, unknown> = { ...BUILT_IN, ...(set['curie_map'] as object | undefined) }
  const uri = (column: string, name: string): string => {
    const at = name.indexOf(':')
    const space = at < 0 || !Object.hasOwn(prefixes, name.slice(0, at)) ? undefined : prefixes[name.slice(0, at)]
    if (typeof space === 'string') return space + name.slice(at + 1)
    if (/^(https?:\/\/|urn:)/.test(name)) return name
    throw new Error(`${column}: the prefix of ${JSON.stringify(name)} is not in curie_map`)
  }
  return (row) => {
    const get = (column: string) => {
      const value = row.get(column)
      const common = set[column]
      return value ?? (typeof common === 'string' || typeof common === 'number' ? String(common) : undefined)
    }
    const term = (column: string) => {
      const name = get(column)
      return name === undefined ? undefined : uri(column, name)
    }
    if (get('predicate_modifier') !== undefined) {
      row.mistakes.push('predicate_modifier: SKOS has no property for a mapping that does not hold')
    }
    const concepts = (side: string): MappedConcept[] => {
      const label = row.get(`${side}_label`)
      const term = row.attempt(() => uri(`${side}_id`, row.require(`${side}_id`)))
      if (term === undefined || term === `${SSSOM}NoTermFound`) return []
      return [{ uri: term, ...(label && { prefLabel: { und: label } }) }]
    }
    const [subject, object] = [concepts('subject'), concepts('object')]
    if (subject.length + object.length === 0 && row.mistakes.length === 0) {
      row.mistakes.push('object_id: expected a term on one side at least')
    }
    const predicate = row.attempt(() => uri('predicate_id', row.require('predicate_id')))
    if (predicate !== undefined && !MAPPING_TYPES.includes(predicate)) {
      const types = MAPPING_TYPES.map((mappingType) => mappingType.replace(SKOS, 'skos:'))
      row.mistakes.push(`predicate_id: expected one of ${types.join(', ')}`)
    }
    const confidence = get('confidence')
    if (confidence !== undefined && !(Number(confidence) >= 0 && Number(confidence) <= 1)) {
      row.mistakes.push('confidence: expected a number from 0 to 1')
    }
    const scheme = (column: string, otherwise: MappedScheme | null | undefined) => {
      const uri = row.attempt(() => term(column))
      return uri === undefined || uri === otherwise?.uri ? (otherwise ?? undefined) : { uri }
    }
    const [ids, labels] = [valuesInCell(get('author_id')), valuesInCell(get('author_label'))]
    const withId = ids.map((id) => ({ uri: row.attempt(() => uri('author_id', id)) }))
    // Exports have the URI as the label of a creator without a name.
    const withLabel = labels
      .filter((label) => ids.length === labels.length || !withId.some((creator) => creator.uri === label))
      .map((label) => ({ prefLabel: { und: label } }))
    // With lists of different lengths, nobody knows which label belongs to which creator.
    const creator =
      ids.length === labels.length
        ? withId.map((creator, nth) => ({ ...creator, ...withLabel[nth] }))
        : [...withId, ...withLabel]
    return withoutUndefined<Mapping>({
      from: { memberSet: subject },
      fromScheme: scheme('subject_source', context.fromScheme),
      to: { memberSet: object },
      toScheme: scheme('object_source', context.toScheme),
      type: predicate === undefined ? undefined : [predicate],
      justification: row.attempt(() => uri('mapping_justification', row.require('mapping_justification'))),
      creator: creator.length > 0 ? creator : undefined,
      created: get('mapping_date'),
      mappingRelevance: confidence === undefined ? undefined : Number(confidence),
      // A comment before the table is one on the set.
      note: row.get('comment') === undefined ? undefined : { und: [row.get('comment')] },
    })
  }
}

/** The values of a cell with several (SSSOM/TSV, "Multi-valued slots"). */
function valuesInCell(cell: string | undefined): string[] {
  if (cell === undefined) return []
  return (cell.match(/(?:\\.|[^|\\]|\\$)+/gs) ?? []).map((value) => value.replaceAll('\\|', '|').trim())
}
