import { FIELD, FIELDS, fieldsOf, type Field, type RecordKind } from './fields.ts'
import { memoize } from './memoize.ts'

/**
 * Chooses the fields of a record: the `properties` parameter (docs/records.md, "Properties").
 */

/** The shown fields of a record. */
export interface Properties {
  has(name: string): boolean
  /** True for a field that was asked for by name or by `*`. If it is an array, it is never left out. */
  requested(name: string): boolean
  /** True for a field that was asked for by name or by `*`. */
  names(name: string): boolean
  /** The fields that records of a kind show, in their order. */
  fields(kind: RecordKind): readonly Field[]
}

/** All fields of each kind of record. */
const SHOWABLE = { concept: fieldsOf('concept'), scheme: fieldsOf('scheme'), collection: fieldsOf('collection') }

/** The fields that every record has; a request can leave out all but `uri` by name. */
const ALWAYS = ['uri', 'type', '@context']

/** The fields of a concept unless `properties` says otherwise. */
export const CONCEPT_DEFAULT = defaultsOf('concept')

/** The fields of a vocabulary unless `properties` says otherwise. */
export const SCHEME_DEFAULT = defaultsOf('scheme')

/** The fields of a collection unless `properties` says otherwise. */
export const COLLECTION_DEFAULT = defaultsOf('collection')

/** The fields of a class of concepts unless `properties` says otherwise. */
export const CLASS_DEFAULT = [...ALWAYS, 'prefLabel']

function defaultsOf(kind: RecordKind): string[] {
  return [...ALWAYS, ...FIELDS.flatMap(({ name, default: kinds }) => (kinds?.includes(kind) ? [name] : []))]
}

/**
 * Reads the `properties` parameter, a list separated by `,` or `|`. As in jskos-server, a sign before a name holds for
 * the following names up to the next sign. A space before the first name counts as `+`, which URL decoders turn into a
 * space.
 *
 * @param value the decoded parameter; undefined or empty for the default.
 * @param defaults the default fields of the endpoint.
 */
export function readProperties(value: string | undefined, defaults: readonly string[]): Properties {
  const text = (value ?? '').replace(/^ /, '+')
  return readerFor(defaults)(text)
}

/** Most requests of an endpoint have one of a few texts. */
const readerFor = memoize(
  (defaults: readonly string[]) => memoize((text: string) => propertiesOf(text, defaults), firstTexts()),
  new WeakMap(),
)

/** Clients choose the texts, so only the first ones stay, and only those of few characters. */
const MOST_TEXTS = 100
const LONGEST_TEXT = 500

function firstTexts() {
  const parsed = new Map<string, Properties>()
  return {
    get: (text: string) => parsed.get(text),
    set: (text: string, properties: Properties) => {
      if (parsed.size < MOST_TEXTS && text.length < LONGEST_TEXT) parsed.set(text, properties)
    },
  }
}

function propertiesOf(text: string, defaults: readonly string[]): Properties {
  const names = text
    .split(/[,|]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  const signed = names[0]?.startsWith('+') || names[0]?.startsWith('-') || names.length === 0
  const shown = new Set([...ALWAYS, ...(signed ? defaults : [])])
  const requested = new Set<string>()
  const hidden = new Set<string>()
  let showsAll = false
  let mode = '+'
  if (text.trim() === '-') return properties(new Set([...ALWAYS, 'prefLabel']), requested, hidden, false)
  for (const part of names) {
    const sign = /^[+-]/.exec(part)?.[0]
    mode = sign ?? mode
    const name = sign ? part.slice(1).trim() : part
    if (name === '*') showsAll = mode === '+'
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
  return properties(shown, requested, hidden, showsAll)
}

/** The same fields and one more, which records without a value for it leave out. */
export function alsoShowing(properties: Properties, name: string): Properties {
  const has = (field: string) => field === name || properties.has(field)
  return {
    has,
    requested: (field) => properties.requested(field),
    names: (field) => properties.names(field),
    fields: fieldsThat(has),
  }
}

/** The fields of a kind of records that are to be shown, found once, because each record asks for them. */
function fieldsThat(isShown: (name: string) => boolean): Properties['fields'] {
  return memoize((kind: RecordKind) => SHOWABLE[kind].filter(({ name }) => isShown(name)), new Map())
}

function properties(shown: Set<string>, requested: Set<string>, hidden: Set<string>, showsAll: boolean): Properties {
  const has = (name: string) =>
    name === 'uri' || shown.has(name) || (showsAll && !hidden.has(name) && !FIELD.get(name)?.byNameOnly)
  const isOfAll = (name: string) => showsAll && !hidden.has(name)
  return {
    has,
    requested: (name) => requested.has(name) || (isOfAll(name) && FIELD.get(name)?.closed !== undefined),
    names: (name) => requested.has(name) || (isOfAll(name) && !FIELD.get(name)?.byNameOnly),
    fields: fieldsThat(has),
  }
}

/**
 * The fields of a concept in a tree, as a value of `properties`: labels, notations, broader concepts and a sign of
 * narrower ones. `narrower` by name would list all of these.
 */
export const TREE_NODE_PROPERTIES =
  '-inScheme,topConceptOf,identifier,altLabel,scopeNote,definition,created,modified,publisher,license,deprecated'
