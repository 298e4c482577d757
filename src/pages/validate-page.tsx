import { ApiError } from '../errors.ts'
import type { TEXT_FORMATS } from '../validate/report.ts'
import { type ValidationReport, type ValidationResult } from '../validate/report.ts'
import type { Submission } from '../validate/submission.ts'
import { Choice } from './choice.tsx'
import { link, type PageRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import type { Page } from './page.tsx'

/** The submitted text, and its report or the error. */
export interface SubmissionReport {
  submission: Submission
  outcome: ValidationReport | ApiError
}

/** GET /validate: the form for a text to check. POST /validate: the form and the report. */
export function validatePage(asked: PageRequest, validated?: SubmissionReport): Page {
  const { texts } = asked
  return {
    title: texts.validate,
    canonical: { path: 'validate' },
    body: (
      <>
        <h1>{texts.validate}</h1>
        {validated ? <Outcome asked={asked} outcome={validated.outcome} /> : <p class="lead">{texts.validateIntro}</p>}
        <Form asked={asked} submission={validated?.submission} />
      </>
    ),
  }
}

function Form({ asked, submission }: { asked: PageRequest; submission: Submission | undefined }) {
  const { texts } = asked
  return (
    <form class="validate" method="post" action={link(asked, 'validate')}>
      <label for="data">{texts.validateData}</label>
      <textarea id="data" name="data" rows={14} required spellcheck={false} autocomplete="off" dir="auto">
        {/* HTML parsers drop a line break at the beginning. */}
        {submission === undefined ? '' : `\n${submission.data.toString()}`}
      </textarea>
      <div class="filters">
        <Choice
          name="format"
          title={texts.validateFormat}
          all={texts.validateAnyFormat}
          value={submission?.format}
          options={FORMAT_NAMES}
        />
        <label>
          <input type="checkbox" name="unknownFields" value="true" checked={submission?.unknownFields ?? false} />
          <span>{texts.validateUnknownFields}</span>
        </label>
        <button type="submit" class="action">
          {texts.validateNow}
        </button>
      </div>
    </form>
  )
}

const FORMAT_NAMES = [
  ['jskos', 'JSKOS'],
  ['ndjson', 'JSKOS (NDJSON)'],
  ['turtle', 'Turtle'],
  ['ntriples', 'N-Triples'],
  ['nquads', 'N-Quads'],
  ['trig', 'TriG'],
  ['rdfxml', 'RDF/XML'],
  ['jsonld', 'JSON-LD'],
] as const satisfies readonly (readonly [keyof typeof TEXT_FORMATS, string])[]

function Outcome({ asked, outcome }: { asked: PageRequest; outcome: SubmissionReport['outcome'] }) {
  const { texts } = asked
  if (outcome instanceof ApiError) {
    return (
      <section class="report" role="status">
        <h2>{texts.validateUnread}</h2>
        <p lang="en" dir="auto">
          {outcome.message}
        </p>
      </section>
    )
  }
  const { valid, format, checked, results, more } = outcome
  const isJskos = format === 'jskos' || format === 'ndjson'
  const count = formatNumber(asked, checked)
  return (
    <section class="report" role="status">
      <h2>{!valid ? texts.validateInvalid : results.length > 0 ? texts.validateWarned : texts.validateValid}</h2>
      <p class="small">
        {isJskos ? texts.recordsChecked(count, checked === 1) : texts.conceptsChecked(count, checked === 1)}
      </p>
      {results.length > 0 ? (
        <ol>
          {results.map((result) => (
            <Result asked={asked} result={result} />
          ))}
        </ol>
      ) : null}
      {more > 0 ? <p>{texts.andMore(formatNumber(asked, more))}</p> : null}
    </section>
  )
}

function Result({ asked, result }: { asked: PageRequest; result: ValidationResult }) {
  const { texts } = asked
  const { severity, message, path, line, shape, uri } = result
  return (
    <li>
      <strong>{severity === 'violation' ? texts.violation : texts.warning}</strong>{' '}
      <span lang="en" dir="auto">
        {message}
      </span>
      <ul class="inline small">
        {path === undefined ? null : (
          <li>
            <code dir="ltr">{path}</code>
          </li>
        )}
        {line === undefined ? null : <li>{texts.lineOfText(formatNumber(asked, line))}</li>}
        {shape === undefined ? null : (
          <li>
            <code dir="ltr">{shape}</code>
          </li>
        )}
        {uri === undefined ? null : (
          <li>
            <bdi class="uri">{uri}</bdi>
          </li>
        )}
      </ul>
    </li>
  )
}
