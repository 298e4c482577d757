/**
 * A day of a real service: requests to Finto, in their order, replayed over Iconclass with its 40,700 concepts.
 *
 * The list names kinds and numbers, no words or addresses. Here each number is one concept, or a text from the
 * beginning of one label, as long as the real one was. The service starts with its search index and an empty memory,
 * with default settings, and is asked from its first moment on, so the first 3,000 requests have a line of their own; a
 * second round follows with a full memory. Two rounds more ask for the same by the REST API of Skosmos, as the real
 * requests did. Then the store alone answers the least SPARQL for the same requests for records.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { join, resolve } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { ROOT } from '../test/process.ts'
import type { Solution } from '../src/graph/sparql/client.ts'
import { median, processorMsOf, quantile } from './measure.ts'
import { rounds, type Round } from './finto-chart.ts'
import { dataFile, FILES, startServiceWithIndex, withStore, type Store, type StoreName } from './stand.ts'

interface FintoOptions {
  requests: number
  connections: number
  /** False leaves out the rounds by the REST API of Skosmos. */
  skosmos: boolean
}

/** One request of the list. */
interface Asked {
  kind: string
  path: string
  /** The same by the REST API of Skosmos. */
  skosmos: string
  /** The least SPARQL for the same; undefined: the store alone has no such request. */
  query?: string
}

/** The requests after a start, which must not wait for what is read in the background. */
const FIRST = 3000

const PREFIXES = 'PREFIX skos: <http://www.w3.org/2004/02/skos/core#>\n'
const LABELS = 'VALUES ?p { skos:prefLabel skos:altLabel }'

/** Prints, for each store, requests per second and times by kind, and writes bench/results/finto-*.json and .svg. */
export async function finto(stores: readonly StoreName[], options: FintoOptions): Promise<void> {
  for (const name of stores) {
    await withStore(name, 'iconclass', { iconclass: FILES.iconclass }, (store) => replay(store, options))
  }
}

async function replay(store: Store, { requests, connections, skosmos }: FintoOptions): Promise<void> {
  const day = await readDay(store, requests)
  const results: Round[] = []
  await replayBy('', 'path')
  if (skosmos) await replayBy('Skosmos, ', 'skosmos')
  async function replayBy(title: string, path: 'path' | 'skosmos') {
    const { service, indexMs } = await startServiceWithIndex(store)
    console.log(`${store.name}: search index read from the store in ${(indexMs / 1000).toFixed(1)} s`)
    try {
      for (const name of [`${title}memory empty`, `${title}memory full`]) {
        await service.reset()
        const before = await service.read()
        const storeBefore = await processorMsOf(store.pid)
        const round = await ask(name, day, connections, (asked) => ({ url: service.url + asked[path] }))
        const { processorMs, longestDelayMs, peakBytes } = await service.read()
        const processor = (processorMs - before.processorMs) / day.length
        // The service with an embedded store has no other.
        const ofStore =
          store.name === 'embedded' ? {} : { storeMs: ((await processorMsOf(store.pid)) - storeBefore) / day.length }
        results.push({ ...round, processorMs: processor, ...ofStore, longestDelayMs, megabytes: peakBytes / 2 ** 20 })
      }
    } finally {
      await service.stop()
    }
  }
  const direct = day.filter(({ query }) => query !== undefined)
  const storeBefore = await processorMsOf(store.pid)
  const form = (query: string) => new URLSearchParams({ query }).toString()
  const { queryUrl, user = '', password = '' } = store.endpoint
  const address = Object.assign(new URL(queryUrl), { username: user, password }).href
  const alone = await ask('the store alone', direct, connections, ({ query }) => ({
    url: address,
    body: form(query!),
  }))
  results.push({ ...alone, storeMs: ((await processorMsOf(store.pid)) - storeBefore) / direct.length })
  const title = `${store.name}, ${day.length} requests, ${connections} connections`
  console.log(rounds(title, results).table)
  const folder = resolve(ROOT, 'bench/results')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, `finto-${store.name}.json`), JSON.stringify({ title, results }, undefined, 2) + '\n')
  await writeFile(join(folder, `finto-${store.name}.svg`), rounds(title, results).picture)
}

