/** The thread that checks texts one after the other. Each text comes as a file. */
import { readFile } from 'node:fs/promises'
import { parentPort } from 'node:worker_threads'
import { InputError } from '../files/input-error.ts'
import { looksLikeJskos, sniff } from '../loading/parse.ts'
import { validateJskos } from './jskos.ts'
import { validateRdf } from './rdf.ts'
import type { ThreadReply, ThreadTask } from './thread.ts'
import type { TextFormat, ValidationReport } from './report.ts'

async function validate({ file, format, ...options }: ThreadTask): Promise<ValidationReport> {
  const read = await formatOf(file, format)
  const isJskos = read === 'jskos' || read === 'ndjson'
  return isJskos ? validateJskos(file, read, options) : validateRdf(file, read)
}

/** The format of a text; JSON without a JSON-LD context is JSKOS. */
async function formatOf(file: string, given: TextFormat | undefined): Promise<TextFormat> {
  if (given !== undefined && given !== 'json') return given
  const text = await readFile(file, 'utf8')
  const found = given ?? sniff(text)
  if (found === undefined) {
    throw new InputError(
      'unknown format: expected JSKOS, Turtle, N-Triples, RDF/XML or JSON-LD; Content-Type or format says which.',
    )
  }
  if (found !== 'json') return found
  return looksLikeJskos(text) ? 'jskos' : 'jsonld'
}

const port = parentPort!
port.on('message', (task: ThreadTask) => {
  void validate(task)
    .then(
      (report): ThreadReply => ({ report }),
      (error: unknown): ThreadReply => {
        if (error instanceof InputError) return { refused: error.message }
        // Parsers and validators are recursive, so deep nesting overflows the stack.
        if (error instanceof RangeError) return { refused: 'the text is nested too deeply.' }
        return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }
      },
    )
    .then((reply) => port.postMessage(reply))
})
// Loads both validators before the first text, so that loading does not use up the text's time.
await import('rdf-validate-shacl')
port.postMessage({ ready: true } satisfies ThreadReply)
