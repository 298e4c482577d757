/** The stores that are measured, each with a vocabulary in it. */
import { execFileSync } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { StoreEndpoint } from '../src/sparql/client.ts'
import { startEmbeddedStore } from '../src/store/embedded.ts'
import { loadVocabulary } from '../src/vocabularies/load.ts'
import { startApp, type RunningApp } from '../test/app.ts'
import { fusekiAvailable, startFuseki } from '../test/fuseki.ts'

/** A file of the test data. */
export const dataFile = (name: string) =>
  resolve(process.env['TEST_DATA_DIR'] ?? resolve(import.meta.dirname, '../../shared/data'), name)

export interface Measured {
  name: string
  endpoint: StoreEndpoint
  app: RunningApp
  /** URI of the vocabulary. */
  scheme: string
}

/**
 * Runs a measurement over the embedded store and, where it can be had, over Fuseki, each with one vocabulary in it.
 * With BENCH_DIR the stores stay there, so that the next run need not load; without it they are removed.
 */
export async function overStores(file: string, id: string, measure: (store: Measured) => Promise<void>): Promise<void> {
  // The threads of the embedded store run what is built.
  execFileSync(process.execPath, [resolve(import.meta.dirname, '../build.mjs')])
  const parent = process.env['BENCH_DIR'] ?? (await mkdtemp(join(tmpdir(), 'vocabulary-service-bench-')))
  const fuseki = fusekiAvailable()
  if (!fuseki.available) console.log(`Fuseki is left out: ${fuseki.reason}`)
  for (const name of fuseki.available ? ['embedded', 'fuseki'] : ['embedded']) {
    const directory = join(parent, name)
    await mkdir(directory, { recursive: true })
    const { endpoint, stop } =
      name === 'embedded' ? await startEmbedded(directory) : await startFuseki({ directory, javaOptions: '' })
    const app = await startApp(endpoint, { SPARQL_TIMEOUT_MS: '120000' })
    try {
      let vocabulary = await app.registry.find(id)
      if (!vocabulary) {
        const started = performance.now()
        await loadVocabulary(app.client, [file], { ids: [id], check: false })
        app.registry.invalidate()
        console.log(`${name}: ${file} loaded in ${Math.round((performance.now() - started) / 1000)} s`)
        vocabulary = await app.registry.find(id)
      }
      await measure({ name, endpoint, app, scheme: vocabulary!.uri })
    } finally {
      await app.close()
      await stop()
    }
  }
  if (!process.env['BENCH_DIR']) await rm(parent, { recursive: true, force: true })
}

async function startEmbedded(directory: string): Promise<{ endpoint: StoreEndpoint; stop: () => Promise<void> }> {
  const store = await startEmbeddedStore({ directory: join(directory, 'store'), queryTimeoutMs: 120_000 })
  return { endpoint: store.endpoint, stop: () => store.close() }
}

/** Milliseconds that something takes. */
export async function timed(action: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await action()
  return performance.now() - started
}

export const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!

/** A SPARQL query as any client would send it, its answer read as a whole. */
export async function raw(endpoint: StoreEndpoint, query: string): Promise<string> {
  const response = await fetch(endpoint.queryUrl, {
    method: 'POST',
    headers: {
      'content-type': 'application/sparql-query',
      accept: 'application/sparql-results+json',
      ...(endpoint.user === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${endpoint.user}:${endpoint.password}`).toString('base64')}` }),
    },
    body: query,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
  return text
}
