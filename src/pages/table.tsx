import type { ComponentChild } from 'preact'
import { formatNumber } from './format.tsx'
import type { PageRequest } from './page-request.ts'

/** A table of numbers; the first cell of a row names it. */
export function Table({
  asked,
  head,
  rows,
}: {
  asked: PageRequest
  head: readonly string[]
  rows: readonly (readonly ComponentChild[])[]
}) {
  return (
    <table class={head.length > 5 ? 'numbers many' : 'numbers'}>
      <thead>
        <tr>
          {head.map((name, at) => (
            <th scope="col" class={typeof rows[0]?.[at] === 'number' ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr>
            <th scope="row">{name}</th>
            {cells.map((cell, at) =>
              typeof cell === 'number' ? (
                <td class="number" data-name={head.length > 5 ? head[at + 1] : undefined}>
                  {formatNumber(asked, cell)}
                </td>
              ) : (
                <td>{cell}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
