/** A store that follows another one when a test says so. */
import { SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import { CRAFTS } from './app.ts'

/** Makes a graph of one store that of another. */
export async function replicate(from: StoreEndpoint, to: StoreEndpoint, graph = CRAFTS): Promise<void> {
  const query = `CONSTRUCT { ?s ?p ?o } { GRAPH <${graph}> { ?s ?p ?o } }`
  const headers = { accept: 'application/n-triples' }
  const answer = await fetch(from.queryUrl, { method: 'POST', headers, body: new URLSearchParams({ query }) })
  await new SparqlClient({ endpoint: to, timeoutMs: 60_000 }).putGraph(graph, await answer.text())
}
