import type { Quad } from '@rdfjs/types'
import { COLLECTION, CONCEPT } from '../../base/namespaces.ts'
import { schemeRows } from '../../graph/tables/scheme-sheet.ts'
import { TableWriter, withoutEmpty, type TextRow } from '../../graph/tables/table-writer.ts'
import type { WrittenSheet } from '../../graph/tables/write-xlsx.ts'
import {
  RESOURCE_KINDS,
  VocabularyStatements,
  type ResourceKind,
  type VocabularySource,
} from './vocabulary-statements.ts'

/**
 * A vocabulary as one table: the heading, concepts, collections, then the vocabulary. Throws the errors of the source.
 */
export async function* vocabularyRows(source: VocabularySource): AsyncGenerator<TextRow> {
  const statements = await VocabularyStatements.read(source)
  try {
    yield* table(statements, RESOURCE_KINDS)
  } finally {
    await statements.close()
  }
}

/**
 * A vocabulary in the sheets of the workbook to fill in. The rows of a sheet have to be read before the next one.
 * Throws the errors of the source.
 */
export async function* vocabularySheets(source: VocabularySource): AsyncGenerator<WrittenSheet> {
  const statements = await VocabularyStatements.read(source)
  try {
    yield { name: 'Concepts', rows: table(statements, ['concepts'], { usualType: CONCEPT }) }
    const ofScheme: Quad[] = []
    for await (const quads of statements.of('scheme')) for (const quad of quads) ofScheme.push(quad)
    const { rows, rest } = schemeRows(
      source.scheme,
      ofScheme.filter((quad) => !statements.follows(quad, ofScheme)),
    )
    yield { name: 'Vocabulary', rows, hasHeading: false }
    yield {
      name: 'Collections',
      rows: table(statements, ['collections', 'rest'], { usualType: COLLECTION, further: rest }),
    }
  } finally {
    await statements.close()
  }
}

/** The heading of a table without rows, to be filled in. */
const EMPTY: TextRow = ['uri', 'prefLabel', 'member']

/** @param further statements that have no rows. @param usualType the type of rows whose cell stays empty. */
async function* table(
  statements: VocabularyStatements,
  kinds: readonly ResourceKind[],
  { usualType, further = [] }: { usualType?: string; further?: readonly Quad[] } = {},
): AsyncGenerator<TextRow> {
  const columns = await statements.columnsOf(kinds)
  const writer = new TableWriter({
    columns,
    usualType,
    follows: (quad, about) => statements.follows(quad, about),
    nameOf: (uri) => statements.nameOf(uri),
  })
  const rows = async function* () {
    for (const kind of kinds) for await (const quads of statements.of(kind)) yield* writer.write(quads)
    yield* writer.write(further)
    yield* writer.end()
  }
  // Without columns the vocabulary is too large to keep all rows.
  if (columns === undefined) {
    yield* rows()
    return
  }
  const written: TextRow[] = []
  for await (const row of rows()) written.push(row)
  yield* written.length > 1 ? withoutEmpty('type', withoutEmpty('statements', written)) : [EMPTY]
}
