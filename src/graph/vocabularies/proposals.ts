import { randomUUID } from 'node:crypto'
import type { Concept } from '../jskos/record.ts'
import { UNDER_DEVELOPMENT } from '../../base/namespaces.ts'
import { NO_DEADLINE, type SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/templates.ts'
import { iri } from '../sparql/terms.ts'
import { isSameVocabulary } from './vocabulary.ts'

/** The end of a minted URI, a UUID of version 4 (RFC 9562, section 5.4), and the text before it. */
const MINTED = /^(.*[/#])[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/s

/** The URI of a new concept: the vocabulary's URI and a UUID (docs/ingest.md, "Ingest"). */
export function mintUri(scheme: string): string {
  return `${/[/#]$/.test(scheme) ? scheme : `${scheme}/`}${randomUUID()}`
}

/** True for a URI that an ingest into some vocabulary may have minted. */
export function looksMinted(uri: string): boolean {
  return MINTED.test(uri)
}

/**
 * True for a proposal: a concept that came by ingest and that nobody has accepted yet (docs/ingest.md, "Proposals").
 * It has the mark, and a URI that an ingest into its vocabulary mints, because vocabularies may have drafts of their
 * own.
 *
 * @param status its `adms:status`.
 * @param schemes the URIs of its vocabularies.
 */
export function isProposal(uri: string, status: readonly string[], schemes: readonly string[]): boolean {
  const namespace = status.includes(UNDER_DEVELOPMENT) ? MINTED.exec(uri)?.[1] : undefined
  return namespace !== undefined && schemes.some((scheme) => isSameVocabulary(namespace, scheme))
}

/** True for the record of a proposal, if it has the fields `status` and `inScheme`. */
export function isProposedRecord({ uri, status = [], inScheme = [] }: Concept): boolean {
  const schemes = inScheme.map((scheme) => scheme.uri)
  return isProposal(uri, status, schemes)
}

/** A concept in the store that came by ingest and that no file has had since. */
export interface Proposal {
  uri: string
  /** True if a person has accepted it. It has no mark any more, and stays through loads all the same. */
  isAccepted: boolean
  /** Names by language tag. */
  prefLabel: Record<string, string>
  /** The day of the ingest, YYYY-MM-DD. */
  created: string | undefined
}

/**
 * The proposals in the graph of a vocabulary, open and accepted ones, the oldest first.
 *
 * @throws ApiError if the store fails.
 */
export async function readProposals(client: SparqlClient, graph: string): Promise<Proposal[]> {
  const query = queryTemplate('proposals/list').bind({ terms: { graph: [iri(graph)] } })
  const rows = await client.select(query, NO_DEADLINE)
  const proposals = new Map<string, Proposal>()
  for (const { concept, acceptedIn, label, date } of rows) {
    const { value: uri } = concept!
    const isAccepted = acceptedIn !== undefined
    if (!isAccepted && !isProposal(uri, [UNDER_DEVELOPMENT], [graph])) continue
    let proposal = proposals.get(uri)
    if (!proposal) proposals.set(uri, (proposal = { uri, isAccepted, prefLabel: {}, created: undefined }))
    // Somebody may have marked it again.
    proposal.isAccepted &&= isAccepted
    proposal.created ??= date?.value
    if (label) proposal.prefLabel[label['xml:lang']?.toLowerCase() ?? 'und'] ??= label.value
  }
  const key = ({ created = '', uri }: Proposal) => `${created} ${uri}`
  return [...proposals.values()].sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
