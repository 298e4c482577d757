/** The cost of POST /ingest beside the bare SPARQL UPDATE of the same triples, over a store with 20,000 concepts. */
import { randomUUID } from 'node:crypto'
import { SKOS } from '../src/base/namespaces.ts'
import type { SparqlClient } from '../src/graph/sparql/client.ts'
import { CRAFTS, putDemo } from '../test/app.ts'
import { startIngest } from '../test/writing/ingest/service.ts'
import { timed } from './measure.ts'
import { postQuery, type Store } from './stand.ts'

const BEFORE = 20_000
const WARM_UP = 3

/** A concept as a cataloguer proposes it: names in two languages, a notation, an identifier elsewhere, a definition. */
const proposal = (at: number) => ({
  inScheme: [{ uri: CRAFTS }],
  type: [`${SKOS}Concept`],
  prefLabel: { de: `Verfahren ${at}`, en: `Technique ${at}` },
  altLabel: { de: [`Technik ${at}`, `Arbeitsweise ${at}`] },
  notation: [`T${at}`],
  identifier: [`http://example.org/elsewhere/${at}`],
  definition: { de: [`Ein Verfahren zur Bearbeitung von Werkstoff ${at}.`] },
})

/**
 * The times of ingests and of bare updates in turn, in milliseconds.
 *
 * @param concepts of one ingest.
 */
export async function measureIngest(
  { endpoint, client }: Store,
  concepts: number,
  rounds: number,
): Promise<{ ours: number[]; raw: number[] }> {
  const service = await startIngest(endpoint)
  try {
    await putDemo(service)
    const existing = Array.from({ length: BEFORE }, (_, at) => {
      const uri = `<${CRAFTS}${at}>`
      return `${uri} a <${SKOS}Concept> ; <${SKOS}inScheme> <${CRAFTS}> ; <${SKOS}notation> "${at}" ; <${SKOS}prefLabel> "Begriff ${at}"@de .`
    })
    await client.update(`INSERT DATA { GRAPH <${CRAFTS}> { ${existing.join('\n')} } }`, CRAFTS)

    const account = await service.account()
    const proposals = Array.from({ length: concepts }, (_, at) => proposal(at))
    const times = { ours: [] as number[], raw: [] as number[] }
    for (let round = 0; round < WARM_UP + rounds; round++) {
      let records: { uri: string }[] = []
      const ours = await timed(async () => {
        const { status, body, text } = await service.propose(account, proposals)
        if (status !== 201) throw new Error(`${status} ${text.slice(0, 200)}`)
        records = body
      })
      const uris = records.map(({ uri }) => uri)
      const update = await sameTriples(client, uris)
      const raw = await timed(() => client.update(update, CRAFTS))
      if (round < WARM_UP) continue
      times.ours.push(ours)
      times.raw.push(raw)
    }
    return times
  } finally {
    await service.close()
  }
}

/** An INSERT DATA of what an ingest has written, with new URIs for its concepts. */
async function sameTriples(client: SparqlClient, uris: string[]): Promise<string> {
  const values = uris.map((uri) => `<${uri}>`).join(' ')
  const query = `CONSTRUCT { ?c ?p ?o . ?scheme <${SKOS}hasTopConcept> ?c }
     WHERE { { VALUES ?c { ${values} } ?c ?p ?o } UNION { VALUES ?c { ${values} } ?scheme <${SKOS}hasTopConcept> ?c } }`
  const response = await postQuery(client.endpoint, query)
  const body = await response.text()
  const renamed = new Map(uris.map((uri) => [uri, `${CRAFTS}${randomUUID()}`]))
  const lines = new Set(body.trimEnd().split('\n'))
  const text = [...lines].join('\n').replace(/<([^>]*)>/g, (iri, uri: string) => {
    const other = renamed.get(uri)
    return other ? `<${other}>` : iri
  })
  return `INSERT DATA { GRAPH <${CRAFTS}> { ${text} } }`
}
