/**
 * The activities of a vocabulary over HTTP, as followers of Entity Metadata Management 1.0 and of LDES 1.0 read them.
 */
import { createInterface } from 'node:readline'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jsonld from 'jsonld'
import { Parser, type Quad } from 'n3'
import { tried } from '../../clients/tried.ts'
import { runCommand } from '../../command.ts'
import { testLong } from '../../long.ts'
import { freePort, newDirectory, run, runToEnd, startService, type ServiceProcess } from '../../process.ts'

const MANY = 'http://example.org/many/'
const COUNT = 520
const AS = 'https://www.w3.org/ns/activitystreams#'
const LDES = 'https://w3id.org/ldes#'
const TREE = 'https://w3id.org/tree#'
const RDF_TYPE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const CLIENT = 'node_modules/ldes-client/dist/bin/cli.js'

let directory: string
let base: string
let service: ServiceProcess

const vocab = async (...args: string[]) => {
  const ended = await runCommand(args, { DATA_DIR: join(directory, 'data') })
  expect([ended.code, ended.code === 0 ? '' : ended.stderr]).toEqual([0, ''])
  return ended.stdout
}

/** A vocabulary of many concepts; it leaves out those without a label. */
const load = async (labelOf: (at: number) => string | undefined) => {
  const concepts = Array.from({ length: COUNT }, (_, at) => [at, labelOf(at)] as const).filter(([, label]) => label)
  const file = join(directory, 'many.ttl')
  await writeFile(
    file,
    `@prefix skos: <${SKOS}> . @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix : <${MANY}> .
    <${MANY}> a skos:ConceptScheme ; skos:prefLabel "Many"@en .
    ${concepts.map(([at, label]) => `:${at} a skos:Concept ; skos:prefLabel "${label}"@en .`).join('\n')}`,
  )
  await vocab('load', file, '--id', 'many')
}
const label = (at: number) => `Concept ${at}`

const get = async (address: string, headers: Record<string, string> = {}) => {
  const answer = await fetch(address, { headers })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, text, body: text === '' ? undefined : JSON.parse(text) }
}
const entry = () => `${base}voc/many/activity`

/** All pages from the first to the last, found by their links. */
async function pages(): Promise<any[]> {
  const all: any[] = []
  for (let next = (await get(entry())).body.first; next; next = all.at(-1).next) all.push((await get(next.id)).body)
  return all
}

/** Members by their addresses. */
type Members = Map<string, Quad[]>

/** Adds what the client has written, one statement a line. */
function addMembers(all: Members, text: string): void {
  for (const quad of new Parser().parse(text)) {
    const { value } = quad.subject
    if (!all.get(value)?.push(quad)) all.set(value, [quad])
  }
}
const objectsOf = (quads: Quad[], predicate: string) =>
  quads.filter((quad) => quad.predicate.value === predicate).map(({ object }) => object.value)

beforeAll(async () => {
  directory = await newDirectory()
  const port = String(await freePort())
  base = `http://127.0.0.1:${port}/`
  service = await startService({ DATA_DIR: join(directory, 'data'), PORT: port, BASE_URL: base, DEMO: 'false' })
  await load(label)
}, 120_000)
afterAll(() => service?.stop())

