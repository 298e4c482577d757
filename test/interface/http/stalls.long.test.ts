/**
 * The largest request that each endpoint takes: how long it keeps the process from answering others, by the figure of
 * /metrics, and how much memory it takes. No absolute time: the measure is what the same machine needs for the largest
 * body of JSON.
 */
import { writeFile } from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { ENDPOINTS } from '../../../src/endpoints.ts'
import { MAXIMA } from '../../../src/interface/http/maxima.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { newToken } from '../../../src/writing/ingest/accounts.ts'
import { MOST_CONTACT, MOST_MESSAGE } from '../../../src/doors/pages/feedback-page.tsx'
import { runCommand } from '../../command.ts'
import { testLong } from '../../long.ts'
import { addAccount, concept } from '../../writing/ingest/service.ts'
import { newDirectory, startService, type ServiceProcess } from '../../process.ts'

const WIDE = 'http://example.org/wide/'
const CONCEPTS = 20_000
/** A stall may take as long as reading and writing 1 MiB of JSON this many times: about 0.3 s on a quiet machine. */
const MOST_TIMES = 40
const MOST_MEMORY = 200 * 2 ** 20
const account = { username: 'anna', token: newToken() }

const some = <Value>(count: number, make: (at: number) => Value) => Array.from({ length: count }, (_, at) => make(at))
/** Half of them below the first, the others in one long chain. */
const wideTurtle = [
  `@prefix skos: <${SKOS}> . <${WIDE}> a skos:ConceptScheme ; skos:prefLabel "Wide"@en .`,
  ...some(CONCEPTS, (at) => {
    const above = at === 0 ? '' : ` ; skos:broader <${WIDE}${at < CONCEPTS / 2 || at % 100 === 0 ? 0 : at - 1}>`
    const labels = some(5, (label) => `"alias ${label} ${at}"@en`).join()
    return `<${WIDE}${at}> a skos:Concept ; skos:inScheme <${WIDE}> ; skos:notation "n${at}" ; skos:prefLabel "Thing ${at}"@en ; skos:altLabel ${labels}${above} .`
  }),
].join('\n')

let service: ServiceProcess
beforeAll(async () => {
  const DATA_DIR = await newDirectory()
  await addAccount(DATA_DIR, account)
  const file = join(DATA_DIR, 'wide.ttl')
  await writeFile(file, wideTurtle)
  const loaded = await runCommand(['load', file, '--id', 'wide'], { DATA_DIR })
  expect([loaded.code, loaded.stderr]).toEqual([0, expect.any(String)])
  service = await startService({
    // With more, garbage stays for long and counts as memory.
    NODE_OPTIONS: '--max-old-space-size=250',
    DATA_DIR,
    TRUST_PROXY: 'true',
    INGEST_LIMITS: 'none',
    MAX_LIMIT: '10000',
    CACHE_BYTES: '0',
    DEMO: 'true',
    SITE_FEEDBACK: 'form',
    SITE_CONTACT: 'editors@example.org',
  })
}, 120_000)
afterAll(() => service.stop())

const uris = (count: number) => some(count, (at) => `${WIDE}${at}`)
const words = some(400, (at) => `thing${at}`).join(' ')
const tags = (count: number) => some(count, (at) => `xx-${at.toString(36).padStart(4, '0')}`).join()
/**
 * The largest values of parameters; the first list of candidates that an endpoint does not refuse is the one to try.
 */
const VALUES: Record<string, string>[] = [1500, 1].map((count) => ({
  uri: uris(count).join('|'),
  id: `${WIDE}0`,
  voc: 'wide',
  notation: some(count, (at) => `n${at}`).join('|'),
  search: words,
  query: words,
  prefix: 'thing',
  language: tags(MAXIMA.language.most),
  languages: tags(MAXIMA.languages.most),
  properties: '*',
  limit: '10000',
  ancestors: `${WIDE}0`,
  schemes: 'wide',
}))

