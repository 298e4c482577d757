import { checkMaximum, type Maximum } from './maxima.ts'
import { Turn } from '../../base/clock.ts'

/**
 * A list that a client has sent, with a maximum. Each method lets other requests run in between and checks the
 * deadline, because a list of a few kilobytes can ask for minutes of work.
 */
export class BoundedList<Value> {
  readonly #values: readonly Value[]

  private constructor(values: readonly Value[]) {
    this.#values = values
  }

  /**
   * @param maximum the line of the table of maxima.
   * @throws ApiError as `checkMaximum` does.
   */
  static of<Value>(maximum: Maximum, values: readonly Value[]): BoundedList<Value> {
    checkMaximum(maximum, values.length)
    return new BoundedList(values)
  }

  get length(): number {
    return this.#values.length
  }

  /** The list without duplicates: the first value of each key. */
  unique(keyOf: (value: Value) => string): BoundedList<Value> {
    const byKey = new Map<string, Value>()
    for (const value of this.#values) if (!byKey.has(keyOf(value))) byKey.set(keyOf(value), value)
    return new BoundedList([...byKey.values()])
  }

  /**
   * The results for all values, in their order.
   *
   * @param signal aborted at the deadline of the request.
   * @throws ApiError TimeoutError after the deadline, and the errors of `visit`.
   */
  async map<Result>(
    signal: AbortSignal,
    visit: (value: Value, index: number) => Result | Promise<Result>,
  ): Promise<Result[]> {
    const turn = new Turn(signal)
    const results: Result[] = []
    for (const [index, value] of this.#values.entries()) {
      if (turn.isOver) await turn.next()
      results.push(await visit(value, index))
    }
    return results
  }

  /**
   * The list with the result for each value, as a bounded list again.
   *
   * @throws as `map` does.
   */
  async to<Result>(
    signal: AbortSignal,
    visit: (value: Value, index: number) => Result | Promise<Result>,
  ): Promise<BoundedList<Result>> {
    return new BoundedList(await this.map(signal, visit))
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
