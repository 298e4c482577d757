import { createHash, randomBytes } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { readdir, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import PQueue from 'p-queue'
import { ApiError } from '../../base/errors.ts'
import { digestOfFile, makeFolder, readTextFile, replaceFile, syncFile } from '../../base/durable/files.ts'
import { isObject, parseJsonText } from '../../base/json.ts'
import { softwareVersion } from '../../base/root.ts'
import { REST } from '../../graph/memory/store-state.ts'
import { NO_DEADLINE } from '../../graph/sparql/client.ts'
import { findVocabulary, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { BodyChunks } from '../../interface/http/send.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { EXPORT_FORMATS, type ExportFormat } from './export.ts'
import { wholeVocabulary } from './records.ts'

/** A whole vocabulary in one format, as two files of `DATA_DIR/dumps`. */
export interface Dump {
  /** The name of the file in the folder. */
  readonly file: string
  readonly bytes: number
  /** The size of the compressed file. */
  readonly gzipBytes: number
  /** SHA-256 of the uncompressed file in hexadecimal. */
  readonly sha256: string
  /** When it was begun (ISO 8601). */
  readonly created: string
  /** How long it took, in milliseconds. */
  readonly tookMs: number
}

interface DumpsOptions extends AnswerDependencies {
  /** Receives what the operator should know. */
  warn: (message: string, error: unknown) => void
}

/** A request waits for the dump of a vocabulary with at most so many triples: a second or less. */
const SMALL = 20_000
/** This share of the disk stays free. */
const FREE_SHARE = 0.05
/** The free space is looked up after so many bytes. */
const BYTES_PER_LOOK = 1 << 26
const NOTE = '.json'

/**
 * Whole vocabularies as files, made once for a revision, in all formats of exports, plain and compressed.
 *
 * The first download of a revision has its dump made in the background. A new revision removes it. All dumps together
 * take at most `DUMPS_BYTES`; the least recently used goes first.
 */
export class Dumps {
  /** `DATA_DIR/dumps` */
  readonly folder: string
  readonly #options: DumpsOptions
  /** Settings and version of the software, on which the content of dumps depends. */
  readonly #edition: string
  /** The dumps on disk by what they are of, the longest unused first. */
  readonly #dumps = new Map<string, Dump>()
  /** Dumps in the making. */
  readonly #pending = new Map<string, Promise<Dump | undefined>>()
  /** Dumps that the disk has no place for. */
  readonly #refused = new Set<string>()
  readonly #queue = new PQueue({ concurrency: 1 })
  readonly #closing = new AbortController()

  private constructor(options: DumpsOptions) {
    const { baseUrl, dataDir, defaultLanguages, jskosContextUrl } = options.config
    this.#options = options
    this.#edition = JSON.stringify([softwareVersion(), baseUrl, defaultLanguages, jskosContextUrl])
    this.folder = join(dataDir, 'dumps')
    options.registry.onRead((vocabularies) => this.#removeOutdated(vocabularies))
  }

  /**
   * Opens the folder, and removes what an earlier process has left unfinished.
   *
   * @returns undefined if the operator wants no dumps; then the folder is removed.
   * @throws the error of the system.
   */
  static async open(options: DumpsOptions): Promise<Dumps | undefined> {
    const dumps = new Dumps(options)
    const { folder } = dumps
    if (options.config.dumpBytes === 0) {
      await rm(folder, { recursive: true, force: true })
      return undefined
    }
    await makeFolder(folder)
    const names = await readdir(folder)
    for (const name of names.filter((name) => name.endsWith(NOTE))) await dumps.#readNote(name)
    const files = new Set([...dumps.#dumps.values()].flatMap(filesOf))
    for (const name of names) if (!files.has(name)) await rm(join(folder, name), { force: true })
    return dumps
  }

  async #readNote(name: string): Promise<void> {
    const description = parseJsonText((await readTextFile(join(this.folder, name))) ?? '')
    if (!isObject(description)) return
    const { key, dump } = description as unknown as { key: string; dump: Dump }
    const size = (file: string) =>
      stat(join(this.folder, file)).then(
        ({ size }) => size,
        () => undefined,
      )
    // After a power failure a file may be shorter than it was.
    const isWhole = (await size(dump.file)) === dump.bytes && (await size(zippedFile(dump))) === dump.gzipBytes
    if (isWhole) this.#dumps.set(key, dump)
  }

  /** The bytes of all dumps. */
  get bytes(): number {
    return [...this.#dumps.values()].reduce((sum, { bytes, gzipBytes }) => sum + bytes + gzipBytes, 0)
  }

  /** The dumps of the present revision that are made, by media type. */
  made(vocabulary: Vocabulary): Map<string, Dump> {
    const made = new Map<string, Dump>()
    for (const format of EXPORT_FORMATS) {
      const dump = this.#peek(vocabulary, format)
      if (dump) made.set(format.mediaType, dump)
    }
    return made
  }

  /** The dump of the present revision; undefined if there is none yet, or if it is too old. */
  #peek(vocabulary: Vocabulary, format: Pick<ExportFormat, 'extension'>): Dump | undefined {
    const dump = this.#dumps.get(this.#keyOf(vocabulary, format) ?? '')
    if (!dump) return undefined
    const maxAgeMs = Math.max(this.#options.state.maxAgeMs, REST * dump.tookMs)
    return Date.now() - Date.parse(dump.created) < maxAgeMs ? dump : undefined
  }

  /**
   * The dump of the present revision for a download. If there is none yet, this begins to make it, and waits for it if
   * the vocabulary is small.
   *
   * @returns undefined if the download must be streamed.
   * @throws ApiError if the store fails.
   */
  async use(vocabulary: Vocabulary, format: ExportFormat): Promise<Dump | undefined> {
    const key = this.#keyOf(vocabulary, format)
    if (key === undefined) return undefined
    const dump = this.#peek(vocabulary, format)
    if (dump) {
      this.#dumps.delete(key)
      this.#dumps.set(key, dump)
      return dump
    }
    const isSmall = (vocabulary.lastLoad.triples ?? Infinity) <= SMALL
    const making = this.#make(key, vocabulary, format, isSmall)
    if (isSmall) return making
    making.catch((error: unknown) => {
      // The download itself reports statements that its format cannot express.
      const isRefused = error instanceof ApiError && error.name === 'MalformedRequestError'
      if (!isRefused && !this.#closing.signal.aborted) this.#options.warn('a download could not be made a file', error)
    })
    return undefined
  }

  /** Stops what is being made. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#queue.clear()
    await Promise.allSettled(this.#pending.values())
  }

  /** @returns undefined if the store has another revision meanwhile, or the disk has no place. */
  #make(key: string, vocabulary: Vocabulary, format: ExportFormat, isUrgent: boolean): Promise<Dump | undefined> {
    const pending = this.#pending.get(key)
    if (pending) return pending
    if (this.#refused.has(key) || this.#closing.signal.aborted) return Promise.resolve(undefined)
    const work = () => this.#write(key, vocabulary, format)
    const making = (isUrgent ? work() : this.#queue.add(work)).finally(() => this.#pending.delete(key))
    this.#pending.set(key, making)
    return making
  }

  async #write(key: string, vocabulary: Vocabulary, format: ExportFormat): Promise<Dump | undefined> {
    const { registry, warn } = this.#options
    const { signal } = this.#closing
    const began = new Date()
    const source = wholeVocabulary(this.#options, vocabulary, { ...NO_DEADLINE, signal })
    // Each dump has files of its own, so that one that is being sent stays as it is.
    const name = `${vocabulary.ids[0] ?? 'vocabulary'}-${randomBytes(8).toString('hex')}`
    const file = `${name}.${format.extension}`
    const path = join(this.folder, file)
    const zipped = join(this.folder, zippedFile({ file }))
    let isMade = false
    try {
      const chunks = this.#bounded(format.write(source))
      await pipeline(Readable.from(chunks), createWriteStream(path, { mode: 0o600 }), { signal })
      await pipeline(createReadStream(path), createGzip(), createWriteStream(zipped, { mode: 0o600 }), { signal })
      const present = findVocabulary(await registry.fresh(signal), vocabulary.uri)
      if (!present || this.#keyOf(present, format) !== key) return undefined
      await Promise.all([syncFile(path), syncFile(zipped)])
      const digest = await digestOfFile(path)
      const { size: gzipBytes } = await stat(zipped)
      const tookMs = Date.now() - began.getTime()
      const dump: Dump = { file, ...digest, gzipBytes, created: began.toISOString(), tookMs }
      await replaceFile(path + NOTE, JSON.stringify({ key, dump }))
      isMade = true
      await this.#remove(key)
      this.#dumps.set(key, dump)
      return dump
    } catch (error) {
      if (error instanceof ApiError || signal.aborted) throw error
      this.#refused.add(key)
      warn(`the download ${file} is not kept as a file`, error)
      return undefined
    } finally {
      if (!isMade) for (const made of [path, zipped]) await rm(made, { force: true })
    }
  }

  /** The chunks, as long as there is place for them. @throws Error if there is none. */
  async *#bounded(chunks: BodyChunks): AsyncGenerator<Uint8Array> {
    const { dumpBytes } = this.#options.config
    let bytes = 0
    let looked = -Infinity
    for await (const chunk of chunks) {
      const buffer = Buffer.from(chunk)
      bytes += buffer.length
      // The compressed file comes afterwards; it takes at most as much.
      if (2 * bytes > dumpBytes) throw new Error(`DUMPS_BYTES=${dumpBytes} is too small for it`)
      while (this.bytes + 2 * bytes > dumpBytes) await this.#remove(this.#longestUnused())
      if (bytes - looked > BYTES_PER_LOOK) {
        looked = bytes
        const { bavail, blocks } = await statfs(this.folder)
        if (bavail < FREE_SHARE * blocks) throw new Error(`the disk of ${this.folder} is nearly full`)
      }
      yield buffer
      // A store that sends quickly would otherwise leave other requests no turn.
      await setImmediate()
    }
  }

  #longestUnused(): string {
    const [key] = this.#dumps.keys()
    return key!
  }

  async #remove(key: string): Promise<void> {
    const dump = this.#dumps.get(key)
    if (!dump) return
    this.#dumps.delete(key)
    // The description goes first: without it, the files count as unfinished.
    for (const file of filesOf(dump)) await rm(join(this.folder, file), { force: true })
  }

  /** Removes the dumps of revisions that the store does not have any more. */
  #removeOutdated(vocabularies: readonly Vocabulary[]): void {
    if (this.#dumps.size === 0) return
    const keys = vocabularies.flatMap((vocabulary) => EXPORT_FORMATS.map((format) => this.#keyOf(vocabulary, format)))
    const present = new Set(keys)
    const outdated = [...this.#dumps.keys()].filter((key) => !present.has(key))
    const removed = Promise.all(outdated.map((key) => this.#remove(key)))
    removed.catch((error: unknown) => this.#options.warn('downloads of former revisions could not be removed', error))
  }

  /**
   * Identifies all that the content of a dump depends on.
   *
   * @returns undefined if another program wrote the vocabulary.
   */
  #keyOf({ uri, revision, partOf }: Vocabulary, { extension }: Pick<ExportFormat, 'extension'>): string | undefined {
    if (revision === undefined) return undefined
    // The records of a subset come from its vocabulary.
    const wholes = partOf.map((whole) => findVocabulary(this.#options.registry.last ?? [], whole)?.revision)
    const content = JSON.stringify([uri, revision, wholes, this.#edition, extension])
    return createHash('sha256').update(content).digest('hex')
  }
}

/** The compressed file of a dump. */
export function zippedFile({ file }: Pick<Dump, 'file'>): string {
  return `${file}.gz`
}

/** The files of a dump, its description first. */
function filesOf(dump: Dump): string[] {
  return [dump.file + NOTE, dump.file, zippedFile(dump)]
}
