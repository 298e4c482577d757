import type { Representation } from '../../interface/http/send.ts'
import { escapeXml } from '../../interface/http/xml.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { UNDER_DEVELOPMENT } from '../../base/namespaces.ts'
import type { Change } from './log/change.ts'

/** A feed of changes, or a page of it. */
export interface Feed {
  /** The same for all pages. */
  id: string
  title: string
  author: string
  /** ISO 8601 */
  updated: string
  /** Addresses by relation: `self`, `alternate` (a page for people), and `first`, `last`, `prev`, `next` (RFC 5005). */
  links: ReadonlyMap<string, string>
  /** An entry for the last change of each record. */
  entryOf: (uri: string) => AtomEntry
  /** Tags of languages, the best first, for the names of records. */
  preferred: readonly string[]
}

interface AtomEntry {
  /** Differs for each change. */
  id: string
  change: Pick<Change, 'kind' | 'time'>
  /** The address of a page about the record. */
  page: string
  /** True for a concept that nobody has accepted yet. */
  isProposed: boolean
}

/** The format of feeds. */
export const ATOM = { mediaType: 'application/atom+xml', extension: 'atom', formats: ['atom'] }
const PAGE_TYPE = 'text/html'

/**
 * Records as an Atom feed (RFC 4287).
 *
 * @param feedOf called when the records have been read.
 */
export function atomFeed(feedOf: () => Feed): Representation {
  return {
    ...ATOM,
    open() {
      const feed = feedOf()
      let begin = beginning(feed)
      return {
        write(records: readonly JskosRecord[]) {
          const text = begin + records.map((record) => entry(record, feed)).join('')
          begin = ''
          return text
        },
        end: () => `${begin}</feed>\n`,
      }
    },
  }
}

function beginning({ id, title, updated, author, links }: Feed): string {
  const typeOf = (relation: string) => (relation === 'alternate' ? PAGE_TYPE : ATOM.mediaType)
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom">',
    element('id', id),
    element('title', title),
    element('updated', updated),
    `<author>${element('name', author)}</author>`,
    ...[...links].map(([relation, href]) => linkElement(relation, href, typeOf(relation))),
    '',
  ].join('\n')
}

function entry(record: JskosRecord, { entryOf, preferred }: Feed): string {
  const { id, change, page, isProposed } = entryOf(record.uri)
  return [
    '<entry>',
    element('id', id),
    element('title', `${change.kind}: ${nameOf(record, preferred)}${isProposed ? ' (proposed)' : ''}`),
    element('updated', change.time),
    `<category term="${change.kind}"/>`,
    ...(isProposed ? [`<category term="${UNDER_DEVELOPMENT}" label="Proposed, not yet accepted"/>`] : []),
    linkElement('alternate', page, PAGE_TYPE),
    '</entry>\n',
  ].join('\n')
}

function element(name: string, text: string): string {
  return `<${name}>${escapeXml(text)}</${name}>`
}

function linkElement(relation: string, href: string, mediaType: string): string {
  return `<link rel="${relation}" type="${mediaType}" href="${escapeXml(href)}"/>`
}
