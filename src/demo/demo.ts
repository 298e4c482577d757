import type { Config } from '../config.ts'
import { noteUnfinishedDemo, readUnfinishedDemo } from './unfinished.ts'
import { loadFormats } from '../formats/load.ts'
import { formatConstants } from '../formats/shapes.ts'
import { readFormatFiles } from '../formats/source.ts'
import { fromRoot } from '../root.ts'
import type { History } from '../history/history.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { loadVocabulary } from '../loading/load-vocabulary.ts'
import { readVocabularies, type Vocabulary } from '../vocabularies/vocabulary.ts'
import { InputError } from '../files/input-error.ts'

const file = (name: string) => fromRoot(`src/demo/${name}`)

/** The demo: file and graph of two vocabularies, then of the subsets, which need the first vocabulary. */
const VOCABULARIES = [
  ['crafts.ttl', 'http://example.org/vocabulary/crafts/'],
  ['materials.ttl', 'http://example.org/vocabulary/materials/'],
  ['subset-textile.ttl', 'http://example.org/vocabulary/crafts/subset/textile'],
  ['subset-school.ttl', 'http://example.org/vocabulary/crafts/subset/school'],
] as const

const FORMATS = 'formats.ndjson'

/**
 * Loads the demo into a store in the same way as `vocab load` and `vocab formats load`; a test has checked the shapes.
 * Vocabularies that are there stay as they are: a service that has to load the demo starts again and again, and must
 * not lose the concepts that were proposed meanwhile.
 *
 * @returns false if everything was there.
 */
export async function loadDemo(client: SparqlClient, config: Config, history?: History): Promise<boolean> {
  const stored = await readVocabularies(client)
  const missing = VOCABULARIES.flatMap(([name]) => (isThere(stored, name) ? [] : [name]))
  if (missing.length === 0) return false
  // The formats come first: if this breaks off, a vocabulary is still missing and the next start goes on.
  for (const name of [FORMATS, ...missing]) await load(client, config, name, history)
  return true
}

/**
 * Loads the demo into a new embedded store, or the rest that an interrupted start has left, and notes that rest.
 *
 * @param isNew true if nothing was ever written to the store.
 */
export async function loadDemoOnce(
  client: SparqlClient,
  config: Config,
  isNew: boolean,
  history?: History,
): Promise<void> {
  const rest = isNew ? [FORMATS, ...VOCABULARIES.map(([name]) => name)] : await readUnfinishedDemo(config)
  for (const [at, name] of rest.entries()) {
    await noteUnfinishedDemo(config, rest.slice(at))
    if (isThere(await readVocabularies(client), name)) continue
    try {
      await load(client, config, name, history)
    } catch (error) {
      // Between the two starts somebody removed the vocabulary of a subset, or gave an id to another vocabulary.
      if (isNew || !(error instanceof InputError)) throw error
    }
  }
}

function isThere(stored: readonly Vocabulary[], file: string): boolean {
  return VOCABULARIES.some(([name, graph]) => name === file && stored.some(({ uri }) => uri === graph))
}

async function load(client: SparqlClient, config: Config, name: string, history: History | undefined): Promise<void> {
  if (name === FORMATS) await loadFormats(client, await readFormatFiles([file(name)], formatConstants(config)))
  else await loadVocabulary(client, [file(name)], { check: false, history })
}
