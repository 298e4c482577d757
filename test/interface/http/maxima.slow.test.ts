/** THE table of maxima, and the service at each of them, one above it, and at a thousand times as much. */
import { readdirSync, readFileSync } from 'node:fs'
import { request as send } from 'node:http'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MAXIMA, maximumOfList, type Maximum } from '../../../src/interface/http/maxima.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { CRAFTS } from '../../app.ts'
import { runCommand } from '../../command.ts'
import { testLong } from '../../long.ts'
import { newDirectory, ROOT, startService, type ServiceProcess } from '../../process.ts'

test('docs/endpoints.md lists the table', () => {
  const text = readFileSync(join(ROOT, 'docs/endpoints.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## Maxima\n'))
  const listed = section
    .slice(0, section.indexOf('\n## ', 1))
    .match(/^\| .*$/gm)!
    .slice(1)
  const rows = Object.values<Maximum>(MAXIMA).map(
    ({ in: part, name, endpoints: at, most, unit, excess: above }) =>
      `| ${part} | \`${name.replaceAll(', ', '`, `')}\` | ${at} | ${most.toLocaleString('en')} ${unit} | ${above} |`,
  )
  expect(listed).toEqual(rows)
})

interface Answer {
  status: number
  headers: Record<string, unknown>
  body: string
}

interface Sending {
  headers?: Record<string, string>
  /** With a body the method is POST. */
  body?: string
}

/** A request with so much of something, and how to see that all of it counted if more is not refused. */
interface Trial {
  ask: (count: number) => Promise<Answer>
  isWhole?: (answer: Answer, count: number) => boolean
}

/** Things below the first one, with as many other names as a cell may have; the first one has more. */
const WIDE = 'http://example.org/wide/'
const THINGS = 150
const NAMED = MAXIMA.cells.most / MAXIMA.cell.most

function wideTurtle(): string {
  const things = some(THINGS, (at) => {
    const names = at === 0 ? MAXIMA.cell.most + 1 : at <= NAMED ? MAXIMA.cell.most : 0
    const altLabels = some(names, (name) => ` ; skos:altLabel "a${name}"@en`).join('')
    const above = at === 0 ? '' : ` ; skos:broader <${WIDE}0>`
    return `<${WIDE}${at}> a skos:Concept ; skos:inScheme <${WIDE}> ; skos:prefLabel "Thing ${at}"@en${above}${altLabels} .`
  })
  return [`@prefix skos: <${SKOS}> . <${WIDE}> a skos:ConceptScheme ; skos:prefLabel "Wide"@en .`, ...things].join('\n')
}

let service: ServiceProcess
beforeAll(async () => {
  const DATA_DIR = await newDirectory()
  service = await startService({ DATA_DIR })
  const file = join(DATA_DIR, 'wide.ttl')
  await writeFile(file, wideTurtle())
  const loaded = await runCommand(['load', file, '--id', 'wide'], { DATA_DIR })
  expect([loaded.code, loaded.stderr]).toEqual([0, expect.any(String)])
})
afterAll(() => service.stop())

/** An answer; 431 if the service closed the connection while it was still reading the request. */
function ask(path: string, { headers = {}, body }: Sending = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const method = body === undefined ? 'GET' : 'POST'
    const asking = send(service.url + path, { method, headers, agent: false }, (response) => {
      const chunks: Buffer[] = []
      const end = () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks).toString() })
      response
        .on('data', (part: Buffer) => chunks.push(part))
        .on('end', end)
        .on('error', end)
    })
    asking.on('error', (error: NodeJS.ErrnoException) => {
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve({ status: 431, headers: {}, body: '' })
      else reject(error)
    })
    asking.end(body)
  })
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const form = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  ask(path, { headers: { ...FORM, ...headers }, body: new URLSearchParams(fields).toString() })
const json = (path: string, value: unknown) => ask(path, { body: JSON.stringify(value) })
const MCP = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const callTool = (name: string, given: object) => {
  const params = { name, arguments: given }
  return ask('/mcp', { headers: MCP, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }) })
}
const BOOKBINDING = `${CRAFTS}bookbinding`
const some = <Value>(count: number, make: (at: number) => Value) => Array.from({ length: count }, (_, at) => make(at))
/** Different tags that nothing has. */
const tags = (count: number) => some(count, (at) => `xx-${at.toString(36).padStart(4, '0')}`)
const match = (query: object) => json('/voc/crafts/reconcile/match', { queries: [query] })
const named = { matchType: 'name', propertyValue: 'Bookbinding' }
const hasError = ({ body }: Answer) => body.includes('"error"')

