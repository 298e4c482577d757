import type { PageRequest } from './page-request.ts'

/** Says on a page in another language that its content is in English. */
export function EnglishNotice({ request: { texts, reading } }: { request: PageRequest }) {
  return reading.page === 'en' ? null : <p class="notice">{texts.inEnglish}</p>
}
