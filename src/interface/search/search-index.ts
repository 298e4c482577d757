import { ApiError, unavailable } from '../../base/errors.ts'
import { additionOf } from '../../graph/index/difference.ts'
import type { Statement } from '../../graph/index/statements.ts'
import type { ListIndex, ListLengths, ListPage, ListQuestion } from '../read/indexed-lists.ts'
import { until } from '../../base/clock.ts'
import { orderOf, EVERYTHING, scopeOf, type Scope } from '../../graph/vocabularies/registry.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import type { RevisionChange } from '../../graph/vocabularies/vocabulary-index.ts'
import type { Facets } from '../read/list.ts'
import type { FacetQuestion, Found, IndexQuestion } from './concept-reader.ts'
import type { ListedGraph } from './index-reader.ts'
import type { IndexCallName, CallResult, IndexCalls } from './index-thread.ts'
import { stillReading } from './index-connection.ts'
import type {
  IndexFigures,
  LabelEntry,
  LabelMatch,
  LetterCount,
  LetterQuestion,
  MatchQuestion,
} from './label-reader.ts'
import type { NameMatches, ReconcileQuestion } from './name-reader.ts'
import type { IndexScope } from './places.ts'
import { isOrderedIn, StoreFollower } from './store-follower.ts'

/** A question about the vocabularies of a scope. */
type SearchQuestion = Omit<IndexQuestion, 'scope'> & { scope: Scope }

/** An ingest waits at most this long for the index, which a command may be writing. */
const ADD_WAIT_MS = 500

/**
 * The index of labels, notations, classes and vocabularies: one file, whatever the store, which separate threads read
 * and write.
 *
 * Loads and ingests of this installation write the index in the same step. The service reads changes by other programs
 * in the background; until then the index answers with what it has. A vocabulary cannot be searched before it was read
 * once.
 */
export class SearchIndex extends StoreFollower implements ListIndex {
  /** Changes whenever searches may find something else. */
  get version(): number {
    return this.connection.version
  }

  /** True if searches answer: the index has all vocabularies that the store is known to have, in whatever revision. */
  async isReady(): Promise<boolean> {
    await this.connection.open()
    const present = await this.options.registry.list()
    const { graphs } = await this.connection.state()
    return present.every(({ uri }) => graphs.has(uri))
  }

  /** The bytes of the files. */
  async bytes(): Promise<number> {
    return this.connection.bytes()
  }

  /** Opens the index and starts its reading thread while the service starts, so that the first search does not wait. */
  prepare(): void {
    // The first call that needs the index reports its errors.
    this.connection
      .open()
      .then(() => this.connection.state())
      .catch(() => undefined)
  }

  /**
   * The concepts that match a text, one page of them.
   *
   * @throws ApiError ServiceUnavailableError if a vocabulary of the scope has not been read yet, or if the index cannot
   *   be used; TimeoutError.
   */
  find(question: SearchQuestion, signal: AbortSignal): Promise<Found> {
    return this.ask(question.scope, signal, (scope) => ['find', { ...question, scope }])
  }

  /** The numbers of all concepts by facet. @throws as `find`. */
  facets(question: Omit<FacetQuestion, 'scope'> & { scope: Scope }, signal: AbortSignal): Promise<Facets> {
    return this.ask(question.scope, signal, (scope) => ['facets', { ...question, scope }])
  }

  /** The concepts and labels that names may mean. @throws as `find`. */
  reconcile(
    question: Omit<ReconcileQuestion, 'scope'> & { scope: Scope },
    signal: AbortSignal,
  ): Promise<NameMatches[]> {
    return this.ask(question.scope, signal, (scope) => ['reconcile', { ...question, scope }])
  }

  /** The first characters of the labels of a vocabulary or subset. @throws as `find`. */
  letters(of: Vocabulary, languages: readonly string[], signal: AbortSignal): Promise<LetterCount[]> {
    return this.ask(scopeOf([of]), signal, () => ['letters', { of: of.uri, isSubset: of.isSubset, languages }])
  }

  /** The labels of a vocabulary or subset that begin with some characters. @throws as `find`. */
  entries(
    of: Vocabulary,
    question: Pick<LetterQuestion, 'languages' | 'first' | 'without'>,
    signal: AbortSignal,
  ): Promise<LabelEntry[]> {
    return this.ask(scopeOf([of]), signal, () => ['entries', { of: of.uri, isSubset: of.isSubset, ...question }])
  }

  /** The labels that a text with wildcards matches. @throws as `find`. */
  matches(question: Omit<MatchQuestion, 'scope'> & { scope: Scope }, signal: AbortSignal): Promise<LabelMatch[]> {
    return this.ask(question.scope, signal, (scope) => ['matches', { ...question, scope }])
  }

  /** How many labels and concepts a vocabulary or subset has. @throws as `find`. */
  figures(of: Vocabulary, signal: AbortSignal): Promise<IndexFigures> {
    return this.ask(scopeOf([of]), signal, () => ['figures', { of: of.uri, isSubset: of.isSubset }])
  }

  /**
   * The URIs of the classes of the concepts of a vocabulary or subset; undefined if the index cannot be used.
   *
   * @throws ApiError TimeoutError
   */
  classes({ uri, isSubset }: Vocabulary, signal: AbortSignal): Promise<string[] | undefined> {
    return this.#try(signal, 'classes', { of: uri, isSubset })
  }

