import { expect, test } from '@jest/globals'
import { column, Connection } from '../../../src/base/durable/sqlite.ts'
import { temporaryFolder } from '../../folder.ts'

const { path } = temporaryFolder()
const NUMBER = { x: column.number('x') }

test.each(['select', 'query'] as const)('a %s that a lock has stopped keeps nobody from writing', async (way) => {
  const file = path(`${way}.sqlite`)
  const [reader, holder, writer] = [new Connection(file, 50), new Connection(file, 0), new Connection(file, 200)]
  await reader.exec('PRAGMA journal_mode=PERSIST; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)')
  const query = await reader.query(NUMBER, 'FROM t WHERE x > ?')
  const read = async () => (way === 'query' ? query.first(0) : (await reader.select(NUMBER, 'FROM t'))[0])

  await holder.exec('BEGIN EXCLUSIVE')
  await expect(read()).rejects.toThrow(/is in use by another process/)
  await holder.exec('ROLLBACK')
  expect(await reader.select(NUMBER, 'FROM t WHERE x = 2')).toEqual([{ x: 2 }])

  await writer.exec('BEGIN IMMEDIATE; INSERT INTO t VALUES (3); COMMIT')
  expect(await read()).toEqual({ x: 1 })
  for (const connection of [reader, holder, writer]) await connection.close()
})
