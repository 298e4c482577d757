import { GRAPH, ofGraph } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { MEMBER_KIND, type Statement } from '../../graph/index/statements.ts'
import { plain, sql } from '../../graph/index/sql.ts'

/** Finds the members of subsets in a new graph; if it is a subset, its members in all graphs. */
export async function addMemberships(file: IndexFile, graph: number): Promise<void> {
  const insert = sql`INSERT OR IGNORE INTO membership SELECT m.graph, c.id
    FROM member m JOIN graph s ON s.id = m.graph AND s.state = 1 JOIN concept c ON c.uri = m.uri
    JOIN graph g ON g.id = c.id >> ${GRAPH} AND g.state = 1`
  await file.run(sql`${insert} WHERE m.graph = ${graph}`)
  await file.run(sql`${insert} WHERE g.id = ${graph}`)
}

/** Replaces the members of a subset. @param statements all statements about it. */
export async function replaceMembers(file: IndexFile, graph: number, statements: readonly Statement[]): Promise<void> {
  const members = statements.flatMap(([, kind, , text]) => (kind === MEMBER_KIND ? [text] : []))
  const before = await file.values<string>(sql`SELECT uri FROM member WHERE graph = ${graph}`, 'uri')
  if (members.length === 0 && before.length === 0) return
  await file.run(sql`DELETE FROM member WHERE graph = ${graph}`)
  await file.run(sql`INSERT OR IGNORE INTO member SELECT CAST(${graph} AS INTEGER), value FROM json_each(${members})`)
  await file.run(sql`DELETE FROM membership WHERE graph = ${graph}`)
  await addMemberships(file, graph)
}

/**
 * Records which concepts are in several graphs.
 *
 * @param graph with new concepts.
 * @param uris of concepts that have changed.
 */
export async function findTwins(file: IndexFile, graph: number | undefined, uris: readonly string[]): Promise<void> {
  const all = [...uris]
  if (graph !== undefined) {
    const inGraph = await file.number(sql`SELECT concepts FROM graph WHERE id = ${graph}`)
    const elsewhere = await file.number(
      sql`SELECT coalesce(sum(concepts), 0) FROM graph WHERE state = 1 AND id <> ${graph}`,
    )
    const current = sql`JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
    // Looks at the concepts of the smaller side.
    const shared =
      inGraph <= elsewhere
        ? sql`SELECT c.uri FROM concept c WHERE ${ofGraph('c.id', graph)}
          AND EXISTS (SELECT 1 FROM concept o ${current} WHERE o.uri = c.uri AND o.id <> c.id)`
        : sql`SELECT DISTINCT o.uri FROM graph g JOIN concept o ON ${ofGraph('o.id', plain('g.id'))}
          WHERE g.state = 1 AND g.id <> ${graph}
          AND EXISTS (SELECT 1 FROM concept c WHERE c.uri = o.uri AND c.id >> ${GRAPH} = ${graph})`
    for (const uri of await file.values<string>(shared, 'uri')) all.push(uri)
  }
  if (all.length === 0) return
  const ofUris = sql`SELECT o.id, o.uri FROM json_each(${all}) u JOIN concept o ON o.uri = u.value
    JOIN graph g ON g.id = o.id >> ${GRAPH} AND g.state = 1`
  await file.run(sql`DELETE FROM twin WHERE concept IN (SELECT id FROM (${ofUris}))`)
  await file.run(
    sql`INSERT OR REPLACE INTO twin SELECT id, first FROM
    (SELECT id, min(id) OVER same AS first, count(*) OVER same AS number FROM (${ofUris}) WINDOW same AS (PARTITION BY uri))
    WHERE number > 1`,
  )
}
