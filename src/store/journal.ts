import { createHash } from 'node:crypto'
import { closeSync, fstatSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { type GraphFile, type GraphName, StoreDamageError, openStoreFile } from './files.ts'

/** One change of the dataset. `put` replaces a graph, `add` adds the triples of a file to it. */
export type Change =
  { type: 'update'; update: string } | { type: 'put' | 'add'; source: GraphFile } | { type: 'delete'; graph: GraphName }

/** Changes that became durable together: all of them are in the journal, or none is. */
export interface JournalFrame {
  /** One more than the sequence of the frame before. */
  sequence: number
  changes: Change[]
  /** The requests that asked for the changes, to tell after a crash whether one was carried out. */
  requests: number[]
}

/** A place in the journals: the number of one, and an offset in bytes between two frames. */
export interface JournalPosition {
  journal: number
  offset: number
}

/** The file of a journal. */
export function journalFile(directory: string, journal: number): string {
  return join(directory, `journal-${String(journal).padStart(6, '0')}.log`)
}

const NEWLINE = 10
const DIGEST_CHARACTERS = 16
/** What follows the digest in every line, and stands nowhere in JSON but at a beginning. */
const FRAME_BEGINNING = ' {"sequence":'

/** A frame as its line in the journal: a digest, a space, JSON, a newline. */
export function encodeFrame(frame: JournalFrame): Buffer {
  const json = Buffer.from(JSON.stringify(frame))
  return Buffer.concat([Buffer.from(`${digest(json)} `), json, Buffer.from('\n')])
}

function digest(json: Uint8Array): string {
  return createHash('sha256').update(json).digest('hex').slice(0, DIGEST_CHARACTERS)
}

/** The frame of a line without its newline; undefined when the line is not what was written. */
function decodeFrame(line: Buffer): JournalFrame | undefined {
  const json = line.subarray(DIGEST_CHARACTERS + 1)
  if (line.toString('latin1', 0, DIGEST_CHARACTERS + 1) !== `${digest(json)} `) return undefined
  return JSON.parse(json.toString()) as JournalFrame
}

export interface JournalReading {
  frames: JournalFrame[]
  /** Offset in bytes after the last frame. */
  end: number
  /** Bytes after it that are no frame: a write that was broken off before it was acknowledged. */
  torn: number
}

/**
 * The frames of a journal from one offset up to another.
 *
 * A broken last line is what a crash leaves of an unacknowledged write; it is counted and left out. That is so only at the
 * end of the file: with `to` given, and for a broken line that a sound one follows, it is damage.
 *
 * @throws StoreDamageError naming the file and the offset
 */
export function readJournal(file: string, from: number, to?: number): JournalReading {
  const bytes = readRange(file, from, to)
  const frames: JournalFrame[] = []
  let start = 0
  for (let newline; (newline = bytes.indexOf(NEWLINE, start)) !== -1; start = newline + 1) {
    const frame = decodeFrame(bytes.subarray(start, newline))
    if (!frame) break
    frames.push(frame)
  }
  const torn = bytes.length - start
  if (torn > 0 && (to !== undefined || holdsFrame(bytes.subarray(start)))) {
    throw new StoreDamageError(`${file} is damaged at byte ${from + start}: this is not what was written there`)
  }
  return { frames, end: from + start, torn }
}

function readRange(file: string, from: number, to: number | undefined): Buffer {
  const handle = openStoreFile(file)
  try {
    const size = fstatSync(handle).size
    if (size < (to ?? from)) {
      throw new StoreDamageError(`${file} is damaged: it ends at byte ${size}, before byte ${to ?? from}`)
    }
    const bytes = Buffer.allocUnsafe((to ?? size) - from)
    for (let read = 0; read < bytes.length;) {
      const count = readSync(handle, bytes, read, bytes.length - read, from + read)
      if (count === 0) throw new StoreDamageError(`${file} became shorter while it was read`)
      read += count
    }
    return bytes
  } finally {
    closeSync(handle)
  }
}

/** Whether a sound frame begins anywhere after the first byte. */
function holdsFrame(bytes: Buffer): boolean {
  for (let at = 0; (at = bytes.indexOf(FRAME_BEGINNING, at + 1)) !== -1;) {
    const end = bytes.indexOf(NEWLINE, at)
    if (end !== -1 && at > DIGEST_CHARACTERS && decodeFrame(bytes.subarray(at - DIGEST_CHARACTERS, end))) return true
  }
  return false
}
