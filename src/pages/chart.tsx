import type { ComponentChildren } from 'preact'
import { Bar } from './facts.tsx'
import { formatNumber } from './format.tsx'
import type { PageRequest } from './page-request.ts'

/** Numbers with their names, each with a bar for its part of the whole; nothing if there are none. */
export function Chart({
  asked,
  caption,
  rows,
  whole,
}: {
  asked: PageRequest
  caption: string
  rows: readonly (readonly [name: ComponentChildren, count: number])[]
  whole: number
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
              <Bar part={count} whole={whole} />
            </td>
            <td class="number">{formatNumber(asked, count)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** How many concepts each level has; nothing if there is only one. */
export function LevelChart({ asked, levels = [] }: { asked: PageRequest; levels: readonly number[] | undefined }) {
  if (levels.length < 2) return null
  return (
    <Chart
      asked={asked}
      caption={asked.texts.byLevel}
      whole={Math.max(...levels)}
      rows={levels.map((count, at) => [asked.texts.level(formatNumber(asked, at + 1)), count])}
    />
  )
}
