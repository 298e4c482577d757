/** An index that took differences has the rows of an index that got the last version as a whole. */
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { COLLECTION, CONCEPT, DEPRECATED } from '../../../src/base/namespaces.ts'
import type { IndexDifference, NarrowerLink } from '../../../src/graph/index/difference.ts'
import { IndexFile, markTerm } from '../../../src/graph/index/index-file.ts'
import { plain, sql } from '../../../src/graph/index/sql.ts'
import {
  CLASS_KIND,
  DEFINITION_KIND,
  MAPPING_KIND,
  MEMBER_KIND,
  NARROWER_KIND,
  NOTE_KIND,
  ORDER_KIND,
  SCHEME_KIND,
  TOP_KIND,
  type Statement,
} from '../../../src/graph/index/statements.ts'
import { IndexWriter } from '../../../src/interface/search/index-writer.ts'
import { temporaryFolder } from '../../folder.ts'
import { LONG } from '../../long.ts'

const GRAPH = 'urn:g/'
const OTHER = 'urn:other/'
const SUBSET = 'urn:subset'
const RESOURCES = 9
const VERSIONS = 4
const ORDERS = ['code-point', 'natural', 'label'] as const
const { path } = temporaryFolder()

const uriOf = (at: number) => `${GRAPH}${at}`
/** One of the graph, of another one, or none. */
const target = fc.oneof(fc.nat(RESOURCES - 1).map(uriOf), fc.constantFrom(`${OTHER}1`, 'urn:nowhere'))
const word = fc.constantFrom('Wehr', 'Wehrbau', 'Straße', 'Strasse', '京都', 'Furt', 'ab')
const label = fc.record({
  kind: fc.integer({ min: 1, max: 3 }),
  language: fc.constantFrom('de', 'en', ''),
  words: fc.array(word, { minLength: 1, maxLength: 2 }),
})
const resource = fc.record({
  kind: fc.oneof({ weight: 8, arbitrary: fc.constant('concept') }, fc.constantFrom('collection', 'other', undefined)),
  labels: fc.array(label, { maxLength: 3 }),
  notation: fc.option(fc.constantFrom('1', '2', '10', '09', 'a', 'B')),
  isListed: fc.boolean(),
  isTop: fc.boolean(),
  isDeprecated: fc.boolean(),
  narrower: fc.array(target, { maxLength: 3 }),
  mapped: fc.array(fc.tuple(fc.constantFrom(0, 1), target), { maxLength: 2 }),
  notes: fc.array(fc.tuple(fc.constantFrom(DEFINITION_KIND, NOTE_KIND), word), { maxLength: 2 }),
})
type Resource = typeof resource extends fc.Arbitrary<infer Value> ? Value : never
const version = fc.array(resource, { minLength: RESOURCES, maxLength: RESOURCES })
/** The first version, and for each further one the resources that are others. */
const versions = fc.tuple(
  version,
  fc.array(fc.array(fc.tuple(fc.nat(RESOURCES - 1), resource), { maxLength: 3 }), { maxLength: VERSIONS }),
)

function statementsOf(uri: string, drawn: Resource): Statement[] {
  const { kind, labels, notation, isListed, isTop, isDeprecated, narrower, mapped, notes } = drawn
  if (kind === undefined) return []
  const statements: Statement[] = labels.map((named) => [uri, named.kind, named.language, named.words.join(' ')])
  const state = (wanted: number, text: string) => statements.push([uri, wanted, '', text])
  if (kind === 'concept') state(CLASS_KIND, CONCEPT)
  if (kind === 'collection') state(CLASS_KIND, COLLECTION)
  if (notation !== null) state(0, notation)
  if (isListed) state(SCHEME_KIND, GRAPH)
  if (isTop) state(TOP_KIND, GRAPH)
  if (isDeprecated) state(CLASS_KIND, DEPRECATED)
  for (const child of narrower) state(NARROWER_KIND, child)
  for (const [type, other] of mapped) state(MAPPING_KIND + type, other)
  for (const [wanted, text] of notes) state(wanted, text)
  return statements
}

