import { loadDemo } from '../../../src/doors/demo/demo.ts'
import type { StoreEndpoint } from '../../../src/graph/sparql/client.ts'
import { startApp, type RunningApp } from '../../app.ts'

/** Starts the application over a store with the demo as a new service loads it: vocabularies and records of formats. */
export async function startDemo(endpoint: StoreEndpoint): Promise<RunningApp> {
  const app = await startApp(endpoint, {}, { hasDumps: true })
  await loadDemo(app.client, app.config)
  app.registry.invalidate()
  return app
}
