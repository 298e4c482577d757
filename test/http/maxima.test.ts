/** THE table of maxima, and the service at each of them, one above, and at a thousand times as much. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { MAXIMA, type Maximum } from '../../src/http/maxima.ts'
import { ROOT } from '../process.ts'

test('docs/interface.md lists the table', () => {
  const text = readFileSync(join(ROOT, 'docs/interface.md'), 'utf8')
  const section = text.slice(text.indexOf('\n## Maxima\n'))
  const listed = section
    .slice(0, section.indexOf('\n## ', 1))
    .match(/^\| .*$/gm)!
    .slice(1)
  const rows = Object.values<Maximum>(MAXIMA).map(
    ({ in: part, name, at, most, unit, above }) =>
      `| ${part} | \`${name.replaceAll(', ', '`, `')}\` | ${at} | ${most.toLocaleString('en')} ${unit} | ${above} |`,
  )
  expect(listed).toEqual(rows)
})
