import { CONCEPT_SCHEME, DCT, ID, RDF_TYPE, SKOS } from '../namespaces.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { idsOf, isLegalSubsetNotation, sameVocabulary } from '../loading/scheme.ts'
import { writeString } from '../loading/statements.ts'

/** A vocabulary or a subset in the store. */
export interface CatalogueEntry {
  /** The URI, which names the graph, too. */
  uri: string
  /** The ids of a vocabulary, or the notations of a subset. */
  ids: string[]
  /** Language to name. */
  prefLabel: Record<string, string>
  /** The vocabulary that a subset is part of. */
  partOf?: string
}

const NAMES_A_GRAPH = `SELECT DISTINCT ?g WHERE {
  { GRAPH ?g { ?g <${RDF_TYPE}> <${CONCEPT_SCHEME}> } } UNION { GRAPH ?g { ?g <${DCT}isPartOf> ?whole } }
} ORDER BY ?g`

/** All vocabularies and subsets in the store: the resources that name a graph, in the order of their URIs. */
export async function readCatalogue(client: SparqlClient): Promise<CatalogueEntry[]> {
  const rows = await client.select(NAMES_A_GRAPH, { template: 'catalogue' })
  const entries = await Promise.all(rows.map(({ g }) => readEntry(client, g!.value)))
  return entries.filter((entry) => entry !== undefined)
}

/** One block a property: a pattern with a variable predicate would read all top concepts of a scheme. */
async function readEntry(client: SparqlClient, uri: string): Promise<CatalogueEntry | undefined> {
  const properties = [RDF_TYPE, ID, `${SKOS}notation`, `${SKOS}prefLabel`, `${DCT}isPartOf`]
  const blocks = properties.map((p) => `{ BIND(<${p}> AS ?p) GRAPH <${uri}> { <${uri}> <${p}> ?o } }`)
  const rows = await client.select(`SELECT ?p ?o WHERE { ${blocks.join(' UNION ')} }`, { template: 'catalogue' })
  const objects = (predicate: string) => rows.filter(({ p }) => p!.value === predicate).map(({ o }) => o!)
  const values = (predicate: string) =>
    objects(predicate)
      .map(({ value }) => value)
      .sort()
  const prefLabel = Object.fromEntries(
    objects(`${SKOS}prefLabel`).map((name) => [name['xml:lang']?.toLowerCase() ?? 'und', name.value]),
  )
  const notations = values(`${SKOS}notation`)
  const [partOf] = values(`${DCT}isPartOf`)
  const subsetNotations = notations.filter(isLegalSubsetNotation)
  if (partOf !== undefined && subsetNotations.length > 0) return { uri, ids: subsetNotations, prefLabel, partOf }
  if (!values(RDF_TYPE).includes(CONCEPT_SCHEME)) return undefined
  const ids = values(ID)
  return { uri, ids: ids.length > 0 ? ids : derivedIds(uri, notations), prefLabel }
}

/** A vocabulary that was written by others carries no mark which of its notations are ids. */
function derivedIds(uri: string, notations: string[]): string[] {
  try {
    return idsOf(
      uri,
      notations.map((notation) => ({ predicate: `${SKOS}notation`, object: writeString(notation) })),
    )
  } catch {
    return []
  }
}

/** The entry that an id, a subset notation or a URI names; undefined where there is none. */
export function findEntry(catalogue: CatalogueEntry[], id: string): CatalogueEntry | undefined {
  return (
    catalogue.find(({ ids, uri }) => ids.includes(id) || uri === id) ??
    catalogue.find(({ uri }) => sameVocabulary(uri, id))
  )
}
