import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { InputError } from '../../base/files/input-error.ts'
import { LOAD } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { GraphHold } from '../../graph/vocabularies/graph-hold.ts'
import { readProposals } from '../../graph/vocabularies/proposals.ts'
import type { Cause, LoggedGraph } from './log/change.ts'
import type { Draft } from './log/drafts.ts'
import type { Intent } from './log/intents.ts'
import { ChangeLog } from './log/log.ts'
import { changesOfIngest, changesOfRemoval, changesOfReplacement, type Chunks } from './new-changes.ts'
import type { ProposalsChange, Replacement } from './replacement.ts'
import type { GraphSummary } from './resources.ts'
import { groupedBy } from '../../base/groups.ts'

/** The log of changes within the folder for data. */
export const HISTORY_FILE = join('history', 'log.sqlite')

/** The state of a graph that is not in the store. */
const ABSENT = 'absent'
/** After this time an ingest of a process that has ended can no longer reach the store, even one that was hanging. */
const INTENT_LIFE_MS = 24 * 3_600_000
/** The history looks up ingests together after this time, or at once if a request needs them. */
const RECORD_AFTER_MS = 5000
const TRIES = 5
/** After this many attempts it holds the graph, so that nobody changes it during further attempts. */
const FREE_TRIES = 2

/**
 * Records the changes of the vocabularies in a log beside the store (docs/history.md, "History").
 *
 * The log and the store cannot change in one transaction, so the log has three tenses:
 *
 * ```
 *                       the log before       the store               the log afterwards
 * load, subset,         a draft: changes     replaces the graph;     commits the draft
 * remove, proposals     that do not count    LOAD names the load
 * ingest                an intent: URIs      adds the concepts       looks them up, records what it finds
 * another program       -                    changes anything        compares it at the next load, and records
 *                                                                    the difference as found
 * ```
 *
 * A process may be killed between any two columns. The next one reads the state of the graph (`LOAD`, the concepts) and
 * sees from it which drafts and intents have come true.
 *
 * @example
 * const history = await History.open('data', client)
 * const { total, changes } = await versionsOf(history, uri, { limit: 20, offset: 0 })
 */
export class History {
  readonly log: ChangeLog
  readonly #client: SparqlClient
  /** Ingests of this process whose update has ended, and those whose update is under way. */
  readonly #ended = new Set<string>()
  readonly #running = new Set<string>()
  #newIntents: { intents: Intent[]; written: Promise<void> } | undefined
  #recording: Promise<void> | undefined
  #timer: NodeJS.Timeout | undefined
  readonly #onError: (error: unknown) => void

  private constructor(log: ChangeLog, client: SparqlClient, onError: (error: unknown) => void) {
    this.log = log
    this.#client = client
    this.#onError = onError
  }

  /**
   * Opens the log in the folder for data. Several processes may have it open.
   *
   * @param onError receives the errors of recording that happens after an answer.
   * @throws DamageError, DiskError
   */
  static async open(
    dataDir: string,
    client: SparqlClient,
    onError: (error: unknown) => void = () => undefined,
  ): Promise<History> {
    return new History(await ChangeLog.open(join(dataDir, HISTORY_FILE)), client, onError)
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    try {
      await this.recordIngests()
    } catch (error) {
      // The next process that opens the log records the rest.
      this.#onError(error)
    }
    await this.log.close()
  }

  /**
   * Records the differences that replacements will make as drafts.
   *
   * @returns records them as made. Call it when the store has replaced the graphs; it never fails.
   * @throws the errors of the log and of the store.
   */
  async prepare(replacements: readonly Replacement[]): Promise<() => Promise<void>> {
    const drafts: Draft[] = []
    for (const replacement of replacements) drafts.push(await this.draft(replacement))
    return async () => {
      for (const [at, { graph, cause }] of replacements.entries()) await this.#commit(drafts[at]!, graph, cause)
    }
  }

