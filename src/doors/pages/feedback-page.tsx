import { ApiError } from '../../base/errors.ts'
import { requireIri, malformed } from '../../interface/http/parameters.ts'
import { ConceptLink } from './label.tsx'
import { link, type PageRequest, type PageDependencies } from './page-request.ts'
import { Crumbs, ChosenLanguages, type HtmlPage } from './page.tsx'
import type { RequestHandler } from 'express'
import type { RateLimit } from '../../settings.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { formFields, siteForm } from '../../interface/http/site-form.ts'
import { addressKey, countRequest, createLimiter } from '../../interface/http/rate-limits.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import { isAbsoluteIri } from '../../graph/sparql/grammar.ts'
import { askEndpoint, type EndpointRequest } from '../../routes.ts'

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
        <Crumbs>
          <ConceptLink concept={record} />
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
            <ChosenLanguages />
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

/** Characters of a report, and of the words about how to reach its writer. */
export const MOST_MESSAGE = 5000
export const MOST_CONTACT = 200
/** UTF-8 in percent-encoding takes up to twelve bytes a character. */
const MOST_BYTES = 12 * (MOST_MESSAGE + MOST_CONTACT) + 10_000

/** Reports of one address, and of all: the operator reads them. */
const LIMITS: readonly (RateLimit & { per: 'address' | 'all' })[] = [
  { count: 5, window: 'minute', per: 'address' },
  { count: 20, window: 'day', per: 'address' },
  { count: 500, window: 'day', per: 'all' },
]

/** The field that people do not see, and that programs fill in. */
export const TRAP = 'website'

/** The resource in which readers can report mistakes; undefined if the service does not know it. */
async function reportable(request: EndpointRequest, uri: string) {
  const { records } = await askEndpoint({ ...request, vocid: undefined }, '/data', {
    uri,
    properties: 'prefLabel,notation',
  })
  return records[0]
}

/** POST /feedback: a report of a mistake, which goes to the operator by mail. Answers with the page again. */
export function feedbackEndpoint(dependencies: PageDependencies): RequestHandler[] {
  const limiters = LIMITS.map(({ per, ...limit }) => ({
    per,
    limiter: createLimiter(limit, {
      name: `feedback-${per}-${limit.count}`,
      subject: per === 'all' ? 'reports' : 'reports from this address',
    }),
  }))
  return [
    ...siteForm(dependencies.config.baseUrl, MOST_BYTES, 'Reports are sent from the form of this service.'),
    async (request, response) => {
      const { sendFeedback, config } = dependencies
      const fields = formFields(request)
      const uri = fields.get('uri') ?? ''
      const message = (fields.get('message') ?? '').trim()
      const contact = (fields.get('contact') ?? '').trim()
      if (!isAbsoluteIri(uri)) throw malformed('uri: expected the URI of a concept or vocabulary')
      if (message === '' || message.length > 2 * MOST_MESSAGE) {
        throw malformed(`message: expected a text of up to ${MOST_MESSAGE} characters`)
      }
      if (contact.length > 2 * MOST_CONTACT) throw malformed(`contact: expected up to ${MOST_CONTACT} characters`)
      for (const { per, limiter } of limiters) {
        await countRequest(limiter, request, response, per === 'all' ? 'all' : addressKey(request))
      }
      const record = await reportable({ dependencies, vocid: undefined, signal: new AbortController().signal }, uri)
      if (!record) throw new ApiError('EntityNotFoundError', 'uri: there is nothing with this URI.')
      // Programs that fill in every field get the same answer.
      if (!fields.get(TRAP)) {
        await sendFeedback!({ uri, label: nameOf(record, config.defaultLanguages), message, contact })
      }
      const [lang, clang] = ['lang', 'clang'].map((name) => fields.get(name) || undefined)
      response.redirect(303, withQuery('feedback', { uri, sent: '1', lang, clang }))
    },
  ]
}
