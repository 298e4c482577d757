/**
 * The page of a concept and the column beside it, beside the JSON answers with the same facts, in processor time of the
 * service.
 */
import { median, timedAnswer } from './measure.ts'
import { FILES, startService, withStore, type StoreName } from './stand.ts'

const CONCEPTS = 60
const ROUNDS = 7

/** Prints a row for each store. Answers are not remembered meanwhile. */
export async function pages(stores: readonly StoreName[]): Promise<void> {
  console.log('| store | record ms | same facts ms | page ms | column ms | page / same facts | with column / page |')
  console.log('|---|---|---|---|---|---|---|')
  for (const name of stores) {
    await withStore(name, 'pages', { stw: FILES.stw }, async ({ client, endpoint }) => {
      const rows = await client.select(`PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
        SELECT DISTINCT ?c WHERE { ?c a skos:Concept ; skos:broader ?up ; skos:narrower ?down } ORDER BY ?c LIMIT ${CONCEPTS}`)
      const service = await startService(endpoint, { CACHE_BYTES: '0' })
      const ask = (path: string, accept = 'application/json') =>
        fetch(service.url + path, { headers: { accept, 'accept-encoding': 'gzip' } })
      const record = (uri: string) => `/data?uri=${uri}&properties=*,-narrower,ancestors,mappings`
      const concepts: { uri: string; targets: string }[] = []
      for (const { c } of rows) {
        const uri = encodeURIComponent(c!.value)
        const [{ mapping = [] }] = (await (await ask(record(uri))).json()) as [{ mapping?: { to: string }[] }]
        concepts.push({ uri, targets: encodeURIComponent(mapping.map(({ to }) => to).join('|')) })
      }
      const processorMs = async (of: (concept: { uri: string; targets: string }) => Promise<Response>[]) => {
        const before = (await service.read()).processorMs
        for (const concept of concepts) for (const answer of of(concept)) await timedAnswer(() => answer)
        return ((await service.read()).processorMs - before) / concepts.length
      }
      const sides = {
        record: () => processorMs(({ uri }) => [ask(record(uri))]),
        facts: () =>
          processorMs(({ uri, targets }) => [
            ask(record(uri)),
            ask(`/narrower?uri=${uri}&properties=prefLabel,notation&limit=100`),
            ...(targets === '' ? [] : [ask(`/data?uri=${targets}&properties=prefLabel,notation,inScheme`)]),
          ]),
        page: () => processorMs(({ uri }) => [ask(`/concept?uri=${uri}`, 'text/html')]),
        column: () => processorMs(({ uri }) => [ask(`/voc/stw/tree?at=${uri}&part=column`, 'text/html')]),
      }
      const times = { record: [] as number[], facts: [] as number[], page: [] as number[], column: [] as number[] }
      try {
        for (let i = -2; i < ROUNDS; i++) {
          for (const side of ['record', 'facts', 'page', 'column'] as const) {
            const ms = await sides[side]()
            if (i >= 0) times[side].push(ms)
          }
        }
        const [record, facts, page, column] = [
          median(times.record),
          median(times.facts),
          median(times.page),
          median(times.column),
        ]
        const cells = [
          name,
          ...[record, facts, page, column, page / facts, (page + column) / page].map((figure) => figure.toFixed(2)),
        ]
        console.log(`| ${cells.join(' | ')} |`)
      } finally {
        await service.stop()
      }
    })
  }
}
