/**
 * The cost of a suggestion for two letters beside the raw query of the same run.
 *
 * The raw queries find in every label, as a suggestion does, but rank nothing, count nothing and describe nothing. On
 * Fuseki: by the text index, once with all hits and once with the 10,000 that it brings unless told. On other stores:
 * by one regular expression. The service remembers for a short time what it has found, so the first question is told
 * apart from the next ones.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { startApp } from '../test/app.ts'
import { median, timed } from './measure.ts'
import { FILES, withStore, type Store, type StoreName } from './stand.ts'

const LETTERS = ['be', 'ma', 'st', 'an', 'fl', 'ge', 'so', 'tr']
const ROUNDS = 3
const PREFIXES = `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX text: <http://jena.apache.org/text#>
`
const FIELDS = 'skos:prefLabel skos:altLabel skos:hiddenLabel'

function rawQueries(name: StoreName, scheme: string): Record<string, (letters: string) => string> {
  if (name === 'fuseki') {
    const hits = (query: string) =>
      `${PREFIXES}SELECT ?c ?label WHERE { GRAPH <${scheme}> { (?c ?score ?label) text:query (${FIELDS} ${query}) } }`
    return { 'all hits': (letters) => hits(`"${letters}*" 1000000`), '10,000 hits': (letters) => hits(`"${letters}*"`) }
  }
  return {
    'regular expression': (letters) => `${PREFIXES}SELECT ?c ?label WHERE { GRAPH <${scheme}> {
      VALUES ?p { ${FIELDS} } ?c ?p ?label FILTER(REGEX(?label, "(^|[^\\\\p{L}])${letters}", "i")) } }`,
  }
}

/** A SPARQL query as any client would send it, its answer read as a whole. */
async function raw(queryUrl: string, query: string): Promise<void> {
  const response = await fetch(queryUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/sparql-query', accept: 'application/sparql-results+json' },
    body: query,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.status}: ${text}`)
}

/** Prints, for each store, the first and the next suggestion beside each raw query. */
export async function search(stores: readonly StoreName[]): Promise<void> {
  for (const name of stores) await withStore(name, 'iconclass', { iconclass: FILES.iconclass }, measure)
}

async function measure({ name, endpoint }: Store): Promise<void> {
  const app = await startApp(endpoint, { SPARQL_TIMEOUT_MS: '120000' })
  const queries = rawQueries(name, (await app.get('/voc/iconclass')).body[0].uri)
  // An answer without any suggestion would be quick, too.
  const suggest = async (letters: string, offset: number) => {
    const answer = await app.ask('/suggest', { search: letters, voc: 'iconclass', limit: '20', offset: String(offset) })
    if (answer.status !== 200 || answer.body[1].length !== 20) throw new Error(`${answer.status}: ${answer.text}`)
  }
  const times = new Map<string, number[]>()
  const take = (what: string, milliseconds: number) => times.set(what, [...(times.get(what) ?? []), milliseconds])
  for (let round = 0; round < ROUNDS; round++) {
    const forgotten = sleep(app.config.maxStalenessMs)
    for (const letters of LETTERS) {
      for (const [what, query] of Object.entries(queries)) {
        const milliseconds = await timed(() => raw(endpoint.queryUrl, query(letters)))
        if (round > 0) take(what, milliseconds)
      }
      const first = await timed(() => suggest(letters, 0))
      const next = await timed(() => suggest(letters, 0))
      if (round > 0) {
        take('suggestion, first', first)
        take('suggestion, again', next)
      }
    }
    await forgotten
  }
  for (const what of ['suggestion, first', 'suggestion, again']) {
    for (const other of Object.keys(queries)) {
      const [ours, theirs] = [times.get(what)!, times.get(other)!]
      const ratio = median(ours.map((value, index) => value / theirs[index]!))
      console.log(
        `${name}: ${what} ${Math.round(median(ours))} ms, raw query (${other}) ${Math.round(median(theirs))} ms: ${ratio.toFixed(2)} times`,
      )
    }
  }
  await app.close()
}
