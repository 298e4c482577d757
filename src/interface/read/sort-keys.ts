import { NOTATION, SKOS } from '../../base/namespaces.ts'
import { compareRecords, type SortKey } from '../../graph/jskos/order.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import type { ReadDependencies } from './dependencies.ts'
import { CONCEPTS_AT_A_TIME, inPieces } from './pieces.ts'
import type { View } from './request.ts'

/**
 * The keys of concepts and collections that the order of a store is not right for, in the order of records.
 *
 * @throws the errors of the store.
 */
export async function sortKeys(
  { client }: Pick<ReadDependencies, 'client'>,
  uris: readonly string[],
  { order }: Pick<View, 'order'>,
  signal: AbortSignal,
): Promise<SortKey[]> {
  const read = async (batch: readonly string[]) => {
    const facts = new Map(
      batch.map((uri): [string, Facts] => [uri, { schemes: [], graphs: [], notations: [], labels: {} }]),
    )
    const query = queryTemplate('describe/sort-keys').bind({ terms: { c: batch.map(iri) } })
    for (const { c, graph, p, o } of await client.select(query, { signal })) {
      const { schemes, graphs, notations, labels } = facts.get(c!.value)!
      const { type, value } = o!
      graphs.push(graph!.value)
      if (p!.value === `${SKOS}inScheme`) schemes.push(value)
      else if (type === 'uri' || type === 'bnode' || value === '') continue
      else if (p!.value === NOTATION) notations.push(value)
      else labels[o!['xml:lang']?.toLowerCase() ?? 'und'] = value
    }
    return [...facts].map(([uri, { schemes, graphs, notations, labels }]) => {
      // Graphs also name concepts of other vocabularies. A collection is of the vocabulary whose graph describes it.
      return order.keyOf({ uri, schemes: schemes.length > 0 ? schemes : graphs, notations, labels: () => labels })
    })
  }
  const keys: SortKey[] = []
  for await (const batch of inPieces(uris, CONCEPTS_AT_A_TIME, read, signal)) keys.push(...batch)
  return keys.sort(compareRecords)
}

/** The facts that decide the place of a record, as the store has them. */
interface Facts {
  schemes: string[]
  graphs: string[]
  notations: string[]
  labels: Record<string, string>
}
