import { Store, namedNode } from 'oxigraph/web.js'
import { DamageError } from '../../base/durable/errors.ts'
import { ApiError } from '../../base/errors.ts'
import { messageOf } from '../../base/thrown.ts'
import type { GraphContents } from './contents.ts'
import { type GraphFile, readGraphFile, writeGraphFile } from './graph-files.ts'
import { grow, memoryBytes, reserveBytes, setAside, startOxigraph, withReserve } from './oxigraph.ts'
import { isFatal, refusedInput, refusedSparql } from './refusals.ts'

const N_TRIPLES = 'application/n-triples'
/** Memory that graphs take for each byte of N-Triples (measured). */
const MEMORY_PER_BYTE = 2.8
/** The largest such factor, for short statements that share no terms (measured). */
const MOST_MEMORY_PER_BYTE = 40
const MOST_GROWTH_BYTES = 1 << 30
/** The memory that WebAssembly can address. */
const MOST_BYTES = 2 ** 32
/**
 * Larger graphs are written in pieces, which takes twice as long: as a whole they could be longer than a JavaScript
 * string.
 */
const PIECE_TRIPLES = 2_000_000

/**
 * A change of a graph. An update gives the same result if it is executed again on the same graph, and changes no other
 * graph; an update that drops its graph may drop others, too.
 */
export type DatasetChange = { type: 'update'; graph: string; update: string } | Put | { type: 'delete'; graph: string }

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
  /** For graphs that are loaded later. */
  reserve: number
  /** The memory that another dataset of the same graphs takes; undefined: estimate with a wide margin. */
  data: number | undefined
}

/** These figures grow until the store writes the graphs into new files and loads them from there. */
export interface Wear {
  /** Milliseconds for executing the updates again. */
  replayMs: number
  /** Size of oxigraph's memory in bytes; it never shrinks. */
  memoryBytes: number
  /** The same right after loading the graphs, and the graphs that are new since. */
  freshMemoryBytes: number
  /** Memory that is left for loading further graphs. */
  reserveBytes: number
}

/**
 * The RDF dataset in memory: only named graphs.
 *
 * Loading a graph gives its blank nodes new labels, so graphs cannot share a blank node beyond the life of a process.
 */
export class Dataset {
  readonly store: Store
  readonly #directory: string
  #freshMemoryBytes: number
  #replayMs = 0

  /**
   * Loads graphs.
   *
   * @param put a graph from a client, which replaces the graph of this name.
   * @throws DamageError; ApiError MalformedRequestError naming the line of a syntax error in the client's file
   */
  constructor(
    directory: string,
    graphs: ReadonlyMap<string, GraphContents>,
    memory: MemoryBound,
    put?: { graph: string; file: GraphFile },
  ) {
    this.#directory = directory
    const stored = [...graphs].filter(([name]) => name !== put?.graph)
    const bytes = stored.reduce((sum, [, { file }]) => sum + (file?.bytes ?? 0), 0)
    const newBytes = put?.file.bytes ?? 0
    const unknownBytes = (memory.data === undefined ? bytes : 0) + newBytes
    const loadedBytes = (memory.data ?? 0) + unknownBytes * MOST_MEMORY_PER_BYTE
    startOxigraph(memory.room + memory.reserve + loadedBytes)
    this.store = new Store()
    // Growing once instead of thousands of times makes loading faster by a third (measured).
    grow(Math.min((bytes + newBytes) * MEMORY_PER_BYTE, MOST_GROWTH_BYTES))
    for (const [name, graph] of stored) this.#restore(name, graph)
    if (put) {
      refuseIfNoIri(put.graph)
      this.#load(put.graph, put.file, { isChecked: false })
    }
    this.#freshMemoryBytes = memoryBytes()
    setAside(Math.max(0, Math.min(memory.reserve, MOST_BYTES - memory.room - this.#freshMemoryBytes)))
  }

  get wear(): Wear {
    return {
      replayMs: this.#replayMs,
      memoryBytes: memoryBytes(),
      freshMemoryBytes: this.#freshMemoryBytes,
      reserveBytes: reserveBytes(),
    }
  }

  /**
   * Makes a change: all of it or, with an error, nothing.
   *
   * @param meanwhile called again and again while a graph is loaded; it may read the dataset, which is still as before
   * @returns the graphs that have gone, including that of the change if it never existed
   * @throws ApiError MalformedRequestError; for a file it names the line of a syntax error
   */
  make(change: DatasetChange, meanwhile: () => void): string[] {
    refuseIfNoIri(change.graph)
    switch (change.type) {
      case 'put':
        this.#put(change, meanwhile)
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
  follow(change: DatasetChange): void {
    switch (change.type) {
      case 'put':
        withReserve(() => this.#reload(change.graph, change.file))
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

  #restore(name: string, { file, updates }: GraphContents): void {
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
  #load(
    graph: string,
    file: GraphFile,
    { isChecked, meanwhile }: { isChecked: boolean; meanwhile?: () => void },
  ): void {
    try {
      load(this.store, graph, withPauses(readGraphFile(this.#directory, file), meanwhile), isChecked)
    } catch (error) {
      if (isFatal(error) || error instanceof DamageError) throw error
      if (!isChecked) throw refusedInput(error)
      throw new DamageError(`${this.#directory}/${file.name}`, messageOf(error), { cause: error })
    }
    this.store.update(`CREATE SILENT GRAPH <${graph}>`)
  }

  /**
   * Adds the new graph to the graph that it replaces, then loads it again into an empty graph, which takes a third of
   * the time because all terms are there (measured). The first step reveals syntax errors; between the two steps nobody
   * can read.
   */
  #put({ graph, file }: Put, meanwhile: () => void): void {
    const isNew = !this.#graphNames().includes(graph)
    const before = memoryBytes()
    withReserve(() => {
      this.#load(graph, file, { isChecked: false, meanwhile })
      if (!isNew) this.#reload(graph, file)
    })
    if (isNew) this.#freshMemoryBytes += memoryBytes() - before
  }

  #reload(graph: string, file: GraphFile): void {
    this.#drop(graph)
    this.#load(graph, file, { isChecked: true })
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
}

/**
 * Uses a transaction: without one, loading is no faster and takes another 160 MB for a moment, even for a small graph
 * (measured).
 */
function load(store: Store, graph: string, chunks: Iterable<Uint8Array>, isChecked: boolean): void {
  store.load(chunks, { format: N_TRIPLES, to_graph_name: namedNode(graph), lenient: isChecked })
}

/** Calls a function before each chunk, and after the last one. */
function* withPauses(chunks: Iterable<Uint8Array>, meanwhile: () => void = () => undefined): Generator<Uint8Array> {
  for (const chunk of chunks) {
    meanwhile()
    yield chunk
  }
  meanwhile()
}

/** @throws ApiError MalformedRequestError if oxigraph does not accept the IRI */
function refuseIfNoIri(graph: string): void {
  try {
    namedNode(graph)
  } catch (cause) {
    throw new ApiError('MalformedRequestError', 'graph: expected an absolute IRI', { cause })
  }
}
