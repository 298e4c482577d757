import type { PageRequest } from './page-request.ts'
import { operatorText, type OperatorTexts } from './site-folder.ts'

/** The operator's own words for a page; nothing if there are none. */
export function OperatorText({ request, texts }: { request: PageRequest; texts: OperatorTexts }) {
  const content = operatorText(texts, request.reading.page)
  if (!content) return null
  // The reader of Markdown shows HTML as text and drops unsafe links.
  return <div class="own document" lang={content.lang} dangerouslySetInnerHTML={{ __html: content.html }} />
}
