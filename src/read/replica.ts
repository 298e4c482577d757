import { setTimeout as sleep } from 'node:timers/promises'
import { queryTemplate } from '../sparql/queries.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { iri } from '../sparql/terms.ts'
import { readRevisions } from './revisions.ts'

export interface ReplicaOptions {
  /** The store that is read. */
  own: SparqlClient
  /** The store that is written to. */
  primary: SparqlClient
  /** How long to wait until something that was written shows, in milliseconds. */
  waitMs: number
  /** How long the replica may be behind, in milliseconds. */
  maxLagMs: number
}

/** Milliseconds between two looks whether something shows. */
const POLL_MS = 50
/** The stores are compared once in so many milliseconds at most. */
const COMPARE_MS = 1000
/** For one look; a store that takes longer counts as away. */
const LOOK_MS = 2000
/** States of the primary that are remembered to see how far behind the replica is. */
const MAX_STATES = 1000

/** The own store as a replica of another one: how far it is behind. */
export class Replica {
  readonly #options: ReplicaOptions
  /** When the primary was first seen in another state, by state: the later ones last. */
  readonly #superseded = new Map<string, number>()
  #primaryState: string | undefined
  /** When the replica, in a state that the primary was never seen in, was first seen to differ. */
  #differsSince: number | undefined
  #behindSince: number | undefined
  #wasEqual = false
  #comparedAt = -Infinity
  #comparing: Promise<void> | undefined

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** Resolves when the replica has a concept that the primary has, or when the time for that is over. */
  async awaitConcept(uri: string): Promise<void> {
    const { own, waitMs } = this.#options
    const template = 'ingested/which'
    const query = queryTemplate(template).bind({ terms: { concept: [iri(uri)] } })
    const end = performance.now() + waitMs
    for (;;) {
      const left = end - performance.now()
      if (left <= 0) return
      // A replica that is away has not got it.
      const rows = await own.select(query, { template, timeoutMs: left }).catch(() => [])
      if (rows.length > 0) return
      await sleep(Math.min(POLL_MS, Math.max(0, end - performance.now())))
    }
  }

  /** Seconds for which the primary has had something that the replica has not; undefined before both have been seen. */
  async lagSeconds(): Promise<number | undefined> {
    await this.#compare()
    if (!this.#wasEqual && this.#behindSince === undefined) return undefined
    return this.#lagMs() / 1000
  }

  /**
   * Whether the replica may be read: it has been equal to the primary once, and is not behind for too long. While the primary
   * is away that stays as it was.
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
    const { own, primary } = this.#options
    const signal = AbortSignal.timeout(LOOK_MS)
    const [ofPrimary, ofOwn] = await Promise.all(
      [primary, own].map((client) => readRevisions(client, signal).catch(() => undefined)),
    )
    if (ofPrimary === undefined || ofOwn === undefined) return
    const now = performance.now()
    this.#comparedAt = now
    if (this.#primaryState !== undefined && this.#primaryState !== ofPrimary) this.#supersede(this.#primaryState, now)
    this.#primaryState = ofPrimary
    if (ofOwn === ofPrimary) {
      this.#wasEqual = true
      this.#behindSince = this.#differsSince = undefined
    } else {
      this.#differsSince ??= now
      this.#behindSince = this.#superseded.get(ofOwn) ?? this.#differsSince
    }
  }

  #supersede(state: string, now: number): void {
    this.#superseded.delete(state)
    this.#superseded.set(state, now)
    if (this.#superseded.size > MAX_STATES) this.#superseded.delete(this.#superseded.keys().next().value!)
  }
}
