import { existsSync } from 'node:fs'
import { cp, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Database } from '../../../src/base/durable/database.ts'
import { DamageError, DiskError } from '../../../src/base/durable/errors.ts'
import { SqliteFile } from '../../../src/base/durable/sqlite-file.ts'
import { column, Connection } from '../../../src/base/durable/sqlite.ts'
import { temporaryFolder } from '../../folder.ts'
import { newDirectory } from '../../process.ts'

const TABLES = ['entry', 'answer']

describe('a database', () => {
  const folder = temporaryFolder()

  test('that another process keeps busy is named without its path, which logs do not have', async () => {
    const file = folder.path('busy.sqlite')
    const [first, other] = [new Connection(file, 0), new Connection(file, 0)]
    await first.exec('BEGIN EXCLUSIVE')
    const failure: unknown = await other.exec('BEGIN EXCLUSIVE').catch((error: unknown) => error)
    expect(failure).toMatchObject({ name: 'LockedError', message: 'busy.sqlite is in use by another process' })
    await other.close()
    await first.close()
  })

  test('answers a query that has failed for other values', async () => {
    const options = { applicationId: 7, kind: 'a test', settings: [], busyMs: 0, schema: 'CREATE TABLE t (a)' }
    const file = await SqliteFile.open(folder.path('again.sqlite'), options)
    const columns = { length: column.number('json_array_length(?)') }
    const lengthOf = (json: string) => file.write(({ first }) => first(columns, '', json))
    expect(await lengthOf('[1]')).toEqual({ length: 1 })
    await expect(lengthOf('[')).rejects.toThrow('malformed JSON')
    expect(await lengthOf('[1, 2]')).toEqual({ length: 2 })
    await file.close()
  })

  test('has the same content when it is opened again, in the order of keys', async () => {
    const file = join(folder.path('a'), 'a.sqlite')
    const first = await Database.open(file, { tables: TABLES })
    const bytes = Buffer.from([0, 255, 10])
    await first.write((transaction) => {
      transaction.put('entry', 'ä', 'Wörter\0')
      transaction.put('entry', 'b', bytes)
      transaction.put('entry', '😀', '')
      transaction.put('answer', 'b', 'other')
    })
    await first.write((transaction) => {
      transaction.put('answer', 'b', 'another')
      transaction.delete('entry', 'nothing')
    })
    await first.close()
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const again = await Database.open(file, { tables: TABLES })
    expect([...again.keys('entry')]).toEqual(['b', 'ä', '😀'])
    expect([...again.keys('entry', 'b', '😀')]).toEqual(['ä'])
    expect(again.get('entry', 'ä')!.toString()).toBe('Wörter\0')
    expect(again.get('entry', 'b')).toEqual(bytes)
    expect(again.get('entry', '😀')).toEqual(Buffer.alloc(0))
    expect(again.get('answer', 'b')!.toString()).toBe('another')
    expect(again.get('answer', 'ä')).toBeUndefined()
    await again.close()
  })

  test('undoes a change that throws, and that one alone', async () => {
    const database = await Database.open(folder.path('b.sqlite'), { tables: TABLES })
    await database.write((transaction) => transaction.put('entry', 'a', '1'))
    const changes = ['x', 'y', 'z'].map((key) =>
      database.write((transaction) => {
        transaction.put('entry', key, '1')
        transaction.delete('entry', 'a')
        if (key !== 'z') throw new Error(key)
        return transaction.get('entry', 'z')!.toString()
      }),
    )
    expect(await Promise.allSettled(changes)).toMatchObject([
      { reason: { message: 'x' } },
      { reason: { message: 'y' } },
      { value: '1' },
    ])
    expect([...database.keys('entry')]).toEqual(['z'])
    await database.close()
    const again = await Database.open(folder.path('b.sqlite'), { tables: TABLES })
    expect([...again.keys('entry')]).toEqual(['z'])
    await again.close()
  })

  test.each(['', 'a\nb', 'a\0b', '\ud800'])('refuses the key %j', async (key) => {
    const database = await Database.open(folder.path('c.sqlite'), { tables: TABLES })
    await expect(database.write((transaction) => transaction.put('entry', key, ''))).rejects.toThrow('expected a key')
    expect([...database.keys('entry')]).toEqual([])
    await database.close()
  })

  test('gets the tables that a new version adds', async () => {
    const file = folder.path('d.sqlite')
    const before = await Database.open(file, { tables: ['entry'] })
    await before.write((transaction) => transaction.put('entry', 'a', '1'))
    await before.close()
    const after = await Database.open(file, { tables: TABLES })
    await after.write((transaction) => transaction.put('answer', 'a', '2'))
    expect(after.get('entry', 'a')!.toString()).toBe('1')
    await after.close()
    await expect(Database.open(file, { tables: ['entry'] })).rejects.toThrow(DamageError)
  })

  test('says so when it is used after it was closed', async () => {
    const database = await Database.open(folder.path('f.sqlite'), { tables: TABLES })
    const late = database.write((transaction) => transaction.put('entry', 'a', 'x'))
    await database.close()
    await late
    await database.close()
    expect(() => database.get('entry', 'a')).toThrow('has been closed')
    await expect(database.write((transaction) => transaction.put('entry', 'b', 'x'))).rejects.toThrow(DiskError)
  })

  test('lets others have a turn while the disk is busy', async () => {
    const database = await Database.open(folder.path('e.sqlite'), { tables: TABLES })
    /** The turns of others, at most ten, while a reader holds up a write. */
    const turnsMeanwhile = async () => {
      const reader = new Connection(database.file, 0)
      await reader.exec('BEGIN')
      await reader.all('SELECT count(*) FROM entry')
      let ended = false
      const written = database
        .write((transaction) => transaction.put('entry', 'a', 'x'))
        .catch(() => undefined)
        .finally(() => (ended = true))
      let turns = 0
      for (; turns < 10 && !ended; turns++) await turn()
      await reader.close()
      await written
      return turns
    }
    // A write gives up after a while, and a machine may stand still for longer.
    let turns = 0
    for (let tries = 0; turns < 10 && tries < 3; tries++) turns = await turnsMeanwhile()
    expect(turns).toBe(10)
    await database.close()
  })
})

