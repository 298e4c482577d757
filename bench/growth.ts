/**
 * The same concepts in vocabularies of growing size: `node --import tsx bench/growth.ts [--store fuseki|embedded] [--large]`
 *
 * The smaller ones are the upper part of Iconclass, so that a concept, what is below it and what is above it are the same
 * everywhere. With --large the whole of it, 1,370,000 concepts, is the last one.
 */
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { parseArgs } from 'node:util'
import { createGunzip } from 'node:zlib'
import { median, timed } from './measure.ts'
import { LARGE, startService, startStore, type StoreName } from './stand.ts'

const { values: options } = parseArgs({
  options: {
    store: { type: 'string', default: 'fuseki' },
    large: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '60' },
  },
})
const SIZES = [1000, 10_000, 100_000]
const ROUNDS = Number(options.rounds)

const OPERATIONS = {
  'one concept by uri': '/data?uri=http://iconclass.org/25F',
  'one concept by notation': '/data?notation=25F',
  narrower: '/narrower?uri=http://iconclass.org/7',
  broader: '/broader?uri=http://iconclass.org/25F',
  ancestors: '/ancestors?uri=http://iconclass.org/25F',
  'top concepts': '/voc/iconclass/top',
  vocabularies: '/voc',
}

/** Lines of the file: its head, then one concept each. */
function lines() {
  return createInterface({ input: createReadStream(LARGE.iconclass).pipe(createGunzip()) })
}

const notationLength = (line: string) => /skos:notation "(.*?)"/.exec(line)?.[1]?.length ?? 0

/** The head of the file and the concepts with the shortest notations: those above come before those below. */
async function upperPart(size: number): Promise<string> {
  const lengths: number[] = []
  for await (const line of lines()) {
    if (line.includes(' a skos:Concept;')) lengths[notationLength(line)] = (lengths[notationLength(line)] ?? 0) + 1
  }
  let longest = 0
  for (let sum = 0; sum < size; longest++) sum += lengths[longest] ?? 0
  const kept: string[] = []
  let last = size - lengths.slice(0, longest - 1).reduce((a, b) => a + (b || 0), 0)
  for await (const line of lines()) {
    const length = line.includes(' a skos:Concept;') ? notationLength(line) : 0
    if (length < longest - 1 || (length === longest - 1 && last-- > 0)) kept.push(line)
  }
  return `${kept.join('\n')}\n`
}

async function measure(url: string): Promise<Record<string, number>> {
  const medians: Record<string, number> = {}
  for (const [name, path] of Object.entries(OPERATIONS)) {
    const times: number[] = []
    for (let i = 0; i < ROUNDS + 20; i++) {
      const time = await timed(async () => {
        const response = await fetch(url + path)
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${path}: ${response.status}`)
      })
      if (i >= 20) times.push(time)
    }
    medians[name] = median(times)
  }
  return medians
}

for (const name of options.store.split(',') as StoreName[]) {
  const sizes: [string, string][] = []
  const directory = await mkdtemp(join(tmpdir(), 'vocabulary-service-growth-'))
  for (const size of SIZES) {
    const file = join(directory, `${size}.ttl`)
    await writeFile(file, await upperPart(size))
    sizes.push([String(size), file])
  }
  if (options.large) sizes.push(['full', LARGE.iconclass])
  const results: Record<string, Record<string, number>> = {}
  for (const [size, file] of sizes) {
    const store = await startStore(name, size, { iconclass: file })
    const service = await startService(store.endpoint)
    // Both warm: the second look counts.
    await measure(service.url)
    results[size] = await measure(service.url)
    await service.stop()
    await store.stop()
  }
  await rm(directory, { recursive: true })
  const head = Object.keys(results)
  console.log(`\n${name}: medians in ms, and beside 10,000 concepts\n`)
  console.log(`| operation | ${head.join(' | ')} |\n|---|${head.map(() => '---|').join('')}`)
  for (const operation of Object.keys(OPERATIONS)) {
    const base = results['10000']![operation]!
    const cells = head
      .map((size) => results[size]![operation]!)
      .map((ms) => `${ms.toFixed(1)} (${(ms / base).toFixed(2)})`)
    console.log(`| ${operation} | ${cells.join(' | ')} |`)
  }
}
process.exit()
