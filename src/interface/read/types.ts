import { readIris } from '../http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import { conceptRecord } from '../../graph/jskos/record.ts'
import { CONCEPT, RDFS, SKOS } from '../../base/namespaces.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { wholeOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'

/** Labels of a class by language tag, `und` if they have none. */
type ClassLabels = Record<string, string[]>

/** The labels of skos:Concept; those of other classes come from the store. */
const CONCEPT_LABELS: ClassLabels = { de: ['Begriff'], en: ['Concept'] }
/** The properties that name a class. */
const LABELS = [`${SKOS}prefLabel`, `${RDFS}label`]

/** GET /types: the classes of the concepts of the vocabularies in `uri` or `voc`, or of all vocabularies. */
export async function types(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, view } = request
  const uris = readIris(parameters, 'uri')
  const inScope = view.scope.all ? await dependencies.registry.list() : [...view.scope.schemes, ...view.scope.subsets]
  if (uris.length === 0) return listClasses(dependencies, request, inScope)
  const named = (await dependencies.registry.named(uris)).map(({ uri }) => uri)
  // A subset in `voc` is a part of the vocabulary that `uri` names.
  const subsets = view.scope.all ? [] : inScope.filter(({ partOf }) => partOf.some((uri) => named.includes(uri)))
  return listClasses(dependencies, request, [...inScope.filter(({ uri }) => named.includes(uri)), ...subsets])
}

/** GET /concept-types/{vocid}: the same for one vocabulary; for an unknown one the class of all concepts. */
export async function typesOfVocabulary(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const vocabulary = await dependencies.registry.find(request.vocid ?? '')
  return listClasses(dependencies, request, vocabulary ? [vocabulary] : [])
}

async function listClasses(
  dependencies: ReadDependencies,
  { view, page, signal }: ListRequest,
  vocabularies: readonly Vocabulary[],
): Promise<RecordList> {
  const uris = await classesOf(dependencies, vocabularies, signal)
  const { limit, offset } = page
  const shown = [CONCEPT, ...uris.sort(compareCodePoints)].slice(offset, offset + limit)
  const labels = await readClassLabels(dependencies, shown, signal)
  const records = shown.map((uri) => {
    const prefLabel = uri === CONCEPT ? CONCEPT_LABELS : labels.get(uri)
    return conceptRecord({ uri, type: [CONCEPT], ...(prefLabel && { prefLabel }) }, false, view)
  })
  return { total: uris.length + 1, records: inOnePiece(records) }
}

/**
 * The URIs of the classes of the concepts of some vocabularies and subsets besides skos:Concept, from the index if it
 * has their revisions.
 *
 * @throws the errors of the store and of the index.
 */
async function classesOf(
  { client, lists, registry }: ReadDependencies,
  vocabularies: readonly Vocabulary[],
  signal: AbortSignal,
): Promise<string[]> {
  const registered = await registry.list()
  const classes = new Set<string>()
  const missing: Vocabulary[] = []
  for (const vocabulary of vocabularies) {
    const indexed = await lists.classes(vocabulary, wholeOf(vocabulary, registered), signal)
    if (!indexed) missing.push(vocabulary)
    for (const uri of indexed ?? []) if (isAbsoluteIri(uri)) classes.add(uri)
  }
  if (missing.length > 0) {
    const query = queryTemplate('types').bind({ terms: { of: missing.map(({ uri }) => iri(uri)) } })
    for (const { type } of await client.select(query, { signal })) if (type) classes.add(type.value)
  }
  classes.delete(CONCEPT)
  return [...classes]
}

/** The labels of classes in the store by their URIs; those without any are missing. @throws the errors of the store. */
async function readClassLabels(
  { client }: ReadDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, ClassLabels>> {
  const labels = new Map<string, ClassLabels>()
  const named = uris.filter((uri) => uri !== CONCEPT)
  if (named.length === 0) return labels
  const query = queryTemplate('describe/names').bind({ terms: { link: named.map(iri) } })
  for (const [uri, node] of await client.construct(query, { signal })) {
    // Inherits nothing, because Turtle allows "constructor" as a language tag.
    const texts = Object.create(null) as ClassLabels
    for (const { termType, value, language } of LABELS.flatMap((property) => node.get(property) ?? [])) {
      if (termType !== 'Literal') continue
      const all = (texts[language.toLowerCase() || 'und'] ??= [])
      if (!all.includes(value)) all.push(value)
    }
    if (Object.keys(texts).length > 0) labels.set(uri, texts)
  }
  return labels
}
