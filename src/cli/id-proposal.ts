import type { IdFromUri } from '../loading/id-from-uri.ts'

/**
 * The line about an id that comes from a URI; none for other ids.
 *
 * @param words the words of a load that sets an id; undefined if no option does.
 */
export function describeId(found: IdFromUri | undefined, words?: readonly string[]): string[] {
  if (!found) return []
  const line = `id: ${found.id} is the end of the URI`
  if (found.proposed === undefined) return [line]
  if (!words) return [`${line}; the name would give ${found.proposed}`]
  return [`${line}; for one from the name: ${['load', ...words, '--id', found.proposed].map(quoted).join(' ')}`]
}

/** A word as a shell reads it. */
function quoted(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`
}
