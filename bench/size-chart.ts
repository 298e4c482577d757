/** A measurement of an operation: the size of the vocabulary, and seconds. */
export type Point = [size: number, seconds: number]

const WIDTH = 900
const HEIGHT = 420
const EDGE = { left: 90, right: 40, top: 60, bottom: 50 }
const COLORS = ['#b0b7bf', '#2a6f97', '#5aa469', '#b0462a']

/**
 * A picture of time against size in SVG, both axes logarithmic.
 *
 * @param operations the measurements of each operation, the smallest size first.
 */
export function sizeChart(title: string, unit: string, operations: Readonly<Record<string, readonly Point[]>>): string {
  const points = Object.values(operations).flat()
  const [x, sizes] = logarithmicAxis(
    points.map(([size]) => size),
    EDGE.left,
    WIDTH - EDGE.right,
  )
  const [y, times] = logarithmicAxis(
    points.map(([, seconds]) => seconds),
    HEIGHT - EDGE.bottom,
    EDGE.top,
  )
  const grid = [
    ...sizes.map(
      (size) =>
        `<path d="M${x(size)} ${EDGE.top}V${HEIGHT - EDGE.bottom}" stroke="#ddd"/><text x="${x(size)}" y="${HEIGHT - 30}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...times.map(
      (seconds) =>
        `<path d="M${EDGE.left} ${y(seconds)}H${WIDTH - EDGE.right}" stroke="#ddd"/><text x="${EDGE.left - 8}" y="${y(seconds) + 4}" text-anchor="end">${seconds.toLocaleString('en')} s</text>`,
    ),
  ]
  const lines = Object.entries(operations).flatMap(([operation, measured], at) => {
    const color = COLORS[at % COLORS.length]
    const places = measured.map(([size, seconds]) => `${x(size)} ${y(seconds)}`)
    const legend = EDGE.left + at * 180
    return [
      `<path d="M${places.join('L')}" fill="none" stroke="${color}" stroke-width="2"/>`,
      ...measured.map(([size, seconds]) => `<circle cx="${x(size)}" cy="${y(seconds)}" r="3" fill="${color}"/>`),
      `<rect x="${legend}" y="32" width="10" height="10" fill="${color}"/><text x="${legend + 16}" y="41">${operation}</text>`,
    ]
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">
<text x="8" y="20" font-size="14">${title}</text>
${[...grid, ...lines].join('\n')}
<text x="${(EDGE.left + WIDTH - EDGE.right) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${unit}</text>
</svg>
`
}

/** The scale of an axis from the power of ten below all values to the one above, and these powers. */
function logarithmicAxis(
  values: readonly number[],
  from: number,
  to: number,
): [place: (value: number) => number, powers: number[]] {
  const lowest = Math.floor(Math.log10(Math.min(...values)))
  const highest = Math.max(lowest + 1, Math.ceil(Math.log10(Math.max(...values))))
  const place = (value: number) => Math.round(from + ((Math.log10(value) - lowest) / (highest - lowest)) * (to - from))
  return [place, Array.from({ length: highest - lowest + 1 }, (_, at) => 10 ** (lowest + at))]
}
