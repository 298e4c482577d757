import type { DataFactory, Literal, Quad, Term } from '@rdfjs/types'
import { RDF, STRING } from '../../base/namespaces.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'

/**
 * The base of relative IRIs in files without one, by which `SourceGraph` knows them; a parser without a base would drop
 * such statements or pass them on unchanged.
 */
export const NO_BASE = 'x-relative://base/'

/** True if another term is the same (RDF/JS: Data model, `Term.equals`). */
function equals(this: Term, other: Term | null | undefined): boolean {
  if (other?.termType !== this.termType || other.value !== this.value) return false
  if (this.termType !== 'Literal') return true
  const { language, datatype } = other as Literal
  return language === this.language && datatype.value === this.datatype.value
}

const XSD_STRING = { termType: 'NamedNode', value: STRING, equals }
const LANG_STRING = { termType: 'NamedNode', value: `${RDF}langString`, equals }
const DEFAULT_GRAPH = { termType: 'DefaultGraph', value: '', equals }

let anonymous = 0

/**
 * RDF/JS terms as plain objects that share their one method. Those of N3.js compute language and datatype with every
 * access, and they lower-case language tags, which the loader counts.
 */
export const factory = {
  namedNode: (value: string) => ({ termType: 'NamedNode', value, equals }),
  // Names anonymous nodes; labels in a file cannot begin with "#".
  blankNode: (value = `#${anonymous++}`) => ({ termType: 'BlankNode', value, equals }),
  variable: (value: string) => ({ termType: 'Variable', value, equals }),
  defaultGraph: () => DEFAULT_GRAPH,
  literal: (value: string, of?: string | { language: string; direction?: string } | { termType: string } | null) => {
    if (of === undefined || of === null)
      return { termType: 'Literal', value, language: '', datatype: XSD_STRING, equals }
    if (typeof of === 'string') return { termType: 'Literal', value, language: of, datatype: LANG_STRING, equals }
    if ('termType' in of) return { termType: 'Literal', value, language: '', datatype: of, equals }
    return { termType: 'Literal', value, ...of, datatype: LANG_STRING, equals }
  },
  quad: (subject: unknown, predicate: unknown, object: unknown, graph: unknown = DEFAULT_GRAPH) => ({
    termType: 'Quad',
    value: '',
    subject,
    predicate,
    object,
    graph,
  }),
} as unknown as DataFactory<Quad>

/**
 * Maximum depth of nested elements in RDF/XML, and of nested arrays and objects in JSON-LD: the time of the parsers
 * grows at least with the square of the depth.
 */
export const MOST_LEVELS = MAXIMA.levels.most

export const TOO_DEEP = `the text is nested too deeply: expected at most ${MOST_LEVELS} levels.`

/** True for an absolute IRI, as a file has it: one below `NO_BASE` was relative. */
export function isRightIri(iri: string): boolean {
  return isAbsoluteIri(iri) && !iri.startsWith(NO_BASE)
}

/** An IRI as the file has it. */
export function iriAsWritten(iri: string): string {
  return iri.startsWith(NO_BASE) ? iri.slice(NO_BASE.length) : iri
}

/** The characters that no IRI has, besides spaces (Turtle 1.1, section 6.5, IRIREF). */
export const NOT_IN_IRIS = /["<>{}|^`\\]/

/** Says what is wrong with an IRI. */
export function mistakeOf(iri: string): string {
  const written = iriAsWritten(iri)
  if (/\s/.test(written)) return `the IRI <${written}> has a space, which an IRI cannot have (write %20).`
  const [wrong] = NOT_IN_IRIS.exec(written) ?? []
  if (wrong) return `the IRI <${written}> has the character ${wrong}, which an IRI cannot have.`
  if (written !== iri) return `expected absolute IRIs or a base, found the relative IRI <${written}>.`
  return `expected an absolute IRI, found <${iri}>.`
}
