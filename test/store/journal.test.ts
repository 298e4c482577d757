import { appendFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from '@jest/globals'
import { StoreDamageError } from '../../src/store/files.ts'
import { type JournalFrame, encodeFrame, readJournal } from '../../src/store/journal.ts'
import { cleanUp, temporaryDirectory } from './start.ts'

afterEach(cleanUp)

const frames: JournalFrame[] = [1, 2, 3].map((sequence) => ({
  sequence,
  changes: [{ type: 'update', update: `INSERT DATA { <urn:s> <urn:p> "zeile\n${sequence} ä" }` }],
  requests: [10 + sequence],
}))
const lines = frames.map(encodeFrame)

async function journalOf(...bytes: Uint8Array[]): Promise<string> {
  const file = join(await temporaryDirectory(), 'journal-000001.log')
  writeFileSync(file, Buffer.concat(bytes))
  return file
}

describe('a journal', () => {
  test('gives the frames that were written, from an offset to another', async () => {
    const file = await journalOf(...lines)
    const first = lines[0]!.length
    const second = first + lines[1]!.length
    expect(readJournal(file, 0)).toEqual({ frames, end: second + lines[2]!.length, torn: 0 })
    expect(readJournal(file, first, second)).toEqual({ frames: [frames[1]], end: second, torn: 0 })
  })

  test('loses the last frame and nothing else where it is torn at any byte', async () => {
    const file = await journalOf(...lines)
    const last = lines[0]!.length + lines[1]!.length
    for (let length = last + lines[2]!.length - 1; length >= last; length--) {
      truncateSync(file, length)
      expect(readJournal(file, 0)).toEqual({ frames: frames.slice(0, 2), end: last, torn: length - last })
    }
  })

  test.each([
    ['zeros', Buffer.alloc(4096)],
    ['a line that is no frame', Buffer.from('0123456789abcdef {"sequence":3}\n')],
    ['half of a frame with a line break after it', Buffer.concat([lines[2]!.subarray(0, 30), Buffer.from('\n')])],
  ])('takes %s at its end for an unfinished write', async (_what, rest) => {
    const file = await journalOf(lines[0]!, lines[1]!, rest)
    expect(readJournal(file, 0)).toMatchObject({ frames: frames.slice(0, 2), torn: rest.length })
  })

  test('is damaged when any byte before its last frame is another', async () => {
    const whole = Buffer.concat(lines)
    const last = lines[0]!.length + lines[1]!.length
    const file = await journalOf(whole)
    for (let offset = 0; offset < last; offset++) {
      const changed = Buffer.from(whole)
      changed[offset]! ^= 1
      writeFileSync(file, changed)
      expect(() => readJournal(file, 0)).toThrow(StoreDamageError)
      expect(() => readJournal(file, 0)).toThrow(/journal-000001\.log is damaged at byte \d+/)
    }
  })

  test('is damaged when what was acknowledged is missing or broken', async () => {
    const file = await journalOf(lines[0]!, lines[1]!.subarray(0, 40))
    expect(() => readJournal(file, 0, lines[0]!.length + lines[1]!.length)).toThrow(StoreDamageError)
    appendFileSync(file, Buffer.alloc(lines[1]!.length - 40))
    expect(readFileSync(file).length).toBe(lines[0]!.length + lines[1]!.length)
    expect(() => readJournal(file, 0, lines[0]!.length + lines[1]!.length)).toThrow(StoreDamageError)
  })
})
