import type { IndexFile } from '../../graph/index/index-file.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'

/** Puts the ids of lists of concepts into a table of this connection. @param lists URIs, or queries for ids. */
export async function setLimits(file: IndexFile, lists: readonly (readonly string[] | Sql)[]): Promise<void> {
  await file.run(
    plain(
      'CREATE TEMP TABLE IF NOT EXISTS limited (list INTEGER, concept INTEGER, PRIMARY KEY (list, concept)) WITHOUT ROWID',
    ),
  )
  await file.run(plain('DELETE FROM temp.limited'))
  for (const [list, of] of lists.entries()) {
    const ids = 'text' in of ? of : sql`SELECT c.id FROM json_each(${of}) u JOIN concept c ON c.uri = u.value`
    await file.run(sql`INSERT OR IGNORE INTO temp.limited SELECT ${list}, id FROM (${ids})`)
  }
}

/** The condition that a concept is in a list. */
export function isInList(list: number): Sql {
  return sql`h.id IN (SELECT concept FROM temp.limited WHERE list = ${list})`
}
