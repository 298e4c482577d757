import { ApiError } from '../../base/errors.ts'
import type { ResultTerm, Solution } from '../../graph/sparql/client.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import { CopyButton, OutLink, Text, UriText } from './label.tsx'
import { ChosenLanguages, type HtmlPage } from './page.tsx'

/** Instructive templates of the service; they run unchanged on the demo. */
const EXAMPLES = [
  'data',
  'broader',
  'narrower',
  'ancestors',
  'descendants',
  'describe/concept',
  'voc',
  'voc/top',
  'voc/concepts',
  'types',
  'search/all',
  'statistics/languages',
  'statistics/mappings',
] as const

/** The first query in the editor, which finds something in any vocabulary. */
const FIRST = `PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
SELECT ?vocabulary ?name (COUNT(?concept) AS ?concepts) WHERE {
  ?vocabulary a skos:ConceptScheme ; skos:prefLabel ?name .
  ?concept skos:inScheme ?vocabulary .
}
GROUP BY ?vocabulary ?name
ORDER BY DESC(?concepts)
LIMIT 20
`

/** The page shows at most this many rows; the downloads have all. */
const MAX_ROWS = 1000
/** The page does not show larger answers. */
const MAX_BYTES = 4 << 20
const ACCEPT = 'application/sparql-results+json, text/turtle;q=0.9'

/** GET /sparql for browsers: an editor, and the answer to `query` below it if `view` asks for it. */
export async function sparqlPage(request: PageRequest): Promise<HtmlPage> {
  const { texts, parameters, dependencies, root } = request
  const example = parameters.get('example')
  const query = parameters.get('query')
  const chosen = EXAMPLES.find((name) => name === example)
  const text = query ?? (chosen ? queryTemplate(chosen).text : FIRST)
  const { askSparql, sparqlUrl = '' } = dependencies
  const answer = askSparql && query !== undefined ? await ask(request, query) : undefined
  const vocabularies = answer && 'rows' in answer ? await dependencies.registry.list().catch(() => []) : []
  const vocabularyUris = vocabularies.map(({ uri }) => uri)
  return {
    title: texts.sparql,
    status: answer && 'status' in answer ? answer.status : 200,
    description: texts.sparqlTexts.about,
    canonical: query === undefined && example === undefined ? { path: 'sparql' } : undefined,
    current: 'sparql',
    islands: ['copy', 'sparql'],
    body: (
      <>
        <h1>{texts.sparql}</h1>
        <p class="lead">{texts.sparqlTexts.about}</p>
        <p>
          {texts.sparqlTexts.endpoint}: <UriText uri={sparqlUrl} />{' '}
          <CopyButton text={sparqlUrl} label={texts.sparqlTexts.copyEndpoint} />
        </p>
        <form class="sparql" action={askSparql ? `${root}sparql` : sparqlUrl}>
          <label for="sparql-query">{texts.sparqlTexts.query}</label>
          <textarea id="sparql-query" name="query" rows={14} spellcheck={false} data-editor>
            {text}
          </textarea>
          {askSparql ? <input type="hidden" name="view" value="table" /> : null}
          {askSparql ? <ChosenLanguages /> : null}
          <p>
            <button type="submit" class="action">
              {texts.sparqlTexts.run}
            </button>
          </p>
        </form>
        <section id="result" aria-live="polite">
          {answer && query !== undefined ? (
            <Answer query={query} answer={answer} vocabularyUris={vocabularyUris} />
          ) : null}
        </section>
        <section>
          <h2>{texts.sparqlTexts.examples}</h2>
          <ul class="bullets">
            {EXAMPLES.map((name) => (
              <li>
                <a href={link(request, 'sparql', { example: name })}>
                  <code>{name}</code>
                </a>{' '}
                <span lang="en">{queryTemplate(name).summary}</span>
              </li>
            ))}
          </ul>
        </section>
      </>
    ),
  }
}

type QueryAnswer =
  | { variables: string[]; rows: Solution[] }
  | { boolean: boolean }
  | { turtle: string }
  | { bytes: number; isGraph: boolean }
  | { status: number; message: string }

