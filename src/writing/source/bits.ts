/** A set of numbers, one bit each. */
export class Bits {
  #bytes = new Uint8Array(1024)
  count = 0

  set(at: number): void {
    while (at >>> 3 >= this.#bytes.length) {
      const larger = new Uint8Array(this.#bytes.length * 2)
      larger.set(this.#bytes)
      this.#bytes = larger
    }
    if (!this.has(at)) this.count++
    this.#bytes[at >>> 3]! |= 1 << (at & 7)
  }

  delete(at: number): void {
    if (!this.has(at)) return
    this.count--
    this.#bytes[at >>> 3]! &= ~(1 << (at & 7))
  }

  has(at: number): boolean {
    return ((this.#bytes[at >>> 3] ?? 0) & (1 << (at & 7))) !== 0
  }
}
