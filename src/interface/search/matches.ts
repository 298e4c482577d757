import { LABEL_KINDS, NOTATION_KIND } from '../../graph/index/statements.ts'
import type { NoteColumn, IndexFile } from '../../graph/index/index-file.ts'
import { allOf, sql, type Sql, plain } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'
import { inKinds, type TypedText } from './typed-text.ts'
import { KIND, kindOf } from '../../graph/index/ids.ts'

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
  /** The kind of the labels that match; undefined: their sizes do not count. */
  kind: number | undefined
}

/** The concepts that match a typed text: by whole labels, beginnings, then words; each by the kind of label. */
export class Matches {
  readonly #typed: TypedText
  readonly #kinds: readonly number[]
  readonly #labels: readonly number[]
  readonly #notes: readonly NoteColumn[]
  readonly #step: Step
  readonly #isListed: boolean

  /** @param isListed true: `LabelHits` has the labels of the step. */
  constructor(step: Step, typed: TypedText, fields: SearchFields, isListed = false) {
    this.#step = step
    this.#typed = typed
    this.#isListed = isListed
    // A text without words matches no label.
    const hasLabels = fields.label && (typed.words?.length ?? 0) > 0
    this.#labels = hasLabels ? LABEL_KINDS : []
    this.#notes = typed.notes ? (fields.notes ?? []) : []
    this.#kinds = [...(fields.notation ? [NOTATION_KIND] : []), ...this.#labels]
  }

