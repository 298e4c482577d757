/** Codes of ISO 639-2, as library catalogues write them, for languages that have a code of two letters. */
const OF_CATALOGUES = new Set(
  (
    'ara bul ces chi cze dan deu dut ell eng est fin fra fre ger gre heb hrv hun ice isl ita jpn kor lav lit ' +
    'nld nor per fas pol por ron rum rus slk slo slv spa sqi alb srp swe tur ukr zho'
  ).split(' '),
)

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/**
 * True for a well-formed tag whose language is registered, as far as Unicode's data tell: of languages with three
 * letters they lack most. The registry (RFC 5646, section 3.1) has no subtag with more letters, and none with three for
 * a language that has one with two.
 *
 * @param tag in lower case.
 */
export function isLanguage(tag: string): boolean {
  const [primary] = tag.split('-', 1) as [string]
  if (primary.length === 1) return true
  if (primary.length === 2) return names.of(primary) !== undefined
  return primary.length === 3 && !OF_CATALOGUES.has(primary)
}
