/**
 * What the service costs beside the store: `npm run bench -- [--store fuseki|embedded] [--only PATTERN] [--seconds N] [--large]`
 *
 * For each operation the service is asked in turn with the raw request: the CONSTRUCT that the service itself sends for
 * the same records, as one request, its N-Triples read to the end by the same client; for an ingest the bare update. Ratios are taken within one run.
 * BENCH_DIR keeps the loaded stores for the next run.
 */
import { execFileSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { queryTemplate } from '../src/sparql/queries.ts'
import { iri } from '../src/sparql/terms.ts'
import { chart } from './chart.ts'
import { measureIngest } from './ingest.ts'
import { median, quantile } from './measure.ts'
import { findSamples, type Samples } from './samples.ts'
import {
  FILES,
  LARGE,
  startRecorder,
  type Recorder,
  startService,
  startStore,
  type Service,
  type Store,
  type StoreName,
  postQuery,
} from './stand.ts'

interface Operation {
  name: string
  /** Records in the answer. */
  records: number
  /** Requests for the like, taken in turn. */
  requests: Request[]
  /** Requests per second are measured too. */
  throughput?: true
  /** Eight such requests at once are measured too. */
  atOnce?: true
}

interface Request {
  path: string
  /** The question for the concepts, where the service may ask for them by URIs that it has found before. */
  select?: string
}

export interface Result {
  operation: string
  records: number
  form: string
  rawMs: number
  rawP99Ms: number
  oursMs: number
  oursP99Ms: number
  ratio: number
  /** Of the first byte, for long answers: the share of the raw total. */
  firstByte?: number
  longestDelayMs?: number
  peakMegabytes?: number
  /** Of eight such requests at once, above that of the idle service. */
  megabytesAtOnce?: number
  /** Requests per second, ours and raw, by connections; also with a processor for the store alone. */
  throughput?: Record<string, { ours: number; raw: number }>
}

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'fuseki,embedded' },
    only: { type: 'string', default: '' },
    seconds: { type: 'string', default: '3' },
    large: { type: 'boolean', default: false },
  },
})
const MS = Number(options.seconds) * 1000
const MOST_SAMPLES = 100
/** Before requests per second are counted. */
const WARM_UP_S = 8
/** In less, the time until all connections have their first answer shows. */
const LEAST_LOAD_S = 6

function operations(store: StoreName, samples: Samples): Operation[] {
  const at = (path: string, uri: string) => ({ path: `${path}?uri=${encodeURIComponent(uri)}` })
  const fifty = `/data?uri=${samples.concepts.slice(0, 50).map(encodeURIComponent).join('|')}`
  const below = (records: number): Operation => ({
    name: `descendants, ${records.toLocaleString('en')}`,
    records,
    requests: [
      {
        path: `${at('/descendants', samples.root).path}&limit=${records}`,
        select: queryTemplate('descendants').bindSubselect({
          terms: { uri: [iri(samples.root)] },
          include: ['order'],
          limit: records,
          offset: 0,
        }).text,
      },
    ],
    ...(records === 10_000 ? { atOnce: true } : {}),
  })
  const searches = (path: string, words: string[], limit: number): Request[] =>
    words.map((word) => ({ path: `${path}?search=${word}&limit=${limit}`, select: hits(store, word, limit) }))
  return [
    {
      name: 'one concept by uri',
      records: 1,
      requests: samples.concepts.map((uri) => at('/data', uri)),
      throughput: true,
    },
    { name: '50 concepts by uri', records: 50, requests: [{ path: fifty }] },
    {
      name: 'one concept by notation',
      records: 1,
      requests: [{ path: `/data?notation=${encodeURIComponent(samples.notation)}` }],
    },
    {
      name: 'narrower, small',
      records: samples.fewNarrower.count,
      requests: [at('/narrower', samples.fewNarrower.uri)],
      throughput: true,
    },
    {
      name: 'narrower, the widest',
      records: samples.mostNarrower.count,
      requests: [at('/narrower', samples.mostNarrower.uri)],
    },
    {
      name: 'ancestors of the deepest',
      records: samples.deepest.count,
      requests: [at('/ancestors', samples.deepest.uri)],
      throughput: true,
    },
    below(100),
    below(1000),
    below(10_000),
    { name: 'top concepts', records: 10, requests: [{ path: '/voc/iconclass/top' }] },
    {
      name: 'vocabularies',
      records: 3,
      requests: [{ path: '/voc', select: 'SELECT DISTINCT ?c { ?c a skos:ConceptScheme }' }],
    },
    { name: 'search', records: 100, requests: searches('/search', WORDS, 100) },
    { name: 'suggest', records: 20, requests: searches('/suggest', BEGINNINGS, 20) },
  ]
}

/** Several, because what was found is remembered for a short time; still some of it is when a word comes round again. */
const WORDS =
  'woman man child horse bird tree water king animal ship hand house church city book music war death'.split(' ')
