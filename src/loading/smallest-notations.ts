/** A UTF-16 unit takes at most this many bytes in UTF-8. */
const MOST_BYTES = 3

/**
 * The smallest notation of each resource, in one buffer instead of many strings. Bytes in UTF-8 sort like code points.
 */
export class SmallestNotations {
  #bytes = Buffer.allocUnsafeSlow(1 << 16)
  /** Begins with 1, because 0 stands for none. */
  #used = 1
  /** Begin and end of the notation of each resource; both 0 if it has none. */
  #begins = new Uint32Array(1 << 10)
  #ends = new Uint32Array(1 << 10)

  add(node: number, notation: string): void {
    this.#makeRoom(node, notation.length * MOST_BYTES)
    const end = this.#used + this.#bytes.write(notation, this.#used)
    const [begin, before] = [this.#begins[node]!, this.#ends[node]!]
    if (before > 0 && this.#bytes.compare(this.#bytes, begin, before, this.#used, end) >= 0) return
    this.#begins[node] = this.#used
    this.#ends[node] = this.#used = end
  }

  /** Negative if the notation of the first resource comes before that of the second one; resources without one are last. */
  compare(a: number, b: number): number {
    const [aEnd, bEnd] = [this.#ends[a] ?? 0, this.#ends[b] ?? 0]
    if (aEnd === 0 || bEnd === 0) return Number(aEnd === 0) - Number(bEnd === 0)
    return this.#bytes.compare(this.#bytes, this.#begins[b], bEnd, this.#begins[a], aEnd)
  }

  #makeRoom(node: number, bytes: number): void {
    if (this.#used + bytes > this.#bytes.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(this.#used + bytes, this.#bytes.length * 2))
      this.#bytes.copy(larger, 0, 0, this.#used)
      this.#bytes = larger
    }
    if (node < this.#ends.length) return
    const [begins, ends] = [this.#begins, this.#ends]
    this.#begins = new Uint32Array(Math.max(node + 1, ends.length * 2))
    this.#begins.set(begins)
    this.#ends = new Uint32Array(this.#begins.length)
    this.#ends.set(ends)
  }
}
