import { ByRevision } from '../memory/by-revision.ts'
import type { StoreState } from '../memory/store-state.ts'
import { CONCEPT } from '../namespaces.ts'
import type { SparqlClient } from '../sparql/client.ts'
import { storeIsLate } from '../sparql/late.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri } from '../sparql/terms.ts'
import { until } from '../until.ts'
import type { VocabularyRegistry } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'

/** Labels of a class by language tag, `und` if they have none. */
export type ClassLabels = Record<string, string[]>

export interface ClassesOptions {
  client: SparqlClient
  registry: VocabularyRegistry
  /** Of the store: its changes, and how long the classes count, although other programs may write to it. */
  state: Pick<StoreState, 'maxAgeMs' | 'onChange'>
}

/** The classes of the concepts in the store besides skos:Concept. */
interface KnownClasses {
  /** Their URIs, by the URI of the vocabulary or subset that has such concepts. */
  byVocabulary: ReadonlyMap<string, ReadonlySet<string>>
  labels: ReadonlyMap<string, ClassLabels>
}

/** Finding them takes the store longer than an answer may in the largest vocabularies. */
const TIMEOUT_MS = 120_000
/** After a change, this multiple of the last reading time passes before they are read again without being asked for. */
const REST_AFTER_CHANGE = 10

/**
 * The classes of the concepts of all vocabularies. They are one value for the present revisions of all of them, because a vocabulary
 * may name the classes of another, and a subset has the concepts of a vocabulary.
 *
 * @example
 * const classes = new Classes({ client, registry, state })
 * classes.begin()
 * const labels = await classes.of(await registry.list(), signal)
 */
export class Classes {
  readonly #options: ClassesOptions
  readonly #known: ByRevision<KnownClasses>
  #isAhead = false
  /** The changes of the store so far: a vocabulary that another program wrote has no revision that would show them. */
  #changes = 0

  constructor(options: ClassesOptions) {
    const { client, registry, state } = options
    this.#options = options
    this.#known = new ByRevision({
      read: () => readClasses(client),
      // The value belongs to no single vocabulary that could be removed.
      registry: { onRead: () => undefined },
      restAfterChange: REST_AFTER_CHANGE,
      maxAgeMs: state.maxAgeMs,
    })
    state.onChange(() => this.#changes++)
    registry.onRead((all) => {
      if (this.#isAhead) this.#known.present(this.#together(all))
    })
  }

  /** From now on, reads the classes as soon as a change of the vocabularies is known, so that hardly anybody waits for them. */
  begin(): void {
    this.#isAhead = true
  }

  /**
   * The classes of the concepts of some vocabularies and subsets besides skos:Concept: their labels, by URI.
   *
   * @throws the errors of the client; TimeoutError if the signal is aborted. The reading goes on then, for whoever asks next.
   */
  async of(vocabularies: readonly Vocabulary[], signal: AbortSignal): Promise<ReadonlyMap<string, ClassLabels>> {
    if (vocabularies.length === 0) return new Map()
    const all = await this.#options.registry.list()
    const { byVocabulary, labels } = (await until(signal, this.#known.of(this.#together(all)), () => storeIsLate()))!
    const uris = new Set(vocabularies.flatMap(({ uri }) => [...(byVocabulary.get(uri) ?? [])]))
    return new Map([...uris].map((uri) => [uri, labels.get(uri)!]))
  }

  /** All vocabularies as one. */
  #together(all: readonly Vocabulary[]): { uri: string; revision: string } {
    const revisions = all.map(({ uri, revision }) => [uri, revision])
    return { uri: '', revision: JSON.stringify([this.#changes, revisions]) }
  }
}

async function readClasses(client: SparqlClient): Promise<KnownClasses> {
  const byVocabulary = new Map<string, Set<string>>()
  const labels = new Map<string, ClassLabels>()
  const query = queryTemplate('types').bind({ terms: { known: [iri(CONCEPT)] } })
  for (const { of, type, label } of await client.select(query, { timeoutMs: TIMEOUT_MS })) {
    if (type?.type !== 'uri') continue
    const own = byVocabulary.get(of!.value)
    if (own) own.add(type.value)
    else byVocabulary.set(of!.value, new Set([type.value]))
    let known = labels.get(type.value)
    // Inherits nothing, because Turtle allows "constructor" as a language tag.
    if (!known) labels.set(type.value, (known = Object.create(null) as ClassLabels))
    if (!label) continue
    const texts = (known[label['xml:lang']?.toLowerCase() ?? 'und'] ??= [])
    if (!texts.includes(label.value)) texts.push(label.value)
  }
  return { byVocabulary, labels }
}
