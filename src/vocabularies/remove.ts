import { iri } from '../sparql/terms.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { findEntry, readCatalogue, type CatalogueEntry } from './catalogue.ts'
import { sameVocabulary } from '../loading/scheme.ts'
import { InputError } from '../loading/source.ts'

/**
 * The vocabulary or subset with an id or URI.
 *
 * @throws InputError where there is none.
 */
export function requireEntry(catalogue: CatalogueEntry[], id: string): CatalogueEntry {
  const entry = findEntry(catalogue, id)
  if (entry === undefined) throw new InputError(`there is no vocabulary ${id}; "vocab list" shows all.`)
  return entry
}

/**
 * Removes a vocabulary with its subsets, or one subset, in one transaction.
 *
 * @returns what was removed
 * @throws InputError where there is none of that id.
 */
export async function removeVocabulary(client: SparqlClient, id: string): Promise<CatalogueEntry[]> {
  const catalogue = await readCatalogue(client)
  const entry = requireEntry(catalogue, id)
  const subsets = catalogue.filter(({ partOf }) => partOf !== undefined && sameVocabulary(partOf, entry.uri))
  const removed = [entry, ...subsets]
  await client.update(removed.map(({ uri }) => `DROP SILENT GRAPH ${iri(uri)}`).join(' ; '), { timeoutMs: 3_600_000 })
  return removed
}
