/**
 * The export of STW in each format beside the graph as the store sends it (SPARQL 1.1 Graph Store HTTP Protocol, GET).
 */
import { EXPORT_FORMATS } from '../src/doors/export/export.ts'
import { median, timed, timedAnswer } from './measure.ts'
import { ratioOf } from './report.ts'
import { FILES, settled, startService, withStore, type Store, type StoreName } from './stand.ts'

const ROUNDS = 5
const WARM_UP = 2
const GRAPH = 'http://zbw.eu/stw'
const MB = 1e6

/** Prints a table for each store. */
export async function exports(stores: readonly StoreName[]): Promise<void> {
  for (const name of stores) await withStore(name, 'export', { stw: FILES.stw }, measure)
}

async function measure(store: Store): Promise<void> {
  // So that the service reads the graph for each answer.
  const service = await startService(store.endpoint, { MAX_STALENESS_MS: '0' })
  await fetch(`${service.url}/voc/stw`)
  await settled(service)
  console.log(`\n${store.name}\n
| format | MB | raw ms | ours ms | ratio | first byte, ms | MB above the idle service |
|---|---|---|---|---|---|---|`)
  for (const { title, formats } of EXPORT_FORMATS) {
    const url = `${service.url}/voc/stw/export?format=${formats[0]}`
    await service.reset()
    const { peakBytes: idle } = await service.read()
    const raw: number[] = []
    const ours: number[] = []
    const firstByte: number[] = []
    let bytes = 0
    for (let round = 0; round < ROUNDS + WARM_UP; round++) {
      if (round === WARM_UP) for (const times of [raw, ours, firstByte]) times.length = 0
      raw.push(await timed(() => read(store)))
      const { totalMs, firstByteMs } = await timedAnswer(() => fetch(url))
      ours.push(totalMs)
      firstByte.push(firstByteMs)
      bytes = (await (await fetch(url)).arrayBuffer()).byteLength
    }
    const { peakBytes } = await service.read()
    const { rawMs, oursMs, ratio } = ratioOf(raw, ours)
    const figures = [bytes / MB, rawMs, oursMs, ratio, median(firstByte), (peakBytes - idle) / MB]
    console.log(`| ${[title, ...figures.map((figure) => Number(figure.toPrecision(3)))].join(' | ')} |`)
  }
  await service.stop()
}

async function read({ client }: Store): Promise<void> {
  for await (const chunk of client.getGraph(GRAPH)) void chunk
}
