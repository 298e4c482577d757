import { randomUUID } from 'node:crypto'
import { BOOKKEEPING, DCT, INGESTED, OWN, RDF, REVISION, SKOS } from './base/namespaces.ts'
import { ApiError } from './base/errors.ts'
import type { SparqlClient } from './graph/sparql/client.ts'
import { StoreAnswerError } from './graph/sparql/http.ts'
import { queryTemplate, type BoundTemplate } from './graph/sparql/templates.ts'
import type { TemplateName } from './graph/sparql/template-names.ts'
import { iri, literal, triple } from './graph/sparql/terms.ts'
import { ingestUpdate } from './writing/ingest/write.ts'

/** The store answers, but not as the service needs; the message names in one line what it does not do. */
export class UnfitStoreError extends Error {
  override readonly name = 'UnfitStoreError'
}

/** The vocabulary of the sample values in `queries/`. */
const SAMPLE = 'http://example.org/vocabulary/crafts/'
const TEXT = 'Öl, "Firnis" \\ {Leim}\n #@ 🎨'

/** Queries of every shape that the service sends. Unmodified, each finds something in the graph of the test. */
const QUERIES = [
  'data',
  'narrower',
  'ancestors',
  'descendants',
  'describe/concept',
  'describe/scheme',
  'history/state',
  'ingested/which',
  'search/all',
  'statistics/languages',
  'voc',
  'voc/top',
] as const

/**
 * Tests whether a store does what the service needs: carries out an ingest and the queries of the main templates in a
 * graph of its own, which it removes at the end. Each test has its own IRIs instead of those of SKOS, so no answer
 * shows the graph and simultaneous tests do not disturb each other.
 *
 * @param id of this test; another test with the same id replaces the graph that an interrupted one has left.
 * @throws UnfitStoreError naming the first thing that the store does not do; ApiError if it is away.
 */
export async function testStore(client: SparqlClient, id: string = randomUUID()): Promise<void> {
  const namespaces = { rdf: RDF, skos: SKOS, dct: DCT, bookkeeping: BOOKKEEPING, sample: SAMPLE }
  const ofThisRun = (text: string) =>
    Object.entries(namespaces).reduce(
      (changed, [name, namespace]) => changed.replaceAll(namespace, `${OWN}self-test:${id}:${name}:`),
      text,
    )
  const graph = ofThisRun(SAMPLE)
  const named = (text: string) => ({ name: 'self-test', text: ofThisRun(text) })
  const check = async <T>(what: string, ask: () => Promise<T>, isRight: (answer: T) => boolean = () => true) => {
    let answer
    try {
      answer = await ask()
    } catch (error) {
      throw (await isAway(client, error)) ? error : unfit(what, (error as Error).cause as Error)
    }
    if (!isRight(answer)) throw unfit(what)
  }
  const select = (name: TemplateName) => () => client.select(named(queryTemplate(name).text))

  const write = async () => {
    await check('replace a graph by PUT (SPARQL 1.1 Graph Store HTTP Protocol)', () =>
      client.putGraph(graph, ofThisRun(sampleGraph())),
    )
    await check(
      'show the triples of all named graphs in its default graph',
      () => client.ask(named(`ASK { <${SAMPLE}> <${RDF}type> <${SKOS}ConceptScheme> }`)),
      (isShown) => isShown,
    )
    await check('carry out the update of an ingest', () => client.update(named(sampleIngest().text), graph))
  }
  const read = () => [
    check(
      'add new concepts to the lists of a vocabulary, as the update of an ingest says',
      select('list/lengths'),
      ([row, ...further]) => {
        const numbers = [row?.['concepts'], row?.['topConcepts']]
        return further.length === 0 && numbers.map((term) => Number(term?.value)).join() === '7,4'
      },
    ),
    check(
      'mark new concepts with their revision, as the update of an ingest says',
      () => client.select(named(`SELECT ?c WHERE { ?c <${INGESTED}> "after" }`)),
      (rows) => rows.length === 2,
    ),
    check(
      'replace the revision of a vocabulary, as the update of an ingest says',
      select('revisions'),
      (rows) => rows.length === 1 && rows[0]!['revision']?.value === 'after',
    ),
    check(
      'keep texts as they are',
      () =>
        client.construct(
          named(
            `CONSTRUCT { ?c <${SKOS}prefLabel> ?o } WHERE { VALUES ?c { <${SAMPLE}new> } ?c <${SKOS}prefLabel> ?o }`,
          ),
        ),
      (described) => {
        const labels = described.get(ofThisRun(`${SAMPLE}new`))?.get(ofThisRun(`${SKOS}prefLabel`)) ?? []
        return labels.length === 1 && labels[0]!.value === TEXT && labels[0]!.language === 'de'
      },
    ),
    ...QUERIES.map((name) => {
      const { text } = queryTemplate(name)
      const what = `answer the query "${name}"`
      if (!/^CONSTRUCT\b/m.test(text)) return check(what, select(name), (rows) => rows.length > 0)
      return check(
        what,
        () => client.construct(named(text)),
        (described) => described.size > 0,
      )
    }),
  ]
  const remove = () => {
    const { text } = queryTemplate('vocab/remove').bind({ terms: { graph: [iri(graph)] } })
    return client.update({ name: 'self-test', text }, graph)
  }

  await check('answer ASK with a boolean', () => client.ask(named('ASK {}')))
  try {
    await write()
    const failed = (await Promise.allSettled(read())).find(({ status }) => status === 'rejected')
    if (failed) throw (failed as PromiseRejectedResult).reason
  } catch (error) {
    await remove().catch(() => undefined)
    throw error
  }
  await check('remove a graph by DROP', remove)
}

