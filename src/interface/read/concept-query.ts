import {
  CONCEPT_PROPERTIES,
  FIELD,
  FIELDS,
  fieldsOf,
  holdsLinks,
  isStructured,
  NODE_PROPERTIES,
  type Field,
  type RecordKind,
} from '../../graph/jskos/fields.ts'
import { memoize } from '../../graph/jskos/memoize.ts'
import { BY_CODE_POINTS } from '../../graph/jskos/order.ts'
import { CONCEPT_DEFAULT, readProperties, type Properties } from '../../graph/jskos/properties.ts'
import {
  HAS_NARROWER,
  IN_SCHEME,
  KINDS_OF_LINKS,
  NOTATION,
  RDF,
  RDF_TYPE,
  RECORD_CLASSES,
} from '../../base/namespaces.ts'
import type { TemplateName } from '../../graph/sparql/template-names.ts'
import { queryTemplate, type BoundSelect, type BoundTemplate, type Terms } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { EVERYTHING } from '../../graph/vocabularies/registry.ts'
import type { View } from './request.ts'
import { graphTerms, ifAny, neighbourTerms } from './terms.ts'

/** The parts of a view that determine what the store has to return. */
type Shown = Pick<View, 'properties' | 'scope' | 'graph' | 'order'>

interface ConceptQueryOptions {
  /** The store has subsets, whose notes must stay apart. */
  hasSubsets: boolean
  /** The store may have notes that are resources. */
  hasResourceNotes: boolean
}

/** The concepts that a template selects for some resources, those in its slot `uri`. */
export interface Relatives {
  template: TemplateName
  of: readonly string[]
  /** The property that leads directly from each resource to its concepts (`LEADS_TO` in the answer), if it does. */
  leading?: string
}

/** The maximum number of relatives that one query describes. */
export const MOST_RELATIVES = 1000

/** The properties that the service needs of every concept. */
const NEEDED = [RDF_TYPE, IN_SCHEME, NOTATION]
/** Fields computed from other fields or by a separate query. */
const COMPUTED = ['ancestors', 'descendants']
/** The fields of concepts that the store has as a property. */
const STORED = fieldsOf('concept').filter(
  (field) => field.property && !COMPUTED.includes(field.name) && !isStructured(field),
)
/** The hierarchical links with a kind, which records show among qualified relations. */
const KINDS = Object.values(KINDS_OF_LINKS).map((property): Field => ({
  ...FIELD.get('qualifiedRelations')!,
  kind: 'concepts',
  property,
}))
/** The properties that lead to other records: none of their values is a qualified statement. */
const UNQUALIFIED = FIELDS.flatMap(({ name, kind, property }) =>
  property && (name === 'type' || ['concepts', 'list', 'schemes', 'match'].includes(kind)) ? [iri(property)] : [],
)
/** The properties that lead to concepts, which may have no URI. */
const NEIGHBOURS = [...CONCEPT_PROPERTIES].map((property) => iri(property))
/** The classes of resources with a record of their own, as terms of SPARQL. */
const RECORDS = RECORD_CLASSES.map(iri)

/**
 * The query for the data of concepts (queries/describe/concept.rq): the blocks and terms that the fields of a view
 * need.
 *
 * @param concepts their URIs, or a selection of them.
 */
