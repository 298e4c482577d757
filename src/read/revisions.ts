import { createHash } from 'node:crypto'
import { queryTemplate } from '../sparql/queries.ts'
import type { SparqlClient } from '../sparql/client.ts'

/**
 * The state of all vocabularies as one short text: it changes with every load and every ingest, and with nothing that is
 * written past the service.
 */
export async function readRevisions(client: SparqlClient, signal: AbortSignal | undefined): Promise<string> {
  const rows = await client.select(queryTemplate('revisions').bind({}), { template: 'revisions', signal })
  const revisions = rows.map(({ scheme, revision }) => `${scheme?.value} ${revision?.value}`).sort()
  return createHash('sha1').update(revisions.join('\n')).digest('base64url')
}
