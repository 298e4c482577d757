/**
 * The subject of the measurements: a store with vocabularies, the service over it, and a recorder of the service's
 * queries.
 */
import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { loadVocabulary } from '../src/writing/loading/load-vocabulary.ts'
import { freePort, listen, newDirectory, ROOT, storeEnv } from '../test/process.ts'
import { startFuseki } from '../test/fuseki.ts'

export const STORE_NAMES = ['embedded', 'fuseki'] as const
export type StoreName = (typeof STORE_NAMES)[number]

export interface Recorder {
  /** The queries for one answer, in order. */
  record: (path: string) => Promise<string[]>
  stop: () => Promise<void>
}

/** A file of the test data. */
export const dataFile = (name: string) => resolve(process.env['TEST_DATA_DIR'] ?? resolve(ROOT, '../shared/data'), name)

/** Vocabularies by id: what is measured. */
export const FILES = {
  iconclass: dataFile('large/iconclass-base.ttl.gz'),
  stw: dataFile('vocab/stw-9.16.ttl'),
  bk: dataFile('vocab/bk.ttl'),
}
export const LARGE = { iconclass: dataFile('large/iconclass-full.ttl.gz') }

export interface Store {
  name: StoreName
  /** Holds its files. */
  directory: string
  endpoint: StoreEndpoint
  client: SparqlClient
  pid: number
  stop(): Promise<void>
}

/** From probe.mjs. */
interface Figures {
  longestDelayMs: number
  peakBytes: number
  processorMs: number
}

export interface Service {
  url: string
  pid: number
  /** Forgets the longest delay and the peak of memory so far. */
  reset(): Promise<void>
  read(): Promise<Figures>
  /** Ends the service; gives its exit code, null if a signal ended it. */
  stop(): Promise<number | null>
}

/**
 * A store with vocabularies in it. With BENCH_DIR it stays there, so that the next run need not load; else it is
 * removed.
 *
 * @param key names the set of vocabularies.
 * @param files vocabularies by id.
 */
async function startStore(name: StoreName, key: string, files: Record<string, string>): Promise<Store> {
  const parent = process.env['BENCH_DIR'] ?? (await newDirectory())
  const directory = join(parent, `${name}-${key}`)
  await mkdir(directory, { recursive: true })
  const started = name === 'fuseki' ? await startFuseki({ directory, longLived: true }) : await startEmbedded(directory)
  const { endpoint, pid } = started
  const client = new SparqlClient({ endpoint, timeoutMs: 300_000 })
  const rows = await client.select(
    'SELECT ?id { ?s a <http://www.w3.org/2004/02/skos/core#ConceptScheme> ; <http://www.w3.org/2004/02/skos/core#notation> ?id }',
  )
  const present = new Set(rows.map(({ id }) => id?.value))
  for (const [id, file] of Object.entries(files)) {
    if (present.has(id)) continue
    const started = performance.now()
    await loadVocabulary(client, [file], { ids: [id], check: false })
    console.log(`${name}: ${id} loaded in ${Math.round((performance.now() - started) / 1000)} s`)
  }
  return {
    name,
    directory,
    endpoint,
    client,
    pid,
    stop: async () => {
      await started.stop()
      if (!process.env['BENCH_DIR']) await rm(parent, { recursive: true, force: true })
    },
  }
}

/**
 * A SPARQL query as any client would send it (SPARQL 1.1 Protocol, section 2.1.2, query via POST with URL-encoded
 * parameters).
 */
export function postQuery(endpoint: StoreEndpoint, query: string, accept = 'application/n-triples'): Promise<Response> {
  return fetch(endpoint.queryUrl, { method: 'POST', headers: { accept }, body: new URLSearchParams({ query }) })
}

type Candidates = { id: string; match: boolean }[]

/** The candidates for each of some queries to /reconcile of a vocabulary; throws an Error if the status is not 2xx. */
export async function reconcile(url: string, id: string, queries: readonly object[]): Promise<Candidates[]> {
  const body = new URLSearchParams({ queries: JSON.stringify({ ...queries }) })
  const response = await fetch(`${url}/voc/${id}/reconcile`, { method: 'POST', body })
  if (!response.ok) throw new Error(`/reconcile: ${response.status} ${await response.text()}`)
  const results = (await response.json()) as Record<string, { result: Candidates }>
  return Object.values(results).map(({ result }) => result)
}

/** Runs a measurement over a store with vocabularies in it. */
export async function withStore<T>(
  name: StoreName,
  key: string,
  files: Record<string, string>,
  measure: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await startStore(name, key, files)
  try {
    return await measure(store)
  } finally {
    await store.stop()
  }
}

