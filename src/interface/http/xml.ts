const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\r': '&#13;',
}

// oxlint-disable-next-line no-control-regex
const NO_CHARACTER = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g

/** A text as content or attribute of XML 1.0, without the characters that XML does not allow (section 2.2). */
export function escapeXml(text: string): string {
  return text.replace(NO_CHARACTER, '').replace(/[&<>"'\r]/g, (character) => ESCAPES[character]!)
}

/** The number of characters that `escapeXml` leaves out of a text. */
export function charactersNotInXml(text: string): number {
  return text.match(NO_CHARACTER)?.length ?? 0
}