const isAddress = (value: unknown) => typeof value === 'string' && value.startsWith(base)
const isLinkTo = (type: string) => (value: any) => value.type === type && isAddress(value.id)
const isTime = (value: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(String(value))
const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isContext = (value: string[]) => {
  const at = value.indexOf('https://www.w3.org/ns/activitystreams')
  // Extension contexts stand before these two.
  return at === value.length - 2 && value.at(-1) === 'https://emm-spec.org/1.0/context.json'
}
const KINDS = ['Create', 'Add', 'Update', 'Deprecate', 'Delete', 'Remove']

type Rule = [property: string, need: 'MUST' | 'SHOULD' | 'MAY', isRight: (value: any, whole: any) => boolean]

/** The properties of each class, by the sections of Entity Metadata Management 1.0. */
const RULES: Record<string, Rule[]> = {
  'Entry Point (3.1)': [
    ['@context', 'MUST', isContext],
    ['summary', 'SHOULD', (value) => typeof value === 'string'],
    ['type', 'MUST', (value) => value === 'OrderedCollection'],
    ['id', 'MUST', isAddress],
    ['url', 'MAY', isAddress],
    ['first', 'SHOULD', isLinkTo('OrderedCollectionPage')],
    ['last', 'SHOULD', isLinkTo('OrderedCollectionPage')],
    ['totalItems', 'MAY', isCount],
  ],
  'Change Set (3.2)': [
    ['@context', 'MUST', isContext],
    ['type', 'MUST', (value) => value === 'OrderedCollectionPage'],
    ['id', 'MUST', isAddress],
    ['partOf', 'MUST', isLinkTo('OrderedCollection')],
    ['totalItems', 'SHOULD', (value, whole) => value === whole.orderedItems.length],
    ['prev', 'MAY', isLinkTo('OrderedCollectionPage')],
    ['next', 'MAY', isLinkTo('OrderedCollectionPage')],
    ['orderedItems', 'MUST', Array.isArray],
  ],
  'Entity Change Activity (3.3)': [
    ['summary', 'SHOULD', (value, whole) => value.startsWith(whole.type)],
    ['published', 'MUST', isTime],
    ['type', 'MUST', (value) => KINDS.includes(value)],
    ['id', 'SHOULD', isAddress],
    ['object', 'MUST', (value) => typeof value === 'object'],
  ],
  'Object (3.3)': [
    ['type', 'SHOULD', (value) => [`${SKOS}Concept`, `${SKOS}ConceptScheme`].includes(value)],
    ['id', 'MUST', (value) => URL.canParse(value)],
    ['updated', 'SHOULD', isTime],
  ],
}

function expectRules(name: keyof typeof RULES, whole: any): void {
  for (const [property, need, isRight] of RULES[name]!) {
    const isThere = property in whole
    if (!isThere && need === 'MAY') continue
    const value = whole[property]
    expect([name, property, isThere, isThere && isRight(value, whole), value]).toEqual([
      name,
      property,
      true,
      true,
      value,
    ])
  }
}

describe('the activities of a vocabulary', () => {
  test('follow the rules of Entity Metadata Management 1.0', async () => {
    const { body } = await get(entry())
    expectRules('Entry Point (3.1)', body)
    const all = await pages()
    expect(all.map(({ id }) => id)).toEqual([1, 2, 3].map((page) => `${entry()}/page/${page}`))
    expect([body.first.id, body.last.id]).toEqual([all[0].id, all.at(-1).id])
    const items = all.flatMap(({ orderedItems }) => orderedItems)
    expect(body.totalItems).toBe(items.length)
    for (const [at, page] of all.entries()) {
      expectRules('Change Set (3.2)', page)
      expect(page.partOf.id).toBe(body.id)
      expect([page.prev?.id, page.next?.id]).toEqual([all[at - 1]?.id, all[at + 1]?.id])
    }
    for (const item of items) {
      expectRules('Entity Change Activity (3.3)', item)
      expectRules('Object (3.3)', item.object)
    }
    expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
    const times = items.map(({ published }) => published)
    expect(times).toEqual(times.toSorted())
    expect(items.every(({ type }) => type === 'Create')).toBe(true)
    expect(items.map(({ object }) => object.id).sort()).toEqual(
      [MANY, ...Array.from({ length: COUNT }, (_, at) => `${MANY}${at}`)].sort(),
    )
  })

  test('are JSON-LD with a context of this service, and an event stream', async () => {
    const accept = { accept: 'application/ld+json' }
    const fetched: string[] = []
    const toQuads = async (address: string) => {
      const { body, headers } = await get(address, accept)
      expect(headers.get('content-type')).toBe('application/ld+json')
      const quads = await jsonld.toRDF(body, {
        documentLoader: async (url) => {
          expect(url.startsWith(base)).toBe(true)
          fetched.push(url)
          return { documentUrl: url, document: (await get(url, accept)).body }
        },
      })
      return quads as unknown as Quad[]
    }
    const of = (quads: Quad[], subject: string, predicate: string) =>
      objectsOf(
        quads.filter((quad) => quad.subject.value === subject),
        predicate,
      )
    const stream = await toQuads(entry())
    expect(fetched).toEqual([`${base}activity/context.json`])
    expect(of(stream, entry(), RDF_TYPE)).toEqual(
      expect.arrayContaining([`${AS}OrderedCollection`, `${LDES}EventStream`]),
    )
    expect(of(stream, entry(), `${TREE}view`)).toEqual([`${entry()}/page/1`])
    expect(of(stream, entry(), `${LDES}timestampPath`)).toEqual([`${AS}published`])
    expect(of(stream, entry(), `${LDES}versionOfPath`)).toEqual([`${AS}object`])
    expect(of(stream, entry(), `${LDES}versionDeleteObject`).sort()).toEqual([`${AS}Delete`, `${AS}Remove`])

    const first = `${entry()}/page/1`
    const page = await toQuads(first)
    expect(of(page, first, RDF_TYPE)).toEqual(expect.arrayContaining([`${AS}OrderedCollectionPage`, `${TREE}Node`]))
    // A client can begin here as well: this page has all that it needs.
    expect(of(page, entry(), `${LDES}timestampPath`)).toEqual([`${AS}published`])
    expect(of(page, entry(), `${TREE}view`)).toEqual([first])
    const [relation] = of(page, first, `${TREE}relation`)
    expect(of(page, relation!, RDF_TYPE)).toEqual([`${TREE}GreaterThanOrEqualToRelation`])
    expect(of(page, relation!, `${TREE}node`)).toEqual([`${entry()}/page/2`])
    expect(of(page, relation!, `${TREE}path`)).toEqual([`${AS}published`])
    const all = of(page, entry(), `${TREE}member`)
    expect(all).toHaveLength(250)
    const [bound] = page.filter(({ predicate }) => predicate.value === `${TREE}value`)
    expect((bound!.object as { datatype?: { value: string } }).datatype!.value).toMatch(/#dateTime$/)
    for (const member of all) {
      const [published] = of(page, member, `${AS}published`)
      expect(published! <= bound!.object.value).toBe(true)
      expect(of(page, member, `${AS}object`)).toHaveLength(1)
    }
    const last = `${entry()}/page/3`
    expect(of(await toQuads(last), last, `${TREE}relation`)).toEqual([])
  })

  test('each media type has an ETag of its own', async () => {
    const activities = 'application/ld+json; profile="https://www.w3.org/ns/activitystreams"'
    const types = ['application/json', 'application/activity+json', activities]
    const answers = await Promise.all(types.map((accept) => get(`${entry()}/page/1`, { accept })))
    expect(new Set(answers.map(({ headers }) => headers.get('etag'))).size).toBe(3)
  })

  test('complete pages never change; caches keep the newest only briefly', async () => {
    const before = await Promise.all([1, 2, 3].map((page) => get(`${entry()}/page/${page}`)))
    const control = (answers: typeof before) => answers.map(({ headers }) => headers.get('cache-control'))
    const whole = 'public, max-age=31536000, immutable'
    expect(control(before)).toEqual([whole, whole, 'public, max-age=60'])
    await load((at) => (at < 350 ? `${label(at)}, new` : label(at)))
    const after = await Promise.all([1, 2, 3, 4].map((page) => get(`${entry()}/page/${page}`)))
    expect(control(after)).toEqual([whole, whole, whole, 'public, max-age=60'])
    for (const page of [0, 1]) {
      expect(after[page]!.text).toBe(before[page]!.text)
      expect(after[page]!.headers.get('etag')).toBe(before[page]!.headers.get('etag'))
    }
    expect(after[2]!.body.orderedItems.slice(0, before[2]!.body.totalItems)).toEqual(before[2]!.body.orderedItems)
    for (const { headers } of after) {
      expect(headers.get('vary')).toMatch(/\bAccept\b(?!-)/)
      const again = await get(`${entry()}/page/1`, { 'if-none-match': after[0]!.headers.get('etag')! })
      expect([again.status, again.headers.get('cache-control')]).toEqual([304, whole])
      expect(headers.get('etag')).toMatch(/^W\/"/)
    }
    // A change has the class of the first version of its resource.
    for (const { orderedItems } of await pages())
      for (const item of orderedItems) expectRules('Object (3.3)', item.object)
  })

  test.each([
    [404, 'voc/many/activity/page/0', /^page: expected a number from 1 to \d+/],
    [404, 'voc/many/activity/page/99', /^page: /],
    [404, 'voc/many/activity/page/x', /^page: /],
    [404, 'voc/none/activity', /"none"/],
  ])('%i: %s', async (status, path, message) => {
    const { body } = await get(base + path)
    expect(body).toMatchObject({ status, message: expect.stringMatching(message) })
  })

  testLong(
    `${tried('ldes-client')} reads them from the first page to the last, and sees later loads, ingests and removals`,
    async () => {
      const count = (await get(entry())).body.totalItems
      const expected = (await pages()).flatMap((page) => page.orderedItems.map((activity: any) => activity.id)).sort()
      expect(expected).toHaveLength(count)
      const ended = await runToEnd(CLIENT, [entry(), '--no-shape', '--ordered', 'ascending'])
      expect([ended.code, ended.stderr]).toEqual([0, expect.not.stringMatching(/error/i)])
      const read: Members = new Map()
      addMembers(read, ended.stdout)
      expect([...read.keys()].sort()).toEqual(expected)
      const times = [...read.values()].map((quads) => objectsOf(quads, `${AS}published`)[0]!)
      expect(times).toEqual(times.toSorted())

      const follower = run(CLIENT, [entry(), '--no-shape', '--follow', '--poll-interval', '1000'])
      try {
        const seen: Members = new Map()
        let look = () => undefined as void
        let looking: NodeJS.Immediate | undefined
        createInterface({ input: follower.stdout! }).on('line', (line) => {
          addMembers(seen, line)
          // Parses all lines that came together at once.
          clearImmediate(looking)
          looking = setImmediate(() => look())
        })
        follower.stderr!.resume()
        const until = (isEnough: () => boolean) =>
          new Promise<void>((done) => {
            look = () => {
              if (isEnough()) done()
            }
            look()
          })
        const kindsOf = (uri: string) =>
          [...seen.values()]
            .filter((quads) => objectsOf(quads, `${AS}object`).includes(uri))
            .flatMap((quads) => objectsOf(quads, RDF_TYPE))
            .map((type) => type.split('#')[1])
            .sort()
        await until(() => seen.size === count)
        expect([...seen.keys()].sort()).toEqual(expected)

        await load((at) => (at === 7 ? undefined : at === 8 ? `${label(at)}, again` : label(at)))
        const token = JSON.parse(
          await vocab('account', 'add', '--username', 'ann', '--voc', 'many', '--email', 'ann@example.org', '--json'),
        ).token as string
        const data = JSON.stringify([{ inScheme: [{ uri: MANY }], prefLabel: { de: 'Neu' } }])
        const ingest = { method: 'POST', body: JSON.stringify([{ username: 'ann', token, data }]) }
        const [ingested] = (await (await fetch(`${base}ingest`, ingest)).json()) as { uri: string }[]
        const { uri } = ingested!
        await until(() => kindsOf(uri).includes('Create'))
        expect(kindsOf(`${MANY}7`)).toEqual(['Create', 'Delete', 'Update'])
        expect(kindsOf(`${MANY}8`)).toEqual(['Create', 'Update', 'Update'])

        await vocab('remove', 'many')
        await until(() => kindsOf(MANY).includes('Remove') && kindsOf(uri).includes('Remove'))
        expect(kindsOf(uri)).toEqual(['Create', 'Remove'])
      } finally {
        follower.kill('SIGKILL')
      }
    },
    300_000,
  )
})
