/** THE table of clients that tests run, or whose requests they replay. docs/clients.md shows it. */
import { createRequire } from 'node:module'

const { devDependencies } = createRequire(import.meta.url)('../../package.json') as {
  devDependencies: Record<string, string>
}

/** A client. */
interface TriedClient {
  /** The version of its program or, if its requests are replayed, the state of its sources. */
  version: string
  /** What the test asks of the service, in Markdown. */
  tried: string
  /** The test, which has the name of the client in its title. */
  test: string
}

const installed = (name: string) => devDependencies[name]!

const CLIENTS = {
  'cocoda-sdk': {
    version: installed('cocoda-sdk'),
    tried:
      'providers `ConceptApi`, `MappingsApi`, `ReconciliationApi`, `SkosmosApi`: vocabularies, trees, search, mappings',
    test: 'test/clients/cocoda-sdk.slow.test.ts',
  },
  Cocoda: {
    version: `cocoda-sdk ${installed('cocoda-sdk')}`,
    tried: 'the registries of [cocoda.md](cocoda.md)',
    test: 'test/clients/cocoda.slow.test.ts',
  },
  'jskos-cli': {
    version: installed('jskos-cli'),
    tried: '`jskos-enrich`: labels for records that only have URIs',
    test: 'test/clients/jskos-cli.slow.test.ts',
  },
  'fylr and easydb, plugin "custom data type DANTE"': {
    version: '4cf05ed, 36be352',
    tried: 'choice of vocabularies, completion, tree, details, proposals',
    test: 'test/clients/requests.test.ts',
  },
  OpenRefine: {
    version: '3.10',
    tried: 'reconciliation, suggestions, preview, columns from reconciled cells',
    test: 'test/clients/openrefine.slow.test.ts',
  },
  skosmos_client: {
    version: '0.3.0',
    tried: 'every method, at `/rest/v1/`',
    test: 'test/clients/skosmos.slow.test.ts',
  },
  "TS4NFDI's API Gateway": {
    version: 'types `jskos` 00aacf7, `jskos2` 1d1dd93, `skosmos` 1617dcf',
    tried:
      'search, list of vocabularies, a vocabulary, a concept; for `skosmos` only search and list, because it asks for the other two for AGROVOC alone',
    test: 'test/clients/replayed.test.ts',
  },
  "TS4NFDI's mapping widgets": {
    version: 'Terminology Service Suite, 2026',
    tried: '`MappingListWidget`, `MappingDetailWidget` with the address of the service in `api`',
    test: 'test/clients/replayed.test.ts',
  },
  'Dataverse, `skosmos.js`': {
    version: '0749825',
    tried: 'completion in a vocabulary, names of chosen concepts; the service URL is the address of the service',
    test: 'test/clients/replayed.test.ts',
  },
  Annif: {
    version: '4772f99, reading with rdflib 5.0.0',
    tried: 'its reading of a vocabulary in SKOS, from `/voc/{vocid}/export?format=turtle` and `/rest/v1/{vocid}/data`',
    test: 'test/clients/replayed.test.ts',
  },
  'ldes-client': {
    version: installed('ldes-client'),
    tried: 'the event stream `/voc/{vocid}/activity`',
    test: 'test/writing/history/activity.slow.test.ts',
  },
  'openapi-typescript': {
    version: `${installed('openapi-typescript')}, with openapi-fetch ${installed('openapi-fetch')}`,
    tried: 'types made from `/openapi.json`, and answers read with them',
    test: 'test/clients/generated.long.test.ts',
  },
} satisfies Record<string, TriedClient>

/** The rows of the table, by the names of the clients. */
export const TRIED: Readonly<Record<string, TriedClient>> = CLIENTS

/** The title of the test of a client: its name and version. */
export function tried(client: keyof typeof CLIENTS): string {
  return `${client} (${CLIENTS[client].version})`
}
