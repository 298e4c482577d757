import { ApiError } from '../../base/errors.ts'
import type { TEXT_FORMATS, ValidationReport, ValidationResult } from '../validate/report.ts'
import type { Submission } from '../validate/submission.ts'
import { Choice } from './choice.tsx'
import { link, type PageRequest, useRequest } from './page-request.ts'
import { formatNumber } from './format.tsx'
import type { HtmlPage } from './page.tsx'

/** The submitted text, and its report or the error. */
interface SubmissionReport {
  submission: Submission
  outcome: ValidationReport | ApiError
}

/** GET /validate: the form for a text to check. POST /validate: the form and the report. */
export function validatePage(request: PageRequest, validated?: SubmissionReport): HtmlPage {
  const { texts } = request
  return {
    title: texts.validate,
    canonical: { path: 'validate' },
    body: (
      <>
        <h1>{texts.validate}</h1>
        {validated ? <Outcome validated={validated} /> : <p class="lead">{texts.validateIntro}</p>}
        <Form submission={validated?.submission} />
      </>
    ),
  }
}

function Form({ submission }: { submission: Submission | undefined }) {
  const request = useRequest()
  const { texts } = request
  return (
    <form class="validate" method="post" enctype="multipart/form-data" action={link(request, 'validate')}>
      <label for="file">{texts.validateFile}</label>
      <input id="file" name="file" type="file" />
      <label for="data">{texts.validateData}</label>
      <textarea id="data" name="data" rows={14} spellcheck={false} autocomplete="off" dir="auto">
        {/* HTML parsers drop a line break at the beginning. */}
        {submission === undefined || submission.isFile ? '' : `\n${submission.data.toString()}`}
      </textarea>
      <div class="filters">
        <Choice
          name="format"
          title={texts.validateFormat}
          allOption={texts.validateAnyFormat}
          // The next file may be of another format.
          value={submission?.isFile ? undefined : submission?.format}
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
  ['csv', 'CSV'],
  ['tsv', 'TSV'],
  ['xlsx', 'Excel (XLSX)'],
  ['ods', 'OpenDocument (ODS)'],
] as const satisfies readonly (readonly [keyof typeof TEXT_FORMATS, string])[]

function Outcome({ validated }: { validated: SubmissionReport }) {
  const request = useRequest()
  const { texts } = request
  const { outcome, submission } = validated
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
  const count = formatNumber(request, checked)
  return (
    <section class="report" role="status">
      <h2>{!valid ? texts.validateInvalid : results.length > 0 ? texts.validateWarned : texts.validateValid}</h2>
      <p class="small">
        {isJskos ? texts.recordsChecked(count, checked === 1) : texts.conceptsChecked(count, checked === 1)}
      </p>
      {results.length > 0 ? (
        <ol>
          {results.map((result) => (
            <Result result={result} language={submission.language} />
          ))}
        </ol>
      ) : null}
      {more > 0 ? <p>{texts.andMore(formatNumber(request, more))}</p> : null}
    </section>
  )
}

function Result({ result, language }: { result: ValidationResult; language: Submission['language'] }) {
  const request = useRequest()
  const { texts } = request
  const { severity, message, path, line, shape, uri } = result
  return (
    <li>
      <strong>{severity === 'violation' ? texts.violation : texts.warning}</strong>{' '}
      <span lang={language === request.reading.page ? undefined : language} dir="auto">
        {message}
      </span>
      <ul class="inline small">
        {path === undefined ? null : (
          <li>
            <code dir="ltr">{path}</code>
          </li>
        )}
        {line === undefined ? null : <li>{texts.lineOfText(formatNumber(request, line))}</li>}
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