const FORM = 'application/x-www-form-urlencoded'
const TURTLE = 'text/turtle'
const JSON_TYPE = 'application/json'
const queries = some(MAXIMA.queries.most, (at) => ({
  query: `Thing ${at}`,
  limit: 100,
  properties: [{ pid: 'broader', v: `${WIDE}0` }],
}))
const match = some(MAXIMA.queries.most, (at) => ({
  limit: 100,
  conditions: [
    { matchType: 'name', propertyValue: `Thing ${at}` },
    { matchType: 'property', propertyId: 'broader', propertyValue: [`${WIDE}0`] },
  ],
}))
const extension = {
  ids: uris(MAXIMA.extendIds.most),
  properties: some(MAXIMA.extendProperties.most, (at) => ({
    id: ['altLabel', 'broader', 'narrower', 'prefLabel'][at % 4],
    settings: { limit: at + 1 },
  })),
}
const reconcile: [string, string] = [FORM, `queries=${encodeURIComponent(JSON.stringify({ ...queries }))}`]
const matching: [string, string] = [JSON_TYPE, JSON.stringify({ queries: match })]
const extending: [string, string] = [JSON_TYPE, JSON.stringify(extension)]
const ingested = JSON.stringify(
  some(MAXIMA.ingestConcepts.most, (at) => concept({ prefLabel: { en: `New ${at} ${'x'.repeat(400)}` } })),
)
const applied = some(MAXIMA.applyItems.most, (at) => ({ uri: `${WIDE}${at}` }))
/** The largest bodies, by path. */
const BODIES: Record<string, [type: string, body: string]> = {
  '/data': [FORM, `properties=*&uri=${encodeURIComponent(uris(MAXIMA.list.most).join('|'))}`],
  '/reconcile': reconcile,
  '/voc/:vocid/reconcile': reconcile,
  '/reconcile/match': matching,
  '/voc/:vocid/reconcile/match': matching,
  '/reconcile/extend': extending,
  '/voc/:vocid/reconcile/extend': extending,
  '/feedback': [
    FORM,
    new URLSearchParams({
      uri: `${WIDE}0`,
      message: 'm'.repeat(MOST_MESSAGE),
      contact: 'c'.repeat(MOST_CONTACT),
    }).toString(),
  ],
  '/validate': [TURTLE, wideTurtle.slice(0, wideTurtle.lastIndexOf('\n', MAXIMA.validateText.most))],
  '/ingest': [JSON_TYPE, JSON.stringify([{ ...account, data: ingested }])],
  '/mcp': [
    JSON_TYPE,
    JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'match_terms', arguments: { vocabulary: 'wide', terms: some(100, (at) => `Thing ${at}`) } },
    }),
  ],
  '/mappings/apply': [JSON_TYPE, JSON.stringify(applied)],
  '/propose': [
    FORM,
    new URLSearchParams({
      ...account,
      'prefLabel-en': 'Gate',
      definition: 'd'.repeat(MAXIMA.ingestBody.most / 2),
    }).toString(),
  ],
  '/voc/:vocid/proposals': [
    FORM,
    new URLSearchParams({ action: 'login', ...account, username: 'u'.repeat(30_000) }).toString(),
  ],
  '/sparql': [FORM, `query=${encodeURIComponent('SELECT * { ?s ?p ?o } LIMIT 100000')}`],
}

const METHODS = ENDPOINTS.flatMap(({ path, get, post }) => [
  ...(get ? [['GET', path]] : []),
  ...(post ? [['POST', path]] : []),
])
const cases = [...new Set(METHODS.map((item) => item.join(' ')))].filter((text) => !text.endsWith('/metrics'))

/** Seconds of the longest stall since the last call. */
async function longestStall(): Promise<number> {
  const text = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)![1])
}
const memory = (figure: 'VmRSS' | 'VmHWM') => {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  return Number(new RegExp(`^${figure}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024
}
/** Seconds for the largest body of JSON, so many times. */
function measure(): number {
  const text = JSON.stringify(some(20_000, (at) => ({ id: at, name: `${WIDE}${at}` })))
  const began = performance.now()
  for (let time = 0; time < MOST_TIMES; time++) JSON.stringify(JSON.parse(text))
  return (performance.now() - began) / 1000
}

async function send(method: string, path: string, parameters: URLSearchParams, address: string) {
  const [type, body] = BODIES[path] ?? ['', undefined]
  const plain = path.replace(':vocid', 'wide').replace(':page', '1').replace('*id', 'nothing')
  const url = `${service.url}${plain}${parameters.size > 0 ? `?${parameters.toString()}` : ''}`
  const headers = { 'X-Forwarded-For': address, ...(method === 'POST' ? { 'Content-Type': type } : {}) }
  const answer = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    ...(method === 'POST' ? { body: body ?? '' } : {}),
  })
  const bytes = (await answer.arrayBuffer()).byteLength
  return { status: answer.status, bytes }
}

describe('the largest request keeps nobody waiting', () => {
  test('bodies of all endpoints that read one', () => {
    expect(Object.keys(BODIES).sort()).toEqual(
      [...new Set(METHODS.flatMap(([method, path]) => (method === 'POST' ? [path!] : [])))].sort(),
    )
  })

  testLong.each(cases)(
    '%s',
    async (name) => {
      const [method, path] = name.split(' ') as [string, string]
      const document = await (await fetch(`${service.url}/openapi.json`)).json()
      const operation = document.paths[path.replace(/[:*](\w+)/, '{$1}')]?.[method.toLowerCase()]
      const named = (operation?.parameters ?? []).map(
        ({ name, $ref }: any) => name ?? document.components.parameters[$ref.split('/').at(-1)].name,
      )
      const ofPost = path === '/propose' ? ['voc'] : []
      const accepted = method === 'POST' ? ofPost : operation ? named : ['uri', 'query', 'language']
      const address = `192.0.2.${cases.indexOf(name)}`
      const tried: { status: number; stall: number; taken: number }[] = []
      for (const values of [...VALUES, {}]) {
        const pairs = Object.entries(values).filter(([parameter]) => accepted.includes(parameter))
        // From here on the peak counts.
        writeFileSync(`/proc/${service.pid}/clear_refs`, '5')
        const idle = memory('VmRSS')
        await longestStall()
        const { status } = await send(method, path, new URLSearchParams(pairs), address)
        tried.push({ status, stall: await longestStall(), taken: memory('VmHWM') - idle })
        if (![400, 431].includes(status)) break
      }
      const { status, stall, taken } = tried.at(-1)!
      expect(status).toBeLessThan(505)
      expect(stall).toBeLessThan(measure())
      expect(taken).toBeLessThan(MOST_MEMORY)
    },
    120_000,
  )
})
