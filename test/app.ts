/** The application over a test store, on a real listener. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Parser, Writer } from 'n3'
import supertest from 'supertest'
import { createApp, type AppOptions } from '../src/app.ts'
import { composeReading, type ComposedReading } from '../src/compose.ts'
import { Dumps } from '../src/doors/export/dumps.ts'
import { readConfig, type Config } from '../src/config.ts'
import type { SparqlClientOptions, StoreEndpoint } from '../src/graph/sparql/client.ts'
import { closeServer, listen, newDirectory, PATIENT } from './process.ts'

export const DEMO = resolve(import.meta.dirname, '../src/doors/demo')
export const CRAFTS = 'http://example.org/vocabulary/crafts/'
export const MATERIALS = 'http://example.org/vocabulary/materials/'

export interface Answer {
  status: number
  headers: Headers

  body: any
  text: string
}

type SeenRequests = Pick<SparqlClientOptions, 'onRequest'>

export interface RunningApp extends ComposedReading {
  url: string
  config: Config
  /** Errors that the application has reported. */
  reported: unknown[]
  /** Notes about the search index for the operator. */
  notes: string[]
  /** GET of a path with its query; with the body parsed if it is JSON. */
  get(path: string, init?: RequestInit): Promise<Answer>
  /** GET with parameters, percent-encoded. */
  ask(path: string, parameters?: Record<string, string>, init?: RequestInit): Promise<Answer>
  /**
   * Puts Turtle into a named graph as it is, and into the index, as the commands of this installation do; the
   * index gets it before the next search.
   */
  put(graph: string, turtle: string): Promise<void>
  close(): Promise<void>
}

/** The paths of what reads the index. */
const SEARCHING = /search|suggest|find|reconcile|\/index|lookup|[Ss]tatistics|mappings|concordances|label/

/**
 * Starts the application over a store, on a free port of the loopback interface.
 *
 * @param options `hasDumps` if it keeps whole vocabularies as files for downloads; `isEmbedded` if only this
 *    application writes to the store; `indexWaitMs`: how long a search waits for the first reading of a vocabulary, by
 *    default as long as a request to the store; `onRequest` sees the requests to the store.
 */
export async function startApp(
  endpoint: StoreEndpoint,
  env: NodeJS.ProcessEnv = {},
  {
    isEmbedded = false,
    hasDumps = false,
    indexWaitMs,
    onRequest,
    ...options
  }: Partial<AppOptions> & SeenRequests & { isEmbedded?: boolean; hasDumps?: boolean; indexWaitMs?: number } = {},
): Promise<RunningApp> {
  // If a test pauses for longer than the default of 5 s, a request may meet the end of its connection.
  const server = createServer({ keepAliveTimeout: 600_000 })
  const url = await listen(server)
  const dataDir = await newDirectory()
  const config = readConfig({ PORT: new URL(url).port, DATA_DIR: dataDir, ...PATIENT, ...env })
  // On a busy machine the threads of the index take seconds to start.
  const notes: string[] = []
  const note = (message: string) => notes.push(message)
  const dependencies = composeReading(config, endpoint, {
    isEmbedded,
    indexWaitMs: indexWaitMs ?? config.sparqlTimeoutMs,
    warn: note,
    ...(onRequest && { onRequest }),
  })
  const { index } = { ...dependencies, ...options }
  const dumps = hasDumps ? await Dumps.open({ ...dependencies, config, warn: note }) : undefined
  const reported: unknown[] = []
  server.on(
    'request',
    createApp({ config, reportError: (error) => reported.push(error), ...dependencies, dumps, ...options }),
  )

  const unindexed = new Set<string>()
  const get = async (path: string, init?: RequestInit): Promise<Answer> => {
    // Opening the index takes a moment, and few tests search.
    if (unindexed.size > 0 && SEARCHING.test(path)) {
      const graphs = [...unindexed]
      unindexed.clear()
      try {
        await index.refresh(graphs)
        // On a busy machine, reading one again may take longer than a search waits.
        await index.caughtUp()
      } catch {
        // The store may have to fail in a test.
        for (const graph of graphs) unindexed.add(graph)
      }
    }
    return answerOf(server, path, init)
  }
  return {
    ...dependencies,
    url,
    config,
    reported,
    notes,
    get,
    ask: (path, parameters = {}, init) => {
      const query = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
      return get(query.length > 0 ? `${path}?${query.join('&')}` : path, init)
    },
    put: async (graph, turtle) => {
      await dependencies.client.putGraph(graph, toNTriples(turtle), { timeoutMs: 60_000 })
      dependencies.state.changed()
      unindexed.add(graph)
    },
    close: async () => {
      await closeServer(server)
      await dumps?.close()
      await index.close()
      await dependencies.index.close()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

const HEADERS = { accept: '*/*', 'accept-language': '*', 'accept-encoding': 'gzip, deflate' }
const MOST_REDIRECTS = 20

/** Sends a request with supertest; what fetch would add to it and follow, this does too. */
async function answerOf(server: Server, path: string, init: RequestInit = {}): Promise<Answer> {
  const { method = 'GET', headers = {}, body = null, redirect, signal } = init
  const given = new Request('http://localhost', { method: body === null ? 'GET' : 'POST', headers, body })
  const send = method.toLowerCase() as 'get'
  const agent = supertest(server)
  const sent = agent[send](path)
    .set({ ...HEADERS, ...Object.fromEntries(given.headers) })
    .redirects(redirect === 'manual' ? 0 : MOST_REDIRECTS)
    // It would write bytes as JSON if they are said to be JSON.
    .serialize((bytes: unknown) => bytes as string)
    .parse((response, done) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => done(null, new TextDecoder().decode(Buffer.concat(chunks))))
    })
  signal?.addEventListener('abort', () => void sent.abort())
  if (body !== null) sent.send(Buffer.from(await given.arrayBuffer()))
  const answer = await sent.catch((error: unknown) => {
    signal?.throwIfAborted()
    throw error
  })
  const text = typeof answer.body === 'string' ? answer.body : ''
  const isJson = answer.headers['content-type']?.startsWith('application/json') && text !== ''
  return {
    status: answer.status,
    headers: new Headers(answer.headers),
    text,
    body: isJson ? JSON.parse(text) : undefined,
  }
}

/** By the Turtle: most test files put the demo, some several times. */
const converted = new Map<string, string>()

/** Turtle as N-Triples. */
export function toNTriples(turtle: string): string {
  const triples = converted.get(turtle) ?? new Writer({ format: 'N-Triples' }).quadsToString(new Parser().parse(turtle))
  converted.set(turtle, triples)
  return triples
}

/** The demo as it is in the project, without the loader. */
export async function putDemo(app: RunningApp): Promise<void> {
  const file = (name: string) => readFileSync(resolve(DEMO, name), 'utf8')
  await app.put(CRAFTS, file('crafts.ttl'))
  await app.put(MATERIALS, file('materials.ttl'))
  await app.put(`${CRAFTS}subset/school`, file('subset-school.ttl'))
  await app.put(`${CRAFTS}subset/textile`, file('subset-textile.ttl'))
}
