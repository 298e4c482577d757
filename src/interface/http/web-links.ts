/** A link of an answer to something else (RFC 8288). */
export interface WebLink {
  relation: string
  /** An absolute address or IRI. */
  href: string
  mediaType?: string | undefined
}

/** Clients refuse answers with longer header fields, and links may contain whole queries. */
const MAX_LINK = 8000

/** The value of `Link` (RFC 8288, section 3); undefined if it would be too long. */
export function linkHeader(links: readonly WebLink[]): string | undefined {
  const value = links
    .map(({ relation, href, mediaType }) => {
      const type = mediaType === undefined ? '' : `; type="${mediaType}"`
      return `<${toUri(href)}>; rel="${relation}"${type}`
    })
    .join(', ')
  return value.length <= MAX_LINK ? value : undefined
}

/** An IRI as a URI (RFC 3987, section 3.1), without what would end a link. */
function toUri(iri: string): string {
  return iri.replace(/[^!-~]|[<>]/gu, (character) => encodeURIComponent(character))
}
