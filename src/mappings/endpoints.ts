import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import type { Endpoint } from '../http/endpoint.ts'
import {
  malformed,
  queryOf,
  quoted,
  readList,
  readParameters,
  readWholeNumber,
  type Parameters,
} from '../http/parameters.ts'
import { beginAnswer, sendList, sendWhole, setPageHeaders, type ListAnswer, type Representation } from '../http/send.ts'
import {
  conceptsOf,
  creatorsOf,
  DEFAULT_MAPPING_TYPE,
  identifiersOf,
  isCreator,
  typeOf,
  type ConceptBundle,
  type MappedConcept,
  type Mapping,
} from '../jskos/mapping.ts'
import { SKOS, SSSOM, VOID } from '../namespaces.ts'
import { operation, PAGE } from '../openapi/operation.ts'
import { ref } from '../openapi/references.ts'
import { json, lines, MALFORMED, NOT_FOUND, NOT_MODIFIED, STORE_ERRORS, withOther } from '../openapi/responses.ts'
import { ancestors } from '../read/ancestors.ts'
import { data } from '../read/data.ts'
import type { AnswerDependencies } from '../read/dependencies.ts'
import { recordsIn } from '../read/list.ts'
import { changed, inOnePiece } from '../read/pieces.ts'
import { listRequest } from '../read/request.ts'
import { FORMATS } from '../representations/formats.ts'
import { chooseRepresentation, JSON_FORMATS } from '../representations/representations.ts'
import { recordsByUri } from '../reconcile/entities.ts'
import { EVERY_MAPPING, type FoundMapping, type MappingQuestion } from './index/mapping-reader.ts'
import type { SearchDependencies } from '../search/search.ts'
import { isAbsoluteIri } from '../sparql/grammar.ts'
import { namespacesOf, readNamespaces, spacesOf } from '../vocabularies/namespaces.ts'
import { EVERYTHING } from '../vocabularies/registry.ts'
import { concordanceId, concordanceRecords, findConcordance, type ConcordanceRecord } from './concordance.ts'
import type { IndexedMappings } from './indexed-mappings.ts'
import { isSssom, isTable, MAPPING_FORMATS, sssom } from './mapping-formats.ts'
import { mappingRecord, schemeOf, type MappingRecord } from './record.ts'
import { choice, CHOOSING, readMappingPage, readQuestion, schemesNamed, withoutBase, type Known } from './question.ts'
import { LABELLED, suggestedMappings } from './suggested.ts'
import type { MappingSet } from './sssom.ts'

/** The dependencies of the endpoints of mappings. */
export interface MappingDependencies extends SearchDependencies, AnswerDependencies {
  indexedMappings: IndexedMappings
}

/** Mappings that are read and written at a time. */
const PIECE = 1000

/** Suggested mappings in an answer without `limit`. */
const SUGGESTIONS_LIMIT = 10

const FORMAT = ['format', 'download']
const LIST = ['limit', 'offset', ...FORMAT]
/** The same mappings are the same set in whatever order. */
const NOT_CHOOSING = [...LIST, 'sort', 'order']

/** GET /mappings: the mappings that the parameters choose. */
function list(dependencies: MappingDependencies): RequestHandler {
  const namespaces = readNamespaces(dependencies.config.dataDir)
  const read: Reading = async (parameters, signal, representation) => {
    const known = await knownOf(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const question = readQuestion(parameters, page, known)
    const found = await findMappings(dependencies, question, signal, naming(dependencies, isTable(representation)))
    if (!isSssom(representation)) return { ...found, page }
    const spaces = spacesOf(known.vocabularies, namespaces)
    return { ...found, page, representation: sssom({ ...setOf(parameters, known), spaces }) }
  }
  return sending(dependencies, [...CHOOSING, ...LIST], read, MAPPING_FORMATS)
}

/** The set of mappings that parameters choose: a concordance, or what is at an address of this service. */
function setOf(parameters: Parameters, { concordances, baseUrl }: Known): Omit<MappingSet, 'spaces'> {
  const chosen = [...parameters].filter(([name]) => !NOT_CHOOSING.includes(name))
  const [name, ...others] = readList(parameters, 'partOf')
  const concordance = name !== undefined && others.length === 0 ? findConcordance(concordances, name) : undefined
  const { record } = concordance ?? {}
  const [license] = (record?.['license'] ?? []) as { uri?: string }[]
  const names = Object.values((record?.['prefLabel'] ?? {}) as Record<string, string>)
  const isWhole = concordance !== undefined && chosen.length === 1
  const query = new URLSearchParams(chosen).toString()
  return {
    id: isWhole ? concordance.record.uri : `${baseUrl}mappings${query === '' ? '' : `?${query}`}`,
    title: isWhole ? names[0] : undefined,
    license: license?.uri,
  }
}

/** GET /mappings/{id}: one mapping. */
function one(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params['id'])
    await sendWhole(request, response, dependencies, async (signal) => {
      const asked = { ...EVERY_MAPPING, identifier: [id], page: { limit: 1, offset: 0 } }
      const [found] = await recordsIn(await findMappings(dependencies, asked, signal, naming(dependencies)))
      if (!found) throw new ApiError('EntityNotFoundError', `There is no mapping with the id ${quoted(id)}.`)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return JSON.stringify(found)
    })
  }
}

