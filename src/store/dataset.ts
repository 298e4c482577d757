import { Store, namedNode } from 'oxigraph/web.js'
import { DamageError } from '../durable/errors.ts'
import { ApiError } from '../errors.ts'
import { messageOf } from '../thrown.ts'
import type { StoredGraph } from './contents.ts'
import { type GraphFile, readGraphFile, writeGraphFile } from './graph-files.ts'
import { memoryBytes, startOxigraph } from './oxigraph.ts'
import { isFatal, refusedInput, refusedSparql } from './refusals.ts'

const N_TRIPLES = 'application/n-triples'
/** Memory that graphs take for each byte of N-Triples (measured). */
const MEMORY_PER_BYTE = 2.8
/** The maximum, for short statements that share no terms (measured). */
const MOST_MEMORY_PER_BYTE = 40
const MOST_RESERVED_BYTES = 1 << 30
/** Larger graphs are written in pieces, which takes twice as long: as a whole they could be longer than a JavaScript string. */
const PIECE_TRIPLES = 2_000_000

/**
 * A change of a graph. An update gives the same result if it is executed again on the same graph, and changes no other graph;
 * an update that drops its graph may drop others, too.
 */
export type Change = { type: 'update'; graph: string; update: string } | Put | { type: 'delete'; graph: string }

/** A graph from a client, which replaces the one of this name. */
export interface Put {
  type: 'put'
  graph: string
  file: GraphFile
}

/** The memory that a dataset may take, in bytes. */
export interface MemoryBound {
  /** For queries and updates, in addition to the data. */
  room: number
  /** The memory that another dataset of the same graphs takes; undefined: estimate with a wide margin. */
  data: number | undefined
}

/** These figures grow until the store writes the graphs into new files and loads them from there. */
export interface Wear {
  /** Milliseconds for executing the updates again. */
  replayMs: number
  /** Size of oxigraph's memory in bytes; it never shrinks. */
  memoryBytes: number
  /** The same right after loading the graphs. */
  freshMemoryBytes: number
}

/**
 * The RDF dataset in memory: only named graphs.
 *
 * Loading a graph gives its blank nodes new labels, so graphs cannot share a blank node beyond the life of a process.
 */
export class Dataset {
  readonly store: Store
  readonly #directory: string
  readonly #freshMemoryBytes: number
  #replayMs = 0

  /**
   * Loads graphs.
   *
   * @param put a graph from a client, which replaces the one of this name.
   * @throws DamageError; ApiError MalformedRequestError naming the line of a syntax error in the client's file
   */
  constructor(
    directory: string,
    graphs: ReadonlyMap<string, StoredGraph>,
    memory: MemoryBound,
    put?: { graph: string; file: GraphFile },
  ) {
    this.#directory = directory
    const stored = [...graphs].filter(([name]) => name !== put?.graph)
    const bytes = stored.reduce((sum, [, { file }]) => sum + (file?.bytes ?? 0), 0)
    const newBytes = put?.file.bytes ?? 0
    const unknownBytes = (memory.data === undefined ? bytes : 0) + newBytes
    startOxigraph(memory.room + (memory.data ?? 0) + unknownBytes * MOST_MEMORY_PER_BYTE)
    this.store = new Store()
    this.#reserveMemory(bytes + newBytes)
    for (const [name, graph] of stored) this.#restore(name, graph)
    if (put) {
      refuseIfNoIri(put.graph)
      this.#load(put.graph, put.file, { isChecked: false })
    }
    this.#freshMemoryBytes = memoryBytes()
  }

