import { FNV_START, fnv1a } from '../../base/files/fnv.ts'
import { copyOfText } from '../../base/unicode.ts'

/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MOST_BYTES = 3
const FREE = -1
/** As many as 16 bits can number; IRIs with further namespaces are kept whole. */
const MOST_NAMESPACES = 1 << 16

/** The text after the last IRI: the local name of an IRI that may be new. */
interface Written {
  namespace: number
  end: number
  hash: number
}

/**
 * IRIs by number and numbers by IRI, in buffers instead of a map of strings: the garbage collector has nothing to walk
 * through, and a namespace, up to the last slash or hash, is kept once for all its IRIs. A million IRIs take 50 MB.
 */
export class IriTable {
  readonly #namespaces = ['']
  readonly #numberOfNamespace = new Map([['', 0]])
  /** The local names in UTF-8, one after the other. */
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  /** By the number of an IRI: the end of its local name, its namespace, its digest. */
  #ends = new Uint32Array(1 << 10)
  #namespaceOf = new Uint16Array(1 << 10)
  #hashes = new Int32Array(1 << 10)
  /** Numbers by digest, or at the next free place; at most half full. */
  #places = new Int32Array(1 << 11).fill(FREE)
  #size = 0

  /** Number of IRIs; their numbers count from 0. */
  get size(): number {
    return this.#size
  }

  /** The IRI of a number. */
  iri(number: number): string {
    const name = this.#bytes.toString('utf8', this.#start(number), this.#ends[number])
    return this.#namespaces[this.#namespaceOf[number]!]! + name
  }

  /** The number of an IRI; undefined if it has none. */
  find(iri: string): number | undefined {
    const number = this.#places[this.#placeOf(this.#write(iri))]!
    return number === FREE ? undefined : number
  }

  /** The number of an IRI, a new one if it has none yet. */
  intern(iri: string): number {
    const written = this.#write(iri)
    const place = this.#placeOf(written)
    const present = this.#places[place]!
    if (present !== FREE) return present
    const number = this.#size++
    this.#places[place] = number
    this.#ends[number] = written.end
    this.#namespaceOf[number] = written.namespace
    this.#hashes[number] = written.hash
    if (this.#size === this.#ends.length) this.#grow()
    return number
  }

  #start(number: number): number {
    return number === 0 ? 0 : this.#ends[number - 1]!
  }

  /** Writes the local name of an IRI after the last one, where it stays if the IRI is new. */
  #write(iri: string): Written {
    const cut = Math.max(iri.lastIndexOf('/'), iri.lastIndexOf('#')) + 1
    const namespace = this.#namespace(iri.slice(0, cut))
    const name = namespace === 0 ? iri : iri.slice(cut)
    const start = this.#start(this.#size)
    const needed = start + name.length * MOST_BYTES
    if (needed > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(needed, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, start)
      this.#bytes = larger
    }
    const end = start + this.#bytes.write(name, start)
    let hash = fnv1a(FNV_START, namespace)
    for (let at = start; at < end; at++) hash = fnv1a(hash, this.#bytes[at]!)
    // The lower bits choose the place, so they need to depend on the upper ones.
    return { namespace, end, hash: hash ^ (hash >>> 15) }
  }

  /** The number of a namespace; 0 if there are too many. */
  #namespace(text: string): number {
    const present = this.#numberOfNamespace.get(text)
    if (present !== undefined) return present
    const number = this.#namespaces.length
    if (number === MOST_NAMESPACES) return 0
    const copied = copyOfText(text)
    this.#namespaces.push(copied)
    this.#numberOfNamespace.set(copied, number)
    return number
  }

  /** The place of an IRI: with its number, or free. */
  #placeOf(written: Written): number {
    const mask = this.#places.length - 1
    let place = written.hash & mask
    for (let number = this.#places[place]!; number !== FREE; number = this.#places[place]!) {
      if (this.#hashes[number] === written.hash && this.#is(number, written)) return place
      place = (place + 1) & mask
    }
    return place
  }

  #is(number: number, { namespace, end }: Written): boolean {
    const start = this.#start(this.#size)
    const other = this.#start(number)
    const length = end - start
    if (this.#namespaceOf[number] !== namespace || this.#ends[number]! - other !== length) return false
    for (let at = 0; at < length; at++) if (this.#bytes[other + at] !== this.#bytes[start + at]) return false
    return true
  }

  #grow(): void {
    const [ends, namespaceOf, hashes] = [this.#ends, this.#namespaceOf, this.#hashes]
    this.#ends = new Uint32Array(ends.length * 2)
    this.#ends.set(ends)
    this.#namespaceOf = new Uint16Array(namespaceOf.length * 2)
    this.#namespaceOf.set(namespaceOf)
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