/** GET /mappings/voc: the vocabularies that mappings lead from and to, with their numbers. */
function schemes(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, [...CHOOSING, ...LIST], async (parameters, signal) => {
    const known = await knownOf(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const counts = await dependencies.indexedMappings.schemes(readQuestion(parameters, page, known, 'or'), signal)
    const records = counts.map(([uri, fromCount, toCount]) => {
      const scheme = schemeOf(uri, known.vocabularies)
      const context = { '@context': dependencies.config.jskosContextUrl, type: [`${SKOS}ConceptScheme`] }
      return { ...context, ...scheme, fromCount, toCount }
    })
    return { total: records.length, records: inOnePiece(slice(records, page)), page }
  })
}

/** GET /mappings/suggest: notations of mapped concepts that begin like a text, as OpenSearch suggestions. */
function suggest(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['search', 'voc', 'limit', 'offset'])
    await sendWhole(request, response, dependencies, async (signal) => {
      const page = readMappingPage(parameters, dependencies.config.maxLimit)
      const search = parameters.get('search') ?? ''
      const vocabularies = await dependencies.registry.list()
      const voc = readList(parameters, 'voc').flatMap((name) => schemesNamed(name, vocabularies))
      const found =
        search === ''
          ? []
          : await dependencies.indexedMappings.notations(search, voc.length > 0 ? voc : undefined, signal)
      const shown = slice(found, page)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      setPageHeaders(request, response, { total: found.length, page }, dependencies.config.baseUrl)
      return JSON.stringify([search, shown.map(([notation]) => notation), shown.map(([, number]) => number), []])
    })
  }
}

/**
 * GET /mappings/infer: the mappings of a concept, or, if it has none, those that follow from the mappings of the nearest concept above
 * it that has some. If that one has an exactMatch, the concept has a narrowMatch, as JSKOS servers say it.
 */
function infer(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, [...CHOOSING, ...LIST, 'strict', 'depth'], async (parameters, signal) => {
    if (parameters.has('to')) throw malformed('to: expected no such parameter at /mappings/infer')
    choice(parameters, 'direction', ['forward'], 'forward')
    const known = await knownOf(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const question = { ...readQuestion(parameters, page, known), isSingle: true }
    const isStrict = ['true', '1'].includes(parameters.get('strict') ?? '')
    const depth = readWholeNumber(parameters, 'depth') ?? Infinity
    if (!question.from || !question.fromScheme) return { total: 0, records: inOnePiece([]), page }
    const schemes = ownUris(readList(parameters, 'fromScheme'), known)
    const concept = await inferredFor(dependencies, question.from[0]!, schemes, known, signal)
    const asked = { ...question, from: [...new Set([...question.from, ...(concept ? [concept.uri] : [])])] }
    const own = await findMappings(dependencies, asked, signal)
    if (own.total > 0 || depth === 0) return { ...own, page }
    const types = inferringTypes(asked.types, isStrict)
    const above = types.length > 0 && concept ? await conceptsAbove(dependencies, concept.uri, schemes, signal) : []
    for (const uri of above.slice(0, depth)) {
      const { total, records } = await findMappings(dependencies, { ...asked, from: [uri], types }, signal)
      if (total === 0) continue
      return { total, records: inferred(records, concept!, isStrict), page }
    }
    return { total: 0, records: inOnePiece([]), page }
  })
}

