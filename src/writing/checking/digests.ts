import { FNV_START, fnv1a } from '../../base/files/fnv.ts'

const FREE = -1
/** An odd number unlike that of FNV, so that two texts with one digest of one kind rarely have one of the other. */
const OTHER_FACTOR = 0x5bd1e995

/**
 * Texts as numbers by a digest of 64 bits: a million texts of any length take about 30 MB. Two different texts of ten
 * million share a number once in some hundred thousand vocabularies.
 */
export class Digests {
  /** Two halves for each number. */
  #halves = new Int32Array(1 << 11)
  /** Numbers by digest, or at the next free place; at most half full. */
  #places = new Int32Array(1 << 11).fill(FREE)
  #size = 0

  /** How many texts have numbers, which count from 0. */
  get size(): number {
    return this.#size
  }

  /** The number of a text, a new one if it has none yet. */
  intern(text: string): number {
    // Signed, as the halves are.
    let first = FNV_START | 0
    let second = text.length
    for (let at = 0; at < text.length; at++) {
      const unit = text.charCodeAt(at)
      first = fnv1a(first, unit)
      second = Math.imul(second ^ unit, OTHER_FACTOR)
      second ^= second >>> 15
    }
    const place = this.#placeOf(first, second)
    const present = this.#places[place]!
    if (present !== FREE) return present
    const number = this.#size++
    this.#halves[2 * number] = first
    this.#halves[2 * number + 1] = second
    this.#places[place] = number
    if (2 * this.#size === this.#halves.length) this.#grow()
    return number
  }

  /** The place of a digest: with its number, or free. */
  #placeOf(first: number, second: number): number {
    const mask = this.#places.length - 1
    let place = (first ^ (second >>> 7)) & mask
    for (let number = this.#places[place]!; number !== FREE; number = this.#places[place]!) {
      if (this.#halves[2 * number] === first && this.#halves[2 * number + 1] === second) return place
      place = (place + 1) & mask
    }
    return place
  }

  #grow(): void {
    const halves = this.#halves
    this.#halves = new Int32Array(halves.length * 2)
    this.#halves.set(halves)
    this.#places = new Int32Array(halves.length * 2).fill(FREE)
    for (let number = 0; number < this.#size; number++) {
      this.#places[this.#placeOf(halves[2 * number]!, halves[2 * number + 1]!)] = number
    }
  }
}
