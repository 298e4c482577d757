import { CONCEPT_SCHEME, DCT, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import type { Graph } from '../../graph/sparql/ntriples.ts'
import { writeNode } from '../../graph/sparql/statements.ts'
import { Bits } from '../source/bits.ts'
import { kindOfUpdate, statementsChanged } from './difference.ts'
import type { LoggedGraph, LoggedResource, NewChange } from './log/change.ts'
import { digestOf, NOTHING } from './log/digest.ts'
import type { ChangeLog } from './log/log.ts'
import type { Replacement } from './replacement.ts'
import { isListedResource } from './listed-class.ts'
import { resourcesOf, type GraphSummary, type WrittenResource } from './resources.ts'

/** A graph as N-Triples, in whole lines. */
export type Chunks = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

const SCHEME = `<${RDF_TYPE}> <${CONCEPT_SCHEME}>`

/** Resources to look up together. */
const BATCH = 200

/** Resources with their last states in the log; undefined for resources that the graph never had. */
async function* withStates(
  log: ChangeLog,
  graph: LoggedGraph,
  resources: AsyncIterable<WrittenResource>,
): AsyncGenerator<[WrittenResource, LoggedResource | undefined]> {
  let batch: WrittenResource[] = []
  const lookUp = async () => {
    const uris = graph.changeset === 0 ? [] : batch.map(({ uri }) => uri)
    const states = await log.statesOf(graph, uris)
    const pairs = batch.map((resource): [WrittenResource, LoggedResource | undefined] => [
      resource,
      states.get(resource.uri),
    ])
    batch = []
    return pairs
  }
  for await (const resource of resources) {
    batch.push(resource)
    if (batch.length === BATCH) yield* await lookUp()
  }
  yield* await lookUp()
}

/** The changes that new concepts make: their own, and that of their scheme, which names them. */
export async function changesOfIngest(
  log: ChangeLog,
  graph: LoggedGraph,
  uris: readonly string[],
  stored: Graph,
): Promise<NewChange[]> {
  const changes: NewChange[] = []
  const top: string[] = []
  const blankNodes = [...stored.keys()].filter((name) => name.startsWith('_:'))
  const triples = [...uris, ...blankNodes].map((name) => writeNode(name, stored.get(name))).join('')
  for await (const { uri, statements } of resourcesOf([Buffer.from(triples)])) {
    const logged = await log.resource(graph, uri)
    if (logged && !logged.digest.equals(NOTHING)) continue
    if (statements.includes(`<${SKOS}topConceptOf> <${graph.uri}>`)) top.push(`<${SKOS}hasTopConcept> <${uri}>`)
    changes.push({
      uri,
      kind: 'Create',
      isListed: isListedResource(statements),
      before: NOTHING,
      after: digestOf(statements),
      removed: [],
      added: statements,
    })
  }
  const scheme = top.length > 0 ? await log.resource(graph, graph.uri) : undefined
  if (scheme) {
    const after = digestOf(top, scheme.digest)
    const { isListed, digest: before } = scheme
    changes.push({ uri: graph.uri, kind: 'Update', isListed, before, after, removed: [], added: top })
  }
  return changes
}

/** The changes that a removal makes. */
export async function changesOfRemoval(
  log: ChangeLog,
  graph: LoggedGraph,
  uris: readonly string[],
  links: ReadonlyMap<string, readonly string[]>,
): Promise<NewChange[]> {
  const changes: NewChange[] = []
  for (const uri of [...uris, ...links.keys()]) {
    const logged = await log.resource(graph, uri)
    if (!logged || logged.digest.equals(NOTHING)) continue
    const { isListed, digest: before } = logged
    const statements = (await log.statements(logged.id)) ?? []
    const isGone = uris.includes(uri)
    const removed = isGone ? statements : links.get(uri)!.filter((statement) => statements.includes(statement))
    const after = isGone ? NOTHING : digestOf(removed, before)
    const kind = isGone ? 'Delete' : 'Update'
    if (isGone || removed.length > 0) changes.push({ uri, kind, isListed, before, after, removed, added: [] })
  }
  return changes
}

/**
 * The differences between the log and a new graph.
 *
 * @param late proposals that the graph will have beside its text.
 */
export async function* changesOfReplacement(
  log: ChangeLog,
  graph: LoggedGraph,
  chunks: Chunks,
  {
    cause,
    replacedBy,
    onDifference,
    onProgress,
    onEnd,
    late = new Set(),
  }: Pick<Replacement, 'cause' | 'replacedBy' | 'onDifference' | 'onProgress'> & {
    late?: ReadonlySet<string>
    onEnd?: (summary: GraphSummary) => void
  },
): AsyncGenerator<NewChange> {
  const seen = new Bits()
  const firstKind = cause.by === 'found' && !graph.isWhole ? 'Add' : 'Create'
  const lateTop = [...late].map((uri) => `<${SKOS}hasTopConcept> <${uri}>`)
  for await (const [resource, last] of withStates(log, graph, resourcesOf(chunks, { onEnd, onProgress }))) {
    if (last && late.size > 0 && resource.statements.includes(SCHEME)) {
      const logged = new Set(await log.statements(last.id))
      resource.statements = [...resource.statements, ...lateTop.filter((statement) => logged.has(statement))].sort()
    }
    const after = digestOf(resource.statements)
    if (last) seen.set(last.id)
    if (last?.digest.equals(after)) continue
    const isNew = !last || last.digest.equals(NOTHING)
    const before = isNew ? [] : await log.statements(last.id)
    const { removed, added } = statementsChanged(before, resource.statements)
    const wasListed = !isNew && (before ? isListedResource(before) : last.isListed)
    const isListedNow = isListedResource(resource.statements)
    const kind = isNew ? firstKind : kindOfUpdate(added, { wasListed, isListedNow })
    const change = {
      uri: resource.uri,
      kind,
      isListed: isListedNow || wasListed,
      before: last?.digest ?? NOTHING,
      after,
      removed,
      added,
    }
    onDifference?.(change, resource.lines)
    yield change
  }
  if (graph.changeset === 0) return
  for await (const { id, uri, digest, isListed: knownAsListed } of log.resources(graph, seen)) {
    if (late.has(uri)) continue
    const before = await log.statements(id)
    const wasListed = before ? isListedResource(before) : knownAsListed
    const change: NewChange = {
      uri,
      kind: 'Delete',
      isListed: wasListed,
      before: digest,
      after: NOTHING,
      removed: before ?? [],
      // For readers of the resource; the graph does not have this statement.
      added: (replacedBy?.get(uri) ?? []).map((other) => `<${DCT}isReplacedBy> <${other}>`),
    }
    onDifference?.(change, [])
    yield change
  }
}
