/** Compares by Unicode code points, as SPARQL does; the order of JavaScript differs beyond the basic plane. */
export function compareCodePoints(a: string, b: string): number {
  if (a === b) return 0
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x === y) continue
    // Surrogates are parts of code points above all others.
    const xSurrogate = x >= 0xd800 && x <= 0xdfff
    const ySurrogate = y >= 0xd800 && y <= 0xdfff
    if (xSurrogate !== ySurrogate) return xSurrogate ? 1 : -1
    return x - y
  }
  return a.length - b.length
}

/**
 * The sort key of a notation: notations are in the code-point order of their keys, and those with the same key in the
 * code-point order of themselves. Everything in this process that orders by notation follows it, the search index
 * included.
 *
 * Today it is the notation itself, so that templates, which order by `?key`, give the same order.
 */
export function notationKey(notation: string): string {
  return notation
}

function compareNotations(a: string, b: string): number {
  return compareCodePoints(notationKey(a), notationKey(b)) || compareCodePoints(a, b)
}

/** The key that orders records: the smallest notation, then the URI. */
export interface SortKey {
  /** The smallest notation; undefined: the record comes after those with a notation. */
  key: string | undefined
  uri: string
}

/** The order of records (docs/interface.md, "Order and pages"). */
export function compareRecords(a: SortKey, b: SortKey): number {
  if (a.key !== undefined && b.key !== undefined) {
    return compareNotations(a.key, b.key) || compareCodePoints(a.uri, b.uri)
  }
  if (a.key !== b.key) return a.key === undefined ? 1 : -1
  return compareCodePoints(a.uri, b.uri)
}

/** The smallest of some notations in the order of `notationKey`; undefined for none. */
export function smallestNotation(notations: readonly string[] | undefined): string | undefined {
  return least(notations, compareNotations)
}

/** The smallest of some texts in code point order; undefined for none. */
export function smallest(texts: readonly string[] | undefined): string | undefined {
  return least(texts, compareCodePoints)
}

function least(texts: readonly string[] = [], compare: (a: string, b: string) => number): string | undefined {
  let first = texts[0]
  for (const text of texts) if (compare(text, first!) < 0) first = text
  return first
}
