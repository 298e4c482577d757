import type { ComponentChild } from 'preact'
import { type PageRequest, useRequest } from './page-request.ts'

/** A number as the language of the page writes it. */
export function formatNumber({ reading }: PageRequest, number: number): string {
  return number.toLocaleString(reading.page)
}

/** A date in the reader's notation; a date without a day stays as it is (JSKOS 0.7, section Date). */
export function Day({ date }: { date: string }) {
  const request = useRequest()
  return <time dateTime={date}>{formatDay(request, date)}</time>
}

/** A day (YYYY-MM-DD) as the language of the page writes it; other dates as they are. */
export function formatDay({ reading }: PageRequest, date: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(date)) return date
  return new Date(`${date}T00:00:00Z`).toLocaleDateString(reading.page, { dateStyle: 'long', timeZone: 'UTC' })
}

/** A month (YYYY-MM) as the language of the page writes it; a year as it is. */
export function formatMonth({ reading }: PageRequest, month: string): string {
  if (!/^\d{4}-\d\d$/.test(month)) return month
  const options = { year: 'numeric', month: 'long', timeZone: 'UTC' } as const
  return new Date(`${month}-01T00:00:00Z`).toLocaleDateString(reading.page, options)
}

/** Parts of a line with a text between them. */
export function joinedItems(items: readonly ComponentChild[], by = ', '): ComponentChild[] {
  return items.flatMap((part, index) => (index > 0 ? [by, part] : [part]))
}

/** Says on a page in another language that its content is in English. */
export function EnglishNotice() {
  const { texts, reading } = useRequest()
  return reading.page === 'en' ? null : <p class="notice">{texts.inEnglish}</p>
}
