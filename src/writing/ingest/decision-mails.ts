import { randomUUID } from 'node:crypto'
import type { Logger } from 'pino'
import { nameOf } from '../../graph/jskos/names.ts'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import type { History } from '../history/history.ts'
import type { Change } from '../history/log/change.ts'
import { toFields } from '../history/versions.ts'
import type { Accounts } from './accounts.ts'
import type { Entry, Ledger } from './ledger.ts'
import type { Outbox } from './outbox.ts'

/** Commands decide in other processes, so this looks into the history now and then. */
const LOOK_MS = 10_000
const LANGUAGES = ['de', 'en']

interface DecisionMailsOptions {
  history: History
  accounts: Accounts
  ledger: Ledger
  outbox: Outbox
  registry: VocabularyRegistry
  log: Pick<Logger, 'error'>
}

/**
 * Puts mails to proposers about decisions into the outbox: one for each decision and account that has an address of its
 * own.
 *
 * The history marks each decision as unannounced. The mail gets into the ledger as claimed, then the history removes
 * its mark, then the mail counts. So a process that ends in between leaves no decision without its mail, and none with
 * two.
 */
export class DecisionMails {
  readonly #options: DecisionMailsOptions
  #running: Promise<void> = Promise.resolve()
  #timer: NodeJS.Timeout | undefined

  constructor(options: DecisionMailsOptions) {
    this.#options = options
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.look(), LOOK_MS).unref()
    void this.look()
  }

  /** Resolves when nothing is being written any more. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.#running
  }

  /** Looks for new decisions. Never fails: the next look tries again. */
  look(): Promise<void> {
    const { log } = this.#options
    this.#running = this.#running
      .then(() => this.#look())
      .catch((err: unknown) =>
        log.error({ err }, 'mails about decisions could not be written; the service will try again'),
      )
    return this.#running
  }

  async #look(): Promise<void> {
    const { history, ledger, outbox } = this.#options
    const unannounced = await history.log.unannounced()
    for (const entry of [...ledger.claimed()].filter(({ decision }) => decision)) {
      const isUnannounced = unannounced.has(entry.decision!.changeset)
      await ledger.change(entry, { state: isUnannounced ? 'absent' : 'stored' })
    }
    for (const [changeset, changes] of unannounced) {
      const entries = await this.#entriesOf(changeset, changes)
      for (const entry of entries) await ledger.claim(entry)
      await history.log.announce(changeset)
      for (const entry of entries) await ledger.change(entry, { state: 'stored' })
    }
    outbox.wake()
  }

  async #entriesOf(changeset: number, changes: readonly Change[]): Promise<Entry[]> {
    const { history, accounts, registry } = this.#options
    const [first] = changes
    const logged = first && (await history.log.graph(first.graph))
    if (!logged) return []
    const { decision, reason } = first.cause
    const proposers = await history.log.accounts(logged)
    const voc = (await registry.find(logged.uri))?.ids[0] ?? logged.uri
    const entries: Entry[] = []
    for (const { username, replyTo } of await accounts.list()) {
      if (replyTo === undefined) continue
      const proposed = changes.filter(({ uri }) => proposers.get(uri) === username)
      if (proposed.length === 0) continue
      entries.push({
        id: randomUUID(),
        time: first.time,
        username,
        scheme: logged.uri,
        voc,
        uris: proposed.map(({ uri }) => uri),
        labels: await Promise.all(proposed.map((change) => this.#nameOf(change, changeset))),
        decision: { decision: decision!, changeset, ...(reason === undefined ? {} : { reason }) },
        state: 'claimed',
        recipients: [replyTo],
      })
    }
    return entries
  }

  /** The name of a proposal at the time of the decision. */
  async #nameOf({ uri, graph, kind, removed }: Change, changeset: number): Promise<string> {
    const { log } = this.#options.history
    const logged = await log.graph(graph)
    const resource = logged && (await log.resource(logged, uri))
    const statements = kind === 'Delete' ? removed : resource && (await log.statements(resource.id, changeset + 1))
    return nameOf({ uri, ...toFields(uri, statements ?? []) }, LANGUAGES)
  }
}
