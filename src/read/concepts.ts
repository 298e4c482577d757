import { malformed, quoted, readIris, readList, requireIris } from '../http/parameters.ts'
import { ApiError } from '../errors.ts'
import { CONCEPT, XSD } from '../namespaces.ts'
import { schemeNotations } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import { iri, isAbsoluteIri, literal, TermError, type SparqlTerm } from '../sparql/terms.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'
import type { Vocabulary } from '../vocabularies/vocabulary.ts'
import { chains, type Edge } from './chain.ts'
import { describeConcepts, hierarchy, type Described } from './describe.ts'
import { describeInOrder, listConcepts, nothing, ONE_REQUEST, type RecordList } from './list.ts'
import { once } from './pieces.ts'
import type { Read } from './read.ts'

/** GET and POST /data: concepts by uri, id or notation (spec, GET /data). */
export async function data(read: Read): Promise<RecordList> {
  const given = ['uri', 'id', 'notation'].filter((name) => read.parameters.has(name))
  if (given.length !== 1) {
    const got = given.length === 0 ? 'none' : given.join(' and ')
    throw malformed(`uri, id, notation: expected exactly one of them, got ${got}`)
  }
  const name = given[0]!
  if (name === 'notation') {
    const { registry } = read.dependencies
    const known = notationTerms(read, await registry.list())
    const found = await list(read, 'data/notation', { notation: known })
    if (found.total > 0) return found
    // A vocabulary that was loaded a moment ago may have notations of another type.
    const fresh = notationTerms(read, await registry.fresh(read.signal))
    return fresh.length > known.length ? list(read, 'data/notation', { notation: fresh }) : found
  }
  const uris = readIris(read.parameters, name)
  const terms: Record<string, SparqlTerm[]> = { uri: uris.map(iri) }
  if (name === 'id') {
    terms['id'] = uris.flatMap((uri) => [iri(uri), literal(uri), literal(uri, { datatype: `${XSD}anyURI` })])
  }
  return list(read, `data/${name}`, terms)
}

/** The notations asked for, plain and with every datatype and language that notations have: an index finds whole terms only. */
function notationTerms(read: Read, vocabularies: readonly Vocabulary[]): SparqlTerm[] {
  const types = [{}, ...vocabularies.flatMap(({ notationTypes }) => notationTypes)]
  const notations = readList(read.parameters, 'notation')
  return [...new Set(notations.flatMap((text) => types.map((type) => term('notation', () => literal(text, type)))))]
}

/** GET /broader: all directly superordinate concepts. */
export const broader = (read: Read): Promise<RecordList> => list(read, 'broader', { uri: uriTerms(read) })

/** GET /narrower: all directly subordinate concepts. */
export const narrower = (read: Read): Promise<RecordList> => list(read, 'narrower', { uri: uriTerms(read) })

/** GET /descendants: all subordinate concepts. */
export const descendants = (read: Read): Promise<RecordList> =>
  list(read, 'descendants', { uri: uriTerms(read) }, { isLong: true })

/**
 * GET /ancestors: one chain, nearest first (docs/interface.md, "Ancestors"). What is above a concept is mostly few, so all of it
 * comes with one request and the chain is chosen here; only for a large hierarchy its edges are fetched first.
 */
export async function ancestors(read: Read): Promise<RecordList> {
  const uris = requireIris(read.parameters, 'uri')
  if (uris.length > 1) throw malformed('uri: expected one IRI, got several')
  const [uri] = uris as [string]
  const { dependencies, view, signal, page } = read
  if (!view.scope.all && view.scope.schemes.length + view.scope.subsets.length === 0) return nothing()
  const question = queryTemplate('ancestors')
  // The concept asked for may be outside the scope; the chain above it may not.
  const select = question.bindSubselect({
    terms: { uri: [iri(uri)] },
    include: ['order'],
    limit: ONE_REQUEST,
    offset: 0,
  })
  const above = await describeConcepts(dependencies, { select }, view, signal, true)
  if (above.length === ONE_REQUEST) {
    const chain = chains(await hierarchy(dependencies, [uri], view.scope, signal))(uri)
    const kept = chain.slice(page.offset, page.offset + read.maxLimit)
    return { total: chain.length, records: describeInOrder(dependencies, kept, view, signal) }
  }
  const known = new Map(above.filter((one) => inScope(one, read)).map((described) => [described.uri, described]))
  const records = chains(edges(above, known))(uri).map((one) => known.get(one)!.record)
  return { total: records.length, records: once(records.slice(page.offset)) }
}

