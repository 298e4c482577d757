/** Times, and what is said about many of them. */

/** Milliseconds that something takes. */
export async function timed(action: () => unknown): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

/** The value that a share of the values is below, such as 0.99. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!
}

/** The value in the middle. */
export const median = (values: readonly number[]) => quantile(values, 0.5)
