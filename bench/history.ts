/**
 * The cost of the history: loads of STW over an older state of it, and ingests, with HISTORY=on and HISTORY=off in
 * turn.
 */
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { Parser, Writer, type Quad } from 'n3'
import { newToken } from '../src/writing/ingest/accounts.ts'
import { CONCEPT, RDF_TYPE, SKOS } from '../src/base/namespaces.ts'
import type { StoreEndpoint } from '../src/graph/sparql/client.ts'
import { startFuseki } from '../test/fuseki.ts'
import { addAccount, concept } from '../test/writing/ingest/service.ts'
import { newDirectory, run, storeEnv } from '../test/process.ts'
import { median, megabytesOf, timed } from './measure.ts'
import { FILES, startService, type StoreName } from './stand.ts'

const ID = 'stw'
/** One concept in so many differs from the older state. */
const CHANGED = 50
const INGESTS = [1, 100]
const INGEST_ROUNDS = 20
const WARM_UP = 3

/** A store and a folder of data with the history on or off. */
interface Side {
  mode: 'on' | 'off'
  env: NodeJS.ProcessEnv & { DATA_DIR: string }
  endpoint: StoreEndpoint | undefined
  stop(): Promise<void>
}

interface Load {
  seconds: number
  /** The most memory of the process; over the embedded store this is in it. */
  megabytes: number
}

/** Prints a table for each store. */
export async function history(
  stores: readonly StoreName[],
  { rounds, file = FILES.stw }: { rounds: number; file?: string },
): Promise<void> {
  const folder = await newDirectory()
  const older = join(folder, 'older.nt')
  const { concepts, changed } = await writeOlder(file, older)
  console.log(`${concepts} concepts; in the older state ${changed} of them are missing or different`)
  for (const name of stores) {
    const sides = [await startSide(name, 'off'), await startSide(name, 'on')]
    try {
      await measure(name, sides, { newer: file, older, rounds })
    } finally {
      for (const side of sides) await side.stop()
    }
  }
  await rm(folder, { recursive: true })
}

/**
 * An older state of a vocabulary, by rule: of every fiftieth concept in the order of URIs the first is missing, the
 * second has another label in each language, the third has lost its further names and has a note, and so on.
 */
