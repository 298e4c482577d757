import { createHash } from 'node:crypto'
import { queryTemplate } from '../sparql/queries.ts'
import type { SparqlClient } from '../sparql/client.ts'

/**
 * The state of all vocabularies as one short text. It changes with every load and every ingest, but not if another program
 * writes to the store directly.
 */
export async function readRevisions(client: SparqlClient, signal: AbortSignal | undefined): Promise<string> {
  const rows = await client.select(queryTemplate('revisions').bind({}), { template: 'revisions', signal })
  const revisions = rows.map(({ scheme, revision }) => `${scheme?.value} ${revision?.value}`).sort()
  return createHash('sha1').update(revisions.join('\n')).digest('base64url')
}
