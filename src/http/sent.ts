import { checkMaximum, type Maximum } from './maxima.ts'
import { Turn } from '../turn.ts'

/**
 * A list that a client has sent. Nothing makes one without its maximum, and nothing visits its values without giving other
 * requests a turn and without looking at the deadline: a list of a few kilobytes can ask for minutes of work.
 */
export class Sent<Value> {
  readonly #values: readonly Value[]

  private constructor(values: readonly Value[]) {
    this.#values = values
  }

  /**
   * @param maximum the line of the table of maxima.
   * @throws the errors of `checkMaximum`.
   */
  static within<Value>(maximum: Maximum, values: readonly Value[]): Sent<Value> {
    checkMaximum(maximum, values.length)
    return new Sent(values)
  }

  get length(): number {
    return this.#values.length
  }

  /** The list with each value once, the first of those with the same key. */
  once(keyOf: (value: Value) => string): Sent<Value> {
    const known = new Map<string, Value>()
    for (const value of this.#values) if (!known.has(keyOf(value))) known.set(keyOf(value), value)
    return new Sent([...known.values()])
  }

  /**
   * The results for all values, in their order.
   *
   * @param signal aborted at the deadline of the request.
   * @throws ApiError TimeoutError after the deadline, and the errors of `visit`.
   */
  async map<Result>(
    signal: AbortSignal,
    visit: (value: Value, at: number) => Result | Promise<Result>,
  ): Promise<Result[]> {
    const turn = new Turn(signal)
    const results: Result[] = []
    for (const [at, value] of this.#values.entries()) {
      if (turn.isOver) await turn.next()
      results.push(await visit(value, at))
    }
    return results
  }

  /**
   * The list with a result for each value, still to be visited in turns only.
   *
   * @throws as `map` does.
   */
  async to<Result>(
    signal: AbortSignal,
    visit: (value: Value, at: number) => Result | Promise<Result>,
  ): Promise<Sent<Result>> {
    return new Sent(await this.map(signal, visit))
  }

  /**
   * The list in pieces, one after the other; other requests get a turn in between.
   *
   * @throws as `map` does.
   */
  async *pieces(size: number, signal: AbortSignal): AsyncGenerator<readonly Value[]> {
    const turn = new Turn(signal)
    for (let start = 0; start < this.#values.length; start += size) {
      if (start > 0) await turn.next()
      yield this.#values.slice(start, start + size)
    }
  }
}
