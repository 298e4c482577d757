import { ApiError } from '../../base/errors.ts'
import { malformed, readTime, requestedProperties, requireIri } from '../../interface/http/parameters.ts'
import { FIELDS, INHERITED, holdsLinks, NOTES, type RecordKind } from '../../graph/jskos/fields.ts'
import { frameNodes, type FramedResource } from '../../graph/jskos/frame.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import { COLLECTION_DEFAULT, SCHEME_DEFAULT } from '../../graph/jskos/properties.ts'
import { collectionRecord, schemeRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { isSubsetNotation } from '../../graph/jskos/names.ts'
import {
  ABOVE,
  ABOVE_IN,
  ABOVE_TOP_OF,
  COLLECTIONS,
  CONCEPT,
  CONCEPT_SCHEME,
  DCT,
  HAS_NARROWER,
  IN_SCHEME,
  ISOTHES,
  KINDS_OF_LINKS,
  NAMING,
  RDF,
  RDF_TYPE,
  RECORD_CLASSES,
  SKOS,
  XKOS,
} from '../../base/namespaces.ts'
import { objectsQuery } from '../../interface/read/concept-query.ts'
import { toConcepts } from '../../interface/read/concepts.ts'
import type { ReadDependencies } from '../../interface/read/dependencies.ts'
import { nothing } from '../../interface/read/list.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import type { FindRecords } from '../../interface/read/route.ts'
import type { ListRequest, View } from '../../interface/read/request.ts'
import {
  namedNode,
  readNTriples,
  type Graph,
  type NodeProperties,
  type ObjectTerm,
} from '../../graph/sparql/ntriples.ts'
import { vocabulariesNamed } from '../../graph/vocabularies/vocabulary.ts'
import { isGraphInScope } from '../../interface/read/collections.ts'
import type { History } from './history.ts'
import type { ChangeLog } from './log/log.ts'
import { toNTriples } from './resources.ts'
import { noteValues } from './versions.ts'

/** The dependencies of reads that may be about the past. */
export interface HistoryDependencies extends ReadDependencies {
  /** The log of changes; undefined if the service keeps none. */
  history?: History | undefined
}

/**
 * Adds the parameter `at` to an endpoint that finds resources by `uri`: it gives one resource as it was at that time,
 * from the log of changes (docs/history.md, "History").
 *
 * @param present the endpoint without `at`.
 */
export function withPast<Dependencies extends HistoryDependencies>(
  present: FindRecords<Dependencies>,
): FindRecords<Dependencies> {
  return async (dependencies, request) => {
    const time = readTime(request.parameters, 'at')
    if (time === undefined) return present(dependencies, request)
    const uri = onlyUri(request)
    const { history } = dependencies
    if (!history) throw new ApiError('EntityNotFoundError', 'at: this service keeps no history.')
    await history.follow(uri)
    const past = new Past(history.log, time)
    const since = await past.knownSince(uri)
    if (since === undefined) {
      if ((await present(dependencies, request)).total === 0) return nothing()
      throw new ApiError('EntityNotFoundError', `at: the history has nothing about <${uri}> yet.`)
    }
    if (time < since) {
      throw new ApiError('EntityNotFoundError', `at: the history of <${uri}> goes back to ${since}.`)
    }
    const record = await recordOf(dependencies, request, past, uri)
    const { limit, offset } = request.page
    return record ? { total: 1, records: inOnePiece([record].slice(offset, offset + limit)) } : nothing()
  }
}

/** @throws ApiError MalformedRequestError for parameters that exclude `at`. */
function onlyUri({ parameters, view }: ListRequest): string {
  const other = ['id', 'notation'].find((name) => parameters.has(name))
  if (other !== undefined) throw malformed(`${other}: cannot be combined with at; use uri`)
  const uri = requireIri(parameters, 'uri')
  const present = (['descendants', 'memberOf'] as const).find((name) => view.properties.has(name))
  if (present) throw malformed(`properties: ${present} cannot be combined with at`)
  return uri
}

async function recordOf(
  dependencies: ReadDependencies,
  { view, signal, parameters }: ListRequest,
  past: Past,
  uri: string,
): Promise<JskosRecord | undefined> {
  const { scope } = view
  const members = scope.subsets.length > 0 ? await past.members(scope.subsets.map((subset) => subset.uri)) : undefined
  const isShown = (member: string) => !members || members.has(member)
  // The notes of a subset about itself are shown always.
  const description = await past.describe(uri, {
    subsets: [...scope.subsets.map((subset) => subset.uri), uri],
    isShown,
  })
  const inScheme = irisOf(description, `${SKOS}inScheme`)
  const isInScope = scope.all || members?.has(uri) || scope.schemes.some((scheme) => inScheme.includes(scheme.uri))
  const types = irisOf(description, RDF_TYPE)

  const graph: Graph = new Map([[uri, description], ...[...past.blankNodes].map(withoutClasses)])
  if (types.includes(CONCEPT) && isInScope) {
    await past.addNames(graph, uri, view.properties.requested('narrower') ? [] : ['narrower'])
    const isNeighbour = (narrower: string) => narrower !== uri && !inScheme.includes(narrower)
    if (irisOf(description, `${SKOS}narrower`).some(isNeighbour)) description.set(HAS_NARROWER, [])
    if (view.properties.has('ancestors')) await past.addAncestors(graph, uri, isShown)
    // The index knows the concordances of today alone.
    const ofThen = { ...dependencies, mappingsOfConcordances: undefined }
    const showsObjects = objectsQuery([uri], view, 'concept') !== undefined
    const objects = showsObjects ? await past.objects(uri, description) : undefined
    const [concept] = await toConcepts(ofThen, graph, view, signal, { uris: [uri], objects })
    return concept?.record
  }
  // A subset is known by its notation, whatever its class, as in the store.
  const isSubset = await past.isSubset(uri)
  if (
    (isSubset || types.includes(CONCEPT_SCHEME)) &&
    (scope.all || [...scope.schemes, ...scope.subsets].some((s) => s.uri === uri))
  ) {
    if (isSubset) {
      const partOf = irisOf(description, `${DCT}isPartOf`)
      const [whole] = vocabulariesNamed(await dependencies.registry.list(), partOf)
      await past.inherit(description, whole?.uri ?? partOf[0])
    }
    await past.addNames(graph, uri, ['topConcepts'])
    // The log has no bookkeeping, so top concepts show that there are concepts.
    const hasTopConcept = isSubset ? await past.hasTopMember(uri) : description.has(`${SKOS}hasTopConcept`)
    const properties = requestedProperties(parameters, SCHEME_DEFAULT)
    const facts = { ids: [], hasConcept: hasTopConcept || description.has(`${SKOS}member`), hasTopConcept }
    const shown = { ...view, properties }
    return schemeRecord(await framedWithObjects(past, graph, uri, shown, 'scheme'), facts, shown)
  }
  return types.some((name) => COLLECTIONS.includes(name))
    ? collectionOf({ view, parameters }, past, graph, { uri, isShown })
    : undefined
}

/**
 * A collection as it was; undefined if no vocabulary in the scope described it.
 *
 * @param graph has its description, and receives the names of what it links to.
 */
async function collectionOf(
  { view, parameters }: Pick<ListRequest, 'view' | 'parameters'>,
  past: Past,
  graph: Graph,
  { uri, isShown }: { uri: string; isShown: (member: string) => boolean },
): Promise<JskosRecord | undefined> {
  const graphs = (await past.graphsOf(uri)).filter((name) => name !== uri)
  if (!graphs.some((name) => isGraphInScope(view.scope, name))) return undefined
  const description = graph.get(uri)!
  description.set(IN_SCHEME, union(description.get(IN_SCHEME) ?? [], graphs.map(namedNode)))
  const collections = await past.addMembers(graph, uri, isShown)
  await past.addNames(graph, uri, [])
  const shown = { ...view, properties: requestedProperties(parameters, COLLECTION_DEFAULT) }
  const isCollection = (member: string) => collections.has(member)
  const facts = { hasMember: true, listsMembers: true, isCollection }
  return collectionRecord(await framedWithObjects(past, graph, uri, shown, 'collection'), facts, shown)
}

/** A vocabulary or collection of a graph with the objects within its record, as far as a view shows any. */
async function framedWithObjects(
  past: Past,
  graph: Graph,
  uri: string,
  view: View,
  kind: RecordKind,
): Promise<FramedResource> {
  if (objectsQuery([uri], view, kind) === undefined) return frameNodes(graph)(uri)!
  const description = graph.get(uri)!
  const links = [...description].map(([property, objects]): [string, ObjectTerm[]] => {
    const isContent = CONTENTS.has(property)
    return [property, isContent ? objects.filter(({ termType }) => termType === 'BlankNode') : objects]
  })
  const objects = await past.objects(uri, new Map(links))
  return frameNodes(graph, objects.set(uri, description))(uri)!
}

const MEMBER = `${SKOS}member`
/** The properties that lead to concepts, which are objects within records only if they have no URI. */
const CONTENTS: ReadonlySet<string> = new Set([MEMBER, `${SKOS}hasTopConcept`])

/** A resource in one graph. */
interface State {
  graph: string
  properties: NodeProperties
}

/** The resources of the log at one time. */
class Past {
  readonly #log: ChangeLog
  readonly #times: { time: string; now: string }
  readonly #endOf = memoize((graph: string) => this.#readEnd(graph), new Map())
  readonly #states = new Map<string, State[]>()
  /** The blank nodes of all resources that were read; their labels follow from their content. */
  readonly blankNodes: Graph = new Map()

  constructor(log: ChangeLog, time: string) {
    this.#log = log
    this.#times = { time, now: new Date().toISOString() }
  }

  /** The time from which all states of a resource are known; undefined if the log knows nothing of it. */
  async knownSince(uri: string): Promise<string | undefined> {
    const times: string[] = []
    for (const { id } of await this.#log.resourcesNamed([uri]))
      times.push(await this.#log.knownSince(id, this.#times.now))
    return times.sort().at(-1)
  }

  /**
   * The statements of all graphs about a resource, without the notes of subsets that the request does not name. The
   * `rdf:value` of a note that is a resource takes its place, as in queries/describe/concept.rq.
   *
   * @param isShown true if a broader, narrower or related concept is in the subset.
   */
  async describe(
    uri: string,
    { subsets, isShown }: { subsets: readonly string[]; isShown: (uri: string) => boolean },
  ): Promise<NodeProperties> {
    const all: NodeProperties = new Map()
    for (const { graph, properties } of await this.#statesOf(uri)) {
      const hasNotes = subsets.includes(graph) || !(await this.isSubset(graph))
      for (const [property, objects] of properties) {
        const isNote = NOTES.has(property)
        if (isNote && !hasNotes) continue
        const values = isNote ? await this.#valuesOf(objects) : objects
        const kept = WITHIN_SUBSET.has(property) ? values.filter(({ value }) => isShown(value)) : values
        const merged = all.get(property)
        if (kept.length > 0) all.set(property, merged ? union(merged, kept) : kept)
      }
    }
    return all
  }

  /** The concepts in subsets. */
  async members(subsets: readonly string[]): Promise<Set<string>> {
    const members = new Set<string>()
    for (const subset of subsets) {
      for (const { properties } of await this.#statesOf(subset)) {
        for (const uri of irisOf(properties, `${SKOS}member`)) members.add(uri)
      }
    }
    return members
  }

  /**
   * Adds the labels and notations of the resources that the fields of a record name, and the depths of levels.
   *
   * @param without fields to leave out.
   */
  async addNames(graph: Graph, uri: string, without: readonly string[]): Promise<void> {
    for (const { name, property } of FIELDS.filter(holdsLinks)) {
      if (property === undefined || without.includes(name)) continue
      await this.#addNames(graph, irisOf(graph.get(uri)!, property))
    }
    const cells = [...graph.values()].flatMap((properties) => irisOf(properties, FIRST))
    await this.#addNames(graph, cells)
  }

  /**
   * The objects within a record, as queries/describe/objects.rq reads them from the store: all statements about
   * resources without a record of their own, the names of the rest.
   */
  async objects(uri: string, description: NodeProperties): Promise<Graph> {
    const objects: Graph = new Map([[uri, description]])
    for (const properties of objects.values()) {
      for (const { termType, value } of [...properties].flatMap(linksOf)) {
        if (termType === 'Literal' || objects.has(value) || objects.size > MAX_OBJECTS) continue
        const states = termType === 'NamedNode' ? await this.#statesOf(value) : []
        const described: NodeProperties =
          termType === 'NamedNode' ? merged(states) : (this.blankNodes.get(value) ?? new Map())
        const hasRecord =
          termType === 'NamedNode' && irisOf(described, RDF_TYPE).some((type) => RECORD_CLASSES.includes(type))
        const shown = hasRecord ? [...described].filter(([property]) => BRIEF.has(property)) : described
        objects.set(value, new Map(shown))
      }
    }
    return objects
  }

  /** Adds the hierarchy above a concept, for its chain of ancestors. */
  async addAncestors(graph: Graph, uri: string, isShown: (uri: string) => boolean): Promise<void> {
    const seen = new Set([uri])
    for (const child of seen) {
      const above: ObjectTerm[] = []
      for (const parent of irisOf(await this.describe(child, { subsets: [], isShown }), `${SKOS}broader`)) {
        const states = await this.#statesOf(parent)
        const schemes = states.flatMap(({ properties }) => properties.get(`${SKOS}inScheme`) ?? [])
        if (schemes.length === 0) continue
        above.push(namedNode(parent))
        if (seen.has(parent) || seen.size > MAX_ANCESTORS) continue
        seen.add(parent)
        await this.#addName(graph, parent)
        const tops = states.flatMap(({ properties }) => properties.get(`${SKOS}topConceptOf`) ?? [])
        graph.set(parent, new Map(graph.get(parent)).set(ABOVE_IN, schemes).set(ABOVE_TOP_OF, tops))
      }
      if (above.length > 0) graph.set(child, (graph.get(child) ?? new Map<string, ObjectTerm[]>()).set(ABOVE, above))
    }
  }

  /**
   * Restricts the members of a collection, its groups of ISO 25964 included.
   *
   * @returns the members that are collections themselves.
   */
  async addMembers(graph: Graph, uri: string, isShown: (uri: string) => boolean): Promise<Set<string>> {
    const description = graph.get(uri)!
    const members = union(description.get(MEMBER) ?? [], description.get(SUB_GROUP) ?? [])
    const shown = members.filter(({ value }) => isShown(value))
    if (shown.length > 0) description.set(MEMBER, shown)
    else description.delete(MEMBER)
    const listed = new Set(shown.map(({ value }) => value))
    for (const properties of [...graph.values(), ...this.blankNodes.values()]) {
      const first = properties.get(FIRST)
      if (!first) continue
      const kept = first.filter(({ value }) => isShown(value))
      if (kept.length > 0) properties.set(FIRST, kept)
      else properties.delete(FIRST)
      for (const { value } of kept) listed.add(value)
    }
    const collections = new Set<string>()
    await this.#read(listed)
    for (const member of listed) {
      const types = irisOf(merged(await this.#statesOf(member)), RDF_TYPE)
      if (types.some((name) => COLLECTIONS.includes(name))) collections.add(member)
    }
    return collections
  }

  /** The graphs that describe a resource. */
  async graphsOf(uri: string): Promise<string[]> {
    return (await this.#statesOf(uri)).map(({ graph }) => graph)
  }

  async #addNames(graph: Graph, uris: readonly string[]): Promise<void> {
    await this.#read(uris)
    for (const uri of uris) await this.#addName(graph, uri)
  }

  async #addName(graph: Graph, uri: string): Promise<void> {
    if (graph.has(uri)) return
    const name = [...merged(await this.#statesOf(uri))].filter(([property]) => BRIEF.has(property))
    if (name.length > 0) graph.set(uri, new Map(name))
  }

  async #valuesOf(notes: readonly ObjectTerm[]): Promise<ObjectTerm[]> {
    const values: ObjectTerm[] = []
    for (const note of notes) {
      const { termType, value } = note
      const described =
        termType === 'BlankNode'
          ? [this.blankNodes.get(value)]
          : termType === 'NamedNode'
            ? (await this.#statesOf(value)).map(({ properties }) => properties)
            : []
      values.push(...noteValues(note, described))
    }
    return values
  }

  /** Adds the statements that a subset has from its vocabulary. */
  async inherit(subset: NodeProperties, whole: string | undefined): Promise<void> {
    if (whole === undefined) return
    const properties = await this.describe(whole, { subsets: [], isShown: () => true })
    for (const property of INHERITED) {
      const values = properties.get(property)
      if (values && !subset.has(property)) subset.set(property, values)
    }
  }

  /** True if some concept in a subset has no broader concept there. */
  async hasTopMember(subset: string): Promise<boolean> {
    const members = await this.members([subset])
    for (const member of members) {
      const states = await this.#statesOf(member)
      const isConcept = states.some(({ properties }) => irisOf(properties, RDF_TYPE).includes(CONCEPT))
      const broader = states.flatMap(({ properties }) => irisOf(properties, `${SKOS}broader`))
      if (isConcept && !broader.some((above) => above !== member && members.has(above))) return true
    }
    return false
  }

  async isSubset(graph: string): Promise<boolean> {
    const states = await this.#statesOf(graph)
    const notations = states.flatMap(({ properties }) => properties.get(`${SKOS}notation`) ?? [])
    return notations.some(({ value }) => isSubsetNotation(value))
  }

  async #statesOf(uri: string): Promise<State[]> {
    await this.#read([uri])
    return this.#states.get(uri)!
  }

  /** Reads the states of resources, many at a time, for `#statesOf`. */
  async #read(uris: Iterable<string>): Promise<void> {
    const unread = [...new Set(uris)].filter((uri) => !this.#states.has(uri))
    for (let start = 0; start < unread.length; start += RESOURCES_AT_A_TIME) {
      const batch = unread.slice(start, start + RESOURCES_AT_A_TIME)
      const resources = await this.#log.resourcesNamed(batch)
      const ends = new Map<string, number | undefined>()
      for (const { graph } of resources) if (!ends.has(graph)) ends.set(graph, await this.#endOf(graph))
      const statements = await this.#log.statementsOf(resources, ends)
      const states = new Map(batch.map((uri): [string, State[]] => [uri, []]))
      for (const { id, uri, graph } of resources) {
        const lines = statements.get(id)
        if (!lines)
          throw new ApiError(
            'EntityNotFoundError',
            `at: <${uri}> had too many statements for the history to keep them.`,
          )
        for (const [subject, properties] of readNTriples(toNTriples({ uri, statements: lines }))) {
          if (subject === uri) states.get(uri)!.push({ graph, properties })
          else this.blankNodes.set(subject, properties)
        }
      }
      for (const [uri, read] of states) this.#states.set(uri, read)
    }
  }

  async #readEnd(uri: string): Promise<number | undefined> {
    const graph = await this.#log.graph(uri)
    return graph && this.#log.endAt(graph, this.#times)
  }
}

/** Resources to read from the log at a time. */
const RESOURCES_AT_A_TIME = 500
/** The most concepts above a concept whose names the history looks up. */
const MAX_ANCESTORS = 400
/** The properties that show of resources with a record of their own. */
const BRIEF: ReadonlySet<string> = new Set([...NAMING, `${XKOS}depth`])
/** The most objects within a record that the history looks up. */
const MAX_OBJECTS = 400
const SUB_GROUP = `${ISOTHES}subGroup`
const FIRST = `${RDF}first`
/** The properties to concepts that a subset restricts to its members, as in queries/describe/concept.rq. */
const WITHIN_SUBSET: ReadonlySet<string> = new Set([
  ...['broader', 'narrower', 'related'].map((name) => SKOS + name),
  ...Object.values(KINDS_OF_LINKS),
])

/** The statements of all graphs about a resource. */
function merged(states: readonly State[]): NodeProperties {
  const all: NodeProperties = new Map()
  for (const { properties } of states) {
    for (const [property, objects] of properties) all.set(property, union(all.get(property) ?? [], objects))
  }
  return all
}

/** A blank node without its classes: of the nodes of a graph, those with a class have a record of their own. */
function withoutClasses([label, properties]: [string, NodeProperties]): [string, NodeProperties] {
  return [label, new Map([...properties].filter(([property]) => property !== RDF_TYPE))]
}

/** The objects of a property, except classes and vocabularies. */
function linksOf([property, objects]: readonly [string, readonly ObjectTerm[]]): readonly ObjectTerm[] {
  return property === RDF_TYPE || property === IN_SCHEME ? [] : objects
}

function union(some: readonly ObjectTerm[], more: readonly ObjectTerm[]): ObjectTerm[] {
  return [...new Map([...some, ...more].map((term) => [JSON.stringify(term), term])).values()]
}

function irisOf(properties: NodeProperties, property: string): string[] {
  return (properties.get(property) ?? []).flatMap(({ termType, value }) => (termType === 'NamedNode' ? value : []))
}
