import type { Message } from '../../base/message-languages.ts'
import { shorten } from '../../base/unicode.ts'

/** A mistake in a cell. */
export interface Mistake {
  severity: 'violation' | 'warning'
  /** Such as `Concepts!E14`. */
  cell: string
  /** Begins with the cell. */
  message: Message
}

/** Labels in messages have at most this many characters. */
const MOST_OF_LABEL = 100

const message = (en: string, de: string): Message => ({ en, de })

const NO_COLUMN = message('the column is not read', 'die Spalte wird nicht gelesen')
const NO_ROW = message('the row is not read', 'die Zeile wird nicht gelesen')

/** THE table of the texts of mistakes in cells (docs/tables.md). */
export const MISTAKES = {
  hiddenSheet: message('the sheet is hidden and not read', 'das Blatt ist ausgeblendet und wird nicht gelesen'),
  hiddenRow: (more: number) => {
    return message(
      `the row is hidden; it is read${more > 0 ? `, like ${more} more` : ''}`,
      `die Zeile ist ausgeblendet; sie wird gelesen${more > 0 ? `, ebenso ${more} weitere` : ''}`,
    )
  },
  hiddenColumn: (more: number) => {
    return message(
      `the column is hidden; it is read${more > 0 ? `, like ${more} more` : ''}`,
      `die Spalte ist ausgeblendet; sie wird gelesen${more > 0 ? `, ebenso ${more} weitere` : ''}`,
    )
  },
  unknownHeading: (heading: string) => {
    return message(
      `no field has the name "${heading}"; ${NO_COLUMN.en}`,
      `kein Feld hat den Namen „${heading}“; ${NO_COLUMN.de}`,
    )
  },
  unknownOption: (option: string) => {
    return message(
      `the option ${option} is not known; ${NO_COLUMN.en}`,
      `die Option ${option} ist nicht bekannt; ${NO_COLUMN.de}`,
    )
  },
  belowNoHeading: (text: string, more: number) => {
    return message(
      `"${text}" is below no heading; it is not read${more > 0 ? `, like ${more} more` : ''}`,
      `„${text}“ steht unter keiner Überschrift und wird nicht gelesen${more > 0 ? `, ebenso ${more} weitere` : ''}`,
    )
  },
  formulaWithoutValue: message(
    'the workbook has no value of the formula; save it with a spreadsheet program',
    'die Arbeitsmappe enthält keinen Wert der Formel; speichern Sie sie mit einem Tabellenprogramm',
  ),
  formulaWithError: (error: string) => {
    return message(`the formula gives the error ${error}`, `die Formel ergibt den Fehler ${error}`)
  },
  noUriInLine: (text: string) => {
    return message(
      `expected a URI in angle brackets at the beginning of the line, found "${text}"; the line is not read`,
      `am Anfang der Zeile steht kein URI in spitzen Klammern, sondern „${text}“; ${NO_ROW.de}`,
    )
  },
  cleanedUri: (text: string, uri: string) => {
    return message(`"${text}" is no URI; it became <${uri}>`, `„${text}“ ist kein URI; daraus wurde <${uri}>`)
  },
  noUri: (text: string) => {
    return message(`expected a URI, found "${text}"`, `erwartet wird ein URI, hier steht „${text}“`)
  },
  rowWithoutUri: (text: string) => {
    return message(
      `expected a URI, found "${text}"; ${NO_ROW.en}`,
      `erwartet wird ein URI, hier steht „${text}“; ${NO_ROW.de}`,
    )
  },
  noVocabulary: (text: string) => {
    return message(
      `expected the URI of a vocabulary, found "${text}"`,
      `erwartet wird der URI eines Vokabulars, hier steht „${text}“`,
    )
  },
  noSchemeUri: (text: string) => {
    return message(
      `expected the URI of the vocabulary, found "${text}"`,
      `erwartet wird der URI des Vokabulars, hier steht „${text}“`,
    )
  },
  noNamespace: (prefix: string, text: string) => {
    return message(
      `expected the namespace of the prefix "${prefix}", found "${text}"`,
      `erwartet wird der Namensraum des Präfixes „${prefix}“, hier steht „${text}“`,
    )
  },
  requiredByTemplate: (name: string) => {
    return message(`the template requires a value of "${name}"`, `die Vorlage verlangt einen Wert für „${name}“`)
  },
  noDate: (text: string) => {
    return message(
      `expected a date such as 2026-01-31, found "${text}"`,
      `erwartet wird ein Datum wie 2026-01-31, hier steht „${text}“`,
    )
  },
  noTruth: (text: string) => {
    return message(
      `expected true or false, found "${text}"`,
      `erwartet wird true oder false (ja oder nein), hier steht „${text}“`,
    )
  },
  noClass: (text: string) => {
    return message(`"${text}" is no class; it is not read`, `„${text}“ ist keine Klasse und wird nicht gelesen`)
  },
  sameUri: (name: string, uri: string, other: { name: string; cell: string }) => {
    return message(
      `"${name}" makes the URI <${uri}>, as "${other.name}" in ${other.cell} does; give one of them another notation or a URI; ${NO_ROW.en}`,
      `aus „${name}“ wird der URI <${uri}>, ebenso aus „${other.name}“ in ${other.cell}; geben Sie einem davon eine andere Notation oder einen URI; ${NO_ROW.de}`,
    )
  },
  sameLabel: (name: string) => {
    return message(
      `another row has the same label "${name}"; both are one concept`,
      `eine andere Zeile hat dieselbe Bezeichnung „${name}“; beide sind ein Begriff`,
    )
  },
  sameNotation: (
    notation: string,
    label: string,
    earlier: { label: string; cell: string },
    { mayBeNumber }: { mayBeNumber: boolean },
  ) => {
    const hint = mayBeNumber
      ? message(
          '; spreadsheet programs make 1.1 of 1.10: format the column as text',
          '; Tabellenprogramme machen aus 1.10 die Zahl 1.1: formatieren Sie die Spalte als Text',
        )
      : message('', '')
    return message(
      `the notation ${notation} of "${label}" is that of "${earlier.label}" in ${earlier.cell}, too; give each its own notation; ${NO_ROW.en}${hint.en}`,
      `die Notation ${notation} von „${label}“ hat auch „${earlier.label}“ in ${earlier.cell}; geben Sie jedem eine eigene Notation; ${NO_ROW.de}${hint.de}`,
    )
  },
  numericNotation: (value: number, more: number) => {
    return message(
      `the notation ${value}${more > 0 ? ` (like ${more} more below)` : ''} is a number in the workbook, which cannot begin with 0; if it should, format the column as text`,
      `die Notation ${value}${more > 0 ? ` (wie ${more} weitere darunter)` : ''} ist in der Arbeitsmappe eine Zahl, die nicht mit 0 beginnen kann; soll sie das, formatieren Sie die Spalte als Text`,
    )
  },
  semicolon: (label: string, more: number) => {
    const text = shorten(label, MOST_OF_LABEL)
    return message(
      `"${text}" is one label${more > 0 ? `, like ${more} more below` : ''}; two names? write |`,
      `„${text}“ ist eine einzige Bezeichnung${more > 0 ? `, wie ${more} weitere darunter` : ''}; zwei Namen? Schreiben Sie |`,
    )
  },
  nameless: (kind: 'concepts' | 'collections', row: number) => {
    return message(
      `the ${kind === 'concepts' ? 'concept' : 'collection'} of row ${row} has no URI, no notation and no label`,
      `${kind === 'concepts' ? 'der Begriff' : 'die Gruppe'} in Zeile ${row} hat keinen URI, keine Notation und keine Bezeichnung`,
    )
  },
  nothingAbove: (label: string) => {
    return message(
      `"${label}" has nothing above it: the level before is empty in all rows so far`,
      `über „${label}“ steht nichts: die Ebene davor ist in allen Zeilen bis hier leer`,
    )
  },
  severalConcepts: (name: string, count: number) => {
    return message(
      `"${name}" is the name of ${count} concepts; write the notation or the URI of one`,
      `„${name}“ ist der Name von ${count} Begriffen; schreiben Sie die Notation oder den URI von einem`,
    )
  },
  noCollection: (name: string, similar: string | undefined) => {
    const proposal = proposalOf(similar)
    return message(
      `there is no collection "${name}" here${proposal.en}`,
      `es gibt hier keine Gruppe „${name}“${proposal.de}`,
    )
  },
  noConcept: (name: string, field: string, similar: string | undefined) => {
    const proposal = proposalOf(similar)
    return message(
      `no concept has the notation, label or URI "${name}" (${field})${proposal.en}`,
      `kein Begriff hat die Notation, die Bezeichnung oder den URI „${name}“ (${field})${proposal.de}`,
    )
  },
  turtle: message(
    'a node or a list in the syntax of Turtle is not read',
    'ein Knoten oder eine Liste in der Schreibweise von Turtle wird nicht gelesen',
  ),
  noSubjectColumn: (column: string) => {
    return message(
      `there is no column ${column} that the statement could be about; it is not read`,
      `es gibt keine Spalte ${column}, von der die Aussage handeln könnte; sie wird nicht gelesen`,
    )
  },
  noSubject: (cell: string) => {
    return message(
      `expected a URI in ${cell}, which the statement is about`,
      `erwartet wird ein URI in ${cell}, von dem die Aussage handelt`,
    )
  },
  incompleteStatements: message(
    'the statements are not complete N-Triples',
    'die Aussagen sind keine vollständigen N-Triples',
  ),
  noStatements: (reason: string) => message(`expected N-Triples: ${reason}`, `erwartet werden N-Triples: ${reason}`),
  /** Of a report that lists no more. */
  moreCells: message('more cells have mistakes', 'weitere Zellen haben Fehler'),
} satisfies Record<string, Message | ((...values: never[]) => Message)>

function proposalOf(similar: string | undefined): Message {
  return similar === undefined ? message('', '') : message(`; did you mean "${similar}"?`, `; meinen Sie „${similar}“?`)
}
