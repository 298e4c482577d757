import type { Request, RequestHandler } from 'express'
import type { Config } from '../../config.ts'
import { ApiError } from '../../base/errors.ts'
import { acceptedMediaType } from '../../interface/http/headers.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { sendFixed, sendWhole } from '../../interface/http/send.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import type { AnswerDependencies } from '../../interface/read/dependencies.ts'
import { AS, COLLECTION, CONCEPT, CONCEPT_SCHEME, EMM, LDES, RDF, TREE, XSD } from '../../base/namespaces.ts'
import { findFollowed, requireHistory, type FollowedVocabulary } from './followed-vocabulary.ts'
import type { History } from './history.ts'
import { classOf } from './listed-class.ts'
import type { Change, LoggedGraph } from './log/change.ts'
import type { HistoryDependencies } from './past.ts'

/**
 * Changes as activities, for programs that follow them: Entity Metadata Management 1.0, which uses ActivityStreams 2.0,
 * and on the same pages Linked Data Event Streams 1.0, which uses TREE (docs/history.md, "History").
 */

/** Activities on a page. Complete pages are immutable, so never change this number. */
const PAGE = 250
/** Cache-Control of a complete page: a year is the longest time that caches count. */
const WHOLE = 'public, max-age=31536000, immutable'
/** Cache-Control of the newest page and of the collection. */
const NEWEST = 'public, max-age=60'

/** The formats. The first two name contexts that nobody needs to fetch; JSON-LD names only ours. */
const FORMS = ['application/json', 'application/activity+json', 'application/ld+json'] as const
export const CONTEXT_PATH = 'activity/context.json'
/** Section 2.2 of Entity Metadata Management. */
const CONTEXTS = ['https://www.w3.org/ns/activitystreams', 'https://emm-spec.org/1.0/context.json']

const link = (id: string) => ({ '@id': id, '@type': '@id' })
const number = (id: string) => ({ '@id': id, '@type': 'xsd:nonNegativeInteger' })
const time = (id: string) => ({ '@id': id, '@type': 'xsd:dateTime' })
const same = (names: readonly string[], define: (id: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, define(name)]))
const ofActivityStreams = (names: readonly string[], define: (id: string) => unknown) =>
  Object.fromEntries(names.map((name) => [name, define(`as:${name}`)]))

/** The description of an event stream (LDES 1.0, "Context information"). */
export const STREAM = {
  'ldes:timestampPath': 'as:published',
  'ldes:versionOfPath': 'as:object',
  'ldes:versionCreateObject': ['as:Create', 'as:Add'],
  'ldes:versionUpdateObject': ['as:Update', 'emm:Deprecate'],
  'ldes:versionDeleteObject': ['as:Delete', 'as:Remove'],
} as const

/** The JSON-LD context of collection and pages: their terms of all specifications. */
const CONTEXT = {
  '@context': {
    id: '@id',
    type: '@type',
    as: AS,
    emm: EMM,
    ldes: LDES,
    tree: TREE,
    rdf: RDF,
    xsd: XSD,
    ...ofActivityStreams(['OrderedCollection', 'OrderedCollectionPage'], String),
    ...ofActivityStreams(['Create', 'Add', 'Update', 'Delete', 'Remove', 'summary'], String),
    Deprecate: 'emm:Deprecate',
    ...ofActivityStreams(['first', 'last', 'prev', 'next', 'partOf', 'object', 'url'], link),
    ...ofActivityStreams(['totalItems', 'startIndex'], number),
    ...ofActivityStreams(['published', 'updated'], time),
    orderedItems: { '@id': 'as:items', '@type': '@id', '@container': '@list' },
    ...same(['rdf:type', 'tree:view', 'tree:member', 'tree:relation', 'tree:node', 'tree:path'], link),
    ...same(Object.keys(STREAM), link),
    'tree:value': time('tree:value'),
  },
}

/** The dependencies of the endpoints of the history. */
export type FollowDependencies = HistoryDependencies & AnswerDependencies

function sendsActivity(
  make: (asked: FeedRequest) => Promise<Made>,
): (dependencies: FollowDependencies) => RequestHandler {
  return (dependencies) => async (request, response) => {
    const { config } = dependencies
    response.vary('Accept')
    const history = requireHistory(dependencies)
    const mediaType = formOf(request)
    const followed = await findFollowed(dependencies, String(request.params['vocid']))
    // A 304 needs this header too.
    const logged = await history.log.graph(followed.uri)
    const asked = { history, config, followed, logged, request }
    response.setHeader('Cache-Control', logged && isWhole(logged, pageNumber(request)) ? WHOLE : NEWEST)
    await sendWhole(request, response, { ...dependencies, config }, async () => {
      const { cacheControl, ...document } = await make(asked)
      response.setHeader('Cache-Control', cacheControl)
      response.setHeader('Content-Type', mediaType)
      const contextUrl = config.baseUrl + CONTEXT_PATH
      return JSON.stringify({
        '@context': mediaType === FORMS[2] ? contextUrl : [contextUrl, ...CONTEXTS],
        ...document,
      })
    })
  }
}

/** GET /voc/{vocid}/activity: the entry point (Entity Metadata Management, section 3.1; ldes:EventStream). */
export const activityCollection = sendsActivity(collection)

/** GET /voc/{vocid}/activity/page/{page}: a change set (Entity Metadata Management, section 3.2; tree:Node). */
export const activityPage = sendsActivity(page)

