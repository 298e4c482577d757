import { unlessEmpty } from '../../base/json.ts'
import { givenParameters } from '../../interface/http/parameters.ts'
import { compareCodePoints } from '../../graph/jskos/order.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { levelBelow, narrowerCounts } from '../../interface/read/levels.ts'
import { recordsIn } from '../../interface/read/list.ts'
import { listConcepts } from '../../interface/read/concept-lists.ts'
import { listRequest } from '../../interface/read/request.ts'
import { byTemplate } from '../../interface/read/select.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { scopeOf } from '../../graph/vocabularies/registry.ts'
import { isSameVocabulary, vocabulariesNamed } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { requestedConcept, urisOf, withAbove } from './concepts.ts'
import { contexts } from './contexts.ts'
import { labelOrOther } from './labels.ts'
import type { VocabularyRequest } from './request.ts'

/** A narrower concept of a tree. */
interface Child {
  record: JskosRecord
  /** The vocabulary has concepts below it. */
  hasChildren: boolean
}

/**
 * The narrower concepts of some concepts within the vocabulary of a request, in the order of records, by the URIs of
 * their parents.
 *
 * @throws the errors of the store.
 */
async function childrenOf(request: VocabularyRequest, uris: readonly string[]): Promise<Map<string, Child[]>> {
  const { dependencies, vocabulary, signal } = request
  const question = { vocabulary, parameters: { properties: 'prefLabel,notation,hasChildren' }, signal }
  const levels = await Promise.all(uris.map((uri) => levelBelow(dependencies, question, uri)))
  // Records also count narrower concepts of other vocabularies, and concepts that no vocabulary describes.
  const possibleParents = levels.flatMap(({ concepts }) =>
    concepts.flatMap((record) => (record.hasChildren ? record.uri : [])),
  )
  const counts = await narrowerCounts(dependencies, [...new Set(possibleParents)], scopeOf([vocabulary]), signal)
  return new Map(
    levels.map(({ concepts }, index) => [
      uris[index]!,
      concepts.map((record) => ({ record, hasChildren: counts.has(record.uri) })),
    ]),
  )
}

/** `children`: the narrower concepts, and whether they have narrower concepts themselves. */
export async function children(request: VocabularyRequest) {
  const { uri } = await requestedConcept(request)
  const narrower = (await childrenOf(request, [uri])).get(uri)!
  return {
    '@context': contexts.children(request.language),
    uri,
    narrower: narrower.map(({ record, hasChildren }) => ({
      uri: record.uri,
      prefLabel: labelOrOther(record.prefLabel, request, false),
      hasChildren,
      notation: record.notation?.[0],
    })),
  }
}

/** `topConcepts`: the top concepts of the vocabulary, or of the concept scheme in `scheme`. */
export async function schemeTopConcepts(request: VocabularyRequest) {
  const scheme = request.parameters.get('scheme') ?? request.vocabulary.uri
  const isVocabulary = isSameVocabulary(scheme, request.vocabulary.uri)
  const records = isVocabulary
    ? (await askEndpoint(request, '/voc/top', { uri: scheme })).records
    : await topsOf(request, scheme)
  return {
    '@context': contexts.topConcepts(request.language),
    uri: scheme,
    topconcepts: records.flatMap((record) => {
      const label = labelOrOther(record.prefLabel, request, true)
      if (label === null) return []
      const hasChildren = (record.narrower?.length ?? 0) > 0
      return { uri: record.uri, topConceptOf: scheme, label, hasChildren, notation: record.notation?.[0] }
    }),
  }
}

/** The top concepts of a concept scheme that is not a vocabulary of the service; of a subset its members. */
async function topsOf({ dependencies, vocabulary, signal }: VocabularyRequest, scheme: string): Promise<JskosRecord[]> {
  const { registry } = dependencies
  if (!isAbsoluteIri(scheme) || vocabulariesNamed(await registry.list(), [scheme]).length > 0) return []
  const parameters = givenParameters({ voc: vocabulary.isSubset ? vocabulary.uri : undefined })
  const request = await listRequest(dependencies, { parameters, signal })
  const selection = byTemplate('voc/top', request, { of: [iri(scheme)] })
  return recordsIn(await listConcepts(dependencies, selection, request))
}

/** `hierarchy`: a concept and all concepts above it, each with its narrower ones. */
export async function hierarchy(request: VocabularyRequest) {
  const above = await withAbove(request)
  const childrenByParent = await childrenOf(
    request,
    above.map(({ uri }) => uri),
  )
  const nodes = above.map(({ uri, prefLabel, notation, broader, topConceptOf }) => {
    const narrower = childrenByParent.get(uri)!.map(({ record, hasChildren }) => ({
      uri: record.uri,
      label: labelOrOther(record.prefLabel, request, true),
      hasChildren,
      notation: record.notation?.[0],
    }))
    const tops = urisOf(topConceptOf).sort(compareCodePoints)
    const parents = urisOf(broader).sort(compareCodePoints)
    const node = {
      uri,
      tops: unlessEmpty(tops),
      narrower: unlessEmpty(narrower),
      prefLabel: labelOrOther(prefLabel, request, true) ?? undefined,
      notation: notation?.[0],
      broader: unlessEmpty(parents),
      hasChildren: narrower.length > 0,
      top: tops.find((top) => top === request.vocabulary.uri) ?? tops[0],
    }
    return [uri, node] as const
  })
  return {
    '@context': contexts.hierarchy(request.language),
    uri: above[0]!.uri,
    broaderTransitive: Object.fromEntries(nodes),
  }
}
