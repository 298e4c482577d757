/** A store that follows another one when a test says so. */
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { CRAFTS } from './app.ts'

/** Makes the graph of the crafts of one store that of another. */
export async function replicate(from: StoreEndpoint, to: StoreEndpoint): Promise<void> {
  const [source, target] = [from, to].map((endpoint) => new SparqlClient({ endpoint, timeoutMs: 60_000 }))
  await target!.putGraph(CRAFTS, source!.getGraph(CRAFTS))
}