  /**
   * The numbers of the concepts of a vocabulary by their distance from the top.
   *
   * @returns undefined if it has more than `most` concepts.
   * @throws as `find`.
   */
  levels(of: Vocabulary, most: number, signal: AbortSignal): Promise<number[] | undefined> {
    return this.ask(scopeOf([of]), signal, () => ['levels', of.uri, most])
  }

  /**
   * A page of a list of a vocabulary in the order of records.
   *
   * @returns undefined if the index does not have the whole list in this revision, or cannot be used.
   * @throws ApiError TimeoutError
   */
  async page(question: ListQuestion, signal: AbortSignal): Promise<ListPage | undefined> {
    if (!(await this.lengths({ uri: question.of, revision: question.revision }))) return undefined
    return this.#try(signal, 'page', question)
  }

  /**
   * The URIs of the concepts with some ids of a page, without concepts that are no longer there; undefined if the index
   * cannot be used.
   *
   * @throws ApiError TimeoutError
   */
  uris(ids: Float64Array, signal: AbortSignal): Promise<string[] | undefined> {
    return this.#try(signal, 'uris', ids)
  }

  /**
   * The URI of a graph in which a concept has many narrower ones; undefined if there is none, or if the index cannot be
   * used.
   */
  async withManyNarrower(uri: string): Promise<string | undefined> {
    for (const graph of (await this.#graphs()).values()) if (graph.manyNarrower.includes(uri)) return graph.uri
    return undefined
  }

  /** The URIs of all concepts below some. @throws as `find`. */
  below(uris: readonly string[], signal: AbortSignal): Promise<string[]> {
    return this.ask(EVERYTHING, signal, () => ['below', uris])
  }

  /**
   * The number of concepts before a concept in the list of concepts that no top concept leads to; undefined if it is
   * not there.
   */
  async unreachedBefore(uri: string, of: Vocabulary, signal: AbortSignal): Promise<number | undefined> {
    return this.#try(signal, 'unreachedBefore', uri, of.uri)
  }

  /** The lengths of the lists of a vocabulary; undefined if the index cannot be used or has another revision. */
  async lengths({ uri, revision }: Pick<Vocabulary, 'uri' | 'revision'>): Promise<ListLengths | undefined> {
    if (revision === undefined) return undefined
    const graph = (await this.#graphs()).get(uri)
    return graph?.revision === revision && isOrderedIn(graph, this.options.language) ? graph.lengths : undefined
  }

  /** The graphs of the index by their URIs; none if it cannot be used. */
  async #graphs(): Promise<ReadonlyMap<string, ListedGraph>> {
    try {
      await this.connection.open()
      return (await this.connection.state()).graphs
    } catch (error) {
      void this.connection.failed(error)
      return new Map<never, never>()
    }
  }

  /**
   * Adds concepts that this installation has written to the store. Never fails: if the index cannot be written, it is
   * behind, and reads them from the store. Resolves when searches find them in their order, or after half a second. In
   * that case searches find them once a command that writes the index lets others write, and once a vocabulary whose
   * order the concepts have ended is read again.
   *
   * @param change of the revision that the concepts have made, if it is known.
   */
  async add(graph: string, statements: readonly Statement[], change?: RevisionChange): Promise<void> {
    // Nothing follows the store yet. `begin` will read what is there then.
    if (!this.connection.isOpen) return
    const add = async () => {
      try {
        await this.connection.open()
        const result = await this.connection.write('change', graph, additionOf(statements), change)
        if (result === 'disordered') await this.readAtOnce(graph)
      } catch (error) {
        void this.connection.failed(error)
      }
    }
    await until(ADD_WAIT_MS, add(), tooLate).catch(() => undefined)
  }

  /**
   * Asks the thread that reads the index, once it has the vocabularies of a scope.
   *
   * @param toCall the name and the values of the call, given the URIs of the scope.
   * @throws as `find`.
   */
  async ask<Name extends IndexCallName>(
    scope: Scope,
    signal: AbortSignal,
    toCall: (scope: IndexScope) => [name: Name, ...values: Parameters<IndexCalls[Name]>],
  ): Promise<CallResult<Name>> {
    try {
      const all = await until(signal, this.options.registry.list(), tooLate)
      await until(signal, this.whenRead(scope, signal), stillReading)
      const indexScope = {
        all: scope.all,
        schemes: scope.schemes.map(({ uri }) => uri),
        subsets: scope.subsets.map(({ uri }) => uri),
        order: orderOf(all, scope, this.options.language).vocabularies,
      }
      const [name, ...values] = toCall(indexScope)
      return await until(signal, this.connection.read(signal, name, ...values), tooLate)
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (signal.aborted) throw tooLate()
      void this.connection.failed(error)
      throw unavailable('The search index cannot be used at the moment.', { cause: error })
    }
  }

  /** The result of a question; undefined if the index cannot be used. @throws ApiError TimeoutError */
  async #try<Name extends IndexCallName>(
    signal: AbortSignal,
    name: Name,
    ...values: Parameters<IndexCalls[Name]>
  ): Promise<CallResult<Name> | undefined> {
    try {
      return await until(signal, this.connection.read(signal, name, ...values), tooLate)
    } catch (error) {
      if (signal.aborted) throw tooLate()
      void this.connection.failed(error)
      return undefined
    }
  }
}

function tooLate(): ApiError {
  return new ApiError('TimeoutError', 'The search takes longer than a request may.')
}
