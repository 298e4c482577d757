import { join } from 'node:path'
import type { RequestHandler } from 'express'
import type { Logger } from 'pino'
import type { Config } from '../../config.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import type { History } from '../history/history.ts'
import { MemoryCounters } from '../../interface/http/rate-limits.ts'
import type { ControlEndpoint } from '../../interface/http/control-endpoint.ts'
import { connectRedis } from '../../interface/http/redis.ts'
import type { ReplicatedReading } from '../../interface/read/dependencies.ts'
import type { SearchDependencies } from '../../interface/search/search.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { HeldGraphs } from '../../graph/vocabularies/graph-hold.ts'
import { Accounts } from './accounts.ts'
import { SYSTEM_CLOCK, type Clock } from '../../base/clock.ts'
import { compileShapes, type IngestShapes } from './concepts.ts'
import { followUp } from './commit.ts'
import { acceptIngests, ingestEndpoint, type AcceptIngest, sharedKeys } from './ingest.ts'
import { Ledger, type Entry } from './ledger.ts'
import { DecisionMails } from './decision-mails.ts'
import { editing, type Editing } from './editing.ts'
import { feedbackSender, type SendFeedback } from './feedback.ts'
import { IngestLimits } from './limits.ts'
import { OpenIngests } from './open-ingests.ts'
import { Outbox } from './outbox.ts'
import { readShape } from '../../graph/shapes/read.ts'
import { setAsideEndpoint } from './set-aside-mails.ts'

/** POST /ingest, and the work that follows its answers. */
export interface Ingest {
  endpoint: RequestHandler[]
  /** The same for other ways in, such as pages and assistants. */
  acceptIngest: AcceptIngest
  /** Sends reports of readers to the operator; undefined unless SITE_FEEDBACK asks for it. */
  sendFeedback: SendFeedback | undefined
  /** Mails about decisions; undefined without a history, which keeps these. */
  decisionMails: DecisionMails | undefined
  /** The work of editors on pages; undefined without a history. */
  editing: Editing | undefined
  ledger: Ledger
  outbox: Outbox
  /** Stops the outbox and closes the files. */
  close(): Promise<void>
}

interface IngestOptions {
  /** Serves mails that were set aside to the commands of the operator. */
  control: ControlEndpoint
  history?: History | undefined
  clock?: Clock | undefined
}

/**
 * Composes the dependencies of ingest over the reading endpoints, and begins to send waiting mails.
 *
 * @throws ConfigError if the accounts or the Redis are unusable, LockedError, DamageError and DiskError for DATA_DIR.
 * @example
 * const ingest = await composeIngest(config, composeReading(config, endpoint), log, { control, history })
 * const app = createApp({ ...parts, ingest: ingest.endpoint })
 */
export async function composeIngest(
  config: Config,
  reading: ReplicatedReading & SearchDependencies,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  { control, history, clock = SYSTEM_CLOCK }: IngestOptions,
): Promise<Ingest> {
  const accounts = new Accounts(config.accountsFile, (message) => log.warn(message))
  await accounts.list()
  const request = readShape<object>('ingest-request.schema.json')
  const concept = readShape<object>('ingest-concept.schema.json')
  let compiled: Promise<IngestShapes> | undefined
  // Compiled for the first ingest, because it takes a tenth of the time in which the service starts.
  const shapes = () => (compiled ??= compileShapes(request, concept, config.jskosContextUrl))
  const isStored = async ({ uris }: Entry) => {
    // One transaction writes all concepts of an ingest, so checking one is enough.
    const query = queryTemplate('ingested/which').bind({ terms: { concept: [iri(uris[0]!)] } })
    return (await reading.primary.client.select(query)).length > 0
  }
  const shared = config.redisUrl ? await connectRedis(config.redisUrl, log, clock) : undefined
  const ledger = await Ledger.open(join(config.dataDir, 'ingest'), clock).catch((error: unknown) => {
    shared?.close()
    throw error
  })
  const { smtpUrl, mailFrom, baseUrl } = config
  const sender = smtpUrl
    ? (await import('./smtp.ts')).smtpSender(smtpUrl, mailFrom ?? `vocabulary-service@${new URL(baseUrl).hostname}`)
    : undefined
  const outbox = new Outbox({ ledger, send: sender?.send, baseUrl, clock, log })
  if (!sender) log.warn({ waiting: outbox.size }, 'SMTP_URL is not set: mails about ingests stay in the outbox')
  outbox.start()
  const mails = setAsideEndpoint(ledger.setAsideMails((entry) => outbox.retry(entry)))
  const { client } = reading.primary
  const openIngests = new OpenIngests({ client, isStored, clock, log })
  const decisionMails =
    history && new DecisionMails({ history, accounts, ledger, outbox, registry: reading.primary.registry, log })
  const close = async () => {
    openIngests.stop()
    await decisionMails?.stop()
    await outbox.stop()
    sender?.close()
    shared?.close()
    await ledger.close()
  }
  await ledger.publish(control.serve('/mails', mails)).catch(async (error: unknown) => {
    await close()
    throw error
  })
  const limits = new IngestLimits(config.ingestLimits, shared?.counters ?? (() => new MemoryCounters(clock)))
  const heldGraphs = new HeldGraphs(client, () => clock.elapsed())
  const commits = { config, reading, ledger, outbox, openIngests, clock, log, history, isStored, heldGraphs }
  for (const entry of ledger.claimed()) if (!entry.decision) void followUp(commits, entry)
  decisionMails?.start()
  const acceptIngest = acceptIngests({ ...commits, accounts, shapes, limits, keys: shared && sharedKeys(shared) })
  return {
    endpoint: ingestEndpoint(config, acceptIngest),
    acceptIngest,
    sendFeedback:
      config.site.feedback === 'form'
        ? feedbackSender({ ledger, outbox, clock }, config.site.contact!.replace(/^mailto:/, ''))
        : undefined,
    decisionMails,
    editing: history && decisionMails && editing({ config, reading, accounts, limits, history, decisionMails, log }),
    ledger,
    outbox,
    close,
  }
}