/** The types of mappings of broader concepts from which mappings of some types follow. */
function inferringTypes(types: readonly string[] | undefined, isStrict: boolean): string[] {
  const isWanted = (type: string) => !types || types.includes(type)
  return [
    ...(isWanted(DEFAULT_MAPPING_TYPE) ? [DEFAULT_MAPPING_TYPE] : []),
    ...(isWanted(`${SKOS}narrowMatch`) ? [`${SKOS}exactMatch`, `${SKOS}narrowMatch`] : []),
    ...(isWanted(`${SKOS}narrowMatch`) && !isStrict ? [`${SKOS}closeMatch`] : []),
    ...(isWanted(`${SKOS}relatedMatch`) ? [`${SKOS}relatedMatch`] : []),
  ]
}

/** A concept with its URI. */
type KnownConcept = MappedConcept & { uri: string }

/** The vocabularies that have names, by the URI under which the store has them; unknown names stay. */
function ownUris(names: readonly string[], { vocabularies }: Known): string[] {
  return names.map((name) => schemesNamed(name, vocabularies)[0]!)
}

/**
 * The concept that mappings are inferred for, by its URI, by a notation in its vocabulary, or by what comes after the namespace of its
 * vocabulary, which other servers take for its notation; undefined if there is none.
 */
async function inferredFor(
  dependencies: MappingDependencies,
  name: string,
  schemes: readonly string[],
  { vocabularies }: Known,
  signal: AbortSignal,
): Promise<KnownConcept | undefined> {
  const first = async (chosen: Record<string, string>): Promise<KnownConcept | undefined> => {
    const asked = new Map(Object.entries({ ...chosen, voc: schemes.join('|'), properties: 'notation', limit: '1' }))
    const [found] = await recordsIn(
      await data(dependencies, await listRequest(dependencies, { parameters: asked, signal })),
    )
    return found && { uri: found.uri, ...(found.notation && { notation: found.notation }) }
  }
  if (isAbsoluteIri(name)) return (await first({ uri: name })) ?? { uri: name }
  const spaces = vocabularies.filter(({ uri }) => schemes.includes(uri)).flatMap(namespacesOf)
  const uris = spaces.map((start) => start + encodeURIComponent(name))
  return (await first({ notation: name })) ?? (uris.length > 0 ? first({ uri: uris.join('|') }) : undefined)
}

/** The URIs of the concepts above one, the nearest first. */
async function conceptsAbove(
  dependencies: MappingDependencies,
  uri: string,
  schemes: readonly string[],
  signal: AbortSignal,
): Promise<string[]> {
  const asked = new Map(Object.entries({ uri, voc: schemes.join('|'), properties: 'uri' }))
  const found = await ancestors(dependencies, await listRequest(dependencies, { parameters: asked, signal }))
  return (await recordsIn(found)).map((record) => record.uri)
}

/** Mappings of a concept that follow from those of a broader one. */
async function* inferred(
  records: AsyncIterable<MappingRecord[]>,
  from: KnownConcept,
  isStrict: boolean,
): AsyncGenerator<Record<string, unknown>[]> {
  for await (const piece of records) {
    yield piece.map(({ uri, fromScheme, to, toScheme, ...other }) => {
      const type = typeOf(other)
      const isEqual = type === `${SKOS}exactMatch` || (!isStrict && type === `${SKOS}closeMatch`)
      const mapping: Mapping = {
        from: { memberSet: [from] },
        ...(fromScheme && { fromScheme }),
        to,
        ...(toScheme && { toScheme }),
        type: [isEqual ? `${SKOS}narrowMatch` : type],
      }
      return { '@context': other['@context'], ...mapping, identifier: identifiersOf(mapping), source: [{ uri }] }
    })
  }
}

/** GET /mappings/suggest-for: new mappings that a concept may have, by its labels. */
function suggestFor(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, ['from', 'toScheme', ...LIST], async (parameters, signal) => {
    const uri = parameters.get('from')
    if (uri === undefined || !isAbsoluteIri(uri)) throw malformed('from: expected the URI of a concept')
    const page = readMappingPage(parameters, dependencies.config.maxLimit, SUGGESTIONS_LIMIT)
    const schemes = parameters.has('toScheme') ? readList(parameters, 'toScheme') : undefined
    const found = await suggestionsFor(dependencies, uri, schemes, signal)
    return { total: found.length, records: inOnePiece(slice(found, page)), page }
  })
}

