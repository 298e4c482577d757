import { STRING } from '../../base/namespaces.ts'
import { storeBrokeOff } from './http.ts'

/** An object of a triple as in RDF/JS, without methods. */
export interface ObjectTerm {
  termType: 'NamedNode' | 'BlankNode' | 'Literal'
  value: string
  /** Lower case; empty for literals without a language. */
  language: string
  /** IRI of the datatype; empty for plain and for language-tagged literals. */
  datatype: string
}

/** An IRI as an object. */
export function namedNode(value: string): ObjectTerm {
  return { termType: 'NamedNode', value, language: '', datatype: '' }
}

/** The triples about one subject: predicate IRI to objects, without duplicates. */
export type NodeProperties = Map<string, ObjectTerm[]>

/** A graph by subject: IRI, or blank node label with `_:`. */
export type Graph = Map<string, NodeProperties>

/**
 * Goes through the lines of N-Triples (RDF 1.1 N-Triples, section 2) that are not empty, and divides them into fields,
 * each as it is written. One object for all lines, which cuts out a field when it is asked for: whole vocabularies pass
 * here.
 *
 * @throws ApiError TimeoutError where a line is no statement, because stores cut off answers at their own deadline.
 * @example for (const line = new NTriplesLine(text); line.next();) if (!line.isComment) add(line.subject,
 *   line.predicate)
 */
export class NTriplesLine {
  /** The place in the text at which the line begins. */
  start = 0
  /** The place in the text at which the next line begins. */
  end = 0
  /** Empty for a comment. */
  subject = ''
  isComment = false
  #last = ''
  #predicate = 0
  #afterPredicate = 0
  #rest = 0

  /** @param text whole lines; the last may lack its end. */
  constructor(readonly text: string) {}

  get predicate(): string {
    return this.text.slice(this.#predicate, this.#afterPredicate)
  }

  /** The object with the full stop; the text of a comment. */
  get rest(): string {
    return this.#from(this.#rest)
  }

  /** Predicate, object and full stop. */
  get statement(): string {
    return this.#from(this.#predicate)
  }

  #from(at: number): string {
    const isEnded = this.text.charCodeAt(this.end - 1) === CODE.newLine
    return this.text.slice(at, isEnded ? this.end - 1 : this.end)
  }

