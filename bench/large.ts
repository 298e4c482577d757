/**
 * Loads as an operator waits for them, beside a plain PUT of the same graph: wall time, processor time, memory.
 *
 * Each load and each PUT has a store of its own that has just started, because a store is slower while Java warms up,
 * and quicker with terms that it has seen.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, readlink, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { NO_DEADLINE, SparqlClient, type StoreEndpoint } from '../src/graph/sparql/client.ts'
import type { LoadReport } from '../src/writing/loading/report.ts'
import { startFuseki } from '../test/fuseki.ts'
import { newDirectory, run, storeEnv } from '../test/process.ts'
import { median, megabytesOf, processorMsOf } from './measure.ts'
import { sizeChart, type Point } from './size-chart.ts'
import { dataFile, FILES, startEmbedded, type StoreName } from './stand.ts'

interface LargeOptions {
  /** Numbers of concepts of made vocabularies. */
  concepts: readonly number[]
  /** Repetitions of each load and each PUT. */
  rounds: number
  /** True: real vocabularies, too. */
  real: boolean
}

/** One concept in so many differs in the nightly load. */
const CHANGED = 100
const SAMPLE_MS = 50
const ID = 'large'

interface Cost {
  seconds: number
  /** Processor time of the command and its store. */
  processorSeconds: number
  /** The most memory of the command. */
  megabytes: number
  /** The most bytes of temporary files. */
  temporaryBytes: number
}

