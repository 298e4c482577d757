import { KIND } from '../../graph/index/ids.ts'
import { LABEL_KINDS, NOTATION } from '../../graph/index/statements.ts'
import type { NoteColumn } from '../../graph/index/index-file.ts'
import { allOf, sql, type Sql } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'
import { inKinds, type TypedText } from './typed-text.ts'

/** The fields to search: the parameter `use`. */
export interface SearchFields {
  label: boolean
  notation: boolean
  /** Definitions, and all other notes; of these only the beginnings of words count. */
  notes?: readonly NoteColumn[]
}

/** The concepts of a rank. */
export interface Rank {
  /** A query for their ids. */
  ids: (places: Places) => Sql
  /**
   * A query for the ids and sizes of concepts: the characters of the shortest label that matches; undefined: all are
   * equal.
   */
  sizes: ((places: Places) => Sql) | undefined
}

/** Labels of some kinds with all of some words. */
interface WithWords {
  words: readonly string[]
  kinds: readonly number[]
}

/**
 * The concepts that match a typed text: by whole labels, then by beginnings, then by words, then inside of words; each
 * by the kind of label.
 */
export class Matches {
  readonly #typed: TypedText
  readonly #kinds: readonly number[]
  readonly #labels: readonly number[]
  readonly #notes: readonly NoteColumn[]

  constructor(typed: TypedText, fields: SearchFields) {
    this.#typed = typed
    // A text without words matches no label.
    const hasLabels = fields.label && (allWords(typed)?.length ?? 0) > 0
    this.#labels = hasLabels ? LABEL_KINDS : []
    this.#notes = typed.noted ? (fields.notes ?? []) : []
    this.#kinds = [...(fields.notation ? [NOTATION] : []), ...this.#labels]
  }

