/** kill -9 in the middle of transactions, a full disk, and what is left of a journal after a crash. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { Database } from '../../../src/base/durable/database.ts'
import { DamageError } from '../../../src/base/durable/errors.ts'
import { LONG } from '../../long.ts'
import { newDirectory, ROOT } from '../../process.ts'

/** Each takes a process: few by default, 500 on demand. */
const KILLS = Number(process.env['KILLS'] ?? (LONG ? 12 : 4))
const MOST_MORE_MS = 60

let directory: string
let file: string
beforeEach(async () => {
  directory = await newDirectory()
  file = join(directory, 'database.sqlite')
})
afterEach(() => rm(directory, { recursive: true }))

/** A writer; the highest number that it has told. */
function startWriter(size: number, limit = 'unlimited') {
  const command = `trap '' XFSZ; ulimit -f ${limit}; exec "$0" --import tsx test/base/durable/writer.ts "$1" "$2"`
  const child = spawn('bash', ['-c', command, process.execPath, file, String(size)], { cwd: ROOT })
  const closed = once(child, 'close')
  let said = ''
  let error = ''
  child.stdout.on('data', (chunk) => (said += String(chunk)))
  child.stderr.on('data', (chunk) => (error += String(chunk)))
  const told = () => said.split('\n').slice(0, -1).map(Number)
  return { child, closed, told, error: () => error }
}

/** The numbers of both tables, which have to be the same. */
async function readNumbers(from: string): Promise<number[]> {
  const database = await Database.open(from, { tables: ['left', 'right'] })
  const [left, right] = ['left', 'right'].map((table) => [...database.keys(table)].map(Number))
  await database.close()
  expect(left).toEqual(right)
  return left!
}

/** A journal that has not been undone begins with its magic number. */
async function journalLeft(): Promise<Buffer | undefined> {
  const journal = await readFile(`${file}-journal`).catch(() => Buffer.alloc(0))
  return journal.subarray(0, 4).toString('hex') === 'd9d505f9' ? journal : undefined
}

const JOURNALS: [string, (journal: Buffer) => Buffer | undefined][] = [
  ['removed', () => undefined],
  ['emptied', () => Buffer.alloc(0)],
  ['cut in half', (journal) => journal.subarray(0, journal.length / 2)],
  ['cut after its header', (journal) => journal.subarray(0, 600)],
  ['of garbage', (journal) => Buffer.alloc(journal.length, 'garbage\n')],
  ...Array.from({ length: 8 }, (_, at): [string, (journal: Buffer) => Buffer] => [
    `with a byte changed (${at})`,
    (journal) => {
      const changed = Buffer.from(journal)
      changed[Math.floor(Math.random() * (at < 4 ? 28 : journal.length))]! ^= 0x10
      return changed
    },
  ]),
]

test(
  `${KILLS} kills: what was told is there, no half of a change is, and a journal that was damaged then is noticed`,
  async () => {
    let last = 0
    const counts = { kills: 0, written: 0, journals: 0, refused: 0, read: 0 }
    for (; counts.kills < KILLS; counts.kills++) {
      const writer = startWriter(60_000)
      while (writer.told().length === 0 && writer.child.exitCode === null) await sleep(5)
      await sleep(Math.random() * MOST_MORE_MS)
      writer.child.kill('SIGKILL')
      await writer.closed
      expect(writer.error()).toBe('')
      last = writer.told().at(-1) ?? last
      counts.written += writer.told().length

      const journal = await journalLeft()
      for (const [, damage] of journal ? JOURNALS : []) {
        counts.journals++
        const copy = join(directory, 'copy.sqlite')
        for (const suffix of ['', '.made']) await cp(file + suffix, copy + suffix)
        const damaged = damage(journal!)
        await rm(`${copy}-journal`, { force: true })
        if (damaged) await writeFile(`${copy}-journal`, damaged)
        try {
          const numbers = await readNumbers(copy)
          expect(numbers.at(-1)).toBeGreaterThanOrEqual(last)
          counts.read++
        } catch (error) {
          if (!(error instanceof DamageError)) throw error
          counts.refused++
        }
      }
      const numbers = await readNumbers(file)
      expect(numbers.at(-1)! - last).toBeLessThanOrEqual(1)
      expect(numbers.at(-1)).toBeGreaterThanOrEqual(last)
      last = numbers.at(-1)!
    }
    expect(counts.written).toBeGreaterThan(KILLS)
    if (KILLS > 12) console.log(JSON.stringify(counts))
  },
  60_000 + KILLS * 30_000,
)

test('a full disk refuses the change as a whole, reads go on, and room helps', async () => {
  // A limit for the size of files stands in for the disk: 1,500 blocks of 1,024 bytes.
  const writer = startWriter(200_000, '1500')
  await writer.closed
  expect(writer.error()).toMatch(new RegExp(`^DiskError ${file} cannot be written: `))
  const [rows, last] = writer.told().reverse()
  const numbers = await readNumbers(file)
  expect(numbers).toHaveLength(rows!)
  expect(numbers.at(-1)).toBe(last)
  const again = startWriter(1000)
  while (again.told().length === 0) await sleep(5)
  again.child.kill('SIGKILL')
  await again.closed
  expect((await readNumbers(file)).at(-1)).toBeGreaterThan(last!)
})
