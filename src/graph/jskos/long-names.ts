import { shorten } from '../../base/unicode.ts'

// Apart from names.ts, which is in the script of the picker.

/** The most characters (code points) of a label by which one record names another resource. */
export const LONGEST_NAME = 1000

const shortened = new WeakSet<object>()

/**
 * The labels by which a record names a resource that has a record of its own: each of at most `LONGEST_NAME`
 * characters; longer ones end in `…`.
 */
export function asName(prefLabel: Record<string, string>): Record<string, string> {
  const entries = Object.entries(prefLabel)
  if (entries.every(([, label]) => label.length <= LONGEST_NAME)) return prefLabel
  const name = Object.fromEntries(entries.map(([tag, label]) => [tag, shorten(label, LONGEST_NAME)]))
  if (entries.some(([tag, label]) => name[tag] !== label)) shortened.add(name)
  return name
}

/** True for labels of which `asName` has shortened some: they are no statements about the resource. */
export function isShortened(prefLabel: unknown): boolean {
  return typeof prefLabel === 'object' && prefLabel !== null && shortened.has(prefLabel)
}
