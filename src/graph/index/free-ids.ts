import { GRAPH_SIZE } from './ids.ts'

/** A row of a graph by its place in the order of the rows. */
interface OrderedRow<Key> {
  id: number
  key: Key
}

/** The rows of a graph in their order, which is that of their ids. */
interface OrderedRows<Key> {
  graph: number
  /** The space to leave after the last row. */
  step: number
  compare: (a: Key, b: Key) => number
  /** The first row with this id or a larger one; undefined if the graph has none. */
  next: (id: number) => Promise<OrderedRow<Key> | undefined>
}

/**
 * Ids for new rows between those of a graph, in order. If there is no room for some, they come last, out of order.
 *
 * @param keys of the new rows, in their order.
 */
export async function freeIds<Key>(
  { graph, step, compare, next }: OrderedRows<Key>,
  keys: readonly Key[],
): Promise<{ ids: number[]; isInOrder: boolean }> {
  const end = (graph + 1) * GRAPH_SIZE
  /** The id of the last row at the beginning of the order. @param from the id of a row before it, or of the graph. */
  const lastWhere = async (isBefore: (key: Key) => boolean, from: number) => {
    let last = from
    // The row at `last` is at the beginning, and no row from `high` on is.
    for (let low = last, high = end; low < high;) {
      const middle = Math.floor((low + high) / 2)
      const row = await next(middle)
      if (row && row.id < high && isBefore(row.key)) low = (last = row.id) + 1
      else high = middle
    }
    return last
  }
  const gaps = new Map<number, number>()
  let before = graph * GRAPH_SIZE
  for (const key of keys) {
    before = await lastWhere((present) => compare(present, key) < 0, before)
    gaps.set(before, (gaps.get(before) ?? 0) + 1)
  }
  const ids: number[] = []
  const rest: number[] = []
  for (const [start, count] of gaps) {
    const after = await next(start + 1)
    const space = after ? (after.id - start) / (count + 1) : step
    const hasRoom = space >= 1 && start + space * count < end
    for (let at = 1; at <= count; at++) {
      if (!hasRoom) rest.push(ids.length)
      ids.push(hasRoom ? Math.floor(start + space * at) : NaN)
    }
  }
  if (rest.length === 0) return { ids, isInOrder: true }
  const lastRow = await lastWhere(() => true, graph * GRAPH_SIZE)
  let last = ids.reduce((most, id) => (id > most ? id : most), lastRow)
  for (const at of rest) ids[at] = ++last
  return { ids, isInOrder: false }
}
