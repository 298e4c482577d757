import type { ApiError, Gone } from '../../base/errors.ts'
import { currentAddress, link, type PageRequest } from './page-request.ts'
import type { HtmlPage } from './page.tsx'
import { Day, joinedItems } from './format.tsx'
import { ConceptLink, ItemLink, Name, VersionsLink } from './label.tsx'
import { Reason } from './proposed.tsx'
import { nameOf } from './records.ts'

/** The texts for what was not found. */
export type Missing =
  | 'notFoundText'
  | 'absent'
  | 'notInVocabulary'
  | 'unknownConcept'
  | 'unknownLabel'
  | 'unknownVocabulary'

/**
 * An error as a page, with advice for the reader.
 *
 * @param status of the page, which may differ from the status of the error.
 * @param missing the text if something is not found.
 * @param isForm a form was sent, not an address asked for.
 */
export function problemPage(
  request: PageRequest,
  error: ApiError,
  status: number,
  missing: Missing = 'notFoundText',
  isForm: boolean,
): HtmlPage {
  const { texts } = request
  const isAddress = (status === 400 && !isForm) || status === 404
  const { title, text, hint } = explain(request, { status, message: error.message }, missing, isForm)
  return {
    title,
    body: (
      <div class="problem">
        <p class="status">{status}</p>
        <h1>{title}</h1>
        {text === undefined ? null : <p class="lead">{text}</p>}
        {hint === undefined ? null : (
          <p>
            <bdi lang="en">{hint}</bdi>
          </p>
        )}
        <p>
          {isAddress ? (
            <>
              {texts.tryThis} <a href={link(request, '')}>{texts.allVocabularies}</a>
            </>
          ) : (
            <a class="action" href={currentAddress(request)}>
              {texts.tryAgain}
            </a>
          )}
        </p>
      </div>
    ),
  }
}

function explain(
  { texts }: PageRequest,
  { status, message }: Pick<ApiError, 'status' | 'message'>,
  missing: Missing,
  isForm: boolean,
): { title: string; text?: string; hint?: string } {
  if (status === 404) return { title: texts.notFound, text: texts[missing] }
  if (status === 503) return { title: texts.unavailable, text: texts.unavailableText }
  if (status >= 500) return { title: texts.failed, text: texts.failedText }
  if (status === 400 && !isForm) return { title: texts.malformed, hint: message }
  return { title: texts.refused, hint: message }
}

/** The page of a deleted concept: its name, the date, and its replacement. */
export function gonePage(request: PageRequest, gone: Gone): HtmlPage {
  const { texts, reading } = request
  return {
    title: nameOf(gone, reading.preferred),
    body: (
      <div class="problem">
        <p class="status">410</p>
        <h1>
          <Name of={gone} />
        </h1>
        <p class="lead">
          {gone.decision === undefined ? texts.goneSince : texts.refusedSince} <Day date={gone.date.slice(0, 10)} />.
        </p>
        <Reason reason={gone.reason} />
        {gone.replacedBy.length > 0 ? (
          <p>
            {texts.replacedBy}:{' '}
            {joinedItems(
              gone.replacedBy.map((replacement) =>
                replacement.prefLabel || replacement.notation ? (
                  <ConceptLink concept={replacement} />
                ) : (
                  <ItemLink item={replacement} />
                ),
              ),
            )}
          </p>
        ) : null}
        <VersionsLink uri={gone.uri} />
        <p>
          {texts.tryThis} <a href={link(request, '')}>{texts.allVocabularies}</a>
        </p>
      </div>
    ),
  }
}
