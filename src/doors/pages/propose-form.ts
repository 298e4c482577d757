import { createHash } from 'node:crypto'
import type { RequestHandler, Response } from 'express'
import { ApiError } from '../../base/errors.ts'
import { findVocabulary, idOf } from '../../graph/vocabularies/vocabulary.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { queryOf, readParameters } from '../../interface/http/parameters.ts'
import { formFields, siteForm } from '../../interface/http/site-form.ts'
import { invalid } from '../../writing/ingest/request.ts'
import type { PageDependencies, PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { nameLanguages, refusedProposal } from './propose-page.tsx'
import { proposedConcept, wrongIdentifier } from './proposed-concept.ts'

/** A page that shows the error of a form. */
export type RefusalPage = (request: PageRequest, error: ApiError) => HtmlPage

/** Remembers the page that shows the error of a request. */
export type OnRefusal = (response: Response, page: RefusalPage) => void

/**
 * POST /propose?voc=: the form of the page, which takes the way of POST /ingest. Answers with the way back to the empty
 * form.
 */
export function proposeForm(dependencies: PageDependencies, onRefusal: OnRefusal): RequestHandler[] {
  const { config, registry } = dependencies
  return [
    (_request, response, next) => {
      response.setHeader('Cache-Control', 'no-store')
      next()
    },
    ...siteForm(config.baseUrl, MAXIMA.ingestBody.most, 'Concepts are proposed from the form of this service.'),
    async (request, response) => {
      const parameters = readParameters(queryOf(request), ['voc', 'lang', 'clang'])
      const vocabularies = (await registry.list()).filter(({ isSubset }) => !isSubset)
      const vocabulary = findVocabulary(vocabularies, parameters.get('voc') ?? '')
      if (!vocabulary) throw new ApiError('EntityNotFoundError', 'voc: expected a vocabulary of this service.')
      const fields = formFields(request)
      onRefusal(response, (page, error) => refusedProposal(page, { vocabularies, vocabulary, fields, error }))
      const wrong = wrongIdentifier(fields.get('identifier') ?? '')
      if (wrong !== undefined) throw invalid([{ path: '0.data.0.identifier', message: `expected URIs, got ${wrong}` }])
      const concept = proposedConcept(vocabulary.uri, nameLanguages(vocabulary), (name) => fields.get(name))
      const data = JSON.stringify([concept])
      const [username, token] = ['username', 'token'].map((name) => fields.get(name)?.trim() ?? '')
      const body = Buffer.from(JSON.stringify([{ username, token, data }]))
      const [record] = await dependencies.acceptIngest!(
        request,
        response,
        body,
        idempotencyKey(fields.get('key'), data),
      )
      const [lang, clang] = ['lang', 'clang'].map((name) => parameters.get(name))
      response.redirect(303, withQuery('propose', { voc: idOf(vocabulary), stored: record!.uri, lang, clang }))
    },
  ]
}

/** The Idempotency-Key of a form: sent twice, it makes one concept; with another text in a field it makes another. */
function idempotencyKey(form: string | null, data: string): string | undefined {
  return form
    ? createHash('sha256')
        .update(JSON.stringify([form, data]))
        .digest('hex')
    : undefined
}