async function writeOlder(file: string, older: string): Promise<{ concepts: number; changed: number }> {
  const quads = new Parser().parse(readFileSync(file, 'utf8'))
  const isConcept = ({ predicate, object }: Quad) => predicate.value === RDF_TYPE && object.value === CONCEPT
  const concepts = [...new Set(quads.filter(isConcept).map(({ subject }) => subject.value))].sort()
  const chosen = concepts.filter((_, at) => at % CHANGED === 0)
  const kinds = new Map(chosen.map((uri, at) => [uri, (['missing', 'renamed', 'poorer'] as const)[at % 3]!]))
  const writer = new Writer({ format: 'N-Triples' })
  let lines = ''
  for (const { subject, predicate, object } of quads) {
    const kind = kinds.get(subject.value)
    if (kind === 'missing' || kinds.get(object.value) === 'missing') continue
    if (kind === 'poorer' && predicate.value === `${SKOS}altLabel`) continue
    const line = writer.quadToString(subject, predicate, object)
    const isRenamed = kind === 'renamed' && predicate.value === `${SKOS}prefLabel`
    lines += isRenamed ? line.replace(/"(@[\w-]+ \.\n)$/, ' (old)"$1') : line
  }
  for (const [uri, kind] of kinds) {
    if (kind === 'poorer') lines += `<${uri}> <${SKOS}editorialNote> "To be checked."@en .\n`
  }
  await writeFile(older, lines)
  return { concepts: concepts.length, changed: chosen.length }
}

async function startSide(name: StoreName, mode: Side['mode']): Promise<Side> {
  const dataDir = await newDirectory()
  const fuseki = name === 'fuseki' ? await startFuseki() : undefined
  return {
    mode,
    endpoint: fuseki?.endpoint,
    env: { DATA_DIR: dataDir, HISTORY: mode, ...(fuseki ? storeEnv(fuseki.endpoint) : {}) },
    stop: async () => {
      await fuseki?.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function measure(
  name: StoreName,
  sides: readonly Side[],
  { newer, older, rounds }: { newer: string; older: string; rounds: number },
): Promise<void> {
  const loads = new Map<string, Record<Side['mode'], Load[]>>()
  const logs: Record<string, number> = {}
  for (let round = 0; round < rounds; round++) {
    const steps: [what: string, file: string][] = [
      [round === 0 ? 'first load, of the older state' : 'load of the older state over it', older],
      ['load over the older state', newer],
      ['the same file again', newer],
    ]
    for (const [what, file] of steps) {
      for (const side of round % 2 === 0 ? sides : [...sides].reverse()) {
        const measured = loads.get(what) ?? { on: [], off: [] }
        measured[side.mode].push(await loadFile(side, file))
        loads.set(what, measured)
        if (side.mode === 'on' && round === 0) logs[what] = logBytes(side)
      }
    }
  }
  const rows: [string, ...unknown[]][] = []
  for (const [what, { on, off }] of loads) {
    const [seconds, without] = [on, off].map((list) => median(list.map((load) => load.seconds))) as [number, number]
    const [memory, before] = [on, off].map((list) => median(list.map((load) => load.megabytes))) as [number, number]
    const log = what in logs ? `${(logs[what]! / 1e6).toFixed(2)} MB` : ''
    rows.push([`${what}, s`, without.toFixed(2), seconds.toFixed(2), (seconds / without).toFixed(2), log])
    rows.push([`${what}, MB`, before, memory, (memory / before).toFixed(2), ''])
  }
  rows.push(...(await measureIngests(sides)))
  console.log(`\n| ${name} | off | on | ratio | the log afterwards |\n|---|---|---|---|---|`)
  for (const row of rows) console.log(`| ${row.join(' | ')} |`)
}

/** `vocab load` as a process of its own. */
async function loadFile({ env }: Side, file: string): Promise<Load> {
  const started = performance.now()
  const child = run('dist/cli/main.js', ['load', file, '--id', ID, '--json'], env)
  const said = text(child.stderr!)
  child.stdout!.resume()
  const ended = once(child, 'exit') as Promise<[number | null]>
  let megabytes = 0
  // The peak that the kernel counts: whenever it is read last, little is missing.
  while (child.exitCode === null && child.signalCode === null) {
    megabytes = Math.max(megabytes, await megabytesOf(child.pid!, 'VmHWM'))
    await Promise.race([ended, sleep(20)])
  }
  const [code] = await ended
  if (code !== 0) throw new Error(`vocab load ended with ${code}: ${await said}`)
  return { seconds: (performance.now() - started) / 1000, megabytes }
}

function logBytes({ env }: Side): number {
  return statSync(join(env.DATA_DIR, 'history', 'log.sqlite')).size
}

/** Ingests at two services in turn. */
async function measureIngests(sides: readonly Side[]): Promise<[string, ...unknown[]][]> {
  const account = { username: 'bench', token: newToken() }
  const services = []
  for (const { mode, env, endpoint } of sides) {
    const service = await startService(endpoint, env)
    const [{ uri }] = (await (await fetch(`${service.url}/voc/${ID}`)).json()) as [{ uri: string }]
    await addAccount(env.DATA_DIR, account, { voc: uri, emails: [] })
    services.push({ mode, uri, service })
  }
  const [before] = sides.filter(({ mode }) => mode === 'on').map(logBytes)
  try {
    const rows: [string, ...unknown[]][] = []
    for (const size of INGESTS) {
      const times: Record<Side['mode'], number[]> = { on: [], off: [] }
      for (let round = 0; round < WARM_UP + INGEST_ROUNDS; round++) {
        for (const { mode, uri, service } of services) {
          const data = Array.from({ length: size }, () => concept({ inScheme: [{ uri }] }))
          const body = JSON.stringify([{ ...account, data: JSON.stringify(data) }])
          const took = await timed(async () => {
            const answer = await fetch(`${service.url}/ingest`, { method: 'POST', body })
            if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`)
            await answer.arrayBuffer()
          })
          if (round >= WARM_UP) times[mode].push(took)
        }
      }
      const [on, off] = [median(times.on), median(times.off)]
      rows.push([`ingest of ${size}, ms`, off.toFixed(1), on.toFixed(1), (on / off).toFixed(2), ''])
    }
    const peaks: Record<string, number> = {}
    for (const { mode, service } of services) {
      peaks[mode] = Math.round((await service.read()).peakBytes / 1e6)
      await service.stop()
    }
    const ratio = (peaks['on']! / peaks['off']!).toFixed(2)
    const [after] = sides.filter(({ mode }) => mode === 'on').map(logBytes)
    const grown = `${((after! - before!) / 1e6).toFixed(2)} MB more`
    rows.push(['the service with these ingests, MB', peaks['off'], peaks['on'], ratio, grown])
    return rows
  } finally {
    for (const { service } of services) await service.stop()
  }
}
