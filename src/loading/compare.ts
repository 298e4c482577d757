import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { InputError } from '../files/input-error.ts'
import { History } from '../history/history.ts'
import { SKOS } from '../namespaces.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { readVocabularies } from '../vocabularies/vocabulary.ts'
import { prepareAllSchemes, prepareVocabulary, type LoadOptions, type PreparedGraph } from './prepare.ts'

/** The changes of a load, in numbers of concepts, collections and schemes. */
export interface Difference {
  uri: string
  ids: string[]
  /** False if the vocabulary is new. */
  replaced: boolean
  created: number
  changed: number
  deprecated: number
  gone: number
  /** Top concepts that lose this role. */
  topConceptsLost: number
  /** Mappings that vanish. */
  mappingsLost: number
  /** URIs that will vanish, the first ones. */
  vanishing: string[]
}

const MOST_EXAMPLES = 10
const TOP_CONCEPT = `<${SKOS}topConceptOf> `
const MAPPINGS = ['mappingRelation', 'closeMatch', 'exactMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'].map(
  (name) => `<${SKOS}${name}> `,
)

/**
 * The changes that a load would make to each vocabulary. Writes nothing.
 *
 * @throws InputError if a file or an option is wrong, ApiError if the store fails.
 */
export async function compareFiles(
  client: SparqlClient,
  files: readonly string[],
  { allSchemes, ...options }: LoadOptions & { allSchemes?: boolean | undefined } = {},
): Promise<Difference[]> {
  const stored = await readVocabularies(client)
  const prepared = allSchemes
    ? await prepareAllSchemes(files, options, stored)
    : await prepareVocabulary(files, options, stored)
  try {
    const differences: Difference[] = []
    for (const graph of 'graphs' in prepared ? prepared.graphs : [prepared]) {
      try {
        differences.push(await compareWithStore(client, graph))
      } finally {
        graph.normalised.graphs.close()
      }
    }
    return differences
  } finally {
    prepared.close()
  }
}

/** The changes that writing a prepared vocabulary would make. */
export async function compareWithStore(
  client: SparqlClient,
  { uri, ids, existing, normalised }: PreparedGraph,
): Promise<Difference> {
  const counts = { created: 0, changed: 0, deprecated: 0, gone: 0, topConceptsLost: 0, mappingsLost: 0 }
  const vanishing: string[] = []
  // A temporary log, because that of the service may be switched off and must not record plans.
  const folder = await mkdtemp(join(tmpdir(), 'vocabulary-'))
  const history = await History.open(folder, client)
  try {
    const { graphs, load } = normalised
    const cause = { by: 'load' } as const
    const draft = await history.draft({ before: existing?.uri ?? uri, load, chunks: () => graphs.chunks(0), cause })
    for await (const { kind, uri, isListed, removed = [] } of history.log.draftChanges(draft)) {
      if (!isListed) continue
      counts[KINDS[kind]]++
      if (kind === 'Delete' && vanishing.length < MOST_EXAMPLES) vanishing.push(uri)
      if (removed.some((statement) => statement.startsWith(TOP_CONCEPT))) counts.topConceptsLost++
      for (const statement of removed) {
        if (MAPPINGS.some((mapping) => statement.startsWith(mapping))) counts.mappingsLost++
      }
    }
  } finally {
    await history.close()
    await rm(folder, { recursive: true })
  }
  return { uri, ids, replaced: existing !== undefined, ...counts, vanishing }
}

const KINDS = { Create: 'created', Add: 'created', Update: 'changed', Deprecate: 'deprecated', Delete: 'gone' } as const

/** @throws InputError if URIs would vanish. */
export function refuseRemoval({ uri, gone, vanishing }: Difference): void {
  if (gone === 0) return
  const more = gone > vanishing.length ? ', ...' : ''
  throw new InputError(`--forbid-removal: ${gone} URIs of <${uri}> would vanish: ${vanishing.join(', ')}${more}`)
}