function differenceOf(before: readonly Resource[], after: readonly Resource[]): IndexDifference {
  const resources = new Map<string, Statement[]>()
  const linked: NarrowerLink[] = []
  const unlinked: NarrowerLink[] = []
  for (const [at, now] of after.entries()) {
    const [was, is] = [before[at]!, now].map((drawn) => statementsOf(uriOf(at), drawn))
    const parts = (statements: readonly Statement[]) => {
      const links = statements.filter(([, kind]) => kind === NARROWER_KIND).map(([, , , child]) => child)
      return [links, statements.filter(([, kind]) => kind !== NARROWER_KIND)] as const
    }
    const [[oldLinks, old], [links, statements]] = [parts(was!), parts(is!)]
    if (JSON.stringify(old) !== JSON.stringify(statements)) resources.set(uriOf(at), statements)
    for (const child of links) if (!oldLinks.includes(child)) linked.push([uriOf(at), child])
    for (const child of oldLinks) if (!links.includes(child)) unlinked.push([uriOf(at), child])
  }
  return { resources, linked, unlinked }
}

const SPACES: [string, string][] = [
  [GRAPH, GRAPH],
  [OTHER, OTHER],
]
const BESIDE: Statement[] = [
  [`${OTHER}1`, CLASS_KIND, '', CONCEPT],
  [`${OTHER}1`, 1, 'de', 'Wehr Stau'],
  [uriOf(1), CLASS_KIND, '', CONCEPT],
  [uriOf(1), SCHEME_KIND, '', OTHER],
]

/** An index with the graph, and with others that share concepts with it. */
async function newIndex(name: string): Promise<{ file: IndexFile; writer: IndexWriter }> {
  const file = await IndexFile.open(path(`${name}.sqlite`), 1 << 20)
  const writer = new IndexWriter(file, 'de')
  await writer.assign(SPACES)
  const load = async (graph: string, statements: Statement[]) =>
    writer.commit((await writer.writeGraph(graph, [statements]))!, { revision: '0', load: '0' })
  await load(OTHER, BESIDE)
  await load(
    SUBSET,
    [0, 1, 2].map((at): Statement => [SUBSET, MEMBER_KIND, '', uriOf(at)]),
  )
  return { file, writer }
}

