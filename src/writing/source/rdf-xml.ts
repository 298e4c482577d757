import type { Quad } from '@rdfjs/types'
import { InputError, type Position } from '../../base/files/input-error.ts'

/**
 * The statements of a text in RDF/XML.
 *
 * @throws InputError with line and column.
 */
export async function* parseRdfXml(text: AsyncIterable<string>, file: string, base: string): AsyncGenerator<Quad[]> {
  const { StatementParser } = await import('./rdf-xml-parser.ts')
  const parser = new StatementParser(base)
  let quads: Quad[] = []
  let failed: (error: Error) => void = () => {}
  const failure = new Promise<never>((_, reject) => (failed = reject))
  failure.catch(() => {})
  parser.on('data', (quad: Quad) => quads.push(quad))
  parser.on('error', failed)
  const take = () => {
    const taken = quads
    quads = []
    return taken
  }
  try {
    for await (const chunk of text) {
      await Promise.race([new Promise<void>((done) => parser.write(chunk, () => done())), failure])
      yield take()
    }
    const ended = new Promise<void>((done) => parser.on('end', () => done()))
    parser.close()
    parser.end()
    await Promise.race([ended, failure])
    yield take()
  } catch (error) {
    throw error instanceof InputError || error instanceof RangeError ? error : xmlError(error as Error, file)
  } finally {
    parser.destroy()
  }
}

function xmlError(error: Error & Partial<Position>, file: string): InputError {
  // The XML parser puts the place into the message.
  const [, line, column, message] = /^(?:Line )?(\d+)(?::| column )(\d+): (.*)$/s.exec(error.message) ?? []
  if (message !== undefined) {
    // The parser gives the column of the last character, 0 at the end of a line.
    return new InputError(message, file, { line: Number(line), column: Number(column) || 1 })
  }
  if (error.line === undefined) return new InputError(error.message, file)
  return new InputError(error.message, file, { line: error.line, column: error.column ?? 1 })
}