/** Prints a table for each store, and writes its picture of made vocabularies to bench/results/large-NAME.svg. */
export async function large(stores: readonly StoreName[], { concepts, rounds, real }: LargeOptions): Promise<void> {
  const folder = await newDirectory()
  const files: [name: string, file: string][] = real
    ? [
        ['nwbib-spatial', dataFile('vocab/nwbib-spatial.ttl')],
        ['STW', FILES.stw],
        ['iconclass-base', FILES.iconclass],
      ]
    : []
  for (const count of concepts) files.push([nameOf(count), await makeVocabulary(count, folder)])
  try {
    for (const name of stores) {
      console.log(
        `\n| ${name} | triples | PUT: s, processor s | first load: s, processor s | times the PUT: time, processor time | MB | temporary MB | again, s | 1 % changed: s, processor s | of the first load |`,
      )
      console.log('|---|---|---|---|---|---|---|---|---|---|')
      const measured = new Map<string, Measured>()
      for (const [label, file] of files) {
        const result = await measure(name, file, { folder, rounds })
        console.log(row(label, result))
        measured.set(label, result)
      }
      const picture = chartOf(
        name,
        concepts.toSorted((a, b) => a - b),
        measured,
      )
      await writeFile(resolve(import.meta.dirname, `results/large-${name}.svg`), picture)
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The file of a made vocabulary, as N-Triples. */
export async function makeVocabulary(count: number, folder: string): Promise<string> {
  const file = join(folder, `made-${count}.nt`)
  const maker = spawn(process.execPath, [dataFile('make-large.mjs'), String(count)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(maker, 'exit') as Promise<[number | null]>
  await pipeline(maker.stdout, createWriteStream(file))
  const [code] = await ended
  if (code !== 0) throw new Error(`make-large.mjs ended with ${code}`)
  return file
}

const nameOf = (concepts: number) => concepts.toLocaleString('en')

interface Measured {
  triples: number
  put: Cost
  load: Cost
  /** The same file again. */
  again: Cost
  /** Absent for real vocabularies. */
  changed?: Cost | undefined
}

async function measure(
  name: StoreName,
  file: string,
  { folder, rounds }: { folder: string; rounds: number },
): Promise<Measured> {
  const graph = join(folder, 'graph.nt')
  const loads: Cost[] = []
  const puts: Cost[] = []
  let again: Cost | undefined
  let changed: Cost | undefined
  let triples = 0
  for (let round = 0; round < rounds; round++) {
    const store = await startEmpty(name)
    try {
      const first = await loadFile(file, store)
      loads.push(first)
      triples = first.report.triples
      if (round === 0) {
        await writeStored(store, first.report.uri, graph)
        again = await loadFile(file, store)
        if (file.endsWith('.nt')) {
          const nightly = join(folder, basename(file).replace('.nt', '-nightly.nt'))
          await writeNightly(file, nightly)
          changed = await loadFile(nightly, store)
          await rm(nightly)
        }
      }
    } finally {
      await store.stop()
    }
    puts.push(await putGraph(name, graph))
  }
  await rm(graph)
  return { triples, put: of(puts), load: of(loads), again: again!, changed }
}

function row(label: string, { triples, put, load, again, changed }: Measured): string {
  const times = (a: number, b: number) => (a / b).toFixed(2)
  return `| ${[
    label,
    triples.toLocaleString('en'),
    inSeconds(put),
    inSeconds(load),
    `${times(load.seconds, put.seconds)}, ${times(load.processorSeconds, put.processorSeconds)}`,
    load.megabytes,
    Math.round(load.temporaryBytes / 1e6),
    again.seconds.toFixed(1),
    changed ? inSeconds(changed) : '',
    changed ? `${times(changed.seconds, load.seconds)}, ${times(changed.processorSeconds, load.processorSeconds)}` : '',
  ].join(' | ')} |`
}

/** The picture of the processor time of made vocabularies. */
function chartOf(name: StoreName, concepts: readonly number[], measured: ReadonlyMap<string, Measured>): string {
  const costs = (costOf: (result: Measured) => Cost): Point[] =>
    concepts.map((count) => [count, costOf(measured.get(nameOf(count))!).processorSeconds])
  return sizeChart(`Loads in processor time, ${name}`, 'concepts', {
    'plain PUT': costs(({ put }) => put),
    'first load': costs(({ load }) => load),
    'the same again': costs(({ again }) => again),
    '1 % changed': costs(({ changed }) => changed!),
  })
}

const inSeconds = ({ seconds, processorSeconds }: Cost) => `${seconds.toFixed(1)}, ${processorSeconds.toFixed(1)}`

/** The medians. */
function of(costs: readonly Cost[]): Cost {
  const middle = (key: keyof Cost) => median(costs.map((cost) => cost[key]))
  return {
    seconds: middle('seconds'),
    processorSeconds: middle('processorSeconds'),
    megabytes: middle('megabytes'),
    temporaryBytes: middle('temporaryBytes'),
  }
}

/** The same vocabulary with other labels of one concept in `CHANGED`. */
async function writeNightly(file: string, nightly: string): Promise<void> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Infinity })
  const concept = new RegExp(`/large/\\d*${'0'.repeat(String(CHANGED).length - 1)}> <[^>]*#prefLabel> "`)
  await pipeline(async function* () {
    for await (const line of lines) yield `${concept.test(line) ? line.replace('prefLabel> "', '$&new ') : line}\n`
  }, createWriteStream(nightly))
}

interface EmptyStore {
  /** Undefined: the command opens the embedded store in the folder of data itself. */
  endpoint: StoreEndpoint | undefined
  dataDir: string
  /** Milliseconds of processor time so far. */
  processorMs: () => Promise<number>
  stop: () => Promise<void>
}

async function startEmpty(name: StoreName): Promise<EmptyStore> {
  const dataDir = await newDirectory()
  const fuseki = name === 'fuseki' ? await startFuseki({ isPrivate: true, longLived: true }) : undefined
  return {
    endpoint: fuseki?.endpoint,
    dataDir,
    processorMs: async () => (fuseki ? processorMsOf(fuseki.pid) : 0),
    stop: async () => {
      await fuseki?.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** `vocab load` as a process of its own. */
async function loadFile(
  file: string,
  { endpoint, dataDir, processorMs }: EmptyStore,
): Promise<Cost & { report: LoadReport }> {
  const started = performance.now()
  const before = await processorMs()
  const child = run('dist/cli/main.js', ['load', file, '--id', ID, '--json'], {
    ...(endpoint ? storeEnv(endpoint) : {}),
    DATA_DIR: dataDir,
    MALLOC_ARENA_MAX: '2',
  })
  const said = text(child.stderr!)
  const printed = text(child.stdout!)
  const ended = once(child, 'exit') as Promise<[number | null]>
  const most = { megabytes: 0, commandMs: 0, temporaryBytes: 0 }
  // The kernel keeps the peak and the sum: whenever they are read last, little is missing.
  while (child.exitCode === null && child.signalCode === null) {
    most.megabytes = Math.max(most.megabytes, await megabytesOf(child.pid!, 'VmHWM'))
    most.commandMs = Math.max(most.commandMs, await processorMsOf(child.pid!))
    most.temporaryBytes = Math.max(most.temporaryBytes, await temporaryBytesOf(child.pid!))
    await Promise.race([ended, sleep(SAMPLE_MS)])
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`vocab load ended with ${code}: ${await said}`)
  return {
    report: JSON.parse(await printed) as LoadReport,
    seconds: (performance.now() - started) / 1000,
    processorSeconds: (most.commandMs + (await processorMs()) - before) / 1000,
    megabytes: most.megabytes,
    temporaryBytes: most.temporaryBytes,
  }
}

/** The bytes of the files that a process has open and that have no name any more, as temporary files are. */
async function temporaryBytesOf(pid: number): Promise<number> {
  const folder = `/proc/${pid}/fd`
  const sizes = (await readdir(folder).catch(() => [])).map(async (name) => {
    const descriptor = join(folder, name)
    const isGone = (await readlink(descriptor).catch(() => '')).endsWith(' (deleted)')
    return isGone ? (await stat(descriptor).catch(() => ({ size: 0 }))).size : 0
  })
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** Writes the graph of the vocabulary that was loaded into a file. */
async function writeStored({ endpoint, dataDir }: EmptyStore, uri: string, file: string): Promise<void> {
  const started = endpoint ? undefined : await startEmbedded(dataDir)
  const client = new SparqlClient({ endpoint: endpoint ?? started!.endpoint, timeoutMs: 300_000 })
  await pipeline(client.getGraph(uri, NO_DEADLINE), createWriteStream(file))
  await started?.stop()
}

/** A plain PUT of a graph into an empty store. */
async function putGraph(name: StoreName, file: string): Promise<Cost> {
  const folder = await newDirectory()
  const store =
    name === 'fuseki' ? await startFuseki({ isPrivate: true, longLived: true }) : await startEmbedded(folder)
  try {
    const client = new SparqlClient({ endpoint: store.endpoint, timeoutMs: 300_000 })
    await client.isJena()
    const [started, before, cpu] = [performance.now(), await processorMsOf(store.pid), process.cpuUsage()]
    await client.putGraph('http://example.org/bench', createReadStream(file), NO_DEADLINE)
    const seconds = (performance.now() - started) / 1000
    const { user, system } = process.cpuUsage(cpu)
    const processorSeconds = ((await processorMsOf(store.pid)) - before) / 1000 + (user + system) / 1e6
    return { seconds, processorSeconds, megabytes: 0, temporaryBytes: 0 }
  } finally {
    await store.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
