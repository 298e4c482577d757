import type { Config } from '../config.ts'
import { noteDemoRest, readDemoRest } from './unfinished.ts'
import { loadFormats } from '../formats/load.ts'
import { formatConstants } from '../formats/shapes.ts'
import { readFormatFiles } from '../formats/source.ts'
import { fromRoot } from '../root.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { loadVocabulary } from '../loading/load-vocabulary.ts'
import { readVocabularies, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { InputError } from '../files/input-error.ts'

const file = (name: string) => fromRoot(`src/demo/${name}`)

/** The demo: two vocabularies, then the subsets of the first, which need it to be there. File and graph of each. */
const VOCABULARIES = [
  ['crafts.ttl', 'http://example.org/vocabulary/crafts/'],
  ['materials.ttl', 'http://example.org/vocabulary/materials/'],
  ['subset-textile.ttl', 'http://example.org/vocabulary/crafts/subset/textile'],
  ['subset-school.ttl', 'http://example.org/vocabulary/crafts/subset/school'],
] as const

const FORMATS = 'formats.ndjson'

/**
 * Loads the demo into a store, by the same ways as `vocab load` and `vocab formats load`; a test has checked the shapes.
 * What is there stays as it is: a service that is told to load the demo starts again and again, and the concepts that
 * were proposed meanwhile must not go.
 *
 * @returns false where everything was there.
 */
export async function loadDemo(client: SparqlClient, config: Config): Promise<boolean> {
  const stored = await readVocabularies(client)
  const missing = VOCABULARIES.flatMap(([name]) => (isThere(stored, name) ? [] : [name]))
  if (missing.length === 0) return false
  // The formats first: where this is broken off a vocabulary is missing still, and the next start goes on.
  for (const name of [FORMATS, ...missing]) await load(client, config, name)
  return true
}

/**
 * Loads the demo into a new embedded store, or what a start that was broken off has left of it; it is noted what that is.
 *
 * @param isNew nothing was ever written to the store.
 */
export async function loadDemoOnce(client: SparqlClient, config: Config, isNew: boolean): Promise<void> {
  const rest = isNew ? [FORMATS, ...VOCABULARIES.map(([name]) => name)] : await readDemoRest(config)
  for (const [at, name] of rest.entries()) {
    await noteDemoRest(config, rest.slice(at))
    if (isThere(await readVocabularies(client), name)) continue
    try {
      await load(client, config, name)
    } catch (error) {
      // Between the two starts the vocabulary of a subset was removed, or an id given to another one.
      if (isNew || !(error instanceof InputError)) throw error
    }
  }
}

function isThere(stored: readonly Vocabulary[], file: string): boolean {
  return VOCABULARIES.some(([name, graph]) => name === file && stored.some(({ uri }) => uri === graph))
}

async function load(client: SparqlClient, config: Config, name: string): Promise<void> {
  if (name === FORMATS) await loadFormats(client, await readFormatFiles([file(name)], formatConstants(config)))
  else await loadVocabulary(client, [file(name)], { check: false })
}
