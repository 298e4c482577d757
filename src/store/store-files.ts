import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { StagedChange } from './calls.ts'
import { type GraphFile, syncDirectory } from './files.ts'
import { type JournalPosition, journalFile } from './journal.ts'
import { type Manifest, readManifest, removeStrayFiles, writeManifest } from './manifest.ts'
import { StoreThread } from './thread.ts'

const FIRST_JOURNAL = 1

/** The files of a store's directory: what they hold, and the threads that are built from them. */
export class StoreFiles {
  readonly directory: string
  /** What the data take in memory, in bytes, once a thread has told. */
  dataMemoryBytes: number | undefined
  readonly #queryTimeoutMs: number
  readonly #roomBytes: number
  readonly #builds = new Set<Promise<unknown>>()
  #manifest: Manifest

  /**
   * The files of a directory; those of an empty store where there are none.
   *
   * @throws StoreDamageError
   */
  constructor(directory: string, queryTimeoutMs: number, roomBytes: number) {
    this.directory = directory
    this.#queryTimeoutMs = queryTimeoutMs
    this.#roomBytes = roomBytes
    const manifest = readManifest(directory)
    this.#manifest = manifest ?? { format: 1, sequence: 0, graphs: [], journals: [FIRST_JOURNAL] }
    if (!manifest) {
      this.#createJournal(FIRST_JOURNAL)
      writeManifest(directory, this.#manifest)
    }
  }

  /** The place in the journals up to which the graph files hold the changes. */
  get start(): JournalPosition {
    return { journal: this.#manifest.journals[0]!, offset: 0 }
  }

  /** The journal that is written. */
  get lastJournal(): number {
    return this.#manifest.journals.at(-1)!
  }

  /** Starts a thread that holds the dataset as of a place in the journals, or that will be the writer at once. */
  build(position?: JournalPosition, staged?: StagedChange): StoreThread {
    const { directory } = this
    const memory = { room: this.#roomBytes, data: this.dataMemoryBytes }
    const options = { directory, manifest: this.#manifest, position, staged, memory }
    const thread = new StoreThread(options, this.#queryTimeoutMs)
    const opened = thread.opened.catch(() => undefined)
    this.#builds.add(opened)
    void opened.then(() => this.#builds.delete(opened))
    return thread
  }

  /** Begins a new journal, which belongs to the store from now on. Gives its beginning. */
  startJournal(): JournalPosition {
    const journal = this.lastJournal + 1
    this.#createJournal(journal)
    this.#replaceManifest({ ...this.#manifest, journals: [...this.#manifest.journals, journal] })
    return { journal, offset: 0 }
  }

  /**
   * Puts new graph files in the place of the old ones and of all journals but the last.
   *
   * @returns the names of the files that are not needed any more
   */
  replaceGraphs(graphs: GraphFile[], sequence: number, mentionedFiles: string[]): string[] {
    const { journals } = this.#manifest
    this.#replaceManifest({ format: 1, sequence, graphs, journals: journals.slice(-1) })
    const kept = new Set(graphs.map(({ file }) => file))
    return [
      ...mentionedFiles.filter((file) => !kept.has(file)),
      ...journals.slice(0, -1).map((journal) => journalFile('', journal)),
    ]
  }

  /** Removes files, when no thread is being built that may read them. */
  async remove(files: string[]): Promise<void> {
    await Promise.all(this.#builds)
    for (const file of files) rmSync(join(this.directory, file), { force: true })
    syncDirectory(this.directory)
  }

  /** Removes what a crash has left behind. */
  removeStrayFiles(mentionedFiles: string[]): void {
    const journals = this.#manifest.journals.map((journal) => journalFile('', journal))
    removeStrayFiles(this.directory, new Set([...mentionedFiles, ...journals]))
  }

  #createJournal(journal: number): void {
    closeSync(openSync(journalFile(this.directory, journal), 'w', 0o600))
    syncDirectory(this.directory)
  }

  #replaceManifest(manifest: Manifest): void {
    writeManifest(this.directory, manifest)
    this.#manifest = manifest
  }
}
