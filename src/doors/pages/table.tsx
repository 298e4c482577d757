import type { ComponentChild } from 'preact'
import { formatNumber } from './format.tsx'
import type { PageRequest } from './page-request.ts'

/** A table of numbers; the first cell of a row names it. */
export function Table({
  request,
  head,
  rows,
}: {
  request: PageRequest
  head: readonly string[]
  rows: readonly (readonly ComponentChild[])[]
}) {
  return (
    <table class={head.length > 5 ? 'numbers many' : 'numbers'}>
      <thead>
        <tr>
          {head.map((name, index) => (
            <th scope="col" class={typeof rows[0]?.[index] === 'number' ? 'number' : undefined}>
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, ...cells]) => (
          <tr>
            <th scope="row">{name}</th>
            {cells.map((cell, index) =>
              typeof cell === 'number' ? (
                <td class="number" data-name={head.length > 5 ? head[index + 1] : undefined}>
                  {formatNumber(request, cell)}
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
