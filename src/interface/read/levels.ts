import { givenParameters } from '../http/parameters.ts'
import { withoutIdentity, type JskosRecord } from '../../graph/jskos/record.ts'
import { CONCEPT, COLLECTIONS } from '../../base/namespaces.ts'
import { alsoShowing } from '../../graph/jskos/properties.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { Scope } from '../../graph/vocabularies/registry.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { waysUp } from './ancestors.ts'
import { narrower, topConcepts } from './concept-lists.ts'
import { data } from './data.ts'
import type { AnswerDependencies, ReadDependencies } from './dependencies.ts'
import { recordsIn } from './list.ts'
import { listRequest } from './request.ts'
import { scopeTerms } from './terms.ts'
import { addToList } from '../../base/groups.ts'

/** A part of a hierarchy: the first concepts below one, or top concepts, in the order of records. */
export interface TreeLevel<Entry = JskosRecord> {
  /** The concept above; absent for top concepts. */
  parent?: string
  /** How many there are. */
  total: number
  concepts: readonly Entry[]
  /**
   * Collections that divide the concepts, such as "by material", each with its members among them; absent if there are
   * none.
   */
  arrays?: readonly JskosRecord[]
}

/** The levels from the top concepts down to the concepts below a concept. */
export interface TreePath {
  concept: JskosRecord
  /** One chain as in /ancestors, the nearest first. */
  ancestors: readonly JskosRecord[]
  levels: readonly TreeLevel[]
}

/** The part of a hierarchy to read. */
export interface TreeQuestion {
  vocabulary: Vocabulary
  /**
   * `properties`, `languages`, `language` and `limit` of a level, as in lists of records. Undefined counts as absent.
   */
  parameters: Readonly<Record<string, string | undefined>>
  signal: AbortSignal
}

/** A request for records of a hierarchy. */
function treeRequest(
  dependencies: AnswerDependencies,
  { vocabulary, parameters, signal }: TreeQuestion,
  more: Readonly<Record<string, string | undefined>>,
  vocid?: string,
) {
  const voc = idOf(vocabulary)
  return listRequest(dependencies, { parameters: givenParameters({ ...parameters, voc, ...more }), vocid, signal })
}

/**
 * The concepts directly below a concept within a vocabulary or subset, or its top concepts.
 *
 * @param parent undefined: the top concepts.
 * @param offset of the first one.
 * @throws ApiError MalformedRequestError for a wrong parameter; the errors of the store.
 * @example await levelBelow(dependencies, { vocabulary, parameters: { limit: '100' }, signal }, uri)
 */
export async function levelBelow(
  dependencies: AnswerDependencies,
  question: TreeQuestion,
  parent: string | undefined,
  offset = 0,
): Promise<TreeLevel> {
  const page = offset > 0 ? { offset: String(offset) } : {}
  if (parent !== undefined) {
    const request = await treeRequest(dependencies, question, { ...page, uri: parent })
    const list = await narrower(dependencies, request)
    return { parent, total: list.total, concepts: await recordsIn(list) }
  }
  const { vocabulary } = question
  const vocid = idOf(vocabulary)
  const voc = vocabulary.isSubset ? vocid : undefined
  const request = await treeRequest(dependencies, question, { ...page, voc }, vocid)
  const list = await topConcepts(dependencies, request)
  return { total: list.total, concepts: await recordsIn(list) }
}

/**
 * The levels from the top concepts down to the concepts directly below a concept, along one chain of broader concepts.
 * A concept of the chain that is further down a long level, or below no top concept, comes first in its level.
 *
 * @param most the number of levels below concepts; beyond it, the levels nearest to the top are left out.
 * @param offset of the last level.
 * @returns undefined if the vocabulary does not have the concept.
 * @throws ApiError MalformedRequestError for a wrong parameter; the errors of the store.
 */
