/**
 * Which fields a record shows: the `properties` parameter (docs/interface.md, "Properties": absent, `a,b`, `+a,b`, `-a`, `-`, `*`).
 */

/** The shown fields of a record. */
export interface Properties {
  has(name: string): boolean
  /** True for a field that was asked for by name or by `*`: if it is an array it is never left out. */
  requested(name: string): boolean
}

/** In every record, whatever is asked for. */
const ALWAYS = ['uri', 'type', '@context']

/** The fields of a concept unless `properties` says otherwise. */
export const CONCEPT_DEFAULT = [
  ...ALWAYS,
  'inScheme',
  'topConceptOf',
  'notation',
  'identifier',
  'prefLabel',
  'altLabel',
  'scopeNote',
  'definition',
  'created',
  'modified',
  'publisher',
  'license',
  'deprecated',
  'broader',
  'narrower',
]

/** The fields of a vocabulary unless `properties` says otherwise. */
export const SCHEME_DEFAULT = [
  ...ALWAYS,
  'notation',
  'identifier',
  'prefLabel',
  'altLabel',
  'definition',
  'scopeNote',
  'languages',
  'publisher',
  'license',
  'creator',
  'created',
  'issued',
  'modified',
  'partOf',
  'namespace',
  'url',
  'version',
  'extent',
  'topConcepts',
  'concepts',
]

/** The fields of a class of concepts unless `properties` says otherwise. */
export const CLASS_DEFAULT = [...ALWAYS, 'prefLabel']

/** Sets that `*` shows even when they are empty: the sets that clients read without asking whether they are there. */
const CLOSED = [
  'inScheme',
  'topConceptOf',
  'notation',
  'identifier',
  'broader',
  'narrower',
  'related',
  'ancestors',
  'mapping',
  'mappings',
]

/** Too large to come with `*`: only by name. */
const BY_NAME_ONLY = ['descendants']

/**
 * Reads the value of the `properties` parameter. A list separated by `,` or `|`; a sign before a name holds for the
 * names after it until the next sign, as in jskos-server; a space before the first name is a `+` that a URL decoder ate.
 *
 * @param value the decoded parameter; undefined or empty: the default.
 * @param defaults the default fields of the endpoint.
 */
export function readProperties(value: string | undefined, defaults: readonly string[]): Properties {
  const text = (value ?? '').replace(/^ /, '+')
  const names = text
    .split(/[,|]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const signed = names[0]?.startsWith('+') || names[0]?.startsWith('-') || names.length === 0
  const shown = new Set(signed ? defaults : ALWAYS)
  const requested = new Set<string>()
  const hidden = new Set<string>()
  let all = false
  let mode = '+'
  if (text.trim() === '-') return properties(new Set([...ALWAYS, 'prefLabel']), requested, hidden, false)
  for (const part of names) {
    const sign = /^[+-]/.exec(part)?.[0]
    mode = sign ?? mode
    const name = sign ? part.slice(1).trim() : part
    if (name === '*') all = mode === '+'
    else if (mode === '-') {
      hidden.add(name)
      shown.delete(name)
      requested.delete(name)
    } else if (name !== '') {
      hidden.delete(name)
      shown.add(name)
      requested.add(name)
    }
  }
  return properties(shown, requested, hidden, all)
}

function properties(shown: Set<string>, requested: Set<string>, hidden: Set<string>, all: boolean): Properties {
  for (const name of ALWAYS) hidden.delete(name)
  return {
    has: (name) =>
      shown.has(name) || ALWAYS.includes(name) || (all && !hidden.has(name) && !BY_NAME_ONLY.includes(name)),
    requested: (name) => requested.has(name) || (all && !hidden.has(name) && CLOSED.includes(name)),
  }
}
