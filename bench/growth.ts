/** The same concepts in vocabularies of growing size. */
import { createReadStream } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { newDirectory } from '../test/process.ts'
import { makeVocabulary } from './large.ts'
import { median, timedAnswer } from './measure.ts'
import { LARGE, settled, startService, withStore, type StoreName } from './stand.ts'

interface GrowthOptions {
  /** The whole of Iconclass, 1,370,000 concepts, as the last one. */
  large: boolean
  /** Numbers of concepts of made vocabularies; undefined: parts of Iconclass. */
  concepts?: readonly number[]
  /** Requests for each operation. */
  rounds: number
  /** At a time. */
  connections: readonly number[]
}

const SIZES = [1000, 10_000, 100_000]
/** The size beside which the others are shown. */
const BASE = '10000'
const WARM_UP = 20

/** A vocabulary of a size, and what is asked of it. */
interface Sized {
  id: string
  uri: string
  file: string
  /** URI and notation of a concept with narrower ones. */
  concept: string
  notation: string
  /** A concept with many narrower ones. */
  wide: string
  word: string
}

const ICONCLASS = {
  id: 'iconclass',
  uri: 'http://iconclass.org/rdf/2021/09/',
  concept: 'http://iconclass.org/25F',
  notation: '25F',
  wide: 'http://iconclass.org/7',
  word: 'tier',
}

const MADE = 'http://example.org/large/'

/** A made vocabulary, with a concept from its middle. */
async function made(count: number, directory: string): Promise<Sized> {
  const notation = String(count >> 1)
  const concept = MADE + notation
  const file = await makeVocabulary(count, directory)
  return { id: 'large', uri: MADE, file, concept, notation, wide: `${MADE}1`, word: 'berg' }
}

/** Paths; HALF stands for half the number of concepts. */
const OPERATIONS: Record<string, (sized: Sized) => string> = {
  'one concept by uri': ({ concept }) => `/data?uri=${concept}`,
  'one concept by notation': ({ notation, id }) => `/data?notation=${notation}&voc=${id}`,
  narrower: ({ concept }) => `/narrower?uri=${concept}`,
  'first 100 narrower of a wide concept': ({ wide }) => `/narrower?uri=${wide}&limit=100`,
  broader: ({ concept }) => `/broader?uri=${concept}`,
  ancestors: ({ concept }) => `/ancestors?uri=${concept}`,
  'top concepts': ({ id }) => `/voc/${id}/top`,
  vocabularies: () => '/voc',
  'first 100 of all concepts': ({ uri }) => `/voc/concepts?uri=${uri}&limit=100`,
  '100 in the middle': ({ uri }) => `/voc/concepts?uri=${uri}&limit=100&offset=HALF`,
  'number of concepts': ({ uri }) => `/voc/concepts?uri=${uri}&limit=0`,
  search: ({ word }) => `/search?query=${word}`,
  suggestion: ({ word }) => `/suggest?search=${word.slice(0, 3)}`,
  'page of a concept': ({ concept }) => `/concept?uri=${concept}`,
  'tree at a concept': ({ id, concept }) => `/voc/${id}/tree?at=${concept}`,
  'tree at a wide concept': ({ id, wide }) => `/voc/${id}/tree?at=${wide}`,
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

/** @returns medians of milliseconds by operation. */
async function measure(
  url: string,
  sized: Sized,
  { rounds, connections }: { rounds: number; connections: number },
): Promise<Record<string, number>> {
  const medians: Record<string, number> = {}
  const { headers } = await fetch(url + OPERATIONS['number of concepts']!(sized))
  const half = String(Number(headers.get('x-total-count')) >> 1)
  for (const [name, path] of Object.entries(OPERATIONS)) {
    const times: number[] = []
    let left = rounds + WARM_UP
    const ask = async () => {
      while (left-- > 0) {
        const { totalMs } = await timedAnswer(() => fetch(url + path(sized).replace('HALF', half)))
        times.push(totalMs)
      }
    }
    await Promise.all(Array.from({ length: connections }, ask))
    medians[name] = median(times.slice(WARM_UP))
  }
  return medians
}

/** The vocabularies by their size. */
async function vocabularies({ large, concepts }: GrowthOptions, directory: string): Promise<Map<string, Sized>> {
  const sizes = new Map<string, Sized>()
  for (const count of concepts ?? []) sizes.set(String(count), await made(count, directory))
  if (concepts) return sizes
  for (const size of SIZES) {
    const file = join(directory, `${size}.ttl`)
    await writeFile(file, await upperPart(size))
    sizes.set(String(size), { ...ICONCLASS, file })
  }
  if (large) sizes.set('full', { ...ICONCLASS, file: LARGE.iconclass })
  return sizes
}

/**
 * Prints medians for each size, and how they compare with 10,000 concepts.
 *
 * The smaller parts of Iconclass are upper parts, so that a concept, the concepts below it and those above it are the
 * same in all of them.
 */
export async function growth(stores: readonly StoreName[], options: GrowthOptions): Promise<void> {
  const directory = await newDirectory()
  const sizes = await vocabularies(options, directory)
  for (const name of stores) {
    const results = new Map<string, Record<string, number>>()
    for (const [size, sized] of sizes) {
      const key = options.concepts ? `made-${size}` : size
      await withStore(name, key, { [sized.id]: sized.file }, async (store) => {
        const service = await startService(store.endpoint)
        await settled(service)
        for (const connections of options.connections) {
          // The first pass warms both up.
          await measure(service.url, sized, { ...options, connections })
          await settled(service)
          results.set(`${connections} ${size}`, await measure(service.url, sized, { ...options, connections }))
        }
        await service.stop()
      })
    }
    for (const connections of options.connections) {
      console.log(`\n${name}, ${connections} connections: medians in ms, and beside 10,000 concepts\n`)
      console.log(`| operation | ${[...sizes.keys()].join(' | ')} |\n|---|${[...sizes].map(() => '---|').join('')}`)
      for (const operation of Object.keys(OPERATIONS)) {
        const base = results.get(`${connections} ${BASE}`)?.[operation]
        const cells = [...sizes.keys()]
          .map((size) => results.get(`${connections} ${size}`)![operation]!)
          .map((ms) => (base === undefined ? ms.toFixed(1) : `${ms.toFixed(1)} (${(ms / base).toFixed(2)})`))
        console.log(`| ${operation} | ${cells.join(' | ')} |`)
      }
    }
  }
  await rm(directory, { recursive: true })
}
