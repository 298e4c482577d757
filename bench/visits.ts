/**
 * First visits: answers that nothing remembers, for concepts that nobody has asked for since the start, beside a plain
 * CONSTRUCT of the same concepts.
 */
import { median, processorMsOf } from './measure.ts'
import { FILES, postQuery, startServiceWithIndex, withStore, type Store, type StoreName } from './stand.ts'

interface VisitOptions {
  requests: number
  connections: number
}

const ROUNDS = 4
const PREFIXES = 'PREFIX skos: <http://www.w3.org/2004/02/skos/core#>\n'
/** Concepts on a page of a whole vocabulary. */
const PAGE = 20

interface Visit {
  path: string
  query: string
}

const describe = (where: string) => `${PREFIXES}CONSTRUCT { ?s ?p ?o } WHERE { ${where} ?s ?p ?o }`
const encoded = encodeURIComponent

/** Each kind for a concept, and its place in the vocabulary. */
const KINDS: Record<string, (uri: string, at: number, uris: readonly string[]) => Visit> = {
  '/data?uri=': (uri) => ({ path: `/data?uri=${encoded(uri)}`, query: describe(`BIND(<${uri}> AS ?s)`) }),
  '/broader': (uri) => ({ path: `/broader?uri=${encoded(uri)}`, query: describe(`<${uri}> skos:broader ?s .`) }),
  '/narrower': (uri) => ({ path: `/narrower?uri=${encoded(uri)}`, query: describe(`<${uri}> skos:narrower ?s .`) }),
  '/ancestors': (uri) => ({ path: `/ancestors?uri=${encoded(uri)}`, query: describe(`<${uri}> skos:broader+ ?s .`) }),
  '/voc/{id}/concepts': (_, at, uris) => ({
    path: `/voc/iconclass/concepts?limit=${PAGE}&offset=${at}`,
    query: describe(
      `VALUES ?s { ${uris
        .slice(at, at + PAGE)
        .map((uri) => `<${uri}>`)
        .join(' ')} }`,
    ),
  }),
}

/** Prints a row for each kind and store. */
export async function visits(stores: readonly StoreName[], { requests, connections }: VisitOptions): Promise<void> {
  for (const name of stores) {
    await withStore(name, 'iconclass', { iconclass: FILES.iconclass }, (store) => measure(store, requests, connections))
  }
}

async function measure(store: Store, requests: number, connections: number): Promise<void> {
  const rows = await store.client.select(`${PREFIXES}SELECT ?c { ?c a skos:Concept ; skos:broader ?b } ORDER BY ?c`)
  const uris = rows.map(({ c }) => c!.value)
  const { service } = await startServiceWithIndex(store)
  console.log(`\n${store.name}, ${connections} connections, medians of ${ROUNDS} rounds of ${requests} requests\n`)
  console.log('| first visit | answers/s | plain CONSTRUCT/s | ratio | service ms | store ms | store ms of CONSTRUCT |')
  console.log('|---|---|---|---|---|---|---|')
  const get = (path: string) =>
    fetch(service.url + path, { headers: { accept: 'application/json', 'accept-encoding': 'gzip' } })
  const ask = async (all: readonly Visit[], send: (visit: Visit) => Promise<Response>) => {
    const [service0, store0] = [(await service.read()).processorMs, await processorMsOf(store.pid)]
    const started = performance.now()
    let next = 0
    const work = async () => {
      while (next < all.length) {
        const response = await send(all[next++]!)
        if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
        await response.arrayBuffer()
      }
    }
    await Promise.all(Array.from({ length: connections }, work))
    const perSecond = (all.length / (performance.now() - started)) * 1000
    const serviceMs = ((await service.read()).processorMs - service0) / all.length
    return { perSecond, serviceMs, storeMs: ((await processorMsOf(store.pid)) - store0) / all.length }
  }
  try {
    // No place twice: 7919 is prime.
    let visited = 0
    const placesOf = (count: number) => Array.from({ length: count }, () => (visited++ * 7919) % (uris.length - PAGE))
    for (const [kind, toVisit] of Object.entries(KINDS)) {
      const figures: number[][] = []
      for (let round = -1; round < ROUNDS; round++) {
        const all = placesOf(requests).map((at) => toVisit(uris[at]!, at, uris))
        const plain = await ask(all, ({ query }) => postQuery(store.endpoint, query))
        const answers = await ask(all, ({ path }) => get(path))
        if (round < 0) continue
        const ratio = answers.perSecond / plain.perSecond
        figures.push([answers.perSecond, plain.perSecond, ratio, answers.serviceMs, answers.storeMs, plain.storeMs])
      }
      const cells = figures[0]!.map((_, at) => median(figures.map((row) => row[at]!)))
      console.log(`| \`${kind}\` | ${cells.map((cell, at) => cell.toFixed(at < 2 ? 0 : 2)).join(' | ')} |`)
    }
  } finally {
    await service.stop()
  }
}