/** The first requests of the list, for the concepts of the store. */
async function readDay({ client }: Store, requests: number): Promise<Asked[]> {
  const lines = gunzipSync(await readFile(dataFile('finto/requests.tsv.gz')))
    .toString()
    .split('\n')
  const concepts = await client.select(`${PREFIXES}SELECT ?c { ?c a skos:Concept } ORDER BY ?c`)
  const uris = concepts.map(({ c }) => c!.value)
  const rows: Solution[] = []
  // One language at a time: a busy store gives one query less time than all of them take.
  for (const language of ['en', 'de', 'fr', 'it', 'fi']) {
    const query = `${PREFIXES}SELECT ?c ?label { ?c skos:prefLabel ?label FILTER(LANG(?label) = "${language}") }`
    rows.push(...(await client.select(query)))
  }
  const keyed = rows.map(({ c, label }) => ({ label: label!, key: `${c!.value} ${label!.value}` }))
  const labels = keyed.sort((first, other) => (first.key < other.key ? -1 : 1)).map(({ label }) => label)
  const [scheme] = await client.select(`${PREFIXES}SELECT ?s { ?s a skos:ConceptScheme ; skos:notation "iconclass" }`)
  return lines
    .filter(Boolean)
    .slice(0, requests)
    .map((line): Asked => {
      const [kind = '', number, language = '-', length = ''] = line.split('\t')
      const named = {
        uri: uris[scattered(Number(number), uris.length)]!,
        label: labels[scattered(Number(number), labels.length)]!,
        language,
        length,
        scheme: scheme!.s!.value,
      }
      return { ...toRequest(kind, named), skosmos: toSkosmos(kind, named) }
    })
}

/** Spreads consecutive numbers over a list, each number always to the same place. */
function scattered(number: number, length: number): number {
  return (number * 7919) % length
}

interface Named {
  uri: string
  label: { value: string }
  language: string
  length: string
  scheme: string
}

function toRequest(kind: string, { uri, label, language, length, scheme }: Named): Omit<Asked, 'skosmos'> {
  const encoded = encodeURIComponent(uri)
  const describe = (pattern: string) => `${PREFIXES}CONSTRUCT { ?s ?p ?o } WHERE { ${pattern} ?s ?p ?o }`
  const parameters = language === '-' ? '' : `&language=${language}`
  const data = { kind, path: `/data?uri=${encoded}${parameters}`, query: describe(`BIND(<${uri}> AS ?s)`) }
  switch (kind) {
    case 'data':
      return data
    case 'label':
      return {
        kind,
        path: `/data?uri=${encoded}&properties=prefLabel,altLabel${parameters}`,
        query: `${PREFIXES}CONSTRUCT { <${uri}> ?p ?o } WHERE { ${LABELS} <${uri}> ?p ?o }`,
      }
    case 'related':
      return { ...data, path: `/data?uri=${encoded}&properties=related` }
    case 'broader':
      return { kind, path: `/broader?uri=${encoded}${parameters}`, query: describe(`<${uri}> skos:broader ?s .`) }
    case 'narrower':
    case 'children':
      return {
        kind: 'narrower',
        path: `/narrower?uri=${encoded}${parameters}`,
        query: describe(`?s skos:broader <${uri}> .`),
      }
    case 'hierarchy':
    case 'broaderTransitive':
      return {
        kind: 'hierarchy',
        path: `/ancestors?uri=${encoded}${parameters}`,
        query: describe(`<${uri}> skos:broader+ ?s .`),
      }
    case 'narrowerTransitive':
      return { kind, path: `/descendants?uri=${encoded}${parameters}` }
    case 'search':
    case 'lookup': {
      const isBeginning = length.endsWith('*')
      const typed = encodeURIComponent(typedText(label.value, length))
      return isBeginning
        ? { kind: 'suggest', path: `/suggest?search=${typed}&voc=iconclass${parameters}` }
        : { kind: 'search', path: `/search?search=${typed}&voc=iconclass${parameters}` }
    }
    case 'vocabularies':
      return { kind, path: '/voc' }
    case 'topConcepts':
      return { kind, path: '/voc/iconclass/top' }
    case 'types':
      return { kind, path: '/types' }
    case '':
      return { kind: 'vocabulary', path: `/voc?uri=${encodeURIComponent(scheme)}` }
    default:
      throw new Error(`Unknown kind of request: ${kind}`)
  }
}

