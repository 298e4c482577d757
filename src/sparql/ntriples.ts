import { STRING } from '../namespaces.ts'
import { storeBrokeOff } from './late.ts'

/** An object of a triple as in RDF/JS, without methods. */
export interface ObjectTerm {
  termType: 'NamedNode' | 'BlankNode' | 'Literal'
  value: string
  /** Lower case; empty for literals without a language. */
  language: string
  /** IRI of the datatype; empty for plain and for language-tagged literals. */
  datatype: string
}

/** The triples about one subject: predicate IRI to objects, without duplicates. */
export type NodeProperties = Map<string, ObjectTerm[]>

/** A graph by subject: IRI, or blank node label with `_:`. */
export type Graph = Map<string, NodeProperties>

// One triple a line. The quoted part is unrolled, so that a note of a megabyte does not backtrack deeply.
const LINE =
  /(?:<([^>]*)>|(_:[^ \t]+))[ \t]*<([^>]*)>[ \t]*(?:<([^>]*)>|(_:[^ \t.]+(?:\.[^ \t.]+)*)|"([^"\\]*(?:\\.[^"\\]*)*)"(?:@([A-Za-z0-9-]+)|\^\^<([^>]*)>)?)[ \t]*\.[ \t]*(?:\r?\n|$)/y

const ESCAPE = /\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))/g
const CHARACTER: Record<string, string> = { t: '\t', b: '\b', n: '\n', r: '\r', f: '\f' }

/**
 * The text of an IRI or a lexical form that is escaped as in N-Triples (RDF 1.1 N-Triples, section 4, UCHAR and ECHAR).
 */
export function unescapeNTriples(text: string): string {
  if (!text.includes('\\')) return text
  return text.replace(ESCAPE, (_, short: string | undefined, long: string | undefined, character: string) =>
    short || long ? String.fromCodePoint(parseInt(short ?? long!, 16)) : (CHARACTER[character] ?? character),
  )
}

/**
 * Reads N-Triples (RDF 1.1 N-Triples, section 2), as a store writes them, into a graph by subject.
 *
 * Every answer needs this, so it is written for the purpose: it takes 0.4 of the time of a general parser.
 *
 * @throws ApiError TimeoutError if the text is not N-Triples, because stores cut off answers at their own deadline.
 */
export function readNTriples(text: string, graph: Graph = new Map()): Graph {
  LINE.lastIndex = 0
  let subject = ''
  let properties: NodeProperties | undefined
  while (LINE.lastIndex < text.length) {
    const at = LINE.lastIndex
    const match = LINE.exec(text)
    if (match === null) {
      throw storeBrokeOff(new Error(`unreadable N-Triples at offset ${at}: ${text.slice(at, at + 200)}`))
    }
    const [, subjectIri, subjectBlank, predicateIri, objectIri, objectBlank, lexical, language, datatype] = match
    const name = subjectBlank ?? unescapeNTriples(subjectIri!)
    if (properties === undefined || name !== subject) {
      subject = name
      properties = graph.get(name)
      if (properties === undefined) graph.set(name, (properties = new Map<string, ObjectTerm[]>()))
    }
    const object: ObjectTerm =
      objectIri !== undefined
        ? { termType: 'NamedNode', value: unescapeNTriples(objectIri), language: '', datatype: '' }
        : objectBlank !== undefined
          ? { termType: 'BlankNode', value: objectBlank, language: '', datatype: '' }
          : {
              termType: 'Literal',
              value: unescapeNTriples(lexical!),
              language: language?.toLowerCase() ?? '',
              datatype: datatype === undefined || datatype === STRING ? '' : unescapeNTriples(datatype),
            }
    const predicate = unescapeNTriples(predicateIri!)
    const objects = properties.get(predicate)
    if (objects === undefined) properties.set(predicate, [object])
    else if (isNew(objects, object)) objects.push(object)
  }
  return graph
}

/**
 * Reads N-Triples as they come, so that most of a long answer is read when its last part arrives, and other requests
 * need not wait for the reading of the whole.
 *
 * @throws the errors of `readNTriples` and of the body.
 */
export async function readNTriplesBody(body: AsyncIterable<Uint8Array>, graph: Graph): Promise<Graph> {
  for await (const lines of linesOf(body)) readNTriples(lines, graph)
  return graph
}

/**
 * Reads N-Triples as they come, one graph for each part of the body: the triples of one subject may be in several.
 *
 * @throws the errors of `readNTriples` and of the body.
 */
export async function* readNTriplesPieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Graph> {
  for await (const lines of linesOf(body)) yield readNTriples(lines)
}

/** The text of a body, cut at ends of lines; what follows the last of these comes last, and may be empty. */
export async function* linesOf(body: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of body) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    yield text.slice(0, end)
    rest = text.slice(end)
  }
  yield rest + decoder.decode()
}

/** With so many objects, a set finds doubles faster than a scan: some concepts have thousands of narrower ones. */
const MANY = 32
const keysOf = new WeakMap<ObjectTerm[], Set<string>>()

/** True if an object is not among others, to which it will be added then. */
function isNew(objects: ObjectTerm[], object: ObjectTerm): boolean {
  if (objects.length < MANY) return !objects.some((known) => sameTerm(known, object))
  let keys = keysOf.get(objects)
  if (keys === undefined) keysOf.set(objects, (keys = new Set(objects.map(keyOf))))
  const before = keys.size
  return keys.add(keyOf(object)).size > before
}

function keyOf({ termType, value, language, datatype }: ObjectTerm): string {
  return `${termType} ${language} ${datatype} ${value}`
}

function sameTerm(a: ObjectTerm, b: ObjectTerm): boolean {
  return a.value === b.value && a.termType === b.termType && a.language === b.language && a.datatype === b.datatype
}
