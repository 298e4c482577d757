import type { Config } from './config.ts'
import { RememberedAnswers } from './http/remembered-answers.ts'
import { Remembered } from './memory/remembered.ts'
import { readRevisions, StoreState } from './memory/store-state.ts'
import type { ReplicatedReading } from './read/dependencies.ts'
import { Hierarchies } from './read/hierarchies.ts'
import { LinkNames } from './read/link-names.ts'
import { ListChecks } from './read/list-checks.ts'
import { Replica } from './memory/replica.ts'
import { LabelIndexes } from './search/label-indexes.ts'
import type { SearchDependencies } from './search/matches.ts'
import { TextIndex } from './search/text-index.ts'
import { SparqlClient, type SparqlClientOptions, type StoreEndpoint } from './sparql/client.ts'
import { VocabularyRegistry } from './vocabularies/registry.ts'

/** Concepts in the matches to remember, and numbers of concepts. */
const MOST_MATCHES = 300_000
const MOST_COUNTS = 3000
/** What an answer to a search takes in addition to its concepts. */
const OVERHEAD = 100

/** The dependencies of all endpoints that read, apart from the configuration and the history. */
export interface ComposedReading extends SearchDependencies, ReplicatedReading {
  answers: RememberedAnswers
}

/**
 * Composes the dependencies of the read endpoints over a store; for a replica also those that read its primary.
 */
export function composeReading(config: Config, endpoint: StoreEndpoint, options: ReadingOptions = {}): ComposedReading {
  const primaryQueryUrl = config.store?.primaryQueryUrl ?? endpoint.queryUrl
  const isReplica = primaryQueryUrl !== config.store?.queryUrl && primaryQueryUrl !== endpoint.queryUrl
  const reading = composeStore(config, endpoint, { ...options, isReplica })
  if (!isReplica) return reading
  const primary = composeStore(config, { ...endpoint, queryUrl: primaryQueryUrl }, options)
  const { replicaWaitMs: waitMs, maxReplicaLagMs: maxLagMs } = config
  const replica = new Replica({ own: reading.client, primary: primary.client, waitMs, maxLagMs })
  return { ...reading, primary, replica }
}

interface ReadingOptions {
  onRequest?: SparqlClientOptions['onRequest']
  /** Only this process can write to the store. */
  isOwn?: boolean
}

function composeStore(
  config: Config,
  endpoint: StoreEndpoint,
  { onRequest, isOwn = false, isReplica = false }: ReadingOptions & { isReplica?: boolean },
): ComposedReading {
  const client = new SparqlClient({
    endpoint,
    timeoutMs: config.sparqlTimeoutMs,
    onRequest: (report, signals) => {
      if (report.template !== 'revisions') state.noteRead()
      onRequest?.(report, signals)
    },
  })
  const { maxStalenessMs } = config
  const readState = (signal: AbortSignal | undefined) => readRevisions(client, signal)
  const state = new StoreState({ readState, maxStalenessMs, isOwn, isReplica })
  const { maxAgeMs } = state
  const registry = new VocabularyRegistry(client, maxStalenessMs)
  state.onChange(() => registry.invalidate())
  return {
    client,
    registry,
    state,
    answers: new RememberedAnswers({ state, maxBytes: config.cacheBytes }),
    counts: new Remembered({ state, maxSize: MOST_COUNTS, sizeOf: () => 1, worthMs: 100 }),
    matches: new Remembered({ state, maxSize: MOST_MATCHES, sizeOf: ({ total }) => total + OVERHEAD, worthMs: 20 }),
    linkNames: isReplica || maxStalenessMs === 0 ? undefined : new LinkNames(client, state),
    listChecks: new ListChecks({ client, registry, state }),
    hierarchies: new Hierarchies({ client, registry, maxAgeMs }),
    labelIndexes: new LabelIndexes({ client, registry, maxLabels: config.searchIndexLabels, maxAgeMs, isOwn }),
    textIndex: new TextIndex(client, config.textIndex),
  }
}
