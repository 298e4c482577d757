import { hash } from 'node:crypto'

export const DIGEST_BYTES = 16
/** The digest of a resource without statements. */
export const NOTHING = Buffer.alloc(DIGEST_BYTES)

/**
 * A digest that does not depend on the order of statements: adding or removing a statement changes it by the digest of
 * that statement.
 */
export function digestOf(statements: Iterable<string>, start: Buffer = NOTHING): Buffer {
  const digest = Buffer.from(start)
  for (const statement of statements) {
    const hashed = hash('sha256', statement, 'buffer')
    for (let at = 0; at < DIGEST_BYTES; at += 4)
      digest.writeInt32LE(digest.readInt32LE(at) ^ hashed.readInt32LE(at), at)
  }
  return digest
}
