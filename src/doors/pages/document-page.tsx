import { ApiError } from '../../base/errors.ts'
import { withExamplesHere } from './docs-document.ts'
import { pictureSize, readDocuments } from './documents.ts'
import { EnglishNotice } from './format.tsx'
import { link, type PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'

/**
 * GET /docs/{document}: a document of `docs/`.
 *
 * @throws ApiError EntityNotFoundError for an unknown one.
 */
export async function documentPage(request: PageRequest): Promise<HtmlPage> {
  const { texts } = request
  const document = (await readDocuments()).get(request.document ?? '')
  if (!document) throw new ApiError('EntityNotFoundError', 'There is no document with this name.')
  const { name, title, file } = document
  const html = document.toHtml(
    (other) => link(request, `docs/${other}`),
    (path) => {
      const picture = request.dependencies.assets.get(path)
      return picture && { address: request.root + picture.path, ...pictureSize(picture.body) }
    },
  )
  // The other documents are about an installation of the reader.
  const shown = file.startsWith('docs/') ? await withExamplesHere(request, html) : html
  return {
    title,
    canonical: { path: `docs/${name}` },
    current: 'docs',
    body: (
      <>
        <nav class="small" aria-label={texts.docs.documents}>
          <a href={`${link(request, 'docs')}#documents`}>{texts.docs.documents}</a>
        </nav>
        <EnglishNotice />
        {/* Only our own files come here, and the reader of Markdown shows HTML in them as text. */}
        <article class="document" lang="en" dangerouslySetInnerHTML={{ __html: shown }} />
      </>
    ),
  }
}