/**
 * New mappings that a concept may have, by its labels, the best first.
 *
 * @param schemes URIs, other identifiers, ids or notations of vocabularies that they lead to; undefined: all others.
 * @throws ApiError EntityNotFoundError if there is no such concept, and the errors of the store and of the index.
 */
export async function suggestionsFor(
  dependencies: MappingDependencies,
  uri: string,
  schemes: readonly string[] | undefined,
  signal: AbortSignal,
): Promise<Mapping[]> {
  const request = await listRequest(dependencies, { parameters: new Map(), signal })
  const concept = (await recordsByUri(dependencies, request, [uri], LABELLED)).get(uri)
  if (!concept) throw new ApiError('EntityNotFoundError', 'from: there is no concept with this URI.')
  const scope = schemes ? await dependencies.registry.scope(ownUris(schemes, await knownOf(dependencies))) : EVERYTHING
  const mapped = new Set<string | undefined>()
  for (const { from, to } of await mappingsOf(dependencies, uri, signal)) {
    for (const one of [...conceptsOf(from), ...conceptsOf(to)]) mapped.add(one.uri)
  }
  return suggestedMappings(dependencies, request, concept, scope, (one) => !mapped.has(one))
}

/** GET /concordances: the concordances that the parameters choose. */
function concordances(dependencies: MappingDependencies): RequestHandler {
  const names = ['uri', 'fromScheme', 'toScheme', 'creator', 'mode', ...LIST]
  return sending(dependencies, names, async (parameters, signal) => {
    // A concordance that a command has just loaded counts at once.
    await dependencies.registry.fresh(signal)
    const known = await knownOf(dependencies)
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const isAny = choice(parameters, 'mode', ['and', 'or'], 'and') === 'or'
    const conditions = conditionsOf(parameters, known)
    const chosen = known.concordances.filter((one) => {
      if (conditions.length === 0) return true
      return isAny ? conditions.some((fits) => fits(one)) : conditions.every((fits) => fits(one))
    })
    const records = await concordanceAnswers(dependencies, slice(chosen, page), signal)
    return { total: chosen.length, records: inOnePiece(records), page }
  })
}

type Condition = (one: ConcordanceRecord) => boolean

function conditionsOf(parameters: Parameters, { vocabularies }: Known): Condition[] {
  const [uris, creators] = [readList(parameters, 'uri'), readList(parameters, 'creator')]
  const ofScheme = (side: 'fromScheme' | 'toScheme'): Condition[] => {
    const wanted = readList(parameters, side).flatMap((name) => schemesNamed(name, vocabularies))
    const namesOf = ({ record }: ConcordanceRecord) => [record[side]?.uri ?? '', ...(record[side]?.notation ?? [])]
    return wanted.length === 0 ? [] : [(one) => namesOf(one).some((name) => wanted.includes(name))]
  }
  return [
    ...(uris.length === 0 ? [] : [(one: ConcordanceRecord) => uris.some((uri) => findConcordance([one], uri))]),
    ...ofScheme('fromScheme'),
    ...ofScheme('toScheme'),
    ...(creators.length === 0
      ? []
      : [({ record }: ConcordanceRecord) => creators.some((name) => isCreator(creatorsOf(record), name))]),
  ]
}

/** GET /concordances/{id}: one concordance, by notation or URI. */
function concordance(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const id = (request.params['id'] as unknown as string[]).join('/')
    await sendWhole(request, response, dependencies, async (signal) => {
      const { concordances, baseUrl } = await knownOf(dependencies, [id])
      const found = findConcordance(concordances, id) ?? findConcordance(concordances, `${baseUrl}concordances/${id}`)
      if (!found) throw new ApiError('EntityNotFoundError', `There is no concordance with the id ${quoted(id)}.`)
      const [record] = await concordanceAnswers(dependencies, [found], signal)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return JSON.stringify(record)
    })
  }
}