/** An ingest without an account; 200 if nothing is wrong but the login. */
const ingest = async (data: string, headers: Record<string, string> = {}, length = 0) => {
  const objects = JSON.stringify([{ username: 'nobody', token: 'none', data }])
  const answer = await ask('/ingest', { headers, body: objects.padEnd(length) })
  return answer.status === 401 ? { ...answer, status: 200 } : answer
}
/** Longer bodies only take longer. */
const MOST_SENT = 2 ** 24

const TRIALS: Record<keyof typeof MAXIMA, Trial> = {
  head: {
    ask: (count) => {
      const counted = `/healthz?Host${new URL(service.url).host}Connectionclose`
      return ask(`/healthz?${'x'.repeat(count - counted.length)}`)
    },
  },
  list: {
    ask: (count) => form('/data', { uri: some(Math.min(count, 200_000), (at) => `x:${at}`).join('|') }),
  },
  classes: {
    ask: (count) => ask(`/voc/crafts/concepts?type=${some(Math.min(count, 20_000), (at) => `x:${at}`).join('|')}`),
  },
  beginnings: {
    ask: (count) => ask(`/mappings?from=${some(Math.min(count, 5000), (at) => `${at}*`).join('|')}`),
  },
  otherList: {
    ask: (count) => ask(`/mappings?creator=${some(Math.min(count, 20_000), (at) => at.toString(36)).join('|')}`),
  },
  callback: { ask: (count) => ask(`/reconcile?callback=${'f'.repeat(count)}`) },
  form: {
    ask: (count) =>
      ask('/data', { headers: FORM, body: `uri=${BOOKBINDING}&x=`.padEnd(Math.min(count, MOST_SENT), 'x') }),
  },
  reconcileBody: {
    ask: (count) => {
      const queries = `queries=${JSON.stringify({ q: { query: 'Bookbinding' } })}`
      return ask('/reconcile', { headers: FORM, body: `${queries}&x=`.padEnd(Math.min(count, MOST_SENT), 'x') })
    },
    isWhole: ({ body }) => body.includes(BOOKBINDING),
  },
  applyBody: { ask: (count) => ask('/mappings/apply', { body: '[]'.padEnd(Math.min(count, MOST_SENT)) }) },
  applyItems: {
    ask: (count) =>
      json(
        '/mappings/apply',
        some(count, (at) => ({ uri: `x:${at}` })),
      ),
  },
  mcpMessage: {
    ask: (count) => {
      const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
      return ask('/mcp', { headers: MCP, body: ping.padEnd(Math.min(count, MOST_SENT)) })
    },
  },
  mcpTerms: {
    ask: (count) => callTool('match_terms', { terms: some(count, () => 'a'), vocabulary: 'crafts' }),
    isWhole: ({ body }) => !body.includes('isError'),
  },
  mcpUris: {
    ask: (count) => callTool('get_concepts', { uris: some(count, () => 'urn:a') }),
    isWhole: ({ body }) => !body.includes('isError'),
  },
  sparqlBody: {
    ask: (count) => {
      const headers = { 'content-type': 'application/sparql-query' }
      return ask('/sparql', { headers, body: 'ASK {}'.padEnd(Math.min(count, MOST_SENT)) })
    },
  },
  idempotencyKey: { ask: (count) => ingest('[{}]', { 'idempotency-key': 'k'.repeat(count) }) },
  ingestBody: { ask: (count) => ingest('[{}]', {}, Math.min(count, MOST_SENT)) },
  ingestConcepts: { ask: (count) => ingest(JSON.stringify(some(count, () => ({})))) },
  headerList: {
    ask: (count) => ask(`/data?uri=${BOOKBINDING}`, { headers: { accept: `${'a/b,'.repeat(count - 1)}text/turtle` } }),
    isWhole: ({ headers }) => String(headers['content-type']).startsWith('text/turtle'),
  },
  acceptLanguage: {
    ask: (count) => {
      const queries = JSON.stringify({ q: { query: 'Bookbinding' } })
      return form('/voc/crafts/reconcile', { queries }, { 'accept-language': [...tags(count - 1), 'en'].join(',') })
    },
    isWhole: ({ body }) => body.includes('"name":"Bookbinding"'),
  },
  language: { ask: (count) => form('/data', { uri: BOOKBINDING, language: tags(count).join(',') }) },
  languages: { ask: (count) => form('/data', { uri: BOOKBINDING, languages: tags(count).join('|') }) },
  languageTag: {
    ask: (count) => form('/data', { uri: BOOKBINDING, languages: 'subtags-'.repeat(count).slice(0, count) }),
  },
  queries: {
    ask: (count) => json('/voc/crafts/reconcile/match', { queries: some(count, () => ({ conditions: [named] })) }),
  },
  queryTypes: {
    ask: (count) => match({ type: some(count, (at) => `x:${at}`), conditions: [named] }),
    isWhole: (answer) => !hasError(answer),
  },
  conditionValues: {
    ask: (count) =>
      match({
        conditions: [
          named,
          { matchType: 'property', propertyId: 'notation', propertyValue: some(count, (at) => `n${at}`) },
        ],
      }),
    isWhole: (answer) => !hasError(answer),
  },
  requestValues: {
    ask: (count) => {
      const each = MAXIMA.conditionValues.most
      const values = (at: number) => some(Math.min(each, count - at * each), (value) => `n${at}-${value}`)
      const query = (at: number) => ({ query: 'x', properties: [{ pid: 'notation', v: values(at) }] })
      return form('/voc/crafts/reconcile', { queries: JSON.stringify({ ...some(Math.ceil(count / each), query) }) })
    },
  },
  candidates: {
    ask: (count) => {
      const below = { matchType: 'property', propertyId: 'broader', propertyValue: `${WIDE}0` }
      return json('/voc/wide/reconcile/match', { queries: [{ conditions: [below], limit: count }] })
    },
    isWhole: ({ body }, count) => JSON.parse(body).results[0].candidates.length === count,
  },
  extendIds: {
    ask: (count) =>
      json('/reconcile/extend', { ids: some(count, (at) => CRAFTS + at), properties: [{ id: 'notation' }] }),
  },
  extendProperties: {
    ask: (count) =>
      json('/reconcile/extend', {
        ids: [BOOKBINDING],
        properties: some(count, (at) => ({ id: 'notation', settings: { limit: at } })),
      }),
  },
  cell: {
    ask: (count) =>
      json('/reconcile/extend', { ids: [`${WIDE}0`], properties: [{ id: 'altLabel', settings: { limit: count } }] }),
    isWhole: ({ body }, count) => JSON.parse(body).rows[0].properties[0].values.length === count,
  },
  validateText: { ask: (count) => ask('/validate', { body: '{}'.padEnd(Math.min(count, MOST_SENT)) }) },
  pattern: {
    ask: (count) => json('/validate?type=scheme', { uri: 'http://example.org/', uriPattern: 'x'.repeat(count) }),
    isWhole: ({ body }) => !body.includes('nothing is compared'),
  },
  levels: {
    ask: (count) => {
      const inner = count - 1
      return ask('/validate', { body: `{"@id": "urn:a", "urn:b": ${'{"urn:b": '.repeat(inner)}1${'}'.repeat(inner)}}` })
    },
  },
  cells: {
    ask: (count) => {
      const named = some(NAMED, (at) => `${WIDE}${at + 1}`)
      const empty = some(Math.min(count - MAXIMA.cells.most, 900), (at) => `${WIDE}none${at}`)
      return json('/reconcile/extend', {
        ids: [...named, ...empty],
        properties: [{ id: 'altLabel', settings: { limit: 0 } }],
      })
    },
  },
}

