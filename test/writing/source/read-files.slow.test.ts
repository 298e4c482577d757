import { expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { InputError } from '../../../src/base/files/input-error.ts'
import { readSource } from '../../../src/writing/source/read-files.ts'
import { temporaryFolder } from '../../folder.ts'

const { write } = temporaryFolder()

const STATEMENTS = 40_000
const text = (count: number) => {
  const statement = (at: number) => `<http://example.org/many/${at}> <${SKOS}prefLabel> "concept number ${at}"@en .\n`
  return Array.from({ length: count }, (_, at) => statement(at)).join('')
}

test('files that are too large for the store are refused after their beginning, with what to do', async () => {
  const file = await write('large.nt', text(STATEMENTS))
  let share = 0
  const onProgress = (_: string, done: number) => void (share = done)
  const reading = readSource([file], onProgress, {}, STATEMENTS / 4)
  await expect(reading).rejects.toThrow(InputError)
  await expect(reading).rejects.toThrow(/about 0\.0\d+ million statements.* room for about 0\.010 million.*Use Fuseki/)
  expect(share).toBeLessThan(0.5)
})

test('files up to the size of the store are read, and one statement more is refused', async () => {
  const file = await write('right.nt', text(STATEMENTS))
  const source = await readSource([file], undefined, {}, STATEMENTS)
  expect(source.read).toBe(STATEMENTS)
  source.close()
  await expect(readSource([file], undefined, {}, STATEMENTS - 1)).rejects.toThrow('million statements')
})

test('a large file before small ones does not stand for all of them', async () => {
  const large = await write('first.nt', text(STATEMENTS))
  const small = await Promise.all([1, 2, 3].map((at) => write(`${at}.nt`, text(1))))
  const source = await readSource([large, ...small], undefined, {}, STATEMENTS + small.length)
  expect(source.read).toBe(STATEMENTS + small.length)
  source.close()
})
