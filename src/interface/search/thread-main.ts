/** A thread that reads or writes the index, because a query of SQLite blocks its caller. */
import { parentPort, workerData } from 'node:worker_threads'
import { DamageError } from '../../base/durable/errors.ts'
import { columnText } from '../../base/durable/sqlite.ts'
import {
  plainError,
  OPENING,
  RunningCall,
  type CallMessage,
  type CancelMessage,
  type ReplyMessage,
} from '../../base/threads/messages.ts'
import type {
  IndexCallName,
  GraphToRead,
  IndexThreadCalls,
  IndexThreadOptions,
  MappingCalls,
  WritingCalls,
} from './index-thread.ts'
import { IndexFile } from '../../graph/index/index-file.ts'
import { MappingReader } from '../../graph/index/mappings/mapping-reader.ts'
import { IndexReader } from './index-reader.ts'
import { IndexWriter } from './index-writer.ts'

const port = parentPort!
const { options, running: memory } = workerData as { options: IndexThreadOptions; running: BigInt64Array }
const running = new RunningCall(memory)

function writingCalls(index: IndexFile, ending: AbortSignal): WritingCalls {
  const writer = new IndexWriter(index, options.language)
  let readGraph: ((graph: GraphToRead) => Promise<boolean>) | undefined
  let reading: Promise<unknown> = Promise.resolve()
  const oneByOne = <T>(work: () => Promise<T>): Promise<T> => {
    const result = reading.then(work, work)
    reading = result
    return result
  }
  return {
    // The connection has tables for one graph.
    read: (graph) =>
      oneByOne(async () => {
        // Most of these threads never ask the store, and its client is most of what they would load.
        readGraph ??= (await import('./read-graph.ts')).graphReader(options, writer, ending)
        return readGraph(graph)
      }),
    change: (graph, difference, change) => writer.change(graph, difference, change),
    remove: (graphs) => writer.remove(graphs),
    complete: () => writer.complete(),
    compact: () => oneByOne(() => writer.compact(() => !ending.aborted)),
    // After the graph that is being read, whose mappings have the spaces of before.
    assign: (spaces) => oneByOne(() => writer.assign(spaces)),
    check: () => check(index),
  }
}

async function check({ connection }: IndexFile): Promise<void> {
  const [row] = await connection.all('SELECT CAST(quick_check AS BLOB) FROM pragma_quick_check(1)')
  const problem = columnText(row?.[0])
  if (problem !== 'ok') throw new DamageError(connection.file, problem)
}

function reply(message: ReplyMessage): void {
  port.postMessage(message)
}

try {
  const index = await IndexFile.open(options.file, options.cacheBytes)
  const ending = new AbortController()
  // A thread that reads gets one call at a time.
  let current = Number.NaN
  index.beforeStatement = () => {
    if (running.isCancelled(current)) throw new Error('nobody waits for the answer any more')
  }
  const reader = new IndexReader(index)
  const writing = writingCalls(index, ending.signal)
  const mappingReader = new MappingReader(index, reader)
  const mappings: MappingCalls = {
    mappings: (question) => mappingReader.mappings(question),
    mappedSchemes: (question) => mappingReader.mappedSchemes(question),
    mappedNotations: (beginning, schemes) => mappingReader.mappedNotations(beginning, schemes),
    concordanceSizes: () => mappingReader.concordanceSizes(),
  }
  const answer = (name: IndexCallName, values: unknown[]): Promise<unknown> => {
    const calls = name in writing ? writing : name in mappings ? mappings : reader
    return (calls as Record<IndexCallName, (...values: unknown[]) => Promise<unknown>>)[name](...values)
  }
  const underWay = new Set<Promise<void>>()
  port.on('message', (call: CallMessage<IndexThreadCalls> | CancelMessage | 'close') => {
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
    // A call under way sees it in the memory of `running`.
    if ('cancel' in call) return
    const { id, name, arguments: values } = call
    current = id
    const answered = answer(name, values).then(
      (result) => reply({ id, result }),
      (error: unknown) => reply({ id, error: plainError(error) }),
    )
    underWay.add(answered)
    void answered.finally(() => underWay.delete(answered))
  })
  reply({ id: OPENING, result: undefined })
} catch (error) {
  reply({ id: OPENING, error: plainError(error) })
}
