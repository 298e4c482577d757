import { setTimeout as sleep } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import { compareCodePoints } from '../jskos/order.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
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

/** A page waits this long for new figures; counting goes on, so a later request gets them. */
const PATIENCE_MS = 2000
/** Other programs may write to the store without a new revision. */
const MAX_AGE_MS = 10 * 60_000
/** Counting may take longer than an answer, because nobody waits for its end. */
const TIMEOUT_MS = 120_000
/** The service does not read the hierarchy of larger vocabularies. */
const MAX_CONCEPTS = 200_000

/** Counts the contents of vocabularies and remembers the counts until they change. */
export class Statistics {
  readonly #client: SparqlClient
  readonly #counts = new LRUCache<string, Promise<number>>({ max: 5000, ttl: MAX_AGE_MS })
  readonly #figures = new LRUCache<string, Promise<Figures>>({ max: 1000, ttl: MAX_AGE_MS })

  readonly #others = new LRUCache<string, Promise<object>>({ max: 1000, ttl: MAX_AGE_MS })

  constructor(client: SparqlClient) {
    this.#client = client
  }

  /** The number of concepts; undefined if counting takes too long. */
  concepts(vocabulary: Vocabulary): Promise<number | undefined> {
    return inTime(remembered(this.#counts, vocabulary, () => this.#countConcepts(vocabulary)))
  }

  /** All figures; undefined if counting takes too long. */
  figures(vocabulary: Vocabulary): Promise<Figures | undefined> {
    return inTime(remembered(this.#figures, vocabulary, () => this.#count(vocabulary)))
  }

  /**
   * Another slow result about a vocabulary; undefined if it takes too long.
   *
   * @param name of the result.
   * @param find gets its own signal and so goes on if this reader leaves: the next one wants the result, too.
   */
  remember<Value extends object>(
    name: string,
    vocabulary: Vocabulary,
    find: (signal: AbortSignal) => Promise<Value>,
  ): Promise<Value | undefined> {
    const finding = remembered(this.#others, vocabulary, () => find(new AbortController().signal), name)
    return inTime(finding as Promise<Value>)
  }

  async #countConcepts(vocabulary: Vocabulary): Promise<number> {
    const [row] = await this.#ask('statistics/concepts', vocabulary)
    return Number(row?.['count']?.value ?? 0)
  }

  async #count(vocabulary: Vocabulary): Promise<Figures> {
    const [concepts, languages, mappings] = await Promise.all([
      remembered(this.#counts, vocabulary, () => this.#countConcepts(vocabulary)),
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
      for (const child of level.flatMap((one) => children.get(one) ?? [])) {
        if (seen.has(child) || !children.has(child)) continue
        seen.add(child)
        below.push(child)
      }
      level = below
    }
    return counts
  }

  #ask(template: string, { uri }: Vocabulary) {
    const query = queryTemplate(template).bind({ terms: { of: [iri(uri)] } })
    return this.#client.select(query, { template, timeoutMs: TIMEOUT_MS })
  }
}

function byCount([tag, count]: readonly [string, number], [other, otherCount]: readonly [string, number]): number {
  return otherCount - count || compareCodePoints(tag, other)
}

/** The counts of this version of a vocabulary, finished or under way. */
function remembered<Value>(
  known: LRUCache<string, Promise<Value>>,
  { uri, revision }: Vocabulary,
  count: () => Promise<Value>,
  name = '',
): Promise<Value> {
  const key = `${name} ${revision} ${uri}`
  const before = known.get(key)
  if (before) return before
  const counting = count()
  known.set(key, counting)
  // After a failure, the next request counts again.
  counting.catch(() => known.delete(key))
  return counting
}

async function inTime<Value>(counting: Promise<Value>): Promise<Value | undefined> {
  return Promise.race([counting.catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })])
}
