import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { NO_BASE } from './terms.ts'

/** True for an absolute IRI, as a file has it: one below `NO_BASE` was relative. */
export function isRightIri(iri: string): boolean {
  return isAbsoluteIri(iri) && !iri.startsWith(NO_BASE)
}

/** An IRI as the file has it. */
export function iriAsWritten(iri: string): string {
  return iri.startsWith(NO_BASE) ? iri.slice(NO_BASE.length) : iri
}

/** Turtle 1.1, section 6.5, IRIREF. */
const NOT_IN_IRIS = /["<>{}|^`\\]/

/** Says what is wrong with an IRI. */
export function mistakeOf(iri: string): string {
  const written = iriAsWritten(iri)
  if (/\s/.test(written)) return `the IRI <${written}> has a space, which an IRI cannot have (write %20).`
  const [wrong] = NOT_IN_IRIS.exec(written) ?? []
  if (wrong) return `the IRI <${written}> has the character ${wrong}, which an IRI cannot have.`
  if (written !== iri) return `expected absolute IRIs or a base, found the relative IRI <${written}>.`
  return `expected an absolute IRI, found <${iri}>.`
}
