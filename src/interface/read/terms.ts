import { malformed, readIris, readList, readNamesOrIris, type Parameters } from '../http/parameters.ts'
import { CONCEPT, XSD } from '../../base/namespaces.ts'
import { normaliseText } from '../../base/unicode.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import type { Template, Terms } from '../../graph/sparql/templates.ts'
import { iri, literal, TermError, type SparqlTerm } from '../../graph/sparql/terms.ts'
import type { Scope } from '../../graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'

/** Make RDF terms of parameters, by the name of the template slot that the terms fill. */
const TERMS: Readonly<Record<string, (parameters: Parameters) => SparqlTerm[] | undefined>> = {
  uri: (parameters) => (parameters.has('uri') ? readIris(parameters, 'uri').map(iri) : undefined),
  id: (parameters) => (parameters.has('id') ? readIris(parameters, 'id').flatMap(identifierTerms) : undefined),
  type: (parameters) => readTypes(parameters)?.map(iri),
}

/**
 * Makes the terms for the slots of a template from the parameters with the same names. A slot outside the optional
 * blocks needs its parameter.
 *
 * @throws ApiError MalformedRequestError for a parameter that is missing or has a wrong value.
 */
export function toTerms(template: Template, parameters: Parameters): Terms {
  const terms = Object.fromEntries(
    template.slots.flatMap((slot) => (TERMS[slot] ? [[slot, TERMS[slot](parameters)]] : [])),
  )
  for (const slot of template.required) {
    if (slot in terms && !terms[slot]?.length) throw malformed(`${slot}: required, expected an absolute IRI`)
  }
  return terms
}

/** Undefined for no terms: the block of that name is left out. */
export function ifAny(terms: SparqlTerm[]): SparqlTerm[] | undefined {
  return terms.length > 0 ? terms : undefined
}

/** The slot `graph` of templates that read one graph or, without a graph, all of them. */
export function graphTerms(graph: string | undefined): SparqlTerm[] | undefined {
  return graph === undefined ? undefined : [iri(graph)]
}

/** An identifier is an IRI or a text, with or without a datatype. */
function identifierTerms(identifier: string): SparqlTerm[] {
  return [iri(identifier), literal(identifier), literal(identifier, { datatype: `${XSD}anyURI` })]
}

/**
 * The `notation` parameter, plain and with every datatype and language of notations, because an index finds whole terms
 * only.
 */
export function notationTerms(parameters: Parameters, vocabularies: readonly Vocabulary[]): SparqlTerm[] {
  return notationTermsOf(readList(parameters, 'notation'), vocabularies)
}

/**
 * Notations as terms, in both forms of accents, because the store keeps those of the source: plain and with every
 * datatype and language of the notations of some vocabularies.
 */
export function notationTermsOf(notations: readonly string[], vocabularies: readonly Vocabulary[]): SparqlTerm[] {
  const types = [{}, ...vocabularies.flatMap(({ notationTypes }) => notationTypes)]
  const forms = notations.flatMap((text) => [text, normaliseText(text), normaliseText(text).normalize('NFD')])
  return [...new Set(forms.flatMap((text) => types.map((type) => notationTerm(text, type))))]
}

function notationTerm(text: string, type: Vocabulary['notationTypes'][number]): SparqlTerm {
  try {
    return literal(text, type)
  } catch (error) {
    throw error instanceof TermError ? malformed(`notation: ${error.message}`) : error
  }
}

/**
 * The `type` parameter: class URIs. Old clients send names; the name `concept` is known, others match nothing.
 *
 * @returns undefined if there is no such parameter.
 */
export function readTypes(parameters: Parameters): string[] | undefined {
  const values = readNamesOrIris(parameters, 'type')
  if (values.length === 0) return undefined
  return values.flatMap((value) => {
    if (isAbsoluteIri(value)) return [value]
    return value.split(',').includes('concept') ? [CONCEPT] : []
  })
}

/** The vocabularies and subsets that restrict a selection; undefined if nothing does. */
export function scopeTerms(scope: Scope): SparqlTerm[] | undefined {
  return scope.all ? undefined : [...scope.schemes, ...scope.subsets].map(({ uri }) => iri(uri))
}

/**
 * The terms that keep the concepts that records name within a scope with subsets; without subsets, records name all
 * concepts. Of subsets alone, a store looks for members only.
 */
export function neighbourTerms(scope: Scope): Terms {
  const { schemes, subsets, within } = scope
  if (subsets.length === 0) return {}
  if (schemes.length > 0) return { scope: scopeTerms(scope) }
  return { subset: scopeTerms(scope), scope: within && scopeTerms(within) }
}
