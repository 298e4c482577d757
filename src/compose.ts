import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { ContextDefinition } from 'jsonld'
import type { Config } from './config.ts'
import { compileFrame } from './jskos/frame.ts'
import type { ReadDependencies } from './read/describe.ts'
import { SparqlClient, type StoreEndpoint, type StoreRequestReport } from './sparql/client.ts'
import { loadTemplates } from './sparql/templates.ts'
import { VocabularyRegistry } from './vocabularies/registry.ts'

/** How long an id may be taken for known without asking the store, in milliseconds. */
const REGISTRY_MAX_AGE_MS = 5000

const QUERIES = fileURLToPath(new URL('../queries', import.meta.url))

/** A file of `shapes/`, parsed. */
export async function readShape<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../shapes/${name}`, import.meta.url), 'utf8')) as T
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
  const client = new SparqlClient({
    endpoint,
    timeoutMs: config.sparqlTimeoutMs,
    ...(onRequest ? { onRequest } : {}),
  })
  const templates = loadTemplates(QUERIES)
  const context = await readShape<{ '@context': ContextDefinition }>('context.json')
  const [conceptFrame, schemeFrame] = await Promise.all(
    ['concept.frame.json', 'scheme.frame.json'].map(async (name) =>
      compileFrame(await readShape<object>(name), context),
    ),
  )
  const registry = new VocabularyRegistry(client, templates.get('voc')!, REGISTRY_MAX_AGE_MS)
  return { client, templates, registry, conceptFrame: conceptFrame!, schemeFrame: schemeFrame! }
}
