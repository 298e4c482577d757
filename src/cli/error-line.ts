/** The line about an error for the operator. */
export function lineOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return `error: ${message.replace(/\s*\n\s*/g, ' ')}\n`
}
