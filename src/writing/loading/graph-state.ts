import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'

/** The state of the graph of a vocabulary in the store. */
export interface GraphState {
  /** The number of all triples but a hold. */
  allTriples: number
  /** The number of triples without bookkeeping, which most changes by other programs change. */
  triples: number
  /** Changes with every load and ingest; empty if another program wrote the graph. */
  revision: string
  /** The UUID of the last load; empty if another program wrote the graph. */
  load: string
}

/** @throws ApiError if the store fails. */
export async function readGraphState(client: SparqlClient, uri: string): Promise<GraphState> {
  const query = queryTemplate('vocab/state').bind({ terms: { graph: [iri(uri)] } })
  const [{ triples, marks, ingested, revision, load, hold } = {}] = await client.select(query, NO_DEADLINE)
  return {
    allTriples: Number(triples!.value) - (hold ? 1 : 0),
    triples: Number(triples!.value) - Number(marks!.value) - Number(ingested!.value),
    revision: revision?.value ?? '',
    load: load?.value ?? '',
  }
}
