import type { ListLengths, ListPage, ListQuestion } from '../read/indexed-lists.ts'
import type { IndexFile } from '../../graph/index/index-file.ts'
import { sql, type Sql } from '../../graph/index/sql.ts'
import type { Facets } from '../read/list.ts'
import { ConceptReader, type FacetQuestion, type Found, type IndexQuestion } from './concept-reader.ts'
import { readIndexedGraphs, type IndexedGraph } from './index-writer.ts'
import {
  LabelReader,
  type IndexFigures,
  type LabelEntry,
  type LabelMatch,
  type LetterCount,
  type LetterQuestion,
  type MatchQuestion,
} from './label-reader.ts'
import { lengthsOf, ListReader } from './list-reader.ts'
import { NameReader, type NameMatches, type ReconcileQuestion } from './name-reader.ts'
import { Places, readCountedGraphs, type CountedGraph, type IndexScope } from './places.ts'
import { TextReader } from './typed-text.ts'

const EVERYWHERE: IndexScope = { all: true, schemes: [], subsets: [] }

/** A graph with what lists need to know before they are read. */
export interface ListedGraph extends IndexedGraph {
  lengths: ListLengths
  /** The URIs of the concepts with `MANY_NARROWER` or more. */
  manyNarrower: readonly string[]
}

/**
 * Reads the index: one question at a time, all of it from one state of the index. `ConceptReader`, `NameReader`,
 * `LabelReader` and `ListReader` describe the answers.
 */
export class IndexReader {
  readonly #file: IndexFile
  readonly #lists: ListReader
  readonly #concepts: ConceptReader
  readonly #names: NameReader
  readonly #labels: LabelReader
  #version = -1
  #graphs: readonly CountedGraph[] = []

  constructor(file: IndexFile) {
    const texts = new TextReader(file)
    this.#file = file
    this.#lists = new ListReader(file)
    this.#concepts = new ConceptReader(file, texts, this.#lists)
    this.#names = new NameReader(file, texts)
    this.#labels = new LabelReader(file)
  }

  find(question: IndexQuestion): Promise<Found> {
    return this.reading(() => this.#concepts.find(question, this.#graphs))
  }

  facets(question: FacetQuestion): Promise<Facets> {
    return this.reading(() => this.#concepts.facets(question, this.#graphs))
  }

  reconcile(question: ReconcileQuestion): Promise<NameMatches[]> {
    return this.reading(() => this.#names.reconcile(question, this.#graphs))
  }

  /** The URIs of the concepts with a URI, or with a notation in whatever case; within `reading`. */
  identified(text: string): Promise<string[]> {
    return this.#names.identified(text, Places.of(this.#graphs, EVERYWHERE))
  }

  /**
   * A query for the URIs and notations of the concepts with a notation that begins like a text in whatever case; within
   * `reading`.
   *
   * @returns undefined for no text.
   */
  notated(beginning: string): Sql | undefined {
    return this.#names.notated(beginning, Places.of(this.#graphs, EVERYWHERE))
  }

  letters(question: Omit<LetterQuestion, 'first' | 'without'>): Promise<LetterCount[]> {
    return this.reading((version) => this.#labels.letters(question, this.#graphs, version))
  }

  entries(question: LetterQuestion): Promise<LabelEntry[]> {
    return this.reading(() => this.#labels.entries(question, this.#graphs))
  }

  matches(question: MatchQuestion): Promise<LabelMatch[]> {
    return this.reading(() => this.#labels.matches(question, this.#graphs))
  }

  figures(of: Pick<LetterQuestion, 'of' | 'isSubset'>): Promise<IndexFigures> {
    return this.reading(() => this.#labels.figures(of, this.#graphs))
  }

  page(question: ListQuestion): Promise<ListPage | undefined> {
    return this.reading((version) => this.#lists.page(question, this.#graphs, version))
  }

  /** The URIs of the concepts with some ids, in the order of the ids, without concepts that are no longer there. */
  uris(ids: Float64Array): Promise<string[]> {
    return this.reading(() => this.#lists.uris(ids))
  }

  /** The URIs of all concepts below some. */
  below(uris: readonly string[]): Promise<string[]> {
    return this.reading(async () => {
      const ids = await this.#lists.below(uris, this.#graphs)
      return this.#file.values(sql`SELECT DISTINCT c.uri FROM (${ids}) i JOIN concept c ON c.id = i.id`, 'uri')
    })
  }

  unreachedBefore(uri: string, of: string): Promise<number | undefined> {
    return this.reading(() => this.#lists.unreachedBefore(uri, of))
  }

  levels(of: string, most: number): Promise<number[] | undefined> {
    return this.reading(() => this.#lists.levels(of, most, this.#graphs))
  }

  classes(of: Pick<LetterQuestion, 'of' | 'isSubset'>): Promise<string[]> {
    return this.reading(() => this.#labels.classes(of, this.#graphs))
  }

  /** The contents of the index. */
  state(): Promise<{ graphs: ListedGraph[]; isComplete: boolean }> {
    return this.reading(async () => {
      const graphs: ListedGraph[] = []
      for (const indexed of (await readIndexedGraphs(this.#file)).values()) {
        const counted = this.#graphs.find(({ uri }) => uri === indexed.uri)!
        const manyNarrower = await this.#lists.manyNarrower(counted, indexed.load)
        graphs.push({ ...indexed, lengths: lengthsOf(counted), manyNarrower })
      }
      const isComplete = (await this.#file.number(sql`SELECT value FROM meta WHERE name = 'complete'`)) === 1
      return { graphs, isComplete }
    })
  }

  /** Runs work on one state of the index, which `version` names. */
  reading<T>(work: (version: number) => Promise<T>): Promise<T> {
    return this.#file.transaction('BEGIN', async () => {
      const version = await this.#file.number(sql`SELECT value FROM meta WHERE name = 'version'`)
      if (version !== this.#version) {
        this.#graphs = await readCountedGraphs(this.#file)
        this.#version = version
      }
      return work(version)
    })
  }
}
