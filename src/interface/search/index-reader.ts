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

/** Reads the index: one question at a time, all of it from one state of the index. */
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

  /**
   * Finds the concepts that match a text. If there are none, it replaces each word that no label has by the nearest
   * words.
   */
  find(question: IndexQuestion): Promise<Found> {
    return this.reading(() => this.#concepts.find(question, this.#graphs))
  }

  /** The numbers of all concepts of a scope by facet. */
  facets(question: FacetQuestion): Promise<Facets> {
    return this.reading(() => this.#concepts.facets(question, this.#graphs))
  }

  /** The concepts and labels that some names may mean. */
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

  /** The first characters of the preferred and alternative labels of a vocabulary or subset, with their numbers. */
  letters(question: Omit<LetterQuestion, 'first' | 'without'>): Promise<LetterCount[]> {
    return this.reading((version) => this.#labels.letters(question, this.#graphs, version))
  }

  /** The preferred and alternative labels of a vocabulary or subset with some first characters. */
  entries(question: LetterQuestion): Promise<LabelEntry[]> {
    return this.reading(() => this.#labels.entries(question, this.#graphs))
  }

  /** The labels that a text with wildcards matches, in the order of their texts in lower case. */
  matches(question: MatchQuestion): Promise<LabelMatch[]> {
    return this.reading(() => this.#labels.matches(question, this.#graphs))
  }

  /** How many labels and concepts a vocabulary or subset has. */
  figures(of: Pick<LetterQuestion, 'of' | 'isSubset'>): Promise<IndexFigures> {
    return this.reading(() => this.#labels.figures(of, this.#graphs))
  }

  /** A page of a list of a vocabulary; undefined if the index does not have the whole list in this revision. */
  page(question: ListQuestion): Promise<ListPage | undefined> {
    return this.reading((version) => this.#lists.page(question, this.#graphs, version))
  }

  /** The URIs of the concepts with some ids, in the order of the ids, without concepts that are no longer there. */
  uris(ids: Float64Array): Promise<string[]> {
    return this.reading(() => this.#lists.uris(ids))
  }

  /** The URI of a graph in which a concept has many narrower ones; undefined if there is none. */
  withManyNarrower(uri: string): Promise<string | undefined> {
    return this.reading(() => this.#lists.withManyNarrower(uri))
  }

  /** The URIs of all concepts below some. */
  below(uris: readonly string[]): Promise<string[]> {
    return this.reading(async () => {
      const ids = await this.#lists.below(uris, this.#graphs)
      return this.#file.values(sql`SELECT DISTINCT c.uri FROM (${ids}) i JOIN concept c ON c.id = i.id`, 'uri')
    })
  }

  /**
   * The number of concepts before a concept in the list of concepts that no top concept leads to; undefined if it is
   * not there.
   *
   * @param of the URI of the vocabulary.
   */
  unreachedBefore(uri: string, of: string): Promise<number | undefined> {
    return this.reading(() => this.#lists.unreachedBefore(uri, of))
  }

  /**
   * The numbers of the concepts of a vocabulary by their distance from the top; undefined if it has more than `most`
   * concepts.
   */
  levels(of: string, most: number): Promise<number[] | undefined> {
    return this.reading(() => this.#lists.levels(of, most, this.#graphs))
  }

  /** The classes of the concepts of a vocabulary or subset besides skos:Concept. */
  classes(of: Pick<LetterQuestion, 'of' | 'isSubset'>): Promise<string[]> {
    return this.reading(() => this.#labels.classes(of, this.#graphs))
  }

  /** The contents of the index. */
  state(): Promise<{ graphs: (IndexedGraph & { lengths: ListLengths })[]; isComplete: boolean }> {
    return this.reading(async () => ({
      graphs: [...(await readIndexedGraphs(this.#file)).values()].map((indexed) => ({
        ...indexed,
        lengths: lengthsOf(this.#graphs.find(({ uri }) => uri === indexed.uri)!),
      })),
      isComplete: (await this.#file.number(sql`SELECT value FROM meta WHERE name = 'complete'`)) === 1,
    }))
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
