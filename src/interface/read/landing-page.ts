import { COLLECTION, CONCEPT, CONCEPT_SCHEME } from '../../base/namespaces.ts'
import { withQuery } from '../http/addresses.ts'
import type { WebLink } from '../http/headers.ts'

/** The fields of a record that its links depend on; `properties` may leave out some. */
export interface Linked {
  uri?: unknown
  type?: unknown
  notation?: unknown
}

/** The address of the page about a record, below the root; undefined if it has none. */
export function landingPage({ uri, type, notation }: Linked): string | undefined {
  const [kind] = Array.isArray(type) ? (type as unknown[]) : []
  if (typeof uri !== 'string') return undefined
  if (kind === CONCEPT || kind === COLLECTION) return withQuery('concept', { uri })
  const [id] = Array.isArray(notation) ? (notation as unknown[]) : []
  return kind === CONCEPT_SCHEME ? `voc/${encodeURIComponent(typeof id === 'string' ? id : uri)}` : undefined
}

/**
 * The links of a record to its page and its URI (FAIR Signposting Profile, level 1, metadata resources).
 *
 * @param baseUrl the public address of the service.
 */
export function recordLinks(record: Linked, baseUrl: string): WebLink[] {
  const page = landingPage(record)
  if (page === undefined) return []
  return [{ relation: 'describes', href: baseUrl + page, mediaType: 'text/html' }, ...citeAs(record.uri)]
}

/** The link to the URI of something, as its persistent identifier; none if it is not on the web. */
export function citeAs(uri: unknown): WebLink[] {
  return typeof uri === 'string' && /^https?:/.test(uri) ? [{ relation: 'cite-as', href: uri }] : []
}
