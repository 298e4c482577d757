import { readIris } from '../http/parameters.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { conceptRecord } from '../jskos/record.ts'
import { CONCEPT } from '../namespaces.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { ClassLabels } from './classes.ts'
import type { ReadDependencies } from './dependencies.ts'
import type { RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest } from './request.ts'

/** The labels of skos:Concept; those of other classes come from the store. */
const CONCEPT_LABELS: ClassLabels = { de: ['Begriff'], en: ['Concept'] }

/** GET /types: the classes of the concepts of the vocabularies in `uri` or `voc`, or of all vocabularies. */
export async function types(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const { parameters, view } = request
  const uris = readIris(parameters, 'uri')
  const inScope = view.scope.all ? await dependencies.registry.list() : [...view.scope.schemes, ...view.scope.subsets]
  if (uris.length === 0) return classesOf(dependencies, request, inScope)
  const named = (await dependencies.registry.named(uris)).map(({ uri }) => uri)
  // A subset in `voc` is a part of the vocabulary that `uri` names.
  const parts = view.scope.all ? [] : inScope.filter(({ partOf }) => partOf.some((uri) => named.includes(uri)))
  return classesOf(dependencies, request, [...inScope.filter(({ uri }) => named.includes(uri)), ...parts])
}

/** GET /concept-types/{vocid}: the same for one vocabulary; for an unknown one the class of all concepts. */
export async function typesOfVocabulary(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const vocabulary = await dependencies.registry.find(request.vocid ?? '')
  return classesOf(dependencies, request, vocabulary ? [vocabulary] : [])
}

async function classesOf(
  dependencies: ReadDependencies,
  { view, page, signal }: ListRequest,
  vocabularies: readonly Vocabulary[],
): Promise<RecordList> {
  const classes = await dependencies.classes.of(vocabularies, signal)
  const records = [CONCEPT, ...[...classes.keys()].sort(compareCodePoints)].map((uri) => {
    const labels = uri === CONCEPT ? CONCEPT_LABELS : classes.get(uri)!
    const node = { uri, type: [CONCEPT], ...(Object.keys(labels).length > 0 ? { prefLabel: labels } : {}) }
    return conceptRecord(node, false, view)
  })
  const { limit, offset } = page
  return { total: records.length, records: inOnePiece(records.slice(offset, offset + limit)) }
}
