import type { RequestHandler } from 'express'
import type { Endpoint, OptionalFeatures } from '../../interface/http/endpoint.ts'
import { queryOf, readPage, readParameters, requireIri } from '../../interface/http/parameters.ts'
import { beginAnswer, sendList } from '../../interface/http/send.ts'
import type { AnyRecord } from '../../graph/jskos/record.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { records } from '../../interface/read/record-operations.ts'
import { chooseRepresentation, JSON_FORMATS } from '../../interface/representations/representations.ts'
import { operation, PAGE_PARAMETERS } from '../../interface/openapi/operation.ts'
import {
  json,
  lines,
  MALFORMED,
  NOT_FOUND,
  NOT_MODIFIED,
  OTHER_ERRORS,
  pageContent,
  STORE_ERRORS,
  withOther,
} from '../../interface/openapi/responses.ts'
import { ref } from '../../interface/openapi/references.ts'
import { activityCollection, activityContext, activityPage, CONTEXT_PATH, type FollowDependencies } from './activity.ts'
import { ATOM } from './atom.ts'
import { changes } from './changes.ts'
import { requireHistory } from './followed-vocabulary.ts'
import type { Change } from './log/change.ts'
import { toFields, versionsOf } from './versions.ts'

/** Versions on a page unless the request says otherwise. */
const VERSIONS_OF_PAGE = 100

/** GET /history: the versions of one resource. */
function versions(dependencies: FollowDependencies): RequestHandler {
  const { config } = dependencies
  return async (request, response) => {
    response.vary('Accept')
    const history = requireHistory(dependencies)
    const parameters = readParameters(queryOf(request), ['uri', 'limit', 'offset', 'format'])
    const representation = chooseRepresentation(JSON_FORMATS, request, parameters)
    const answer = await beginAnswer(request, response, dependencies)
    if (!answer) return
    try {
      const uri = requireIri(parameters, 'uri')
      const page = readPage(parameters, config.maxLimit, Math.min(VERSIONS_OF_PAGE, config.maxLimit))
      const { total, changes: versionsOfPage } = await versionsOf(history, uri, page)
      const records = inOnePiece(versionsOfPage.map(toVersion))
      await sendList(answer, { total, page, records, representation, baseUrl: config.baseUrl })
    } finally {
      answer.end()
    }
  }
}

const VERSIONS = json('The versions', { type: 'array', items: ref('Version') }, ['X-Total-Count', 'Link', 'ETag'])
const NO_HISTORY = { 404: { $ref: '#/components/responses/NoHistory' } }
const CHANGED = records('ChangedResource', 'The records; deleted ones have `endDate`')
const CHANGES = withOther(CHANGED, {
  ...CHANGED['x-other-content'],
  [ATOM.mediaType]: { schema: { type: 'string', description: 'A feed' } },
  ...pageContent(),
})

const FOLLOWED =
  'Entity Metadata Management 1.0 (ActivityStreams 2.0), with the terms of Linked Data Event Streams 1.0 and TREE. JSON names the contexts of the specification, JSON-LD the one of this service.'

/** Activities in all their forms. */
function activities(description: string, schema: string) {
  const mediaTypes = ['application/json', 'application/activity+json', 'application/ld+json']
  return {
    ...json(description, ref(schema)),
    content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema: ref(schema) }])),
  }
}

const absent = ({ history }: OptionalFeatures) => (history ? undefined : 'This service keeps no history.')

/** The endpoints of the history (docs/history.md, "History"). */
export const HISTORY_ENDPOINTS: readonly Endpoint<FollowDependencies>[] = [
  {
    path: '/history',
    absent,
    get: {
      handler: versions,
      operation: operation('Concepts', {
        id: 'getHistory',
        summary: 'The versions of a concept, the newest first',
        description: 'From the log of changes, which begins with the first load after the history was switched on.',
        parameters: ['oneUri', ...PAGE_PARAMETERS, 'formatsFormat'],
        responses: {
          200: withOther(VERSIONS, { ...lines(), ...pageContent() }),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NO_HISTORY,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/voc/:vocid/changes',
    absent,
    get: {
      handler: changes,
      operation: operation('Vocabularies', {
        id: 'getChanges',
        summary: 'New, changed, deprecated and deleted records of a vocabulary, the last change first',
        description: 'One record for each concept, and for the vocabulary itself. An Atom feed for feed readers.',
        parameters: [
          'vocid',
          'since',
          'kind',
          'properties',
          'languages',
          'language',
          ...PAGE_PARAMETERS,
          'changesFormat',
        ],
        responses: { 200: CHANGES, ...NOT_MODIFIED, ...MALFORMED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
  {
    path: '/voc/:vocid/activity',
    absent,
    get: {
      handler: activityCollection,
      operation: operation('Vocabularies', {
        id: 'getActivity',
        summary: 'The changes of a vocabulary as an ordered collection of activities',
        description: FOLLOWED,
        parameters: ['vocid'],
        responses: { 200: activities('The collection', 'Activities'), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
  {
    path: '/voc/:vocid/activity/page/:page',
    absent,
    get: {
      handler: activityPage,
      operation: operation('Vocabularies', {
        id: 'getActivityPage',
        summary: 'A page of the activities of a vocabulary, from the first change on',
        description: `${FOLLOWED} A page that leads to another one never changes.`,
        parameters: ['vocid', 'activityPage'],
        responses: { 200: activities('The page', 'ActivityPage'), ...NOT_MODIFIED, ...NOT_FOUND, ...STORE_ERRORS },
      }),
    },
  },
  {
    path: `/${CONTEXT_PATH}`,
    absent,
    get: {
      handler: activityContext,
      operation: operation('Data', {
        id: 'getActivityContext',
        summary: 'The JSON-LD context of activities',
        responses: {
          200: { description: 'The context', content: { 'application/ld+json': { schema: ref('JsonLdContext') } } },
          ...NOT_MODIFIED,
          ...NO_HISTORY,
          ...OTHER_ERRORS,
        },
      }),
    },
  },
]

/**
 * A change for clients, its statements as fields of records. It leaves out the account, whose name is half of a
 * login.
 */
function toVersion({ uri, kind, time, cause, graph, before, after, removed, added }: Change): AnyRecord {
  return {
    uri,
    kind,
    date: time,
    voc: graph,
    by: cause.by,
    ...(cause.files ? { files: cause.files } : {}),
    ...(cause.decision ? { decision: cause.decision } : {}),
    ...(cause.reason === undefined ? {} : { reason: cause.reason }),
    ...(before ? { before } : {}),
    ...(after ? { after } : {}),
    ...(removed && added ? { removed: toFields(uri, removed), added: toFields(uri, added) } : {}),
  }
}