const BEGINNINGS = 'be ma st an fl ge so tr ho la re wa co pa se'.split(' ')

/** Some concepts with a word in a label that begins so, found as quickly as the store can; not ranked, and not in order. */
function hits(store: StoreName, word: string, limit: number): string {
  const found =
    store === 'fuseki'
      ? `(?c ?score ?found) <http://jena.apache.org/text#query> (skos:prefLabel skos:altLabel skos:hiddenLabel "${word}*")`
      : `VALUES ?label { skos:prefLabel skos:altLabel skos:hiddenLabel } ?c ?label ?found
         FILTER(REGEX(?found, "(^|[^\\\\p{L}])${word}", "i"))`
  return `SELECT DISTINCT ?c { ${found} FILTER EXISTS { ?c skos:inScheme ?scheme } } LIMIT ${limit}`
}

const FORMS = [
  { form: 'JSON', parameters: {} },
  { form: 'JSON, *', parameters: { properties: '*' } },
  { form: 'Turtle', parameters: { format: 'turtle' } },
]

function withParameters(path: string, parameters: Record<string, string>): string {
  const query = new URLSearchParams(parameters).toString()
  return query ? `${path}${path.includes('?') ? '&' : '?'}${query}` : path
}

interface Timed {
  totalMs: number
  firstByteMs: number
}