export async function levelsTo(
  dependencies: AnswerDependencies,
  question: TreeQuestion,
  uri: string,
  { most = Infinity, offset = 0 }: { most?: number; offset?: number } = {},
): Promise<TreePath | undefined> {
  const request = await treeRequest(dependencies, question, { uri, limit: undefined })
  const { properties } = request.view
  const typed = { ...request, view: { ...request.view, properties: alsoShowing(properties, 'type') } }
  const [records, { ways }] = await Promise.all([
    data(dependencies, typed).then(recordsIn),
    waysUp(dependencies, request, uri, 1),
  ])
  // The record of a vocabulary has only the fields that the request names.
  const record = records.find(({ type }: { type?: readonly string[] }) => type?.[0] === CONCEPT)
  if (!record) return undefined
  const concept = withoutIdentity({ ...record }, properties)
  const [ancestors = []] = ways
  const path = [...ancestors.toReversed(), concept].slice(-most)
  const levels = await Promise.all([
    levelBelow(dependencies, question, undefined),
    ...path.map((parent) => levelBelow(dependencies, question, parent.uri, parent === concept ? offset : 0)),
  ])
  return { concept, ancestors, levels: withPath(levels, path) }
}

/** Levels from the top down, each with the entry of a path at its depth: first, if it is further down a long level. */
export function withPath<Entry extends { uri: string }>(
  levels: readonly TreeLevel<Entry>[],
  path: readonly Entry[],
): TreeLevel<Entry>[] {
  return levels.map((level, depth) => {
    const open = path[depth]
    if (!open || level.concepts.some(({ uri }) => uri === open.uri)) return level
    return { ...level, concepts: [open, ...level.concepts] }
  })
}

/**
 * Levels with the collections that divide their concepts.
 *
 * @throws the errors of the store.
 */
export async function withArrays(
  dependencies: AnswerDependencies,
  question: TreeQuestion,
  levels: readonly TreeLevel[],
): Promise<TreeLevel[]> {
  const parents = levels.flatMap(({ parent }) => parent ?? [])
  const children = levels.flatMap(({ parent, concepts }) =>
    parent === undefined ? [] : concepts.map(({ uri }) => uri),
  )
  const arraysByParent = await nodeLabels(dependencies, parents, children, question.signal)
  const uris = [...new Set([...arraysByParent.values()].flatMap((arrays) => [...arrays.keys()]))]
  if (uris.length === 0) return [...levels]
  const names = { uri: uris.join('|'), properties: 'prefLabel,notation', limit: undefined }
  const collections = await recordsIn(await data(dependencies, await treeRequest(dependencies, question, names)))
  return levels.map((level) => {
    const arrays = collections.flatMap((record) => {
      const members = arraysByParent.get(level.parent ?? '')?.get(record.uri)
      return members ? { ...record, memberSet: members.map((uri) => ({ uri })) } : []
    })
    return arrays.length === 0 ? level : { ...level, arrays }
  })
}

/**
 * How many concepts are directly below each of some concepts within a scope, by their URIs; those with none are
 * missing.
 *
 * @throws the errors of the store.
 */
export async function narrowerCounts(
  { client }: ReadDependencies,
  uris: readonly string[],
  scope: Scope,
  signal: AbortSignal,
): Promise<Map<string, number>> {
  if (uris.length === 0) return new Map()
  const query = queryTemplate('describe/narrower-counts').bind({
    terms: { c: uris.map(iri), scope: scopeTerms(scope) },
  })
  const rows = await client.select(query, { signal })
  return new Map(rows.flatMap(({ c, count }) => (c ? [[c.value, Number(count?.value)] as const] : [])))
}

/**
 * The collections that divide the narrower concepts of some concepts, such as "by material": arrays of ISO 25964 with a
 * superordinate concept, and collections all of whose members are below one concept.
 *
 * @param parents the URIs of the concepts.
 * @param children the URIs of concepts below them; others are left out.
 * @returns by the URI of a parent, the URIs of its collections, each with its members among the children. Throws the
 *    errors of the store.
 */
export async function nodeLabels(
  { client }: Pick<ReadDependencies, 'client'>,
  parents: readonly string[],
  children: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Map<string, string[]>>> {
  const arraysByParent = new Map<string, Map<string, string[]>>()
  if (parents.length === 0 || children.length === 0) return arraysByParent
  const terms = { c: children.map(iri), parent: parents.map(iri), class: COLLECTIONS.map(iri) }
  for (const { parent, array, c, divides } of await client.select(
    queryTemplate('collections/dividing').bind({ terms }),
    { signal },
  )) {
    if (divides?.value !== 'true') continue
    const arrays = arraysByParent.get(parent!.value) ?? new Map<string, string[]>()
    arraysByParent.set(parent!.value, arrays)
    addToList(arrays, array!.value, c!.value)
  }
  return arraysByParent
}
