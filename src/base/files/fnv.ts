/** The digest of nothing. */
export const FNV_START = 0x811c9dc5

/**
 * The digest of a text with one more byte, or one more UTF-16 code unit (FNV-1a, 32 bits): quick, but anyone can find
 * collisions.
 */
export function fnv1a(digest: number, unit: number): number {
  return Math.imul(digest ^ unit, 0x01000193)
}