/** Concordances with the number of their mappings, and where to have these. */
async function concordanceAnswers(
  { indexedMappings, config }: MappingDependencies,
  concordances: readonly ConcordanceRecord[],
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> {
  if (concordances.length === 0) return []
  const sizes = await indexedMappings.sizes(signal)
  return concordances.map((one) => {
    const { graph, record } = one
    const address = `${config.baseUrl}mappings?partOf=${encodeURIComponent(record.uri)}&download=`
    const distributions = DISTRIBUTIONS.map(([name, format, mimetype]) => ({
      download: address + name,
      format,
      mimetype,
    }))
    return {
      '@context': config.jskosContextUrl,
      type: [`${VOID}Linkset`],
      ...record,
      notation: record.notation ?? [concordanceId(one)],
      extent: String(sizes.get(graph) ?? 0),
      distributions: [...((record['distributions'] as unknown[] | undefined) ?? []), ...distributions],
    }
  })
}

const DISTRIBUTIONS = [
  ['ndjson', 'http://format.gbv.de/jskos', 'application/x-ndjson; charset=utf-8'],
  ['json', 'http://format.gbv.de/jskos', 'application/json; charset=utf-8'],
  ['csv', undefined, `${FORMATS.csv.mediaType}; charset=utf-8`],
  ['sssom', SSSOM, 'text/tab-separated-values; charset=utf-8'],
] as const

/** The mappings with some URIs: those of files, and their addresses at this service. */
export async function mappingsNamed(
  dependencies: Pick<MappingDependencies, 'registry' | 'index' | 'indexedMappings' | 'config'>,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  const identifier = uris.map((uri) => withoutBase(uri, dependencies.config.baseUrl))
  return allMappings(dependencies, { identifier }, signal)
}

/**
 * The concordances with some URIs, identifiers, or addresses at this service.
 *
 * @throws the errors of the store and of the index.
 */
export async function concordancesNamed(
  dependencies: MappingDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const { concordances, baseUrl } = await knownOf(dependencies)
  const addressOf = (one: ConcordanceRecord) => `${baseUrl}concordances/${encodeURIComponent(concordanceId(one))}`
  const found = uris.flatMap((uri) => {
    return findConcordance(concordances, uri) ?? concordances.find((one) => addressOf(one) === uri) ?? []
  })
  return concordanceAnswers(dependencies, [...new Set(found)], signal)
}

/**
 * The mappings from and to a concept, stated by vocabularies or loaded.
 *
 * @throws the errors of the store and of the index.
 */
export async function mappingsOf(
  dependencies: Pick<MappingDependencies, 'registry' | 'index' | 'indexedMappings' | 'config'>,
  uri: string,
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  return allMappings(dependencies, { from: [uri], direction: 'both' }, signal)
}

async function allMappings(
  dependencies: Pick<MappingDependencies, 'registry' | 'index' | 'indexedMappings' | 'config'>,
  restricted: Partial<MappingQuestion>,
  signal: AbortSignal,
): Promise<MappingRecord[]> {
  const question = { ...EVERY_MAPPING, ...restricted, page: { limit: Number.MAX_SAFE_INTEGER, offset: 0 } }
  return recordsIn(await findMappings(dependencies, question, signal))
}

/** The lists of names. @param names of concordances; the store is asked for those that nobody knows yet. */
async function knownOf(
  { registry, config }: Pick<MappingDependencies, 'registry' | 'config'>,
  names: readonly string[] = [],
): Promise<Known> {
  let vocabularies = await registry.list()
  let concordances = concordanceRecords(await registry.concordances())
  if (names.some((name) => name !== 'any' && name !== 'none' && !findConcordance(concordances, name))) {
    vocabularies = await registry.fresh()
    concordances = concordanceRecords(await registry.concordances())
  }
  return { vocabularies, concordances, baseUrl: config.baseUrl }
}

/** Gives the concepts of mappings the notations and labels that the store has. */
type Naming = (
  records: readonly MappingRecord[],
  found: readonly FoundMapping[],
  signal: AbortSignal,
) => Promise<MappingRecord[]>

/** @param isForTable true: loaded mappings, too, which otherwise come back to the letter. */
function naming(dependencies: MappingDependencies, isForTable = false): Naming {
  return async (records, found, signal) => {
    const isNamed = (nth: number) => !isForTable && found[nth]!.jskos !== null
    const membersOf = ({ from, to }: Mapping) => [...conceptsOf(from), ...conceptsOf(to)]
    const unnamed = records.flatMap((record, nth) => (isNamed(nth) ? [] : membersOf(record)))
    const uris = unnamed.flatMap(({ uri, prefLabel }) => (uri !== undefined && !prefLabel ? [uri] : []))
    if (uris.length === 0) return [...records]
    const request = await listRequest(dependencies, { parameters: new Map(), signal })
    const concepts = await recordsByUri(dependencies, request, uris, 'prefLabel,notation')
    const named = (one: MappedConcept | null): MappedConcept | null => {
      const concept = one?.uri === undefined ? undefined : concepts.get(one.uri)
      if (!concept) return one
      const { notation, prefLabel } = concept
      return { ...(notation && notation.length > 0 && { notation }), ...(prefLabel && { prefLabel }), ...one }
    }
    const side = (bundle: ConceptBundle): ConceptBundle =>
      Object.fromEntries(
        Object.entries(bundle).map(([name, value]) => [name, Array.isArray(value) ? value.map(named) : value]),
      )
    return records.map((record, nth) =>
      isNamed(nth) ? record : { ...record, from: side(record.from), to: side(record.to) },
    )
  }
}

/**
 * The mappings that a question finds, in pieces; they come from one state of the index, or the list breaks off.
 *
 * @param name completes the concepts of a piece; absent: they stay as they are.
 */
async function findMappings(
  {
    index,
    indexedMappings,
    registry,
    config,
  }: Pick<MappingDependencies, 'registry' | 'index' | 'indexedMappings' | 'config'>,
  question: MappingQuestion,
  signal: AbortSignal,
  name?: Naming,
): Promise<{ total: number; records: AsyncIterable<MappingRecord[]> }> {
  const view = { vocabularies: await registry.list(), baseUrl: config.baseUrl, contextUrl: config.jskosContextUrl }
  const { offset, limit } = question.page
  const read = (from: number) => {
    const page = { offset: from, limit: Math.min(PIECE, offset + limit - from) }
    return indexedMappings.find({ ...question, page }, signal)
  }
  const before = index.version
  const { total, mappings } = await read(offset)
  const end = Math.min(total, offset + limit)
  const recordsOf = async (found: readonly FoundMapping[]) => {
    const records = found.map((one) => mappingRecord(one, view))
    return name ? name(records, found, signal) : records
  }
  async function* pieces(): AsyncGenerator<MappingRecord[]> {
    yield await recordsOf(mappings)
    for (let from = offset + PIECE; from < end; from += PIECE) {
      const next = await read(from)
      if (index.version !== before) throw changed()
      yield await recordsOf(next.mappings)
    }
  }
  return { total, records: pieces() }
}

/** Finds what a request asks for. @param representation the format that the request accepts. */
type Reading = (
  parameters: Parameters,
  signal: AbortSignal,
  representation: Representation,
) => Promise<Pick<ListAnswer, 'total' | 'page' | 'records'> & { representation?: Representation }>

/** Sends a list of records, or a download of it. */
function sending(
  dependencies: MappingDependencies,
  names: readonly string[],
  read: Reading,
  formats = JSON_FORMATS,
): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), names)
    const representation = chooseRepresentation(formats, request, parameters)
    const [, name = 'mappings'] = request.path.split('/')
    const fileName = parameters.has('download') ? `${name}.${representation.extension}` : undefined
    const answer = await beginAnswer(request, response, dependencies)
    if (!answer) return
    try {
      const list = await read(parameters, answer.signal, representation)
      await sendList(answer, { representation, ...list, fileName, baseUrl: dependencies.config.baseUrl })
    } finally {
      answer.end()
    }
  }
}

