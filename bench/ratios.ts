/**
 * The cost of the service beside the store.
 *
 * For each operation the client sends requests to the service, which remembers nothing, in turn with the raw request:
 * the fastest of the hand-written forms of bench/raw and the service's own, as one request whose N-Triples the same
 * client reads to the end; for an ingest the bare update. A second service gives remembered answers. Ratios are taken
 * within one run.
 */
import { measureIngest } from './ingest.ts'
import { median, timedAnswer, type AnswerTime } from './measure.ts'
import { fastestQueries, FORMS, operations, rawQuery, withParameters } from './operations.ts'
import { firstByteShare, HEAD, ratioOf, row, writeResults, type Result } from './report.ts'
import { findSamples, type Samples } from './samples.ts'
import {
  FILES,
  LARGE,
  postQuery,
  settled,
  startRecorder,
  startService,
  withStore,
  type Service,
  type Store,
  type StoreName,
} from './stand.ts'

export interface RatioOptions {
  /** Regular expression for operations, as in "descendants, 100, Turtle". */
  only: string
  /** For each operation. */
  seconds: number
  /** The whole of Iconclass instead of the usual vocabularies. */
  large: boolean
}

const MOST_SAMPLES = 100
const LEAST_SAMPLES = 3
/** The first ones of them are not remembered yet. */
const REMEMBERED_SAMPLES = 15
const AT_ONCE = 8

/** Prints a row for each operation; writes the results of a whole run to `results/`. */
export async function ratios(stores: readonly StoreName[], { only, seconds, large }: RatioOptions): Promise<void> {
  const wanted = new RegExp(only)
  for (const name of stores) {
    const results = await withStore(name, large ? 'full' : 'base', large ? LARGE : FILES, async (store) => {
      const service = await startService(store.endpoint)
      const remembering = await startService(store.endpoint, { CACHE_BYTES: String(64 << 20) })
      try {
        console.log(`\n${name}\n\n${HEAD}`)
        const samples = await findSamples(store.client)
        return await measure(store, { service, remembering }, samples, { only, seconds, large })
      } finally {
        await Promise.all([service, remembering].map((service) => service.stop()))
      }
    })
    results.push(...(await ingests(name, wanted)))
    if (only === '') await writeResults(large ? `${name}-large` : name, results)
  }
}

interface Services {
  service: Service
  /** The only one that remembers answers. */
  remembering: Service
}

async function measure(
  store: Store,
  { service, remembering }: Services,
  samples: Samples,
  { only, seconds }: RatioOptions,
): Promise<Result[]> {
  const wanted = new RegExp(only)
  const recorder = await startRecorder(store)
  const results: Result[] = []
  const all = operations(samples).filter(({ name }) => FORMS.some(({ form }) => wanted.test(`${name}, ${form}`)))
  for (const operation of all) {
    await (await fetch(service.url + operation.requests[0]!.path)).arrayBuffer()
  }
  await Promise.all([service, remembering].map(settled))
  for (const operation of all) {
    const { name, records, requests, atOnce, allForms } = operation
    for (const { form, parameters } of FORMS) {
      if (!wanted.test(`${name}, ${form}`)) continue
      if (form !== 'JSON' && !allForms) continue
      const asked = requests.map((request) => ({ ...request, path: withParameters(request.path, parameters) }))
      const sent: string[] = []
      for (const request of asked) sent.push(await rawQuery(recorder.record, request))
      // With all properties, the hand-written forms would leave things out.
      const { form: rawForm, queries } =
        'properties' in parameters ? { form: 'service', queries: sent } : await fastestQueries(store, asked, sent)
      const ours = (i: number) => timedAnswer(() => fetch(service.url + asked[i % asked.length]!.path))
      const raw = (i: number) => timedAnswer(() => postQuery(store.endpoint, queries[i % queries.length]!))
      for (let i = 0; i < 3; i++) await Promise.all([ours(i), raw(i)])
      await service.reset()
      const times = { raw: [] as AnswerTime[], ours: [] as AnswerTime[] }
      const end = performance.now() + seconds * 1000
      for (let i = 0; i < MOST_SAMPLES && (i < LEAST_SAMPLES || performance.now() < end); i++) {
        times.raw.push(await raw(i))
        times.ours.push(await ours(i))
      }
      const { longestDelayMs, peakBytes } = await service.read()
      const remembered: number[] = []
      const again = () => timedAnswer(() => fetch(remembering.url + asked[0]!.path))
      for (let i = 0; i < REMEMBERED_SAMPLES; i++) remembered.push((await again()).totalMs)
      const total = ({ totalMs }: AnswerTime) => totalMs
      const ratio = ratioOf(times.raw.map(total), times.ours.map(total))
      const result: Result = {
        operation: name,
        records,
        form,
        ...ratio,
        rawForm,
        rememberedMs: median(remembered),
        firstByte: firstByteShare(times.ours, ratio.rawMs),
        longestDelayMs,
        peakMegabytes: peakBytes / 1e6,
      }
      if (form === 'JSON' && atOnce)
        result.megabytesAtOnce = await megabytesAtOnce(service, service.url + asked[0]!.path)
      results.push(result)
      console.log(row(result))
    }
  }
  await recorder.stop()
  return results
}

/** Memory of some requests at once, above that of the service as it is before. */
async function megabytesAtOnce(service: Service, url: string): Promise<number> {
  await service.reset()
  const before = (await service.read()).peakBytes
  await Promise.all(Array.from({ length: AT_ONCE }, () => timedAnswer(() => fetch(url))))
  return ((await service.read()).peakBytes - before) / 1e6
}

/** Ingests of one concept and of 1,000, over a store of their own. */
async function ingests(name: StoreName, wanted: RegExp): Promise<Result[]> {
  const cases = [
    { concepts: 1, rounds: 30 },
    { concepts: 1000, rounds: 6 },
  ].map((size) => ({ ...size, operation: `ingest, ${size.concepts.toLocaleString('en')}` }))
  const chosen = cases.filter(({ operation }) => wanted.test(operation))
  if (chosen.length === 0) return []
  return withStore(name, 'ingest', {}, async (store) => {
    const results: Result[] = []
    for (const { concepts, rounds, operation } of chosen) {
      const { raw, ours } = await measureIngest(store, concepts, rounds)
      const result: Result = { operation, records: concepts, form: 'JSON', ...ratioOf(raw, ours) }
      results.push(result)
      console.log(row(result))
    }
    return results
  })
}
