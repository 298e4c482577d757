import { createHash, randomBytes } from 'node:crypto'
import { closeSync, fdatasyncSync, ftruncateSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { Store, defaultGraph, namedNode } from 'oxigraph/web.js'
import {
  type GraphFile,
  type GraphName,
  StoreDamageError,
  fileChunks,
  syncDirectory,
  writeAll,
  writeFileDurably,
} from './files.ts'
import { type Change, type JournalPosition, encodeFrame, journalFile, readJournal } from './journal.ts'
import type { Manifest } from './manifest.ts'
import { memoryBytes, startOxigraph } from './oxigraph.ts'
import { isFatal, refusedInput, refusedSparql } from './refusals.ts'
import { updateScope } from './sparql-text.ts'
import { supersededFiles } from './superseded.ts'

const N_TRIPLES = 'application/n-triples'
/** WebAssembly memory that graphs take for each byte of N-Triples (measured). */
const MEMORY_PER_BYTE = 2.8
/** The most that they take: short statements, each with a term of its own (measured). */
const MOST_MEMORY_PER_BYTE = 40
const MOST_RESERVED_BYTES = 1 << 30
/** A graph of more triples is written out in pieces: as a whole it could be longer than a JavaScript string. That takes twice as long. */
const PIECE_TRIPLES = 2_000_000

/** The change of one graph as a whole. */
export type GraphChange = Extract<Change, { type: 'put' | 'add' | 'delete' }>

/** What memory a dataset may take, in bytes. */
export interface MemoryBound {
  /** For queries and updates: beyond what the data take. */
  room: number
  /** What another dataset of the same files takes, where that is known: else it is estimated, with a wide margin. */
  data: number | undefined
}

/** What has gathered since the graph files were written; it grows until they are written anew. */
export interface Wear {
  /** Milliseconds that executing the updates of the journals again takes. */
  replayMs: number
  /** Size of the journals and of the files that they add to graphs. */
  journalBytes: number
  /** Size of the files of graphs that have been replaced or deleted since. */
  obsoleteBytes: number
  /** Size of oxigraph's memory, which never shrinks. In bytes. */
  memoryBytes: number
  /** The same when the graph files had just been loaded. */
  freshMemoryBytes: number
}

/**
 * A graph that a client asks for: its text; or, of a large one, the file that holds it as N-Triples;
 * `large` where that file has to be written first.
 */
export type GraphReading =
  { kind: 'text'; text: Uint8Array } | { kind: 'file'; file: string } | { kind: 'large' } | { kind: 'absent' }

/**
 * The RDF dataset in memory, as the files of a directory say it: the graphs of the manifest, then the changes of the journals.
 * A follower only reads the journals; the writer, of which there is one at a time, also appends to the last of them.
 *
 * Blank nodes get new labels whenever a graph is loaded, so graphs cannot share a blank node for longer than a process lives.
 */
export class Dataset {
  readonly store: Store
  readonly #directory: string
  /** The files of the graphs that are equal to one. */
  readonly #files = new Map<GraphName, GraphFile>()
  /** Every graph file that the manifest or a journal has named so far. */
  readonly #mentioned = new Set<string>()
  /** Graph files of changes that were made before the journal said so, see `stage`. */
  readonly #staged = new Set<string>()
  /** Graph files that need not be loaded. */
  readonly #superseded: ReadonlySet<string>
  /** Bytes of the files that each graph was made from. */
  readonly #sourceBytes = new Map<GraphName, number>()
  #obsoleteBytes = 0
  #freshMemoryBytes: number
  #position: JournalPosition
  #sequence: number
  #journal: number | undefined
  #replayMs = 0
  #journalBytes = 0

  /**
   * Loads the graphs of a manifest; the journals are left to `catchUp` and `becomeWriter`.
   *
   * @param position as far as the journals will be executed before anyone reads; their end where there is none
   * @param replaced what a graph will be replaced by after that, before anyone reads
   * @throws StoreDamageError
   */
  constructor(
    directory: string,
    manifest: Manifest,
    memory: MemoryBound,
    position?: JournalPosition,
    replaced?: GraphFile,
  ) {
    this.#directory = directory
    this.#sequence = manifest.sequence
    this.#position = { journal: manifest.journals[0]!, offset: 0 }
    for (const { file } of manifest.graphs) this.#mentioned.add(file)
    const changes = changesUntil(directory, manifest.journals, position)
    this.#superseded = supersededFiles(manifest.graphs, changes, replaced)
    const files = [...manifest.graphs, ...changes.flatMap((change) => ('source' in change ? [change.source] : []))]
    const needed = files.filter(({ file }) => !this.#superseded.has(file))
    const bytes = needed.reduce((sum, file) => sum + file.bytes, 0)
    const unknownBytes = (memory.data === undefined ? bytes : 0) + (replaced?.bytes ?? 0)
    startOxigraph(memory.room + (memory.data ?? 0) + unknownBytes * MOST_MEMORY_PER_BYTE)
    this.store = new Store()
    this.#reserveMemory(bytes)
    for (const source of manifest.graphs) this.#applyGraphChange({ type: 'put', source })
    this.#freshMemoryBytes = memoryBytes()
  }

  /** Where this dataset is in the journals. */
  get position(): JournalPosition {
    return { ...this.#position }
  }

  /** Sequence of the last frame of the journals whose changes are in this dataset. */
  get sequence(): number {
    return this.#sequence
  }

  get wear(): Wear {
    return {
      replayMs: this.#replayMs,
      journalBytes: this.#journalBytes,
      obsoleteBytes: this.#obsoleteBytes,
      memoryBytes: memoryBytes(),
      freshMemoryBytes: this.#freshMemoryBytes,
    }
  }

  /** Names of all graph files that the store consists of, or did before the last change of a graph. */
  get mentionedFiles(): string[] {
    return [...this.#mentioned]
  }

  /**
   * Executes what the journals hold between this dataset's position and another one.
   *
   * @throws StoreDamageError
   */
  catchUp(to: JournalPosition): void {
    this.#catchUpToStartOf(to.journal)
    if (this.#position.offset < to.offset) this.#replay(to.offset)
  }

  /**
   * Catches up to the end of the last journal and opens it for writing. What a crash left of an unacknowledged write is cut off.
   *
   * @returns the requests whose changes are in frames after the sequence `since`, and the number of bytes cut off
   * @throws StoreDamageError
   */
  becomeWriter(lastJournal: number, since: number): { requests: number[]; torn: number } {
    const requests = this.#catchUpToStartOf(lastJournal, since)
    const last = this.#replay(undefined, since)
    this.switchJournal(this.#position)
    return { requests: [...requests, ...last.requests], torn: last.torn }
  }

  /** Writes at another place from now on; what stands behind it is cut off. */
  switchJournal(position: JournalPosition): void {
    if (this.#journal !== undefined) closeSync(this.#journal)
    this.#position = { ...position }
    this.#journal = openSync(journalFile(this.#directory, position.journal), 'r+')
    ftruncateSync(this.#journal, position.offset)
    fdatasyncSync(this.#journal)
  }

  /**
   * Executes an update in memory.
   *
   * @returns the changes that the journal has to hold for it
   * @throws ApiError MalformedRequestError; nothing is changed then
   */
  update(update: string): Change[] {
    const { graphs, repeatable } = updateScope(update)
    const before = repeatable ? [] : (graphs ?? this.#graphNames())
    try {
      this.#executeUpdate(update, graphs)
    } catch (error) {
      throw refusedSparql(error, 'update')
    }
    if (repeatable) return [{ type: 'update', update }]
    // Executed again it would do something else, so what it has done is kept instead.
    const touched = new Set<GraphName>([null, ...before, ...(graphs ?? this.#graphNames())])
    return [...touched].map((graph) =>
      this.hasGraph(graph) ? { type: 'put', source: this.#writeOut(graph) } : { type: 'delete', graph },
    )
  }

  /**
   * Replaces, extends or deletes a graph in memory: all of it or, with an error, nothing.
   *
   * @returns whether the graph was there before
   * @throws ApiError MalformedRequestError naming the line of a syntax error
   */
  changeGraph(change: GraphChange): boolean {
    const existed = this.hasGraph(change.type === 'delete' ? change.graph : change.source.graph)
    if (change.type === 'add') {
      loadUnchecked(this.store, this.#pathOf(change.source), change.source)
      this.#noteLoaded(change)
    } else {
      // Loading is the check of the syntax: what is to be replaced stays until it has passed.
      if (change.type === 'put') loadOnTrial(this.#pathOf(change.source), change.source)
      this.#applyGraphChange(change)
    }
    return existed
  }

  /**
   * Makes a change ahead of the journal, in a dataset that nobody reads yet; when the journal comes to it, it is not made again.
   * After an error the dataset is of no more use.
   *
   * @throws ApiError MalformedRequestError naming the line of a syntax error
   */
  stage(change: Extract<GraphChange, { type: 'put' | 'add' }>): void {
    const { source } = change
    if (change.type === 'put') this.#drop(source.graph)
    this.#reserveMemory(source.bytes)
    loadUnchecked(this.store, this.#pathOf(source), source)
    this.#noteLoaded(change)
    this.#staged.add(source.file)
    this.#freshMemoryBytes = memoryBytes()
  }

  /** Appends changes to the journal, all of them or none: they are on disk when this returns. */
  append(changes: Change[], requests: number[]): void {
    if (this.#journal === undefined) throw new Error('a follower cannot write')
    const frame = encodeFrame({ sequence: this.#sequence + 1, changes, requests })
    writeAll(this.#journal, frame, this.#position.offset)
    fdatasyncSync(this.#journal)
    this.#sequence += 1
    this.#position.offset += frame.length
    this.#journalBytes += frame.length
    for (const change of changes) this.#mention(change)
  }

  /** Whether there is a named graph of this name, be it empty; the default graph is always there. */
  hasGraph(graph: GraphName): boolean {
    return graph === null || (this.store.query(`ASK { GRAPH <${graph}> {} }`) as boolean)
  }

  /** A graph in a media type of RDF, as a text while it has at most `mostTriples`. */
  readGraph(graph: GraphName, mediaType: string, mostTriples: number): GraphReading {
    if (!this.hasGraph(graph)) return { kind: 'absent' }
    if (mediaType === N_TRIPLES && this.#piece(graph, mostTriples, 1) !== '') {
      const source = this.#files.get(graph)
      return source?.mediaType === N_TRIPLES ? { kind: 'file', file: source.file } : { kind: 'large' }
    }
    return { kind: 'text', text: new TextEncoder().encode(this.#dump(graph, mediaType)) }
  }

  /** Writes out the graphs that are equal to no file of N-Triples, and gives the files of all graphs. */
  writeOutGraphs(): GraphFile[] {
    const graphs = this.#graphNames()
    for (const graph of graphs) {
      if (this.#files.get(graph)?.mediaType !== N_TRIPLES) this.#writeOut(graph)
    }
    this.#replayMs = 0
    this.#journalBytes = 0
    this.#obsoleteBytes = 0
    this.#freshMemoryBytes = memoryBytes()
    return graphs.map((graph) => this.#files.get(graph)!)
  }

  #catchUpToStartOf(journal: number, since = Infinity): number[] {
    const requests: number[] = []
    while (this.#position.journal < journal) {
      const { end, torn, requests: found } = this.#replay(undefined, since)
      if (torn > 0) {
        throw new StoreDamageError(`${journalFile(this.#directory, this.#position.journal)} is damaged at byte ${end}`)
      }
      requests.push(...found)
      this.#position = { journal: this.#position.journal + 1, offset: 0 }
    }
    return requests
  }

  #replay(to: number | undefined, since = Infinity): { requests: number[]; torn: number; end: number } {
    const file = journalFile(this.#directory, this.#position.journal)
    const { frames, end, torn } = readJournal(file, this.#position.offset, to)
    const requests: number[] = []
    for (const frame of frames) {
      if (frame.sequence !== this.#sequence + 1) {
        throw new StoreDamageError(`${file} is damaged: frame ${frame.sequence} follows frame ${this.#sequence}`)
      }
      for (const change of frame.changes) this.#applyAgain(change, file)
      this.#sequence = frame.sequence
      if (frame.sequence > since) requests.push(...frame.requests)
    }
    this.#journalBytes += end - this.#position.offset
    this.#position.offset = end
    return { requests, torn, end }
  }

  #applyAgain(change: Change, journal: string): void {
    this.#mention(change)
    if (change.type !== 'update') {
      if (change.type === 'delete' || !this.#staged.delete(change.source.file)) this.#applyGraphChange(change)
      return
    }
    try {
      this.#executeUpdate(change.update, updateScope(change.update).graphs)
    } catch (cause) {
      if (isFatal(cause)) throw cause
      throw new StoreDamageError(`${journal} holds an update that cannot be executed again`, { cause })
    }
  }

  #executeUpdate(update: string, graphs: string[] | undefined): void {
    const started = performance.now()
    this.store.update(update)
    this.#replayMs += performance.now() - started
    if (!graphs) this.#files.clear()
    for (const graph of [null, ...(graphs ?? [])]) this.#files.delete(graph)
  }

  #applyGraphChange(change: GraphChange): void {
    if (change.type === 'delete') {
      this.#drop(change.graph)
      return
    }
    if (this.#superseded.has(change.source.file)) {
      this.#obsoleteBytes += change.source.bytes
      return
    }
    if (change.type === 'put') this.#drop(change.source.graph)
    this.#load(change.source)
    this.#noteLoaded(change)
  }

  #noteLoaded({ type, source }: Extract<GraphChange, { type: 'put' | 'add' }>): void {
    const { graph } = source
    if (graph !== null) this.store.update(`CREATE SILENT GRAPH <${graph}>`)
    if (type === 'put') this.#files.set(graph, source)
    else {
      this.#files.delete(graph)
      this.#journalBytes += source.bytes
    }
    this.#sourceBytes.set(graph, (this.#sourceBytes.get(graph) ?? 0) + source.bytes)
  }

  #drop(graph: GraphName): void {
    this.store.update(graph === null ? 'DROP DEFAULT' : `DROP SILENT GRAPH <${graph}>`)
    this.#files.delete(graph)
    this.#obsoleteBytes += this.#sourceBytes.get(graph) ?? 0
    this.#sourceBytes.delete(graph)
  }

  /** Loads a file that has been checked when it was written. */
  #load(source: GraphFile): void {
    const path = this.#pathOf(source)
    const hash = createHash('sha256')
    try {
      load(this.store, path, source, { lenient: true }, (chunk) => hash.update(chunk))
    } catch (cause) {
      if (isFatal(cause) || cause instanceof StoreDamageError) throw cause
      throw new StoreDamageError(`${path} cannot be read: ${(cause as Error).message}`, { cause })
    }
    if (hash.digest('hex') !== source.sha256) {
      throw new StoreDamageError(`${path} is damaged: this is not what was written there`)
    }
  }

  #writeOut(graph: GraphName): GraphFile {
    const file = newGraphFile(N_TRIPLES)
    const written = writeFileDurably(join(this.#directory, file), this.#pieces(graph))
    syncDirectory(this.#directory)
    const source: GraphFile = { graph, file, mediaType: N_TRIPLES, ...written }
    this.#files.set(graph, source)
    this.#obsoleteBytes += this.#sourceBytes.get(graph) ?? 0
    this.#sourceBytes.set(graph, source.bytes)
    this.#mentioned.add(file)
    return source
  }

  *#pieces(graph: GraphName): Generator<string> {
    if (this.#piece(graph, PIECE_TRIPLES, 1) === '') {
      yield this.#dump(graph, N_TRIPLES)
      return
    }
    for (let offset = 0; ; offset += PIECE_TRIPLES) {
      const piece = this.#piece(graph, offset, PIECE_TRIPLES)
      if (piece === '') return
      yield piece
    }
  }

  #piece(graph: GraphName, offset: number, limit: number): string {
    const pattern = graph === null ? '?s ?p ?o' : `GRAPH <${graph}> { ?s ?p ?o }`
    const query = `CONSTRUCT { ?s ?p ?o } WHERE { ${pattern} } OFFSET ${offset} LIMIT ${limit}`
    return this.store.query(query, { results_format: N_TRIPLES }) as string
  }

  #dump(graph: GraphName, mediaType: string): string {
    return this.store.dump({ format: mediaType, from_graph_name: graphTerm(graph) })
  }

  /** All named graphs, and the default graph unless it is empty. */
  #graphNames(): GraphName[] {
    const solutions = this.store.query('SELECT ?g WHERE { GRAPH ?g {} }') as Map<string, { value: string }>[]
    const named = solutions.map((solution) => solution.get('g')!.value)
    return this.#piece(null, 0, 1) === '' ? named : [null, ...named]
  }

  #mention(change: Change): void {
    if (change.type === 'put' || change.type === 'add') this.#mentioned.add(change.source.file)
  }

  #pathOf(source: GraphFile): string {
    return join(this.#directory, source.file)
  }

  /**
   * Lets WebAssembly's memory grow once instead of thousands of times, by a text of that length that is refused at its first
   * byte: loading is faster by a third (measured).
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

/** The changes in journals, up to a place or to the end. */
function changesUntil(directory: string, journals: readonly number[], to?: JournalPosition): Change[] {
  return journals
    .filter((journal) => !to || journal <= to.journal)
    .flatMap((journal) => {
      const { frames } = readJournal(
        journalFile(directory, journal),
        0,
        journal === to?.journal ? to.offset : undefined,
      )
      return frames.flatMap(({ changes }) => changes)
    })
}

/** A file name that no graph file has yet. */
export function newGraphFile(mediaType: GraphFile['mediaType']): string {
  return `graph-${randomBytes(8).toString('hex')}.${mediaType === N_TRIPLES ? 'nt' : 'ttl'}`
}

function graphTerm(graph: GraphName) {
  return graph === null ? defaultGraph() : namedNode(graph)
}

/** Without a transaction it would not be faster, and take 160 MB more for a moment, however small the file is (measured). */
function load(
  store: Store,
  path: string,
  source: GraphFile,
  options: { lenient?: boolean },
  onChunk?: (chunk: Uint8Array) => void,
): void {
  function* chunks() {
    for (const chunk of fileChunks(path)) {
      onChunk?.(chunk)
      yield chunk
    }
  }
  store.load(chunks(), {
    format: source.mediaType,
    to_graph_name: graphTerm(source.graph),
    ...(source.graph === null ? {} : { base_iri: source.graph }),
    ...options,
  })
}

/** Loads what a client has sent. */
function loadUnchecked(store: Store, path: string, source: GraphFile): void {
  try {
    load(store, path, source, {})
  } catch (error) {
    throw refusedInput(error)
  }
}

function loadOnTrial(path: string, source: GraphFile): void {
  const store = new Store()
  try {
    loadUnchecked(store, path, source)
  } finally {
    ;(store as unknown as { free(): void }).free()
  }
}