function edges(above: readonly Described[], known: ReadonlyMap<string, Described>): Edge[] {
  return above.flatMap(({ uri, broader }) =>
    broader.flatMap((parent) => {
      const described = known.get(parent)
      return described ? [{ child: uri, parent: described }] : []
    }),
  )
}

function inScope({ inScheme }: Described, { view: { scope } }: Read): boolean {
  // Subsets are kept in the query itself: a chain does not leave them.
  if (scope.all || scope.subsets.length > 0) return true
  return scope.schemes.some(({ uri }) => inScheme.includes(uri))
}

/** GET /voc/{vocid}/top: top concepts of one vocabulary or subset. */
export async function topOfVocabulary(read: Read): Promise<RecordList> {
  return top(read, [await pathVocabulary(read)])
}

/** GET /voc/top: top concepts of the vocabularies with the given URIs. */
export async function topByUri(read: Read): Promise<RecordList> {
  return top(read, await vocabulariesByUri(read))
}

async function top(read: Read, vocabularies: readonly Vocabulary[]): Promise<RecordList> {
  if (vocabularies.length === 0) return nothing()
  // In a subset the members without a broader member are on top, also where the subset comes as `voc`.
  const subsets = [...vocabularies.filter(({ isSubset }) => isSubset), ...read.view.scope.subsets]
  if (subsets.length > 0) return ofVocabularies(read, 'voc/top-of-subset', subsets)
  return ofVocabularies(read, 'voc/top', vocabularies)
}

/** GET /voc/concepts: all concepts of the vocabularies with the given URIs. */
export async function conceptsByUri(read: Read): Promise<RecordList> {
  const vocabularies = await vocabulariesByUri(read)
  if (vocabularies.length === 0) return nothing()
  const subsets = vocabularies.filter(({ isSubset }) => isSubset)
  const list =
    subsets.length > 0
      ? await ofVocabularies(read, 'voc/concepts-of-subset', subsets, { isLong: true })
      : await ofVocabularies(read, 'voc/concepts', vocabularies, { isLong: true })
  return { ...list, name: schemeNotations(vocabularies[0]!.notations)[0] }
}

function ofVocabularies(
  read: Read,
  name: string,
  vocabularies: readonly Vocabulary[],
  { isLong = false } = {},
): Promise<RecordList> {
  const types = readTypes(read)
  if (types?.length === 0) return Promise.resolve(nothing())
  const of = vocabularies.map(({ uri }) => iri(uri))
  const subset = vocabularies.some(({ isSubset }) => isSubset)
  const scope = subset && read.view.scope.all ? { ...EVERYTHING, subsets: [...vocabularies] } : read.view.scope
  return listConcepts(
    read.dependencies,
    {
      template: queryTemplate(name),
      terms: { of, type: types },
      isLong,
    },
    read.page,
    { ...read.view, scope },
    read.signal,
  )
}

/**
 * The `type` parameter: class URIs. Old clients send names; the one that every concept has is known, others match
 * nothing.
 *
 * @returns undefined where there is no such parameter.
 */
export function readTypes(read: Read): SparqlTerm[] | undefined {
  const values = readList(read.parameters, 'type')
  if (values.length === 0) return undefined
  return values.flatMap((value) => {
    if (isAbsoluteIri(value)) return [iri(value)]
    if (/^[a-z]+:/i.test(value)) throw malformed(`type: expected class IRIs, got ${quoted(value)}`)
    return value.split(',').includes('concept') ? [iri(CONCEPT)] : []
  })
}

async function pathVocabulary(read: Read): Promise<Vocabulary> {
  const id = read.vocid ?? ''
  const vocabulary = await read.dependencies.registry.find(id)
  if (!vocabulary) throw new ApiError('EntityNotFoundError', `There is no vocabulary with the id ${quoted(id)}.`)
  return vocabulary
}

async function vocabulariesByUri(read: Read): Promise<Vocabulary[]> {
  const { schemes, subsets } = await read.dependencies.registry.scope(requireIris(read.parameters, 'uri'))
  return [...schemes, ...subsets]
}

function uriTerms(read: Read): SparqlTerm[] {
  return requireIris(read.parameters, 'uri').map(iri)
}

function list(
  read: Read,
  name: string,
  terms: Record<string, SparqlTerm[]>,
  { isLong = false } = {},
): Promise<RecordList> {
  const { dependencies, page, view, signal } = read
  const question = { template: queryTemplate(name), terms, isLong }
  return listConcepts(dependencies, question, page, view, signal)
}

function term(name: string, make: () => SparqlTerm): SparqlTerm {
  try {
    return make()
  } catch (error) {
    throw error instanceof TermError ? malformed(`${name}: ${error.message}`) : error
  }
}
