import { firstFound, vocabularyKey } from '../../graph/jskos/names.ts'
import { DC, DCT, FOAF, RDF_TYPE, RDFS, SCHEMA, SKOS } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { type SourceGraph, type SubjectStatement } from './source-graph.ts'
import { normaliseText } from '../../base/unicode.ts'
import { InputError } from '../../base/files/input-error.ts'
import { defaultIds, isSameVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { unescapeNTriples } from '../../graph/sparql/ntriples.ts'
import { splitLiteral } from '../../graph/sparql/statements.ts'
import { addToList } from '../../base/groups.ts'

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

/** The numbers of subsets in their source. */
export function nodesOf(subsets: readonly DescribedSubset[]): ReadonlySet<number> {
  return new Set(subsets.map(({ node }) => node))
}

/**
 * Lets the links that name a scheme by one of its identifiers (dct:identifier) lead to the scheme itself. The
 * statements of the files stay. A resource that the files describe as a scheme of its own, or that is a scheme with
 * another slash or protocol, is no identifier of another one.
 *
 * @param wanted the URI of a scheme that the files need not describe as one.
 */
export function resolveIdentifiers(source: SourceGraph, wanted?: string): void {
  const chosen = wanted === undefined ? undefined : source.find(wanted)
  const mentioned = [...mentionedSchemes(source), ...(chosen === undefined ? [] : [chosen])]
  const schemes = [...source.schemes()].filter((node) => !source.isBlank(node))
  const ofSchemes = new Set(schemes.map((node) => vocabularyKey(source.iri(node))))
  const described = new Set<number>()
  const owners = new Map<string, number[]>()
  for (const { node, statements } of source.describeAll([...schemes, ...mentioned, ...source.subsetNodes])) {
    if (source.isScheme(node) && statements.some(({ predicate }) => !OF_EVERY_SCHEME.has(predicate)))
      described.add(node)
    for (const { predicate, object } of statements) {
      if (predicate !== IDENTIFIER) continue
      const literal = splitLiteral(object)
      const identifier = literal ? unescapeNTriples(literal.lexical) : object.slice(1, -1)
      const key = vocabularyKey(identifier)
      if (isAbsoluteIri(identifier) && key !== vocabularyKey(source.iri(node))) {
        addToList(owners, key, node)
      }
    }
  }
  const named = new Map<string, number>()
  for (const [key, all] of owners) {
    const [owner, other] = all.length > 1 ? all.filter((node) => source.isScheme(node)) : all
    if (owner !== undefined && other === undefined) named.set(key, owner)
  }
  const aliases = new Map<number, number>()
  for (const node of new Set([...schemes, ...mentioned])) {
    const key = vocabularyKey(source.iri(node))
    const owner = named.get(key)
    const isOwn = described.has(node) || (!source.isScheme(node) && ofSchemes.has(key))
    if (owner === undefined || isOwn || (aliases.has(owner) && !source.isScheme(owner))) named.delete(key)
    else aliases.set(node, owner)
  }
  source.links.inScheme.redirect('to', aliases)
  source.links.topConceptOf.redirect('to', aliases)
  source.links.hasTopConcept.redirect('from', aliases)
  source.schemesByIdentifier = named
}

const IDENTIFIER = `${DCT}identifier`
/** Properties that files also state of schemes that they only mention. */
const OF_EVERY_SCHEME = new Set([RDF_TYPE, `${SKOS}hasTopConcept`])

/** True if an IRI names a scheme: by its URI, with another slash or protocol, or by an identifier. */
export function namesScheme(source: SourceGraph, iri: string, scheme: number): boolean {
  return isSameVocabulary(iri, source.iri(scheme)) || source.schemesByIdentifier.get(vocabularyKey(iri)) === scheme
}

/**
 * The scheme that names the graph.
 *
 * @param wanted the choice of the operator (`--scheme`).
 * @param record the URI of the separate metadata record and its identifiers, if there is one.
 * @throws InputError if the files have no scheme or several, and the operator did not choose.
 */
export function chooseScheme(
  source: SourceGraph,
  subsets: readonly DescribedSubset[],
  { wanted, record }: { wanted?: string | undefined; record?: readonly [string, ...string[]] | undefined },
): number {
  const candidates = candidateSchemes(source, subsets)
  if (wanted !== undefined) {
    const exact = source.find(wanted)
    return exact !== undefined && candidates.includes(exact)
      ? exact
      : (candidates.find((node) => isSameVocabulary(source.iri(node), wanted)) ??
          candidates.find((node) => namesScheme(source, wanted, node)) ??
          source.intern(wanted))
  }
  if (candidates.length === 1) return candidates[0]!
  if (record !== undefined && candidates.length === 0) return source.intern(record[0])
  const ofRecord = firstFound(record ?? [], (name) => candidates.find((node) => namesScheme(source, name, node)))
  if (ofRecord !== undefined) return ofRecord
  if (candidates.length === 0) throw new InputError('the file has no concept scheme; give its URI with --scheme.')
  const shown = candidates.slice(0, 5).map((node) => source.iri(node))
  if (candidates.length > shown.length) shown.push('...')
  throw new InputError(
    `the file has ${candidates.length} concept schemes; say with --scheme which one: ${shown.join(', ')}; "vocab split" writes a file for each`,
  )
}

/**
 * The described schemes of files, else the schemes that concepts name. A concept with the type of a scheme, or with top
 * concepts, counts only if there is no other scheme, because this is mostly a mistake.
 */
export function candidateSchemes(source: SourceGraph, subsets: readonly DescribedSubset[]): number[] {
  const isSubset = (node: number) => subsets.some((subset) => subset.node === node)
  const described = [...source.schemes()].filter((node) => {
    const owner = source.schemesByIdentifier.get(vocabularyKey(source.iri(node)))
    return !source.isBlank(node) && !isSubset(node) && (owner === undefined || owner === node)
  })
  const candidates = described.length > 0 ? described : mentionedSchemes(source).filter((node) => !isSubset(node))
  const pure = candidates.filter((node) => !source.isConcept(node))
  return pure.length > 0 ? pure : candidates
}

/** Schemes of concepts that the file does not describe. */
function mentionedSchemes(source: SourceGraph): number[] {
  const nodes = new Set<number>()
  const { inScheme, topConceptOf, hasTopConcept } = source.links
  inScheme.forEach((_, scheme) => nodes.add(scheme))
  topConceptOf.forEach((_, scheme) => nodes.add(scheme))
  hasTopConcept.forEach((scheme) => nodes.add(scheme))
  return [...nodes].filter((node) => !source.isBlank(node))
}

/** The texts of a property's literals, without datatype or language. */
export function textsOf(statements: SubjectStatement[], predicate: string): string[] {
  return statements.flatMap((statement) => {
    const literal = statement.predicate === predicate ? splitLiteral(statement.object) : undefined
    return literal ? [unescapeNTriples(literal.lexical)] : []
  })
}

/**
 * The ids of a vocabulary if the operator gives none: its own notations that are legal ids in lower case, else the last
 * legal part of its URI.
 *
 * @throws InputError if there is neither.
 */
export function idsOf(uri: string, statements: SubjectStatement[]): string[] {
  const ids = defaultIds(uri, textsOf(statements, `${SKOS}notation`))
  if (ids.length === 0) throw new InputError(`no part of <${uri}> can be its id; --id gives another.`)
  return ids
}

/** The properties that name what has no prefLabel, the first one with a name. */
export const TITLES: readonly string[] = [`${DCT}title`, `${RDFS}label`, `${DC}title`, `${FOAF}name`, `${SCHEMA}name`]

/** The names of a resource without a prefLabel, by the first of `TITLES` that it has. */
export function namesFromTitles(statements: SubjectStatement[]): string[] {
  for (const predicate of TITLES) {
    const names = statements.flatMap((statement) => {
      const literal = statement.predicate === predicate ? splitLiteral(statement.object) : undefined
      if (!literal || literal.suffix.startsWith('^') || unescapeNTriples(literal.lexical).trim() === '') return []
      return [literal.suffix ? statement.object : `"${normaliseText(literal.lexical)}"@und`]
    })
    if (names.length > 0) return names
  }
  return []
}
