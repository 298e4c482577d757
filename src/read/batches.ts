import { setImmediate } from 'node:timers/promises'
import { late, type SparqlClient } from '../sparql/client.ts'
import type { Graph } from '../sparql/ntriples.ts'
import { until } from '../until.ts'

/** Asks for what several answers need, as one request to the store. */
export type AskTogether<Thing> = (options: {
  /** The things that they need. Call it when the request is sent: until then others may join. */
  close: () => readonly Thing[]
  /** Aborted when nobody waits any more. */
  signal: AbortSignal
}) => Promise<Graph>

/** The graph for several answers. */
export interface Shared {
  graph: Graph
  /** The keys of what they needed, in order. */
  keys: readonly string[]
}

interface Batch<Thing> {
  things: Map<string, Thing>
  /** Of the answers. */
  signals: AbortSignal[]
  shared: Promise<Shared>
  /** Ends the request, which nobody can join any more. */
  end: () => void
}

/** With fewer requests under way, the store has time to spare and gets each by itself. */
const FEW = 4

/**
 * Joins requests for a busy store. To accept a request takes a store longer than to find a concept, so one that has to wait for
 * its turn takes along those that come meanwhile, and those that come at the same time.
 */
export class Batches<Thing> {
  readonly #client: SparqlClient
  /** The batches that wait for their turn, by the kind of their requests. */
  readonly #waiting = new Map<string, Batch<Thing>>()

  constructor(client: SparqlClient) {
    this.#client = client
  }

  /**
   * The graph for one thing, and perhaps for others. Throws the errors of `ask`, and TimeoutError (504) if the signal is
   * aborted.
   *
   * @param kind of request; only those of the same kind can be joined.
   * @param most things in one request.
   * @param key of the thing; several answers may need the same.
   */
  read(
    // Without a signal: waits in any case.
    {
      kind,
      most,
      signal = new AbortController().signal,
    }: { kind: string; most: number; signal: AbortSignal | undefined },
    key: string,
    thing: Thing,
    ask: AskTogether<Thing>,
  ): Promise<Shared> {
    const waiting = this.#waiting.get(kind)
    const batch = waiting && waiting.things.size < most ? waiting : this.#begin(kind, ask)
    batch.things.set(key, thing)
    batch.signals.push(signal)
    return until(signal, batch.shared, () => {
      if (batch.signals.every(({ aborted }) => aborted)) batch.end()
      return late()
    })
  }

  #begin(kind: string, ask: AskTogether<Thing>): Batch<Thing> {
    const things = new Map<string, Thing>()
    const signals: AbortSignal[] = []
    const ending = new AbortController()
    this.#client.share(ending.signal, signals)
    const close = () => {
      if (this.#waiting.get(kind) === batch) this.#waiting.delete(kind)
      return [...things.values()]
    }
    const read = async (): Promise<Shared> => {
      try {
        const graph = await ask({ close, signal: ending.signal })
        return { graph, keys: [...things.keys()] }
      } finally {
        close()
      }
    }
    // Not at once, because the first thing is still to be added.
    const turn = this.#client.load.pending < FEW ? Promise.resolve() : setImmediate()
    const shared = turn.then(read)
    const end = () => {
      close()
      ending.abort()
    }
    const batch: Batch<Thing> = { things, signals, shared, end }
    this.#waiting.set(kind, batch)
    return batch
  }
}
