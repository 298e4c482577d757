/**
 * This version of the service beside another one, such as that before a change: both answer the same requests in turn,
 * each over a store that it has loaded itself. A machine that becomes slower for a while slows both, so ratios of a run
 * can be trusted where times of two runs cannot. With the same version on both sides they differ by up to a twentieth.
 */
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { median, threadsMsOf, timed, timedAnswer } from './measure.ts'
import { FORMS, operations, withParameters } from './operations.ts'
import type { RatioOptions } from './ratios.ts'
import { findSamples } from './samples.ts'
import * as stand from './stand.ts'

export interface AgainstOptions extends RatioOptions {
  /** The folder of the other version: a checkout in which `npm ci` has run. */
  against: string
}

const CONNECTIONS = [1, 64]
/** Requests for each connection in a turn of a version. */
const IN_TURN = 4
const WARM_UP = 3
const LEAST_TURNS = 6

interface Side {
  store: stand.Store
  service: stand.Service
  /** Of the same version, because the metrics that it looks at have changed. */
  settled: typeof stand.settled
}

interface Turn {
  /** For a request: of the client and of the processor, by the service and by its store. */
  ms: number
  serviceMs: number
  storeMs: number
}

/**
 * Prints a row for each operation and number of connections: times for a request of the other version and of this one.
 */
export async function compareVersions(stores: readonly stand.StoreName[], options: AgainstOptions): Promise<void> {
  const folder = resolve(options.against)
  execFileSync(process.execPath, ['build.mjs'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  const other = (await import(pathToFileURL(resolve(folder, 'bench/stand.ts')).href)) as typeof stand
  const { key, files } = options.large ? { key: 'full', files: stand.LARGE } : { key: 'base', files: stand.FILES }
  for (const name of stores) {
    await other.withStore(name, `${key}-of-other`, files, (otherStore) =>
      stand.withStore(name, key, files, async (store) => {
        const service = await stand.startService(store.endpoint)
        const otherService = await other.startService(otherStore.endpoint)
        const sides: [Side, Side] = [
          { store: otherStore, service: otherService, settled: other.settled },
          { store, service, settled: stand.settled },
        ]
        try {
          await compare(name, sides, options)
        } finally {
          await Promise.all(sides.map((side) => side.service.stop()))
        }
      }),
    )
  }
}

async function compare(name: string, sides: [Side, Side], { only, seconds }: AgainstOptions): Promise<void> {
  const wanted = new RegExp(only)
  const all = operations(await findSamples(sides[1].store.client))
  for (const { service } of sides) {
    for (const { requests } of all) await ask(service, requests[0]!.path)
  }
  await Promise.all(sides.map(({ service, settled }) => settled(service)))
  console.log(
    `\n${name}: other version -> this version, for a request\n\n` +
      '| operation | form | connections | ms | ratio | processor ms of the service | ratio | of the store | turns |\n' +
      '|---|---|---|---|---|---|---|---|---|',
  )
  for (const operation of all) {
    for (const { form, parameters } of FORMS) {
      if (!wanted.test(`${operation.name}, ${form}`) || (form !== 'JSON' && !operation.allForms)) continue
      const paths = operation.requests.map(({ path }) => withParameters(path, parameters))
      for (const connections of CONNECTIONS) {
        const turns = await inTurn(sides, paths, { connections, seconds })
        const cells = (['ms', 'serviceMs', 'storeMs'] as const).flatMap((what) => {
          const [before, now] = turns.map((some) => median(some.map((turn) => turn[what]))) as [number, number]
          return [
            `${before.toFixed(2)} -> ${now.toFixed(2)}`,
            ...(what === 'storeMs' ? [] : [(now / before).toFixed(2)]),
          ]
        })
        console.log(`| ${[operation.name, form, connections, ...cells, turns[0].length].join(' | ')} |`)
      }
    }
  }
}

async function inTurn(
  sides: [Side, Side],
  paths: readonly string[],
  { connections, seconds }: { connections: number; seconds: number },
): Promise<[Turn[], Turn[]]> {
  const turns: [Turn[], Turn[]] = [[], []]
  let end = Infinity
  for (let i = -WARM_UP; i < LEAST_TURNS || performance.now() < end; i++) {
    if (i === 0) end = performance.now() + seconds * 1000
    // Each version is first in every other turn.
    for (const at of i % 2 === 0 ? [0, 1] : [1, 0]) {
      const first = (i + WARM_UP) * connections * IN_TURN
      const turn = await takeTurn(sides[at]!, paths, connections, first)
      if (i >= 0) turns[at]!.push(turn)
    }
  }
  return turns
}

async function takeTurn(
  { service, store }: Side,
  paths: readonly string[],
  connections: number,
  first: number,
): Promise<Turn> {
  const count = connections * IN_TURN
  const before = await Promise.all([threadsMsOf(service.pid), threadsMsOf(store.pid)])
  let next = first
  const ms = await timed(() =>
    Promise.all(
      Array.from({ length: connections }, async () => {
        while (next < first + count) await ask(service, paths[next++ % paths.length]!)
      }),
    ),
  )
  const after = await Promise.all([threadsMsOf(service.pid), threadsMsOf(store.pid)])
  return { ms: ms / count, serviceMs: (after[0] - before[0]) / count, storeMs: (after[1] - before[1]) / count }
}

const ask = ({ url }: stand.Service, path: string) => timedAnswer(() => fetch(url + path))
