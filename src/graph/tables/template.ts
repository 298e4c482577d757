import { writeXlsx, type Cell, type CellValue, type WriteSheet } from 'hucre/xlsx'
import { TEMPLATE_SCHEME } from '../../base/namespaces.ts'
import { columnName } from './sheet.ts'

/** A column of the workbook to fill in: the heading, the explanation in its note, and the value of the example. */
interface TemplateColumn {
  heading: string
  note: string
  example: string
  width: number
  /** Values to choose from, or a range of cells with them. */
  list?: readonly string[] | string
}

/** Rows for which the lists to choose from hold. */
const ROWS = 5000
const LICENSES = [
  'http://creativecommons.org/publicdomain/zero/1.0/',
  'http://creativecommons.org/licenses/by/4.0/',
  'http://creativecommons.org/licenses/by-sa/4.0/',
]

/**
 * A workbook to fill in, as bytes of an .xlsx: the vocabulary, concepts with one example, and collections. Notes in
 * the headings explain each column, and cells with a fixed set of values have a list.
 *
 * @param languages tags of the languages that labels and texts have columns for, at least one.
 */
export async function templateWorkbook(languages: readonly string[]): Promise<Uint8Array> {
  const each = (name: string, note: string, example: (language: string) => string, width = 28): TemplateColumn[] =>
    languages.map((language) => ({ heading: `${name}@${language}`, note, example: example(language), width }))
  const several = 'Several values: separate them with | or write each on a line of its own.'
  const concepts: TemplateColumn[] = [
    {
      heading: 'notation',
      note: 'A code of your own that never changes, such as 1.2. Concepts without a URI get one from it. This column is text, so that 010 stays 010.',
      example: '1',
      width: 12,
    },
    ...each('prefLabel', 'The name of the concept, one for each language.', (language) =>
      language === 'de' ? 'Beispiel' : 'Example',
    ),
    ...each('altLabel', `Other names. ${several}`, (language) => (language === 'de' ? 'Muster' : 'Sample')),
    ...each(
      'definition',
      'What the concept means.',
      (language) => (language === 'de' ? 'Zeile, die zu ersetzen ist.' : 'A row to be replaced.'),
      40,
    ),
    ...each('scopeNote', 'How to use the concept.', () => '', 32),
    {
      heading: 'broader',
      note: `The concept above: its notation, URI or label. Empty for the concepts at the top. ${several}`,
      example: '',
      width: 16,
      list: `$A$2:$A$${ROWS}`,
    },
    { heading: 'related', note: `Related concepts: notations, URIs or labels. ${several}`, example: '', width: 16 },
    {
      heading: 'exactMatch',
      note: `URIs of the same concept in other vocabularies. ${several}`,
      example: '',
      width: 32,
    },
    {
      heading: 'closeMatch',
      note: `URIs of nearly the same concept in other vocabularies. ${several}`,
      example: '',
      width: 32,
    },
    {
      heading: 'deprecated',
      note: 'true if nobody should use the concept any more.',
      example: '',
      width: 12,
      list: ['true', 'false'],
    },
    {
      heading: 'uri',
      note: 'Only if the concept has a URI already. Leave it empty otherwise.',
      example: '',
      width: 32,
    },
  ]
  const collections: TemplateColumn[] = [
    {
      heading: 'uri',
      note: 'The URI of the collection; without one it gets one from its label.',
      example: '',
      width: 32,
    },
    ...each('prefLabel', 'The name of the collection.', () => ''),
    {
      heading: 'member',
      note: `The concepts in the collection: notations, URIs or labels. ${several}`,
      example: '',
      width: 40,
    },
  ]
  const about = (name: string, value: (language: string) => string) =>
    languages.map((language): CellValue[] => [`${name}@${language}`, value(language)])
  const vocabulary: CellValue[][] = [
    ['uri', TEMPLATE_SCHEME],
    ...about('prefLabel', (language) => (language === 'de' ? 'Name des Vokabulars' : 'Name of the vocabulary')),
    ...about('definition', () => ''),
    ['creator', ''],
    ['publisher', ''],
    ['license', LICENSES[0]!],
    ['version', ''],
  ]
  return writeXlsx({
    sheets: [
      tableSheet('Concepts', concepts),
      {
        name: 'Vocabulary',
        rows: vocabulary,
        columns: [{ width: 20 }, { width: 60 }],
        cells: new Map([
          [
            '0,0',
            noted(
              'uri',
              'The address of the whole vocabulary. URIs of concepts begin with it, so choose it before the first load.',
            ),
          ],
          [`${vocabulary.length - 2},0`, noted('license', 'The URI of a licence.')],
        ]),
        dataValidations: [
          {
            type: 'list',
            values: [...LICENSES],
            range: `B${vocabulary.length - 1}`,
            allowBlank: true,
            errorStyle: 'warning',
          },
        ],
      },
      tableSheet('Collections', collections),
    ],
  })
}

function tableSheet(name: string, columns: readonly TemplateColumn[]): WriteSheet {
  const examples = columns.map(({ example }) => (example === '' ? null : example))
  return {
    name,
    rows: [columns.map(({ heading }) => heading), ...(examples.some((example) => example !== null) ? [examples] : [])],
    columns: columns.map(({ width }) => ({ width, numFmt: '@' })),
    cells: new Map(columns.map(({ heading, note }, at) => [`0,${at}`, noted(heading, note)])),
    freezePane: { rows: 1 },
    dataValidations: columns.flatMap(({ list }, at) => {
      if (list === undefined) return []
      const letter = columnName(at)
      const values = typeof list === 'string' ? { formula1: list } : { values: [...list] }
      // Another value is allowed: several ones, or a URI.
      return [
        {
          type: 'list' as const,
          ...values,
          range: `${letter}2:${letter}${ROWS}`,
          allowBlank: true,
          errorStyle: 'information' as const,
        },
      ]
    }),
  }
}

function noted(value: string, text: string): Partial<Cell> {
  return { value, type: 'string', comment: { text }, style: { font: { bold: true } } }
}
