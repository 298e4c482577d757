/** The host of a URL; empty for a text that is none. */
export function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname : ''
}

/** A path with a query, encoded only as far as RFC 3986 (section 3.4) requires; undefined values are left out. */
export function withQuery(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined
      ? []
      : `${name}=${encodeURIComponent(value).replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',')}`,
  )
  return pairs.length === 0 ? path : `${path}?${pairs.join('&')}`
}