  get wear(): Wear {
    return { replayMs: this.#replayMs, memoryBytes: memoryBytes(), freshMemoryBytes: this.#freshMemoryBytes }
  }

  /**
   * Makes a change: all of it or, with an error, nothing.
   *
   * @param stored the graph as it is, if the change replaces it; a file with a syntax error leaves it so.
   * @returns the graphs that have gone, including that of the change if it never existed
   * @throws ApiError MalformedRequestError; for a file it names the line of a syntax error
   */
  make(change: Change, stored?: StoredGraph): string[] {
    refuseIfNoIri(change.graph)
    switch (change.type) {
      case 'put':
        this.#replace(change, stored)
        return []
      case 'delete':
        this.follow(change)
        return [change.graph]
      case 'update': {
        const before = this.#graphNames()
        try {
          this.follow(change)
        } catch (error) {
          throw refusedSparql(error, 'update')
        }
        const after = new Set(this.#graphNames())
        const gone = [...new Set([...before, change.graph])].filter((graph) => !after.has(graph))
        if (gone.length > 0 && after.has(change.graph)) throw new Error('an update dropped graphs that are not its own')
        return gone
      }
    }
  }

  /** Makes a change that another dataset has made before. */
  follow(change: Change): void {
    switch (change.type) {
      case 'put':
        this.#drop(change.graph)
        this.#load(change.graph, change.file, { isChecked: true })
        break
      case 'delete':
        this.#drop(change.graph)
        break
      case 'update':
        this.#execute(change.update)
    }
  }

  /** A graph as N-Triples; undefined if it has more triples than that. */
  dump(graph: string, mostTriples: number): Uint8Array | undefined {
    return this.#piece(graph, mostTriples, 1) === '' ? this.#dump(graph) : undefined
  }

  /** Writes a graph into a new file, which is on disk when this returns. @throws DiskError */
  writeOut(graph: string): GraphFile {
    this.#replayMs = 0
    return writeGraphFile(this.#directory, this.#pieces(graph))
  }

  #restore(name: string, { file, updates }: StoredGraph): void {
    if (file) this.#load(name, file, { isChecked: true })
    for (const update of updates) {
      try {
        this.#execute(update)
      } catch (cause) {
        if (isFatal(cause)) throw cause
        throw new DamageError(this.#directory, `an update of <${name}> cannot be executed again`, { cause })
      }
    }
  }

  #execute(update: string): void {
    const started = performance.now()
    this.store.update(update)
    this.#replayMs += performance.now() - started
  }

  #graphNames(): string[] {
    const solutions = this.store.query('SELECT ?g WHERE { GRAPH ?g {} }') as Map<string, { value: string }>[]
    return solutions.map((solution) => solution.get('g')!.value)
  }

  #drop(graph: string): void {
    this.store.update(`DROP SILENT GRAPH <${graph}>`)
  }

  /** @throws ApiError MalformedRequestError if an unchecked file has a syntax error; then nothing is loaded */
  #load(graph: string, file: GraphFile, { isChecked }: { isChecked: boolean }): void {
    try {
      load(this.store, graph, readGraphFile(this.#directory, file), isChecked)
    } catch (error) {
      if (isFatal(error) || error instanceof DamageError) throw error
      if (!isChecked) throw refusedInput(error)
      throw new DamageError(`${this.#directory}/${file.name}`, messageOf(error), { cause: error })
    }
    this.store.update(`CREATE SILENT GRAPH <${graph}>`)
  }

  /** Parses the new graph once: an old graph that it was to replace comes back from its own file if the syntax is wrong. */
  #replace({ graph, file }: Put, stored: StoredGraph | undefined): void {
    this.#drop(graph)
    try {
      this.#load(graph, file, { isChecked: false })
    } catch (error) {
      if (stored && error instanceof ApiError) this.#restore(graph, stored)
      throw error
    }
  }

  *#pieces(graph: string): Generator<Uint8Array> {
    const whole = this.dump(graph, PIECE_TRIPLES)
    if (whole) yield whole
    for (let offset = 0; !whole; offset += PIECE_TRIPLES) {
      const piece = this.#piece(graph, offset, PIECE_TRIPLES)
      if (piece === '') return
      yield new TextEncoder().encode(piece)
    }
  }

  #piece(graph: string, offset: number, limit: number): string {
    const query = `CONSTRUCT { ?s ?p ?o } WHERE { GRAPH <${graph}> { ?s ?p ?o } } OFFSET ${offset} LIMIT ${limit}`
    return this.store.query(query, { results_format: N_TRIPLES }) as string
  }

  #dump(graph: string): Uint8Array {
    return new TextEncoder().encode(this.store.dump({ format: N_TRIPLES, from_graph_name: namedNode(graph) }))
  }

  /**
   * Lets WebAssembly's memory grow once instead of thousands of times, which makes loading faster by a third (measured). For
   * this it loads a text of that length that fails at its first byte.
   */
  #reserveMemory(bytes: number): void {
    const reserve = Math.min(bytes * MEMORY_PER_BYTE, MOST_RESERVED_BYTES)
    if (reserve < 1 << 20) return
    const text = Buffer.alloc(reserve)
    text.write('}\n')
    try {
      this.store.load(text, { format: N_TRIPLES })
    } catch (error) {
      if (isFatal(error)) throw error
    }
  }
}

/** Uses a transaction: without one, loading is no faster and takes another 160 MB for a moment, even for a small graph (measured). */
function load(store: Store, graph: string, chunks: Iterable<Uint8Array>, isChecked: boolean): void {
  store.load(chunks, { format: N_TRIPLES, to_graph_name: namedNode(graph), lenient: isChecked })
}

/** @throws ApiError MalformedRequestError if oxigraph does not accept the IRI */
function refuseIfNoIri(graph: string): void {
  try {
    namedNode(graph)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', 'graph: expected an absolute IRI', { cause })
  }
}
