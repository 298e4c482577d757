import type { Config } from './config.ts'
import { loadFormats } from './formats/load.ts'
import { formatConstants } from './formats/shapes.ts'
import { readFormatFiles } from './formats/source.ts'
import { fromRoot } from './root.ts'
import type { SparqlClient } from './sparql/client.ts'
import { loadVocabulary } from './vocabularies/load.ts'

const file = (name: string) => fromRoot(`src/demo/${name}`)

/** The demo: two vocabularies, then the subsets of the first, which need it to be there. File and graph of each. */
const VOCABULARIES = [
  ['crafts.ttl', 'http://example.org/vocabulary/crafts/'],
  ['materials.ttl', 'http://example.org/vocabulary/materials/'],
  ['subset-textile.ttl', 'http://example.org/vocabulary/crafts/subset/textile'],
  ['subset-school.ttl', 'http://example.org/vocabulary/crafts/subset/school'],
] as const

/**
 * Loads the demo into a store, by the same ways as `vocab load` and `vocab formats load`; a test has checked the shapes.
 * What is there stays as it is: a service that is told to load the demo starts again and again, and the concepts that
 * were proposed meanwhile must not go.
 *
 * @returns false where everything was there.
 */
export async function loadDemo(client: SparqlClient, config: Config): Promise<boolean> {
  let isComplete = true
  for (const [name, graph] of VOCABULARIES) {
    if (await client.ask(`ASK { GRAPH <${graph}> { ?s ?p ?o } }`)) continue
    isComplete = false
    await loadVocabulary(client, [file(name)], { check: false })
  }
  if (isComplete) return false
  await loadFormats(client, await readFormatFiles([file('formats.ndjson')], formatConstants(config)))
  return true
}
