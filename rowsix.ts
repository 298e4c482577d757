import { readFileSync, mkdtempSync } from 'node:fs'
import { startEmbeddedStore } from './src/store/embedded.ts'
import { SparqlClient } from './src/sparql/client.ts'
import { openAsBlob } from 'node:fs'
const [a, b, other, inPlace] = process.argv.slice(2)
const directory = mkdtempSync('/tmp/w/row6-')
const store = await startEmbeddedStore({ directory, queryTimeoutMs: 60_000, onError: console.error, limits: { inPlaceBytes: Number(inPlace) } })
const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 })
const put = async (graph: string, file: string) => {
  const auth = 'Basic ' + Buffer.from(`${store.endpoint.user}:${store.endpoint.password}`).toString('base64')
  const url = `${store.endpoint.graphStoreUrl}?graph=${encodeURIComponent(graph)}`
  const cpu = process.cpuUsage(); const t = performance.now()
  const r = await fetch(url, { method: 'PUT', body: await openAsBlob(file), headers: { 'content-type': 'application/n-triples', authorization: auth } })
  if (!r.ok) console.log(r.status, await r.text())
  const c = process.cpuUsage(cpu)
  return { ms: Math.round(performance.now() - t), cpu: Math.round((c.user + c.system) / 1000) }
}
if (other !== '-') console.log('other', await put('urn:other', other!))
console.log('first', await put('urn:g', a!))
await client.select('SELECT * { GRAPH <urn:g> { <http://example.org/large/17> ?p ?o } }')
let done = false, max = 0, n = 0
const reading = (async () => { while (!done) { const t = performance.now(); await client.select('SELECT * { GRAPH <urn:g> { <http://example.org/large/17> ?p ?o } }'); max = Math.max(max, performance.now() - t); n++; await new Promise((r) => setTimeout(r, 20)) } })()
console.log('replaced', await put('urn:g', b!))
done = true; await reading
console.log('reads', n, 'longest ms', Math.round(max), 'rss', Math.round(process.memoryUsage().rss / 1e6))
await store.close()
