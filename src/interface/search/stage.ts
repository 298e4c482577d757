import { createHash } from 'node:crypto'
import type { IndexFile } from '../../graph/index/index-file.ts'
import {
  CHOSEN_ORDER_KIND,
  CLASS_KIND,
  DEFINITION_KIND,
  LOADED_MAPPING_KIND,
  MAPPING_KIND,
  MEMBER_KIND,
  NARROWER_KIND,
  NOTATION_KIND,
  ORDER_KIND,
  PREF_LABEL_KIND,
  SCHEME_KIND,
  TOP_KIND,
  type Statement,
} from '../../graph/index/statements.ts'
import { columns, plain, sql, type Sql } from '../../graph/index/sql.ts'
import { notationKey } from '../../graph/jskos/order.ts'
import { COLLECTIONS, CONCEPT } from '../../base/namespaces.ts'

/**
 * The order of a graph in the index.
 *
 * @param language of the labels that order a vocabulary.
 */
export function orderingOf(order: string, language: string): string {
  return order === 'label' ? `label ${language}` : order
}

/** Rows in one step. */
export const CHUNK = 2000

const STAGE = {
  staged: 'uri TEXT, kind INTEGER, language TEXT, text TEXT, natural TEXT',
  chosen:
    'place INTEGER PRIMARY KEY, uri TEXT, notation TEXT, key TEXT, classes TEXT, schemes TEXT, concept INTEGER, listed INTEGER, top INTEGER, unreached INTEGER DEFAULT 0',
  combined: 'id INTEGER PRIMARY KEY, classes TEXT, schemes TEXT, concepts INTEGER, top INTEGER, unreached INTEGER',
  linked: 'row INTEGER PRIMARY KEY, parent INTEGER, child INTEGER, above TEXT, below TEXT',
  arranged_note: 'place INTEGER, kind INTEGER, text TEXT',
  arranged_mapping: 'row INTEGER PRIMARY KEY, uri TEXT, kind INTEGER, text TEXT',
  arranged: 'row INTEGER PRIMARY KEY, place INTEGER, kind INTEGER, language TEXT, text TEXT',
}

/** Arranges the statements of one graph in temporary tables. Only one graph at a time. */
export class Stage {
  readonly #file: IndexFile

  constructor(file: IndexFile) {
    this.#file = file
  }

  /** Empties the tables. */
  clear(): Promise<void> {
    return this.#inTransaction(() => this.#clear())
  }

