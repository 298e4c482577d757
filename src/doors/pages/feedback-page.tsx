import { ApiError } from '../../base/errors.ts'
import { requireIri } from '../../interface/http/parameters.ts'
import { Crumbs } from './crumbs.tsx'
import { MOST_CONTACT, MOST_MESSAGE, reportable, TRAP } from './feedback.ts'
import { ConceptLink } from './label.tsx'
import { link, type PageRequest } from './page-request.ts'
import { ChosenLanguages, type HtmlPage } from './page.tsx'

/** GET /feedback?uri=: a form for a mistake in a concept or vocabulary. */
export async function feedbackPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, parameters } = request
  const uri = requireIri(parameters, 'uri')
  const record = await reportable(request, uri)
  if (!record) throw new ApiError('EntityNotFoundError', 'uri: there is nothing with this URI.')
  const { feedback } = texts
  return {
    title: feedback.report,
    body: (
      <>
        <Crumbs request={request}>
          <ConceptLink request={request} concept={record} />
        </Crumbs>
        <h1>{feedback.report}</h1>
        {parameters.get('sent') === '1' ? (
          <p class="notice" role="status">
            {feedback.thanks}
          </p>
        ) : (
          <form class="entry" method="post" action={link(request, 'feedback', { uri })}>
            <p>{feedback.intro}</p>
            <input type="hidden" name="uri" value={uri} />
            <ChosenLanguages request={request} />
            <label for="message">{feedback.message}</label>
            <textarea id="message" name="message" rows={8} required maxLength={MOST_MESSAGE} dir="auto" />
            <label for="contact">{feedback.contact}</label>
            <input type="text" id="contact" name="contact" maxLength={MOST_CONTACT} autocomplete="email" />
            <div class="trap" aria-hidden="true">
              <label for="trap">{feedback.trap}</label>
              <input type="text" id="trap" name={TRAP} tabIndex={-1} autocomplete="off" />
            </div>
            <button type="submit" class="action">
              {feedback.send}
            </button>
          </form>
        )}
      </>
    ),
  }
}
