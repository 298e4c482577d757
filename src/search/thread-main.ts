/** A thread that reads or writes the index: a query of SQLite holds up whoever asks it. */
import { parentPort, workerData } from 'node:worker_threads'
import { DamageError } from '../durable/errors.ts'
import { textOf } from '../durable/sqlite.ts'
import { SparqlClient } from '../sparql/client.ts'
import type {
  CallMessage,
  GraphToRead,
  IndexCalls,
  IndexThreadOptions,
  PlainError,
  ReplyMessage,
} from './index-calls.ts'
import { IndexFile } from './index-file.ts'
import { IndexReader } from './index-reader.ts'
import { IndexWriter } from './index-writer.ts'
import { readRevision, readStatements } from './store-labels.ts'

/** Labels in one transaction: others, such as an ingest, write after it. */
const PORTION = 20_000

const port = parentPort!
const { file, endpoint, timeoutMs, cacheBytes } = workerData as IndexThreadOptions

/** The calls, as functions that may take time. */
type Answers = {
  [Name in keyof IndexCalls]: (...values: Parameters<IndexCalls[Name]>) => Promise<ReturnType<IndexCalls[Name]>>
}

function answersOver(index: IndexFile, ending: AbortSignal): Answers {
  const reader = new IndexReader(index)
  const writer = new IndexWriter(index, PORTION)
  const client = new SparqlClient({ endpoint, timeoutMs })
  let reading: Promise<unknown> = Promise.resolve()
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const result = reading.then(work, work)
    reading = result
    return result
  }
  return {
    find: (question) => reader.find(question),
    reconcile: (question) => reader.reconcile(question),
    letters: (question) => reader.letters(question),
    entries: (question) => reader.entries(question),
    matches: (question) => reader.matches(question),
    figures: (question) => reader.figures(question),
    mappings: (question) => reader.mappings(question),
    mappedSchemes: (question) => reader.mappedSchemes(question),
    mappedNotations: (beginning, schemes) => reader.mappedNotations(beginning, schemes),
    concordanceSizes: () => reader.concordanceSizes(),
    state: () => reader.state(),
    // The connection has tables for one draft.
    read: (graph) => oneByOne(() => readGraph(client, writer, graph, ending)),
    add: (graph, statements, state) => writer.add(graph, statements, state),
    remove: (graphs) => writer.remove(graphs),
    complete: () => writer.complete(),
    // After the graph that is being read, whose mappings have the spaces of before.
    assign: (spaces) => oneByOne(() => writer.assign(spaces)),
    check: () => check(index),
  }
}

/** Reads a graph of the store into the index. */
async function readGraph(
  client: SparqlClient,
  writer: IndexWriter,
  graph: GraphToRead,
  signal: AbortSignal,
): Promise<boolean> {
  const { uri, revision = '', load, length, after } = graph
  const state = { revision, load, places: load === '' ? -1 : length }
  if (after !== undefined) {
    for await (const statements of readStatements(client, graph, { after, signal })) await writer.add(uri, statements)
    // Whatever was added after this reading has a later place, and another revision.
    await writer.confirm(uri, state)
    return true
  }
  const draft = await writer.draft(uri, readStatements(client, graph, { signal }))
  if (!draft) return false
  if ((await readRevision(client, uri, signal)) === graph.revision) {
    await writer.commit(draft, state)
    return true
  }
  await writer.discard(draft)
  return false
}

async function check({ connection }: IndexFile): Promise<void> {
  const [row] = await connection.all('SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check(1)')
  const problem = textOf(row?.[0])
  if (problem !== 'ok') throw new DamageError(connection.file, problem)
}

function reply(message: ReplyMessage): void {
  port.postMessage(message)
}

function plainError(error: unknown): PlainError {
  const { name, message } = error instanceof Error ? error : new Error(String(error))
  return error instanceof DamageError ? { name, message, file: error.file, place: error.place } : { name, message }
}

try {
  const index = await IndexFile.open(file, cacheBytes)
  const ending = new AbortController()
  const answers = answersOver(index, ending.signal)
  const underWay = new Set<Promise<void>>()
  port.on('message', (call: CallMessage | 'close') => {
    if (call === 'close') {
      // Nothing may wait for the store, or for the end of a long check.
      ending.abort()
      index.connection.interrupt()
      // Ends this thread alone. A connection that is open at the end of its thread would end the process.
      void Promise.all(underWay)
        .then(() => index.close())
        .finally(() => process.exit())
      return
    }
    const { id, name, values } = call
    const answer = answers[name] as (...values: unknown[]) => Promise<unknown>
    const answered = answer(...values).then(
      (value) => reply({ id, value }),
      (error: unknown) => reply({ id, error: plainError(error) }),
    )
    underWay.add(answered)
    void answered.finally(() => underWay.delete(answered))
  })
  reply({ id: 0, value: undefined })
} catch (error) {
  reply({ id: 0, error: plainError(error) })
}