  /** Adds some statements of the graph, in any order. */
  async insert(statements: readonly Statement[]): Promise<void> {
    for (let at = 0; at < statements.length; at += CHUNK) {
      const rows = statements
        .slice(at, at + CHUNK)
        .map((row) => (row[1] === NOTATION_KIND ? [...row, notationKey(row[3], 'natural')] : row))
      await this.#inTransaction(() =>
        this.#file.run(sql`INSERT INTO staged SELECT ${columns(5)} FROM json_each(${rows})`),
      )
    }
  }

  /** The number of concepts and collections. */
  concepts(): Promise<number> {
    return this.#file.number(sql`SELECT count(*) FROM chosen`)
  }

  /** The number of labels and notations. */
  labels(): Promise<number> {
    return this.#rows('arranged')
  }

  /** The number of links to narrower concepts. */
  links(): Promise<number> {
    return this.#rows('linked')
  }

  mappings(): Promise<number> {
    return this.#rows('arranged_mapping')
  }

  #rows(table: string): Promise<number> {
    return this.#file.number(sql`SELECT coalesce(max(row), 0) FROM ${plain(table)}`)
  }

  /** Runs work that only changes temporary tables. */
  #inTransaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN', work)
  }

  /** Makes or empties the tables for arranging the statements of a graph; they are in a temporary file. */
  async #clear(): Promise<void> {
    for (const [table, definition] of Object.entries(STAGE)) {
      await this.#file.run(plain(`CREATE TEMP TABLE IF NOT EXISTS ${table} (${definition})`))
      await this.#file.run(plain(`DELETE FROM temp.${table}`))
    }
  }

  /**
   * Puts the concepts and collections of a graph in the order of records, and their labels in the same order. A
   * collection is of the vocabulary whose graph describes it.
   *
   * @param language of the labels that order a vocabulary.
   * @returns the order, as `orderingOf` writes it.
   */
  arrange(graph: string, language: string): Promise<string> {
    return this.#inTransaction(() => this.#arrange(graph, language))
  }

  async #arrange(graph: string, language: string): Promise<string> {
    // group_concat with DISTINCT takes no separator, and IRIs have no spaces. To sort all rows first, so that each is
    // there once, would take half as much time and disk again.
    const texts = (kind: number) =>
      plain(
        `coalesce(rtrim(replace(group_concat(DISTINCT text || ' ' ORDER BY text || ' ') FILTER (WHERE kind = ${kind}), ' ,', ' ')), '')`,
      )
    const [order = 'code-point'] = await this.#file.values<string>(
      sql`SELECT text FROM staged WHERE uri = ${graph} AND kind IN (${ORDER_KIND}, ${CHOSEN_ORDER_KIND}) ORDER BY kind DESC`,
      'text',
    )
    const label = sql`min(iif(kind = ${PREF_LABEL_KIND}, iif(language = ${language}, '', '~' || iif(language = '', 'und', language)) || char(1) || text, NULL))`
    const keys: Readonly<Record<string, Sql>> = {
      natural: plain('min(natural)'),
      label: sql`substr(${label}, instr(${label}, char(1)) + 1)`,
    }
    const key = keys[order] ?? plain('NULL')
    // Each further kind would take time and disk for sorting.
    const kinds = [NOTATION_KIND, CLASS_KIND, SCHEME_KIND, TOP_KIND, ...(order === 'label' ? [PREF_LABEL_KIND] : [])]
    await this.#file.run(
      sql`INSERT INTO chosen (uri, notation, key, classes, schemes, concept, listed, top)
      SELECT uri, notation, key, classes, schemes, concept, listed, top FROM
      (SELECT uri, min(text) FILTER (WHERE kind = ${NOTATION_KIND}) AS notation, ${key} AS key, ${texts(CLASS_KIND)} AS classes, ${texts(SCHEME_KIND)} AS schemes,
        max(kind = ${CLASS_KIND} AND text = ${CONCEPT}) AS concept, max(kind = ${SCHEME_KIND} AND text = ${graph}) AS listed,
        max(kind = ${TOP_KIND} AND text = ${graph}) AS top
      FROM staged WHERE kind IN (${plain(kinds.join(', '))}) GROUP BY uri
      HAVING max(kind = ${CLASS_KIND} AND (text = ${CONCEPT} OR (uri <> ${graph} AND text IN (SELECT value FROM json_each(${[...COLLECTIONS]}))))) = 1)
      ORDER BY ${plain(order in keys ? 'key IS NULL, key' : 'notation IS NULL, notation')}, uri`,
    )
    await this.#file.run(
      sql`UPDATE chosen SET schemes = ltrim(schemes || ' ' || ${graph}) WHERE concept = 0
      AND instr(' ' || schemes || ' ', ${` ${graph} `}) = 0`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.chosen_uri ON chosen (uri)`)
    await this.#arrangeHierarchy()
    await this.#file.run(
      sql`INSERT INTO combined (classes, schemes, concepts, top, unreached)
      SELECT classes, schemes, count(*), sum(top), sum(unreached) FROM chosen GROUP BY 1, 2 ORDER BY count(*) DESC, 1, 2`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.combined_key ON combined (classes, schemes)`)
    await this.#file.run(
      sql`INSERT INTO arranged (place, kind, language, text)
      SELECT DISTINCT c.place, s.kind, s.language, s.text FROM staged s CROSS JOIN chosen c ON c.uri = s.uri
      WHERE s.kind < ${CLASS_KIND} ORDER BY 1, 2, 3, 4`,
    )
    await this.#file.run(
      sql`INSERT INTO arranged_note (place, kind, text)
      SELECT DISTINCT c.place, s.kind, s.text FROM staged s CROSS JOIN chosen c ON c.uri = s.uri
      WHERE s.kind >= ${DEFINITION_KIND} ORDER BY 1, 2, 3`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.arranged_note_place ON arranged_note (place)`)
    await this.#file.run(
      sql`INSERT INTO arranged_mapping (uri, kind, text)
      SELECT DISTINCT uri, kind, text FROM staged s
      WHERE kind = ${LOADED_MAPPING_KIND} OR (kind BETWEEN ${MAPPING_KIND} AND ${LOADED_MAPPING_KIND} AND EXISTS (SELECT 1 FROM chosen c WHERE c.uri = s.uri AND c.concept))
      ORDER BY 1, 2, 3`,
    )
    return orderingOf(order, language)
  }

  /**
   * Finds the links between concepts, and the concepts that no top concept reaches: those in a cycle, and those below
   * one.
   */
  async #arrangeHierarchy(): Promise<void> {
    const ofConcept = (uri: string) => sql`(SELECT place FROM chosen WHERE uri = ${plain(uri)} AND concept)`
    await this.#file.run(
      sql`INSERT INTO linked (parent, child, above, below)
      SELECT DISTINCT p, c, iif(p IS NULL OR c IS NULL, u, NULL) AS a, iif(p IS NULL OR c IS NULL, t, NULL) AS b
      FROM (SELECT ${ofConcept('s.uri')} AS p, ${ofConcept('s.text')} AS c, s.uri AS u, s.text AS t
        FROM staged s WHERE s.kind = ${NARROWER_KIND} AND s.uri <> s.text) ORDER BY p, c, a, b`,
    )
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.linked_parent ON linked (parent)`)
    await this.#file.run(sql`CREATE INDEX IF NOT EXISTS temp.linked_child ON linked (child)`)
    await this.#file.run(
      sql`WITH RECURSIVE reached (place) AS (
        SELECT c.place FROM chosen c WHERE c.listed AND (c.top OR NOT EXISTS
          (SELECT 1 FROM linked l JOIN chosen p ON p.place = l.parent AND p.listed WHERE l.child = c.place))
        UNION SELECT c.place FROM reached r JOIN linked l ON l.parent = r.place JOIN chosen c ON c.place = l.child AND c.listed
      ) UPDATE chosen SET unreached = 1 WHERE concept AND listed AND place NOT IN (SELECT place FROM reached)`,
    )
  }

  /** A digest of everything that the index gets of a graph. */
  async digest(): Promise<Buffer> {
    const digest = createHash('sha1')
    const add = async (table: string, some: string, count: number) => {
      for (let from = 1; from <= count; from += CHUNK) {
        const rows = sql`SELECT CAST(json_group_array(json_array(${plain(some)})) AS BLOB) FROM ${plain(table)}
          WHERE rowid BETWEEN ${from} AND ${from + CHUNK - 1}`
        await this.#inTransaction(async () => digest.update((await this.#file.bytes(rows))!))
      }
    }
    await add('chosen', 'uri, notation, key, classes, schemes, top, unreached', await this.concepts())
    await add('arranged', 'place, kind, language, text', await this.labels())
    await add('arranged_note', 'place, kind, text', await this.#file.number(sql`SELECT count(*) FROM arranged_note`))
    await add('linked', 'parent, child, above, below', await this.links())
    await add('arranged_mapping', 'uri, kind, text', await this.mappings())
    const members = sql`SELECT DISTINCT text FROM staged WHERE kind = ${MEMBER_KIND} ORDER BY text`
    for (const member of await this.#file.values<string>(members, 'text')) digest.update(`${member}\n`)
    return digest.digest()
  }
}
