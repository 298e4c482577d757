import type { RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { malformed } from '../../interface/http/parameters.ts'
import { formFields, siteForm } from '../../interface/http/site-form.ts'
import { DECISIONS } from '../../writing/history/log/change.ts'
import { beginSession, endSession, isFormOf, readSession } from './editor-session.ts'
import type { PageDependencies } from './page-request.ts'

/** A reason of 2,000 characters in percent-encoding, and the rest of the form. */
const MOST_BYTES = 40_000

/**
 * POST /voc/{vocid}/proposals: the forms of the page. `action` is `login` (with `username` and `token`), `logout`, or a
 * decision about the proposal `uri` (with `reason`). Answers with the way back to the page.
 */
export function proposalsForm(dependencies: PageDependencies): RequestHandler[] {
  const { config, registry } = dependencies
  return [
    (_request, response, next) => {
      response.setHeader('Cache-Control', 'no-store')
      next()
    },
    ...siteForm(config.baseUrl, MOST_BYTES, 'Decisions are sent from the form of this service.'),
    async (request, response) => {
      const editing = dependencies.editing!
      const { uri: voc, isSubset } = await registry.require(String(request.params['vocid']))
      if (isSubset) throw new ApiError('EntityNotFoundError', 'Proposals are about whole vocabularies.')
      const fields = formFields(request)
      const action = fields.get('action')
      const [lang, clang] = ['lang', 'clang'].map((name) => fields.get(name) || undefined)
      const back = (query: Readonly<Record<string, string | undefined>> = {}) => {
        response.redirect(303, withQuery('proposals', { ...query, lang, clang }))
      }
      if (action === 'login') {
        const given = { username: fields.get('username') ?? '', token: fields.get('token') ?? '', voc }
        const account = await editing.login(request, response, given)
        response.setHeader('Set-Cookie', beginSession(config, request, account))
        return back()
      }
      const decision = DECISIONS.find((name) => name === action)
      if (!decision && action !== 'logout') {
        throw malformed(`action: expected one of login, logout, ${DECISIONS.join(', ')}`)
      }
      const session = await readSession(editing, request.get('Cookie'), voc)
      if (!session) throw new ApiError('UnauthorizedError', 'Your login has expired; please log in again.')
      if (!isFormOf(session, fields.get('form'))) {
        throw new ApiError('ForbiddenAccessError', 'form: expected the form of your login; please open the page again.')
      }
      if (!decision) {
        response.setHeader('Set-Cookie', endSession(config, request))
        return back()
      }
      const { username } = session.account
      const reason = fields.get('reason') ?? undefined
      await editing.decide(voc, fields.get('uri') ?? '', { decision, reason, account: username })
      return back({ done: decision })
    },
  ]
}