function slice<Item>(items: readonly Item[], { limit, offset }: { limit: number; offset: number }): Item[] {
  return items.slice(offset, offset + limit)
}

const READING = { ...NOT_MODIFIED, ...MALFORMED, ...STORE_ERRORS }
const LIST_HEADERS = ['X-Total-Count', 'Link', 'ETag']
const records = (description: string, schema: string) =>
  withOther(json(description, { type: 'array', items: ref(schema) }, LIST_HEADERS), lines())
const TABLES = Object.fromEntries(
  MAPPING_FORMATS.flatMap(({ mediaType }) =>
    mediaType.startsWith('text/') ? [[mediaType, { schema: { type: 'string' } }]] : [],
  ),
)
const OF_MAPPINGS = [
  'mappingFrom',
  'mappingTo',
  'mappingFromScheme',
  'mappingToScheme',
  'mappingDirection',
  'mappingMode',
  'mappingType',
  'mappingIdentifier',
  'mappingPartOf',
  'mappingCreator',
  'mappingCardinality',
]
const SORTING = ['mappingSort', 'mappingOrder']
const FILES = [...PAGE, 'formatsFormat', 'mappingDownload']

/** The endpoints of mappings and concordances (docs/mappings.md). */
export const MAPPING_ENDPOINTS: readonly Endpoint<MappingDependencies>[] = [
  {
    path: '/mappings',
    statusName: 'mappings',
    get: {
      handler: list,
      operation: operation('Mappings', {
        id: 'getMappings',
        summary: 'Mappings that vocabularies state, and those of concordances',
        parameters: [...OF_MAPPINGS, ...SORTING, ...PAGE, 'mappingsFormat', 'mappingsDownload'],
        responses: { 200: withOther(records('The mappings', 'Mapping'), { ...lines(), ...TABLES }), ...READING },
      }),
    },
  },
  {
    path: '/mappings/voc',
    get: {
      handler: schemes,
      operation: operation('Mappings', {
        id: 'getMappingVocabularies',
        summary: 'Vocabularies that mappings lead from and to, with the numbers of mappings',
        parameters: [...OF_MAPPINGS, ...FILES],
        responses: { 200: records('The vocabularies', 'MappedVocabulary'), ...READING },
      }),
    },
  },
  {
    path: '/mappings/suggest',
    get: {
      handler: suggest,
      operation: operation('Mappings', {
        id: 'suggestMappings',
        summary: 'Notations of mapped concepts that begin like a text, with the numbers of mappings',
        parameters: ['mappingSearch', 'mappingVoc', ...PAGE],
        responses: { 200: json('The notations', ref('MappedNotations'), LIST_HEADERS), ...READING },
      }),
    },
  },
  {
    path: '/mappings/infer',
    get: {
      handler: infer,
      operation: operation('Mappings', {
        id: 'inferMappings',
        summary: 'Mappings of a concept, or those that follow from the mappings of the concepts above it',
        parameters: [
          ...OF_MAPPINGS.filter((name) => name !== 'mappingTo'),
          ...SORTING,
          ...FILES,
          'inferStrict',
          'inferDepth',
        ],
        responses: { 200: records('The mappings', 'Mapping'), ...READING },
      }),
    },
  },
  {
    path: '/mappings/suggest-for',
    get: {
      handler: suggestFor,
      operation: operation('Mappings', {
        id: 'suggestMappingsFor',
        summary: 'New mappings that a concept may have, found by its labels; nobody has stated them',
        parameters: ['suggestForFrom', 'suggestForScheme', ...FILES],
        responses: { 200: records('The mappings, the best first', 'Mapping'), ...READING, ...NOT_FOUND },
      }),
    },
  },
  {
    path: '/mappings/:id',
    get: {
      handler: one,
      operation: operation('Mappings', {
        id: 'getMapping',
        summary: 'One mapping',
        parameters: ['mappingId'],
        responses: { 200: json('The mapping', ref('Mapping')), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
  {
    path: '/concordances',
    statusName: 'concordances',
    get: {
      handler: concordances,
      operation: operation('Mappings', {
        id: 'getConcordances',
        summary: 'Concordances, with the numbers of their mappings',
        parameters: [
          'concordanceUri',
          'mappingFromScheme',
          'mappingToScheme',
          'mappingCreator',
          'mappingMode',
          ...FILES,
        ],
        responses: { 200: records('The concordances', 'Concordance'), ...READING },
      }),
    },
  },
  {
    path: '/concordances/*id',
    get: {
      handler: concordance,
      operation: operation('Mappings', {
        id: 'getConcordance',
        summary: 'One concordance',
        parameters: ['concordanceId'],
        responses: { 200: json('The concordance', ref('Concordance')), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
]
