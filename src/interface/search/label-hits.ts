import { KIND, kindOf } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'

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
export function labelsHit(step: Step, kind: number, places: Places): Sql {
  return sql`SELECT m.id FROM temp.hit m WHERE ${isHit(step, [kind], places)}`
}

/** The ids of the concepts that have listed labels of some kinds. */
export function conceptsHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`SELECT DISTINCT m.id >> ${KIND} AS id FROM temp.hit m WHERE ${isHit(step, kinds, places)} ORDER BY m.id`
}

function isHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`m.step = ${STEPS[step]} AND ${kindOf('m.id')} IN (${plain(kinds.join(', '))}) AND ${places.hasLabel('m.id')}`
}
