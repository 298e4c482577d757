import { malformed, readIris, readList, type Parameters } from '../http/parameters.ts'
import { normaliseText } from '../../base/unicode.ts'
import { latestDate } from '../../graph/jskos/date.ts'
import { fieldsOf, INHERITED, NOTES } from '../../graph/jskos/fields.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import { inLanguage } from '../../graph/jskos/names.ts'
import { schemeRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { CONCEPT_SCHEME, DCT, HAS_CONCEPT, HAS_TOP_CONCEPT, ID, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { noVocabulary } from '../../graph/vocabularies/registry.ts'
import {
  findVocabulary,
  isSameVocabulary,
  vocabulariesNamed,
  wholeOf,
  type Vocabulary,
} from '../../graph/vocabularies/vocabulary.ts'
import type { ReadDependencies } from './dependencies.ts'
import { readObjects } from './describe.ts'
import type { RecordList } from './list.ts'
import { inOnePiece } from './pieces.ts'
import type { ListRequest, View } from './request.ts'
import { graphTerms, ifAny } from './terms.ts'

/** The properties whose objects the records of vocabularies name. */
const LINKS = fieldsOf('scheme').flatMap(({ kind, name, property }) =>
  (kind === 'items' || kind === 'concepts') && property && name !== 'topConcepts' ? [iri(property)] : [],
)

/** The statements that the records of vocabularies show, without the links to all top concepts and members. */
const PROPERTIES = [...new Set([RDF_TYPE, ID, ...fieldsOf('scheme').flatMap(({ property }) => property ?? [])])]
  .filter((property) => property !== `${SKOS}hasTopConcept` && property !== `${SKOS}member`)
  .map(iri)
/** With this many triples, the properties of a vocabulary are looked up, because it may have very many top concepts. */
const LARGE_TRIPLES = 500_000

/** GET /voc: vocabularies, all of them or those with the given notations, URIs or identifiers. */
export async function vocabularies(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  return pageOfVocabularies(dependencies, request, chosenBy(request))
}

/**
 * The vocabularies that the parameters of /voc choose, in the requested order.
 *
 * @throws ApiError MalformedRequestError
 */
export function chosenBy({ parameters, view }: Pick<ListRequest, 'parameters' | 'view'>): VocabularyChoice {
  const given = ['notation', 'uri', 'id'].filter((name) => parameters.has(name))
  if (given.length > 1) throw malformed(`notation, uri, id: expected at most one of them, got ${given.join(' and ')}`)
  const isNamed = namedBy(parameters, given[0])
  const filters = FILTERS.flatMap((filter) => filter(parameters) ?? [])
  const subset = parameters.get('subset')
  // A request that names its vocabularies, or asks for parts of one, includes subsets.
  const hasSubsets = subset === undefined && (given.length > 0 || parameters.has('partOf') || !view.scope.all)
  const order = sortedBy(parameters, view.preferred)
  return (all) => {
    const kept = all.filter(isNamed).filter(hasSubsets ? () => true : subsetFilter(subset, all))
    return order(
      kept.filter((vocabulary) => isInScope(vocabulary, view) && filters.every((matches) => matches(vocabulary))),
    )
  }
}

/** Chooses among all vocabularies and subsets. */
type VocabularyChoice = (all: readonly Vocabulary[]) => Vocabulary[]
type Filter = (vocabulary: Vocabulary) => boolean

/** GET /voc/{vocid}: one vocabulary or subset. */
export async function vocabulary(dependencies: ReadDependencies, request: ListRequest): Promise<RecordList> {
  const id = request.vocid ?? ''
  const list = await pageOfVocabularies(dependencies, request, (all) => {
    const vocabulary = findVocabulary(all, id)
    return vocabulary ? [vocabulary] : []
  })
  if (list.total === 0) throw noVocabulary(id)
  return list
}

/** A page of the vocabularies in the store that `choose` selects. */
export async function pageOfVocabularies(
  dependencies: ReadDependencies,
  request: ListRequest,
  choose: VocabularyChoice,
): Promise<RecordList> {
  const { limit, offset } = request.page
  const chosen = choose(await dependencies.registry.fresh(request.signal))
  const uris = chosen.slice(offset, offset + limit).map(({ uri }) => uri)
  return { total: chosen.length, records: inOnePiece(await recordsOfVocabularies(dependencies, request, uris)) }
}

/** True if the `voc` parameter allows for a vocabulary or subset. */
export function isInScope({ uri }: Vocabulary, { scope }: Pick<View, 'scope'>): boolean {
  return scope.all || [...scope.schemes, ...scope.subsets].some((allowed) => allowed.uri === uri)
}

function namedBy(parameters: Parameters, name: string | undefined): Filter {
  if (name === undefined) return () => true
  if (name === 'notation') {
    const asked = readList(parameters, 'notation').map(normaliseText)
    return ({ notations }) => notations.some((notation) => asked.includes(normaliseText(notation)))
  }
  const iris = readIris(parameters, name)
  return (vocabulary) => vocabulariesNamed([vocabulary], iris).length > 0
}

/** A filter by the IRIs in a parameter, one of which must be a value of the property. */
const byIris = (name: string, values: (vocabulary: Vocabulary) => readonly string[]) => (parameters: Parameters) => {
  const iris = readIris(parameters, name)
  return iris.length === 0
    ? undefined
    : (vocabulary: Vocabulary) => values(vocabulary).some((value) => iris.includes(value))
}
const byProperty = (name: string, property: string) => byIris(name, ({ values }) => values.get(property) ?? [])

/** The filters that clients of JSKOS send, each undefined if its parameter is absent. */
const FILTERS: readonly ((parameters: Parameters) => Filter | undefined)[] = [
  byProperty('license', `${DCT}license`),
  byProperty('publisher', `${DCT}publisher`),
  byProperty('subject', `${DCT}subject`),
  byIris('type', ({ values }) => [CONCEPT_SCHEME, ...(values.get(RDF_TYPE) ?? [])]),
  (parameters) => {
    const wholes = readIris(parameters, 'partOf')
    if (wholes.length === 0) return undefined
    return ({ partOf }) => partOf.some((uri) => wholes.some((whole) => isSameVocabulary(uri, whole)))
  },
]

/** The values of `sort`. A vocabulary may lack any of them. */
const SORT_KEYS: ReadonlyMap<string, (vocabulary: Vocabulary, preferred: readonly string[]) => string | undefined> =
  new Map([
    ['label', ({ prefLabel }, preferred) => inLanguage(prefLabel, preferred)?.value],
    ['notation', ({ ids, notations }) => ids[0] ?? notations[0]],
    ['created', ({ values }) => latestDate(values.get(`${DCT}created`) ?? [])],
    ['modified', ({ values }) => latestDate(values.get(`${DCT}modified`) ?? [])],
  ])

/**
 * Sorts by `sort` and `order`. Vocabularies without a value come last in both directions; an unknown `sort` has no
 * effect.
 */
function sortedBy(parameters: Parameters, preferred: readonly string[]): (list: Vocabulary[]) => Vocabulary[] {
  const keyOf = SORT_KEYS.get(parameters.get('sort') ?? '')
  const sign = parameters.get('order') === 'desc' ? -1 : 1
  if (!keyOf) return (list) => (sign > 0 ? list : list.toReversed())
  const { compare } = collator(preferred)
  return (list) => {
    const keyed = list.map((vocabulary) => ({ vocabulary, key: keyOf(vocabulary, preferred) }))
    keyed.sort((a, b) => {
      if (a.key === undefined || b.key === undefined) return Number(a.key === undefined) - Number(b.key === undefined)
      return sign * compare(a.key, b.key)
    })
    return keyed.map(({ vocabulary }) => vocabulary)
  }
}

/** The sort order of the most preferred known language. */
export function collator(preferred: readonly string[]): Intl.Collator {
  for (const language of preferred) {
    try {
      return new Intl.Collator(language, { numeric: true })
    } catch {
      // The tag is well formed, but Intl refuses it.
    }
  }
  return new Intl.Collator('und', { numeric: true })
}

/**
 * The `subset` parameter (docs/endpoints.md, "Parameters"): absent, `true`, `only`, or a vocabulary whose subsets are
 * wanted.
 */
function subsetFilter(value: string | undefined, all: readonly Vocabulary[]): Filter {
  if (value === undefined || value === 'false') return ({ isSubset }) => !isSubset
  if (value === 'true') return () => true
  if (value === 'only') return ({ isSubset }) => isSubset
  const whole = findVocabulary(all, value)
  return ({ isSubset, partOf }) =>
    isSubset && whole !== undefined && partOf.some((uri) => isSameVocabulary(uri, whole.uri))
}

/**
 * The records of those vocabularies and subsets that the store has, in the order of their URIs. A subset has the
 * properties of its vocabulary, unless it has its own.
 */
export async function recordsOfVocabularies(
  { client, registry }: Pick<ReadDependencies, 'client' | 'registry'>,
  { view, signal }: Pick<ListRequest, 'view' | 'signal'>,
  uris: readonly string[],
): Promise<JskosRecord[]> {
  if (uris.length === 0) return []
  const all = await registry.list()
  // The usual order needs no mention.
  const orders = new Map(all.flatMap(({ uri, order }) => (order === 'code-point' ? [] : [[uri, order] as const])))
  const wholes = wholesOf(uris, all)
  const described = [...new Set([...uris, ...wholes.values()])]
  const large = new Set(all.flatMap(({ uri, lastLoad: { triples = 0 } }) => (triples >= LARGE_TRIPLES ? uri : [])))
  const query = queryTemplate('describe/scheme').bind({
    terms: {
      c: described.map(iri),
      small: ifAny(described.filter((uri) => !large.has(uri)).map(iri)),
      large: ifAny(described.filter((uri) => large.has(uri)).map(iri)),
      property: PROPERTIES,
      link: LINKS,
      note: [...NOTES].map(iri),
      graph: graphTerms(view.graph),
    },
  })
  const [graph, objects] = await Promise.all([
    client.construct(query, { signal }),
    readObjects({ client, registry }, uris, view, 'scheme', signal),
  ])
  for (const [uri, whole] of wholes) {
    const subset = graph.get(uri)
    for (const property of INHERITED) {
      const values = graph.get(whole)?.get(property)
      if (values && !subset?.has(property)) subset?.set(property, values)
    }
  }
  const framed = frameNodes(graph, objects)
  return uris.flatMap((uri) => {
    const node = framed(uri)
    if (!node) return []
    const facts = {
      ids: (graph.get(uri)!.get(ID) ?? []).map(({ value }) => value),
      order: orders.get(uri),
      hasConcept: graph.get(uri)!.has(HAS_CONCEPT),
      hasTopConcept: graph.get(uri)!.has(HAS_TOP_CONCEPT),
    }
    return [schemeRecord(node, facts, view)]
  })
}

/** The URIs of the vocabularies of subsets, by those of the subsets. */
function wholesOf(uris: readonly string[], all: readonly Vocabulary[]): ReadonlyMap<string, string> {
  const wanted = new Set(uris)
  return new Map(
    all.flatMap((subset) => {
      const whole = subset.isSubset && wanted.has(subset.uri) ? wholeOf(subset, all) : undefined
      return whole ? [[subset.uri, whole.uri] as const] : []
    }),
  )
}
