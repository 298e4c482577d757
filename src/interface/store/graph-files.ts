import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { DamageError, DiskError } from '../../base/durable/errors.ts'
import { codeOf, isSystemError, messageOf } from '../../base/thrown.ts'

/** A file in the store's directory with one whole graph as N-Triples. */
export interface GraphFile {
  /** Unique name within the directory. */
  name: string
  bytes: number
  sha256: string
}

/** Names from `newGraphFileName`. */
export const GRAPH_FILE = /^graph-[0-9a-f]{16}\.nt$/

const CHUNK_BYTES = 1 << 20

/** A new unique name. */
export function newGraphFileName(): string {
  return `graph-${randomBytes(8).toString('hex')}.nt`
}

/**
 * The content of a graph file in chunks; a chunk is valid until the next one is requested.
 *
 * @throws DamageError at the end, if the content is not as it was written; callers must read to the end.
 */
export function* readGraphFile(directory: string, { name, bytes, sha256 }: GraphFile): Generator<Uint8Array> {
  const path = join(directory, name)
  const file = open(path)
  const hash = createHash('sha256')
  let size = 0
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    for (let read; (read = readSync(file, buffer)) > 0; size += read) {
      const chunk = buffer.subarray(0, read)
      hash.update(chunk)
      yield chunk
    }
  } finally {
    closeSync(file)
  }
  if (size !== bytes) throw new DamageError(path, `it has ${size} bytes, expected ${bytes}`)
  if (hash.digest('hex') !== sha256) throw new DamageError(path, 'its content is not what was written')
}

function open(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause
    throw new DamageError(path, 'it is missing', { cause })
  }
}

/** Writes a new graph file; on disk when this returns. @throws DiskError */
export function writeGraphFile(directory: string, chunks: Iterable<Uint8Array>): GraphFile {
  const name = newGraphFileName()
  const path = join(directory, name)
  const hash = createHash('sha256')
  let bytes = 0
  try {
    const file = openSync(path, 'wx', 0o600)
    try {
      for (const chunk of chunks) {
        hash.update(chunk)
        for (let at = 0; at < chunk.length;) at += writeSync(file, chunk, at)
        bytes += chunk.length
      }
      fdatasyncSync(file)
    } finally {
      closeSync(file)
    }
    const folder = openSync(directory, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch (cause) {
    rmSync(path, { force: true })
    if (!isSystemError(cause)) throw cause
    throw new DiskError(`${path} cannot be written: ${messageOf(cause)}`, { cause })
  }
  return { name, bytes, sha256: hash.digest('hex') }
}
