import type { Request, RequestHandler } from 'express'
import type { Config } from '../../config.ts'
import { withQuery } from '../../interface/http/addresses.ts'
import { quoted } from '../../base/unicode.ts'
import {
  malformed,
  queryOf,
  readList,
  requestedProperties,
  readParameters,
  readTime,
  type Parameters,
} from '../../interface/http/parameters.ts'
import { beginAnswer, pageAddresses, sendList } from '../../interface/http/send.ts'
import { nameOf } from '../../graph/jskos/names.ts'
import { alsoShowing, SCHEME_DEFAULT, type Properties } from '../../graph/jskos/properties.ts'
import { withoutIdentity, type JskosRecord } from '../../graph/jskos/record.ts'
import { collectionsNamed, recordsOfCollections } from '../../interface/read/collections.ts'
import { inOnePiece, inPieces, LARGEST_PIECE } from '../../interface/read/pieces.ts'
import { recordsOfConcepts } from '../../interface/read/concepts.ts'
import { listRequest, type ListRequest } from '../../interface/read/request.ts'
import { chooseRepresentation, REPRESENTATIONS } from '../../interface/representations/representations.ts'
import { recordsOfVocabularies } from '../../interface/read/vocabularies.ts'
import { isProposedRecord } from '../../graph/vocabularies/proposals.ts'
import { activityAddress, type FollowDependencies } from './activity.ts'
import { atomFeed, type Feed } from './atom.ts'
import { findFollowed, loggedRecord, requireHistory, type FollowedVocabulary } from './followed-vocabulary.ts'
import { CHANGE_KINDS, type Change, type ChangeKind, type LoggedGraph } from './log/change.ts'
import type { ChangeLog } from './log/log.ts'
import type { HistoryDependencies } from './past.ts'

/** Records on a page unless the request says otherwise. */
const PAGE = 100
/** Records with all fields of the largest page would take hundreds of megabytes at once. */
const PORTION = { size: LARGEST_PIECE, ahead: 0 }
const PARAMETERS = ['since', 'kind', 'limit', 'offset', 'format', 'properties', 'languages', 'language']
/** The time of a feed without entries. */
const NEVER = '1970-01-01T00:00:00.000Z'

/**
 * GET /voc/{vocid}/changes: the records that are new, changed, deprecated or gone since a time, the last change first
 * (docs/history.md, "History").
 */
export function changes(dependencies: FollowDependencies): RequestHandler {
  const { config } = dependencies
  return async (request, response) => {
    response.vary('Accept')
    requireHistory(dependencies)
    const parameters = readParameters(queryOf(request), PARAMETERS)
    let feed: Feed
    const forms = [...REPRESENTATIONS, atomFeed(() => feed)]
    const representation = chooseRepresentation(forms, request, parameters)
    const answer = await beginAnswer(request, response, dependencies)
    if (!answer) return
    try {
      const page = await findChanges(dependencies, String(request.params['vocid']), parameters, answer.signal)
      if (parameters.has('language')) response.setHeader('Content-Language', page.request.view.preferred[0]!)
      feed = toFeed(request, config, page.request, page)
      const { total, records } = page
      await sendList(answer, { total, page: page.request.page, records, representation, baseUrl: config.baseUrl })
    } finally {
      answer.end()
    }
  }
}

/** The record of a changed resource, with its last change. */
type ChangedRecord = JskosRecord & {
  action: Action
  /** ISO 8601 in UTC. */
  actionTime: string
}

/** The names of the kinds of changes for clients. A resource from before the log began is new to its readers. */
const ACTIONS = { Create: 'create', Add: 'create', Update: 'change', Deprecate: 'deprecate', Delete: 'delete' } as const
type Action = (typeof ACTIONS)[ChangeKind]

/** The values of `action`. */
export const CHANGE_ACTIONS: readonly Action[] = [...new Set(Object.values(ACTIONS))]

/** A page of the last changes of the resources of a vocabulary, with their records, which show proposals as such. */
interface FoundChanges extends FeedContent {
  request: ListRequest
  /** A record for each change, in pieces. */
  records: AsyncGenerator<ChangedRecord[]>
  /** When the log began to follow the vocabulary (ISO 8601); undefined if it only knows some ingests. */
  began: string | undefined
}

/**
 * The changes of a vocabulary or subset.
 *
 * @param parameters `since`, `kind` and those of lists.
 * @param isNews leaves out all that was there when the log began, such as what the first load of a vocabulary has
 *   created.
 * @throws ApiError MalformedRequestError naming a wrong parameter; EntityNotFoundError without a history, or if there
 *   is no such vocabulary; the errors of the store.
 */
export async function findChanges(
  dependencies: FollowDependencies,
  vocid: string,
  parameters: Parameters,
  signal: AbortSignal,
  isNews = false,
): Promise<FoundChanges> {
  const history = requireHistory(dependencies)
  const since = readTime(parameters, 'since', 'beginning')
  const kinds = readKinds(parameters)
  const followed = await findFollowed(dependencies, vocid)
  // A subset shows its own notes.
  const within = followed.isSubset ? new Map([...parameters, ['voc', followed.id]]) : parameters
  const request = await listRequest(dependencies, { parameters: within, signal }, { limit: PAGE })
  const proposed = new Set<string>()
  const graph = await history.followGraph(followed.uri)
  if (!graph) return { followed, request, total: 0, changes: [], records: inOnePiece([]), proposed, began: undefined }
  const from = since === undefined ? 0 : await history.log.positionAt(graph, since)
  const beginning = await history.log.beginning(graph)
  const without = isNews ? beginning?.changeset : undefined
  const list = await history.log.lastChanges(graph, { from, kinds, without }, request.page)
  const read = (changes: readonly Change[]) =>
    changedRecords(dependencies, request, history.log, graph, { changes, proposed })
  const records = inPieces(list.changes, PORTION, read, signal)
  return { followed, request, ...list, records, proposed, began: beginning?.time }
}

