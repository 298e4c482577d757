import { ByRevision, type VocabularyRevision } from '../memory/by-revision.ts'
import type { StoreState } from '../memory/store-state.ts'
import { CONCEPT } from '../namespaces.ts'
import { inBackground, type SparqlClient } from '../sparql/client.ts'
import { storeIsLate } from '../sparql/late.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Bindings } from '../sparql/templates.ts'
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
  state: Pick<StoreState, 'maxAgeMs' | 'onChange' | 'isYoung'>
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

/** All vocabularies as one, in their present revisions. */
interface Together extends VocabularyRevision {
  all: readonly Vocabulary[]
}

/**
 * The classes of the concepts of all vocabularies. They are one value for the present revisions of all of them, because a vocabulary
 * may name the classes of another, and a subset has the concepts of a vocabulary.
 *
 * To find them the store looks at every concept, which holds up other requests. Loading and ingests note them, so the store is asked only
 * for vocabularies without such notes, for single subsets, and if another program may have changed a vocabulary since it was loaded.
 *
 * @example
 * const classes = new Classes({ client, registry, state })
 * classes.begin()
 * const labels = await classes.of(await registry.list(), signal)
 */
export class Classes {
  readonly #options: ClassesOptions
  readonly #found: ByRevision<KnownClasses, Together>
  readonly #noted: ByRevision<KnownClasses, Together>
  #isAhead = false
  /** The changes of the store so far but ingests: a vocabulary that another program wrote has no revision that would show them. */
  #changes = 0
  /** Since when the vocabularies have their revisions. */
  #since = { revisions: '', changes: 0, at: 0 }

  constructor(options: ClassesOptions) {
    const { client, registry, state } = options
    this.#options = options
    const common = {
      restAfterChange: REST_AFTER_CHANGE,
      maxAgeMs: state.maxAgeMs,
    }
    this.#found = new ByRevision({ ...common, read: () => readClasses(client, { terms: { known: [iri(CONCEPT)] } }) })
    this.#noted = new ByRevision({ ...common, read: ({ all }) => readNoted(client, all), maxAgeMs: Infinity })
    state.onChange((isAddition) => {
      if (!isAddition) this.#changes++
    })
    registry.onRead((all) => {
      if (this.#isAhead) (areNoted(all) ? this.#noted : this.#found).present(this.#together(all))
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
    const { byVocabulary, labels } = await this.#known(vocabularies, signal)
    const uris = new Set(vocabularies.flatMap(({ uri }) => [...(byVocabulary.get(uri) ?? [])]))
    return new Map([...uris].map((uri) => [uri, labels.get(uri)!]))
  }

  async #known(vocabularies: readonly Vocabulary[], signal: AbortSignal): Promise<KnownClasses> {
    const { registry, state } = this.#options
    const together = this.#together(await registry.list())
    const read = async (classes: ByRevision<KnownClasses, Together>) =>
      (await until(signal, classes.of(together), () => storeIsLate()))!
    if (!areNoted(vocabularies) || this.#since.changes !== this.#changes) return read(this.#found)
    if (state.isYoung(this.#since.at)) return read(this.#noted)
    return this.#found.present(together) ?? read(this.#noted)
  }

  #together(all: readonly Vocabulary[]): Together {
    const revisions = JSON.stringify(all.map(({ uri, revision }) => [uri, revision]))
    if (revisions !== this.#since.revisions) {
      this.#since = { revisions, changes: this.#changes, at: performance.now() }
    }
    return { uri: '', revision: `${this.#changes} ${revisions}`, all }
  }
}

async function readClasses(client: SparqlClient, bindings: Bindings): Promise<KnownClasses> {
  const byVocabulary = new Map<string, Set<string>>()
  const labels = new Map<string, ClassLabels>()
  const query = queryTemplate('types').bind(bindings)
  for (const { of, type, label } of await client.select(query, { signal: inBackground(), timeoutMs: TIMEOUT_MS })) {
    if (type?.type !== 'uri') continue
    if (of) {
      const own = byVocabulary.get(of.value)
      if (own) own.add(type.value)
      else byVocabulary.set(of.value, new Set([type.value]))
    }
    let known = labels.get(type.value)
    // Inherits nothing, because Turtle allows "constructor" as a language tag.
    if (!known) labels.set(type.value, (known = Object.create(null) as ClassLabels))
    if (!label) continue
    const texts = (known[label['xml:lang']?.toLowerCase() ?? 'und'] ??= [])
    if (!texts.includes(label.value)) texts.push(label.value)
  }
  return { byVocabulary, labels }
}

async function readNoted(client: SparqlClient, all: readonly Vocabulary[]): Promise<KnownClasses> {
  const byVocabulary = new Map(all.map(({ uri, classes }) => [uri, new Set(classes.filter((one) => one !== CONCEPT))]))
  const noted = [...new Set([...byVocabulary.values()].flatMap((classes) => [...classes]))].map(iri)
  if (noted.length === 0) return { byVocabulary, labels: new Map() }
  return { byVocabulary, labels: (await readClasses(client, { terms: { noted } })).labels }
}

/** True if loading has noted the classes of all these vocabularies. A subset has no other classes than its vocabulary. */
function areNoted(vocabularies: readonly Vocabulary[]): boolean {
  const uris = new Set(vocabularies.map(({ uri }) => uri))
  return vocabularies.every(({ classes, isSubset, partOf }) =>
    isSubset ? partOf.every((uri) => uris.has(uri)) : classes.length > 0,
  )
}
