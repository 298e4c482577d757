/** The thread that checks texts one after the other. Each text comes as a file. */
import { parentPort, workerData } from 'node:worker_threads'
import { ApiError } from '../../base/errors.ts'
import { InputError, TooLargeError } from '../../base/files/input-error.ts'
import { readText } from '../../base/files/text.ts'
import { looksLikeJskos, sniff } from '../../writing/source/parse.ts'
import { replyOfError, type CallMessage, OPENING, type ReplyMessage, RunningCall } from '../../base/threads/messages.ts'
import { validateJskos } from './jskos.ts'
import { validateRdf } from './rdf.ts'
import { FILE_NAME, type TextFormat, type ValidationReport } from './report.ts'
import type { ThreadTask, ValidationCalls } from './thread.ts'

const FILE_BEFORE = new RegExp(`^${FILE_NAME}\\.\\w+(?:, |: )`)

async function validateText({ file, format, language = 'en', ...options }: ThreadTask): Promise<ValidationReport> {
  const read = await formatOf(file, format)
  const isJskos = read === 'jskos' || read === 'ndjson'
  return isJskos ? validateJskos(file, read, { ...options, language }) : validateRdf(file, read, language)
}

/** The format of a text; JSON without a JSON-LD context is JSKOS. */
async function formatOf(file: string, declared: TextFormat | undefined): Promise<TextFormat> {
  if (declared !== undefined && declared !== 'json') return declared
  let text = ''
  for await (const chunk of readText(file)) text += chunk
  const format = declared ?? sniff(text)
  if (format === undefined) {
    throw new InputError(
      'unknown format: expected JSKOS, Turtle, N-Triples, RDF/XML, JSON-LD or a table; Content-Type or format says which.',
    )
  }
  if (format !== 'json') return format
  return looksLikeJskos(text) ? 'jskos' : 'jsonld'
}

const port = parentPort!
const running = new RunningCall((workerData as { running: BigInt64Array }).running)
const reply = (message: ReplyMessage) => port.postMessage(message)
port.on('message', ({ id, arguments: task }: Extract<CallMessage<ValidationCalls>, { name: 'check' }>) => {
  running.begin(id)
  validateText(task).then(
    (report) => reply({ id, result: report }),
    (error: unknown) => reply(replyOfError(id, toApiError(error))),
  )
})
// Loads both validators before the first text, so that loading does not use up the text's time.
await import('rdf-validate-shacl')
reply({ id: OPENING, result: undefined })

/** Broken texts are errors of the client; other errors stay as they are. */
function toApiError(error: unknown): unknown {
  const reason =
    error instanceof InputError
      ? error.message.replace(FILE_BEFORE, '')
      : // Parsers and validators are recursive, so deep nesting overflows the stack.
        error instanceof RangeError
        ? 'the text is nested too deeply.'
        : undefined
  if (reason === undefined) return error
  return new ApiError(error instanceof TooLargeError ? 'PayloadTooLargeError' : 'MalformedRequestError', reason)
}
