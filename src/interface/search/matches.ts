import { LABEL_KINDS, NOTATION } from '../../graph/index/statements.ts'
import { allOf, sql, type Sql } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'
import { inKinds, type TypedText } from './typed-text.ts'

/** The fields to search: the parameter `use`. */
export interface SearchFields {
  label: boolean
  notation: boolean
}

/** Gives a query for the ids of the concepts of a rank. */
export type RankSql = (places: Places) => Sql

/**
 * The concepts that match a typed text: by whole labels, then by beginnings, then by words; each by the kind of label.
 */
export class Matches {
  readonly #typed: TypedText
  readonly #kinds: readonly number[]
  readonly #labels: readonly number[]

  constructor(typed: TypedText, fields: SearchFields) {
    this.#typed = typed
    // A text without words matches no label.
    const hasLabels = fields.label && typed.words !== undefined && typed.words.length > 0
    this.#labels = hasLabels ? LABEL_KINDS : []
    this.#kinds = [...(fields.notation ? [NOTATION] : []), ...this.#labels]
  }

  /** The queries whose results together are all matches. */
  all(places: Places): Sql[] {
    const { beginning, words = [], isOneWord } = this.#typed
    const notations = this.#kinds.includes(NOTATION) && beginning !== undefined ? [inKinds([NOTATION], beginning)] : []
    if (this.#labels.length === 0) return notations.map((expression) => places.concepts(expression))
    if (isOneWord) return [places.concepts([inKinds(this.#labels, words[0]!), ...notations].join(' OR '))]
    return [places.conceptsLike(inWords(words)), ...notations.map((expression) => places.concepts(expression))]
  }

  /** The matches whose whole label equals the text; undefined if no label can. */
  whole(places: Places): Sql | undefined {
    const { whole } = this.#typed
    return whole === undefined ? undefined : places.concepts(inKinds(this.#kinds, whole))
  }

  /** The ranks, the best first. @param hasWhole false: no whole label equals the text. */
  *ranks(hasWhole = true): Generator<RankSql> {
    const { whole, beginning, words = [], isOneWord } = this.#typed
    const before = (kind: number) => this.#kinds.filter((betterKind) => betterKind < kind)
    const ranked = (expression: string, kind: number, better: readonly string[]): RankSql => {
      const matching = inKinds([kind], expression)
      return (places) => places.concepts(better.length > 0 ? `(${matching}) NOT (${better.join(' OR ')})` : matching)
    }
    const of = (kinds: readonly number[], expression: string | undefined) =>
      expression !== undefined && kinds.length > 0 ? [inKinds(kinds, expression)] : []
    if (whole !== undefined && hasWhole)
      for (const kind of this.#kinds) yield ranked(whole, kind, of(before(kind), whole))
    if (beginning !== undefined) {
      for (const kind of this.#kinds) {
        const better = hasWhole ? of(this.#kinds, whole) : []
        yield ranked(beginning, kind, [...better, ...of(before(kind), beginning)])
      }
    }
    for (const kind of this.#labels) {
      const better = before(kind).filter((betterKind) => betterKind !== NOTATION)
      const begun = of(this.#kinds, beginning)
      if (isOneWord) {
        yield ranked(words[0]!, kind, [...begun, ...of(better, words[0])])
        continue
      }
      yield (places) => {
        const without = [
          ...begun.map((expression) => places.concepts(expression)),
          ...(better.length > 0 ? [places.conceptsLike(inWords(words), better)] : []),
        ]
        const matching = places.conceptsLike(inWords(words), [kind])
        const condition = allOf(without.map((query) => sql`id NOT IN (${query})`))
        return condition ? sql`SELECT id FROM (${matching}) WHERE ${condition}` : matching
      }
    }
  }
}

/** The expression for labels with all of some words. */
export function inWords(words: readonly string[]): string {
  return `words : (${words.join(' AND ')})`
}
