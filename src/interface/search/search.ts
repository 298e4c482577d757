import { readChoices, readIris, readLanguages } from '../http/parameters.ts'
import { frameNodes } from '../../graph/jskos/frame.ts'
import { conceptRecord, type JskosRecord } from '../../graph/jskos/record.ts'
import { CONCEPT, RDF_TYPE, SKOS } from '../../base/namespaces.ts'
import { collectionsNamed, recordsOfCollections } from '../read/collections.ts'
import { listConcepts } from '../read/concept-lists.ts'
import { recordsOfConcepts } from '../read/concepts.ts'
import type { ReadDependencies } from '../read/dependencies.ts'
import { FACETS, nothing, type Facets, type RecordList } from '../read/list.ts'
import { inOnePiece } from '../read/pieces.ts'
import type { ListRequest } from '../read/request.ts'
import { inScope } from '../read/select.ts'
import { readTypes } from '../read/terms.ts'
import type { NodeProperties, ObjectTerm } from '../../graph/sparql/ntriples.ts'
import { NOTE_COLUMNS } from '../../graph/index/index-file.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { belowSome } from './below.ts'
import type { Found } from './concept-reader.ts'
import type { SearchFields } from './matches.ts'
import { nameCollections } from './places.ts'
import type { SearchIndex } from './search-index.ts'
import { readSearchText } from './words.ts'
import { addToList } from '../../base/groups.ts'

/** The dependencies of searching. */
export interface SearchDependencies extends ReadDependencies {
  /** The index of labels. */
  index: SearchIndex
}

/** The fields to search. */
const USES = ['label', 'notation', 'definition', 'note', 'all'] as const
/** The fields to search by default. */
const USED: readonly string[] = ['label', 'notation']

/** The search text as sent. `search` and `query` mean the same, and old clients send both. */
export function searchedText({ parameters }: ListRequest): string {
  return parameters.get('search') ?? parameters.get('query') ?? ''
}

/**
 * GET /search: concepts whose labels or notations match a text, best first; without a text all concepts, in the order
 * of records (docs/endpoints.md, "Search").
 *
 * @example
 * const parameters = givenParameters({ search: 'bookbind' })
 * const { total, records } = await search(dependencies, await listRequest(dependencies, { parameters, signal }))
 */
export function search(dependencies: SearchDependencies, request: ListRequest): Promise<RecordList> {
  return find(dependencies, request, false)
}

/**
 * The same list with only the names and notations of the concepts. The index knows these, so the store is not asked.
 */
export function searchNames(dependencies: SearchDependencies, request: ListRequest): Promise<RecordList> {
  return find(dependencies, request, true)
}

async function find(dependencies: SearchDependencies, request: ListRequest, namesOnly: boolean): Promise<RecordList> {
  const { parameters, view, page, signal } = request
  const { scope } = view
  const types = readTypes(parameters)
  const ancestors = readIris(parameters, 'ancestors')
  const fields = readFields(request)
  const wanted = readChoices(parameters, 'facets', FACETS)
  const facets = wanted.length > 0 ? { facets: wanted } : undefined
  if ((!scope.all && scope.schemes.length + scope.subsets.length === 0) || types?.length === 0) {
    return { ...nothing(), facets: facets && Object.fromEntries(wanted.map((name) => [name, []])) }
  }
  const hasCollections = nameCollections(types)
  const text = readSearchText(searchedText(request), { wildcards: true })
  if (text === undefined) {
    const below = ancestors.length > 0 ? ancestors.map(iri) : undefined
    const list = await listConcepts(dependencies, inScope(request, { below, type: types?.map(iri) }), request)
    if (!facets) return list
    const limits = ancestors.length > 0 ? await belowSome(dependencies, ancestors, signal) : {}
    const counted = await dependencies.index.facets({ scope, ...limits, types, ...facets }, signal)
    return { ...list, facets: await ofVocabularies(dependencies, counted) }
  }
  const below = ancestors.length > 0 ? await belowSome(dependencies, ancestors, signal) : {}
  const [language] = readLanguages(parameters, 'in') ?? []
  const question = {
    text,
    fields,
    scope,
    ...below,
    types,
    language,
    page,
    ...facets,
    withNames: namesOnly && !hasCollections,
  }
  const { total, concepts, replaced, facets: counted } = await dependencies.index.find(question, signal)
  const uris = concepts.map(({ uri }) => uri)
  const records = hasCollections
    ? inOnePiece(await withCollections(dependencies, request, uris))
    : namesOnly
      ? inOnePiece(namedRecords(concepts, request))
      : recordsOfConcepts(dependencies, uris, view, signal)
  return {
    total,
    records,
    ...(replaced && { replaced }),
    facets: counted && (await ofVocabularies(dependencies, counted)),
  }
}

/** The records of concepts and collections, in the order of their URIs. */
async function withCollections(
  dependencies: SearchDependencies,
  request: ListRequest,
  uris: readonly string[],
): Promise<JskosRecord[]> {
  const collections = await collectionsNamed(dependencies, request, uris)
  const records = new Map<string, JskosRecord>()
  for (const record of await recordsOfCollections(dependencies, request, [...collections.keys()])) {
    records.set(record.uri, record)
  }
  const concepts = uris.filter((uri) => !records.has(uri))
  for await (const piece of recordsOfConcepts(dependencies, concepts, request.view, request.signal)) {
    for (const record of piece) records.set(record.uri, record)
  }
  return uris.flatMap((uri) => records.get(uri) ?? [])
}

/** Records of what the index knows of concepts. */
function namedRecords(concepts: Found['concepts'], { view }: ListRequest): JskosRecord[] {
  const graph = new Map<string, NodeProperties>()
  for (const { uri, names = [] } of concepts) {
    const properties: NodeProperties = new Map([[RDF_TYPE, [term('NamedNode', CONCEPT)]]])
    for (const [type, language, text] of names) {
      const property = SKOS + type
      addToList(properties, property, term('Literal', text, language))
    }
    graph.set(uri, properties)
  }
  const framed = frameNodes(graph)
  return concepts.map(({ uri }) => conceptRecord(framed(uri)!, false, view))
}

function term(termType: ObjectTerm['termType'], value: string, language = ''): ObjectTerm {
  return { termType, value, language, datatype: '' }
}

/** True if a request searches notes, too. */
export function searchesNotes(request: ListRequest): boolean {
  return readFields(request).notes !== undefined
}

/** The parameter `use`. @throws ApiError MalformedRequestError for an unknown value. */
function readFields({ parameters }: ListRequest): SearchFields {
  const names = readChoices(parameters, 'use', USES)
  const has = (name: string) =>
    names.length === 0 ? USED.includes(name) : names.some((use) => use === name || use === 'all')
  const notes = NOTE_COLUMNS.filter(has)
  return { label: has('label'), notation: has('notation'), ...(notes.length > 0 && { notes }) }
}

/** Without the schemes that concepts name, but the service does not have. */
async function ofVocabularies({ registry }: SearchDependencies, { voc, ...facets }: Facets): Promise<Facets> {
  if (!voc) return facets
  const present = await registry.uris()
  return { voc: voc.filter(({ uri }) => present.has(uri)), ...facets }
}
