/**
 * RDF terms as SPARQL text. Only this file puts values from outside into queries. It works by allow-lists and refuses
 * everything else, because SPARQL writers in JavaScript escape neither IRIs nor language tags.
 */

import type { Term } from '@rdfjs/types'
import { STRING } from '../../base/namespaces.ts'
import { MAX_IRI_LENGTH } from './grammar.ts'

declare const serialised: unique symbol
/** A term or number in SPARQL syntax, made by this module and therefore safe to insert into a template. */
export type SparqlTerm = string & { readonly [serialised]: true }

/** Thrown if a value cannot be a term; `message` names what was expected. */
export class TermError extends Error {
  override readonly name = 'TermError'
}

// SPARQL 1.1, section 19.8, IRIREF: no controls, no space, none of < > " { } | ^ ` \ and no lone surrogates.
// oxlint-disable-next-line no-control-regex
const IRI_REF = /^[A-Za-z][A-Za-z0-9+.-]*:[^\u0000-\u0020<>"{}|^`\\\u007f-\u009f\p{Cs}]+$/u
// BCP 47 by its shape (RFC 5646, section 2.1): subtags of 1 to 8 letters or digits.
const LANGUAGE_TAG = /^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$/

/** True for a language tag in the shape of BCP 47. */
export function isLanguageTag(value: string): boolean {
  return LANGUAGE_TAG.test(value)
}

/**
 * An IRI in SPARQL syntax. Accepts all that SPARQL can write between angle brackets (SPARQL 1.1, section 4.1.1),
 * because stores may hold IRIs outside the grammar of RFC 3987. Only input has to follow that grammar (grammar.ts).
 *
 * @throws TermError for a relative IRI, or for characters that would end it early.
 */
export function iri(value: string): SparqlTerm {
  if (value.length > MAX_IRI_LENGTH || !IRI_REF.test(value)) throw new TermError('expected an absolute IRI')
  return `<${value}>` as SparqlTerm
}

const LITERAL_ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\b': '\\b',
  '\f': '\\f',
}

/**
 * `\\uXXXX` (SPARQL 1.1, section 19.2). Some parsers replace these everywhere before they look at strings, so a text
 * `\\u0022` must not come out as `\\\\u0022`, which they would take for an escaped quote: its `u` is escaped as well.
 */
function codepointEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`
}

/**
 * A literal in SPARQL syntax: plain, with a language tag, or with a datatype IRI.
 *
 * @throws TermError for a malformed language tag or datatype, a null character or a lone surrogate.
 */
export function literal(
  value: string,
  { language, datatype }: { language?: string; datatype?: string } = {},
): SparqlTerm {
  if (value.includes('\u0000')) throw new TermError('expected text without null characters')
  if (/\p{Cs}/u.test(value)) throw new TermError('expected text without lone surrogates')
  // oxlint-disable-next-line no-control-regex
  const text = value.replace(/(?<=\\)[uU]|[\\"\u0000-\u001f\u007f]/g, (character) => {
    return LITERAL_ESCAPES[character] ?? codepointEscape(character)
  })
  if (language) {
    if (!isLanguageTag(language)) throw new TermError('expected a language tag')
    return `"${text}"@${language}` as SparqlTerm
  }
  return `"${text}"${datatype ? `^^${iri(datatype)}` : ''}` as SparqlTerm
}

/**
 * A term of a triple (RDF/JS) in SPARQL syntax.
 *
 * @throws TermError for a blank node, which would be a different one in every place, and the errors of `iri` and
 *   `literal`.
 */
export function rdfTerm(term: Term): SparqlTerm {
  if (term.termType === 'NamedNode') return iri(term.value)
  if (term.termType !== 'Literal') throw new TermError('expected an IRI or a literal')
  const { value, language } = term
  // jsonld omits it if there is none.
  if (language) return literal(value, { language })
  const datatype = term.datatype.value
  return literal(value, datatype === STRING ? {} : { datatype })
}

/** SPARQL has no largest number, but stores count in 32 bits, some with a sign; the embedded store refuses more. */
const MAX_COUNT = 2 ** 31 - 1

/**
 * A whole number from 0, for LIMIT and OFFSET. Numbers beyond those of stores become the largest that stores accept.
 *
 * @throws TermError for anything else.
 */
export function count(value: number): SparqlTerm {
  if (!Number.isSafeInteger(value) || value < 0) throw new TermError('expected a whole number from 0')
  return String(Math.min(value, MAX_COUNT)) as SparqlTerm
}

/** A triple within the template of an update (SPARQL 1.1 Update, section 3.1.3). */
export function triple(subject: SparqlTerm, predicate: SparqlTerm, object: SparqlTerm): SparqlTerm {
  return `${subject} ${predicate} ${object} .` as SparqlTerm
}
