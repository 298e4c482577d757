import { readFile } from 'node:fs/promises'
import type { ContextDefinition } from 'jsonld'
import type { Config } from './config.ts'
import { Revalidation } from './http/revalidation.ts'
import { compileFrame } from './jskos/frame.ts'
import { compileContext } from './jskos/linked-data.ts'
import { loadQueries } from './sparql/queries.ts'
import { Recent } from './read/recent.ts'
import type { ReadDependencies } from './read/describe.ts'
import { representations } from './read/representations.ts'
import { readRevisions } from './read/revisions.ts'
import { fromRoot } from './root.ts'
import { TextIndex } from './search/text-index.ts'
import { checkSyntax } from './sparql/syntax.ts'
import { SparqlClient, type StoreEndpoint, type StoreRequestReport } from './sparql/client.ts'
import { StoreState } from './http/store-state.ts'
import { VocabularyRegistry } from './vocabularies/registry.ts'

/** A file of `shapes/`, parsed. */
export async function readShape<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(fromRoot(`shapes/${name}`), 'utf8')) as T
}

/**
 * Puts together what the read endpoints need over a store: all templates parsed, all frames compiled.
 *
 * @throws Error naming the file of the first template, frame or context that cannot be used.
 */
export async function composeReading(
  config: Config,
  endpoint: StoreEndpoint,
  onRequest?: (report: StoreRequestReport) => void,
): Promise<ReadDependencies> {
  for (const template of loadQueries().values()) checkSyntax(template)
  const client = new SparqlClient({
    endpoint,
    timeoutMs: config.sparqlTimeoutMs,
    ...(onRequest ? { onRequest } : {}),
  })
  const context = await readShape<{ '@context': ContextDefinition }>('context.json')
  const [conceptFrame, schemeFrame] = await Promise.all(
    ['concept.frame.json', 'scheme.frame.json'].map(async (name) =>
      compileFrame(await readShape<object>(name), context),
    ),
  )
  const registry = new VocabularyRegistry(client, config.maxStalenessMs)
  const { maxStalenessMs } = config
  const state = new StoreState({ readState: (signal) => readRevisions(client, signal), maxStalenessMs })
  return {
    client,
    registry,
    conceptFrame: conceptFrame!,
    schemeFrame: schemeFrame!,
    context,
    representations: representations(await compileContext(context)),
    revalidation: new Revalidation(state),
    textIndex: new TextIndex(client, config.textIndex),
    recentMatches: new Recent({ state, sizeOf: ({ total }) => total }),
    recentCounts: new Recent({ state, sizeOf: () => 1 }),
  }
}