  /**
   * Records a graph that the log does not know as a draft, without a look at the store. It counts as soon as the store
   * has the graph, which the next start or command finds by its `load`.
   *
   * @throws InputError if the log knows the graph.
   */
  async prepareFirst({ before, ...replacement }: Replacement): Promise<void> {
    const graph = await this.log.intern(before)
    if (graph.changeset > 0 || graph.load !== '') {
      throw new InputError(`the history has <${before}> already, so this is not its first load.`)
    }
    await this.#draft(graph, replacement)
  }

  /**
   * Changes proposals in a graph and records this.
   *
   * @param write changes them in the store.
   */
  async changeProposals(
    { graph: uri, gone, removed, load, cause }: ProposalsChange,
    write: () => Promise<void>,
  ): Promise<void> {
    const graph = await this.#recorded(uri)
    const draft = await this.log.drafts.begin(graph, load, cause, new Date().toISOString())
    await this.log.drafts.add(draft, await changesOfRemoval(this.log, graph, gone, removed))
    await write()
    await this.#commit(draft, uri, cause)
  }

  /**
   * Records the difference between the log and a new graph as a draft. If the log does not know the graph, or something
   * else has replaced it, this records its state in the store first.
   */
  async draft({ before, load, chunks, proposals, ...replacement }: Omit<Replacement, 'graph'>): Promise<Draft> {
    const graph = await this.#recorded(before)
    // The store has all proposals that the log has.
    const present = proposals ? await readProposals(this.#client, before) : []
    const late = new Set(present.map(({ uri }) => uri).filter((uri) => !proposals!.includes(uri)))
    return this.#draft(graph, { load, chunks, late, ...replacement })
  }

  /** A graph of which the log knows the state in the store. */
  async #recorded(uri: string): Promise<LoggedGraph> {
    await this.recordIngests()
    const state = await this.#state(uri)
    const logged = await this.#caughtUp(uri, state)
    if (state !== ABSENT && (!logged.isWhole || logged.load !== state)) await this.recordStored(uri, { by: 'found' })
    return this.log.intern(uri)
  }

