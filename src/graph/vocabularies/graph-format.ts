import { ConfigError } from '../../config.ts'
import { softwareVersion } from '../../base/root.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/templates.ts'

/** The form of the bookkeeping that this version writes into graphs, and the latest that it reads: a whole number. */
export const OWN_GRAPH_FORMAT = '1'

/**
 * Refuses a store that a later version has converted. It changes nothing. Graphs without a format are older than
 * formats.
 *
 * @throws ConfigError naming the first such graph; ApiError if the store fails.
 */
export async function refuseLaterGraphs(client: SparqlClient): Promise<void> {
  const rows = await client.select(queryTemplate('vocab/formats').bind())
  const later = rows.find(({ format }) => Number(format!.value) > Number(OWN_GRAPH_FORMAT))
  if (!later) return
  throw new ConfigError(
    `SPARQL_QUERY_URL: a later version has written <${later['scheme']!.value}> in format ${later['format']!.value}; this is version ` +
      `${softwareVersion()}, which reads formats up to ${OWN_GRAPH_FORMAT}. Nothing was changed.`,
  )
}