/** False if the store refuses one thing and answers others. */
async function isAway(client: SparqlClient, error: unknown): Promise<boolean> {
  if (!(error instanceof ApiError) || error.name !== 'BackendError') return true
  const { cause } = error
  if (!(cause instanceof StoreAnswerError)) return true
  if (cause.status < 500) return false
  return client.ask({ name: 'self-test', text: 'ASK {}' }).then(
    () => false,
    () => true,
  )
}

function unfit(what: string, cause?: Error): UnfitStoreError {
  const why = cause?.message.replace(/\s+/g, ' ').trim() ?? 'its answer differs'
  return new UnfitStoreError(`this store does not ${what}: ${why}`, { cause })
}

/** A small vocabulary as N-Triples: five concepts, two of them top concepts, as the loader writes them. */
function sampleGraph(): string {
  const written = (term: string) => (/^[a-z]+:/.test(term) ? `<${term}>` : term)
  const lines: string[] = []
  const add = (subject: string, predicate: string, ...objects: string[]) => {
    for (const object of objects) lines.push(`<${subject}> <${predicate}> ${written(object)} .\n`)
  }
  const name = (local: string) => SAMPLE + local
  add(SAMPLE, `${RDF}type`, `${SKOS}ConceptScheme`)
  add(SAMPLE, `${SKOS}prefLabel`, '"self-test"@en')
  add(SAMPLE, `${DCT}publisher`, `${SAMPLE}publisher`)
  add(SAMPLE, REVISION, '"before"')
  const concepts: [name: string, above?: string][] = [
    ['book-and-paper'],
    ['bookbinding', 'book-and-paper'],
    ['sewing', 'bookbinding'],
    ['textiles'],
    ['weaving', 'textiles'],
  ]
  for (const [at, [local, above]] of concepts.entries()) {
    add(name(local), `${RDF}type`, `${SKOS}Concept`)
    add(name(local), `${SKOS}inScheme`, SAMPLE)
    add(name(local), `${SKOS}notation`, `"B${at}"`)
    add(name(local), `${SKOS}prefLabel`, `"${local}"@en`)
    if (above !== undefined) {
      add(name(local), `${SKOS}broader`, name(above))
      add(name(above), `${SKOS}narrower`, name(local))
    } else {
      add(name(local), `${SKOS}topConceptOf`, SAMPLE)
      add(SAMPLE, `${SKOS}hasTopConcept`, name(local))
    }
  }
  return lines.join('')
}

/** The update of an ingest of two concepts into the sample vocabulary. */
function sampleIngest(): BoundTemplate {
  const uris = [`${SAMPLE}new`, `${SAMPLE}newer`]
  const label = literal(TEXT, { language: 'de' })
  const triples = uris.map((uri) => triple(iri(uri), iri(`${SKOS}prefLabel`), label))
  return ingestUpdate({ scheme: SAMPLE, uris, triples, date: '2026-01-01', revision: 'after' })
}
