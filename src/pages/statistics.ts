import { ApiError } from '../errors.ts'
import { compareCodePoints } from '../jskos/order.ts'
import { ByRevision } from '../memory/by-revision.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import type { ListIndex } from '../read/indexed-lists.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import { iri } from '../sparql/terms.ts'
import { until } from '../until.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

/** The figures of a vocabulary. */
export interface Figures {
  concepts: number
  /** Concepts with a label, by language tag (`und` if it has none), the most first. */
  languages: (readonly [tag: string, count: number])[]
  /** Mappings by the URI of their relation. */
  mappings: ReadonlyMap<string, number>
  /** Concepts by their distance from the top; undefined if there are too many to look at. */
  levels: number[] | undefined
}

/** A page waits this long for new figures; counting continues, so a later request gets them. */
const PATIENCE_MS = 2000
/** Vocabularies to count at a time: a slow one must not delay the pages of others. */
const AT_ONCE = 4
/** Counting may take longer than an answer, because no request waits for its end. */
const TIMEOUT_MS = 120_000
/** The service does not read the hierarchy of larger vocabularies. */
const MAX_CONCEPTS = 200_000

/** A vocabulary with the name of a result about it, and the function that finds the result. */
interface Named extends Vocabulary {
  name: string
  find: (signal: AbortSignal) => Promise<unknown>
}

/** Counts the contents of vocabularies for pages; each result counts for one revision. */
export class Statistics {
  readonly #client: SparqlClient
  readonly #index: ListIndex
  readonly #results: ByRevision<unknown, Named>

  constructor({
    client,
    registry,
    index,
    state: { maxAgeMs },
  }: Pick<ReadDependencies, 'client' | 'registry' | 'state'> & { index: ListIndex }) {
    this.#client = client
    this.#index = index
    this.#results = new ByRevision({
      read: ({ find }) =>
        find(new AbortController().signal).catch((error: unknown) => {
          // A search that times out is repeated as seldom as a successful one.
          if (error instanceof ApiError && error.name === 'TimeoutError') return undefined
          throw error
        }),
      keyOf: ({ name, uri }) => `${name} ${uri}`,
      atOnce: AT_ONCE,
      registry,
      maxAgeMs,
    })
  }

  /** The number of concepts, as the index has it or counted; undefined if counting takes too long. */
  async concepts(vocabulary: Vocabulary): Promise<number | undefined> {
    const lengths = vocabulary.isSubset ? undefined : await this.#index.lengths(vocabulary)
    return lengths?.concepts ?? this.remember('concepts', vocabulary, () => this.#countConcepts(vocabulary))
  }

  /** All figures; undefined if counting takes too long. */
  figures(vocabulary: Vocabulary): Promise<Figures | undefined> {
    return this.remember('figures', vocabulary, () => this.#count(vocabulary))
  }

  /**
   * Another slow result about a vocabulary; undefined if it takes too long, or fails.
   *
   * @param name of the result.
   * @param find gets a signal of its own and so continues if this reader leaves: the next reader needs the result, too.
   */
  remember<Value>(
    name: string,
    vocabulary: Vocabulary,
    find: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value | undefined> {
    const result = this.#results.of({ ...vocabulary, name, find }) as Promise<Value | undefined>
    return until(PATIENCE_MS, result, () => new Error(`no ${name} within ${PATIENCE_MS} ms`)).catch(() => undefined)
  }

  async #countConcepts(vocabulary: Vocabulary): Promise<number> {
    const [row] = await this.#ask('statistics/concepts', vocabulary)
    return Number(row?.['count']?.value ?? 0)
  }

  async #count(vocabulary: Vocabulary): Promise<Figures> {
    const [concepts, languages, mappings] = await Promise.all([
      this.#countConcepts(vocabulary),
      this.#ask('statistics/languages', vocabulary),
      this.#ask('statistics/mappings', vocabulary),
    ])
    const byLanguage = new Map<string, number>()
    for (const { language, count } of languages) {
      const tag = language?.value.toLowerCase() || 'und'
      byLanguage.set(tag, (byLanguage.get(tag) ?? 0) + Number(count?.value))
    }
    const hasLevels = !vocabulary.isSubset && concepts <= MAX_CONCEPTS
    return {
      concepts,
      languages: [...byLanguage].filter(([, count]) => count > 0).sort(byCount),
      mappings: new Map(mappings.flatMap(({ p, count }) => (p ? [[p.value, Number(count?.value)] as const] : []))),
      levels: hasLevels ? await this.#levels(vocabulary) : undefined,
    }
  }

  async #levels(vocabulary: Vocabulary): Promise<number[]> {
    const children = new Map<string, string[]>()
    let level: string[] = []
    for (const row of await this.#ask('statistics/children', vocabulary)) {
      if (!row['c']) continue
      children.set(row['c'].value, row['children']?.value.split(' ') ?? [])
      if (row['isTop']) level.push(row['c'].value)
    }
    const seen = new Set(level)
    const counts: number[] = []
    while (level.length > 0) {
      counts.push(level.length)
      const below: string[] = []
      for (const child of level.flatMap((concept) => children.get(concept) ?? [])) {
        if (seen.has(child) || !children.has(child)) continue
        seen.add(child)
        below.push(child)
      }
      level = below
    }
    return counts
  }

  #ask(template: TemplateName, { uri }: Vocabulary) {
    const query = queryTemplate(template).bind({ terms: { of: [iri(uri)] } })
    return this.#client.select(query, { timeoutMs: TIMEOUT_MS })
  }
}

function byCount([tag, count]: readonly [string, number], [other, otherCount]: readonly [string, number]): number {
  return otherCount - count || compareCodePoints(tag, other)
}