async function ask({ dependencies, signal }: PageRequest, query: string): Promise<QueryAnswer> {
  try {
    const { contentType, body } = await dependencies.askSparql!(query, ACCEPT, signal)
    const isGraph = contentType.startsWith('text/turtle')
    if (body.byteLength > MAX_BYTES) return { bytes: body.byteLength, isGraph }
    const text = new TextDecoder().decode(body)
    if (isGraph) return { turtle: text }
    const { head, results, boolean } = JSON.parse(text) as {
      head: { vars?: string[] }
      results?: { bindings: Solution[] }
      boolean?: boolean
    }
    return boolean === undefined ? { variables: head.vars ?? [], rows: results?.bindings ?? [] } : { boolean }
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message }
    throw error
  }
}

function Answer({
  query,
  answer,
  vocabularyUris,
}: {
  query: string
  answer: QueryAnswer
  /** URIs of the vocabularies in the store. */
  vocabularyUris: readonly string[]
}) {
  const request = useRequest()
  const { texts } = request
  const { sparqlTexts } = texts
  if ('status' in answer) {
    return (
      <>
        <h2>{sparqlTexts.refused}</h2>
        <p class="notice">
          <bdi lang="en">{answer.message}</bdi>
        </p>
      </>
    )
  }
  const isGraph = 'turtle' in answer || ('isGraph' in answer && answer.isGraph)
  return (
    <>
      <h2 id="result-title">{sparqlTexts.result}</h2>
      {'boolean' in answer ? <p class="figure">{answer.boolean ? sparqlTexts.yes : sparqlTexts.no}</p> : null}
      {'bytes' in answer ? <p class="notice">{sparqlTexts.tooLarge}</p> : null}
      {'turtle' in answer ? (
        <section class="wide" tabIndex={0} aria-labelledby="result-title">
          <pre>
            <code>{answer.turtle}</code>
          </pre>
        </section>
      ) : null}
      {'rows' in answer ? <ResultRows answer={answer} vocabularyUris={vocabularyUris} /> : null}
      <nav class="chips" aria-label={texts.download}>
        {Object.entries(isGraph ? GRAPH_FORMATS : RESULT_FORMATS).map(([format, name]) => (
          <a href={request.root + withQuery('sparql', { query, format })}>{name}</a>
        ))}
      </nav>
    </>
  )
}

/** Values of `format` at the endpoint. */
const RESULT_FORMATS = { csv: 'CSV', tsv: 'TSV', json: 'JSON', xml: 'XML' }
const GRAPH_FORMATS = { turtle: 'Turtle', ntriples: 'N-Triples', jsonld: 'JSON-LD', rdfxml: 'RDF/XML' }

function ResultRows({
  answer: { variables, rows },
  vocabularyUris,
}: {
  answer: Extract<QueryAnswer, { rows: unknown }>
  vocabularyUris: readonly string[]
}) {
  const request = useRequest()
  const { sparqlTexts, shownOf } = request.texts
  const total = formatNumber(request, rows.length)
  return (
    <>
      <p class="small">
        {rows.length > MAX_ROWS
          ? shownOf(formatNumber(request, MAX_ROWS), total)
          : sparqlTexts.rows(total, rows.length === 1)}
      </p>
      {rows.length === 0 ? null : (
        <section class="wide" tabIndex={0} aria-labelledby="result-title">
          <table class="results">
            <thead>
              <tr>
                {variables.map((name) => (
                  <th scope="col">{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.slice(0, MAX_ROWS).map((row) => (
                <tr>
                  {variables.map((name) => (
                    <td>
                      <ResultValue term={row[name]} vocabularyUris={vocabularyUris} />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </>
  )
}

function ResultValue({ term, vocabularyUris }: { term: ResultTerm | undefined; vocabularyUris: readonly string[] }) {
  const request = useRequest()
  if (!term) return null
  if (term.type === 'bnode') return <UriText uri={`_:${term.value}`} />
  if (term.type !== 'uri') return <Text language={term['xml:lang'] ?? 'und'}>{term.value}</Text>
  const shown = <UriText uri={term.value} />
  // A URI below the URI of a vocabulary in the store may have a page here.
  return vocabularyUris.some((uri) => term.value.startsWith(uri)) ? (
    <a href={link(request, 'entity', { uri: term.value })}>{shown}</a>
  ) : (
    <OutLink href={term.value}>{shown}</OutLink>
  )
}
