import type { Request, RequestHandler } from 'express'
import type { Config } from '../config.ts'
import { ApiError } from '../errors.ts'
import { REPLACED_HEADER, replacedHeader } from '../http/headers.ts'
import { queryOf, readParameters, type Parameters } from '../http/parameters.ts'
import { sendList, type Representation } from '../http/send.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { queryTemplate } from '../sparql/queries.ts'
import type { TemplateName } from '../sparql/template-names.ts'
import type { Bindings, Terms } from '../sparql/templates.ts'
import { describedConcepts, type Described, type ReadDependencies } from './describe.ts'
import { readGraph } from './graph.ts'
import type { ConceptSet } from './concept-query.ts'
import { countConcepts, longList, nothing, ONE_REQUEST, type RecordList } from './list.ts'
import { COMMON_PARAMETERS, PARAMETERS } from './parameters.ts'
import { inPieces, LARGEST_PIECE, once } from './pieces.ts'
import { chooseRepresentation, REPRESENTATIONS } from './representations.ts'
import { listRequest, type ListDefaults, type ListRequest, type View } from './request.ts'
import { scopeTerms, toTerms } from './terms.ts'

/** One endpoint that answers with records. */
export interface ReadEndpoint<Dependencies extends ReadDependencies = ReadDependencies> extends ListDefaults {
  /** The template of `queries/` that selects the records. Its `#+` lines describe the endpoint. */
  template: TemplateName
  /** Finds the records; by default the concepts that the template selects. */
  find?: FindRecords<Dependencies>
  /** Parameters besides the common ones. */
  parameters?: readonly (keyof typeof PARAMETERS)[]
  /** Tells the client what takes the store less time, after the message that it did not answer in time. */
  advice?: string
  /** A format that only this endpoint has; it takes precedence over `Accept`. */
  representation?: (request: ListRequest) => Representation | undefined
}

/** Finds the list of records for a request. */
export type FindRecords<Dependencies extends ReadDependencies = ReadDependencies> = (
  dependencies: Dependencies,
  request: ListRequest,
) => Promise<RecordList>

/**
 * The steps of every GET: parameters -> terms -> template -> request -> graph -> records -> answer. The first and the
 * last step are here, the others in `listConcepts` and `describeConcepts`.
 */
export function readEndpoint<Dependencies extends ReadDependencies & { config: Config }>(
  dependencies: Dependencies,
  endpoint: ReadEndpoint<Dependencies>,
): RequestHandler {
  const { parameters: own = [] } = endpoint
  const known = [...Object.keys(COMMON_PARAMETERS), ...own.map((key) => PARAMETERS[key].name)]
  return async (http, response) => {
    response.vary('Accept')
    const parameters = readParameters(queryOf(http), known)
    const accepted = representationOf(http, parameters)
    await sendList(http, response, { ...dependencies, representation: accepted }, async (signal) => {
      const vocid = typeof http.params['vocid'] === 'string' ? http.params['vocid'] : undefined
      const request = await listRequest(dependencies, { parameters, vocid, signal }, endpoint)
      const found = findRecords(dependencies, endpoint, request)
      const { name, replaced, ...list } = await found.catch((error: unknown) => advise(error, endpoint.advice))
      if (parameters.has('language')) response.setHeader('Content-Language', request.view.preferred[0]!)
      if (replaced) response.setHeader(REPLACED_HEADER, replacedHeader(replaced))
      const representation = endpoint.representation?.(request) ?? accepted
      const fileName = parameters.has('download') ? `${name ?? 'concepts'}.${representation.extension}` : undefined
      return { page: request.page, ...list, representation, fileName }
    })
  }
}

/** The list of records that an endpoint finds for a request. */
export function findRecords<Dependencies extends ReadDependencies>(
  dependencies: Dependencies,
  { find, template }: ReadEndpoint<Dependencies>,
  request: ListRequest,
): Promise<RecordList> {
  return find ? find(dependencies, request) : listConcepts(dependencies, { template }, request)
}

function advise(error: unknown, advice: string | undefined): never {
  if (!advice || !(error instanceof ApiError) || error.name !== 'TimeoutError') throw error
  throw new ApiError('TimeoutError', `${error.message} ${advice}`, { cause: error })
}

/** The format of the answer: from `download` or `format`, else from `Accept`. */
function representationOf(request: Request, parameters: Parameters): Representation {
  const name = ['download', 'format'].find((one) => parameters.has(one))
  const format = name === undefined ? undefined : { name, value: parameters.get(name)! }
  return chooseRepresentation(REPRESENTATIONS, request, format)
}

