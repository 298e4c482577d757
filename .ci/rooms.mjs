import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'

const tests = resolve(import.meta.dirname, '../test')
const rooms = resolve(import.meta.dirname, '../node_modules/.cache/test-rooms')
/** A hook of a whole file: in a room it would run for the tests of the other files, too. */
const HOOK_OF_FILE = /^(?:before|after)(?:All|Each)\(/m
/** A room has the next so many files, by path. If time is limited, no room takes much longer than the others. */
const MOST_FILES = { unlimited: 24, limited: 3 }
/** Ends the name of a test that stands for a file that did not run. */
export const NOT_BEGUN = 'not begun in time'

/**
 * Joins test files into rooms, each with one file of jest. Each file that jest runs has modules and stores of its own,
 * whose code V8 compiles and optimises again; joined, the same tests take a third less.
 *
 * @param {string} part names the result
 * @param {RegExp} wanted the paths of its files
 * @param {string} [lastStart] seconds since 1970; the files of a room that begins later do not run. An empty text counts
 *   as none
 * @returns {string} the folder of the joined files
 */
export function joinRooms(part, wanted, lastStart) {
  const names = readdirSync(tests, { recursive: true }).filter((name) => wanted.test(name))
  const alone = names.filter((name) => HOOK_OF_FILE.test(readFileSync(join(tests, name), 'utf8')))
  const joined = names.filter((name) => !alone.includes(name)).sort()
  const size = lastStart ? MOST_FILES.limited : MOST_FILES.unlimited
  const groups = alone.map((name) => [name])
  while (joined.length > 0) groups.push(joined.splice(0, size))
  const folder = join(rooms, part)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const names of groups) {
    const ends = [...new Set([names[0], names.at(-1)])].map((name) => name.replace(/\..*/, '').replaceAll('/', '-'))
    const files = names.map((name) => [name, relative(folder, join(tests, name))])
    writeFileSync(join(folder, `${ends.join('--')}.test.mjs`), roomOf(files, lastStart))
  }
  return folder
}

function roomOf(files, lastStart) {
  return `import { test } from '@jest/globals'
const isLate = Date.now() > ${lastStart || Infinity} * 1000
for (const [file, path] of ${JSON.stringify(files)}) {
  if (isLate) test.skip(file + ' ${NOT_BEGUN}', () => undefined)
  else await import(path)
}
`
}
