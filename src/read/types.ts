import { readIris } from '../http/parameters.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { conceptRecord } from '../jskos/record.ts'
import { CONCEPT } from '../namespaces.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { RecordList } from './list.ts'
import { once } from './pieces.ts'
import type { Read } from './read.ts'

/** Labels of a class by language, as a frame writes them. */
type Labels = Record<string, string[]>

/** The labels of skos:Concept; those of other classes come from the store. */
const CONCEPT_LABELS: Labels = { de: ['Begriff'], en: ['Concept'] }

/** GET /types: the classes of the concepts of the vocabularies in `uri` or `voc`, or of all vocabularies. */
export async function types(read: Read): Promise<RecordList> {
  const { parameters, view, dependencies } = read
  const uris = readIris(parameters, 'uri')
  const inScope = view.scope.all ? await dependencies.registry.list() : [...view.scope.schemes, ...view.scope.subsets]
  if (uris.length === 0) return classesOf(read, inScope)
  const named = (await dependencies.registry.named(uris)).map(({ uri }) => uri)
  // A subset in `voc` is a part of the vocabulary that `uri` names.
  const parts = view.scope.all ? [] : inScope.filter(({ partOf }) => partOf.some((uri) => named.includes(uri)))
  return classesOf(read, [...inScope.filter(({ uri }) => named.includes(uri)), ...parts])
}

/** GET /concept-types/{vocid}: the same for one vocabulary; for an unknown one the class of all concepts. */
export async function typesOfVocabulary(read: Read): Promise<RecordList> {
  const vocabulary = await read.dependencies.registry.find(read.vocid ?? '')
  return classesOf(read, vocabulary ? [vocabulary] : [])
}

async function classesOf(read: Read, vocabularies: readonly Vocabulary[]): Promise<RecordList> {
  const classes = await readClasses(read, vocabularies)
  const others = [...classes.keys()].filter((uri) => uri !== CONCEPT).sort(compareCodePoints)
  const records = [CONCEPT, ...others].map((uri) => {
    const labels = uri === CONCEPT ? CONCEPT_LABELS : classes.get(uri)!
    const node = { uri, type: [CONCEPT], ...(Object.keys(labels).length > 0 ? { prefLabel: labels } : {}) }
    return conceptRecord(node, false, read.view)
  })
  const { limit, offset } = read.page
  return { total: records.length, records: once(records.slice(offset, offset + limit)) }
}

async function readClasses(read: Read, vocabularies: readonly Vocabulary[]): Promise<Map<string, Labels>> {
  const classes = new Map<string, Labels>()
  if (vocabularies.length === 0) return classes
  const query = queryTemplate('types').bind({ terms: { of: vocabularies.map(({ uri }) => iri(uri)) } })
  for (const { type, label } of await read.dependencies.client.select(query, { signal: read.signal })) {
    if (type?.type !== 'uri') continue
    let labels = classes.get(type.value)
    if (!labels) classes.set(type.value, (labels = Object.create(null) as Labels))
    if (label) (labels[label['xml:lang']?.toLowerCase() ?? 'und'] ??= []).push(label.value)
  }
  return classes
}
