/** A JSKOS object as another one names it. */
export type Item = {
  uri?: string
  /** Vocabularies have it. */
  type?: string[]
  prefLabel?: Record<string, string>
  notation?: string[]
  /** A web page about it, and its rank among others; records have these by name and by `*` alone. */
  url?: string
  rank?: string
}

/** A concept or vocabulary as another one names it. */
export type Link = Item & { uri: string }

/** True for an object with a URI. */
export function isLink(item: Item): item is Link {
  return item.uri !== undefined
}

/** Texts in one language. */
interface Chosen<Value> {
  language: string
  value: Value
}

/**
 * The language tag that comes first in a preference, else English or any other; `de` finds `de-at` and the other way
 * round.
 *
 * @example chooseLanguage(['en', 'fr-be'], ['fr']) // 'fr-be'
 */
export function chooseLanguage(tags: readonly string[], preferred: readonly string[]): string | undefined {
  // Tags are ASCII, so this is their order by code points.
  const sorted = tags.toSorted()
  const base = (tag: string) => tag.split('-', 1)[0]!
  const find = (language: string) =>
    sorted.find((tag) => tag === language) ?? sorted.find((tag) => base(tag) === base(language))
  return firstFound([...preferred, 'en', 'und'], find) ?? sorted[0]
}

/** True if a tag is in a language, with or without further subtags: `de-AT` is in `de` (RFC 4647, section 3.3.1). */
export function isInLanguage(tag: string, language: string | undefined): boolean {
  const lower = tag.toLowerCase()
  const lowerLanguage = language?.toLowerCase()
  return lowerLanguage !== undefined && (lower === lowerLanguage || lower.startsWith(`${lowerLanguage}-`))
}

/** The entry of a language map that `chooseLanguage` chooses. */
export function inLanguage<Value>(
  map: Record<string, Value> | undefined,
  preferred: readonly string[],
): Chosen<Value> | undefined {
  const language = chooseLanguage(Object.keys(map ?? {}), preferred)
  return language === undefined ? undefined : { language, value: map![language]! }
}

/** The first defined result of `find` for the candidates in order; later candidates are not tried. */
export function firstFound<Candidate, Result>(
  candidates: readonly Candidate[],
  find: (candidate: Candidate) => Result | undefined,
): Result | undefined {
  for (const candidate of candidates) {
    const result = find(candidate)
    if (result !== undefined) return result
  }
  return undefined
}

/** A name for something without a label: its notation, else the end of its URI. */
export function nameWithoutLabel({ uri, notation }: Item): string | undefined {
  if (notation?.[0]) return notation[0]
  const end = uri?.split(/[/#]/).findLast((segment) => segment !== '')
  return end === undefined ? uri : decoded(end)
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** True for a notation that is a UUID, which means nothing to people. */
export function isUuid(notation: string): boolean {
  return UUID.test(notation)
}

/** The notation to show before a label: none that the label begins with, that is longer than the label, or a UUID. */
export function shownNotation({ notation }: Item, label: string): string | undefined {
  const first = notation?.[0]
  const isShown =
    first !== undefined && first.length <= label.length && !UUID.test(first) && !`${label} `.startsWith(`${first} `)
  return isShown ? first : undefined
}

/** A row of a list, as people see it. */
export interface Row {
  item: Item
  label: string
  description: string
}

/** Adds to the descriptions of rows that look the same the notation, and, if that is the same, the URI. */
export function tellApart(rows: readonly Row[]): void {
  for (const distinctionOf of [({ notation }: Item) => notation?.[0], ({ uri }: Item) => uri]) {
    for (const row of alike(rows)) {
      row.description = [row.description, distinctionOf(row.item)].filter((part) => part).join(', ')
    }
  }
}

/** The rows that look like another one. */
export function alike<Of extends Omit<Row, 'item'>>(rows: readonly Of[]): Of[] {
  const ofLooks = new Map<string, Of[]>()
  for (const row of rows) {
    const looks = JSON.stringify([row.label, row.description])
    ofLooks.set(looks, [...(ofLooks.get(looks) ?? []), row])
  }
  return [...ofLooks.values()].filter(({ length }) => length > 1).flat()
}

/** Percent-encoding as a reader would like to see it, if it can be decoded. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** A name as plain text, for titles and citations. */
export function nameOf(item: Item, preferred: readonly string[]): string {
  return inLanguage(item.prefLabel, preferred)?.value ?? nameWithoutLabel(item) ?? ''
}

/** Names languages in one of them, else in English: "German" for `de`, and the tag itself if there is no name. */
export function languageNamer(language: string): (tag: string) => string {
  let names: Intl.DisplayNames | undefined
  return (tag) => {
    // Intl calls all languages for private use "root".
    if (tag.startsWith('x-')) return tag
    try {
      names ??= new Intl.DisplayNames([language, 'en'], { type: 'language', fallback: 'code' })
      return names.of(tag) ?? tag
    } catch {
      // The tags are well formed, but Intl refuses one of them.
      return tag
    }
  }
}

/** The URI of an item; without one, a text that is the same for equal items. */
export function itemUri(item: Item): string {
  return item.uri ?? JSON.stringify(item)
}

/** The characters of an id (docs/specification.md, "The specification"). */
const ID = /^-*[a-z0-9][a-z0-9-]*$/
/** Endpoints below `/voc/`: a vocabulary with such an id could not be reached. */
const VOC_ENDPOINTS: ReadonlySet<string> = new Set(['top', 'concepts', 'search', 'suggest'])

/** True for what can be the id of a vocabulary: digits, lower case letters and the minus sign. */
export function isVocabularyId(notation: string): boolean {
  return ID.test(notation) && !VOC_ENDPOINTS.has(notation)
}

/**
 * A key that ignores http or https and a trailing slash of a URI (docs/specification.md,
 * "Vocabularies and subsets").
 */
export function vocabularyKey(uri: string): string {
  return uri.replace(/^https:/i, 'http:').replace(/\/$/, '')
}

/** True for what can be the notation of a subset: `subset_` and an id. */
export function isSubsetNotation(notation: string): boolean {
  return notation.startsWith('subset_') && ID.test(notation.slice('subset_'.length))
}