export function conceptQuery(
  concepts: readonly string[] | BoundSelect | Relatives,
  view: Shown,
  options: ConceptQueryOptions,
): BoundTemplate {
  const template = queryTemplate('describe/concept')
  // The notes of subsets are in other graphs.
  const hasSubsets = options.hasSubsets && view.graph === undefined
  const { terms: ofFields, include: ofProperties } = bindingsOf(view.properties).bindings(
    JSON.stringify({ ...options, hasSubsets }),
  )
  const include = view.order.isByCodePoints ? ofProperties : [...ofProperties, 'place']
  const { schemes, subsets, within } = view.scope
  // A chain of ancestors stays within the vocabularies. With subsets, no neighbours leave the scope.
  const scheme = subsets.length > 0 ? undefined : ifAny(schemes.map(({ uri }) => iri(uri)))
  const named = ifAny([...subsets, ...(within?.subsets ?? [])].map(({ uri }) => iri(uri)))
  const isSingle = 'length' in concepts && concepts.length === 1
  const terms = {
    ...ofFields,
    link: isSingle ? ofFields['link'] : undefined,
    sharedLink: isSingle ? undefined : ofFields['link'],
    ...neighbourTerms(view.scope),
    scheme,
    named,
    graph: graphTerms(view.graph),
  }
  if ('length' in concepts) return template.bind({ terms: { ...terms, c: concepts.map(iri) }, include })
  if ('text' in concepts) return template.bind({ terms, include, subselect: { slot: 'c', select: concepts } })
  const of = concepts.of.map(iri)
  const leading = concepts.leading === undefined ? {} : { of, leading: [iri(concepts.leading)] }
  const page = { include: ['page'], limit: MOST_RELATIVES, offset: 0 }
  const select = queryTemplate(concepts.template).bindSubselect({ terms: { uri: of }, ...page })
  return template.bind({ terms: { ...terms, ...leading }, include, subselect: { slot: 'c', select } })
}

/**
 * The query for the objects within records (queries/describe/objects.rq); undefined if the view shows none of them. The
 * further facts about items belong to a view that names a field of items, or shows all fields.
 */
export function objectsQuery(
  uris: readonly string[],
  { properties, graph, scope }: Pick<View, 'properties' | 'graph' | 'scope'>,
  kind: RecordKind,
): BoundTemplate | undefined {
  const hasLists = kind === 'concept' || graph !== undefined
  const { shown, neighbours, isAsked, qualified, roles } = objectBindings(properties)(kind)(hasLists)
  if (!isAsked || uris.length === 0) return undefined
  return queryTemplate('describe/objects').bind({
    terms: {
      c: uris.map(iri),
      property: shown.map(iri),
      neighbour: neighbours.map(iri),
      // A concept without a URI is no member of a subset.
      nameless: (scope.subsets.length > 0 ? NO_PROPERTY : neighbours).map(iri),
      class: RECORDS,
      unqualified: qualified ? UNQUALIFIED : undefined,
      graph: graphTerms(graph),
    },
    include: roles ? ['roles'] : [],
  })
}

/** The same query for items that objects within records name: all objects within them. */
export function itemsQuery(uris: readonly string[], { graph }: Pick<View, 'graph'>): BoundTemplate {
  return queryTemplate('describe/objects').bind({
    terms: {
      c: uris.map(iri),
      property: [...NODE_PROPERTIES].map(iri),
      neighbour: NEIGHBOURS,
      nameless: NEIGHBOURS,
      class: RECORDS,
      unqualified: UNQUALIFIED,
      graph: graphTerms(graph),
    },
    include: ['roles'],
  })
}

/** A filter needs a property; no concept has this one. */
const NO_PROPERTY: readonly string[] = [`${RDF}object`]

/** The fields of a kind of records that `objectsQuery` asks for, with or without the lists of members. */
const objectBindings = memoize(
  (properties: Properties) =>
    memoize(
      (kind: RecordKind) =>
        memoize((hasLists: boolean) => objectFields(properties.fields(kind), properties, hasLists), new Map()),
      new Map(),
    ),
  new WeakMap(),
)