describe.each(Object.entries<Maximum>(MAXIMA))('%s', (key, { most, excess: above }) => {
  const { ask, isWhole = () => true } = TRIALS[key as keyof typeof MAXIMA]
  test.each([
    ['at its maximum', most, 200],
    ['one above', most + 1, above],
  ])('%s', (_, count, expected) => expectAnswer(count, expected))
  testLong('a thousand times as much', () => expectAnswer(most * 1000, above))

  async function expectAnswer(count: number, expected: Maximum['excess']) {
    const answer = await ask(count)
    const outcome = answer.status === 200 && !isWhole(answer, count) ? 'not whole' : answer.status
    // A value that does not fit into a request at all is refused before it is counted.
    const alike = count > most + 1 ? [413, 431] : []
    expect([...alike, typeof expected === 'number' ? expected : 'not whole']).toContain(outcome)
  }
})

test('no other code takes the list in a parameter apart', () => {
  const source = join(ROOT, 'src')
  const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const splitting = files.filter((file) =>
    /arameters\.get\([^)]*\)[^;]{0,60}\.split\([^,)]*\)/.test(readFileSync(join(source, file), 'utf8')),
  )
  expect(splitting).toEqual([])
})

/** What separates the values of a list, by the words of its description. */
const SEPARATORS: [RegExp, string][] = [
  [/separated by `\|`/, '|'],
  [/separated by `,`/, ','],
  [/separated by spaces/, '+'],
]
const MAXIMUM_OF_LANGUAGES: Record<string, Maximum> = { language: MAXIMA.language, languages: MAXIMA.languages }

