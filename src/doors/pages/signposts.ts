import { citeAs } from '../../interface/read/landing-page.ts'
import type { WebLink } from '../../interface/http/headers.ts'
import type { Item } from './records.ts'

/** The links for programs on the page about a concept or a vocabulary. */
interface PageSubject {
  uri: string
  /** Its classes, those of schema.org first. */
  types: readonly string[]
  license?: readonly (Item | null)[] | undefined
  creator?: readonly (Item | null)[] | undefined
  /** Its records. */
  describedBy: readonly { href: string; mediaType: string }[]
  /** Its content as files. */
  items?: readonly { href: string; mediaType: string }[]
}

/** The links of a landing page (FAIR Signposting Profile, level 1). */
export function signposts({ uri, types, license, creator, describedBy, items = [] }: PageSubject): WebLink[] {
  const web = (list: readonly (Item | null)[] | undefined) =>
    (list ?? []).flatMap((item) => (item?.uri !== undefined && /^https?:/.test(item.uri) ? [item.uri] : []))
  return [
    ...citeAs(uri),
    ...['https://schema.org/AboutPage', ...types].map((href) => ({ relation: 'type', href })),
    ...web(creator).map((href) => ({ relation: 'author', href })),
    // A page has at most one.
    ...web(license)
      .slice(0, 1)
      .map((href) => ({ relation: 'license', href })),
    ...describedBy.map(({ href, mediaType }) => ({ relation: 'describedby', href, mediaType })),
    ...items.map(({ href, mediaType }) => ({ relation: 'item', href, mediaType })),
  ]
}