/** @throws ApiError MalformedRequestError for an unknown kind. */
function readKinds(parameters: Parameters): ChangeKind[] {
  return readList(parameters, 'kind').map((value) => {
    const kind = CHANGE_KINDS.find((candidate) => candidate === value)
    if (kind) return kind
    throw malformed(`kind: expected one or more of ${CHANGE_KINDS.join('|')}, got ${quoted(value)}`)
  })
}

/**
 * The records of changed resources, from the store if it has them, otherwise from the log. Proposals show their status,
 * even if the request does not name it.
 *
 * @param proposed receives the URIs of proposals.
 */
async function changedRecords(
  dependencies: HistoryDependencies,
  { view, signal, parameters }: ListRequest,
  log: ChangeLog,
  graph: LoggedGraph,
  { changes, proposed }: { changes: readonly Change[]; proposed: Set<string> },
): Promise<ChangedRecord[]> {
  const present = changes.filter(({ kind }) => kind !== 'Delete').map(({ uri }) => uri)
  const records = new Map<string, JskosRecord>()
  const add = (some: JskosRecord[]) => some.forEach((record) => records.set(record.uri, record))
  const marking = { ...view, properties: [...MARKING, 'type'].reduce(alsoShowing, view.properties) }
  for await (const piece of recordsOfConcepts(dependencies, present, marking, signal)) {
    for (const record of piece) {
      if (isProposedRecord(record)) proposed.add(record.uri)
      add([shownRecord(record, view.properties)])
    }
  }
  if (present.includes(graph.uri) && !records.has(graph.uri)) {
    const properties = alsoShowing(requestedProperties(parameters, SCHEME_DEFAULT), 'type')
    add(await recordsOfVocabularies(dependencies, { view: { ...view, properties }, signal }, [graph.uri]))
  }
  // The store describes a collection in a vocabulary as if it were a concept.
  const collections = await collectionsNamed(dependencies, { view, signal }, present)
  add(await recordsOfCollections(dependencies, { parameters, view, signal }, [...collections.keys()]))
  const recordOf = async ({ uri, kind, time, removed = [], added = [] }: Change) => {
    if (kind === 'Delete') return withEnd(loggedRecord(uri, [...removed, ...added], view), time)
    const record = records.get(uri)
    if (record) return record
    const logged = await log.resource(graph, uri)
    return loggedRecord(uri, (logged && (await log.statements(logged.id))) ?? [], view)
  }
  const all: ChangedRecord[] = []
  for (const change of changes) {
    const record = { ...(await recordOf(change)), action: ACTIONS[change.kind], actionTime: change.time }
    all.push(withoutIdentity(record, view.properties))
  }
  return all
}

/** The fields that show whether a concept is a proposal. */
const MARKING = ['status', 'inScheme'] as const

/** A record without fields that the request does not ask for, except for the status of a proposal. */
function shownRecord(record: JskosRecord, properties: Properties): JskosRecord {
  const shown = { ...record }
  const isProposed = isProposedRecord(record)
  for (const name of MARKING) if (!properties.has(name) && !(name === 'status' && isProposed)) delete shown[name]
  return shown
}

/** JSKOS has no mark for deleted records, so the record is deprecated and has the day of its end. */
function withEnd(record: JskosRecord, time: string): JskosRecord {
  return { ...record, ...('inScheme' in record ? { deprecated: true } : {}), endDate: time.slice(0, 10) }
}

interface FeedContent {
  followed: FollowedVocabulary
  total: number
  changes: readonly Change[]
  /** The URIs of proposals. */
  proposed: ReadonlySet<string>
}

function toFeed(
  request: Request,
  { baseUrl, site }: Config,
  { page, view }: ListRequest,
  { followed, total, changes, proposed }: FeedContent,
): Feed {
  const path = `voc/${encodeURIComponent(followed.id)}`
  const query = new URL(request.target, baseUrl).searchParams
  query.set('format', 'atom')
  // Links to pages lead to pages of the feed, whatever format this request accepts.
  const target = `/${path}/changes?${query.toString()}`
  const pages = pageAddresses({ target, method: 'GET', body: undefined }, { total, page }, baseUrl)
  for (const name of ['limit', 'offset', 'count', 'format']) query.delete(name)
  const byUri = new Map(changes.map((change) => [change.uri, change]))
  return {
    id: new URL(withQuery(`${path}/changes`, Object.fromEntries(query)), baseUrl).href,
    title: nameOf(followed, view.preferred),
    author: site.name,
    updated: changes[0]?.time ?? NEVER,
    links: new Map([['self', new URL(`.${target}`, baseUrl).href], ['alternate', baseUrl + path], ...pages]),
    entryOf: (uri) => {
      const change = byUri.get(uri)!
      return {
        id: activityAddress(baseUrl + path, change.position),
        change,
        page: baseUrl + withQuery('entity', { uri }),
        isProposed: proposed.has(uri),
      }
    },
    preferred: view.preferred,
  }
}
