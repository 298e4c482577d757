/**
 * Mappings in a concordance of 500,000 beside one of 5,000: loading, both directions, by vocabulary, pages and totals.
 * Each request is sent for another concept, so the service remembers no answer.
 */
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { loadConcordances } from '../src/doors/mappings/load-concordances.ts'
import { loadMappings } from '../src/doors/mappings/load.ts'
import { SKOS } from '../src/base/namespaces.ts'
import { newDirectory } from '../test/process.ts'
import { median, quantile, timed } from './measure.ts'
import { startServiceWithIndex, withStore, type Service, type Store, type StoreName } from './stand.ts'

const SIZES = [5000, 500_000]
const REQUESTS = 200
const TYPES = ['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch']

/** Prints a table for each store. */
export async function mappings(stores: readonly StoreName[]): Promise<void> {
  for (const name of stores) await withStore(name, 'mappings', {}, measure)
}

const scheme = (side: string, size: number) => `http://example.org/${side}/${size}/`
const concept = (side: string, size: number, at: number) => `${scheme(side, size)}${at}`

async function measure(store: Store): Promise<void> {
  const directory = await newDirectory()
  for (const size of SIZES) {
    const file = await writeMappings(directory, size)
    const record = join(directory, `${size}.json`)
    const [fromScheme, toScheme] = ['from', 'to'].map((side) => ({ uri: scheme(side, size) }))
    await writeFile(
      record,
      JSON.stringify({ uri: `http://example.org/concordance/${size}`, notation: [`c${size}`], fromScheme, toScheme }),
    )
    await loadConcordances(store.client, [record], {})
    const ms = await timed(() => loadMappings(store.client, [file], `c${size}`, {}))
    console.log(`${store.name}: ${size} mappings loaded in ${(ms / 1000).toFixed(1)} s`)
  }
  await rm(directory, { recursive: true })
  const { service, indexMs } = await startServiceWithIndex(store)
  try {
    console.log(`${store.name}: index read from the store in ${(indexMs / 1000).toFixed(1)} s\n`)
    console.log('| question | mappings | p50 ms | p99 ms |\n|---|---|---|---|')
    for (const [question, query] of QUESTIONS) for (const size of SIZES) await row(service, question, size, query)
  } finally {
    await service.stop()
  }
}

/** A file with one mapping for each concept of a made vocabulary. */
async function writeMappings(directory: string, size: number): Promise<string> {
  const file = join(directory, `${size}.ndjson`)
  const stream = createWriteStream(file)
  for (let at = 0; at < size; at++) {
    const [from, to] = ['from', 'to'].map((side) => ({ memberSet: [{ uri: concept(side, size, at) }] }))
    const [fromScheme, toScheme] = ['from', 'to'].map((side) => ({ uri: scheme(side, size) }))
    const type = [SKOS + TYPES[at % TYPES.length]!]
    const line = JSON.stringify({ from, to, fromScheme, toScheme, type, modified: `2026-01-${(at % 18) + 10}` })
    if (!stream.write(`${line}\n`)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'close')
  return file
}

/** Questions, and their query for the n-th request about a concordance. */
const QUESTIONS: readonly [string, (size: number, nth: number) => string][] = [
  ['from a concept', (size, nth) => `from=${concept('from', size, nth)}`],
  ['to a concept, backward', (size, nth) => `from=${concept('to', size, nth)}&direction=backward`],
  ['of a concept, both directions', (size, nth) => `from=${concept('from', size, nth)}&direction=both`],
  [
    'by both vocabularies, a page of 100',
    (size, nth) => `fromScheme=${scheme('from', size)}&toScheme=${scheme('to', size)}&offset=${nth}`,
  ],
  ['by vocabulary, the last page', (size, nth) => `fromScheme=${scheme('from', size)}&offset=${size - 100 - nth}`],
  [
    'of a concordance, by type',
    (size, nth) =>
      `partOf=http://example.org/concordance/${size}&type=${encodeURIComponent(SKOS + TYPES[0])}&offset=${nth}`,
  ],
]

async function row(
  service: Service,
  question: string,
  size: number,
  query: (size: number, nth: number) => string,
): Promise<void> {
  const times: number[] = []
  for (let nth = 1; nth <= REQUESTS; nth++) {
    const ask = async () => {
      const response = await fetch(`${service.url}/mappings?${query(size, nth)}`)
      await response.arrayBuffer()
      if (!response.ok || response.headers.get('x-total-count') === '0')
        throw new Error(`${question}: ${response.status}`)
    }
    times.push(await timed(ask))
  }
  console.log(`| ${question} | ${size} | ${median(times).toFixed(1)} | ${quantile(times, 0.99).toFixed(1)} |`)
}
