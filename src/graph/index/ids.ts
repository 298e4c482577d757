import { plain, sql, type Sql } from './sql.ts'

/** Ids of concepts and mappings have the number of their graph in the bits from here on. */
const GRAPH_BITS = 32
export const GRAPH_SIZE = 2 ** GRAPH_BITS
export const MOST_GRAPHS = 2 ** 15
/** The bits of ids of labels for kind and number. */
const KIND_BITS = 14
const NUMBER_BITS = 12
/** Labels of one kind of a concept; further ones are found by their words, but not shown. */
export const MOST_LABELS = 2 ** NUMBER_BITS

/**
 * Bits in SQL. `id >> GRAPH` of a concept is the number of its graph, as is `id >> GRAPH_OF_LABEL` of a
 * label; `id >> KIND` of a label is the id of its concept.
 */
export const GRAPH = plain(String(GRAPH_BITS))
export const KIND = plain(String(KIND_BITS))
export const GRAPH_OF_LABEL = plain(String(GRAPH_BITS + KIND_BITS))

/** The kind of the label with an id, in SQL. */
export function kindOf(id: string): Sql {
  return plain(`(${id} >> ${NUMBER_BITS}) & 3`)
}

/** The condition that an id of a concept or mapping is one of a graph. */
export function ofGraph(id: string, graph: number | Sql): Sql {
  return between(id, graph, GRAPH)
}

/** The condition that an id of a label is one of a graph. */
export function labelOfGraph(id: string, graph: number | Sql): Sql {
  return between(id, graph, GRAPH_OF_LABEL)
}

function between(id: string, graph: number | Sql, bits: Sql): Sql {
  return sql`${plain(id)} BETWEEN ${graph} << ${bits} AND ((${graph} + 1) << ${bits}) - 1`
}

/** The condition that a label is one of a concept, and of some kinds, one after the other. @param label its alias. */
export function isLabelOf(concept: string, kinds: readonly number[] = [0, 1, 2, 3], label = 'l'): Sql {
  const start = sql`${plain(concept)} << ${KIND}`
  const [first, last] = [kinds[0]!, kinds.at(-1)!]
  return sql`${plain(label)}.id BETWEEN (${start}) + ${first << NUMBER_BITS} AND (${start}) + ${((last + 1) << NUMBER_BITS) - 1}`
}

/** The id of a label, which is too large for a number. */
export function labelId(concept: number, kind: number, number: number): string {
  return String((BigInt(concept) << BigInt(KIND_BITS)) | BigInt((kind << NUMBER_BITS) | number))
}
