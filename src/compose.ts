import { sortLanguage, type Config } from './config.ts'
import { RememberedAnswers } from './interface/http/remembered-answers.ts'
import { ResourceCache } from './graph/memory/resource-cache.ts'
import { readStoreState, StoreState } from './graph/memory/store-state.ts'
import { NAMING } from './base/namespaces.ts'
import { STATEMENT } from './interface/read/concept-query.ts'
import type { ReplicatedReading } from './interface/read/dependencies.ts'
import { SharedQueries } from './interface/read/shared-queries.ts'
import { IndexedLists } from './interface/read/indexed-lists.ts'
import { Replica } from './graph/memory/replica.ts'
import { IndexedMappings, mappingsOfConcordances } from './doors/mappings/indexed-mappings.ts'
import { SearchIndex } from './interface/search/search-index.ts'
import type { SearchIndexOptions } from './interface/search/store-follower.ts'
import type { SearchDependencies } from './interface/search/search.ts'
import { SparqlClient, type SparqlClientOptions, type StoreEndpoint } from './graph/sparql/client.ts'
import { readNamespaces } from './graph/vocabularies/namespaces.ts'
import { VocabularyRegistry } from './graph/vocabularies/registry.ts'

/** The share of CACHE_BYTES for concepts; the rest is for answers. */
const RESOURCES_SHARE = 1 / 2

/** The dependencies of all endpoints that read, apart from the configuration and the history. */
export interface ComposedReading extends SearchDependencies, ReplicatedReading {
  answers: RememberedAnswers
  indexedMappings: IndexedMappings
}

/**
 * Composes the dependencies of the read endpoints over a store; for a replica also the dependencies that read its
 * primary.
 */
export function composeReading(config: Config, endpoint: StoreEndpoint, options: ReadingOptions = {}): ComposedReading {
  const primaryQueryUrl = config.store?.primaryQueryUrl ?? endpoint.queryUrl
  const isReplica = primaryQueryUrl !== config.store?.queryUrl && primaryQueryUrl !== endpoint.queryUrl
  if (!isReplica) {
    const reading = composeStore(config, endpoint, options)
    return { ...reading, primary: reading }
  }
  const primary = composeStore(config, { ...endpoint, queryUrl: primaryQueryUrl }, options)
  // The index follows the primary, because the replica may be behind what this installation has written.
  const reading = composeStore(config, endpoint, { ...options, isReplica, index: primary.index })
  const { replicaWaitMs: waitMs, maxReplicaLagMs: maxLagMs } = config
  const replica = new Replica({ replica: reading.client, primary: primary.client, waitMs, maxLagMs })
  return { ...reading, primary, replica }
}

interface ReadingOptions {
  onRequest?: SparqlClientOptions['onRequest']
  /** True: the store is the embedded one of this process, through which all writes go. */
  isEmbedded?: boolean
  /** Answers queries to that store without HTTP. */
  answerQuery?: SparqlClientOptions['answerQuery']
  /** How long a search waits for the first reading of a vocabulary. */
  indexWaitMs?: SearchIndexOptions['waitMs']
  /** Receives what the operator should know of the index. */
  warn?: SearchIndexOptions['warn']
}

function composeStore(
  config: Config,
  endpoint: StoreEndpoint,
  {
    onRequest,
    warn: note,
    indexWaitMs: waitMs,
    isEmbedded = false,
    answerQuery,
    isReplica = false,
    ...other
  }: ReadingOptions & { isReplica?: boolean; index?: SearchIndex },
): Omit<ComposedReading, 'primary'> {
  const client = new SparqlClient({
    endpoint,
    answerQuery,
    timeoutMs: config.sparqlTimeoutMs,
    onRequest: (report, answers) => {
      if (report.template !== 'revisions') state.hasRead()
      onRequest?.(report, answers)
    },
  })
  const { dataDir, maxStalenessMs, sparqlTimeoutMs: timeoutMs } = config
  // A replica shows a write later than the primary.
  const isExclusive = isEmbedded || (config.store?.isExclusive === true && !isReplica)
  // Searches depend on the index as well.
  const readState = async (signal: AbortSignal | undefined) =>
    `${await readStoreState(client, signal)} ${index.version}`
  const state = new StoreState({ readState, maxStalenessMs, isExclusive, isReplica })
  const registry = new VocabularyRegistry(client, maxStalenessMs, sortLanguage(config))
  state.onChange(() => registry.invalidate())
  const forResources = Math.floor(config.cacheBytes * RESOURCES_SHARE)
  const keepsResources = !isReplica && maxStalenessMs > 0 && forResources > 0
  const ofResources = {
    maxBytes: forResources,
    statement: STATEMENT,
    naming: NAMING,
  }
  const index =
    other.index ??
    new SearchIndex({
      dataDir,
      endpoint,
      timeoutMs,
      language: sortLanguage(config),
      registry,
      maxStalenessMs,
      isExclusive,
      hearsOfWrites: isEmbedded,
      waitMs,
      warn: note,
      namespaces: readNamespaces(dataDir),
    })
  const indexedMappings = new IndexedMappings(index)
  return {
    client,
    registry,
    state,
    answers: new RememberedAnswers({ state, maxBytes: config.cacheBytes - forResources }),
    resources: keepsResources ? new ResourceCache({ state, ...ofResources }) : undefined,
    shared: new SharedQueries(client),
    lists: new IndexedLists({ client, state, index }),
    mappingsOfConcordances: mappingsOfConcordances(registry, indexedMappings),
    index,
    indexedMappings,
  }
}
