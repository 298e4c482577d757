/** Comments: their width, which the formatter leaves as it is, and those of exported functions. */
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

const EXPORTED_FUNCTION = /^export (?:(?:async )?function\*? ?|const (?=\w+ = (?:async )?[(<]))(\w+)/

test('every exported function has a docstring', () => {
  const files = readdirSync(fromRoot('src'), { recursive: true, encoding: 'utf8' })
  const bare = files
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'))
    .flatMap((file) => {
      const lines = readFileSync(join(fromRoot('src'), file), 'utf8').split('\n')
      const isBare = (at: number) => !lines[at - 1]?.endsWith('*/')
      return lines.flatMap((line, at) => {
        const name = EXPORTED_FUNCTION.exec(line)?.[1]
        return name !== undefined && isBare(at) ? `${file}: ${name}` : []
      })
    })
  expect(bare).toEqual([])
})
