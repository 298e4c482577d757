import type { PageRequest } from './page-request.ts'
import { ownText, type OwnTexts } from './site-folder.ts'

/** The operator's own words for a page; nothing if there are none. */
export function OwnText({ asked, texts }: { asked: PageRequest; texts: OwnTexts }) {
  const own = ownText(texts, asked.reading.page)
  if (!own) return null
  // The reader of Markdown shows HTML as text and drops unsafe links.
  return <div class="own document" lang={own.lang} dangerouslySetInnerHTML={{ __html: own.html }} />
}
