/**
 * What the service costs beside the store: `npm run bench -- [--store fuseki|embedded] [--only PATTERN] [--seconds N] [--large]`
 *
 * For each operation the service is asked in turn with the raw request: the CONSTRUCT that the service itself sends for
 * the same records, as one request, its N-Triples read to the end by the same client. Ratios are taken within one run.
 * BENCH_DIR keeps the loaded stores for the next run.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { chart } from './chart.ts'
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
} from './stand.ts'

interface Operation {
  name: string
  /** Records in the answer. */
  records: number
  /** Paths that ask for the like, taken in turn; the first is recorded. */
  paths: string[]
  /** Requests per second are measured too. */
  throughput?: true
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
  longestDelayMs: number
  peakMegabytes: number
  /** Requests per second, ours and raw, by connections. */
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

function operations(samples: Samples): Operation[] {
  const each = (path: string) => samples.concepts.map((uri) => `${path}?uri=${encodeURIComponent(uri)}`)
  const one = (path: string, uri: string) => [`${path}?uri=${encodeURIComponent(uri)}`]
  const fifty = `/data?uri=${samples.concepts.slice(0, 50).map(encodeURIComponent).join('|')}`
  const below = (limit: number, shown: number) =>
    one('/descendants', samples.root).map((path) => `${path}&limit=${Math.min(limit, shown)}`)
  return [
    { name: 'one concept by uri', records: 1, paths: each('/data'), throughput: true },
    { name: '50 concepts by uri', records: 50, paths: [fifty] },
    { name: 'one concept by notation', records: 1, paths: [`/data?notation=${encodeURIComponent(samples.notation)}`] },
    {
      name: 'narrower, small',
      records: samples.fewNarrower.count,
      paths: one('/narrower', samples.fewNarrower.uri),
      throughput: true,
    },
    {
      name: 'narrower, the widest',
      records: samples.mostNarrower.count,
      paths: one('/narrower', samples.mostNarrower.uri),
    },
    {
      name: 'ancestors of the deepest',
      records: samples.deepest.count,
      paths: one('/ancestors', samples.deepest.uri),
      throughput: true,
    },
    { name: 'descendants, 100', records: 100, paths: below(100, 100) },
    { name: 'descendants, 1,000', records: 1000, paths: below(1000, 1000) },
    { name: 'descendants, 10,000', records: 10_000, paths: below(10_000, 10_000) },
    { name: 'top concepts', records: 10, paths: ['/voc/iconclass/top'] },
    { name: 'vocabularies', records: 3, paths: ['/voc'] },
    { name: 'search', records: 100, paths: ['/search?query=horse&limit=100'] },
    { name: 'suggest', records: 20, paths: ['/suggest?search=ho&limit=20'] },
  ]
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

/** Up to this limit the service asks for everything by one CONSTRUCT. */
const RECORDED = 100

/**
 * The CONSTRUCT for an answer: the one that the service sends, for a long answer with the limit of that answer.
 * Undefined where the service does not ask by one.
 */
async function rawQuery(record: Recorder['record'], path: string, records: number): Promise<string | undefined> {
  const queries = await record(records > RECORDED ? path.replace(`limit=${records}`, `limit=${RECORDED}`) : path)
  const query = queries.find((text) => /^\s*CONSTRUCT/m.test(text))
  return records > RECORDED ? query?.replace(`LIMIT ${RECORDED}`, `LIMIT ${records}`) : query
}

async function measure(store: Store, service: Service, samples: Samples): Promise<Result[]> {
  const recorder = await startRecorder(store)
  const results: Result[] = []
  for (const operation of operations(samples)) {
    for (const { form, parameters } of FORMS) {
      if (!new RegExp(options.only).test(`${operation.name}, ${form}`)) continue
      if (operation.name === 'suggest' && form !== 'JSON') continue
      const paths = operation.paths.map((path) => withParameters(path, parameters))
      const query = await rawQuery(recorder.record, paths[0]!, operation.records)
      if (query === undefined) continue
      const ours = (i: number) => fetch(service.url + paths[i % paths.length]!)
      const raw = () =>
        fetch(store.endpoint.queryUrl, {
          method: 'POST',
          headers: { accept: 'application/n-triples' },
          body: new URLSearchParams({ query }),
        })
      for (let i = 0; i < 3; i++) await Promise.all([timed(() => ours(i)), timed(raw)])
      await service.reset()
      const times = { raw: [] as Timed[], ours: [] as Timed[] }
      const end = performance.now() + MS
      for (let i = 0; i < MOST_SAMPLES && (i < 5 || performance.now() < end); i++) {
        times.raw.push(await timed(raw))
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
        result.throughput = await measureThroughput(service.url + paths[0]!, store.endpoint.queryUrl, query)
      }
      results.push(result)
      console.log(line(result))
    }
  }
  await recorder.stop()
  return results
}

async function measureThroughput(
  url: string,
  queryUrl: string,
  query: string,
): Promise<NonNullable<Result['throughput']>> {
  const perSecond: NonNullable<Result['throughput']> = {}
  for (const connections of [1, 8, 64]) {
    const raw = await autocannon({
      url: queryUrl,
      method: 'POST',
      headers: { accept: 'application/n-triples', 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ query }).toString(),
      connections,
      duration: Number(options.seconds),
    })
    const ours = await autocannon({ url, connections, duration: Number(options.seconds) })
    if (ours.non2xx + ours.errors > 0)
      console.log(`${url}: ${ours.non2xx} answers other than 2xx, ${ours.errors} errors`)
    perSecond[connections] = { ours: ours.requests.average, raw: raw.requests.average }
  }
  return perSecond
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
    result.records >= 1000 ? result.firstByte!.toFixed(2) : '',
    result.longestDelayMs.toFixed(0),
    result.peakMegabytes.toFixed(0),
    throughput,
  ]
  return `| ${cells.join(' | ')} |`
}

const HEAD = `| operation | records | form | raw ms, median / p99 | ours ms, median / p99 | ratio | first byte / raw | event loop held, ms | peak MB | requests/s ours/raw by connections |
|---|---|---|---|---|---|---|---|---|---|`

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
}
const directory = resolve(import.meta.dirname, 'results')
await mkdir(directory, { recursive: true })
const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version }
const date = new Date().toISOString().slice(0, 10)
await writeFile(resolve(directory, 'latest.json'), JSON.stringify({ date, machine, results }, undefined, 1))
for (const [name, list] of Object.entries(results))
  await writeFile(resolve(directory, `${name}.svg`), chart(name, list))
process.exit()
