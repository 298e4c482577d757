import { Parser } from 'n3'
import type { Literal, Quad, Term } from '@rdfjs/types'
import { LANG_STRING, STRING, XSD } from '../../base/namespaces.ts'
import type { NodeProperties, ObjectTerm } from './ntriples.ts'

// oxlint-disable-next-line no-control-regex
const NEEDS_ESCAPE = /[\u0000-\u001f"\\\u007f]/
const TO_ESCAPE = new RegExp(NEEDS_ESCAPE, 'g')
const ESCAPED: Record<string, string> = { '"': '\\"', '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A lexical form between its quotation marks (RDF 1.1 N-Triples, STRING_LITERAL_QUOTE). */
export function writeString(value: string): string {
  if (!NEEDS_ESCAPE.test(value)) return `"${value}"`
  return `"${value.replace(TO_ESCAPE, (c) => ESCAPED[c] ?? `\\u${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`)}"`
}

/** A literal in N-Triples. @param datatype an IRI; empty for xsd:string. */
export function writeLiteral(value: string, { language = '', datatype = '' }): string {
  if (language) return `${writeString(value)}@${language}`
  return datatype === '' || datatype === STRING || datatype === LANG_STRING
    ? writeString(value)
    : `${writeString(value)}^^<${datatype}>`
}

/** A whole number as a literal in N-Triples. */
export function writeInteger(value: number): string {
  return `"${value}"^^<${XSD}integer>`
}

/** The triples of a node as N-Triples. @param name of the node: an IRI, or a label with `_:`. */
export function writeNode(name: string, properties: NodeProperties | undefined): string {
  const subject = name.startsWith('_:') ? name : `<${name}>`
  return [...(properties ?? [])]
    .flatMap(([predicate, objects]) => objects.map((object) => `${subject} <${predicate}> ${writeObject(object)} .\n`))
    .join('')
}

function writeObject({ termType, value, ...more }: ObjectTerm): string {
  if (termType === 'Literal') return writeLiteral(value, more)
  return termType === 'NamedNode' ? `<${value}>` : value
}

/** The parts of a literal in N-Triples: `suffix` is empty, `@language` or `^^<datatype>`. */
interface WrittenLiteral {
  lexical: string
  suffix: string
}

/** Takes a literal in N-Triples apart; undefined for IRIs and blank nodes. The lexical form stays escaped. */
export function splitLiteral(object: string): WrittenLiteral | undefined {
  if (object.charCodeAt(0) !== 0x22) return undefined
  const end = object.lastIndexOf('"')
  return { lexical: object.slice(1, end), suffix: object.slice(end + 1) }
}

/** True for literals (RDF/JS). */
export function isLiteral(term: Term): term is Literal {
  return term.termType === 'Literal'
}

/**
 * The statements of an N-Triples text. Labels of blank nodes hold for the whole document, so they stay as they are.
 *
 * @throws Error if it is not N-Triples.
 */
export function quadsIn(nTriples: string): Quad[] {
  return new Parser({ format: 'application/n-triples', blankNodePrefix: '_:' }).parse(nTriples)
}
