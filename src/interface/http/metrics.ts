import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'
import { softwareVersion } from '../../base/root.ts'
import type { StoreRequestReport } from '../../graph/sparql/client.ts'
import { until } from '../../base/clock.ts'

/** The figures of a vocabulary, if its last load has recorded them and the search index has them. */
export interface VocabularyFigures {
  id: string
  concepts: number | undefined
  /** Triples that the last load wrote. */
  triples: number | undefined
  /** The time of the last load, in milliseconds since 1970. */
  loaded: number | undefined
}

/** Figures that /metrics reads on request. */
interface Gauges {
  /** Store requests under way and waiting. */
  store(): { pending: number; queued: number }
  /** Mails that have not reached all recipients yet. */
  outbox(): number
  /** The number of remembered answers sent and of answers made, and the memory of the remembered ones. */
  answers(): { hits: number; misses: number; bytes: number }
  /** Seconds that the store is behind its primary. */
  replicaLag(): Promise<number | undefined>
  vocabularies(): Promise<VocabularyFigures[]>
  /** Bytes of the files of the embedded store. */
  storeBytes(): Promise<number>
  /** Bytes of the log of changes. */
  historyBytes(): Promise<number>
  /** Bytes of downloads kept as files. */
  dumpBytes(): number
  /** Of the search index: its bytes, the vocabularies that the store has in another revision, and since when. */
  searchIndex(): Promise<{ bytes: number; vocabularies: number; seconds: number }>
}

/** The figures of one instance, for Prometheus. */
export interface Metrics {
  /**
   * Counts an answer. `route` is the pattern of the path and never the path, because each route gets separate figures.
   */
  countAnswer(answer: { route: string; method: string; status: number; seconds: number }): void
  countStoreRequest(report: StoreRequestReport): void
  /** Counts a call of a tool at /mcp. */
  countToolCall(tool: string, outcome: 'ok' | 'refused' | 'failed'): void
  watch(watched: Partial<Gauges>): void
  /** In the text format of Prometheus. */
  text(): Promise<{ contentType: string; body: string }>
}

/** Only these methods get separate figures, because clients can invent any number of others. */
const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** How long the figures of vocabularies may take; Prometheus waits for 10 s by default. */
const VOCABULARIES_MS = 2000

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/**
 * @param ofProcess with memory, CPU, garbage collection and the delay of the event loop (`nodejs_eventloop_lag_*`).
 */
export function createMetrics({ ofProcess = false } = {}): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (ofProcess) collectDefaultMetrics({ register: registry })
  const answers = new Counter({
    name: 'http_requests_total',
    help: 'Answers by route, method and status; 499 if the client went away, 500 if the service broke the answer off',
    labelNames: ['route', 'method', 'status'] as const,
    registers,
  })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request to the end of the answer, by route',
    labelNames: ['route'] as const,
    buckets: SECONDS,
    registers,
  })
  const storeRequests = new Histogram({
    name: 'store_request_duration_seconds',
    help: 'Store requests by template and outcome (ok, error, timeout, refused, aborted), including waiting',
    labelNames: ['template', 'outcome'] as const,
    buckets: SECONDS,
    registers,
  })
  const toolCalls = new Counter({
    name: 'mcp_tool_calls_total',
    help: 'Calls of tools by assistants, by tool and outcome (ok, refused, failed)',
    labelNames: ['tool', 'outcome'] as const,
    registers,
  })
  const gauge = (name: string, help: string, read: () => number | Promise<number | undefined> | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        const value = await Promise.resolve(read()).catch(() => undefined)
        // A gauge without a value would be 0.
        if (value === undefined) this.remove()
        else this.set(value)
      },
    })
  let watched: Partial<Gauges> = {}
  gauge('store_requests_pending', 'Store requests under way', () => watched.store?.().pending)
  gauge('store_requests_queued', 'Store requests waiting for their turn', () => watched.store?.().queued)
  const counter = (name: string, help: string, read: () => number | undefined) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(read() ?? 0)
      },
    })
  counter('remembered_answers_hits_total', 'Answers sent from memory', () => watched.answers?.().hits)
  counter('remembered_answers_misses_total', 'Answers made for the request', () => watched.answers?.().misses)
  gauge('remembered_answers_bytes', 'Memory of the remembered answers', () => watched.answers?.().bytes)
  gauge('store_replica_lag_seconds', 'Seconds by which the replica is behind its primary', () => watched.replicaLag?.())
  gauge('store_bytes', 'Files of the embedded store', () => watched.storeBytes?.())
  gauge('history_bytes', 'Files of the log of changes', () => watched.historyBytes?.())
  gauge('dump_bytes', 'Whole vocabularies as files for downloads', () => watched.dumpBytes?.())
  const ofIndex = async (figure: 'bytes' | 'vocabularies' | 'seconds') => (await watched.searchIndex?.())?.[figure]
  gauge('search_index_bytes', 'Files of the search index', () => ofIndex('bytes'))
  gauge('search_index_vocabularies_behind', 'Vocabularies that the store has in another revision than the index', () =>
    ofIndex('vocabularies'),
  )
  gauge('search_index_behind_seconds', 'Seconds since the index is behind the store', () => ofIndex('seconds'))
  new Gauge({
    name: 'vocabulary_service_info',
    help: 'The version of the service; always 1',
    labelNames: ['version'] as const,
    registers,
  }).set({ version: softwareVersion() }, 1)
  /** A figure for each vocabulary that has it. If the store does not answer in time, the metric is left out. */
  const ofVocabularies = (name: string, help: string, figureOf: (figures: VocabularyFigures) => number | undefined) =>
    new Gauge({
      name,
      help,
      labelNames: ['vocabulary'] as const,
      registers,
      async collect() {
        const read = Promise.resolve(watched.vocabularies?.() ?? [])
        const figuresByVocabulary = await until(VOCABULARIES_MS, read, () => new Error('late')).catch(() => [])
        this.reset()
        for (const figures of figuresByVocabulary) {
          const figure = figureOf(figures)
          if (figure !== undefined) this.set({ vocabulary: figures.id }, figure)
        }
      },
    })
  ofVocabularies('vocabulary_concepts', 'Concepts of a vocabulary', ({ concepts }) => concepts)
  ofVocabularies('vocabulary_triples', 'Triples of the last load of a vocabulary', ({ triples }) => triples)
  ofVocabularies('vocabulary_last_load_timestamp_seconds', 'Time of the last load of a vocabulary', ({ loaded }) =>
    loaded === undefined ? undefined : loaded / 1000,
  )
  gauge('ingest_outbox_mails', 'Mails about ingests that have not reached all recipients', () => watched.outbox?.())
  return {
    countAnswer: ({ route, method, status, seconds }) => {
      answers.inc({ route, method: METHODS.includes(method) ? method : 'other', status })
      durations.observe({ route }, seconds)
    },
    countStoreRequest: ({ template, outcome, milliseconds }) => {
      storeRequests.observe({ template, outcome }, milliseconds / 1000)
    },
    countToolCall: (tool, outcome) => toolCalls.inc({ tool, outcome }),
    watch: (more) => {
      watched = { ...watched, ...more }
    },
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  }
}
