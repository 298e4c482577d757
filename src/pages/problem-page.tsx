import type { ApiError } from '../errors.ts'
import { here, link, type Asked } from './asked.ts'
import type { Page } from './page.tsx'

/** The texts that say what was not found. */
export type Missing = 'notFoundText' | 'unknownConcept' | 'unknownVocabulary'

/**
 * An error as a page: what happened, and what can be done about it.
 *
 * @param missing what to say where something is not found.
 */
export function problemPage(asked: Asked, error: ApiError, missing: Missing = 'notFoundText'): Page {
  const { texts } = asked
  const { title, text, hint } = explain(asked, error, missing)
  return {
    title,
    body: (
      <div class="problem">
        <p class="status">{error.status}</p>
        <h1>{title}</h1>
        <p class="lead">{text}</p>
        {hint === undefined ? null : (
          <p>
            <bdi lang="en">{hint}</bdi>
          </p>
        )}
        <p>
          {error.status >= 500 ? (
            <a class="action" href={here(asked)}>
              {texts.tryAgain}
            </a>
          ) : (
            <>
              {texts.tryThis} <a href={link(asked, '')}>{texts.allVocabularies}</a>
            </>
          )}
        </p>
      </div>
    ),
  }
}

function explain(
  { texts }: Asked,
  { status, message }: ApiError,
  missing: Missing,
): { title: string; text: string; hint?: string } {
  if (status === 404) return { title: texts.notFound, text: texts[missing] }
  if (status >= 502 && status <= 504) return { title: texts.unavailable, text: texts.unavailableText }
  if (status >= 500) return { title: texts.failed, text: texts.failedText }
  return { title: texts.malformed, text: texts.tryThis, hint: message }
}
