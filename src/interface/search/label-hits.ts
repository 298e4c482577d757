import { KIND, kindOf } from '../../graph/index/ids.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { plain, sql, type Sql } from '../../graph/index/sql.ts'
import type { Places } from './places.ts'

/** How labels have the words of a text: as beginnings of words, or some of them only inside of words. */
const STEPS = { words: 0, inside: 1 } as const
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

  /** Removes those of the text before. */
  async clear(): Promise<void> {
    await this.#file.run(
      plain('CREATE TEMP TABLE IF NOT EXISTS hit (step INTEGER, id INTEGER, PRIMARY KEY (step, id)) WITHOUT ROWID'),
    )
    await this.#file.run(plain('DELETE FROM temp.hit'))
  }

  /**
   * Adds labels.
   *
   * @param labels a query for their ids.
   * @returns their number, at most `most`.
   */
  async add(step: Step, labels: Sql, most: number): Promise<number> {
    await this.#file.run(sql`INSERT OR IGNORE INTO temp.hit SELECT ${STEPS[step]}, id FROM (${labels}) LIMIT ${most}`)
    return this.#file.number(sql`SELECT count(*) FROM temp.hit WHERE step = ${STEPS[step]}`)
  }
}

/** The ids of the concepts that have such labels of some kinds. */
export function conceptsHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`SELECT DISTINCT m.id >> ${KIND} AS id FROM temp.hit m WHERE ${isHit(step, kinds, places)} ORDER BY m.id`
}

/** The same with the sizes of the concepts: the characters of the shortest of these labels. */
export function sizesHit(step: Step, kind: number, places: Places): Sql {
  return sql`SELECT l.id >> ${KIND} AS id, min(length(l.text)) AS size FROM temp.hit m CROSS JOIN label l ON l.id = m.id
    WHERE ${isHit(step, [kind], places)} GROUP BY 1`
}

function isHit(step: Step, kinds: readonly number[], places: Places): Sql {
  return sql`m.step = ${STEPS[step]} AND ${kindOf('m.id')} IN (${plain(kinds.join(', '))}) AND ${places.hasLabel('m.id')}`
}
