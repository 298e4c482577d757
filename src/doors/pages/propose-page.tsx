import { randomUUID, createHash } from 'node:crypto'
import { ApiError } from '../../base/errors.ts'
import { isStrictLanguageTag } from '../../graph/sparql/grammar.ts'
import { looksMinted } from '../../graph/vocabularies/proposals.ts'
import { findVocabulary, idOf, languagesOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { languageName } from './language.ts'
import { conceptHref, UriText } from './label.tsx'
import { link, type PageRequest, type PageDependencies, useRequest } from './page-request.ts'
import { ChosenLanguages, type HtmlPage } from './page.tsx'
import { nameField, PROPOSAL_FIELDS, wrongIdentifier, proposedConcept } from './proposed-concept.ts'
import { nameOf } from './records.ts'
import { vocabularyItem } from './vocabulary-heading.tsx'
import type { RequestHandler, Response } from 'express'
import { withQuery } from '../../interface/http/addresses.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { queryOf, readParameters } from '../../interface/http/parameters.ts'
import { formFields, siteForm } from '../../interface/http/site-form.ts'
import { invalid } from '../../writing/ingest/request.ts'

/** A form that was sent, and why the service did not take it. */
interface Refused {
  fields: URLSearchParams
  error: ApiError
}

/**
 * The languages in which the form asks for names: those of the vocabulary, with German first; German and English if
 * nothing is known of them.
 */
function nameLanguages(vocabulary: Vocabulary): string[] {
  const tags = languagesOf(vocabulary).filter((tag) => tag !== 'und' && isStrictLanguageTag(tag))
  const languages = [...new Set(tags.map((tag) => tag.toLowerCase()))]
  if (languages.length === 0) return ['de', 'en']
  return languages.includes('de') ? ['de', ...languages.filter((tag) => tag !== 'de')] : languages
}

/** GET /propose: a form for a new concept, which it posts to its own address. */
export async function proposePage(request: PageRequest): Promise<HtmlPage> {
  const { parameters, dependencies } = request
  const vocabularies = (await dependencies.registry.list()).filter(({ isSubset }) => !isSubset)
  const vocabulary = findVocabulary(vocabularies, parameters.get('voc') ?? '') ?? vocabularies[0]
  return pageOf(request, vocabularies, vocabulary)
}

/** @param refused the form again, with what was sent, and what is wrong beside its fields. */
function pageOf(
  request: PageRequest,
  vocabularies: readonly Vocabulary[],
  vocabulary: Vocabulary | undefined,
  refused?: Refused,
): HtmlPage {
  const { texts, parameters, root, reading } = request
  const { propose } = texts
  const stored = parameters.get('stored')
  return {
    title: propose.title,
    islands: ['propose'],
    body: (
      <>
        <h1>{propose.title}</h1>
        <p class="lead">{propose.intro}</p>
        {stored !== undefined && looksMinted(stored) ? (
          <p class="notice" role="status">
            {propose.stored}{' '}
            <a href={conceptHref(request, stored)}>
              <UriText uri={stored} />
            </a>
          </p>
        ) : null}
        {vocabularies.length > 1 ? (
          <form class="entry" action={`${root}propose`}>
            <label for="voc">{texts.vocabulary}</label>
            <select id="voc" name="voc">
              {vocabularies.map((listed) => (
                <option value={listed.uri} selected={listed === vocabulary}>
                  {nameOf(vocabularyItem(listed), reading.preferred)}
                </option>
              ))}
            </select>
            <ChosenLanguages />
            <button type="submit" class="action">
              {propose.choose}
            </button>
          </form>
        ) : null}
        {vocabulary ? <ConceptForm vocabulary={vocabulary} refused={refused} /> : null}
      </>
    ),
  }
}

function ConceptForm({ vocabulary, refused }: { vocabulary: Vocabulary; refused: Refused | undefined }) {
  const request = useRequest()
  const { texts, reading, root } = request
  const { propose } = texts
  const languages = nameLanguages(vocabulary)
  const first = languages[0]!
  const nameIn = (language: string) => languageName(language, reading.page)
  const problems = problemsOf(request, languages, refused)
  const attributes = (name: string, describedBy?: string) => ({
    id: name,
    name,
    dir: 'auto' as const,
    'aria-invalid': problems.has(name) ? ('true' as const) : undefined,
    'aria-describedby':
      [problems.has(name) ? `problem-${name}` : '', describedBy].filter(Boolean).join(' ') || undefined,
  })
  const field = (
    name: string,
    title: string,
    { describedBy, ...more }: { describedBy?: string; [name: string]: unknown } = {},
  ) => (
    <>
      <label for={name}>{title}</label>
      <input
        type="text"
        autocomplete="off"
        maxLength={500}
        value={more['type'] === 'password' ? undefined : (refused?.fields.get(name) ?? undefined)}
        {...attributes(name, describedBy)}
        {...more}
      />
      <Problem name={name} text={problems.get(name)} />
    </>
  )
  const area = (name: string, title: string) => (
    <>
      <label for={name}>{title}</label>
      <textarea rows={3} maxLength={5000} lang={first} {...attributes(name)}>
        {/* HTML parsers drop a line break at the beginning. */}
        {refused ? `\n${refused.fields.get(name) ?? ''}` : ''}
      </textarea>
      <Problem name={name} text={problems.get(name)} />
    </>
  )
  const island = { ...propose.island, isMissing: propose.isMissing(nameIn(first)) }
  return (
    <form
      class="entry"
      id="propose"
      method="post"
      action={link(request, 'propose', { voc: idOf(vocabulary) })}
      data-voc={vocabulary.uri}
      data-languages={languages.join(' ')}
      data-search={`${root}search`}
      data-concept={`${root}concept`}
      data-texts={JSON.stringify(island)}
    >
      <Problem text={problems.get('')} />
      <input type="hidden" name="key" value={refused?.fields.get('key') || randomUUID()} />
      {languages.map((language, at) => (
        <>
          {field(nameField(language), propose.name(nameIn(language)), {
            lang: language,
            ...(at === 0 && { required: true, describedBy: 'already' }),
          })}
          {at === 0 ? <div id="already" role="status" /> : null}
        </>
      ))}
      {languages.includes('de') ? null : <p class="small">{propose.asGerman(nameIn(first))}</p>}
      {field('altLabel', propose.alternatives(nameIn(first)), { lang: first })}
      {area('definition', propose.definition(nameIn(first)))}
      {area('scopeNote', propose.scopeNote(nameIn(first)))}
      {field('identifier', propose.identifiers, { inputMode: 'url' })}
      <fieldset>
        <legend>{propose.account}</legend>
        {field('username', propose.username, { required: true, autocomplete: 'username' })}
        {field('token', propose.token, { required: true, type: 'password', autocomplete: 'current-password' })}
        {/* Without its island, the browser cannot keep them. */}
        <label class="check" id="keep" hidden>
          <input type="checkbox" name="keep" /> <span>{propose.keep}</span>
        </label>
      </fieldset>
      <details id="shown" hidden>
        <summary>{propose.json}</summary>
        <pre id="json" />
      </details>
      <button type="submit" class="action">
        {propose.send}
      </button>
    </form>
  )
}

function Problem({ name, text }: { name?: string; text: { text: string; isEnglish?: boolean } | undefined }) {
  if (!text) return null
  return (
    <p
      class="notice"
      id={name === undefined ? undefined : `problem-${name}`}
      role="alert"
      lang={text.isEnglish ? 'en' : undefined}
      dir="auto"
    >
      {text.text}
    </p>
  )
}

/** The mistakes by the names of fields; mistakes of the whole form by the empty name. */
function problemsOf(
  { texts: { propose }, reading }: PageRequest,
  languages: readonly string[],
  refused: Refused | undefined,
): Map<string, { text: string; isEnglish?: boolean }> {
  const problems = new Map<string, { text: string; isEnglish?: boolean }>()
  if (!refused) return problems
  const { error, fields } = refused
  const first = languages[0]!
  if (error.status >= 500) return problems.set('', { text: propose.failed })
  if (error.status === 401) return problems.set('token', { text: propose.wrongLogin })
  if (error.status === 403) return problems.set('username', { text: propose.wrongVocabulary })
  for (const { path, message } of error.violations ?? [{ path: '', message: error.message }]) {
    const name = fieldOf(path, languages)
    const isFirstName = name === nameField(first)
    const wrong = name === 'identifier' ? wrongIdentifier(fields.get(name) ?? '') : undefined
    if (problems.has(name)) continue
    if (isFirstName && !fields.get(name)?.trim()) {
      problems.set(name, { text: propose.isMissing(languageName(first, reading.page)) })
    } else if (wrong !== undefined) problems.set(name, { text: `${propose.island.isNoUri} ${wrong}` })
    else problems.set(name, { text: name === '' && path !== '' ? `${path}: ${message}` : message, isEnglish: true })
  }
  return problems
}

/** The field of the path of a violation; empty if it is that of no field. */
function fieldOf(path: string, languages: readonly string[]): string {
  const [, name = '', language = ''] = /^0\.(?:data\.0\.)?(\w+)(?:\.([\w-]+))?/.exec(path) ?? []
  if (name === 'prefLabel') return nameField(languages.includes(language) ? language : languages[0]!)
  return [...PROPOSAL_FIELDS, 'username', 'token'].includes(name) ? name : ''
}

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
      onRefusal(response, (page, error) => pageOf(page, vocabularies, vocabulary, { fields, error }))
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