test('every list in a parameter of every operation has a maximum', async () => {
  const { paths, components } = JSON.parse((await ask('/openapi.json')).body)
  const lists: [request: string, name: string, separator: string][] = []
  for (const [path, operations] of Object.entries<any>(paths)) {
    const parameters: any[] = (operations.get?.parameters ?? []).map(
      ({ $ref, ...parameter }: any) => components.parameters[$ref?.split('/').at(-1)] ?? parameter,
    )
    const plain = path.replace(/\{(\w+)\}/g, (_, name) => (name === 'vocid' ? 'crafts' : 'x'))
    // A search of Skosmos needs a text.
    const text = path.startsWith('/rest/v1/') ? 'query=a&' : ''
    for (const { name, description, in: place } of parameters) {
      const separator = SEPARATORS.find(([words]) => words.test(description))?.[1]
      if (place !== 'query' || separator === undefined) continue
      const required = parameters.filter((other) => other.in === 'query' && other.required && other.name !== name)
      const others = required.map((other) => `${other.name}=${other.schema.examples?.[0] ?? BOOKBINDING}&`).join('')
      lists.push([`${plain}?${text}${others}`, name, separator])
    }
  }
  expect(lists.length).toBeGreaterThan(100)
  const wrong: unknown[] = []
  for (const [request, name, separator] of lists) {
    const { most } = MAXIMUM_OF_LANGUAGES[name] ?? maximumOfList(name)
    const values = name in MAXIMUM_OF_LANGUAGES ? tags(most + 1) : some(most + 1, (at) => at.toString(36))
    const { status, body } = await ask(`${request}${name}=${values.join(separator)}`)
    if (status !== 400 || !body.includes(`${name}: expected at most ${most} `))
      wrong.push([request, name, status, body.slice(0, 200)])
  }
  expect(wrong).toEqual([])
}, 60_000)
