import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { digestOfFile } from '../../base/durable/files.ts'
import type { History } from '../history/history.ts'
import { softwareVersion } from '../../base/root.ts'
import { NO_DEADLINE, type SparqlClient } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { readProposals } from '../../graph/vocabularies/proposals.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { ChangeCounter } from './compare.ts'
import { readGraphState } from './graph-state.ts'
import type { LoadOptions } from './prepare.ts'
import type { LoadReport } from './report.ts'

/**
 * A digest of everything that the result of a load depends on, except the contents of the store.
 *
 * @throws the errors of the disk.
 */
export async function digestOfInputs(
  files: readonly string[],
  { scheme, ids, order, language, record, check, strict, dropProposals }: LoadOptions,
): Promise<string> {
  const digests: string[] = []
  for (const file of [...files, ...(record === undefined ? [] : [record])]) {
    // The extension determines the format.
    digests.push(basename(file), (await digestOfFile(file)).sha256)
  }
  const options = { scheme, ids, order, language, hasRecord: record !== undefined, check, strict, dropProposals }
  const inputs = JSON.stringify([softwareVersion(), options, digests])
  return createHash('sha256').update(inputs).digest('hex')
}

/**
 * The report of a load that has nothing to do: the vocabulary was loaded with the same inputs, and its graph and the
 * history are as that load left them.
 *
 * @param stored the vocabularies in the store.
 * @param inputs as `digestOfInputs` gives it.
 * @returns undefined if there is something to do.
 * @throws ApiError if the store fails.
 */
export async function unchangedReport(
  client: SparqlClient,
  stored: readonly Vocabulary[],
  inputs: string,
  history: Pick<History, 'hasLoad'> | undefined,
): Promise<Omit<LoadReport, 'milliseconds'> | undefined> {
  const loaded = stored.find(({ lastLoad: { id, inputs: noted } }) => id !== undefined && noted === `${id} ${inputs}`)
  if (!loaded) return undefined
  const { uri, ids, revision, lastLoad } = loaded
  const load = lastLoad.id!
  if (revision !== load || (history && !(await history.hasLoad(uri, load)))) return undefined
  const { allTriples, ...state } = await readGraphState(client, uri)
  if (state.load !== load || state.revision !== load || allTriples !== lastLoad.triples) return undefined
  const counts = queryTemplate('vocab/counts').bind({ terms: { vocabulary: [iri(uri)], subset: [] } })
  const [row] = await client.select(counts, NO_DEADLINE)
  return {
    uri,
    ids,
    replaced: true,
    isUnchanged: true,
    concepts: Number(row?.['count']?.value ?? 0),
    triples: allTriples,
    read: 0,
    ...new ChangeCounter().changed,
    proposals: { kept: (await readProposals(client, uri)).length, takenOver: 0, dropped: 0 },
    subsets: [],
    changes: {},
    dangling: { broader: 0, narrower: 0, related: 0 },
    warnings: [],
  }
}