/** The beginning of a label, as long as the real text was. */
function typedText(label: string, length: string): string {
  const text = [...label].slice(0, Number.parseInt(length)).join('').trim()
  return text === '' ? label : text
}

/**
 * The request as it was sent, for a vocabulary of this store; a label that is looked up is a whole one, so that there
 * is an answer.
 */
function toSkosmos(kind: string, { uri, label, language, length }: Named): string {
  const lang = language === '-' ? (kind === 'vocabularies' || kind === 'types' ? '&lang=en' : '') : `&lang=${language}`
  const at = kind === 'vocabularies' ? 'vocabularies' : `iconclass/${kind}`
  const asked = () => {
    if (kind === 'search')
      return `query=${encodeURIComponent(typedText(label.value, length) + (length.endsWith('*') ? '*' : ''))}`
    if (kind === 'lookup') return `label=${encodeURIComponent(label.value)}`
    return ['vocabularies', 'types', 'topConcepts', ''].includes(kind) ? '' : `uri=${encodeURIComponent(uri)}`
  }
  const limit = kind === 'search' ? '&maxhits=20' : ''
  return `/rest/v1/${at}?${asked()}${lang}${limit}`
}

/** Sends requests in order, each as soon as a connection is free. */
async function ask(
  name: string,
  day: readonly Asked[],
  connections: number,
  toHttp: (asked: Asked) => { url: string; body?: string },
): Promise<Round> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const times = new Map<string, number[]>()
  const failures = new Map<string, number>()
  const first: number[] = []
  let next = 0
  const oneAfterTheOther = async () => {
    for (let asked = day[next++]; asked; asked = day[next++]) {
      const isFirst = next <= FIRST
      const { url, body } = toHttp(asked)
      const started = performance.now()
      const status = await send(agent, url, body).catch(() => 0)
      const ms = performance.now() - started
      if (status !== 200) failures.set(`${asked.kind} ${status}`, (failures.get(`${asked.kind} ${status}`) ?? 0) + 1)
      const durations = times.get(asked.kind)
      if (durations) durations.push(ms)
      else times.set(asked.kind, [ms])
      if (isFirst) first.push(ms)
    }
  }
  const started = performance.now()
  await Promise.all(Array.from({ length: connections }, oneAfterTheOther))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  const figures = (kind: string, values: readonly number[]) => ({
    kind,
    count: values.length,
    p50: median(values),
    p90: quantile(values, 0.9),
    p99: quantile(values, 0.99),
  })
  const kinds = [...times].sort(([, a], [, b]) => b.length - a.length).map(([kind, values]) => figures(kind, values))
  const records = ['data', 'label', 'broader', 'narrower', 'hierarchy'].flatMap((kind) => times.get(kind) ?? [])
  return {
    name,
    perSecond: day.length / seconds,
    failed: Object.fromEntries(failures),
    kinds: [
      figures('all', [...times.values()].flat()),
      figures('first 3,000', first),
      figures('records', records),
      ...kinds,
    ],
  }
}

function send(agent: Agent, url: string, body: string | undefined): Promise<number> {
  const headers = {
    accept: body === undefined ? 'application/json' : 'application/n-triples',
    'accept-encoding': 'gzip',
    ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
  }
  return new Promise((isAnswered, fail) => {
    const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers }, (response) => {
      response.on('data', () => undefined)
      response.once('end', () => isAnswered(response.statusCode ?? 0))
      response.once('error', fail)
    })
    sent.once('error', fail)
    sent.end(body)
  })
}
