import { InputError } from '../../base/files/input-error.ts'
import { differenceOf, type ResourceDifference } from '../history/difference.ts'
import { changedResources } from '../history/resources.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { SKOS, STATUS, UNDER_DEVELOPMENT } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { isProposal } from '../../graph/vocabularies/proposals.ts'
import type { PreparedGraph } from './prepare.ts'

/** The changes of a load, in numbers of concepts, collections and schemes. */
interface ChangeCounts {
  created: number
  changed: number
  deprecated: number
  gone: number
  /** Top concepts that lose this role. */
  topConceptsLost: number
  /** Mappings that vanish. */
  mappingsLost: number
  /** URIs that vanish, the first ones by code points. */
  vanishing: string[]
}

/** The numbers of proposals that stay, that the files take over, and that the load drops. */
interface ProposalCounts {
  kept: number
  takenOver: number
  dropped: number
}

/** The changes that a load would make to a vocabulary. */
export interface VocabularyDifference extends ChangeCounts {
  uri: string
  ids: string[]
  /** False if the vocabulary is new. */
  replaced: boolean
  proposals: ProposalCounts
}

const MOST_EXAMPLES = 10
const PROPOSED = `<${STATUS}> <${UNDER_DEVELOPMENT}>`
const TOP_CONCEPT = `<${SKOS}topConceptOf> `
const MAPPINGS = ['mappingRelation', 'closeMatch', 'exactMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'].map(
  (name) => `<${SKOS}${name}> `,
)
const KINDS = { Create: 'created', Add: 'created', Update: 'changed', Deprecate: 'deprecated', Delete: 'gone' } as const

/** Sums up the changes of resources. */
export class ChangeCounter {
  readonly changed: ChangeCounts = {
    created: 0,
    changed: 0,
    deprecated: 0,
    gone: 0,
    topConceptsLost: 0,
    mappingsLost: 0,
    vanishing: [],
  }

  add({ uri, kind, isListed, removed }: ResourceDifference): void {
    if (!isListed) return
    const { changed } = this
    changed[KINDS[kind]]++
    if (kind === 'Delete') this.#addVanishing(uri)
    if (removed.some((statement) => statement.startsWith(TOP_CONCEPT))) changed.topConceptsLost++
    for (const statement of removed) {
      if (MAPPINGS.some((mapping) => statement.startsWith(mapping))) changed.mappingsLost++
    }
  }

  /** The store and the history give resources in different orders. */
  #addVanishing(uri: string): void {
    const { vanishing } = this.changed
    const last = vanishing[MOST_EXAMPLES - 1]
    if (last !== undefined && compareCodePoints(uri, last) > 0) return
    vanishing.push(uri)
    vanishing.sort(compareCodePoints).splice(MOST_EXAMPLES)
  }
}

/**
 * The changes that writing a prepared vocabulary would make to the graph in the store. Proposals that came after it was
 * prepared stay.
 *
 * @param onProgress receives the share that is compared, once the graphs are read, if they are large.
 */
export async function compareWithStore(
  client: SparqlClient,
  { uri, existing, normalised, proposals }: PreparedGraph,
  onProgress?: (share: number) => void,
): Promise<ChangeCounts> {
  const counter = new ChangeCounter()
  const graph = existing?.uri ?? uri
  const before = client.getGraph(graph, NO_DEADLINE)
  for await (const resource of changedResources(before, normalised.graphs.chunks(0), onProgress)) {
    const status = resource.before?.includes(PROPOSED) && !resource.after ? [UNDER_DEVELOPMENT] : []
    if (isProposal(resource.uri, status, [graph]) && !proposals.stored.includes(resource.uri)) continue
    counter.add(differenceOf(resource))
  }
  return counter.changed
}

/** The changes of a prepared vocabulary with its names. */
export function toDifference(
  { uri, ids, existing, proposals }: PreparedGraph,
  changed: ChangeCounts,
): VocabularyDifference {
  const { kept, takenOver, dropped } = proposals
  return { uri, ids, replaced: existing !== undefined, ...changed, proposals: { kept, takenOver, dropped } }
}

/** @throws InputError if URIs would vanish. */
export function refuseRemoval(uri: string, { gone, vanishing }: ChangeCounts): void {
  if (gone === 0) return
  const more = gone > vanishing.length ? ', ...' : ''
  throw new InputError(`--forbid-removal: ${gone} URIs of <${uri}> would vanish: ${vanishing.join(', ')}${more}`)
}
