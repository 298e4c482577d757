import { LRUCache } from 'lru-cache'
import type { Config } from './config.ts'
import { RememberedAnswers } from './http/remembered.ts'
import { Revalidation } from './http/revalidation.ts'
import { Batches } from './read/batches.ts'
import { Hierarchies } from './read/hierarchies.ts'
import { LinkNames } from './read/link-names.ts'
import { ListChecks } from './read/list-checks.ts'
import { Recent } from './read/recent.ts'
import { Replica } from './read/replica.ts'
import { readRevisions } from './read/revisions.ts'
import { LabelIndexes } from './search/label-indexes.ts'
import type { SearchDependencies } from './search/matches.ts'
import { TextIndex } from './search/text-index.ts'
import { SparqlClient, type SparqlClientOptions, type StoreEndpoint } from './sparql/client.ts'
import { StoreState } from './http/store-state.ts'
import { VocabularyRegistry } from './vocabularies/registry.ts'

/** Lists whose length is remembered to be great. */
const LONG_LISTS = 1000

/**
 * Composes the dependencies of the read endpoints over a store; for a replica also those that read its primary.
 */
export function composeReading(
  config: Config,
  endpoint: StoreEndpoint,
  options: ReadingOptions = {},
): SearchDependencies {
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
): SearchDependencies {
  const client = new SparqlClient({
    endpoint,
    timeoutMs: config.sparqlTimeoutMs,
    onRequest: (report, signals) => {
      if (report.template !== 'revisions') state.noteRead()
      onRequest?.(report, signals)
    },
  })
  const registry = new VocabularyRegistry(client, config.maxStalenessMs)
  const { maxStalenessMs } = config
  const state = new StoreState({
    readState: (signal) => readRevisions(client, signal),
    maxStalenessMs,
    isOwn,
    isReplica,
    onChange: () => {
      registry.invalidate()
      listChecks.clear()
    },
  })
  const listChecks = new ListChecks({ client, maxAgeMs: state.maxAgeMs })
  const answers = new RememberedAnswers({ state, maxBytes: config.cacheBytes })
  return {
    client,
    registry,
    answers,
    revalidation: new Revalidation(state, answers),
    textIndex: new TextIndex(client, config.textIndex),
    labelIndexes: new LabelIndexes({ client, maxLabels: config.searchIndexLabels, maxAgeMs: state.maxAgeMs, isOwn }),
    recentMatches: new Recent({ state, sizeOf: ({ total }) => total, worthMs: 20 }),
    recentCounts: new Recent({ state, sizeOf: () => 1 }),
    longLists: new LRUCache({ max: LONG_LISTS }),
    resourceNotes: { seen: false },
    batches: new Batches(client),
    hierarchies: new Hierarchies({ client, registry, maxAgeMs: state.maxAgeMs }),
    linkNames: isReplica || maxStalenessMs === 0 ? undefined : new LinkNames(client, state),
    listChecks,
  }
}