  /**
   * Compares a graph in the store with the log and records the differences. If the log knew nothing of the graph, new
   * resources are an `Add`. If the graph keeps changing, this holds it for the last tries: meanwhile ingests into it
   * wait.
   *
   * @throws InputError if the graph keeps changing in spite of this.
   */
  async recordStored(uri: string, cause: Cause): Promise<void> {
    let hold: GraphHold | undefined
    try {
      for (let tries = 0; tries < TRIES; tries++) {
        if (tries === FREE_TRIES) hold = await GraphHold.take(this.#client, uri)
        // Their concepts would otherwise seem to come with this change.
        const ingests = (await this.log.intents.list()).filter(({ graph }) => graph === uri)
        for (const some of byAccount(ingests)) await this.#recordSome(some, await this.log.intern(uri))
        const graph = await this.log.intern(uri)
        const state = await this.#state(uri)
        const chunks = () => this.#client.getGraph(uri, NO_DEADLINE)
        // This draft must not look like that of a load, because a kill may leave it incomplete.
        const draft = await this.#draft(graph, { load: randomUUID(), chunks, cause })
        draft.load = state === ABSENT ? '' : state
        const options = { time: new Date().toISOString(), isWhole: state !== ABSENT, isRead: true }
        if ((await this.#state(uri)) !== state) await this.log.drafts.discard(draft)
        else if (await this.log.drafts.commit(draft, options)) return
      }
    } finally {
      // A hold that cannot be released ends by itself.
      await hold?.release().catch(this.#onError)
    }
    throw new InputError(`<${uri}> keeps changing, so the history cannot record it; try again.`)
  }

  /** Records on disk that an ingest is about to write concepts. @throws DiskError */
  async intend(intent: Omit<Intent, 'id'>): Promise<string> {
    const id = randomUUID()
    this.#running.add(id)
    // Ingests of the same moment go to disk together.
    const batch = (this.#newIntents ??= this.#newBatch())
    batch.intents.push({ id, ...intent })
    try {
      await batch.written
    } catch (error) {
      this.#running.delete(id)
      throw error
    }
    return id
  }

  /** Call this when it is known whether the store has the concepts of an ingest. */
  end(id: string): void {
    this.#running.delete(id)
    this.#ended.add(id)
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.recordIngests().catch(this.#onError)
    }, RECORD_AFTER_MS).unref()
  }

  /** True if the log has a graph as a load has left it. */
  async hasLoad(uri: string, load: string): Promise<boolean> {
    const graph = await this.followGraph(uri)
    return graph !== undefined && graph.isWhole && graph.load === load
  }

  /** Brings the log up to date for a resource, so that it can be read. */
  async follow(uri: string): Promise<void> {
    await this.recordIngests()
    for (const graph of await this.log.graphsOf(uri)) await this.#caughtUp(graph, await this.#state(graph))
  }

  /** Brings the log up to date for a graph. @returns the graph; undefined if the log knows nothing of it. */
  async followGraph(uri: string): Promise<LoggedGraph | undefined> {
    await this.recordIngests()
    return (await this.log.graph(uri)) && this.#caughtUp(uri, await this.#state(uri))
  }

  /** Looks up the fate of ingests and of killed loads in the store, and records it. */
  async recordIngests(): Promise<void> {
    while (this.#recording) await this.#recording
    this.#recording = this.#recordIngests().finally(() => (this.#recording = undefined))
    return this.#recording
  }

  /** Records loads that a kill has kept out of the log. Call it at start. */
  async recover(): Promise<void> {
    for (const { uri } of await this.log.graphs()) await this.#caughtUp(uri, await this.#state(uri))
    await this.recordIngests()
  }

  #newBatch(): { intents: Intent[]; written: Promise<void> } {
    const intents: Intent[] = []
    const written = Promise.resolve().then(() => {
      this.#newIntents = undefined
      return this.log.intents.add(intents)
    })
    return { intents, written }
  }

  async #recordIngests(): Promise<void> {
    const ended = [...this.#ended]
    const intents = await this.log.intents.list()
    const open = new Set(intents.map(({ id }) => id))
    // Another process may have recorded ingests of this process.
    for (const id of ended) if (!open.has(id)) this.#ended.delete(id)
    for (const some of byAccount(intents.filter(({ id }) => !this.#running.has(id)))) {
      try {
        let isRecorded = false
        for (let tries = 0; tries < TRIES && !isRecorded; tries++) isRecorded = await this.#recordSome(some)
      } catch (error) {
        // Recording another graph must not fail because this graph keeps changing.
        if (!(error instanceof InputError)) throw error
        this.#onError(error)
      }
    }
  }

  /**
   * Looks up ingests in the store and records them.
   *
   * @param intents of one account for one graph.
   * @param graph the graph as the log has it; by default it is brought up to date first.
   * @returns false if something else was recorded for the graph meanwhile; then nothing is recorded.
   */
  async #recordSome(intents: readonly Intent[], graph?: LoggedGraph): Promise<boolean> {
    const { graph: uri, account } = intents[0]!
    // The answer of the store may lack an ingest that ends meanwhile.
    const ended = new Set(this.#ended)
    const uris = intents.flatMap((intent) => intent.uris)
    const query = queryTemplate('ingested/concepts').bind({
      terms: { graph: [iri(uri)], c: uris.map(iri), scheme: [iri(uri)], owner: uris.map(iri) },
    })
    const stored = await this.#client.construct(query)
    const [load] = stored.get(uri)?.get(LOAD) ?? []
    const logged = graph ?? (await this.#caughtUp(uri, load?.value ?? (await this.#state(uri))))
    const now = Date.now()
    const isDone = (intent: Intent) =>
      ended.has(intent.id) || stored.has(intent.uris[0]!) || now - Date.parse(intent.time) > INTENT_LIFE_MS
    const done = intents.filter(isDone).map(({ id }) => id)
    const [first] = intents.filter((intent) => stored.has(intent.uris[0]!))
    const time = first?.time ?? new Date(now).toISOString()
    const changes = await changesOfIngest(this.log, logged, uris, stored)
    return this.log.drafts.record(logged, changes, { cause: { by: 'ingest', account }, time, intents: done })
  }

  /** The UUID of the last load of a graph; empty if another program wrote it; `ABSENT` if there is no such graph. */
  async #state(uri: string): Promise<string> {
    const query = queryTemplate('history/state').bind({ terms: { graph: [iri(uri)], same: [iri(uri)] } })
    const rows = await this.#client.select(query)
    return rows.find(({ load }) => load)?.load?.value ?? (rows.length > 0 ? '' : ABSENT)
  }

  /** Completes the record of a load that the store has, if the load was killed or failed before it could. */
  async #caughtUp(uri: string, state: string): Promise<LoggedGraph> {
    const graph = await this.log.intern(uri)
    const unfinished = await this.log.drafts.unfinished(graph)
    if (unfinished) {
      await this.recordStored(uri, unfinished)
      return this.log.intern(uri)
    }
    const load = state === ABSENT ? '' : state
    if (load === graph.load && (state !== ABSENT || !graph.isWhole)) return graph
    const draft = await this.log.drafts.find(graph, load)
    if (!draft) return graph
    const cause: Cause = { by: 'found' }
    const options = { time: new Date().toISOString(), isWhole: state !== ABSENT, otherwise: cause }
    if (!(await this.log.drafts.commit(draft, options))) await this.recordStored(uri, cause)
    return this.log.intern(uri)
  }

  /** Commits a draft after the store has made the change. */
  async #commit(draft: Draft, uri: string, cause: Cause): Promise<void> {
    try {
      const options = { time: new Date().toISOString(), uri, isWhole: draft.load !== '', otherwise: cause }
      if (await this.log.drafts.commit(draft, options)) return
      // Only the store knows whether ingests recorded meanwhile are in the graph.
      await this.recordStored(uri, cause)
    } catch (error) {
      // The store has made the change, so it must not look as if it had failed. The log has what the next command or
      // start needs.
      this.#onError(error)
    }
  }

  async #draft(
    graph: LoggedGraph,
    change: Omit<Replacement, 'graph' | 'before' | 'chunks'> & { chunks: () => Chunks; late?: ReadonlySet<string> },
  ): Promise<Draft> {
    const { load, chunks, cause, late, onCompared } = change
    const draft = await this.log.drafts.begin(graph, load, cause, new Date().toISOString())
    try {
      let summary: GraphSummary | undefined
      const onEnd = (end: GraphSummary) => (summary = end)
      await this.log.drafts.add(draft, changesOfReplacement(this.log, graph, chunks(), { ...change, onEnd }))
      // With late proposals, the graph has more than the text.
      if (!late || late.size === 0) draft.triples = summary!.triples
      if (onCompared) onCompared(summary!, { load: graph.load, triples: await this.log.triples(graph) })
      return draft
    } catch (error) {
      await this.log.drafts.discard(draft)
      throw error
    }
  }
}

/** Intents of the same graph and account together. */
function byAccount(intents: readonly Intent[]): Iterable<Intent[]> {
  return groupedBy(intents, ({ graph, account }) => JSON.stringify([graph, account])).values()
}

/**
 * Replaces or removes graphs, and records the differences if there is a history.
 *
 * @param write does it in the store.
 * @throws the errors of the log and of the store before `write`, and the errors of `write`; after these, the log has
 *   only changes that reached the store. Nothing fails after `write`: the next command or start records what could not
 *   be recorded.
 */
export async function replaceGraphs(
  history: Pick<History, 'prepare'> | undefined,
  replacements: readonly Replacement[],
  write: () => Promise<void>,
): Promise<void> {
  const commit = await history?.prepare(replacements)
  await write()
  await commit?.()
}
