/**
 * What POST /ingest costs beside the bare SPARQL UPDATE of the same triples: npx tsx bench/ingest.ts [CONCEPTS] [ROUNDS]
 *
 * Ratios are taken within one run, with the two sides in turn, because the machine may be busy with other things.
 * The store holds 20,000 concepts before, and is the embedded one and, where there is one, a Fuseki.
 */
import { randomUUID } from 'node:crypto'
import type { SparqlClient } from '../src/sparql/client.ts'
import { CRAFTS, putDemo } from '../test/app.ts'
import { startIngest } from '../test/ingest/service.ts'
import { median, timed } from './measure.ts'
import { overStores } from './stand.ts'

const CONCEPTS = Number(process.argv[2] ?? 1000)
const ROUNDS = Number(process.argv[3] ?? 15)
const BEFORE = 20_000
const WARM_UP = 3
const SKOS = 'http://www.w3.org/2004/02/skos/core#'

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

await overStores('ingest', {}, async ({ name, endpoint, client }) => {
  const service = await startIngest(endpoint)
  try {
    await putDemo(service)
    const existing = Array.from({ length: BEFORE }, (_, at) => {
      const uri = `<${CRAFTS}${at}>`
      return `${uri} a <${SKOS}Concept> ; <${SKOS}inScheme> <${CRAFTS}> ; <${SKOS}notation> "${at}" ; <${SKOS}prefLabel> "Begriff ${at}"@de .`
    })
    await client.update(`INSERT DATA { GRAPH <${CRAFTS}> { ${existing.join('\n')} } }`)

    const account = await service.account()
    const proposals = Array.from({ length: CONCEPTS }, (_, at) => proposal(at))
    const ingests: number[] = []
    const bare: number[] = []
    let triples = 0
    for (let round = 0; round < WARM_UP + ROUNDS; round++) {
      let records: { uri: string }[] = []
      const ingest = await timed(async () => {
        const { status, body, text } = await service.propose(account, proposals)
        if (status !== 201) throw new Error(`${status} ${text.slice(0, 200)}`)
        records = body
      })
      const update = await sameTriples(
        client,
        records.map(({ uri }) => uri),
      )
      triples = update.triples
      const direct = await timed(() => client.update(update.text))
      if (round < WARM_UP) continue
      ingests.push(ingest)
      bare.push(direct)
    }
    const ratios = ingests.map((ingest, at) => ingest / bare[at]!)
    console.log(
      `${name}: ${CONCEPTS} concepts, ${triples} triples: ingest ${Math.round(median(ingests))} ms, ` +
        `bare update ${Math.round(median(bare))} ms: ${(median(ingests) / median(bare)).toFixed(2)} times ` +
        `(rounds from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})`,
    )
  } finally {
    await service.close()
  }
})

/** An INSERT DATA of what an ingest has written, with new URIs for its concepts. */
async function sameTriples(client: SparqlClient, uris: string[]): Promise<{ text: string; triples: number }> {
  const values = uris.map((uri) => `<${uri}>`).join(' ')
  const found = await client.construct(
    `CONSTRUCT { ?c ?p ?o . ?scheme <${SKOS}hasTopConcept> ?c }
     WHERE { VALUES ?c { ${values} } { ?c ?p ?o } UNION { ?scheme <${SKOS}hasTopConcept> ?c } }`,
  )
  const renamed = new Map(uris.map((uri) => [uri, `${CRAFTS}${randomUUID()}`]))
  const lines = new Set(found.trimEnd().split('\n'))
  const text = [...lines].join('\n').replace(/<([^>]*)>/g, (iri, uri: string) => {
    const other = renamed.get(uri)
    return other ? `<${other}>` : iri
  })
  return { text: `INSERT DATA { GRAPH <${CRAFTS}> { ${text} } }`, triples: lines.size }
}
