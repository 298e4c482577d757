import { ApiError } from '../errors.ts'

/** The most of something that a request may have. */
export interface Maximum {
  /** The part of the request that has it. */
  in: 'parameter' | 'header' | 'body'
  /** Its name there, as messages have it. */
  name: string
  /** The endpoints that have it, as a reader knows them. */
  at: string
  most: number
  /** What is counted, such as `values` or `bytes`. */
  unit: string
  /** The status of a request beyond the maximum, or what the service does instead of refusing it. */
  above: number | string
}

const CUT = 'the rest is left out'

/**
 * THE table of maxima: every list and every size that a client can send. docs/interface.md lists it under "Maxima", and
 * test/http/maxima.test.ts tries every line at its maximum, one above it, and at a thousand times as much.
 */
// prettier-ignore
export const MAXIMA = {
  extendIds: { in: 'body', name: 'ids', at: '`/reconcile/extend`', most: 1000, unit: 'URIs', above: 413 },
  extendProperties: { in: 'body', name: 'properties', at: '`/reconcile/extend`', most: 50, unit: 'properties', above: 400 },
  cell: { in: 'body', name: 'settings.limit', at: '`/reconcile/extend`', most: 1000, unit: 'values in a cell', above: CUT },
  cells: { in: 'body', name: 'ids, properties', at: '`/reconcile/extend`', most: 100_000, unit: 'values of all cells (an empty cell counts as one)', above: 413 },
} as const satisfies Record<string, Maximum>

/**
 * Refuses what is beyond a maximum.
 *
 * @throws ApiError PayloadTooLargeError for the status 413, else MalformedRequestError.
 */
export function checkMaximum({ name, most, unit, above }: Maximum, count: number): void {
  if (count <= most) return
  const message = `${name}: expected at most ${most} ${unit}, got ${count}`
  throw new ApiError(above === 413 ? 'PayloadTooLargeError' : 'MalformedRequestError', message)
}