  /** Goes to the next line. @returns false if there is none. */
  next(): boolean {
    const { text } = this
    while (this.end < text.length) {
      this.start = this.end
      this.end = text.indexOf('\n', this.start) + 1 || text.length
      const at = afterSpace(text, this.start)
      const code = text.charCodeAt(at)
      if (at >= this.end || code === CODE.newLine || code === CODE.return) continue
      this.isComment = code === CODE.hash
      if (this.isComment) {
        this.subject = ''
        this.#predicate = this.#afterPredicate = this.#rest = at
        return true
      }
      // Most lines have the subject of the line before.
      let after = at + this.#last.length
      const isSame = text.startsWith(this.#last, at) && (code === CODE.less || isSpace(text.charCodeAt(after)))
      if (!isSame || after === at) {
        after = afterField(text, at)
        this.#last = text.slice(at, after)
      }
      this.subject = this.#last
      this.#predicate = afterSpace(text, after)
      this.#afterPredicate = afterField(text, this.#predicate)
      this.#rest = afterSpace(text, this.#afterPredicate)
      if (this.#rest >= this.end) throw unreadable(text, this.start)
      return true
    }
    return false
  }
}

/** The lines of N-Triples that fulfil a condition, and all comments. @throws the error of `NTriplesLine`. */
export function linesWhere(text: string, isWanted: (line: NTriplesLine) => boolean): string {
  let wanted = ''
  let from = 0
  for (const line = new NTriplesLine(text); line.next();) {
    if (line.isComment || isWanted(line)) continue
    if (from < line.start) wanted += text.slice(from, line.start)
    from = line.end
  }
  return from === 0 ? text : wanted + text.slice(from)
}

const CODE = {
  tab: 0x09,
  newLine: 0x0a,
  return: 0x0d,
  space: 0x20,
  quote: 0x22,
  hash: 0x23,
  stop: 0x2e,
  less: 0x3c,
  greater: 0x3e,
  escape: 0x5c,
}

function isSpace(code: number): boolean {
  return code === CODE.space || code === CODE.tab
}

function afterSpace(text: string, start: number): number {
  let at = start
  while (isSpace(text.charCodeAt(at))) at++
  return at
}

/** The end of an IRI or of a label, or the end of the text. */
function afterField(text: string, start: number): number {
  if (text.charCodeAt(start) === CODE.less) return text.indexOf('>', start) + 1 || text.length
  let at = start
  while (at < text.length && !isSpace(text.charCodeAt(at))) at++
  return at
}

function unreadable(text: string, at: number): Error {
  return storeBrokeOff(new Error(`unreadable N-Triples at offset ${at}: ${text.slice(at, at + 200)}`))
}

/** The object of the `rest` of a line, as it is written; undefined if it does not end with a full stop. */
export function objectIn(rest: string): string | undefined {
  let end = rest.length
  if (rest.charCodeAt(end - 1) === CODE.return) end--
  while (isSpace(rest.charCodeAt(end - 1))) end--
  if (rest.charCodeAt(--end) !== CODE.stop) return undefined
  while (isSpace(rest.charCodeAt(end - 1))) end--
  return rest.slice(0, end)
}

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
  let subject = ''
  let properties: NodeProperties | undefined
  for (const line = new NTriplesLine(text); line.next();) {
    const { predicate: written } = line
    const object = readObject(line.rest)
    if (object === undefined || !isIriField(written)) throw unreadable(text, line.start)
    if (properties === undefined || line.subject !== subject) {
      subject = line.subject
      if (!isIriField(subject) && !subject.startsWith('_:')) throw unreadable(text, line.start)
      const name = isIriField(subject) ? unescapeNTriples(subject.slice(1, -1)) : subject
      properties = graph.get(name)
      if (properties === undefined) graph.set(name, (properties = new Map<string, ObjectTerm[]>()))
    }
    const predicate = unescapeNTriples(written.slice(1, -1))
    const objects = properties.get(predicate)
    if (objects === undefined) properties.set(predicate, [object])
    else if (isNew(objects, object)) objects.push(object)
  }
  return graph
}

const BLANK_NODE = /^_:[^ \t.]+(?:\.[^ \t.]+)*$/
/** Language tag or datatype after the lexical form of a literal. */
const SUFFIX = /^(?:@[A-Za-z0-9-]+|\^\^<[^>]*>)$/

function isIriField(field: string): boolean {
  return field.charCodeAt(0) === CODE.less && field.charCodeAt(field.length - 1) === CODE.greater
}

/** The object of a line; undefined if the text is not one. */
function readObject(rest: string): ObjectTerm | undefined {
  const object = objectIn(rest)
  if (object === undefined) return undefined
  if (isIriField(object) && object.indexOf('>') === object.length - 1) {
    return namedNode(unescapeNTriples(object.slice(1, -1)))
  }
  if (BLANK_NODE.test(object)) return { termType: 'BlankNode', value: object, language: '', datatype: '' }
  const end = closingQuote(object)
  const suffix = object.slice(end + 1)
  if (end < 0 || (suffix !== '' && !SUFFIX.test(suffix))) return undefined
  const datatype = suffix.startsWith('^') ? suffix.slice('^^<'.length, -1) : ''
  return {
    termType: 'Literal',
    value: unescapeNTriples(object.slice(1, end)),
    language: suffix.startsWith('@') ? suffix.slice(1).toLowerCase() : '',
    datatype: datatype === STRING ? '' : unescapeNTriples(datatype),
  }
}

/** The place of the quotation mark that ends a literal; -1 if it is no literal, as where an answer was cut off. */
function closingQuote(object: string): number {
  if (object.charCodeAt(0) !== CODE.quote) return -1
  for (let at = object.indexOf('"', 1); at >= 0; at = object.indexOf('"', at + 1)) {
    let escapes = at
    while (object.charCodeAt(escapes - 1) === CODE.escape) escapes--
    if ((at - escapes) % 2 === 0) return at
  }
  return -1
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

/** True if a list lacks an object, which the caller then adds. */
function isNew(objects: ObjectTerm[], object: ObjectTerm): boolean {
  if (objects.length < MANY) return !objects.some((present) => sameTerm(present, object))
  let keys = keysOf.get(objects)
  if (keys === undefined) keysOf.set(objects, (keys = new Set(objects.map(objectKey))))
  const before = keys.size
  return keys.add(objectKey(object)).size > before
}

function objectKey({ termType, value, language, datatype }: ObjectTerm): string {
  return `${termType} ${language} ${datatype} ${value}`
}

function sameTerm(a: ObjectTerm, b: ObjectTerm): boolean {
  return a.value === b.value && a.termType === b.termType && a.language === b.language && a.datatype === b.datatype
}
