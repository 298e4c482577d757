/** Prints ratios and stores them. */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { resolve } from 'node:path'
import { chart, type ChartedResult } from './chart.ts'
import { median, quantile, type AnswerTime } from './measure.ts'

export interface Result extends ChartedResult {
  records: number
  rawP99Ms: number
  oursMs: number
  oursP99Ms: number
  /** The form of the raw requests: a file of bench/raw, or the service's own. */
  rawForm?: string
  /** Time until the first byte, as a share of the raw total. */
  firstByte?: number
  longestDelayMs?: number
  peakMegabytes?: number
  /** Memory of eight such requests at once, above that of the idle service. */
  megabytesAtOnce?: number
}

/** The figures that follow from the times of both sides. */
export function ratioOf(raw: readonly number[], ours: readonly number[]) {
  return {
    rawMs: median(raw),
    rawP99Ms: quantile(raw, 0.99),
    oursMs: median(ours),
    oursP99Ms: quantile(ours, 0.99),
    ratio: median(ours) / median(raw),
  }
}

export const firstByteShare = (ours: readonly AnswerTime[], rawMs: number) =>
  median(ours.map(({ firstByteMs }) => firstByteMs)) / rawMs

export const HEAD = `| operation | records | form | raw ms, median / p99 | ours ms, median / p99 | ratio | raw form | remembered, ms | first byte / raw | event loop held, ms | peak MB | MB for 8 at once |
|---|---|---|---|---|---|---|---|---|---|---|---|`

/** A row of the table below HEAD. */
export function row(result: Result): string {
  const cells = [
    result.operation,
    result.records,
    result.form,
    `${result.rawMs.toFixed(1)} / ${result.rawP99Ms.toFixed(1)}`,
    `${result.oursMs.toFixed(1)} / ${result.oursP99Ms.toFixed(1)}`,
    result.ratio.toFixed(2),
    result.rawForm ?? '',
    result.rememberedMs?.toFixed(1) ?? '',
    result.records >= 1000 ? (result.firstByte?.toFixed(2) ?? '') : '',
    result.longestDelayMs?.toFixed(0) ?? '',
    result.peakMegabytes?.toFixed(0) ?? '',
    result.megabytesAtOnce?.toFixed(0) ?? '',
  ]
  return `| ${cells.join(' | ')} |`
}

/** Writes `results/NAME.json` and a chart `results/NAME.svg`. */
export async function writeResults(name: string, results: readonly Result[]): Promise<void> {
  const directory = resolve(import.meta.dirname, 'results')
  await mkdir(directory, { recursive: true })
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, node: process.version }
  const date = new Date().toISOString().slice(0, 10)
  await writeFile(resolve(directory, `${name}.json`), JSON.stringify({ date, machine, results }, undefined, 1))
  await writeFile(resolve(directory, `${name}.svg`), chart(name, results))
}
