/** The whole number that decimal digits write, at most the largest safe integer; undefined for any other text. */
export function wholeNumberIn(text: string): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : undefined
}
