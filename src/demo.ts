import type { Config } from './config.ts'
import { loadFormats } from './formats/load.ts'
import { formatConstants } from './formats/shapes.ts'
import { readFormatFiles } from './formats/source.ts'
import { fromRoot } from './root.ts'
import type { SparqlClient } from './sparql/client.ts'
import { loadVocabulary } from './vocabularies/load.ts'

const file = (name: string) => fromRoot(`src/demo/${name}`)

/** The demo: two vocabularies, then the subsets of the first, which need it to be there. */
const VOCABULARIES = ['crafts.ttl', 'materials.ttl', 'subset-textile.ttl', 'subset-school.ttl']

/** Loads the demo into a store, by the same ways as `vocab load` and `vocab formats load`; a test has checked the shapes. */
export async function loadDemo(client: SparqlClient, config: Config): Promise<void> {
  for (const name of VOCABULARIES) await loadVocabulary(client, [file(name)], { check: false })
  await loadFormats(client, await readFormatFiles([file('formats.ndjson')], formatConstants(config)))
}
