import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const tests = resolve(import.meta.dirname, '../test')
const rooms = resolve(import.meta.dirname, '../node_modules/.cache/test-rooms')
/** A hook of a whole file: in a room it would run for the tests of the other files, too. */
const HOOK_OF_FILE = /^(?:before|after)(?:All|Each)\(/m
/** If time is limited, a room of more files becomes several: no room takes much longer than the others. */
const MOST_FILES = 3
/** Ends the name of a test that stands for a file that did not run. */
export const NOT_BEGUN = 'not begun in time'

/**
 * Joins the test files of each room (a folder of test/). Each file that jest runs has modules and stores of its own,
 * whose code V8 compiles and optimises again; joined, the same tests take a quarter less.
 *
 * @param {string} part names the result
 * @param {RegExp} wanted the paths of its files
 * @param {number} [lastStart] seconds since 1970; the files of a room that begins later do not run
 * @returns {string} the folder of the joined files
 */
export function joinRooms(part, wanted, lastStart = Infinity) {
  const files = new Map()
  const alone = []
  for (const name of readdirSync(tests, { recursive: true }).sort()) {
    if (!wanted.test(name)) continue
    if (HOOK_OF_FILE.test(readFileSync(join(tests, name), 'utf8'))) alone.push([name.replace(/\..*/, ''), [name]])
    else files.set(dirname(name), [...(files.get(dirname(name)) ?? []), name])
  }
  const single = [...files.values()].filter((names) => names.length === 1).flat()
  const groups = [...alone, ...[...files].filter(([, names]) => names.length > 1), ['others', single]]
  const folder = join(rooms, part)
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const [room, names] of groups) {
    const name = room === '.' ? 'house' : room.replaceAll('/', '-')
    const files = names.map((file) => [file, relative(folder, join(tests, file))])
    const size = Number.isFinite(lastStart) ? MOST_FILES : files.length
    for (let at = 0; at < files.length; at += size) {
      const file = join(folder, `${name}${at > 0 ? `-${at / size + 1}` : ''}.test.mjs`)
      writeFileSync(file, joined(files.slice(at, at + size), lastStart))
    }
  }
  return folder
}

function joined(files, lastStart) {
  return `import { test } from '@jest/globals'
const isLate = Date.now() > ${lastStart} * 1000
for (const [file, path] of ${JSON.stringify(files)}) {
  if (isLate) test.skip(file + ' ${NOT_BEGUN}', () => undefined)
  else await import(path)
}
`
}
