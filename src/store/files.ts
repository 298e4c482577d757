import { createHash } from 'node:crypto'
import { closeSync, fdatasyncSync, fsyncSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'

/** What is on disk is not what was written there: the store cannot start from it. The message names the file. */
export class StoreDamageError extends Error {
  override readonly name = 'StoreDamageError'
}

/** The name of a graph: an IRI, or null for the default graph. */
export type GraphName = string | null

export type GraphMediaType = 'application/n-triples' | 'text/turtle'

/** One graph as a whole in a file of the store's directory. */
export interface GraphFile {
  graph: GraphName
  /** Name within the directory; never used twice. */
  file: string
  mediaType: GraphMediaType
  bytes: number
  sha256: string
}

const CHUNK_BYTES = 1 << 20

/** Whether an error comes from the file system: it is full, over a quota, broken. */
export function isDiskFailure(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException
  // A connection that breaks off fails in a system call, too.
  return code !== undefined && syscall !== undefined && code !== 'ECONNRESET'
}

/** Opens a file that belongs to the store. @throws StoreDamageError when it is missing */
export function openStoreFile(path: string): number {
  try {
    return openSync(path, 'r')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause
    throw new StoreDamageError(`${path} is missing`, { cause })
  }
}

/** The bytes of a file in chunks; a chunk is valid until the next one is asked for. */
export function* fileChunks(path: string): Generator<Uint8Array> {
  const file = openStoreFile(path)
  try {
    const buffer = Buffer.allocUnsafeSlow(CHUNK_BYTES)
    for (let bytes; (bytes = readSync(file, buffer)) > 0;) yield buffer.subarray(0, bytes)
  } finally {
    closeSync(file)
  }
}

/** Writes a new file, on disk when this returns. Gives its size in bytes and its SHA-256 in hexadecimal. */
export function writeFileDurably(
  path: string,
  chunks: Iterable<string | Uint8Array>,
): { bytes: number; sha256: string } {
  const hash = createHash('sha256')
  let bytes = 0
  const file = openSync(path, 'wx', 0o600)
  try {
    for (const chunk of chunks) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      hash.update(buffer)
      writeAll(file, buffer)
      bytes += buffer.length
    }
    fdatasyncSync(file)
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  return { bytes, sha256: hash.digest('hex') }
}

/** Puts a whole file in the place of another: after a crash, either the old one or the new one is there. */
export function replaceFileDurably(directory: string, name: string, content: string): void {
  const beside = `${name}.new`
  rmSync(join(directory, beside), { force: true })
  writeFileDurably(join(directory, beside), [content])
  renameSync(join(directory, beside), join(directory, name))
  syncDirectory(directory)
}

/** Makes the names of new, renamed and removed files durable. */
export function syncDirectory(directory: string): void {
  const handle = openSync(directory, 'r')
  try {
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Writes all of the bytes, from the current position of the file or from the one given. */
export function writeAll(file: number, bytes: Uint8Array, position?: number): void {
  for (let offset = 0; offset < bytes.length;) {
    offset += writeSync(file, bytes, offset, bytes.length - offset, position === undefined ? null : position + offset)
  }
}
