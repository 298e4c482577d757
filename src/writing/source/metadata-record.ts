import type { Quad } from '@rdfjs/types'
import { DataFactory } from 'n3'
import { normaliseText } from '../../base/unicode.ts'
import { groupedBy } from '../../base/groups.ts'
import { COLLECTION, COLLECTIONS, CONCEPT, CONCEPT_SCHEME, DCT, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { recordQuads, SILENT, type JskosListener, type Reference } from './jskos.ts'
import { parseFile } from './parse.ts'
import { isSameVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { InputError } from '../../base/files/input-error.ts'
import { writeLiteral } from '../../graph/sparql/statements.ts'

/** The statements of the files beside the record. */
interface Elsewhere {
  /** True for a resource that they describe: nested JSKOS objects about it do not count. */
  isDescribed: (uri: string) => boolean
  /** True for a name of the resource that the record is about. */
  isName: (uri: string) => boolean
}

const NOTHING: Elsewhere = { isDescribed: () => false, isName: () => false }

/** The metadata of a scheme or a subset from a separate file. */
interface MetadataRecord {
  /** The URI of the described resource, if the file describes only one. */
  only: string | undefined
  /** The identifiers of this resource. */
  identifiers: string[]
  /** The names in the record, as `"text"@language`. */
  names: string[]
  /**
   * The statements about the given resource. If the record uses another URI, that URI becomes an identifier.
   *
   * @throws InputError if the file describes several resources, but not this one.
   */
  about(uri: string, elsewhere?: Elsewhere): Quad[]
}

/**
 * Reads a metadata record, in RDF or JSKOS.
 *
 * @param listener takes what reading leaves out.
 * @param members the URIs of concepts, which the record does not describe if it has no types.
 * @throws InputError like `parseFile`, and if the file describes nothing with a URI.
 */
export async function readRecord(
  file: string,
  listener: JskosListener = SILENT,
  members: readonly string[] = [],
): Promise<MetadataRecord> {
  const quads: Quad[] = []
  const references: Reference[] = []
  const jskos = { ...listener, onReference: (reference: Reference) => references.push(reference) }
  const { onWrongIri } = listener
  for await (const batch of parseFile(file, { untyped: 'scheme', jskos, onWrongIri })) quads.push(...batch)
  const candidates = describedResources(quads, members)
  if (candidates.length === 0) throw new InputError('the record describes no concept scheme.', file)
  const names: string[] = []
  const subjects = new Set(quads.map(({ subject }) => subject.value))
  const identifiersOf = (candidate: string) =>
    quads.flatMap(({ subject, predicate, object }) =>
      subject.value === candidate && predicate.value === `${DCT}identifier` ? object.value : [],
    )
  const about = (uri: string, { isDescribed, isName } = NOTHING): Quad[] => {
    const main =
      candidates.find((candidate) => candidate === uri) ??
      candidates.find((candidate) => isSameVocabulary(candidate, uri)) ??
      candidates.find((candidate) => isName(candidate)) ??
      candidates.find((candidate) =>
        identifiersOf(candidate).some((identifier) => isSameVocabulary(identifier, uri)),
      ) ??
      (candidates.length === 1 ? candidates[0] : undefined)
    if (main === undefined) throw new InputError(`the record describes several schemes, but not <${uri}>.`, file)
    const rest = new Set(candidates.filter((candidate) => candidate !== main))
    const nested = references
      .filter((reference) => !subjects.has(reference.uri) && !isDescribed(reference.uri))
      .flatMap(({ record }) => recordQuads(record, jskos))
    const kept = [...quads, ...nested]
      .filter(({ subject }) => !rest.has(subject.value))
      .map((quad) => rename(quad, main, uri))
    for (const { subject, predicate, object } of kept) {
      if (subject.value === uri && predicate.value === `${SKOS}prefLabel` && object.termType === 'Literal') {
        names.push(writeLiteral(normaliseText(object.value), { language: object.language.toLowerCase() || 'und' }))
      }
    }
    if (main !== uri) {
      kept.push(
        DataFactory.quad(
          DataFactory.namedNode(uri),
          DataFactory.namedNode(`${DCT}identifier`),
          DataFactory.literal(main),
        ),
      )
    }
    return kept
  }
  const [only] = candidates.length === 1 ? candidates : []
  return { only, identifiers: only === undefined ? [] : identifiersOf(only), names, about }
}

const MEMBER_TYPES = new Set([CONCEPT, ...COLLECTIONS])
const TOP_CONCEPT = `${SKOS}hasTopConcept`

/**
 * The statements of a record without its concepts and collections, because a record may be a whole vocabulary. If the
 * described resource leads to a member, as to a subject or a level, the member keeps its statements, but is no concept.
 *
 * @param uri the described resource.
 * @param isDescribed true for a resource that other files describe: it may be a top concept.
 */
export function withoutMembers(
  quads: readonly Quad[],
  uri: string,
  isDescribed: (uri: string) => boolean,
): readonly Quad[] {
  const members = new Set<string>()
  for (const { subject, predicate, object } of quads) {
    const isMember = predicate.value === RDF_TYPE && MEMBER_TYPES.has(object.value)
    if (isMember && subject.value !== uri) members.add(subject.value)
  }
  if (members.size === 0) return quads
  const bySubject = groupedBy(quads, ({ subject }) => subject.value)
  const reachedFrom = (starts: Iterable<string>, isFollowed: (quad: Quad) => boolean) => {
    const reached = new Set(starts)
    for (const resource of reached) {
      for (const quad of bySubject.get(resource) ?? []) if (isFollowed(quad)) reached.add(quad.object.value)
    }
    return reached
  }
  const kept = reachedFrom([uri], ({ subject, predicate }) => {
    return !members.has(subject.value) && predicate.value !== TOP_CONCEPT
  })
  // Blank nodes, such as notes, go with their members.
  const leftOut = reachedFrom(
    [...members].filter((member) => !kept.has(member)),
    ({ object }) => object.termType === 'BlankNode' && !kept.has(object.value),
  )
  return quads.filter((quad) => {
    const { subject, predicate, object } = quad
    if (predicate.value === TOP_CONCEPT && members.has(object.value)) return isDescribed(object.value)
    return !leftOut.has(subject.value) && !(isOfConcept(quad) && members.has(subject.value))
  })
}

/**
 * The concept schemes of a file, else its collections (subsets are collections), else the only resource that is no
 * concept and that no link points to, but those of concepts.
 */
function describedResources(quads: Quad[], members: readonly string[]): string[] {
  const schemes = quads.filter(
    ({ predicate, object }) => predicate.value === RDF_TYPE && object.value === CONCEPT_SCHEME,
  )
  if (schemes.length > 0) return [...new Set(schemes.map(({ subject }) => subject.value))]
  const collections = quads.filter(
    ({ predicate, object }) => predicate.value === RDF_TYPE && object.value === COLLECTION,
  )
  if (collections.length > 0) return [...new Set(collections.map(({ subject }) => subject.value))]
  const concepts = new Set([...members, ...quads.filter(isOfConcept).map(({ subject }) => subject.value)])
  const objects = new Set(quads.flatMap(({ subject, object }) => (concepts.has(subject.value) ? [] : object.value)))
  const subjects = new Set(quads.map(({ subject }) => subject).filter(({ termType }) => termType === 'NamedNode'))
  const roots = [...new Set([...subjects].map(({ value }) => value))].filter(
    (value) => !objects.has(value) && !concepts.has(value),
  )
  return roots.length === 1 ? roots : []
}

function isOfConcept({ predicate, object }: Quad): boolean {
  return predicate.value === RDF_TYPE && object.value === CONCEPT
}

function rename(quad: Quad, from: string, to: string): Quad {
  if (from === to || (quad.subject.value !== from && quad.object.value !== from)) return quad
  const renamed = DataFactory.namedNode(to)
  const isLiteral = quad.object.termType === 'Literal'
  return DataFactory.quad(
    quad.subject.value === from ? renamed : quad.subject,
    quad.predicate,
    quad.object.value === from && !isLiteral ? renamed : quad.object,
  )
}
