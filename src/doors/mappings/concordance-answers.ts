import type { RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { quoted } from '../../base/unicode.ts'
import { readChoice, readIris, readList, type Parameters } from '../../interface/http/parameters.ts'
import { sendWhole } from '../../interface/http/send.ts'
import { creatorsOf, isCreator } from '../../graph/jskos/mapping.ts'
import { SSSOM, VOID } from '../../base/namespaces.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { FORMATS } from '../../interface/representations/formats.ts'
import { concordanceId, findConcordance, type ConcordanceRecord } from './concordance.ts'
import { CHOICES } from './parameters.ts'
import { readMappingPage, schemesNamed, type NamingContext } from './question.ts'
import { namingContext, type MappingDependencies, mappingsNamed } from './find-mappings.ts'
import { LIST_PARAMETERS, sending, slice } from './send-list.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import type { RecordList } from '../../interface/read/list.ts'
import type { ListRequest } from '../../interface/read/request.ts'

/** GET /concordances: the concordances that the parameters choose. */
export function concordances(dependencies: MappingDependencies): RequestHandler {
  const names = ['uri', 'fromScheme', 'toScheme', 'creator', 'mode', ...LIST_PARAMETERS]
  return sending(dependencies, names, async (parameters, signal) => {
    // A concordance that a command has just loaded counts at once.
    await dependencies.registry.fresh(signal)
    const context = await namingContext(dependencies)
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const isAny = readChoice(parameters, 'mode', CHOICES.mode) === 'or'
    const conditions = conditionsOf(parameters, context)
    const chosen = context.concordances.filter((entry) => {
      if (conditions.length === 0) return true
      return isAny ? conditions.some((fits) => fits(entry)) : conditions.every((fits) => fits(entry))
    })
    const records = await concordanceAnswers(dependencies, slice(chosen, page), signal)
    return { total: chosen.length, records: inOnePiece(records), page }
  })
}

type Condition = (entry: ConcordanceRecord) => boolean

function conditionsOf(parameters: Parameters, { vocabularies }: NamingContext): Condition[] {
  const [uris, creators] = [readList(parameters, 'uri'), readList(parameters, 'creator')]
  const ofScheme = (side: 'fromScheme' | 'toScheme'): Condition[] => {
    const wanted = readList(parameters, side).flatMap((name) => schemesNamed(name, vocabularies))
    const namesOf = ({ record }: ConcordanceRecord) => [record[side]?.uri ?? '', ...(record[side]?.notation ?? [])]
    return wanted.length === 0 ? [] : [(entry) => namesOf(entry).some((name) => wanted.includes(name))]
  }
  return [
    ...(uris.length === 0 ? [] : [(entry: ConcordanceRecord) => uris.some((uri) => findConcordance([entry], uri))]),
    ...ofScheme('fromScheme'),
    ...ofScheme('toScheme'),
    ...(creators.length === 0
      ? []
      : [({ record }: ConcordanceRecord) => creators.some((name) => isCreator(creatorsOf(record), name))]),
  ]
}

/** GET /concordances/{id}: one concordance, by notation or URI. */
export function concordance(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const id = (request.params['id'] as unknown as string[]).join('/')
    await sendWhole(request, response, dependencies, async (signal) => {
      const { concordances, baseUrl } = await namingContext(dependencies, [id])
      const entry = findConcordance(concordances, id) ?? findConcordance(concordances, `${baseUrl}concordances/${id}`)
      if (!entry) throw new ApiError('EntityNotFoundError', `There is no concordance with the id ${quoted(id)}.`)
      const [record] = await concordanceAnswers(dependencies, [entry], signal)
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
  return concordances.map((entry) => {
    const { graph, record } = entry
    const address = `${config.baseUrl}mappings?partOf=${encodeURIComponent(record.uri)}&download=`
    const distributions = DISTRIBUTIONS.map(([name, format, mimetype]) => ({
      download: address + name,
      format,
      mimetype,
    }))
    return {
      '@context': config.jskosContextUrl,
      type: [`${VOID}Linkset`],
      extent: String(sizes.get(graph) ?? 0),
      ...record,
      notation: record.notation ?? [concordanceId(entry)],
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

/**
 * The concordances with some URIs, identifiers, or addresses at this service.
 *
 * @throws the errors of the store and of the index.
 */
async function concordancesNamed(
  dependencies: MappingDependencies,
  uris: readonly string[],
  signal: AbortSignal,
): Promise<Record<string, unknown>[]> {
  const { concordances, baseUrl } = await namingContext(dependencies)
  const addressOf = (entry: ConcordanceRecord) => `${baseUrl}concordances/${encodeURIComponent(concordanceId(entry))}`
  const entries = uris.flatMap((uri) => {
    return findConcordance(concordances, uri) ?? concordances.find((entry) => addressOf(entry) === uri) ?? []
  })
  return concordanceAnswers(dependencies, [...new Set(entries)], signal)
}

/** Finds mappings and concordances by `uri` as well; they come after everything else. */
export function withMappings<Dependencies extends MappingDependencies>(
  findRecords: (dependencies: Dependencies, request: ListRequest) => Promise<RecordList>,
): (dependencies: Dependencies, request: ListRequest) => Promise<RecordList> {
  return async (dependencies, request) => {
    const list = await findRecords(dependencies, request)
    const { parameters, page, signal } = request
    if (!parameters.has('uri')) return list
    const { registry, config } = dependencies
    const given = readIris(parameters, 'uri')
    if (list.total >= given.length) return list
    const isLoaded = (await registry.concordances()).length > 0
    const uris = given.filter((uri) => isLoaded || uri.startsWith(`${config.baseUrl}mappings/`))
    if (uris.length === 0) return list
    const [mappings, concordances] = await Promise.all([
      mappingsNamed(dependencies, uris, signal),
      isLoaded ? concordancesNamed(dependencies, uris, signal) : [],
    ])
    // Like concepts and vocabularies, they are records with a URI and types.
    const more = [...mappings, ...concordances] as unknown as JskosRecord[]
    if (more.length === 0) return list
    const { total } = list
    const shown = more.slice(Math.max(0, page.offset - total), Math.max(0, page.offset + page.limit - total))
    return { ...list, total: total + more.length, records: followedBy(list.records, shown) }
  }
}

async function* followedBy(records: AsyncIterable<JskosRecord[]>, shown: JskosRecord[]): AsyncGenerator<JskosRecord[]> {
  yield* records
  if (shown.length > 0) yield shown
}
