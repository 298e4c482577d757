import { randomBytes } from 'node:crypto'

/** A new UUID for a load, which begins with the present time (RFC 9562, section 5.7). */
export function newLoadId(): string {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(Date.now(), 0, 6)
  // The version and the variant.
  bytes[6] = 0x70 | (bytes[6]! & 0x0f)
  bytes[8] = 0x80 | (bytes[8]! & 0x3f)
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/**
 * The time of a load in milliseconds since 1970.
 *
 * @returns undefined if its UUID has none, as those of earlier versions of the service.
 */
export function timeOfLoad(id: string): number | undefined {
  const [, high, low] = /^([\da-f]{8})-([\da-f]{4})-7/.exec(id) ?? []
  return high === undefined ? undefined : parseInt(high + low!, 16)
}
