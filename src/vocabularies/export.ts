import type { Quad } from '@rdfjs/types'
import { Parser, Writer } from 'n3'
import { BOOKKEEPING, DCT, OWL, RDF, RDFS, SKOS, SKOSXL, XSD } from '../namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'

export const EXPORT_FORMATS = ['turtle', 'ntriples', 'jsonld', 'ndjson'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

const PREFIXES = { skos: SKOS, skosxl: SKOSXL, dct: DCT, owl: OWL, rdf: RDF, rdfs: RDFS, xsd: XSD }

/** A graph of the store as text in pieces, without the bookkeeping of the service. */
export async function* exportVocabulary(
  client: SparqlClient,
  uri: string,
  format: Exclude<ExportFormat, 'ndjson'>,
): AsyncGenerator<string> {
  const lines = exportedLines(client, uri)
  if (format === 'ntriples') {
    for await (const batch of lines) yield batch.join('')
    return
  }
  if (format === 'turtle') yield* writeTurtle(lines)
  else yield* writeJsonLd(lines)
}

async function* exportedLines(client: SparqlClient, uri: string): AsyncGenerator<string[]> {
  const decoder = new TextDecoder()
  let tail = ''
  for await (const chunk of client.getGraph(uri, NO_DEADLINE)) {
    const lines = (tail + decoder.decode(chunk, { stream: true })).split('\n')
    tail = lines.pop()!
    const kept = lines.filter((line) => line.trim() !== '' && !line.includes(`> <${BOOKKEEPING}`))
    if (kept.length > 0) yield kept.map((line) => `${line}\n`)
  }
  if (tail.trim() !== '' && !tail.includes(`> <${BOOKKEEPING}`)) yield [`${tail}\n`]
}

/** Blank node labels of the batches belong to one document, so the parser must keep them as they are. */
function parse(lines: string[]): Quad[] {
  return new Parser({ format: 'application/n-triples', blankNodePrefix: '_:' }).parse(lines.join(''))
}

async function* writeTurtle(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  let text = ''
  const output = {
    write: (chunk: string, _encoding: string, done?: () => void) => {
      text += chunk
      done?.()
    },
    end: (done?: () => void) => done?.(),
  }
  const writer = new Writer(output, { prefixes: PREFIXES })
  const take = () => {
    const taken = text
    text = ''
    return taken
  }
  for await (const batch of batches) {
    writer.addQuads(parse(batch))
    yield take()
  }
  await new Promise<void>((done) => writer.end(() => done()))
  yield take()
}

/** Expanded JSON-LD: one node object for every run of triples with one subject. */
async function* writeJsonLd(batches: AsyncIterable<string[]>): AsyncGenerator<string> {
  let separator = '[\n'
  let subject: string | undefined
  let node: Record<string, unknown> = {}
  const written = () => {
    const text = `${separator}${JSON.stringify(node)}`
    separator = ',\n'
    return text
  }
  for await (const batch of batches) {
    let text = ''
    for (const quad of parse(batch)) {
      const id = nameOf(quad.subject)
      if (id !== subject) {
        if (subject !== undefined) text += written()
        node = { '@id': id }
        subject = id
      }
      const values = (node[quad.predicate.value] as unknown[] | undefined) ?? []
      values.push(valueOf(quad.object))
      node[quad.predicate.value] = values
    }
    yield text
  }
  yield subject === undefined ? '[]\n' : `${written()}\n]\n`
}

function nameOf(term: Quad['subject']): string {
  return term.termType === 'BlankNode' ? `_:${term.value}` : term.value
}

function valueOf(term: Quad['object']): Record<string, string> {
  if (term.termType !== 'Literal') return { '@id': nameOf(term) }
  if (term.language) return { '@value': term.value, '@language': term.language }
  if (term.datatype.value === `${XSD}string`) return { '@value': term.value }
  return { '@value': term.value, '@type': term.datatype.value }
}
