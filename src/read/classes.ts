import { ByRevision, type VocabularyRevision } from '../memory/by-revision.ts'
import type { StoreState } from '../memory/store-state.ts'
import { CONCEPT } from '../namespaces.ts'
import type { SparqlClient } from '../sparql/client.ts'
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
  state: Pick<StoreState, 'maxAgeMs' | 'onChange' | 'changed'>
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

/** The classes that loading and ingests have noted. */
interface NotedClasses extends KnownClasses {
  revisions: string
}

/** All vocabularies as one, in their present revisions. */
interface Together extends VocabularyRevision {
  all: readonly Vocabulary[]
  revisions: string
}

/**
 * The classes of the concepts of all vocabularies. They are one value for the present revisions of all of them, because a vocabulary
 * may name the classes of another, and a subset has the concepts of a vocabulary.
 *
 * To find them the store looks at every concept. Nobody waits for that if loading has noted the classes: the notes count until the
 * store has been asked for the first time since these revisions are there. Later only the store can tell, because another program
 * may have written to it.
 *
 * @example
 * const classes = new Classes({ client, registry, state })
 * classes.begin()
 * const labels = await classes.of(await registry.list(), signal)
 */
export class Classes {
  readonly #options: ClassesOptions
  readonly #known: ByRevision<KnownClasses, Together>
  readonly #noted: ByRevision<NotedClasses, Together>
  #isAhead = false
  /** The changes of the store so far: a vocabulary that another program wrote has no revision that would show them. */
  #changes = 0
  /** The revisions in which the store was last asked. */
  #asked = ''

  constructor(options: ClassesOptions) {
    const { client, registry, state } = options
    this.#options = options
    const common = {
      // The value belongs to no single vocabulary that could be removed.
      registry: { onRead: () => undefined },
      restAfterChange: REST_AFTER_CHANGE,
      maxAgeMs: state.maxAgeMs,
    }
    this.#known = new ByRevision({ ...common, read: (together) => this.#ask(together) })
    this.#noted = new ByRevision({ ...common, read: (together) => readNoted(client, together) })
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
    const together = this.#together(await this.#options.registry.list())
    const known = this.#known.of(together)
    const isNoted = this.#asked !== together.revisions && areNoted(vocabularies)
    const first = isNoted ? Promise.race([known, this.#noted.of(together)]) : known
    const { byVocabulary, labels } = (await until(signal, first, () => storeIsLate()))!
    const uris = new Set(vocabularies.flatMap(({ uri }) => [...(byVocabulary.get(uri) ?? [])]))
    return new Map([...uris].map((uri) => [uri, labels.get(uri)!]))
  }

  async #ask({ all, revisions }: Together): Promise<KnownClasses> {
    const { client, state } = this.#options
    const known = await readClasses(client, { terms: { known: [iri(CONCEPT)] } })
    const noted = [...this.#noted.values()].map(([, value]) => value).find((one) => one.revisions === revisions)
    const isNews = this.#asked !== revisions
    this.#asked = revisions
    // Answers from notes that were not true any more are remembered.
    if (isNews && noted && all.some((one) => one.classes.length > 0 && !isSame(noted, known, one.uri))) state.changed()
    return known
  }

  #together(all: readonly Vocabulary[]): Together {
    const revisions = JSON.stringify(all.map(({ uri, revision }) => [uri, revision]))
    return { uri: '', revision: `${this.#changes} ${revisions}`, all, revisions }
  }
}

async function readClasses(client: SparqlClient, bindings: Bindings): Promise<KnownClasses> {
  const byVocabulary = new Map<string, Set<string>>()
  const labels = new Map<string, ClassLabels>()
  const query = queryTemplate('types').bind(bindings)
  for (const { of, type, label } of await client.select(query, { timeoutMs: TIMEOUT_MS })) {
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

async function readNoted(client: SparqlClient, { all, revisions }: Together): Promise<NotedClasses> {
  const byVocabulary = new Map(all.map(({ uri, classes }) => [uri, new Set(classes.filter((one) => one !== CONCEPT))]))
  const noted = [...new Set([...byVocabulary.values()].flatMap((classes) => [...classes]))].map(iri)
  const labels =
    noted.length > 0 ? (await readClasses(client, { terms: { noted } })).labels : new Map<string, ClassLabels>()
  return { revisions, byVocabulary, labels }
}

function isSame(one: KnownClasses, other: KnownClasses, vocabulary: string): boolean {
  const [classes, others] = [one, other].map(({ byVocabulary }) => byVocabulary.get(vocabulary) ?? new Set<string>())
  return classes!.size === others!.size && [...classes!].every((uri) => others!.has(uri))
}

/** True if loading has noted the classes of all these vocabularies. A subset has no other classes than its vocabulary. */
function areNoted(vocabularies: readonly Vocabulary[]): boolean {
  const uris = new Set(vocabularies.map(({ uri }) => uri))
  return vocabularies.every(({ classes, isSubset, partOf }) =>
    isSubset ? partOf.every((uri) => uris.has(uri)) : classes.length > 0,
  )
}
