import { compareCodePoints } from './order.ts'

/** True for a day of the calendar of ISO 8601 as YYYY-MM-DD. */
export function isDay(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  if (year === undefined || month === undefined || day === undefined || month < 1 || month > 12) return false
  const isLeapYear = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const days = month === 2 ? (isLeapYear ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31
  return day >= 1 && day <= days
}

/** A year, a month or a day, with a time and a zone or without. */
const DATE =
  /^(-?)(\d{4}(?:-(\d\d)(?:-\d\d)?)?)(T(?:[01]\d|2[0-4])(?::?[0-5]\d(?::?(?:[0-5]\d|60)(?:[.,]\d+)?)?)?)?(?:Z|[+-](?:0\d|1[0-4])(?::?[0-5]\d)?)?$/

/**
 * The latest valid date, reduced to a day if it has a time (JSKOS 0.7, section Date); undefined if there is none.
 *
 * @param hasDaysBC false: a day BC is reduced to its month.
 */
export function latestDate(texts: readonly string[], hasDaysBC = false): string | undefined {
  const dates = texts.flatMap((text) => {
    const [, sign, date, month, time] = DATE.exec(text.trim()) ?? []
    if (date === undefined || (month !== undefined && (Number(month) < 1 || Number(month) > 12))) return []
    if (date.length < 'YYYY-MM-DD'.length) return time === undefined ? [`${sign}${date}`] : []
    if (!isDay(date)) return []
    if (!time?.startsWith('T24')) return [`${sign}${date}`]
    // 24:00 is the beginning of the next day: some stores keep this form, others do not.
    return /[1-9]/.test(time.slice('T24'.length)) || sign !== '' ? [] : [dayAfter(date)]
  })
  // The years first, as numbers: years BC count backwards.
  const latest = dates.sort((a, b) => parseInt(a) - parseInt(b) || compareCodePoints(a, b)).at(-1)
  return hasDaysBC ? latest : latest?.replace(/^(-\d{4}-\d\d)-\d\d$/, '$1')
}

/** @param day as YYYY-MM-DD */
function dayAfter(day: string): string {
  return new Date(`${day}T24:00:00Z`).toISOString().slice(0, day.length)
}

/** The forms of dates, times and intervals that JSKOS takes from EDTF (Extended Date/Time Format, level 1). */
const EXTENDED = [
  /^Y?-?[\dX]{4,}[?~%]?(-[0-2X][\dX][?~%]?(-[0-3X][\dX][?~%]?)?)?$/,
  /^Y?-?[\dX?~%-]{4,}T[\d?~%:.]+(Z|[+-][\d?~%:]+)?$/,
  /^(|\.\.|[\dTXYZ%~?.+-]+)\/(|\.\.|[\dTXYZ%~?.+-]+)$/,
]

/**
 * The latest valid date, else the first in code point order that needs the extensions of EDTF, such as `1800/1805`,
 * `1871?`, `19XX` and `1985/..` (JSKOS 0.7, section Date); undefined if there is none.
 */
export function extendedDate(texts: readonly string[]): string | undefined {
  return (
    latestDate(texts, true) ??
    texts
      .map((text) => text.trim())
      .filter(isExtended)
      .sort(compareCodePoints)[0]
  )
}

/** A plain date is no date with extensions: it may be a day that no calendar has. */
function isExtended(text: string): boolean {
  return /[X?~%/Y]|^-?\d{4}-[2]\d$/.test(text) && text !== '/' && EXTENDED.some((form) => form.test(text))
}
