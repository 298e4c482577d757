import { Command } from 'commander'
import { CONCEPT, RDF_TYPE, SKOS } from '../namespaces.ts'
import { iri } from '../sparql/terms.ts'
import { readCatalogue } from '../vocabularies/catalogue.ts'
import type { CliContext } from './context.ts'

/** `vocab list`: the vocabularies and subsets in the store. */
export function listCommand({ client, write }: CliContext): Command {
  return new Command('list')
    .description('show all vocabularies and subsets: ids, URI, number of concepts, name')
    .option('--json', 'print JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const store = await client()
      const entries = []
      for (const entry of await readCatalogue(store)) {
        const graph = iri(entry.uri)
        const counted = entry.partOf ? `${graph} <${SKOS}member> ?concept` : `?concept <${RDF_TYPE}> <${CONCEPT}>`
        const [row] = await store.select(`SELECT (COUNT(*) AS ?count) WHERE { GRAPH ${graph} { ${counted} } }`)
        entries.push({ ...entry, concepts: Number(row!.count!.value) })
      }
      const name = (labels: Record<string, string>) => labels.de ?? labels.en ?? Object.values(labels)[0] ?? ''
      const lines = entries.map(({ ids, uri, concepts, prefLabel }) =>
        [ids.join(','), uri, concepts, name(prefLabel)].join('\t'),
      )
      const text = lines.length > 0 ? lines.join('\n') : 'There are no vocabularies.'
      write(`${json ? JSON.stringify(entries) : text}\n`)
    })
}
