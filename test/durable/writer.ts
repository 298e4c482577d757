/** A process for tests to kill: writes the same number of rows into two tables, and says which number is on disk. */
import { writeSync } from 'node:fs'
import { Database } from '../../src/durable/database.ts'

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
    writeSync(1, `${number}\n`)
  }
} catch (error) {
  writeSync(2, `${(error as Error).name} ${(error as Error).message}\n`)
}
// It can still be read and closed.
writeSync(1, `${[...database.keys('left')].length}\n`)
await database.close()