/** GET /activity/context.json: the JSON-LD context of activities. */
export function activityContext(): RequestHandler {
  return sendFixed('application/ld+json', JSON.stringify(CONTEXT))
}

interface FeedRequest {
  history: History
  config: Config
  followed: FollowedVocabulary
  /** Its graph in the log; the store may be ahead. */
  logged: LoggedGraph | undefined
  request: Request
}

type Made = Record<string, unknown> & { cacheControl: string }

function formOf(request: Request): (typeof FORMS)[number] {
  return FORMS.find((form) => form === acceptedMediaType(request.headers.accept, FORMS)) ?? FORMS[0]
}

async function collection({ history, config, followed }: FeedRequest): Promise<Made> {
  const { uri, id } = followed
  const graph = await history.followGraph(uri)
  const changes = graph?.changes ?? 0
  const vocabulary = addressOf(config, id)
  return {
    cacheControl: NEWEST,
    ...streamOf(vocabulary),
    summary: `Changes in ${nameOf(followed, config.defaultLanguages)}`,
    url: withQuery(`${vocabulary}/export`, { format: 'ntriples' }),
    first: pageLink(vocabulary, 1),
    last: pageLink(vocabulary, lastPage(changes)),
    totalItems: changes,
  }
}

async function page({ history, config, followed, logged, request }: FeedRequest): Promise<Made> {
  const number = pageNumber(request)
  const graph = logged && isWhole(logged, number) ? logged : await history.followGraph(followed.uri)
  const last = lastPage(graph?.changes ?? 0)
  if (!(number >= 1 && number <= last)) {
    throw new ApiError('EntityNotFoundError', `page: expected a number from 1 to ${last}.`)
  }
  const vocabulary = addressOf(config, followed.id)
  const start = (number - 1) * PAGE
  const changes = graph ? await history.log.page(graph, start, start + PAGE) : []
  const activities = []
  for (const change of changes) activities.push(await activity(vocabulary, change, history))
  const hasNext = number < last
  return {
    cacheControl: hasNext ? WHOLE : NEWEST,
    ...pageLink(vocabulary, number),
    'rdf:type': 'tree:Node',
    partOf: { ...streamOf(vocabulary), 'tree:member': activities.map(({ id }) => id) },
    startIndex: start,
    totalItems: activities.length,
    ...(number > 1 ? { prev: pageLink(vocabulary, number - 1) } : {}),
    ...(hasNext ? { next: pageLink(vocabulary, number + 1) } : {}),
    'tree:relation': hasNext ? [nextPageRelation(pageAddress(vocabulary, number + 1), changes.at(-1)?.time)] : [],
    ...(hasNext ? { 'ldes:immutable': true } : {}),
    orderedItems: activities,
  }
}

/** One change (Entity Metadata Management, sections 3.3 and 4; a member of the event stream). */
async function activity(vocabulary: string, change: Change, { log }: History) {
  const { uri, kind, time, cause, position } = change
  // A vocabulary that a command removed from this service may live on elsewhere.
  const type = kind === 'Delete' && cause.by === 'remove' ? 'Remove' : kind
  const statements = [...(change.added ?? []), ...(change.removed ?? [])]
  const skosClass = classOf(statements) ?? classOf((await log.firstChange(change))?.added ?? [])
  return {
    id: activityAddress(vocabulary, position),
    type,
    summary: `${type} ${NAMES[skosClass ?? ''] ?? 'resource'} ${uri}`,
    published: time,
    object: { id: uri, ...(skosClass ? { type: skosClass } : {}), updated: time },
  }
}

const NAMES: Readonly<Record<string, string>> = {
  [CONCEPT]: 'concept',
  [CONCEPT_SCHEME]: 'vocabulary',
  [COLLECTION]: 'collection',
}

/** The relation of a page to the next one: no change there is older than the last one here (TREE, "Relations"). */
function nextPageRelation(node: string, from: string | undefined): object {
  if (from === undefined) return { type: 'tree:Relation', 'tree:node': node }
  const [path, value] = ['as:published', from]
  return { type: 'tree:GreaterThanOrEqualToRelation', 'tree:node': node, 'tree:path': path, 'tree:value': value }
}

function streamOf(vocabulary: string) {
  const id = `${vocabulary}/activity`
  const view = pageAddress(vocabulary, 1)
  return { id, type: 'OrderedCollection', 'rdf:type': 'ldes:EventStream', 'tree:view': view, ...STREAM }
}

/** @returns NaN for anything but a number. */
function pageNumber(request: Request): number {
  const text = String(request.params['page'])
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : NaN
}

/** A page is complete if there is a next one, because it links to that. */
function isWhole({ changes }: LoggedGraph, page: number): boolean {
  return page < lastPage(changes)
}

/** The first page exists even if it is empty. */
function lastPage(changes: number): number {
  return Math.max(1, Math.ceil(changes / PAGE))
}

function addressOf({ baseUrl }: Config, id: string): string {
  return `${baseUrl}voc/${encodeURIComponent(id)}`
}

function pageLink(vocabulary: string, page: number) {
  return { id: pageAddress(vocabulary, page), type: 'OrderedCollectionPage' }
}

function pageAddress(vocabulary: string, page: number): string {
  return `${vocabulary}/activity/page/${page}`
}

/**
 * The address of a change: a place on a page of activities.
 *
 * @param vocabulary address of the vocabulary.
 */
export function activityAddress(vocabulary: string, position: number): string {
  return `${pageAddress(vocabulary, Math.floor(position / PAGE) + 1)}#${position}`
}