/** The embedded store in a folder, as a process of its own. */
export async function startEmbedded(directory: string) {
  const program = resolve(import.meta.dirname, 'store-process.ts')
  const child = spawn(process.execPath, ['--import', 'tsx', program, join(directory, 'store')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
  return { endpoint: JSON.parse(line) as StoreEndpoint, pid: child.pid!, stop: () => end(child) }
}

/**
 * The service as `npm start` starts it, but without a memory of answers.
 *
 * @param endpoint of a store; without one the service has its own embedded store.
 */
export async function startService(endpoint?: StoreEndpoint, env: NodeJS.ProcessEnv = {}): Promise<Service> {
  const port = await freePort()
  const dataDir = await newDirectory()
  const child = fork(resolve(ROOT, 'dist/main.js'), [], {
    execArgv: ['--max-semi-space-size=32', '--import', resolve(import.meta.dirname, 'probe.mjs')],
    env: {
      PATH: process.env['PATH'],
      // As the image and the systemd unit set it.
      MALLOC_ARENA_MAX: '2',
      PORT: String(port),
      DATA_DIR: dataDir,
      INGEST_LIMITS: 'none',
      SPARQL_TIMEOUT_MS: '120000',
      CACHE_BYTES: '0',
      ...(endpoint ? { ...storeEnv(endpoint), SPARQL_EXCLUSIVE: 'true' } : {}),
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  await new Promise<void>((isReady, fail) => {
    createInterface(child.stdout!).on('line', (line) => {
      if (line.includes('"msg":"ready"')) isReady()
    })
    child.once('exit', (code) => fail(new Error(`The service ended with ${code}.`)))
  })
  const ask = async (what: string) => {
    child.send(what)
    const [answer] = (await once(child, 'message')) as [Figures]
    return answer
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid!,
    reset: async () => void (await ask('reset')),
    read: () => ask('read'),
    stop: async () => {
      const code = await end(child)
      await rm(dataDir, { recursive: true, force: true })
      return code
    },
  }
}

/**
 * The service with default settings and its search index, as it is after a restart: nobody has asked it anything yet.
 *
 * @returns also the milliseconds that reading the index from the store took.
 */
export async function startServiceWithIndex(store: Store): Promise<{ service: Service; indexMs: number }> {
  const dataDir = await newDirectory()
  if (store.name === 'embedded') await cp(store.directory, dataDir, { recursive: true })
  const endpoint = store.name === 'embedded' ? undefined : store.endpoint
  const start = () => startService(endpoint, { DATA_DIR: dataDir, CACHE_BYTES: '', SPARQL_TIMEOUT_MS: '' })
  const first = await start()
  const started = performance.now()
  // Before the index has looked at the store it is behind in nothing, so one poll does not tell.
  let readAt: number | undefined
  for (;;) {
    const figures = await (await fetch(`${first.url}/metrics`)).text()
    const answer = await fetch(`${first.url}/search?search=a&limit=1`)
    await answer.arrayBuffer()
    if (!answer.ok || !/^search_index_vocabularies_behind 0$/m.test(figures)) readAt = undefined
    else if (readAt !== undefined) break
    else readAt = performance.now()
    await setTimeout(POLL_MS)
  }
  const indexMs = readAt - started
  await first.stop()
  const service = await start()
  const stop = async () => {
    const code = await service.stop()
    await rm(dataDir, { recursive: true, force: true })
    return code
  }
  return { service: { ...service, stop }, indexMs }
}

const QUIET_MS = 10_000
const POLL_MS = 250

/**
 * Waits until the service has asked the store nothing for a while, and its search index is up to date: reading
 * vocabularies into the index would disturb the figures.
 */
export async function settled({ url }: Service): Promise<void> {
  let busyAt = performance.now()
  while (performance.now() - busyAt < QUIET_MS) {
    const figures = await (await fetch(`${url}/metrics`)).text()
    const isQuiet = /^store_requests_pending 0$/m.test(figures)
    if (!isQuiet || !/^search_index_vocabularies_behind 0$/m.test(figures)) busyAt = performance.now()
    await setTimeout(POLL_MS)
  }
}

/**
 * Records the queries of one answer, with a service that sends them through a recorder. It remembers no names, so that
 * its request for the records has all of them.
 */
export async function startRecorder(store: Store): Promise<Recorder> {
  let queries: string[] = []
  const recorder = createServer((request, response) => {
    void (async () => {
      const body = await text(request)
      queries.push(new URLSearchParams(body).get('query') ?? '')
      const answer = await fetch(store.endpoint.queryUrl, {
        method: 'POST',
        headers: {
          'content-type': request.headers['content-type']!,
          accept: request.headers.accept!,
        },
        body,
      })
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type')! })
      response.end(await answer.text())
    })().catch(() => response.destroy())
  })
  const recorded = { ...store.endpoint, queryUrl: `${await listen(recorder)}/` }
  const service = await startService(recorded, { MAX_STALENESS_MS: '0' })
  await settled(service)
  return {
    record: async (path) => {
      queries = []
      const response = await fetch(service.url + path)
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
      await response.arrayBuffer()
      return queries
    },
    stop: async () => {
      await service.stop()
      recorder.close()
    },
  }
}

async function end(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  child.kill('SIGTERM')
  const [code] = (await once(child, 'exit')) as [number | null]
  return code
}
