import { composeReading } from '../compose.ts'
import type { Config } from '../config.ts'
import { allConcepts } from '../read/concepts.ts'
import { createRead } from '../read/read.ts'
import { vocabularies } from '../read/vocabularies.ts'
import type { StoreEndpoint } from '../sparql/client.ts'

/** Fields that follow from other fields; loading them again would add statements. */
const DERIVED = ['ancestors', 'descendants', 'mapping', 'concepts', 'topConcepts']

/** A vocabulary as JSKOS records, one a line: first its own record, then the concepts. */
export async function* exportJskos(config: Config, endpoint: StoreEndpoint, uri: string): AsyncGenerator<string> {
  const dependencies = composeReading({ ...config, sparqlTimeoutMs: 600_000 }, endpoint)
  const parameters = new Map(Object.entries({ uri, properties: '*', download: 'ndjson' }))
  const { signal } = new AbortController()
  const all = { template: 'voc/concepts', isLong: true } as const
  const read = await createRead(dependencies, config, { parameters, vocid: undefined }, all, signal)
  for (const list of [await vocabularies(read), await allConcepts(read)]) {
    for await (const records of list.records) {
      for (const record of records) {
        const kept = Object.fromEntries(Object.entries(record).filter(([name]) => !DERIVED.includes(name)))
        yield `${JSON.stringify(kept)}\n`
      }
    }
  }
}
