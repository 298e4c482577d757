import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const tests = resolve(import.meta.dirname, '../test')
const rooms = resolve(import.meta.dirname, '../node_modules/.cache/test-rooms')
/** A hook of a whole file: in a room it would run for the tests of the other files, too. */
const HOOK_OF_FILE = /^(?:before|after)(?:All|Each)\(/m

/**
 * Joins the test files of each room (a folder of test/). Each file that jest runs has modules and stores of its own,
 * whose code V8 compiles and optimises again; joined, the same tests take a quarter less.
 *
 * @param {string} part names the result
 * @param {RegExp} wanted the paths of its files
 * @returns {string} the folder of the joined files
 */
export function joinRooms(part, wanted) {
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
    const lines = names.map((name) => `import '${relative(folder, join(tests, name))}'\n`)
    const file = room === '.' ? 'house' : room.replaceAll('/', '-')
    if (names.length > 0) writeFileSync(join(folder, `${file}.test.mjs`), lines.join(''))
  }
  return folder
}
