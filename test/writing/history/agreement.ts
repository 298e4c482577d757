import { join } from 'node:path'
import { expect } from '@jest/globals'
import { History } from '../../../src/writing/history/history.ts'
import { resourcesOf } from '../../../src/writing/history/resources.ts'
import { SparqlClient } from '../../../src/graph/sparql/client.ts'
import { startEmbeddedStore } from '../../../src/interface/store/embedded.ts'

/** The statements of a graph by URI, as the store has them. */
export async function stored(client: SparqlClient, graph: string): Promise<Map<string, string[]>> {
  const resources = new Map<string, string[]>()
  for await (const { uri, statements } of resourcesOf(client.getGraph(graph))) resources.set(uri, statements)
  return inOrder(resources)
}

/** The statements of a graph by URI, replayed from all changes in the log. */
export async function replayed({ log }: History, graph: string): Promise<Map<string, string[]>> {
  const resources = new Map<string, string[]>()
  for await (const { id, uri } of log.resources((await log.graph(graph))!)) {
    resources.set(uri, (await log.statements(id))!)
  }
  return inOrder(resources)
}

/** A graph at a time, by the log: those of the given resources that it had. */
export async function replayedAt(
  { log }: History,
  graph: string,
  uris: Iterable<string>,
  time: string,
): Promise<Map<string, string[]>> {
  const resources = new Map<string, string[]>()
  const logged = await log.graph(graph)
  const end = logged && (await log.endAt(logged, { time, now: new Date().toISOString() }))
  for (const uri of uris) {
    const resource = logged && (await log.resource(logged, uri))
    const statements = resource && (await log.statements(resource.id, end))
    if (statements?.length) resources.set(uri, statements)
  }
  return inOrder(resources)
}

/** Expects that the log of a folder and the store agree on a graph after the log has recovered from a kill. */
export async function expectAgreement(client: SparqlClient, dataDir: string, graph: string): Promise<void> {
  const history = await History.open(dataDir, client)
  try {
    await history.recover()
    expect(await replayed(history, graph)).toEqual(await stored(client, graph))
  } finally {
    await history.close()
  }
}

/** The same for graphs of the embedded store in the folder, which nobody else holds. */
export async function expectEmbeddedAgreement(dataDir: string, graphs: readonly string[]): Promise<void> {
  const store = await startEmbeddedStore({ directory: join(dataDir, 'store'), queryTimeoutMs: 10_000 })
  try {
    const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 60_000 })
    for (const graph of graphs) await expectAgreement(client, dataDir, graph)
  } finally {
    await store.close()
  }
}

function inOrder(resources: Map<string, string[]>): Map<string, string[]> {
  return new Map([...resources].sort(([a], [b]) => (a < b ? -1 : 1)))
}
