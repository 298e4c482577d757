import type { Result } from './report.ts'

const ROW = 22
const LEFT = 260
const WIDTH = 900

/** The ratios as bars, in SVG: grey up to 1, what the raw request takes; coloured what the service adds. */
export function chart(title: string, results: readonly Result[]): string {
  const scale = (WIDTH - LEFT - 70) / Math.max(2, ...results.map(({ ratio }) => ratio))
  const rows = results.map(({ operation, form, ratio }, index) => {
    const y = 40 + index * ROW
    const raw = Math.min(1, ratio) * scale
    const added = Math.max(0, ratio - 1) * scale
    return `<text x="${LEFT - 8}" y="${y + 14}" text-anchor="end">${operation}, ${form}</text>
<rect x="${LEFT}" y="${y + 3}" width="${raw.toFixed(1)}" height="14" fill="#b0b7bf"/>
<rect x="${LEFT + raw}" y="${y + 3}" width="${added.toFixed(1)}" height="14" fill="#2a6f97"/>
<text x="${LEFT + raw + added + 6}" y="${y + 14}">${ratio.toFixed(2)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${50 + results.length * ROW}" font-family="sans-serif" font-size="12">
<text x="8" y="20" font-size="14">Service / raw request, medians of one run, ${title}</text>
${rows.join('\n')}
</svg>
`
}
