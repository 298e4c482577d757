/**
 * Answers from the store, from the service's memory and from nginx, in one run; reads over two instances with a store
 * each. Two cores are too few to show growth, so this measures the processor time of an answer by process, and
 * calculates the rate of more cores from it.
 */
import { once } from 'node:events'
import autocannon from 'autocannon'
import { nginxMissing, startNginx } from '../test/deploy/nginx.ts'
import { PATHS } from './load.ts'
import { processorMsOf } from './measure.ts'
import { startService, withStore, type Service, type Store, type StoreName } from './stand.ts'

const CONNECTIONS = 16
const WARM_UP_S = 5
/** Addresses of clients, enough for both instances to get some. */
const CLIENTS = 40
const NO_CACHE = { 'cache-control': 'no-cache' }

/** One instance of the service and what it reads. */
interface Instance {
  service: Service
  /** Undefined: the store is in the process of the service. */
  store: Store | undefined
}

interface Figures {
  /** Answers a second. */
  rate: number
  /** Milliseconds of processor time for an answer, by process. */
  processor: Record<string, number>
}

/** Prints a table for each store. */
export async function nginx(stores: readonly StoreName[], { seconds }: { seconds: number }): Promise<void> {
  const missing = nginxMissing()
  if (missing) throw new Error(missing)
  for (const name of stores) {
    if (name === 'embedded') await measure(name, [undefined, undefined], seconds)
    else {
      await withStore(name, 'load', {}, (first) =>
        withStore(name, 'load-replica', {}, (second) => measure(name, [first, second], seconds)),
      )
    }
  }
}

async function measure(name: StoreName, stores: (Store | undefined)[], seconds: number): Promise<void> {
  const env = { DEMO: 'true', CACHE_CONTROL: 'public, max-age=0, s-maxage=3600', TRUST_PROXY: '1' }
  const start = async (store: Store | undefined, more = {}): Promise<Instance> => ({
    service: await startService(store?.endpoint, { ...env, ...more }),
    store,
  })
  const [first, second] = [await start(stores[0]), await start(stores[1])]
  const remembering = await start(stores[0], { CACHE_BYTES: String(64 << 20) })
  const before = await startNginx({
    instances: [first.service.url, second.service.url],
    clientsAreForwarded: true,
  })
  const print = async (what: string, url: string, asked: Asked) => {
    const { rate, processor } = await run(url, asked, seconds)
    const cells = ['service', 'store', 'second service', 'second store', 'nginx'].map(
      (process) => processor[process]?.toFixed(2) ?? '',
    )
    console.log(`| ${[name, what, rate.toFixed(0), ...cells].join(' | ')} |`)
    return processor
  }
  try {
    console.log(
      '| store | answers | a second | ms of service | of store | of the second service | of its store | of nginx |\n|---|---|---|---|---|---|---|---|',
    )
    const workers = await before.workers()
    await print('from the store', first.service.url, { instances: [first] })
    await print('remembered by the service', remembering.service.url, { instances: [remembering] })
    await print('kept by nginx', before.url, { instances: [first, second], nginx: workers, isKept: true })
    const each = await print('from the store, over two instances', before.url, {
      instances: [first, second],
      nginx: workers,
      clients: CLIENTS,
      headers: NO_CACHE,
    })
    const slowest = Math.max(each['service']!, each['store'] ?? 0)
    console.log(
      `Calculated: an instance ${each['store'] === undefined ? 'with a core' : 'with a core, and its store with another,'} answers ${(1000 / slowest).toFixed(0)} of these requests a second; n instances with a store each n times as many, until nginx has no core left.`,
    )
  } finally {
    await before.stop()
    for (const { service } of [first, second, remembering]) await service.stop()
  }
}

interface Asked {
  instances: Instance[]
  /** The processes of nginx, if it gets the requests. */
  nginx?: number[]
  clients?: number
  headers?: Record<string, string>
  /** True: the instances get no requests, and their time counts for all answers. */
  isKept?: boolean
}

async function run(
  url: string,
  { instances, nginx, clients = 1, headers, isKept }: Asked,
  seconds: number,
): Promise<Figures> {
  const requests = PATHS.flatMap((path) =>
    Array.from({ length: clients }, (_, at) => ({
      method: 'GET' as const,
      path,
      headers: { ...headers, 'x-forwarded-for': `192.0.2.${at + 1}` },
    })),
  )
  const load = async (duration: number) => {
    const instance = autocannon({ url, connections: CONNECTIONS, duration, requests }, () => undefined)
    const [result] = (await once(instance, 'done')) as [autocannon.Result]
    if (result.non2xx + result.errors > 0)
      throw new Error(`${url}: ${result.non2xx} answers other than 2xx, ${result.errors} errors`)
    return result
  }
  await load(WARM_UP_S)
  const [early, answersEarly] = [await processorTimes(instances, nginx), await answersOf(instances)]
  const { requests: counted, duration } = await load(seconds)
  const [late, answersLate] = [await processorTimes(instances, nginx), await answersOf(instances)]
  const processor: Record<string, number> = {}
  for (const [process, milliseconds] of Object.entries(late)) {
    const at = process.startsWith('second') ? 1 : 0
    const answers = process === 'nginx' || isKept ? counted.total : answersLate[at]! - answersEarly[at]!
    processor[process] = (milliseconds - early[process]!) / answers
  }
  return { rate: counted.total / duration, processor }
}

/** Milliseconds of processor time so far, by process. */
async function processorTimes(instances: Instance[], nginx: number[] = []): Promise<Record<string, number>> {
  const times: Record<string, number> = {}
  for (const [at, { service, store }] of instances.entries()) {
    const prefix = at === 0 ? '' : 'second '
    times[`${prefix}service`] = await processorMsOf(service.pid)
    if (store) times[`${prefix}store`] = await processorMsOf(store.pid)
  }
  for (const pid of nginx) times['nginx'] = (times['nginx'] ?? 0) + (await processorMsOf(pid))
  return times
}

/** The answers of each instance so far, those about itself aside. */
async function answersOf(instances: Instance[]): Promise<number[]> {
  return Promise.all(
    instances.map(async ({ service }) => {
      const figures = await (await fetch(`${service.url}/metrics`)).text()
      const counts = figures.match(/^http_requests_total\{.*$/gm) ?? []
      return counts
        .filter((line) => !line.includes('route="/metrics"'))
        .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
    }),
  )
}
