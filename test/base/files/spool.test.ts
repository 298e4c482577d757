import { expect, test } from '@jest/globals'
import { Spool } from '../../../src/base/files/spool.ts'

test.each([
  ['in memory', 50],
  ['on disk', 30_000],
])('parts come back in the order they were appended, %s', (_, times) => {
  const spool = new Spool()
  const expected = ['', '', '']
  for (let at = 0; at < times; at++) {
    const [part, text] = [(at >> 1) % 3, `${at} ${'ä😀'.repeat(at % 100)}\n`]
    spool.append(part, text)
    expected[part] += text
  }
  for (const [part, text] of expected.entries()) {
    expect(spool.read(part) === text).toBe(true)
    expect(spool.size(part)).toBe(Buffer.byteLength(text))
    const chunks = [...spool.chunks(part)]
    expect(Buffer.concat(chunks).toString() === text).toBe(true)
    expect(chunks.every((chunk) => chunk.at(-1) === 0x0a)).toBe(true)
  }
  expect(spool.read(3)).toBe('')
  expect([...spool.chunks(3)]).toEqual([])
  spool.close()
})

test('a text larger than the part in memory', () => {
  const spool = new Spool()
  const long = `${'ä'.repeat(3_000_000)}\n`
  for (const [part, text] of [
    [0, 'a\n'],
    [1, long],
    [0, long],
    [0, 'b\n'],
  ] as const)
    spool.append(part, text)
  expect(spool.read(0) === `a\n${long}b\n`).toBe(true)
  expect(spool.read(1) === long).toBe(true)
  spool.close()
})
