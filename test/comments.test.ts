/** Comments in src/: the formatter keeps code within 120 columns, but leaves comments as they are. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { fromRoot } from '../src/base/root.ts'

const MAX_COLUMNS = 120
const COMMENT = /^\s*(?:\/\/|\/\*|\*)/

function longComments(folder: string): string[] {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  return files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (line.length > MAX_COLUMNS && COMMENT.test(line) ? `${file}:${at + 1}` : [])),
  )
}

test('no comment line is over 120 columns', () => {
  expect(longComments(fromRoot('src'))).toEqual([])
})
