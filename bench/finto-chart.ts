/** Figures of a replayed day as a table and as a picture. */

/** Milliseconds of the answers of one kind. */
interface KindOfRequest {
  kind: string
  count: number
  p50: number
  p90: number
  p99: number
}

/** All requests of a day, once. */
export interface Round {
  name: string
  perSecond: number
  /** How many requests failed, by kind and status. */
  failed: Record<string, number>
  kinds: KindOfRequest[]
  /** Processor time of the service for an answer. */
  processorMs?: number
  /** The same of the store, if it is a process of its own. */
  storeMs?: number
  longestDelayMs?: number
  /** The largest memory of the service. */
  megabytes?: number
}

const ROW = 20
const LEFT = 130
const WIDTH = 900
const COLORS = ['#2a6f97', '#5aa469', '#b0b7bf']
/** The picture has tenths of a millisecond to ten seconds. */
const DECADES = [0.1, 1, 10, 100, 1000, 10_000]

/**
 * The tables in Markdown, one of all rounds and one of each, and the picture in SVG: p50 to p99 of each kind, on a
 * logarithmic scale.
 */
export function rounds(title: string, results: readonly Round[]): { table: string; picture: string } {
  const lines = results.flatMap(({ name, kinds }) => [
    `\n${title}, ${name}\n`,
    '| kind | requests | p50 ms | p90 ms | p99 ms |\n|---|---|---|---|---|',
    ...kinds.map(
      ({ kind, count, p50, p90, p99 }) => `| ${kind} | ${count} | ${[p50, p90, p99].map(rounded).join(' | ')} |`,
    ),
  ])
  return { table: [summary(title, results), ...lines].join('\n'), picture: picture(title, results) }
}

const HEAD = `|  | answers/s | failed | p50 ms | p90 ms | p99 ms | p99 of the first 3,000 | service ms | store ms | event loop held, ms | MB |
|---|---|---|---|---|---|---|---|---|---|---|`

/** A row for each round; docs/performance.md has this table. */
function summary(title: string, results: readonly Round[]): string {
  const rows = results.map(({ name, perSecond, failed, kinds, processorMs, storeMs, longestDelayMs, megabytes }) => {
    const [all, first] = kinds
    const failures = Object.entries(failed).map(([what, count]) => `${count} ${what}`)
    const cells = [
      name,
      perSecond.toFixed(0),
      failures.join(', ') || 'none',
      ...[all!.p50, all!.p90, all!.p99, first!.p99].map(rounded),
      ...[processorMs, storeMs].map((ms) => ms?.toFixed(2) ?? ''),
      ...[longestDelayMs, megabytes].map((figure) => figure?.toFixed(0) ?? ''),
    ]
    return `| ${cells.join(' | ')} |`
  })
  return [`\n${title}\n\n${HEAD}`, ...rows].join('\n')
}

const rounded = (ms: number) => (ms < 10 ? ms.toFixed(1) : ms.toFixed(0))

function picture(title: string, results: readonly Round[]): string {
  const kinds = results[0]!.kinds.map(({ kind }) => kind)
  const x = (ms: number) => LEFT + ((Math.log10(Math.max(0.1, ms)) + 1) / 5) * (WIDTH - LEFT - 20)
  const height = 80 + kinds.length * ROW
  const grid = DECADES.map(
    (ms) =>
      `<line x1="${x(ms)}" y1="50" x2="${x(ms)}" y2="${height - 20}" stroke="#ddd"/><text x="${x(ms)}" y="${height - 6}" text-anchor="middle">${ms} ms</text>`,
  )
  const legend = results.map(
    ({ name, perSecond }, at) =>
      `<rect x="${8 + at * 240}" y="30" width="10" height="10" fill="${COLORS[at % COLORS.length]}"/><text x="${24 + at * 240}" y="39">${name}, ${perSecond.toFixed(0)}/s</text>`,
  )
  const bars = kinds.flatMap((kind, row) => [
    `<text x="${LEFT - 8}" y="${64 + row * ROW}" text-anchor="end">${kind}</text>`,
    ...results.flatMap(({ kinds: some }, at) => {
      const figures = some.find((kindOfRequest) => kindOfRequest.kind === kind)
      if (!figures) return []
      const y = 54 + row * ROW + at * 5
      const [from, to] = [x(figures.p50), x(figures.p99)]
      return `<rect x="${from}" y="${y}" width="${Math.max(2, to - from)}" height="4" fill="${COLORS[at % COLORS.length]}"/>`
    }),
  ])
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" font-family="sans-serif" font-size="11">
<text x="8" y="18" font-size="14">From p50 to p99: ${title}</text>
${[...grid, ...legend, ...bars].join('\n')}
</svg>
`
}
