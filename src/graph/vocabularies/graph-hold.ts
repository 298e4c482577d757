import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { InputError } from '../../base/files/input-error.ts'
import { HOLD, LOADS_GRAPH } from '../../base/namespaces.ts'
import { NO_DEADLINE, UPDATE_LIFE_MS, type RequestOptions, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/templates.ts'
import { iri, literal, triple } from '../sparql/terms.ts'

/** A hold that does not change for this time has lost its holder. */
const LIFE_MS = 20_000
/** The holder changes its hold at this interval. */
const RENEW_MS = 4_000
/** The pause before another look at a hold. */
const ASK_MS = 100

/**
 * Finds out whether somebody holds a graph.
 *
 * Holders and waiting processes may be on different machines, so a hold has no time: its holder changes it again and
 * again. If a hold stays the same for twenty seconds, its holder was killed, and a waiting process ends the hold.
 */
export class HeldGraphs {
  readonly #client: SparqlClient
  readonly #elapsed: () => number
  readonly #seen = new Map<string, { hold: string; since: number }>()
  /** The graphs whose hold this is ending. */
  readonly #ending = new Set<string>()

  /** @param elapsed gives milliseconds since a moment in this process, by a clock that nobody can set. */
  constructor(client: SparqlClient, elapsed: () => number = () => performance.now()) {
    this.#client = client
    this.#elapsed = elapsed
  }

  /**
   * True if somebody holds a graph. Ends the hold if nobody has changed it for too long. @throws ApiError if the store
   * fails.
   */
  async isHeld(graph: string, options?: RequestOptions): Promise<boolean> {
    return (await this.list(graph, options)).has(graph)
  }

  /**
   * All graphs that somebody holds, in the same look; ends no hold but that of the given graph. @throws as `isHeld`.
   */
  async list(graph: string, options?: RequestOptions): Promise<ReadonlySet<string>> {
    const rows = await readHolds(this.#client, graph, ['all'], options)
    const holds = new Map(rows.filter(({ hold }) => hold !== '').map(({ scheme, hold }) => [scheme, hold]))
    const hold = holds.get(graph)
    const seen = this.#seen.get(graph)
    if (hold === undefined) this.#seen.delete(graph)
    else if (seen?.hold !== hold) this.#seen.set(graph, { hold, since: this.#elapsed() })
    else if (this.#elapsed() - seen.since >= LIFE_MS) this.#end(graph, hold)
    return new Set(holds.keys())
  }

  /**
   * Ends a hold. A store that writes one after the other does so after the graph that its holder may be sending; until
   * then the graph is held, and no second update waits.
   */
  #end(graph: string, hold: string): void {
    if (this.#ending.has(graph)) return
    this.#ending.add(graph)
    change(this.#client, graph, hold, undefined, { timeoutMs: UPDATE_LIFE_MS })
      // The next look at the hold tries again.
      .catch(() => undefined)
      .finally(() => this.#ending.delete(graph))
  }
}

/**
 * The hold of the graph of a vocabulary: meanwhile every ingest into the graph waits (queries/ingest.ru), so that its
 * holder can read the proposals and replace the graph without losing one that was acknowledged. The hold is a statement
 * in the graph, because only the store is common to all instances and commands, and it ends with the graph.
 */
export class GraphHold {
  readonly #client: SparqlClient
  readonly #graph: string
  readonly #id: string
  #number = 0
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<unknown> = Promise.resolve()
  #isOver = false
  /** The moment before the request that last found the hold in the store. */
  #confirmed: number

  private constructor(client: SparqlClient, graph: string, id: string, confirmed: number) {
    this.#client = client
    this.#graph = graph
    this.#id = id
    this.#confirmed = confirmed
    this.#renewLater()
  }

  /**
   * Waits for the turn of a load to write: loads write one after the other, so that each finds the vocabularies and the
   * ids of all others. It is a hold like that of a graph.
   *
   * @throws ApiError if the store fails.
   */
  static async takeTurn(client: SparqlClient): Promise<GraphHold> {
    return (await GraphHold.take(client, LOADS_GRAPH))!
  }

  /**
   * Holds a graph. Waits while somebody else does.
   *
   * @returns undefined if the graph has no vocabulary, so that nobody can ingest into it.
   * @throws ApiError if the store fails.
   */
  static async take(client: SparqlClient, graph: string): Promise<GraphHold | undefined> {
    const held = new HeldGraphs(client)
    const id = randomUUID()
    for (;;) {
      const asked = performance.now()
      const state = await readState(client, graph, NO_DEADLINE)
      if (!state) return undefined
      if (state.hold.startsWith(id)) return new GraphHold(client, graph, id, asked)
      if (state.hold === '') await change(client, graph, '', `${id} 0`, NO_DEADLINE)
      else if (await held.isHeld(graph, NO_DEADLINE)) await sleep(ASK_MS)
    }
  }

  /**
   * Call this directly before the graph is replaced. @throws InputError if the hold was lost, because this process had
   * stopped.
   */
  async check(): Promise<void> {
    const asked = performance.now()
    const state = await readState(this.#client, this.#graph, NO_DEADLINE)
    if (!this.#isOwn(state?.hold)) {
      throw new InputError(`<${this.#graph}> changed meanwhile, so nothing is written. Try again.`)
    }
    this.#confirmed = asked
  }

  /** True if nobody can have ended the hold yet, because the store had it a moment ago. */
  get isFresh(): boolean {
    return performance.now() - this.#confirmed < LIFE_MS - RENEW_MS
  }

  /** Renews the hold no more, but keeps it. */
  async rest(): Promise<void> {
    this.end()
    await this.#renewing
  }

  /** Call this when the graph is replaced, or may yet be: the hold ends with the graph, or by itself. */
  end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
  }

  /**
   * Ends the hold of a graph that stays as it is. @throws ApiError if the store fails; then the hold ends by itself.
   */
  async release(): Promise<void> {
    await this.rest()
    const { hold } = (await readState(this.#client, this.#graph, NO_DEADLINE)) ?? {}
    if (this.#isOwn(hold)) await change(this.#client, this.#graph, hold!, undefined, NO_DEADLINE)
  }

  #isOwn(hold: string | undefined): boolean {
    return hold?.startsWith(this.#id) === true
  }

  #renewLater(): void {
    this.#timer = setTimeout(() => {
      // A failure counts as little as a late renewal: the next one follows, and `check` looks at the result.
      this.#renewing = this.#renew()
        .catch(() => undefined)
        .then(() => this.#isOver || this.#renewLater())
    }, RENEW_MS).unref()
  }

  async #renew(): Promise<void> {
    const asked = performance.now()
    const { hold } = (await readState(this.#client, this.#graph)) ?? {}
    if (!this.#isOwn(hold)) return
    this.#confirmed = asked
    if (!this.#isOver) await change(this.#client, this.#graph, hold!, `${this.#id} ${++this.#number}`)
  }
}

/** The hold of a graph, empty if it has none; undefined if the graph has no vocabulary. */
async function readState(
  client: SparqlClient,
  graph: string,
  options?: RequestOptions,
): Promise<{ hold: string } | undefined> {
  const [row] = await readHolds(client, graph, [], options)
  return row || graph === LOADS_GRAPH ? { hold: row?.hold ?? '' } : undefined
}

/** @param include `all` for the holds of all graphs. */
async function readHolds(
  client: SparqlClient,
  graph: string,
  include: readonly string[],
  options?: RequestOptions,
): Promise<{ scheme: string; hold: string }[]> {
  const terms = { graph: [iri(graph)], scheme: [iri(graph)] }
  const query = queryTemplate('hold/state').bind({ terms, include: [...blocksFor(graph), ...include] })
  const rows = await client.select(query, options)
  return rows.map(({ scheme, hold }) => ({ scheme: scheme?.value ?? graph, hold: hold?.value ?? '' }))
}

/** The hold of all loads needs no vocabulary. */
function blocksFor(graph: string): string[] {
  return graph === LOADS_GRAPH ? [] : ['vocabulary']
}

/** @param after undefined: the graph has no hold any more. */
async function change(
  client: SparqlClient,
  graph: string,
  before: string,
  after: string | undefined,
  options?: RequestOptions,
): Promise<void> {
  const scheme = iri(graph)
  const held = after === undefined ? undefined : [triple(scheme, iri(HOLD), literal(after))]
  const terms = { graph: [scheme], scheme: [scheme], expected: [literal(before)], after: held }
  const update = queryTemplate('hold/change').bind({ terms, include: blocksFor(graph) })
  await client.update(update, graph, options)
}
