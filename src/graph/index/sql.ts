/** A piece of SQL with the values of its parameters. */
export interface Sql {
  text: string
  values: readonly unknown[]
}

/**
 * SQL with values and pieces of SQL in it.
 *
 * @example sql`SELECT id FROM concept WHERE uri = ${uri} AND ${condition}`
 */
export function sql(texts: TemplateStringsArray, ...pieces: unknown[]): Sql {
  let text = texts[0]!
  const values: unknown[] = []
  for (const [at, piece] of pieces.entries()) {
    if (isSql(piece)) {
      text += piece.text
      values.push(...piece.values)
    } else {
      // SQLite gets every number as a floating-point number or a text.
      text += typeof piece === 'number' ? 'CAST(? AS INTEGER)' : '?'
      values.push(piece)
    }
    text += texts[at + 1]!
  }
  return { text, values }
}

function isSql(piece: unknown): piece is Sql {
  return typeof piece === 'object' && piece !== null && 'text' in piece && 'values' in piece
}

/** A piece of SQL without values. */
export function plain(text: string): Sql {
  return { text, values: [] }
}

/** Pieces of SQL with a text between them. */
export function joinedSql(pieces: readonly Sql[], between: string): Sql {
  return {
    text: pieces.map(({ text }) => text).join(between),
    values: pieces.flatMap(({ values }) => values),
  }
}

/** The conjunction of some conditions; undefined for none. */
export function allOf(conditions: readonly Sql[]): Sql | undefined {
  return conditions.length > 0 ? joinedSql(conditions, ' AND ') : undefined
}

/** The last character: appended to a text, it sorts after every text with this beginning. */
export const LAST = '\u{10ffff}'

/** The condition that a column begins with a text. */
export function beginsWith(column: string, text: string): Sql {
  return sql`${plain(column)} >= ${text} AND ${plain(column)} < ${text + LAST}`
}

/** The first columns of rows that come as JSON. */
export function columns(count: number): Sql {
  return joinedSql(
    Array.from({ length: count }, (_, at) => plain(`value->>${at}`)),
    ', ',
  )
}
