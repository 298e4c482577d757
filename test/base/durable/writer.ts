/** A process for tests to kill: writes the same number of rows into two tables, and says which number is on disk. */
import { writeSync } from 'node:fs'
import { Database } from '../../../src/base/durable/database.ts'

const [file, size = '1000'] = process.argv.slice(2)
const database = await Database.open(file!, { tables: ['left', 'right'] })
let number = Number([...database.keys('left')].at(-1) ?? 0)
try {
  for (;;) {
    number++
    await database.write((transaction) => {
      for (const table of ['left', 'right']) {
        transaction.put(table, String(number).padStart(9, '0'), 'x'.repeat(Math.random() * Number(size)))
        transaction.delete(table, String(number - 20).padStart(9, '0'))
      }
    })
    tell(`${number}\n`)
  }
} catch (error) {
  writeSync(2, `${(error as Error).name} ${(error as Error).message}\n`)
}
// It can still be read and closed.
tell(`${[...database.keys('left')].length}\n`)
await database.close()

/** Writes through at once. A pipe whose reader has no time is full after 64 kB. */
function tell(text: string): void {
  for (;;) {
    try {
      writeSync(1, text)
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
