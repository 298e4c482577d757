/** docs/clients.md has the table of clients, and each of them has its test. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { ROOT } from '../process.ts'
import { TRIED } from './tried.ts'

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8')

test('docs/clients.md lists them', () => {
  const rows = read('docs/clients.md')
    .match(/^\| .*$/gm)!
    .slice(1)
  expect(rows).toEqual(
    Object.entries(TRIED).map(([client, { version, tried }]) => `| ${client} | ${version} | ${tried} |`),
  )
})

test.each(Object.entries(TRIED))('%s has its test', (client, { test }) => {
  const quote = client.includes("'") ? '"' : "'"
  expect(read(test)).toContain(`tried(${quote}${client}${quote})`)
})