async function timed(ask: () => Promise<Response>): Promise<Timed> {
  const started = performance.now()
  const response = await ask()
  let firstByteMs = 0
  for await (const chunk of response.body ?? []) {
    if (firstByteMs === 0 && (chunk as Uint8Array).length > 0) firstByteMs = performance.now() - started
  }
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`)
  return { totalMs: performance.now() - started, firstByteMs }
}

/**
 * The CONSTRUCT for an answer: the one that the service sends, with the question for the concepts in the place of URIs that
 * it has found before.
 */
async function rawQuery(record: Recorder['record'], { path, select }: Request): Promise<string> {
  const query = (await record(path)).find((text) => /^\s*CONSTRUCT/m.test(text))
  if (query === undefined) throw new Error(`${path}: no CONSTRUCT`)
  return select === undefined ? query : query.replace(/VALUES \?c \{[^}]*\}/g, `{ ${select} }`)
}

async function measure(store: Store, service: Service, samples: Samples): Promise<Result[]> {
  const recorder = await startRecorder(store)
  const results: Result[] = []
  for (const operation of operations(store.name, samples)) {
    for (const { form, parameters } of FORMS) {
      if (!new RegExp(options.only).test(`${operation.name}, ${form}`)) continue
      if (operation.name === 'suggest' && form !== 'JSON') continue
      const requests = operation.requests.map(({ path, ...more }) => ({
        ...more,
        path: withParameters(path, parameters),
      }))
      const queries: string[] = []
      for (const request of requests) queries.push(await rawQuery(recorder.record, request))
      const ours = (i: number) => fetch(service.url + requests[i % requests.length]!.path)
      const raw = (i: number) => postQuery(store.endpoint.queryUrl, queries[i % queries.length]!)
      for (let i = 0; i < 3; i++) await Promise.all([timed(() => ours(i)), timed(() => raw(i))])
      await service.reset()
      const times = { raw: [] as Timed[], ours: [] as Timed[] }
      const end = performance.now() + MS
      for (let i = 0; i < MOST_SAMPLES && (i < 5 || performance.now() < end); i++) {
        times.raw.push(await timed(() => raw(i)))
        times.ours.push(await timed(() => ours(i)))
      }
      const { longestDelayMs, peakBytes } = await service.read()
      const rawTotals = times.raw.map(({ totalMs }) => totalMs)
      const totals = times.ours.map(({ totalMs }) => totalMs)
      const rawMs = median(rawTotals)
      const result: Result = {
        operation: operation.name,
        records: operation.records,
        form,
        rawMs,
        rawP99Ms: quantile(rawTotals, 0.99),
        oursMs: median(totals),
        oursP99Ms: quantile(totals, 0.99),
        ratio: median(totals) / rawMs,
        firstByte: median(times.ours.map(({ firstByteMs }) => firstByteMs)) / rawMs,
        longestDelayMs,
        peakMegabytes: peakBytes / 1e6,
      }
      if (operation.throughput && form === 'JSON') {
        const url = service.url + requests[0]!.path
        const measureIt = (connections: number[]) =>
          measureThroughput(url, store.endpoint.queryUrl, queries[0]!, connections)
        result.throughput = await measureIt([1, 8, 64])
        const apart = await withStoreApart(store, service, () => measureIt([64]))
        if (apart) result.throughput['64, store apart'] = apart['64']!
      }
      if (operation.atOnce && form === 'JSON') result.megabytesAtOnce = await measureMemory(service, requests[0]!.path)
      results.push(result)
      console.log(line(result))
    }
  }
  await recorder.stop()
  return results
}

/** What eight such requests at once take above the service as it is before. */
async function measureMemory(service: Service, path: string): Promise<number> {
  await service.reset()
  const before = (await service.read()).peakBytes
  await Promise.all(Array.from({ length: 8 }, () => timed(() => fetch(service.url + path))))
  return ((await service.read()).peakBytes - before) / 1e6
}

async function ingests(store: Store): Promise<Result[]> {
  const results: Result[] = []
  for (const concepts of [1, 1000]) {
    const operation = `ingest, ${concepts.toLocaleString('en')}`
    if (!new RegExp(options.only).test(operation)) continue
    const { raw, ours } = await measureIngest(store, concepts, concepts === 1 ? 50 : 15)
    const result: Result = {
      operation,
      records: concepts,
      form: 'JSON',
      rawMs: median(raw),
      rawP99Ms: quantile(raw, 0.99),
      oursMs: median(ours),
      oursP99Ms: quantile(ours, 0.99),
      ratio: median(ours) / median(raw),
    }
    results.push(result)
    console.log(line(result))
  }
  return results
}

async function measureThroughput(
  url: string,
  queryUrl: string,
  query: string,
  connectionCounts: readonly number[],
): Promise<NonNullable<Result['throughput']>> {
  const perSecond: NonNullable<Result['throughput']> = {}
  const toStore = {
    url: queryUrl,
    method: 'POST',
    headers: { accept: 'application/n-triples', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ query }).toString(),
  } as const
  const duration = Math.max(LEAST_LOAD_S, Number(options.seconds))
  // What has just been started is slower.
  for (const what of [toStore, { url }]) await autocannon({ ...what, connections: 16, duration: WARM_UP_S })
  for (const connections of connectionCounts) {
    const raw = await autocannon({ ...toStore, connections, duration })
    const ours = await autocannon({ url, connections, duration })
    if (ours.non2xx + ours.errors > 0)
      console.log(`${url}: ${ours.non2xx} answers other than 2xx, ${ours.errors} errors`)
    perSecond[connections] = { ours: ours.requests.average, raw: raw.requests.average }
  }
  return perSecond
}

/**
 * Runs a measurement with one processor for the store and the others for the service and the client: what a store can do
 * that need not share. Undefined where there is one processor, or no taskset.
 */
async function withStoreApart<T>(store: Store, service: Service, run: () => Promise<T>): Promise<T | undefined> {
  const last = cpus().length - 1
  const pin = (pid: number, processors: string) =>
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', processors, String(pid)], { stdio: 'ignore' })
  const pids = [store.pid, service.pid, process.pid]
  try {
    for (const pid of pids) pin(pid, pid === store.pid ? '0' : `1-${last}`)
  } catch {
    return undefined
  }
  try {
    return await run()
  } finally {
    for (const pid of pids) pin(pid, `0-${last}`)
  }
}

function line(result: Result): string {
  const throughput = Object.entries(result.throughput ?? {})
    .map(([connections, { ours, raw }]) => `${connections}: ${ours.toFixed(0)}/${raw.toFixed(0)}`)
    .join(' ')
  const cells = [
    result.operation,
    result.records,
    result.form,
    `${result.rawMs.toFixed(1)} / ${result.rawP99Ms.toFixed(1)}`,
    `${result.oursMs.toFixed(1)} / ${result.oursP99Ms.toFixed(1)}`,
    result.ratio.toFixed(2),
    result.records >= 1000 ? (result.firstByte?.toFixed(2) ?? '') : '',
    result.longestDelayMs?.toFixed(0) ?? '',
    result.peakMegabytes?.toFixed(0) ?? '',
    result.megabytesAtOnce?.toFixed(0) ?? '',
    throughput,
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = `| operation | records | form | raw ms, median / p99 | ours ms, median / p99 | ratio | first byte / raw | event loop held, ms | peak MB | MB for 8 at once | requests/s ours/raw by connections |
|---|---|---|---|---|---|---|---|---|---|---|`

const results: Record<string, Result[]> = {}
for (const name of options.store.split(',') as StoreName[]) {
  const store = await startStore(name, options.large ? 'full' : 'base', options.large ? LARGE : FILES)
  const service = await startService(store.endpoint)
  try {
    console.log(`\n${name}\n\n${HEAD}`)
    results[name] = await measure(store, service, await findSamples(store.client))
  } finally {
    await service.stop()
    await store.stop()
  }
  if (/ingest/.test(options.only) || options.only === '') {
    const written = await startStore(name, 'ingest', {})
    results[name].push(...(await ingests(written)))
    await written.stop()
  }
}
const directory = resolve(import.meta.dirname, 'results')
await mkdir(directory, { recursive: true })
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version }
const date = new Date().toISOString().slice(0, 10)
for (const [name, list] of Object.entries(results)) {
  await writeFile(resolve(directory, `${name}.json`), JSON.stringify({ date, machine, results: list }, undefined, 1))
  await writeFile(resolve(directory, `${name}.svg`), chart(name, list))
}
process.exit()
