import { expect, test } from '@jest/globals'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { outputOf, runCommand } from '../../command.ts'
import { temporaryFolder } from '../../folder.ts'

const { path } = temporaryFolder()
const help = (...args: string[]) => outputOf(args, { DATA_DIR: path('data') })

/** The files of src/doors/cli with a command, by their name. */
const COMMANDS = readdirSync(join(import.meta.dirname, '../../../src/doors/cli')).flatMap((file) => {
  const name = /^(\w+)\.ts$/.exec(file)?.[1]
  return name && !['context', 'main', 'program', 'progress', 'run', 'warnings'].includes(name) ? [name] : []
})

test('--help and help show each command with what it does', async () => {
  const text = await help('--help')
  const listed = [...text.matchAll(/^ {2}(\w+) {2,}\w/gm)].map(([, name]) => name)
  expect(listed.sort()).toEqual([...COMMANDS].sort())
  expect(await help('help')).toBe(text)
})

test.each(COMMANDS)('help of %s', async (name) => {
  const text = await help(name, '--help')
  expect(text).toMatch(new RegExp(`^Usage: vocab ${name}\\b.*\\n\\n[a-z]`))
  expect(await help('help', name)).toBe(text)
})

test('help of a command within another, and of an unknown one', async () => {
  expect(await help('subset', 'add', '--help')).toMatch(/^Usage: vocab subset add /)
  expect((await runCommand(['help', 'lod'], {})).stderr).toMatch(/expected a command/)
})
