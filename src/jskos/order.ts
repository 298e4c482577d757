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

/** The sort key of records: the smallest notation, then the URI. Records without a notation come last. */
export interface SortKey {
  key: string | undefined
  uri: string
}

/** The order of records (docs/interface.md, "Order and pages"). */
export function compareRecords(a: SortKey, b: SortKey): number {
  if (a.key !== undefined && b.key !== undefined) {
    return compareCodePoints(a.key, b.key) || compareCodePoints(a.uri, b.uri)
  }
  if (a.key !== b.key) return a.key === undefined ? 1 : -1
  return compareCodePoints(a.uri, b.uri)
}

/** The smallest of some texts in code point order; undefined for none. */
export function smallest(texts: readonly string[] | undefined): string | undefined {
  if (!texts || texts.length === 0) return undefined
  return texts.reduce((least, text) => (compareCodePoints(text, least) < 0 ? text : least))
}
