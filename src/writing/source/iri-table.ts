import { FNV_START, fnv1a } from '../../base/files/fnv.ts'

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MOST_BYTES = 3
const FREE = -1

/**
 * IRIs by number and numbers by IRI, in buffers instead of a map of strings: a million IRIs take a third of the memory,
 * and the garbage collector has nothing to walk through.
 */
export class IriTable {
  /** The IRIs in UTF-8, one after the other. */
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  /** The end of the IRI of each number. */
  #ends = new Uint32Array(1 << 10)
  #hashes = new Int32Array(1 << 10)
  /** Numbers by hash, or at the next free place; at most half full. */
  #places = new Int32Array(1 << 11).fill(FREE)
  #size = 0

  /** Number of IRIs; their numbers count from 0. */
  get size(): number {
    return this.#size
  }

  /** The IRI of a number. */
  iri(number: number): string {
    return this.#bytes.toString('utf8', this.#start(number), this.#ends[number])
  }

  /** The number of an IRI; undefined if it has none. */
  find(iri: string): number | undefined {
    const end = this.#write(iri)
    const number = this.#places[this.#placeOf(this.#hash(end), end)]!
    return number === FREE ? undefined : number
  }

  /** The number of an IRI, a new one if it has none yet. */
  intern(iri: string): number {
    const end = this.#write(iri)
    const hash = this.#hash(end)
    const place = this.#placeOf(hash, end)
    const present = this.#places[place]!
    if (present !== FREE) return present
    const number = this.#size++
    this.#places[place] = number
    this.#hashes[number] = hash
    this.#ends[number] = end
    if (this.#size === this.#ends.length) this.#grow()
    return number
  }

  #start(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!
  }

  /** Writes an IRI after the last one, where it stays if it is new; returns its end. */
  #write(iri: string): number {
    const start = this.#start(this.#size)
    const needed = start + iri.length * MOST_BYTES
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    return start + this.#bytes.write(iri, start)
  }

  /** A digest of the text after the last IRI. */
  #hash(end: number): number {
    let hash = FNV_START
    for (let at = this.#start(this.#size); at < end; at++) hash = fnv1a(hash, this.#bytes[at]!)
    // The lower bits choose the place, so they need to depend on the upper ones.
    return hash ^ (hash >>> 15)
  }

  /** The place of the text after the last IRI: with its number, or free. */
  #placeOf(hash: number, end: number): number {
    const mask = this.#places.length - 1
    let place = hash & mask
    for (let number = this.#places[place]!; number !== FREE; number = this.#places[place]!) {
      if (this.#hashes[number] === hash && this.#isWritten(number, end)) return place
      place = (place + 1) & mask
    }
    return place
  }

  #isWritten(number: number, end: number): boolean {
    const written = this.#start(this.#size)
    const start = this.#start(number)
    const length = end - written
    if (this.#ends[number]! - start !== length) return false
    // IRIs of a vocabulary differ at the end.
    for (let at = length - 1; at >= 0; at--) if (this.#bytes[start + at] !== this.#bytes[written + at]) return false
    return true
  }

  #grow(): void {
    const [ends, hashes] = [this.#ends, this.#hashes]
    this.#ends = new Uint32Array(ends.length * 2)
    this.#ends.set(ends)
    this.#hashes = new Int32Array(hashes.length * 2)
    this.#hashes.set(hashes)
    const before = this.#places
    this.#places = new Int32Array(before.length * 2).fill(FREE)
    const mask = this.#places.length - 1
    for (const number of before) {
      if (number === FREE) continue
      let place = this.#hashes[number]! & mask
      while (this.#places[place] !== FREE) place = (place + 1) & mask
      this.#places[place] = number
    }
  }
}
