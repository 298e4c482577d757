/** The same concepts in vocabularies of growing size. */
import { createReadStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { newDirectory } from '../test/process.ts'
import { median, timedAnswer } from './measure.ts'
import { LARGE, settled, startService, withStore, type StoreName } from './stand.ts'

interface GrowthOptions {
  /** The whole of Iconclass, 1,370,000 concepts, as the last one. */
  large: boolean
  /** Requests for each operation. */
  rounds: number
}

const SIZES = [1000, 10_000, 100_000]
const WARM_UP = 20

const ALL = '/voc/concepts?uri=http://iconclass.org/rdf/2021/09/'

/** Paths; HALF stands for half the number of concepts. */
const OPERATIONS = {
  'one concept by uri': '/data?uri=http://iconclass.org/25F',
  'one concept by notation': '/data?notation=25F',
  narrower: '/narrower?uri=http://iconclass.org/7',
  broader: '/broader?uri=http://iconclass.org/25F',
  ancestors: '/ancestors?uri=http://iconclass.org/25F',
  'top concepts': '/voc/iconclass/top',
  vocabularies: '/voc',
  'first 100 of all concepts': `${ALL}&limit=100`,
  '100 in the middle': `${ALL}&limit=100&offset=HALF`,
  'number of concepts': `${ALL}&limit=0`,
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

async function measure(url: string, rounds: number): Promise<Record<string, number>> {
  const medians: Record<string, number> = {}
  const { headers } = await fetch(`${url}${ALL}&limit=0`)
  const half = String(Number(headers.get('x-total-count')) >> 1)
  for (const [name, path] of Object.entries(OPERATIONS)) {
    const times: number[] = []
    for (let i = 0; i < rounds + WARM_UP; i++) {
      const { totalMs } = await timedAnswer(() => fetch(url + path.replace('HALF', half)))
      if (i >= WARM_UP) times.push(totalMs)
    }
    medians[name] = median(times)
  }
  return medians
}

/**
 * Prints medians for each size, and how they compare with 10,000 concepts.
 *
 * The smaller vocabularies are the upper part of Iconclass, so that a concept, the concepts below it and those above it
 * are the same in all of them.
 */
export async function growth(stores: readonly StoreName[], { large, rounds }: GrowthOptions): Promise<void> {
  const directory = await newDirectory()
  const files: Record<string, string> = {}
  for (const size of SIZES) {
    files[size] = join(directory, `${size}.ttl`)
    await writeFile(files[size], await upperPart(size))
  }
  if (large) files['full'] = LARGE.iconclass
  for (const name of stores) {
    const results: Record<string, Record<string, number>> = {}
    for (const [size, file] of Object.entries(files)) {
      results[size] = await withStore(name, size, { iconclass: file }, async ({ endpoint }) => {
        const service = await startService(endpoint)
        // The first pass warms both up.
        await measure(service.url, rounds)
        await settled(service)
        const medians = await measure(service.url, rounds)
        await service.stop()
        return medians
      })
    }
    const sizes = Object.keys(results)
    console.log(`\n${name}: medians in ms, and beside 10,000 concepts\n`)
    console.log(`| operation | ${sizes.join(' | ')} |\n|---|${sizes.map(() => '---|').join('')}`)
    for (const operation of Object.keys(OPERATIONS)) {
      const base = results['10000']![operation]!
      const cells = sizes
        .map((size) => results[size]![operation]!)
        .map((ms) => `${ms.toFixed(1)} (${(ms / base).toFixed(2)})`)
      console.log(`| ${operation} | ${cells.join(' | ')} |`)
    }
  }
  await rm(directory, { recursive: true })
}
