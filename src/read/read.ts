import type { Request, RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import {
  queryOf,
  readLanguages,
  readNamesOrIris,
  readPage,
  readParameters,
  type Page,
  type Parameters,
} from '../http/parameters.ts'
import { sendList, type Representation } from '../http/send.ts'
import { CLASS_DEFAULT, CONCEPT_DEFAULT, readProperties, SCHEME_DEFAULT } from '../jskos/properties.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { Graph } from '../sparql/ntriples.ts'
import type { Bindings, BoundSelect, Terms } from '../sparql/templates.ts'
import { iri } from '../sparql/terms.ts'
import { describedConcepts, describeBindings, type Described, type ReadDependencies, type View } from './describe.ts'
import { countConcepts, longList, nothing, ONE_REQUEST, type RecordList } from './list.ts'
import { COMMON_PARAMETERS, PARAMETERS } from './parameters.ts'
import { inPieces, once, patiently } from './pieces.ts'
import { chooseRepresentation, REPRESENTATIONS } from './representations.ts'
import { scopeTerms, toTerms } from './terms.ts'

/** One endpoint that answers with records. */
export interface ReadEndpoint<Dependencies extends ReadDependencies = ReadDependencies> {
  /** The template of `queries/` that selects the records. Its `#+` lines describe the endpoint. */
  template: string
  /** Finds the records; by default the concepts that the template selects. */
  handler?: ReadHandler<Dependencies>
  /** Parameters besides the common ones. */
  parameters?: readonly (keyof typeof PARAMETERS)[]
  /** The kind of the records; concepts by default. */
  records?: keyof typeof DEFAULTS
  /** The number of records if the request gives no limit; MAX_LIMIT by default. */
  limit?: number
  /** True if finding the records takes longer than describing them; the service then finds them only once. */
  isLong?: true
  /** A format that only this endpoint has; it takes precedence over `Accept`. */
  representation?: (read: Read<Dependencies>) => Representation | undefined
}

/** Finds the list of records for a request. */
export type ReadHandler<Dependencies extends ReadDependencies = ReadDependencies> = (
  read: Read<Dependencies>,
) => Promise<RecordList>

/** A read request with its parameters. */
export interface Read<Dependencies extends ReadDependencies = ReadDependencies> {
  dependencies: Dependencies
  endpoint: Pick<ReadEndpoint, 'template' | 'isLong'>
  parameters: Parameters
  /** `{vocid}` of the path. */
  vocid: string | undefined
  page: Page
  view: View
  /** MAX_LIMIT. */
  maxLimit: number
  /** Aborted when the client goes away. */
  signal: AbortSignal
}

/** The fields of records without `properties`. */
const DEFAULTS = { Concept: CONCEPT_DEFAULT, Vocabulary: SCHEME_DEFAULT, Class: CLASS_DEFAULT }

/**
 * The steps of every GET: parameters -> terms -> template -> request -> graph -> records -> answer. The first and the
 * last step are here, the others in `listConcepts` and `describeConcepts`.
 */
export function readEndpoint<Dependencies extends ReadDependencies>(
  dependencies: Dependencies,
  config: Config,
  endpoint: ReadEndpoint<Dependencies>,
): RequestHandler {
  const { handler = listConcepts, parameters: own = [] } = endpoint
  const known = [...Object.keys(COMMON_PARAMETERS), ...own.map((key) => PARAMETERS[key].name)]
  return async (request, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(request), known)
    const representation = representationOf(request, parameters)
    await sendList(request, response, { ...dependencies, config, representation }, async (signal) => {
      const vocid = typeof request.params['vocid'] === 'string' ? request.params['vocid'] : undefined
      const read = await createRead(dependencies, config, { parameters, vocid }, endpoint, signal)
      const { name, ...list } = await (endpoint.isLong ? handler(read).catch(adviseShorter) : handler(read))
      if (parameters.has('language')) response.setHeader('Content-Language', read.view.preferred[0]!)
      const chosen = endpoint.representation?.(read) ?? representation
      const fileName = parameters.has('download') ? `${name ?? 'concepts'}.${chosen.extension}` : undefined
      return { page: read.page, ...list, representation: chosen, fileName }
    })
  }
}

/** Tells the client of a list that may be too long for the store what takes less time. */
function adviseShorter(error: unknown): never {
  if (!(error instanceof ApiError) || error.name !== 'TimeoutError') throw error
  const advice = 'If this list is very long, ask for /voc/concepts of the vocabulary, or below a narrower concept.'
  throw new ApiError('TimeoutError', `${error.message} ${advice}`, { cause: error })
}

/**
 * Step 1: reads the parameters.
 *
 * @throws ApiError MalformedRequestError naming the wrong parameter.
 */
