/**
 * Searches and suggestions over Iconclass with its 491,000 labels, or with `--large` over all 1,370,000 concepts: their
 * times one by one, and the processor time of the service and its store together. No text is sent twice, so the service
 * remembers no answer.
 */
import { median, quantile, threadsMsOf, timed } from './measure.ts'
import {
  FILES,
  LARGE,
  reconcile,
  settled,
  startServiceWithIndex,
  withStore,
  type Service,
  type Store,
  type StoreName,
} from './stand.ts'

interface SearchOptions {
  large: boolean
}

const SEARCHES = 300
/** Searches before those that are measured: until then V8 has not compiled all code. */
const WARM_UP = 600
const CONNECTIONS = 32
const RECONCILED = 1000
/** Queries in one request to /reconcile. */
const BATCH = 50
const LANGUAGES = '"de", "en", "fr", "it"'

/** Prints a table for each store. */
export async function search(stores: readonly StoreName[], { large }: SearchOptions): Promise<void> {
  const files = large ? LARGE : { iconclass: FILES.iconclass }
  for (const name of stores) await withStore(name, large ? 'iconclass-full' : 'iconclass', files, measure)
}

async function measure(store: Store): Promise<void> {
  const words = await readWords(store)
  const { service, indexMs } = await startServiceWithIndex(store)
  const suggest = (text: string) => ask(service, `/suggest?search=${encodeURIComponent(text)}&voc=iconclass`)
  const search = (text: string) => ask(service, `/search?search=${encodeURIComponent(text)}&voc=iconclass&limit=10`)
  try {
    console.log(`${store.name}: search index read from the store in ${(indexMs / 1000).toFixed(1)} s`)
    const first = await measured(() => search('first'))
    console.log(
      `first search after a restart: ${first.ms.toFixed(0)} ms, ${first.processorMs.toFixed(0)} ms of processor\n`,
    )
    await settled(service)
    const take = (count: number) => words.splice(0, count)
    for (const word of take(WARM_UP / 2)) {
      await suggest(word.slice(0, 5))
      await search(withError(word))
    }
    console.log('| kind | requests | p50 ms | p99 ms | processor: p50 ms | p99 ms |\n|---|---|---|---|---|---|')
    await row(
      'suggestion, 3 to 8 letters',
      take(SEARCHES).map((word, at) => word.slice(0, 3 + (at % 6))),
      suggest,
    )
    await row('search, one word', take(SEARCHES), search)
    await row('search, one letter wrong', take(SEARCHES).map(withError), search)
    await row(
      'suggestion, two letters',
      [...new Set(take(5000).map((word) => word.slice(0, 2)))].slice(0, SEARCHES),
      suggest,
    )
    await row('search, inside of words', take(SEARCHES).map(inside), search)
    await row(
      'search, `*` at both ends',
      take(SEARCHES).map((word, at) => `*${inside(word, at)}*`),
      search,
    )
    const faulty = take(RECONCILED).map((word) => ({ query: withError(word) }))
    const { ms, processorMs } = await measured(async () => {
      for (let at = 0; at < faulty.length; at += BATCH) {
        await reconcile(service.url, 'iconclass', faulty.slice(at, at + BATCH))
      }
    })
    const [s, processorS] = [ms, processorMs].map((time) => (time / 1000).toFixed(1))
    console.log(`\n${faulty.length} words with an error reconciled in ${s} s, ${processorS} s of processor`)
    await service.reset()
    const texts = take(3000).map((word) => word.slice(0, 6))
    await Promise.all(
      Array.from({ length: CONNECTIONS }, async () => {
        for (let text = texts.pop(); text !== undefined; text = texts.pop()) await suggest(text)
      }),
    )
    const { longestDelayMs } = await service.read()
    console.log(
      `event loop held for ${longestDelayMs.toFixed(0)} ms at most by searches over ${CONNECTIONS} connections\n`,
    )
  } finally {
    await service.stop()
  }

  async function row(kind: string, texts: readonly string[], request: (text: string) => Promise<void>): Promise<void> {
    const all: { ms: number; processorMs: number }[] = []
    for (const text of texts) all.push(await measured(() => request(text)))
    const times = [all.map(({ ms }) => ms), all.map(({ processorMs }) => processorMs)]
    const cells = times.flatMap((some) => [median(some), quantile(some, 0.99)]).map((ms) => ms.toFixed(1))
    console.log(`| ${kind} | ${texts.length} | ${cells.join(' | ')} |`)
  }

  /** The time of a request, and the processor time of the service and its store. */
  async function measured(request: () => Promise<void>): Promise<{ ms: number; processorMs: number }> {
    const processor = async () => (await threadsMsOf(service.pid)) + (await threadsMsOf(store.pid))
    const before = await processor()
    const ms = await timed(request)
    return { ms, processorMs: (await processor()) - before }
  }
}

/** Different words of labels, in an order that does not follow the alphabet. */
async function readWords({ client }: Store): Promise<string[]> {
  const rows = await client.select(
    `SELECT ?l { ?c <http://www.w3.org/2004/02/skos/core#prefLabel> ?l FILTER(LANG(?l) IN (${LANGUAGES})) } LIMIT 400000`,
  )
  const words = new Set(rows.flatMap(({ l }) => l!.value.toLowerCase().match(/\p{L}{6,}/gu) ?? []))
  const sorted = [...words].sort()
  return sorted.map((_, at) => sorted[(at * 7919) % sorted.length]!)
}

/** The word with its fourth letter replaced. */
function withError(word: string): string {
  return word.slice(0, 3) + (word[3] === 'x' ? 'y' : 'x') + word.slice(4)
}

/** Three to six letters from the second on. */
const inside = (word: string, at: number) => word.slice(1, 4 + (at % 4))

async function ask({ url }: Service, path: string): Promise<void> {
  const answer = await fetch(url + path)
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
}
