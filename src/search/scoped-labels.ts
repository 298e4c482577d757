import type { Scope } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import type { HitFilter, LabelIndex } from './label-index.ts'
import type { LabelIndexes } from './label-indexes.ts'
import { graphsOf, type SearchDependencies } from './matches.ts'

/** The labels of a scope by their words. */
export interface ScopedLabels {
  indexes: readonly LabelIndex[]
  /** The concepts of the scope among those of the indexes. */
  filter: HitFilter
}

/**
 * The labels of a scope in the present revision of its vocabularies.
 *
 * @param find gives those of a vocabulary or subset; by default `LabelIndexes.of`.
 * @returns undefined if `find` does not have all of them: there are more labels than fit into memory (SEARCH_INDEX_LABELS).
 * @throws the errors of `find` and of the store.
 */
export async function labelsOf(
  dependencies: SearchDependencies,
  scope: Scope,
  signal: AbortSignal,
  find: (graph: Vocabulary) => ReturnType<LabelIndexes['of']> = (graph) => dependencies.labelIndexes.of(graph, signal),
): Promise<ScopedLabels | undefined> {
  const { registry } = dependencies
  const [present, graphs] = await Promise.all([registry.fresh(signal), graphsOf(dependencies, scope, signal)])
  const concerned = present.filter(({ uri, isSubset }) => graphs?.includes(uri) ?? !isSubset)
  const subsets = present.filter(({ uri }) => scope.subsets.some((subset) => subset.uri === uri))
  const [indexed, ofSubsets] = await Promise.all([concerned, subsets].map((some) => Promise.all(some.map(find))))
  if (indexed!.includes(undefined) || ofSubsets!.includes(undefined)) return undefined
  const indexes = indexed!.flatMap((graph) => graph?.labels ?? [])
  if (scope.all) return { indexes, filter: {} }
  const schemes = new Set(scope.schemes.map(({ uri }) => uri))
  const members = ofSubsets!.flatMap((graph) => graph?.members ?? [])
  const concept: HitFilter['concept'] = (groups, uri) =>
    groups.schemes.some((one) => schemes.has(one)) || members.some((some) => some.has(uri))
  return { indexes, filter: { concept } }
}
