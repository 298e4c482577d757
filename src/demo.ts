import { fileURLToPath } from 'node:url'
import { loadVocabulary } from './vocabularies/load.ts'
import type { SparqlClient } from './sparql/client.ts'

const file = (name: string) => fileURLToPath(new URL(`./demo/${name}`, import.meta.url))

/** The demo: two vocabularies, then the subsets of the first, which need it to be there. */
const VOCABULARIES = ['crafts.ttl', 'materials.ttl', 'subset-textile.ttl', 'subset-school.ttl']

/** Loads the demo vocabularies and their subsets into a store, by the same way as `vocab load`; a test has checked them. */
export async function loadDemo(client: SparqlClient): Promise<void> {
  for (const name of VOCABULARIES) await loadVocabulary(client, [file(name)], { check: false })
}