  /** The queries whose results together are all matches. */
  all(places: Places): Sql[] {
    return [...this.#named(places), ...this.#notes.map((column) => this.#inNotes(places, column))]
  }

  /** Of these, those by labels and notations. */
  #named(places: Places): Sql[] {
    const { beginning, notated, isOneWord } = this.#typed
    const words = allWords(this.#typed) ?? []
    const hasNotations = this.#kinds.includes(NOTATION)
    const notations = hasNotations && beginning !== undefined ? [inKinds([NOTATION], beginning)] : []
    const listed = hasNotations && notated ? [places.accepted(idsOf(notated))] : []
    if (this.#labels.length === 0) return [...notations.map((expression) => places.concepts(expression)), ...listed]
    if (isOneWord) return [places.concepts([inKinds(this.#labels, words[0]!), ...notations].join(' OR ')), ...listed]
    return [
      places.conceptsLike(inWords(words)),
      ...notations.map((expression) => places.concepts(expression)),
      ...listed,
    ]
  }

  /** The matches whose whole label equals the text; undefined if no label can. */
  whole(places: Places): Sql | undefined {
    const { whole } = this.#typed
    return whole === undefined ? undefined : places.concepts(inKinds(this.#kinds, whole))
  }

  /** The ranks, the best first. @param hasWhole false: no whole label equals the text. */
  *ranks(hasWhole = true): Generator<Rank> {
    const { whole, beginning, notated, words, inside } = this.#typed
    const before = (kind: number, kinds = this.#kinds) => kinds.filter((betterKind) => betterKind < kind)
    const ranked = (expression: string, kind: number, better: readonly string[]) => {
      const matching = inKinds([kind], expression)
      return (places: Places) =>
        places.concepts(better.length > 0 ? `(${matching}) NOT (${better.join(' OR ')})` : matching)
    }
    const of = (kinds: readonly number[], expression: string | undefined) =>
      expression !== undefined && kinds.length > 0 ? [inKinds(kinds, expression)] : []
    if (whole !== undefined && hasWhole)
      for (const kind of this.#kinds) yield { ids: ranked(whole, kind, of(before(kind), whole)), sizes: undefined }
    if (beginning !== undefined) {
      for (const kind of this.#kinds) {
        const better = hasWhole ? of(this.#kinds, whole) : []
        const ids = ranked(beginning, kind, [...better, ...of(before(kind), beginning)])
        yield { ids, sizes: kind === NOTATION || !words ? undefined : sizesOf(kind, words) }
      }
    }
    if (notated && this.#kinds.includes(NOTATION))
      yield { ids: (places) => places.accepted(idsOf(notated)), sizes: undefined }
    if (words) {
      for (const kind of this.#labels) yield this.#byWords(kind, { words, kinds: before(kind, this.#labels) })
    }
    for (const kind of inside ? this.#labels : []) {
      const better = { words: inside!, kinds: before(kind, this.#labels) }
      yield this.#byWords(kind, better, words && { words, kinds: this.#labels })
    }
    for (const [at, column] of this.#notes.entries()) {
      const ids = (places: Places) => {
        const better = [
          ...this.#named(places),
          ...this.#notes.slice(0, at).map((other) => this.#inNotes(places, other)),
        ]
        const isNew = allOf(better.map((query) => sql`id NOT IN (${query})`))
        return isNew
          ? sql`SELECT id FROM (${this.#inNotes(places, column)}) WHERE ${isNew}`
          : this.#inNotes(places, column)
      }
      yield { ids, sizes: undefined }
    }
  }

  #inNotes(places: Places, column: NoteColumn): Sql {
    return places.concepts(inNotes(column, this.#typed.noted!), 'notes')
  }

  /**
   * The concepts that have some words in a label of a kind.
   *
   * @param better kinds that come before this one, by the same words.
   * @param more labels that come before all of these.
   */
  #byWords(kind: number, better: WithWords, more?: WithWords): Rank {
    const { beginning, notated, isOneWord } = this.#typed
    const { words } = better
    const begun = beginning === undefined ? [] : [inKinds(this.#kinds, beginning)]
    const without = [better, ...(more ? [more] : [])].filter(({ kinds }) => kinds.length > 0)
    const hasListed = notated !== undefined && this.#kinds.includes(NOTATION)
    const ids = (places: Places) => {
      const excluded = hasListed ? [places.accepted(idsOf(notated))] : []
      let matching: Sql
      if (isOneWord) {
        const betterLabels = [...begun, ...without.map((labels) => inKinds(labels.kinds, labels.words[0]!))]
        const expression = inKinds([kind], words[0]!)
        matching = places.concepts(
          betterLabels.length > 0 ? `(${expression}) NOT (${betterLabels.join(' OR ')})` : expression,
        )
      } else {
        matching = places.conceptsLike(inWords(words), [kind])
        for (const expression of begun) excluded.push(places.concepts(expression))
        for (const labels of without) excluded.push(places.conceptsLike(inWords(labels.words), labels.kinds))
      }
      const condition = allOf(excluded.map((query) => sql`id NOT IN (${query})`))
      return condition ? sql`SELECT id FROM (${matching}) WHERE ${condition}` : matching
    }
    return { ids, sizes: sizesOf(kind, words) }
  }
}

/** The words of a text in the widest sense. */
export function allWords({ words, inside }: TypedText): readonly string[] | undefined {
  return inside ?? words
}

function sizesOf(kind: number, words: readonly string[]) {
  return (places: Places) =>
    sql`SELECT l.id >> ${KIND} AS id, min(length(l.text)) AS size FROM (${places.labelsLike(inWords(words), [kind])}) m
    CROSS JOIN label l ON l.id = m.id GROUP BY 1`
}

function idsOf(ids: readonly number[]): Sql {
  return sql`SELECT value AS id FROM json_each(${ids})`
}

/** The expression for notes with all of some words. */
export function inNotes(column: NoteColumn, words: readonly string[]): string {
  return `${column} : (${words.join(' AND ')})`
}

/** The expression for labels with all of some words. */
export function inWords(words: readonly string[]): string {
  return `words : (${words.join(' AND ')})`
}
