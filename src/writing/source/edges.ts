/** The links of one kind between numbered nodes, in typed arrays: eight bytes per link. */
export class Edges {
  #from = new Int32Array(1024)
  #to = new Int32Array(1024)
  length = 0

  push(from: number, to: number): void {
    if (this.length === this.#from.length) {
      this.#from = enlarged(this.#from)
      this.#to = enlarged(this.#to)
    }
    this.#from[this.length] = from
    this.#to[this.length++] = to
  }

  /** Moves the ends of links from these nodes to others. */
  redirect(end: 'from' | 'to', nodes: ReadonlyMap<number, number>): void {
    const ends = end === 'from' ? this.#from : this.#to
    for (let at = 0; at < this.length; at++) ends[at] = nodes.get(ends[at]!) ?? ends[at]!
  }

  forEach(each: (from: number, to: number) => void): void {
    for (let at = 0; at < this.length; at++) each(this.#from[at]!, this.#to[at]!)
  }

  /** The targets of every source, for `nodes` nodes. */
  bySource(nodes: number): Adjacency {
    return new Adjacency(this.#from, this.#to, this.length, nodes)
  }

  /** The sources of every target, for `nodes` nodes. */
  byTarget(nodes: number): Adjacency {
    return new Adjacency(this.#to, this.#from, this.length, nodes)
  }
}

function enlarged(array: Int32Array): Int32Array<ArrayBuffer> {
  const larger = new Int32Array(array.length * 2)
  larger.set(array)
  return larger
}

/** Neighbours by node, in compressed rows. */
export class Adjacency {
  readonly #start: Int32Array
  readonly #neighbours: Int32Array

  constructor(key: Int32Array, value: Int32Array, length: number, nodes: number) {
    const start = new Int32Array(nodes + 1)
    for (let at = 0; at < length; at++) start[key[at]! + 1]!++
    for (let node = 0; node < nodes; node++) start[node + 1]! += start[node]!
    const next = start.slice()
    this.#start = start
    this.#neighbours = new Int32Array(length)
    for (let at = 0; at < length; at++) this.#neighbours[next[key[at]!]!++] = value[at]!
  }

  /** Number of links of all nodes. */
  get length(): number {
    return this.#neighbours.length
  }

  /** The neighbours of a node; a neighbour with two links appears twice. */
  of(node: number): Int32Array {
    return this.#neighbours.subarray(this.#start[node], this.#start[node + 1])
  }
}
