/** Comments: the formatter keeps code within 120 columns, but leaves comments as they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { fromRoot } from '../src/base/root.ts'

const MAX_COLUMNS = 120
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/

function longComments(folder: string): string[] {
  const files = readdirSync(fromRoot(folder), { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(?:tsx?|mjs)$/.test(file),
  )
  return files.flatMap((file) =>
    readFileSync(join(fromRoot(folder), file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (line.length > MAX_COLUMNS && COMMENT.test(line) ? `${folder}/${file}:${at + 1}` : [])),
  )
}

test.each(['src', 'test', 'bench', 'deploy'])('no comment line of %s/ is over 120 columns', (folder) => {
  expect(longComments(folder)).toEqual([])
})
