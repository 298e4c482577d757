/** A thread that holds the dataset and computes on it, one call after the other. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads'
import { OPENING, type ReplyMessage, RunningCall, replyOfError } from '../../base/threads/messages.ts'
import {
  type StoreMessage,
  ALL_ON_DISK,
  type StoreCall,
  type StoreCallName,
  type StoreCalls,
  type ThreadOptions,
} from './calls.ts'
import { Dataset } from './dataset.ts'
import { answerQuery } from './protocol.ts'

const port = parentPort as MessagePort
const { options, running: memory } = workerData as { options: ThreadOptions; running: BigInt64Array }
const running = new RunningCall(memory)

/** Calls that leave the dataset as it is. */
const READS: ReadonlySet<StoreCallName> = new Set(['query', 'dump'])

/** `isOnDisk` belongs to a change that is on disk before this thread makes it. */
type WaitingCall = StoreCall & { isOnDisk?: boolean }

/** Received calls, in order. */
const waiting: WaitingCall[] = []
/** True while changes may not be on disk yet, from the beginning of the first one. */
let mayBeLost = false
/** True after an error that leaves the dataset in an unknown state; the thread then performs no calls. */
let broken = false
let dataset: Dataset

try {
  dataset = new Dataset(options.directory, options.graphs, options.memory, options.put)
  reply({ id: OPENING, result: dataset.wear })
  port.on('message', (first: StoreMessage) => {
    take(first)
    for (let call = next(); call && !broken; call = next()) perform(call)
  })
} catch (error) {
  replyError(OPENING, error)
}

/** The next call. */
function next(): WaitingCall | undefined {
  takeAll()
  const at = mayBeLost ? waiting.findIndex(({ name }) => name === 'make') : 0
  return at < 0 ? undefined : waiting.splice(at, 1)[0]
}

/** Takes new messages, which may cancel waiting calls. */
function takeAll(): void {
  for (let more = receiveMessageOnPort(port); more; more = receiveMessageOnPort(port))
    take(more.message as StoreMessage)
}

function take(message: StoreMessage): void {
  if (message === ALL_ON_DISK) {
    mayBeLost = false
    for (const call of waiting) call.isOnDisk = call.name === 'make'
  } else if ('name' in message) waiting.push(message)
  else {
    const at = waiting.findIndex(({ id }) => id === message.cancel)
    if (at < 0) return
    waiting.splice(at, 1)
    reply({ id: message.cancel, expired: true })
  }
}

function perform(call: WaitingCall): void {
  if (Date.now() > call.deadline) {
    reply({ id: call.id, expired: true })
    return
  }
  running.begin(call.id)
  try {
    const result = answer(call)
    const bytes = result instanceof Uint8Array ? result : result && 'body' in result ? result.body : undefined
    reply({ id: call.id, result }, bytes)
  } catch (error) {
    // A query that breaks the dataset during a load has already got its error; the load did not cause it.
    if (!broken) replyError(call.id, error)
  }
}

/**
 * Makes a change. Between the chunks of a graph it answers readers that have waited since the last chunk; oxigraph
 * shows them the previous data. It stops when the change is on disk: later readers must see the change.
 */
function makeChange(call: WaitingCall & { name: 'make' }): string[] {
  const couldBeLost = mayBeLost
  mayBeLost = !call.isOnDisk
  try {
    return dataset.make(call.arguments.change, () => {
      takeAll()
      for (let left = couldBeLost ? 0 : waiting.length; left > 0 && mayBeLost && !broken; left--) {
        if (!READS.has(waiting[0]!.name)) break
        perform(waiting.shift()!)
      }
      if (broken) throw new Error('the dataset is broken')
      running.begin(call.id)
    })
  } catch (error) {
    mayBeLost = couldBeLost
    throw error
  }
}

function answer(call: WaitingCall): StoreCalls[StoreCallName]['result'] {
  switch (call.name) {
    case 'query':
      return answerQuery(dataset.store, call.arguments.http)
    case 'make': {
      const gone = makeChange(call)
      return { gone, wear: dataset.wear }
    }
    case 'follow':
      dataset.follow(call.arguments.change)
      return undefined
    case 'dump':
      return dataset.dump(call.arguments.graph, call.arguments.mostTriples)
    case 'writeOut': {
      const files = call.arguments.graphs.map((graph) => dataset.writeOut(graph))
      return { files, wear: dataset.wear }
    }
    case 'reach':
      return undefined
    default:
      throw new Error(`no such call: ${call.name}`)
  }
}

function reply(message: ReplyMessage, transferred?: Uint8Array): void {
  port.postMessage(message, transferred ? [transferred.buffer as ArrayBuffer] : [])
}

function replyError(id: number, error: unknown): void {
  const message = replyOfError(id, error)
  broken ||= 'fatal' in message
  reply(message)
}