export async function createRead<Dependencies extends ReadDependencies>(
  dependencies: Dependencies,
  config: Config,
  { parameters, vocid }: Pick<Read, 'parameters' | 'vocid'>,
  endpoint: ReadEndpoint<Dependencies>,
  signal: AbortSignal,
): Promise<Read<Dependencies>> {
  const { records = 'Concept', limit } = endpoint
  // A download has all records, because MAX_LIMIT only bounds answers for display.
  const maximum = parameters.has('download') ? Number.MAX_SAFE_INTEGER : config.maxLimit
  const page = readPage(parameters, maximum, limit === undefined ? maximum : Math.min(limit, maximum))
  return {
    dependencies,
    endpoint,
    parameters,
    vocid,
    page,
    maxLimit: config.maxLimit,
    signal,
    view: {
      properties: readProperties(parameters.get('properties'), DEFAULTS[records]),
      languages: readLanguages(parameters, 'languages'),
      preferred: [...new Set([...(readLanguages(parameters, 'language') ?? []), ...config.defaultLanguages])],
      scope: await dependencies.registry.scope(readNamesOrIris(parameters, 'voc')),
      contextUrl: config.jskosContextUrl,
    },
  }
}

/** The format of the answer: from `download` or `format`, else from `Accept`. */
function representationOf(request: Request, parameters: Parameters): Representation {
  const name = ['download', 'format'].find((one) => parameters.has(one))
  const format = name === undefined ? undefined : { name, value: parameters.get(name)! }
  return chooseRepresentation(REPRESENTATIONS, request, format)
}

/**
 * Steps 2 and 3: one page of the concepts that the template of the endpoint selects, in the order of records. A list up
 * to `ONE_REQUEST` takes one request to the store.
 *
 * @param more terms besides those of the parameters.
 */
export async function listConcepts(read: Read, more: Terms = {}): Promise<RecordList> {
  const { dependencies, endpoint, view, page, signal } = read
  const template = queryTemplate(endpoint.template)
  const terms: Terms = { ...toTerms(template, read.parameters), scope: scopeTerms(view.scope), ...more }
  // A slot without terms selects nothing, for instance for an unknown vocabulary.
  if (Object.values(terms).some((list) => list?.length === 0)) return nothing()
  const all: Bindings = { terms }
  const ordered = (limit: number): Bindings => ({ terms, include: ['order'], limit, offset: page.offset })

  const count = () => countConcepts(dependencies, template.bindSubselect(all), endpoint, signal)
  if (page.limit === 0) return { total: await count(), records: once([]) }
  // To describe ancestors, the store has to find the concepts a second time.
  const isTwiceAsLong = endpoint.isLong && view.properties.has('ancestors')
  if (!endpoint.isLong || (page.limit <= ONE_REQUEST && !isTwiceAsLong)) {
    const counting = endpoint.isLong ? count() : undefined
    // Awaited below, if at all.
    counting?.catch(() => undefined)
    const limit = Math.min(page.limit, ONE_REQUEST)
    const select = template.bindSubselect(ordered(limit))
    const records = (await describeConcepts(dependencies, { select }, view, signal)).map(({ record }) => record)
    const isEnd = records.length < limit && (records.length > 0 || page.offset === 0)
    if (isEnd) return { total: page.offset + records.length, records: once(records) }
    if (page.limit <= ONE_REQUEST) return { total: await (counting ?? count()), records: once(records) }
  }
  return longList(dependencies, page, signal, {
    select: { query: template.bind(ordered(page.limit)), name: endpoint.template },
    count,
    describe: (uris) => describeInOrder(dependencies, uris, view, signal),
  })
}

/** The concepts to describe: their URIs, or a SELECT of them. */
export type Selection = { uris: readonly string[] } | { select: BoundSelect }

/**
 * Steps 3 to 6: the concepts of a selection as records, in the order of records. The selection goes into
 * queries/describe/concept.rq, which describes the concepts. One request to the store (`descendants` needs more) gives
 * a graph; framing gives it the form of JSON-LD, and src/jskos/record.ts turns that into JSKOS.
 *
 * @param withHierarchy true: also fetch the hierarchy that chains of ancestors are chosen from.
 */
export async function describeConcepts(
  dependencies: ReadDependencies,
  selection: Selection,
  view: View,
  signal: AbortSignal | undefined,
  withHierarchy = false,
): Promise<Described[]> {
  if ('uris' in selection && selection.uris.length === 0) return []
  const graph = await describingGraph(dependencies, selection, view, signal, { withHierarchy })
  return describedConcepts(dependencies, graph, view, signal)
}

/**
 * The graph that `describedConcepts` makes records of.
 *
 * @param more terms besides those of the view.
 */
export async function describingGraph(
  { client }: ReadDependencies,
  selection: Selection,
  view: View,
  signal: AbortSignal | undefined,
  { withHierarchy = false, more = {} }: { withHierarchy?: boolean; more?: Terms },
): Promise<Graph> {
  const bindings = describeBindings(view, withHierarchy)
  const { include } = bindings
  const terms = { ...bindings.terms, ...more }
  const query = queryTemplate('describe/concept').bind(
    'uris' in selection
      ? { terms: { ...terms, c: selection.uris.map(iri) }, include }
      : { terms, include, subselect: { slot: 'c', select: selection.select } },
  )
  return client.construct(query, { template: 'describe/concept', signal })
}

const PORTION = { size: 100, ahead: 1 }

/** The concepts with these URIs in the given order, without those that the store does not have. */
export function describeInOrder(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  return inPieces(uris, PORTION, async (piece) => {
    const described = await patiently(() => describeConcepts(dependencies, { uris: piece }, view, signal), signal)
    const position = new Map(piece.map((uri, index) => [uri, index]))
    return described.sort((a, b) => position.get(a.uri)! - position.get(b.uri)!).map(({ record }) => record)
  })
}
