/**
 * The cost of the embedded store beside oxigraph itself.
 *
 * Ratios are taken within one run, with the two sides in turn, because the machine may be busy with other things.
 */
import { createReadStream, readFileSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { gunzipSync } from 'node:zlib'
import { Store, defaultGraph, namedNode } from 'oxigraph'
import { SparqlClient } from '../src/graph/sparql/client.ts'
import { startEmbeddedStore } from '../src/interface/store/embedded.ts'
import { newDirectory } from '../test/process.ts'
import { median, timed } from './measure.ts'
import { FILES } from './stand.ts'

const GRAPH = 'urn:bench'
const ROUNDS = 3

const megabytes = () => Math.round(process.memoryUsage().rss / 1e6)

async function repeated(times: number, action: (i: number) => unknown): Promise<number> {
  const values: number[] = []
  for (let i = 0; i < times; i++) values.push(await timed(() => action(i)))
  return median(values)
}

/** Milliseconds that oxigraph itself takes for the file, in a thread, its start not counted. */
function ownLoad(file: string): Promise<number> {
  const code = `const { parentPort, workerData } = require('node:worker_threads')
    const { Store, namedNode } = require('oxigraph')
    const bytes = require('node:fs').readFileSync(workerData)
    const started = performance.now()
    new Store().load(bytes, { format: 'nt', to_graph_name: namedNode('${GRAPH}') })
    parentPort.postMessage(performance.now() - started)`
  return new Promise((resolve, reject) => {
    new Worker(code, { eval: true, workerData: file }).once('message', resolve).once('error', reject)
  })
}

/** The vocabulary as N-Triples. */
function writeGraph(source: string, file: string): void {
  const bytes = readFileSync(source)
  const store = new Store()
  const format = source.includes('.ttl') ? 'ttl' : 'nt'
  store.load(source.endsWith('.gz') ? gunzipSync(bytes) : bytes, { format })
  writeFileSync(file, store.dump({ format: 'nt', from_graph_name: defaultGraph() }))
  console.log(`${source}: ${store.size} triples`)
}

/**
 * Prints a line for each thing that the embedded store does.
 *
 * @param source Turtle or N-Triples, perhaps gzipped; the larger part of Iconclass without it.
 */
export async function embeddedStore(source: string = FILES.iconclass): Promise<void> {
  const directory = await newDirectory()
  const file = join(directory, 'graph.nt')
  writeGraph(source, file)

  const store = await startEmbeddedStore({
    directory: join(directory, 'store'),
    queryTimeoutMs: 10_000,
    onError: () => undefined,
  })
  const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 300_000 })
  await client.putGraph('urn:small', '<urn:s> <urn:p> "small" .\n')

  let longestRead = 0
  let loading = true
  const reader = (async () => {
    while (loading) {
      longestRead = Math.max(longestRead, await timed(() => client.ask('ASK { GRAPH <urn:small> { ?s ?p ?o } }')))
      await sleep(20)
    }
  })()
  const puts: number[] = []
  const loads: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const before = megabytes()
    puts.push(await timed(() => client.putGraph(GRAPH, createReadStream(file))))
    if (round === 0) console.log(`the graph takes ${megabytes() - before} MB of memory`)
    loads.push(await ownLoad(file))
  }
  loading = false
  await reader
  console.log(
    `PUT ${Math.round(median(puts))} ms, oxigraph load ${Math.round(median(loads))} ms: ${(median(puts) / median(loads)).toFixed(2)} times`,
  )
  const direct = new Store()
  direct.load(readFileSync(file), { format: 'nt', to_graph_name: namedNode(GRAPH) })

  const subject = (
    direct.query('SELECT ?s WHERE { GRAPH ?g { ?s ?p ?o } } LIMIT 1') as Map<string, { value: string }>[]
  )[0]!
  const query = `SELECT ?p ?o WHERE { <${subject.get('s')!.value}> ?p ?o }`
  const options = { results_format: 'json', use_default_graph_as_union: true }
  const direct1 = await repeated(1000, () => direct.query(query, options))
  const http = await repeated(1000, () => client.select(query))
  console.log(`small query ${http.toFixed(2)} ms, directly ${direct1.toFixed(2)} ms`)

  let update = 0
  const single = await timed(async () => {
    for (let i = 0; i < 200; i++)
      await client.update(`INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:p> ${update++} } }`, 'urn:u')
  })
  const together = await timed(() =>
    Promise.all(
      Array.from({ length: 200 }, () =>
        client.update(`INSERT DATA { GRAPH <urn:u> { <urn:s> <urn:p> ${update++} } }`, 'urn:u'),
      ),
    ),
  )
  console.log(`200 updates one after the other ${Math.round(single)} ms, at the same time ${Math.round(together)} ms`)
  const triples = Array.from({ length: 10_000 }, (_, i) => `<urn:c${i}> <urn:label> "label ${i}"@de .`).join('\n')
  const insert = `INSERT DATA { GRAPH <urn:u> { ${triples} } }`
  console.log(
    `update of 10,000 triples ${Math.round(await repeated(5, () => client.update(insert, 'urn:u')))} ms, ` +
      `directly ${Math.round(await repeated(5, () => new Store().update(insert)))} ms`,
  )

  await client.select('SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }').catch(() => undefined)
  const recovery = await timed(async () => {
    while (!(await client.ask('ASK {}').catch(() => false))) await sleep(20)
  })
  console.log(`answers again ${Math.round(recovery)} ms after a query was ended`)
  console.log(`longest read while graphs were replaced ${Math.round(longestRead)} ms`)
  console.log(`closed in ${Math.round(await timed(() => store.close()))} ms`)
  console.log(
    `opened in ${Math.round(
      await timed(async () => {
        await (await startEmbeddedStore({ directory: join(directory, 'store'), queryTimeoutMs: 10_000 })).close()
      }),
    )} ms`,
  )
  await rm(directory, { recursive: true })
}
