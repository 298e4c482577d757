import { findVocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { nameOf } from './records.ts'
import { itemOf } from './vocabulary-heading.tsx'

/** GET /propose: a form for a new concept, which an island sends to POST /ingest. */
export async function proposePage(request: PageRequest): Promise<HtmlPage> {
  const { texts, reading, parameters, root, dependencies } = request
  const { propose } = texts
  const vocabularies = (await dependencies.registry.list()).filter(({ isSubset }) => !isSubset)
  const chosen = findVocabulary(vocabularies, parameters.get('voc') ?? '')
  const field = (name: string, title: string, more: object = {}) => (
    <>
      <label for={name}>{title}</label>
      <input type="text" id={name} name={name} autocomplete="off" maxLength={500} dir="auto" {...more} />
    </>
  )
  const area = (name: string, title: string) => (
    <>
      <label for={name}>{title}</label>
      <textarea id={name} name={name} rows={3} maxLength={5000} dir="auto" />
    </>
  )
  return {
    title: propose.title,
    islands: ['propose'],
    body: (
      <>
        <h1>{propose.title}</h1>
        <p class="lead">{propose.intro}</p>
        <noscript>
          <p class="notice">{propose.needsScript}</p>
        </noscript>
        <form
          class="entry"
          id="propose"
          data-ingest={`${root}ingest`}
          data-search={`${root}search`}
          data-concept={`${root}concept`}
          data-texts={JSON.stringify(propose.island)}
        >
          <label for="voc">{texts.vocabulary}</label>
          <select id="voc" name="voc" required>
            {vocabularies.map((vocabulary) => (
              <option value={vocabulary.uri} selected={vocabulary === chosen}>
                {nameOf(itemOf(vocabulary), reading.preferred)}
              </option>
            ))}
          </select>
          {field('prefLabel-de', propose.german, { required: true, 'aria-describedby': 'already', lang: 'de' })}
          <div id="already" role="status" />
          {field('prefLabel-en', propose.english, { lang: 'en' })}
          {field('altLabel-de', propose.alternatives, { lang: 'de' })}
          {area('definition-de', propose.definition)}
          {area('scopeNote-de', propose.scopeNote)}
          {field('identifier', propose.identifiers, { inputMode: 'url' })}
          <fieldset>
            <legend>{propose.account}</legend>
            {field('username', propose.username, { required: true, autocomplete: 'username' })}
            {field('token', propose.token, { required: true, type: 'password', autocomplete: 'current-password' })}
            <label class="check">
              <input type="checkbox" name="keep" /> <span>{propose.keep}</span>
            </label>
          </fieldset>
          <details>
            <summary>{propose.json}</summary>
            <pre id="json" />
          </details>
          <div id="outcome" role="alert" />
          {/* The island enables it. */}
          <button type="submit" class="action" disabled>
            {propose.send}
          </button>
        </form>
      </>
    ),
  }
}
