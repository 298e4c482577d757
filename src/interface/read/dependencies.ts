import type { Config } from '../../config.ts'
import type { RememberedAnswers } from '../http/remembered-answers.ts'
import type { Mapping } from '../../graph/jskos/mapping.ts'
import type { Replica } from '../../graph/memory/replica.ts'
import type { ResourceCache } from '../../graph/memory/resource-cache.ts'
import type { StoreState } from '../../graph/memory/store-state.ts'
import type { SparqlClient } from '../../graph/sparql/client.ts'
import type { VocabularyRegistry } from '../../graph/vocabularies/registry.ts'
import type { IndexedLists } from './indexed-lists.ts'
import type { SharedQueries } from './shared-queries.ts'

/** The dependencies of every read: the store, and what the service remembers of it. */
export interface ReadDependencies {
  client: SparqlClient
  registry: VocabularyRegistry
  /** Writers announce their changes to it. */
  state: StoreState
  /** Queries for the concepts of several requests. */
  shared: SharedQueries
  /** Lists that the search index has. */
  lists: IndexedLists
  /**
   * The statements of the store about concepts and about things that records name; undefined if the service must not
   * remember any of it.
   */
  resources: ResourceCache | undefined
  /** The mappings of concordances; undefined if records do not name the concordances of mappings. */
  mappingsOfConcordances?: MappingsOfConcordances | undefined
}

/** Finds the mappings of concordances that lead from some concepts. */
export type MappingsOfConcordances = (from: readonly string[], signal: AbortSignal | undefined) => Promise<Mapping[]>

/** The dependencies of endpoints that send what they read. */
export interface AnswerDependencies extends ReadDependencies {
  config: Config
  answers: RememberedAnswers
}

/** Reading a store that may be a replica of the store that the service writes to. */
export interface ReplicatedReading extends ReadDependencies {
  /** If it is: how far it is behind. */
  replica?: Replica
  /** The store that the service writes to, for reading what was just written. */
  primary: ReadDependencies
}
