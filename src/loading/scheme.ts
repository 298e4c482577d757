import { DC, DCT, RDFS, SKOS } from '../namespaces.ts'
import { type SourceGraph, type Statement } from './source-graph.ts'
import { normaliseText } from '../unicode.ts'
import { InputError } from '../files/input-error.ts'
import { defaultIds, isSameVocabulary } from '../vocabularies/vocabulary.ts'
import { unescapeNTriples } from '../sparql/ntriples.ts'
import { splitLiteral } from '../sparql/statements.ts'

/** A subset that a file describes: its resource and the vocabulary it is part of. */
export interface DescribedSubset {
  node: number
  vocabulary: string
}

/** The subsets in a file: resources with a notation `subset_...` and dct:isPartOf. */
export function findSubsets(source: SourceGraph): DescribedSubset[] {
  return [...source.subsetNodes].flatMap((node) => {
    const whole = source.describe(node).statements.find(({ predicate }) => predicate === `${DCT}isPartOf`)?.object
    return !source.isBlank(node) && whole?.startsWith('<') ? [{ node, vocabulary: whole.slice(1, -1) }] : []
  })
}

/**
 * The scheme that names the graph.
 *
 * @param wanted the choice of the operator (`--scheme`).
 * @param record the URI of the separate metadata record, if there is one.
 * @throws InputError if the files have no scheme or several, and the operator did not choose.
 */
export function chooseScheme(
  source: SourceGraph,
  subsets: readonly DescribedSubset[],
  { wanted, record }: { wanted?: string | undefined; record?: string | undefined },
): number {
  const candidates = candidateSchemes(source, subsets)
  if (wanted !== undefined) {
    const exact = source.find(wanted)
    return exact !== undefined && candidates.includes(exact)
      ? exact
      : (candidates.find((node) => isSameVocabulary(source.iri(node), wanted)) ?? source.intern(wanted))
  }
  if (candidates.length === 1) return candidates[0]!
  const ofRecord = record === undefined ? undefined : source.find(record)
  if (record !== undefined && candidates.length === 0) return source.intern(record)
  if (ofRecord !== undefined && candidates.includes(ofRecord)) return ofRecord
  if (candidates.length === 0) throw new InputError('the file has no concept scheme; give its URI with --scheme.')
  const shown = candidates.slice(0, 5).map((node) => source.iri(node))
  if (candidates.length > shown.length) shown.push('...')
  throw new InputError(
    `the file has ${candidates.length} concept schemes; say with --scheme which one: ${shown.join(', ')}; or load all with --all-schemes`,
  )
}

/**
 * The schemes that files describe, else those that concepts are in. A concept with the type of a scheme counts only if there
 * is no other scheme, because this is mostly a mistake.
 */
export function candidateSchemes(source: SourceGraph, subsets: readonly DescribedSubset[]): number[] {
  const isSubset = (node: number) => subsets.some((subset) => subset.node === node)
  const described = [...source.schemes()].filter((node) => !source.isBlank(node) && !isSubset(node))
  if (described.length === 0) return mentionedSchemes(source, subsets)
  const pure = described.filter((node) => !source.isConcept(node))
  return pure.length > 0 ? pure : described
}

/** Schemes of concepts that the file does not describe. */
function mentionedSchemes(source: SourceGraph, subsets: readonly DescribedSubset[]): number[] {
  const found = new Set<number>()
  const { inScheme, topConceptOf, hasTopConcept } = source.links
  inScheme.forEach((_, scheme) => found.add(scheme))
  topConceptOf.forEach((_, scheme) => found.add(scheme))
  hasTopConcept.forEach((scheme) => found.add(scheme))
  for (const { node } of subsets) found.delete(node)
  return [...found].filter((node) => !source.isBlank(node))
}

/** The texts of a property's literals, without datatype or language. */
export function textsOf(statements: Statement[], predicate: string): string[] {
  return statements.flatMap((statement) => {
    const literal = statement.predicate === predicate ? splitLiteral(statement.object) : undefined
    return literal ? [unescapeNTriples(literal.lexical)] : []
  })
}

/**
 * The ids of a vocabulary if the operator gives none: its own notations that are legal ids in lower case, else the last
 * legal part of its URI.
 *
 * @param proposed an id that the error proposes.
 * @throws InputError if there is neither.
 */
export function idsOf(uri: string, statements: Statement[], proposed?: string): string[] {
  const ids = defaultIds(uri, textsOf(statements, `${SKOS}notation`))
  if (ids.length === 0)
    throw new InputError(`no part of <${uri}> can be its id; give one with --id${proposed ? ` ${proposed}` : ''}.`)
  return ids
}

/** The names of a scheme without a prefLabel: its titles, else its rdfs:label, else its titles in DC Elements 1.1. */
export function namesFromTitles(statements: Statement[]): string[] {
  for (const predicate of [`${DCT}title`, `${RDFS}label`, `${DC}title`]) {
    const names = statements.flatMap((statement) => {
      const literal = statement.predicate === predicate ? splitLiteral(statement.object) : undefined
      if (!literal || literal.suffix.startsWith('^') || unescapeNTriples(literal.lexical).trim() === '') return []
      return [literal.suffix ? statement.object : `"${normaliseText(literal.lexical)}"@und`]
    })
    if (names.length > 0) return names
  }
  return []
}