  /** The queries whose results together are all matches. */
  all(places: Places): Sql[] {
    const { beginning, notated, words = [], isOneWord } = this.#typed
    const hasNotations = this.#kinds.includes(NOTATION_KIND)
    const notations = hasNotations && beginning !== undefined ? [inKinds([NOTATION_KIND], beginning)] : []
    const more = [
      ...(hasNotations && notated ? [places.accepted(idsIn(notated))] : []),
      ...this.#notes.map((column) => this.#inNotes(places, column)),
    ]
    if (isOneWord && this.#labels.length > 0)
      return [places.concepts([inKinds(this.#labels, words[0]!), ...notations].join(' OR ')), ...more]
    const labels = this.#labels.length > 0 ? [this.#conceptsLike(this.#labels, places)] : []
    return [...labels, ...notations.map((expression) => places.concepts(expression)), ...more]
  }

  /** The matches whose whole label equals the text; undefined if no label can. */
  whole(places: Places): Sql | undefined {
    const { whole } = this.#typed
    return whole === undefined ? undefined : places.concepts(inKinds(this.#kinds, whole))
  }

  /** The ids of the labels of a kind that have the words. */
  labels(kind: number, places: Places): Sql {
    const { words = [] } = this.#typed
    return this.#isListed ? labelsHit(this.#step, kind, places) : places.labelsLike(inWords(words), [kind])
  }

  /** The concepts that have the words in labels of some kinds. */
  #conceptsLike(kinds: readonly number[], places: Places): Sql {
    const { words = [] } = this.#typed
    return this.#isListed ? conceptsHit(this.#step, kinds, places) : places.conceptsLike(inWords(words), kinds)
  }

  /** The ranks, the best first. @param hasWhole false: no whole label equals the text. */
  *ranks(hasWhole = true): Generator<Rank> {
    const { whole, beginning, notated, words } = this.#typed
    const before = (kind: number, kinds = this.#kinds) => kinds.filter((betterKind) => betterKind < kind)
    const ranked = (expression: string, kind: number, better: readonly string[]) => {
      const matching = inKinds([kind], expression)
      return (places: Places) =>
        places.concepts(better.length > 0 ? `(${matching}) NOT (${better.join(' OR ')})` : matching)
    }
    const of = (kinds: readonly number[], expression: string | undefined) =>
      expression !== undefined && kinds.length > 0 ? [inKinds(kinds, expression)] : []
    if (whole !== undefined && hasWhole)
      for (const kind of this.#kinds) yield { ids: ranked(whole, kind, of(before(kind), whole)), kind: undefined }
    if (beginning !== undefined) {
      for (const kind of this.#kinds) {
        const better = hasWhole ? of(this.#kinds, whole) : []
        const ids = ranked(beginning, kind, [...better, ...of(before(kind), beginning)])
        yield { ids, kind: kind === NOTATION_KIND || !words ? undefined : kind }
      }
    }
    if (notated && this.#kinds.includes(NOTATION_KIND))
      yield { ids: (places) => places.accepted(idsIn(notated)), kind: undefined }
    if (words) for (const kind of this.#labels) yield this.#byWords(kind)
    for (const [at, column] of this.#notes.entries()) {
      const ids = (places: Places) =>
        without(
          this.#inNotes(places, column),
          this.#notes.slice(0, at).map((other) => this.#inNotes(places, other)),
        )
      yield { ids, kind: undefined }
    }
  }

  #inNotes(places: Places, column: NoteColumn): Sql {
    return places.concepts(inNotes(column, this.#typed.notes!), 'notes')
  }

  /** The concepts that have the words in labels of a kind, and not in those of better kinds. */
  #byWords(kind: number): Rank {
    const { beginning, notated, words = [], isOneWord } = this.#typed
    const better = this.#labels.filter((betterKind) => betterKind < kind)
    const begun = beginning === undefined ? [] : [inKinds(this.#kinds, beginning)]
    const hasListed = notated !== undefined && this.#kinds.includes(NOTATION_KIND)
    const ids = (places: Places) => {
      const excluded = hasListed ? [places.accepted(idsIn(notated))] : []
      if (isOneWord) {
        const betterLabels = [...begun, ...(better.length > 0 ? [inKinds(better, words[0]!)] : [])]
        const expression = inKinds([kind], words[0]!)
        const all = betterLabels.length > 0 ? `(${expression}) NOT (${betterLabels.join(' OR ')})` : expression
        return without(places.concepts(all), excluded)
      }
      for (const expression of begun) excluded.push(places.concepts(expression))
      if (better.length > 0) excluded.push(this.#conceptsLike(better, places))
      return without(this.#conceptsLike([kind], places), excluded)
    }
    return { ids, kind }
  }
}

/** The ids that a query gives, without the ids of further queries. */
function without(ids: Sql, excluded: readonly Sql[]): Sql {
  const condition = allOf(excluded.map((query) => sql`id NOT IN (${query})`))
  return condition ? sql`SELECT id FROM (${ids}) WHERE ${condition}` : ids
}

function idsIn(ids: readonly number[]): Sql {
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

/** The steps of a search: at the beginning of words, inside of words, in notes. */
const STEPS = { words: 0, inside: 1, notes: 2 } as const
export type Step = keyof typeof STEPS

/**
 * The labels that match the words of one text, in a temporary table of this connection: all ranks of a search ask for
 * them, and to find them takes most of its time.
 */
export class LabelHits {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  /**
   * Lists labels instead of those of the text before.
   *
   * @param labels a query for their ids.
   * @returns their number, at most `most`.
   */
  async list(step: Step, labels: Sql, most: number): Promise<number> {
    await this.#file.run(
      plain('CREATE TEMP TABLE IF NOT EXISTS hit (step INTEGER, id INTEGER, PRIMARY KEY (step, id)) WITHOUT ROWID'),
    )
    await this.#file.run(sql`DELETE FROM temp.hit WHERE step = ${STEPS[step]}`)
    await this.#file.run(sql`INSERT OR IGNORE INTO temp.hit SELECT ${STEPS[step]}, id FROM (${labels}) LIMIT ${most}`)
    return this.#file.number(sql`SELECT count(*) FROM temp.hit WHERE step = ${STEPS[step]}`)
  }
}

/** The ids of the listed labels of a kind. */
function labelsHit(step: Step, kind: number, places: Places): Sql {
  return sql`SELECT m.id FROM temp.hit m WHERE ${isHit(step, [kind], places)}`
}

/** The ids of the concepts that have listed labels of some kinds. */
function conceptsHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`SELECT DISTINCT m.id >> ${KIND} AS id FROM temp.hit m WHERE ${isHit(step, kinds, places)} ORDER BY m.id`
}

function isHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`m.step = ${STEPS[step]} AND ${kindOf('m.id')} IN (${plain(kinds.join(', '))}) AND ${places.hasLabel('m.id')}`
}