/** The concepts that a template selects. */
export interface TemplateSelection {
  template: TemplateName
  /** Terms besides those of the parameters. */
  terms?: Terms
  /** True if finding the concepts takes longer than describing them; the service then finds them only once. */
  isLong?: true
}

/**
 * Steps 2 and 3: one page of the concepts that a template selects, in the order of records. A list up to `ONE_REQUEST` takes
 * one request to the store.
 */
export async function listConcepts(
  dependencies: ReadDependencies,
  selection: TemplateSelection,
  { parameters, view, page, signal }: ListRequest,
): Promise<RecordList> {
  const template = queryTemplate(selection.template)
  const terms: Terms = { ...toTerms(template, parameters), scope: scopeTerms(view.scope), ...selection.terms }
  // A slot without terms selects nothing, for instance for an unknown vocabulary.
  if (Object.values(terms).some((list) => list?.length === 0)) return nothing()
  const select = (order: Omit<Bindings, 'terms'>) => template.bindSubselect({ terms, ...order })
  const ordered = (limit: number) => ({ include: ['order', 'page'], limit, offset: page.offset })

  const count = () => countConcepts(dependencies, select({}), selection, signal)
  if (page.limit === 0) return { total: await count(), records: once([]) }
  // The store need not put a whole list in order; the service does so when it has the records.
  const whole = select({ include: ['page'], limit: ONE_REQUEST, offset: 0 })
  if (!selection.isLong && page.offset === 0 && page.limit > ONE_REQUEST) {
    const { state, counts } = dependencies
    const before = await state.recent(signal)
    if (counts.peek(whole.text, before) === undefined) {
      const described = await describeConcepts(dependencies, { select: whole }, view, signal)
      const total = described.length
      if (total < ONE_REQUEST) return { total, records: once(described.map(({ record }) => record)) }
      counts.keep(whole.text, total, before)
    }
  }
  // To describe ancestors, the store has to find the concepts a second time.
  const isTwiceAsLong = selection.isLong && view.properties.has('ancestors')
  if (page.limit <= ONE_REQUEST && !isTwiceAsLong) {
    const counting = selection.isLong ? count() : undefined
    // Awaited below, if at all.
    counting?.catch(() => undefined)
    const shown = { select: select(ordered(page.limit)), isLong: selection.isLong }
    const records = (await describeConcepts(dependencies, shown, view, signal)).map(({ record }) => record)
    const isEnd = records.length < page.limit && (records.length > 0 || page.offset === 0)
    const total = isEnd ? page.offset + records.length : await (counting ?? count())
    return { total, records: once(records) }
  }
  return longList(dependencies, page, signal, {
    select: template.bind({ terms, ...ordered(page.limit) }),
    count,
    describe: (uris) => describeInOrder(dependencies, uris, view, signal),
  })
}

/**
 * Steps 3 to 6: the concepts of a set as records, in the order of records. The set goes into
 * queries/describe/concept.rq, which describes the concepts. One request to the store (`descendants` needs more) gives
 * a graph; framing gives it the form of JSON-LD, and src/jskos/record.ts turns that into JSKOS.
 *
 * @param also properties of the concepts besides those that the view shows.
 */
export async function describeConcepts(
  dependencies: ReadDependencies,
  set: ConceptSet,
  view: View,
  signal: AbortSignal | undefined,
  also: readonly string[] = [],
): Promise<Described[]> {
  if ('uris' in set && set.uris.length === 0) return []
  const graph = await readGraph(dependencies, set, view, signal, also)
  return describedConcepts(dependencies, graph, view, signal, 'uris' in set ? new Set(set.uris) : undefined)
}

const PORTION = { size: LARGEST_PIECE, ahead: 1 }

/** The concepts with these URIs in the given order, without those that the store does not have. */
export function describeInOrder(
  dependencies: ReadDependencies,
  uris: readonly string[],
  view: View,
  signal: AbortSignal | undefined,
): AsyncGenerator<JskosRecord[]> {
  const describe = async (piece: readonly string[]) => {
    const described = await describeConcepts(dependencies, { uris: piece }, view, signal)
    const position = new Map(piece.map((uri, index) => [uri, index]))
    return described.sort((a, b) => position.get(a.uri)! - position.get(b.uri)!).map(({ record }) => record)
  }
  return inPieces(uris, PORTION, describe, signal)
}
