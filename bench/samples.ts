/** Concepts for requests, chosen by their place in the hierarchy. */
import type { SparqlClient } from '../src/graph/sparql/client.ts'
import { postQuery } from './stand.ts'

/** A concept with the number of those below or above it. */
interface Counted {
  uri: string
  count: number
}

/** Samples of a kind, which are asked for in turn. */
const SEVERAL = 60

export interface Samples {
  /** Concepts as they come, spread over the vocabulary. */
  concepts: string[]
  /** The largest vocabulary. */
  scheme: string
  notation: string
  /** Several with about 15 narrower concepts, and the one with most. */
  fewNarrower: Counted[]
  mostNarrower: Counted
  /** Several with the most ancestors. */
  deepest: Counted[]
  /**
   * With at least 10,000 descendants, but not many more, because sorting a whole list takes longer the longer it is.
   */
  root: string
}

const PREFIXES = 'PREFIX skos: <http://www.w3.org/2004/02/skos/core#> '

/** Looks at the largest vocabulary. */
export async function findSamples(client: SparqlClient): Promise<Samples> {
  const sizes = await client.select(
    `${PREFIXES} SELECT ?g (COUNT(*) AS ?n) { GRAPH ?g { ?c a skos:Concept } } GROUP BY ?g ORDER BY DESC(?n) LIMIT 1`,
  )
  const scheme = sizes[0]!['g']!.value
  const graph = `GRAPH <${scheme}>`
  // As TSV (SPARQL 1.1 Query Results CSV and TSV Formats): a million of them are there within Fuseki's own deadline.
  const query = `${PREFIXES} SELECT ?c ?b { ${graph} { ?c skos:broader ?b } }`
  const response = await postQuery(client.endpoint, query, 'text/tab-separated-values')
  const edges = (await response.text()).matchAll(/^<(.*)>\t<(.*)>$/gm)
  const broader = new Map<string, string>()
  const narrower = new Map<string, number>()
  for (const [, c, b] of edges) {
    broader.set(c!, b!)
    narrower.set(b!, (narrower.get(b!) ?? 0) + 1)
  }
  const chain = (uri: string) => {
    const above: string[] = []
    for (let next = broader.get(uri); next && !above.includes(next); next = broader.get(next)) above.push(next)
    return above
  }
  const depths: Counted[] = []
  const below = new Map<string, number>()
  for (const uri of broader.keys()) {
    const above = chain(uri)
    depths.push({ uri, count: above.length })
    for (const ancestor of above) below.set(ancestor, (below.get(ancestor) ?? 0) + 1)
  }
  const uris = [...broader.keys()].sort()
  const byCount = (a: Counted, b: Counted) => b.count - a.count
  const widths = [...narrower].map(([uri, count]) => ({ uri, count })).sort(byCount)
  const bySize = [...below].sort(([, a], [, b]) => b - a)
  const root = bySize.findLast(([, count]) => count >= 10_000) ?? bySize[0]!
  const notations = await client.select(
    `${PREFIXES} SELECT ?n { ${graph} { <${uris[uris.length >> 1]}> skos:notation ?n } }`,
  )
  return {
    concepts: Array.from({ length: SEVERAL }, (_, i) => uris[Math.floor((i * uris.length) / SEVERAL)]!),
    scheme,
    notation: notations[0]!['n']!.value,
    fewNarrower: widths.filter(({ count }) => count <= 15).slice(0, SEVERAL),
    mostNarrower: widths[0]!,
    deepest: depths.sort(byCount).slice(0, SEVERAL),
    root: root[0],
  }
}
