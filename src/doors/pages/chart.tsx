import type { ComponentChildren } from 'preact'
import { Bar } from './facts.tsx'
import { formatNumber } from './format.tsx'
import type { PageRequest } from './page-request.ts'

/** Numbers with their names, each with a bar for its part of the whole; nothing if there are none. */
export function Chart({
  request,
  caption,
  rows,
  total,
}: {
  request: PageRequest
  caption: string
  rows: readonly (readonly [name: ComponentChildren, count: number])[]
  total: number
}) {
  if (rows.length === 0) return null
  return (
    <table class="chart">
      <caption>{caption}</caption>
      <tbody>
        {rows.map(([name, count]) => (
          <tr>
            <th scope="row">{name}</th>
            <td>
              <Bar part={count} total={total} />
            </td>
            <td class="number">{formatNumber(request, count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How many concepts each level has; nothing if there is only one. */
export function LevelChart({ request, levels = [] }: { request: PageRequest; levels: readonly number[] | undefined }) {
  if (levels.length < 2) return null
  return (
    <Chart
      request={request}
      caption={request.texts.byLevel}
      total={Math.max(...levels)}
      rows={levels.map((count, index) => [request.texts.level(formatNumber(request, index + 1)), count])}
    />
  )
}
