/** The figures of an operation that the chart shows. */
export interface ChartedResult {
  operation: string
  form: string
  rawMs: number
  ratio: number
  /** An answer that the service remembers. */
  rememberedMs?: number
}

const ROW = 34
const LEFT = 220
const WIDTH = 900
const COLORS = { raw: '#b0b7bf', ours: '#2a6f97', remembered: '#5aa469' }

/**
 * A chart of the time of answers, in SVG: the raw request, the service, and the service if it remembers the answer; the
 * time of the raw request is 1.
 */
export function chart(title: string, results: readonly ChartedResult[]): string {
  const shown = results.filter(({ form }) => form === 'JSON')
  const scale = (WIDTH - LEFT - 70) / Math.max(2, ...shown.map(({ ratio }) => ratio))
  const rows = shown.map(({ operation, ratio, rawMs, rememberedMs }, index) => {
    const bars = [
      { value: 1, color: COLORS.raw },
      { value: ratio, color: COLORS.ours },
      ...(rememberedMs === undefined ? [] : [{ value: rememberedMs / rawMs, color: COLORS.remembered }]),
    ]
    const y = 60 + index * ROW
    return `<text x="${LEFT - 8}" y="${y + 18}" text-anchor="end">${operation}</text>
${bars.map(({ value, color }, at) => bar(value, color, scale, y + at * 9)).join('\n')}`
  })
  const legend = Object.entries({ raw: 'raw SPARQL request', ours: 'service', remembered: 'service, remembered' })
    .map(([name, text], at) => {
      const x = 8 + at * 180
      return `<rect x="${x}" y="32" width="10" height="10" fill="${COLORS[name as keyof typeof COLORS]}"/><text x="${x + 16}" y="41">${text}</text>`
    })
    .join('\n')
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${70 + shown.length * ROW}" font-family="sans-serif" font-size="12">
<text x="8" y="20" font-size="14">Time for an answer, raw request = 1, medians of one run, ${title}</text>
${legend}
${rows.join('\n')}
</svg>
`
}

function bar(value: number, color: string, scale: number, y: number): string {
  const width = Math.max(1, value * scale)
  return `<rect x="${LEFT}" y="${y}" width="${width.toFixed(1)}" height="8" fill="${color}"/><text x="${(LEFT + width + 6).toFixed(1)}" y="${y + 8}" font-size="9">${value.toFixed(2)}</text>`
}
