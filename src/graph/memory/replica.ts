import { setTimeout as sleep } from 'node:timers/promises'
import { readStoreState } from './store-state.ts'
import { queryTemplate } from '../sparql/templates.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { iri } from '../sparql/terms.ts'

interface ReplicaOptions {
  /** The replica, which the service reads. */
  replica: SparqlClient
  /** The store that the service writes to. */
  primary: SparqlClient
  /** How long to wait for a written concept to reach the replica, in milliseconds. */
  waitMs: number
  /** How long the replica may be behind, in milliseconds. */
  maxLagMs: number
}

/** Milliseconds between two tries to find a written concept. */
const POLL_MS = 50
/** The least milliseconds between two comparisons of the stores. */
const COMPARE_MS = 1000
/** The time for one request; a store that takes longer counts as down. */
const LOOK_MS = 2000
/** Earlier states of the primary to remember; they show how far behind the replica is. */
const MAX_STATES = 1000

/** A store that is a replica of another one: how far it is behind. */
export class Replica {
  readonly #options: ReplicaOptions
  /** By state of the primary, the time at which the primary had left it; the latest last. */
  readonly #superseded = new Map<string, number>()
  #primaryState: string | undefined
  /** The time since which the replica has had a state in which the primary was never seen. */
  #differsSince: number | undefined
  #behindSince: number | undefined
  #wasEqual = false
  #comparedAt = -Infinity
  #comparing: Promise<void> | undefined

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** Resolves when the replica has the concept, or after `waitMs`. */
  async awaitConcept(uri: string): Promise<void> {
    const { replica, waitMs } = this.#options
    const query = queryTemplate('ingested/which').bind({ terms: { concept: [iri(uri)] } })
    const end = performance.now() + waitMs
    for (;;) {
      const left = end - performance.now()
      if (left <= 0) return
      // A replica that does not answer counts as one without the concept.
      const rows = await replica.select(query, { timeoutMs: left }).catch(() => [])
      if (rows.length > 0) return
      await sleep(Math.min(POLL_MS, Math.max(0, end - performance.now())))
    }
  }

  /** Seconds by which the replica is behind the primary; undefined until both have answered once. */
  async lagSeconds(): Promise<number | undefined> {
    await this.#compare()
    if (!this.#wasEqual && this.#behindSince === undefined) return undefined
    return this.#lagMs() / 1000
  }

  /**
   * True if the service may read the replica: it has equalled the primary once and is not too far behind. While the
   * primary is down, the last answer still counts.
   */
  async isReady(): Promise<boolean> {
    await this.#compare()
    return this.#wasEqual && this.#lagMs() <= this.#options.maxLagMs
  }

  #lagMs(): number {
    return this.#behindSince === undefined ? 0 : this.#comparedAt - this.#behindSince
  }

  async #compare(): Promise<void> {
    if (performance.now() - this.#comparedAt < COMPARE_MS) return
    this.#comparing ??= this.#look().finally(() => (this.#comparing = undefined))
    return this.#comparing
  }

  async #look(): Promise<void> {
    const { replica, primary } = this.#options
    const signal = AbortSignal.timeout(LOOK_MS)
    const [ofPrimary, ofReplica] = await Promise.all(
      [primary, replica].map((client) => readStoreState(client, signal).catch(() => undefined)),
    )
    if (ofPrimary === undefined || ofReplica === undefined) return
    const now = performance.now()
    this.#comparedAt = now
    if (this.#primaryState !== undefined && this.#primaryState !== ofPrimary) this.#supersede(this.#primaryState, now)
    this.#primaryState = ofPrimary
    if (ofReplica === ofPrimary) {
      this.#wasEqual = true
      this.#behindSince = this.#differsSince = undefined
    } else {
      this.#differsSince ??= now
      this.#behindSince = this.#superseded.get(ofReplica) ?? this.#differsSince
    }
  }

  #supersede(state: string, now: number): void {
    this.#superseded.delete(state)
    this.#superseded.set(state, now)
    if (this.#superseded.size > MAX_STATES) this.#superseded.delete(this.#superseded.keys().next().value!)
  }
}
