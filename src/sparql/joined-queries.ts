import { setImmediate } from 'node:timers/promises'
import { until } from '../until.ts'
import { storeIsLate } from './late.ts'
import type { Graph } from './ntriples.ts'
import type { BoundTemplate } from './templates.ts'

/** A CONSTRUCT that can go to the store as one with other queries of its kind, which differ from it only in what they choose. */
export interface JoinableQuery<Choice = unknown> extends BoundTemplate {
  /** Equal for queries that can be joined. */
  readonly kind: string
  /** The most choices in one query. */
  readonly most: number
  readonly choice: Choice
  /** Equal for equal choices, which join as one. */
  readonly key: string
  /** The query for all choices. */
  join(choices: readonly Choice[]): BoundTemplate
  /** The part of the answer that belongs to one of the joined choices. */
  partOf(answer: Graph, place: number): Graph
}

/** Sends a query when its turn comes; `text` is read then. */
type Send = (query: BoundTemplate, options: { signal: AbortSignal; answers: readonly AbortSignal[] }) => Promise<Graph>

interface Batch {
  /** The choices by their keys. */
  choices: Map<string, unknown>
  /** Of the answers that wait. */
  signals: AbortSignal[]
  answer: Promise<Graph>
  /** Ends the request, which no query can join any more. */
  end: () => void
}

/** With fewer requests under way, the store has time to spare and gets each by itself. */
const FEW = 4

/**
 * Joins queries for a busy store. Accepting a request costs a store more than finding a concept, so queries that arrive while one
 * waits for its turn go with it. Each reader gets its part of the common answer.
 */
export class JoinedQueries {
  readonly #send: Send
  readonly #load: () => { pending: number }
  /** The batches that wait for their turn, by the kind of their queries. */
  readonly #waiting = new Map<string, Batch>()

  /** @param load gives the number of requests under way. */
  constructor(send: Send, load: () => { pending: number }) {
    this.#send = send
    this.#load = load
  }

  /**
   * The graph of one query. Throws the errors of sending, and TimeoutError (504) if the signal is aborted.
   *
   * @param signal of the answer; without it, the query waits in any case.
   */
  async construct(query: JoinableQuery, signal = new AbortController().signal): Promise<Graph> {
    const { kind, most, key, choice } = query
    const waiting = this.#waiting.get(kind)
    const batch = waiting && waiting.choices.size < most ? waiting : this.#begin(query)
    batch.choices.set(key, choice)
    batch.signals.push(signal)
    const answer = await until(signal, batch.answer, () => {
      if (batch.signals.every(({ aborted }) => aborted)) batch.end()
      return storeIsLate()
    })
    return batch.choices.size === 1 ? answer : query.partOf(answer, [...batch.choices.keys()].indexOf(key))
  }

  #begin(query: JoinableQuery): Batch {
    const { name, kind } = query
    const choices = new Map<string, unknown>()
    const signals: AbortSignal[] = []
    const ending = new AbortController()
    const close = () => {
      if (this.#waiting.get(kind) === batch) this.#waiting.delete(kind)
    }
    const joined: BoundTemplate = {
      name,
      // Called when the query is sent: until then others may join.
      get text() {
        close()
        return choices.size === 1 ? query.text : query.join([...choices.values()]).text
      },
    }
    // Not at once, because the first choice is still to be added.
    const turn = this.#load().pending < FEW ? Promise.resolve() : setImmediate()
    const answer = turn.then(() => this.#send(joined, { signal: ending.signal, answers: signals })).finally(close)
    const end = () => {
      close()
      ending.abort()
    }
    const batch: Batch = { choices, signals, answer, end }
    this.#waiting.set(kind, batch)
    return batch
  }
}