describe('damage', () => {
  let directory: string
  let file: string
  let bytes: Buffer
  const contents = new Map<string, string>()

  beforeAll(async () => {
    directory = await newDirectory()
    file = join(directory, 'database.sqlite')
    const database = await Database.open(file, { tables: TABLES })
    for (let at = 0; at < 12; at++) contents.set(`key-${at}`, `${at} editor@example.org `.repeat(40))
    contents.set('long', 'abcdefgh'.repeat(1000))
    for (const [key, value] of contents) {
      await database.write((transaction) => {
        transaction.put('entry', key, value)
        transaction.put('answer', key, 'x')
      })
    }
    await database.write((transaction) => transaction.delete('answer', 'long'))
    await database.close()
    bytes = await readFile(file)
  })
  afterAll(() => rm(directory, { recursive: true }))

  /** The content, or the message of the DamageError or DiskError. */
  async function read(damaged: Uint8Array): Promise<string> {
    await rm(`${file}-journal`, { force: true })
    await writeFile(file, damaged)
    try {
      const database = await Database.open(file, { tables: TABLES })
      const entries = new Map([...database.keys('entry')].map((key) => [key, String(database.get('entry', key))]))
      const answers = [...database.keys('answer')]
      await database.close()
      expect(entries).toEqual(new Map([...contents].sort()))
      expect(answers).toHaveLength(contents.size - 1)
      return 'as it was'
    } catch (error) {
      if (!(error instanceof DamageError || error instanceof DiskError)) throw error
      expect(error.message).toContain(file)
      return error.message
    }
  }

  test('of any byte is refused, or makes no difference', async () => {
    // Every byte on demand; by default a sample that is another one in each run.
    const every = Number(process.env['DAMAGE_EVERY'] ?? 389)
    const counts = new Map<string, number>()
    for (let at = Math.floor(Math.random() * every); at < bytes.length; at += every) {
      const damaged = Buffer.from(bytes)
      damaged[at]! ^= 1 << Math.floor(Math.random() * 8)
      const said = (await read(damaged)) === 'as it was' ? 'as it was' : 'refused'
      counts.set(said, (counts.get(said) ?? 0) + 1)
    }
    expect(counts.get('refused')).toBeGreaterThan(10)
    if (every < 389) console.log(counts)
  })

  test.each<[string, (bytes: Buffer) => Uint8Array]>([
    ['cut in half', (bytes) => bytes.subarray(0, bytes.length / 2)],
    ['cut by a page', (bytes) => bytes.subarray(0, bytes.length - 4096)],
    ['cut within a page', (bytes) => bytes.subarray(0, bytes.length - 100)],
    ['emptied', () => Buffer.alloc(0)],
    ['of zeroes', (bytes) => Buffer.alloc(bytes.length)],
    ['of garbage', (bytes) => Buffer.alloc(bytes.length, 'garbage\n')],
    ['another database', () => Buffer.from('SQLite format 3\0')],
    [
      'with an address changed',
      (bytes) => Buffer.from(bytes.toString('latin1').replaceAll('editor@', 'editir@'), 'latin1'),
    ],
  ])('%s: refused', async (_, damage) => {
    expect(await read(damage(bytes))).toMatch(/ is damaged: .* restore|Restore/)
  })

  test('removed: refused, and a database is made only if there never was one', async () => {
    await rm(file)
    await expect(Database.open(file, { tables: TABLES })).rejects.toThrow(`${file} is damaged: it is missing`)
    expect(existsSync(file)).toBe(false)
    expect(await read(bytes)).toBe('as it was')
  })

  test.each(['removed', 'emptied'])('the mark that there is one %s: made again', async (kind) => {
    await (kind === 'removed' ? rm(`${file}.made`) : truncate(`${file}.made`))
    expect(await read(bytes)).toBe('as it was')
    await rm(file)
    await expect(Database.open(file, { tables: TABLES })).rejects.toThrow('it is missing')
  })

  test('a page of another moment: refused', async () => {
    const database = await openAs(bytes)
    await database.write((transaction) => transaction.put('entry', 'key-3', contents.get('key-3')!.toUpperCase()))
    await database.close()
    const later = await readFile(file)
    const pages = Array.from({ length: later.length / 4096 }, (_, page) => page * 4096)
    const changed = pages.filter((at) => !later.subarray(at, at + 4096).equals(bytes.subarray(at, at + 4096)))
    expect(changed.length).toBeGreaterThan(1)
    for (const at of changed.slice(1)) {
      const mixed = Buffer.from(later)
      bytes.copy(mixed, at, at, at + 4096)
      expect(await read(mixed)).toMatch(/is damaged/)
    }
  })

  async function openAs(content: Uint8Array): Promise<Database> {
    await rm(`${file}-journal`, { force: true })
    await writeFile(file, content)
    return Database.open(file, { tables: TABLES })
  }

  test('of a value in a running database is told when the value is read', async () => {
    const copy = join(directory, 'copy.sqlite')
    await writeFile(file, bytes)
    await cp(file, copy)
    const at = bytes.lastIndexOf('abcdefgh')
    const damaged = Buffer.from(bytes)
    damaged[at] = 1
    await writeFile(copy, damaged)
    const database = await Database.open(copy, { tables: TABLES, checkValues: false })
    expect(() => database.get('entry', 'long')).toThrow(`${copy} is damaged: the value of entry "long"`)
    expect(String(database.get('entry', 'key-1'))).toBe(contents.get('key-1'))
    await database.close()
  })
})
