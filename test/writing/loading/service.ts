/** A service over a test store for loads: new before each test, and without vocabularies after it. */
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals'
import { removeVocabulary } from '../../../src/writing/commands/remove.ts'
import { ApiError } from '../../../src/base/errors.ts'
import { HOLD } from '../../../src/base/namespaces.ts'
import { SparqlClient, type StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { readVocabularies } from '../../../src/graph/vocabularies/vocabulary.ts'
import { startIngest, type IngestService } from '../ingest/service.ts'
import type { TestStore } from '../../stores.ts'

interface RunningStore {
  readonly endpoint: StoreEndpoint
  /** The number of holds in the store. */
  holds(): Promise<number>
}

/**
 * Starts a store, and a client and a service over it before each test. After each test the service must have reported
 * no error, and nobody may hold anything.
 *
 * @param begin receives the client and the service.
 * @param end called after each test, before the service closes.
 */
export function serviceOver(
  store: TestStore,
  begin: (client: SparqlClient, service: IngestService) => void | Promise<void>,
  end: () => Promise<void> = () => Promise.resolve(),
): RunningStore {
  let running: Awaited<ReturnType<TestStore['start']>>
  let client: SparqlClient
  let service: IngestService
  const holds = async () => {
    const [row] = await client.select(`SELECT (COUNT(?hold) AS ?holds) WHERE { GRAPH ?g { ?s <${HOLD}> ?hold } }`)
    return Number(row!['holds']!.value)
  }
  beforeAll(async () => {
    running = await store.start()
  }, 60_000)
  afterAll(() => running.stop())
  beforeEach(async () => {
    client = new SparqlClient({ endpoint: running.endpoint, timeoutMs: 60_000 })
    service = await startIngest(running.endpoint)
    await begin(client, service)
  })
  afterEach(async () => {
    await end()
    // Searches wait until the index has been read.
    const isWait = (error: unknown) => error instanceof ApiError && error.name === 'ServiceUnavailableError'
    const errors = service.reported.filter((error) => !isWait(error))
    await service.close()
    expect(errors).toEqual([])
    for (const { uri, isSubset } of await readVocabularies(client)) if (!isSubset) await removeVocabulary(client, uri)
    expect(await holds()).toBe(0)
  })
  return {
    get endpoint() {
      return running.endpoint
    },
    holds,
  }
}