function objectFields(fields: readonly Field[], properties: Properties, hasLists: boolean) {
  const isItem = ({ kind }: Field) => kind === 'items'
  const structuredFields = fields.filter((field) => isStructured(field) || (hasLists && field.kind === 'list'))
  const named = fields.filter((field) => isItem(field) && properties.requested(field.name))
  const shown = propertiesOf([...structuredFields, ...fields.filter(isItem)])
  // Other fields show neighbours by their names alone, as the graph of the concepts has them.
  const neighbours = propertiesOf(fields.filter(({ name, kind }) => kind === 'concepts' && properties.names(name)))
  return {
    shown: shown.length > 0 ? shown : NO_PROPERTY,
    neighbours: neighbours.length > 0 ? neighbours : NO_PROPERTY,
    isAsked: structuredFields.length + named.length > 0,
    qualified: structuredFields.some(({ kind }) => kind === 'qualified'),
    roles: structuredFields.some(({ kind }) => kind === 'roles'),
  }
}

function propertiesOf(fields: readonly Field[]): string[] {
  return fields.flatMap(({ property }) => property ?? [])
}

/**
 * The properties that a node in the answer to `conceptQuery` has for a concept: all of their objects, and nothing else
 * about it.
 */
export function describedProperties(view: Pick<View, 'properties'>): ReadonlySet<string> {
  return bindingsOf(view.properties).described
}

/** The parts of a query that depend on the properties of a view alone, made once for these. */
const bindingsOf = memoize(
  (properties: Properties) => ({
    links: shownProperties(properties, holdsLinks),
    notes: shownProperties(properties, isNote),
    described: new Set([
      ...NEEDED,
      ...shownProperties(properties, () => true),
      ...(countsNarrower(properties) ? [HAS_NARROWER] : []),
    ]),
    /** @param options as JSON. */
    bindings: memoize(
      (options: string) => fieldBindings(properties, JSON.parse(options) as ConceptQueryOptions),
      new Map(),
    ),
  }),
  new WeakMap(),
)

/** The default view, which shows all that the service remembers of a concept. */
export const REMEMBERED: Shown = {
  properties: readProperties(undefined, CONCEPT_DEFAULT),
  scope: EVERYTHING,
  order: BY_CODE_POINTS,
}

/** The properties of a concept that the service remembers. */
export const STATEMENT = describedProperties(REMEMBERED)

/** True if records tell whether there are narrower concepts. */
function countsNarrower(properties: Properties): boolean {
  return properties.has('hasChildren') || (properties.has('narrower') && !properties.requested('narrower'))
}

/** The terms and blocks for the fields of a view. */
function fieldBindings(
  properties: Properties,
  { hasSubsets, hasResourceNotes }: ConceptQueryOptions,
): { terms: Terms; include: string[] } {
  const { notes: ofNotes, links } = bindingsOf(properties)
  const notes = ifAny(ofNotes.map(iri))
  const plainProperties = shownProperties(properties, (field) => !(hasSubsets && isNote(field)))
  const include: string[] = []
  if (countsNarrower(properties)) include.push('hasNarrower')
  if (properties.has('ancestors')) include.push('ancestors')
  const terms = {
    property: [...new Set([...NEEDED, ...plainProperties].map(iri))],
    note: hasSubsets ? notes : undefined,
    noteValue: hasResourceNotes && !hasSubsets ? notes : undefined,
    link: ifAny(links.map(iri)),
  }
  return { include, terms }
}

/** The properties of concepts in the store that a view shows, for the wanted fields. */
function shownProperties(properties: Properties, isWanted: (field: Field) => boolean): string[] {
  const withMatches = properties.has('mapping') || properties.has('mappings')
  return [...STORED, ...KINDS].flatMap((field) => {
    const { name, kind, property } = field
    if (!isWanted(field)) return []
    const isShown =
      name === 'narrower' ? properties.requested(name) : properties.has(name) || (kind === 'match' && withMatches)
    return isShown ? [property!] : []
  })
}

function isNote({ kind }: Field): boolean {
  return kind === 'note'
}

/** The properties of a view whose objects records show with label and notation. */
export function linkProperties({ properties }: Pick<View, 'properties'>): readonly string[] {
  return bindingsOf(properties).links
}
