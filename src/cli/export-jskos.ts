import { composeReading } from '../compose.ts'
import type { Config } from '../config.ts'
import { readProperties } from '../jskos/properties.ts'
import { conceptsByUri } from '../read/concepts.ts'
import type { Read } from '../read/read.ts'
import { vocabularies } from '../read/vocabularies.ts'
import type { StoreEndpoint } from '../sparql/client.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'

/** What follows from the rest of the records: it would come back as statements of its own. */
const DERIVED = ['ancestors', 'descendants', 'mapping', 'concepts', 'topConcepts']

/** A vocabulary as JSKOS records, one a line: first its own record, then the concepts. */
export async function* exportJskos(config: Config, endpoint: StoreEndpoint, uri: string): AsyncGenerator<string> {
  const dependencies = composeReading({ ...config, sparqlTimeoutMs: 600_000 }, endpoint)
  const read: Read = {
    dependencies,
    parameters: new Map([['uri', uri]]),
    vocid: undefined,
    page: { limit: Number.MAX_SAFE_INTEGER, offset: 0, limited: false },
    maxLimit: Number.MAX_SAFE_INTEGER,
    signal: new AbortController().signal,
    view: {
      scope: EVERYTHING,
      properties: readProperties('*', []),
      languages: undefined,
      preferred: ['de', 'en'],
      contextUrl: config.jskosContextUrl,
    },
  }
  for (const list of [await vocabularies(read), await conceptsByUri(read)]) {
    for await (const records of list.records) {
      for (const record of records) {
        const kept = Object.fromEntries(Object.entries(record).filter(([name]) => !DERIVED.includes(name)))
        yield `${JSON.stringify(kept)}\n`
      }
    }
  }
}