/** All rows, with URIs and places instead of ids. */
async function rowsOf(file: IndexFile): Promise<Record<string, unknown[]>> {
  const graph = (id: string) => plain(`(SELECT g.uri FROM graph g WHERE g.id = ${id} >> 32)`)
  const concept = (id: string) =>
    plain(`(SELECT g.uri || ' ' || c.uri FROM concept c JOIN graph g ON g.id = c.id >> 32 WHERE c.id = ${id})`)
  const tables = {
    graph: sql`SELECT json_array(uri, state, revision, load, concepts, labels, ordering) AS a FROM graph ORDER BY uri`,
    combination: sql`SELECT json_array((SELECT uri FROM graph WHERE id = graph), classes, schemes, concepts, top, unreached) AS a FROM combination ORDER BY 1`,
    concept: sql`SELECT json_array(${graph('o.id')}, o.uri, o.notation, o.key, d.classes, d.schemes, o.top, o.unreached) AS a
      FROM concept o JOIN combination d ON d.graph = o.id >> 32 AND d.id = o.combination ORDER BY ${graph('o.id')}, o.id`,
    label: sql`SELECT json_array(${concept('l.id >> 14')}, l.id & 16383, language, text) AS a FROM label l ORDER BY 1`,
    edge: sql`SELECT json_array(${concept('e.parent')}, ${concept('e.child')}) AS a FROM edge e ORDER BY 1`,
    outer: sql`SELECT json_array((SELECT uri FROM graph WHERE id = graph), parent, child) AS a FROM outer_edge ORDER BY 1`,
    member: sql`SELECT json_array((SELECT uri FROM graph WHERE id = graph), ${concept('m.concept')}) AS a FROM membership m ORDER BY 1`,
    twin: sql`SELECT json_array(${concept('t.concept')}, (SELECT uri FROM concept WHERE id = t.first)) AS a FROM twin t ORDER BY 1`,
    word: sql`SELECT json_array(term, spelling, folded, backwards, form) AS a FROM word ORDER BY 1`,
    inside: sql`SELECT json_array(c0, c1) AS a FROM inside_content ORDER BY 1`,
    mapping: sql`SELECT json_array(${graph('m.id')}, m.uri, m.stated, r.source, r.target, r.type) AS a
      FROM mapping m JOIN relation r ON r.id = m.relation ORDER BY ${graph('m.id')}, m.id`,
    mapped: sql`SELECT json_array(side, value, (SELECT m.uri || m.stated FROM mapping m WHERE m.id = o.mapping)) AS a FROM mapped o ORDER BY 1`,
    name: sql`SELECT json_array(hex(name), (SELECT m.uri || m.stated FROM mapping m WHERE m.id = o.mapping)) AS a FROM mapping_name o ORDER BY 1`,
    relation: sql`SELECT json_array((SELECT uri FROM graph WHERE id = graph), source, target, type, mappings) AS a FROM relation WHERE mappings > 0 ORDER BY 1`,
  }
  const rows: Record<string, unknown[]> = {}
  for (const [table, query] of Object.entries(tables)) rows[table] = await file.values(query, 'a')
  // What FTS5 finds of each word, and the marks of the combinations of classes and vocabularies.
  for (const table of ['concepts', 'labels', 'notes']) {
    await file.run(
      plain(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_terms USING fts5vocab(main, ${table}, instance)`),
    )
    const [id, label] = table === 'labels' ? ['t.doc >> 14', plain('t.doc & 16383')] : ['t.doc', plain('0')]
    const instances = await file.rows<
      [uri: string, label: number, column: string, term: string, offset: number | null, combination: number]
    >(
      sql`SELECT ${concept(id)} AS a, ${label} AS b, t.col AS c, t.term AS d, t.offset AS e,
        (SELECT combination FROM concept WHERE id = ${plain(id)}) AS f
      FROM ${plain(`${table}_terms`)} t WHERE ${concept(id)} IS NOT NULL ORDER BY 1, 2, 3, 4, 5`,
      'a, b, c, d, e, f',
    )
    const isMark = (column: string) => column === 'marks'
    rows[table] = instances.filter(([, , column]) => !isMark(column)).map((instance) => instance.slice(0, 5))
    const marks = instances.filter(([, , column]) => isMark(column)).map(([uri, at, , mark]) => `${uri} ${at} ${mark}`)
    const combined = instances.map(([uri, at, , , , combination]) => `${uri} ${at} ${markTerm(combination)}`)
    expect(new Set(marks)).toEqual(new Set(combined.filter((mark) => !mark.endsWith(markTerm(0)))))
  }
  return rows
}

let indexes = 0
test('differences make the rows of a whole version', async () => {
  await fc.assert(
    fc.asyncProperty(versions, fc.constantFrom(...ORDERS), async ([first, changes], order) => {
      const whole = (drawn: readonly Resource[]): Statement[] => [
        [GRAPH, ORDER_KIND, '', order],
        ...drawn.flatMap((some, at) => statementsOf(uriOf(at), some)),
      ]
      const changed = await newIndex(`changed-${++indexes}`)
      const state = { revision: '0', load: '0' }
      await changed.writer.commit((await changed.writer.writeGraph(GRAPH, [whole(first)]))!, state)
      let before = first
      for (const [at, some] of changes.entries()) {
        const after = before.map((was, place) => some.findLast(([changedAt]) => changedAt === place)?.[1] ?? was)
        const revision = { before: String(at), after: String(at + 1), load: String(at + 1), order }
        const result = await changed.writer.change(GRAPH, differenceOf(before, after), revision)
        expect(result).toBe('current')
        before = after
      }
      const fresh = await newIndex(`fresh-${indexes}`)
      const last = { revision: String(changes.length), load: String(changes.length) }
      // A store may repeat what it answers.
      const repeated = [whole(before), whole(before)]
      await fresh.writer.commit((await fresh.writer.writeGraph(GRAPH, repeated))!, last)
      expect(await rowsOf(changed.file)).toEqual(await rowsOf(fresh.file))
      await changed.file.close()
      await fresh.file.close()
    }),
    { numRuns: LONG ? 600 : 12, ...(LONG ? {} : { seed: 20261129 }) },
  )
}, 600_000)
