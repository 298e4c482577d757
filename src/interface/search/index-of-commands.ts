import { DamageError } from '../../base/durable/errors.ts'
import type { PendingGraph, RevisionChange, VocabularyIndex } from '../../graph/vocabularies/vocabulary-index.ts'
import { additionOf, type IndexDifference } from '../../graph/index/difference.ts'
import { IndexFile, indexFileIn, removeIndexFile } from '../../graph/index/index-file.ts'
import { IndexWriter } from './index-writer.ts'
import { statementsIn, type Statement } from '../../graph/index/statements.ts'

const CACHE_BYTES = 64 << 20

/** The index for one command, in the process of the command. It opens when the command first needs it. */
export class IndexOfCommands implements VocabularyIndex {
  readonly #path: string
  readonly #language: string
  readonly #onError: (error: unknown) => void
  #opening: Promise<{ file: IndexFile; writer: IndexWriter }> | undefined
  #hasFailed = false
  readonly #storeGone: AbortSignal | undefined

  /**
   * @param onError receives the first error; after it, the command goes on without the index.
   * @param language of the labels that order a vocabulary without notations for people.
   * @param storeGone ends the writing of a graph when it is aborted; its reason is the error to throw.
   */
  constructor(dataDir: string, onError: (error: unknown) => void, language = 'de', storeGone?: AbortSignal) {
    this.#storeGone = storeGone
    this.#language = language
    this.#path = indexFileIn(dataDir)
    this.#onError = onError
  }

  async write(
    graph: string,
    nTriples: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
    onProgress?: (share: number) => void,
  ): Promise<PendingGraph> {
    const isWanted = () => !this.#isStoreGone
    const pending = await this.#try((writer) => writer.writeGraph(graph, statementsIn(nTriples), isWanted, onProgress))
    this.#storeGone?.throwIfAborted()
    return {
      commit: async (state, replaces, late = []) => {
        if (!pending) return
        await this.#try((writer) => writer.commit(pending, state, replaces))
        if (late.length > 0) await this.#try((writer) => addAll(writer, graph, late))
        await this.#try((writer) => writer.compact(() => !this.#isStoreGone))
      },
      discard: async () => {
        if (pending) await this.#try((writer) => writer.discard(pending, () => !this.#isStoreGone))
      },
    }
  }

  async remove(graphs: readonly string[]): Promise<void> {
    await this.#try((writer) => writer.remove(graphs))
  }

  async change(graph: string, difference: IndexDifference, change: RevisionChange): Promise<boolean> {
    const result = await this.#try((writer) => writer.change(graph, difference, change))
    return result === 'current'
  }

  async close(): Promise<void> {
    const opened = await this.#opening?.catch(() => undefined)
    await opened?.file.close()
  }

  get #isStoreGone(): boolean {
    return this.#storeGone?.aborted === true
  }

  async #try<T>(work: (writer: IndexWriter) => Promise<T>): Promise<T | undefined> {
    if (this.#hasFailed) return undefined
    try {
      const { writer } = await (this.#opening ??= this.#open())
      return await work(writer)
    } catch (error) {
      if (this.#isStoreGone && error === this.#storeGone!.reason) throw error
      this.#hasFailed = true
      this.#onError(error)
      return undefined
    }
  }

  async #open(): Promise<{ file: IndexFile; writer: IndexWriter }> {
    const open = async () => {
      const file = await IndexFile.open(this.#path, CACHE_BYTES)
      return { file, writer: new IndexWriter(file, this.#language) }
    }
    try {
      return await open()
    } catch (error) {
      if (!(error instanceof DamageError)) throw error
      // A running service notices the new file, and reads the other vocabularies from the store.
      await removeIndexFile(this.#path)
      return open()
    }
  }
}

/** Adds concepts in one step. @param late the concepts as N-Triples. */
async function addAll(writer: IndexWriter, graph: string, late: readonly string[]): Promise<void> {
  const statements: Statement[] = []
  for await (const some of statementsIn([Buffer.from(late.join(''))])) statements.push(...some)
  await writer.change(graph, additionOf(statements))
}
