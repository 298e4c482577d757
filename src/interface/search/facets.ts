import { DEPRECATED } from '../../base/namespaces.ts'
import { GRAPH } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { sql, type Sql } from '../../graph/index/sql.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import type { FacetCount, FacetName, Facets } from '../read/list.ts'
import { classesOfRecord, type Places } from './places.ts'
import { addToList } from '../../base/groups.ts'

/** Maximum number of values of a facet: those with the most concepts. */
const MOST_VALUES = 20
/** Top concepts are counted for at most this number of concepts. */
const MOST_BELOW_TOP = 10_000

/**
 * Counts the concepts of a search by their vocabularies, classes and the top concepts that they are below, or are
 * themselves. Call it in a transaction.
 *
 * @param ids a query for the ids of the concepts.
 * @returns a list for each wanted facet, the greatest numbers first; none by top concepts for very many concepts.
 */
export async function countFacets(
  file: IndexFile,
  ids: Sql,
  { places, total, wanted }: { places: Places; total: number; wanted: readonly FacetName[] },
): Promise<Facets> {
  const facets: Facets = {}
  if (wanted.includes('voc') || wanted.includes('type')) {
    const { schemes, classes } = await countCombinations(file, ids, places)
    if (wanted.includes('voc')) facets.voc = greatest(schemes)
    if (wanted.includes('type')) facets.type = greatest(classes)
  }
  if (wanted.includes('top') && total <= MOST_BELOW_TOP) facets.top = await countTops(file, ids)
  return facets
}

/** The concepts by vocabulary and by class. A concept in several graphs counts once for each. */
async function countCombinations(file: IndexFile, ids: Sql, { graphs, hasTwins }: Places) {
  const schemes = new Map<string, number>()
  const classes = new Map<string, number>()
  const combinationOf = (graph: number, combination: number) =>
    graphs.find(({ id }) => id === graph)?.combinations.find(({ id }) => id === combination)
  const add = (counts: Map<string, number>, values: Iterable<string>, count: number) => {
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + count)
  }
  const isShared = sql`h.id IN (SELECT concept FROM twin)`
  const single = await file.rows<[graph: number, combination: number, count: number]>(
    sql`SELECT c.id >> ${GRAPH} AS a, c.combination AS b, count(*) AS c FROM (${ids}) h JOIN concept c ON c.id = h.id
    ${hasTwins ? sql`WHERE NOT ${isShared}` : sql``} GROUP BY 1, 2`,
    'a, b, c',
  )
  for (const [graph, id, count] of single) {
    const combination = combinationOf(graph, id)
    add(schemes, combination?.schemes ?? [], count)
    add(classes, combination ? classesOfRecord(combination.classes) : [], count)
  }
  if (hasTwins) {
    const shared = await file.rows<[first: number, graph: number, combination: number]>(
      sql`SELECT t.first AS a, c.id >> ${GRAPH} AS b, c.combination AS c FROM (${ids}) h JOIN twin t ON t.concept = h.id
      JOIN concept c ON c.id = h.id ORDER BY 1`,
      'a, b, c',
    )
    const combinations = new Map<number, NonNullable<ReturnType<typeof combinationOf>>[]>()
    for (const [first, graph, id] of shared) {
      const combination = combinationOf(graph, id)
      if (combination) addToList(combinations, first, combination)
    }
    for (const some of combinations.values()) {
      add(schemes, new Set(some.flatMap((combination) => combination.schemes)), 1)
      add(classes, new Set(some.flatMap((combination) => classesOfRecord(combination.classes))), 1)
    }
  }
  classes.delete(DEPRECATED)
  return { schemes, classes }
}

async function countTops(file: IndexFile, ids: Sql): Promise<FacetCount[]> {
  const rows = await file.rows<[uri: string, count: number]>(
    sql`WITH RECURSIVE above (start, id) AS (
      SELECT h.id, h.id FROM (${ids}) h UNION SELECT a.start, e.parent FROM above a JOIN edge e ON e.child = a.id
    ) SELECT c.uri AS a, count(DISTINCT coalesce(t.first, a.start)) AS b FROM above a JOIN concept c ON c.id = a.id AND c.top = 1
    LEFT JOIN twin t ON t.concept = a.start GROUP BY 1`,
    'a, b',
  )
  return greatest(new Map(rows))
}

function greatest(counts: ReadonlyMap<string, number>): FacetCount[] {
  const all = [...counts].map(([uri, count]) => ({ uri, count }))
  all.sort((a, b) => b.count - a.count || compareCodePoints(a.uri, b.uri))
  return all.slice(0, MOST_VALUES)
}
