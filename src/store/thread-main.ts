/**
 * A thread that holds the dataset and computes on it, one call after the other.
 *
 * Updates that wait together become durable together: each is executed, then one write to the journal and one fsync serve all,
 * then they are acknowledged. Nothing else is done in between, so no reader sees what a crash could undo.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { namedNode } from 'oxigraph/web.js'
import { ApiError } from '../errors.ts'
import {
  type CallMessage,
  type CancelMessage,
  type Calls,
  type FatalKind,
  OPENING,
  type ReplyMessage,
  type ThreadOptions,
  type WriteReport,
} from './calls.ts'
import { Dataset } from './dataset.ts'
import { type GraphName, StoreDamageError, isDiskFailure } from './files.ts'
import type { Change } from './journal.ts'
import { mayTouch } from './superseded.ts'
import { answerQuery, negotiateGraph, updateText } from './protocol.ts'

const MOST_WRITES_TOGETHER = 256

const port = parentPort as MessagePort
const { options, running } = workerData as { options: ThreadOptions; running: BigInt64Array }

/** Changes that are made in memory but not yet in the journal, with the answers that wait for that. */
let unwritten: { id: number; changes: Change[]; answer: object }[] = []
/** Calls that have come, in order. */
const waiting: CallMessage[] = []
let held: { name: GraphName } | undefined
/** Set by an error that leaves the dataset in an unknown state: no call is performed any more. */
let broken = false
let dataset: Dataset

try {
  const { directory, manifest, position, staged, memory } = options
  const replaced = staged?.type === 'put' ? staged.source : undefined
  dataset = new Dataset(directory, manifest, memory, position, replaced)
  if (position) dataset.catchUp(position)
  if (staged) dataset.stage(staged)
  reply({ id: OPENING, result: undefined })
  port.on('message', (first: CallMessage | CancelMessage) => {
    take(first)
    while (!broken) {
      // What has come meanwhile may say that nobody waits for the next call any more.
      for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port)) {
        take(more.message as CallMessage | CancelMessage)
      }
      const call = waiting.shift()
      if (!call) break
      perform(call)
    }
    writeJournal()
  })
} catch (error) {
  replyError(OPENING, error)
}

function take(message: CallMessage | CancelMessage): void {
  if ('name' in message) {
    waiting.push(message)
    return
  }
  const at = waiting.findIndex(({ id }) => id === message.cancel)
  if (at < 0) return
  waiting.splice(at, 1)
  reply({ id: message.cancel, expired: true })
}

function perform(call: CallMessage): void {
  if (Date.now() > call.deadline) {
    reply({ id: call.id, expired: true })
    return
  }
  Atomics.store(running, 1, BigInt(Date.now()))
  Atomics.store(running, 0, BigInt(call.id))
  try {
    const isWrite = call.name === 'update' || call.name === 'changeGraph'
    if (!isWrite || unwritten.length >= MOST_WRITES_TOGETHER) writeJournal()
    switch (call.name) {
      case 'query': {
        const { http, catchUpTo } = call.arguments
        if (catchUpTo) dataset.catchUp(catchUpTo)
        const answer = answerQuery(dataset.store, http)
        reply({ id: call.id, result: answer satisfies Calls['query']['result'] }, answer.body)
        break
      }
      case 'readGraph': {
        const { graph, accept, mostTriples } = call.arguments
        const { format, contentType } = negotiateGraph(accept)
        const reading = dataset.readGraph(checked(graph), format, mostTriples)
        const result: Calls['readGraph']['result'] = { ...reading, contentType }
        reply({ id: call.id, result }, reading.kind === 'text' ? reading.text : undefined)
        break
      }
      case 'update': {
        const update = updateText(call.arguments.http)
        if (isHeld({ type: 'update', update })) reply({ id: call.id, result: 'held' })
        else unwritten.push({ id: call.id, changes: dataset.update(update), answer: {} })
        break
      }
      case 'changeGraph': {
        const { change } = call.arguments
        checked(change.type === 'delete' ? change.graph : change.source.graph)
        if (isHeld(change)) reply({ id: call.id, result: 'held' })
        else {
          const existed = dataset.changeGraph(change)
          unwritten.push({ id: call.id, changes: [change], answer: { existed } })
        }
        break
      }
      default:
        reply({ id: call.id, result: administer(call) })
    }
  } catch (error) {
    replyError(call.id, error)
  }
}

/** The calls that no client makes, but the process that owns the threads. */
function administer(call: CallMessage): Calls[typeof call.name]['result'] {
  switch (call.name) {
    case 'hold':
      held = call.arguments.graph
      return { existed: held !== undefined && dataset.hasGraph(checked(held.name)), position: dataset.position }
    case 'catchUp':
      dataset.catchUp(call.arguments.position)
      return undefined
    case 'becomeWriter': {
      const found = dataset.becomeWriter(call.arguments.journal, call.arguments.since)
      return { ...found, ...report(), mentionedFiles: dataset.mentionedFiles }
    }
    case 'switchJournal':
      dataset.switchJournal(call.arguments.position)
      return undefined
    case 'commitStaged':
      dataset.append([call.arguments.change], [call.id])
      return report()
    case 'writeOut': {
      const graphs = dataset.writeOutGraphs()
      return { sequence: dataset.sequence, graphs, mentionedFiles: dataset.mentionedFiles }
    }
    default:
      throw new Error(`no such call: ${call.name}`)
  }
}

function report(): WriteReport {
  return { position: dataset.position, sequence: dataset.sequence, wear: dataset.wear }
}

function isHeld(change: Change): boolean {
  return held !== undefined && mayTouch(change, held.name)
}

function checked(graph: GraphName): GraphName {
  try {
    if (graph !== null) namedNode(graph)
    return graph
  } catch (cause) {
    throw new ApiError('MalformedRequestError', 'graph: expected an absolute IRI', { cause })
  }
}

function writeJournal(): void {
  if (unwritten.length === 0) return
  const written = unwritten
  unwritten = []
  try {
    dataset.append(
      written.flatMap(({ changes }) => changes),
      written.map(({ id }) => id),
    )
    const result = report()
    for (const { id, answer } of written) reply({ id, result: { ...answer, ...result } })
  } catch (error) {
    // The dataset in memory is ahead of the disk now.
    for (const { id } of written) replyError(id, error)
  }
}

function reply(message: ReplyMessage, transferred?: Uint8Array): void {
  port.postMessage(message, transferred ? [transferred.buffer as ArrayBuffer] : [])
}

function replyError(id: number, error: unknown): void {
  if (error instanceof ApiError) {
    reply({ id, error: { name: error.name, message: error.message, cause: describe(error.cause) } })
  } else {
    broken = true
    unwritten = []
    reply({ id, fatal: fatalKind(error), message: describe(error) })
  }
}

function fatalKind(error: unknown): FatalKind {
  if (error instanceof StoreDamageError) return 'damage'
  return isDiskFailure(error) ? 'disk' : 'crash'
}

function describe(error: unknown): string {
  if (error instanceof StoreDamageError) return error.message
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
