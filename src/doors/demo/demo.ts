import type { Config } from '../../config.ts'
import { loadFormats, readFormatFiles } from '../formats/load.ts'
import { formatConstants } from '../formats/shapes.ts'
import { History } from '../../writing/history/history.ts'
import type { LoadCommitOptions } from '../../writing/loading/commit.ts'
import { loadVocabulary } from '../../writing/loading/load-vocabulary.ts'
import { fromRoot } from '../../base/root.ts'
import { SparqlClient, type StoreEndpoint } from '../../graph/sparql/client.ts'
import { readVocabularies } from '../../graph/vocabularies/vocabulary.ts'

const file = (name: string) => fromRoot(`src/doors/demo/${name}`)

/** The demo: file and graph of two vocabularies, then of the subsets, which need the first vocabulary. */
const VOCABULARIES = [
  ['crafts.ttl', 'http://example.org/vocabulary/crafts/'],
  ['materials.ttl', 'http://example.org/vocabulary/materials/'],
  ['subset-textile.ttl', 'http://example.org/vocabulary/crafts/subset/textile'],
  ['subset-school.ttl', 'http://example.org/vocabulary/crafts/subset/school'],
] as const

/**
 * Loads the demo into a store in the same way as `vocab load` and `vocab formats load`; a test has checked the shapes.
 * Vocabularies that are there stay as they are: a service that has to load the demo starts again and again, and must
 * not lose the concepts that were proposed meanwhile.
 *
 * @returns false if everything was there.
 * @example if (await loadDemo(client, readConfig(process.env))) log.info('the demo is loaded')
 */
export async function loadDemo(
  client: SparqlClient,
  config: Config,
  { history, index }: Pick<LoadCommitOptions, 'history' | 'index'> = {},
): Promise<boolean> {
  const stored = await readVocabularies(client)
  const missing = VOCABULARIES.filter(([, graph]) => !stored.some(({ uri }) => uri === graph))
  if (missing.length === 0) return false
  // The formats come first: if this breaks off, a vocabulary is still missing and the next start goes on.
  await loadFormats(client, await readFormatFiles([file('formats.ndjson')], formatConstants(config)))
  for (const [name] of missing) await loadVocabulary(client, [file(name)], { check: false, history, index })
  return true
}

/**
 * Fills a new embedded store with the demo. The history keeps the changes as drafts, because the store may lose them
 * until it is full; `History.recover` commits them.
 */
export async function fillWithDemo(endpoint: StoreEndpoint, config: Config): Promise<void> {
  const client = new SparqlClient({ endpoint, timeoutMs: config.sparqlTimeoutMs })
  const history = config.history ? await History.open(config.dataDir, client) : undefined
  const drafts: LoadCommitOptions['history'] = history && {
    hasLoad: history.hasLoad.bind(history),
    prepare: async (replacements) => {
      await history.prepare(replacements)
      return () => Promise.resolve()
    },
  }
  try {
    await loadDemo(client, config, { history: drafts })
  } finally {
    await history?.close()
  }
}
