import { COLLECTIONS } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { ReadDependencies } from './dependencies.ts'

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
    arrays.set(array!.value, [...(arrays.get(array!.value) ?? []), c!.value])
  }
  return arraysByParent
}
