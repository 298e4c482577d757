import type { RequestHandler } from 'express'
import { ApiError } from '../errors.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { givenParameters, queryOf, readParameters, requireIri } from '../http/parameters.ts'
import { sendWhole } from '../http/send.ts'
import type { JskosRecord } from '../jskos/record.ts'
import { CONCEPT } from '../namespaces.ts'
import { operation } from '../openapi/operation.ts'
import { ref } from '../openapi/references.ts'
import { json, MALFORMED, NOT_FOUND, NOT_MODIFIED, page, STORE_ERRORS, withOther } from '../openapi/responses.ts'
import { waysUp } from './ancestors.ts'
import { topConcepts } from './concept-lists.ts'
import { data } from './data.ts'
import type { AnswerDependencies } from './dependencies.ts'
import { recordsIn } from './list.ts'
import { pageOfConcepts } from './page.ts'
import { nodeLabels } from './node-labels.ts'
import { listRequest } from './request.ts'
import { byTemplate } from './selection.ts'

/** A part of a hierarchy: the first concepts below one, or top concepts, in the order of records. */
export interface TreeLevel {
  /** The concept above; absent for top concepts. */
  parent?: string
  /** How many there are. */
  total: number
  concepts: readonly JskosRecord[]
  /** Collections that divide the concepts, such as "by material", each with those that are in it; absent if there are none. */
  arrays?: readonly JskosRecord[]
}

/** A concept with what is above it and beside it. */
export interface TreeAt {
  concept: JskosRecord
  /** One chain as in /ancestors, the nearest first. */
  ancestors: readonly JskosRecord[]
  /** The concepts of its level, itself among them. */
  siblings: readonly JskosRecord[]
  /** From the top concepts down to the concepts below it. */
  levels: readonly TreeLevel[]
}

/** Concepts of a level unless the request says otherwise. */
const LEVEL = 100
const FIELDS = 'prefLabel,notation,hasChildren'
const KNOWN = ['at', 'properties', 'languages', 'language', 'limit']

/**
 * GET /voc/{vocid}/tree: the way from the top to a concept with its siblings in one answer (docs/interface.md, "Tree").
 *
 * @param asked the parameters of the request, read.
 * @throws ApiError EntityNotFoundError for an unknown vocabulary, or a concept that it does not have; MalformedRequestError; the
 *   errors of the store.
 */
async function treeAt(
  dependencies: AnswerDependencies,
  vocid: string,
  asked: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<TreeAt> {
  const known = await dependencies.registry.require(vocid)
  const uri = requireIri(asked, 'at')
  const voc = known.ids[0] ?? known.uri
  const request = (more: Record<string, string | undefined>, path?: string) => {
    const common = { properties: FIELDS, ...Object.fromEntries(asked), voc, at: undefined, ...more }
    return listRequest(dependencies, { parameters: givenParameters(common), vocid: path, signal })
  }
  const limit = asked.get('limit') ?? String(LEVEL)
  const below = async (parent: string): Promise<TreeLevel> => {
    const one = await request({ uri: parent, limit })
    const list = await pageOfConcepts(dependencies, byTemplate('narrower', one), one)
    return { parent, total: list.total, concepts: await recordsIn(list) }
  }
  const atTop = async (): Promise<TreeLevel> => {
    const list = await topConcepts(dependencies, await request({ limit, voc: known.isSubset ? voc : undefined }, voc))
    return { total: list.total, concepts: await recordsIn(list) }
  }
  const one = await request({ uri, limit: undefined })
  const [found, { ways }] = await Promise.all([
    data(dependencies, one).then(recordsIn),
    waysUp(dependencies, one, uri, 1),
  ])
  const concept = found.find(({ type }) => type[0] === CONCEPT)
  if (!concept) throw new ApiError('EntityNotFoundError', 'at: this vocabulary has no concept with this URI.')
  const [ancestors = []] = ways
  const path = [...ancestors.map((above) => above.uri).reverse(), uri]
  const levels = await Promise.all([atTop(), ...path.map(below)])
  const complete = levels.map((level, at) => {
    const next = at === path.length - 1 ? concept : ancestors[path.length - 2 - at]
    // A concept of the way that is further down a long level, or below no top concept, comes first.
    const isMissing = next !== undefined && !level.concepts.some((each) => each.uri === next.uri)
    return isMissing ? { ...level, concepts: [next, ...level.concepts] } : level
  })
  const children = complete.flatMap(({ parent, concepts }) =>
    parent === undefined ? [] : concepts.map((one) => one.uri),
  )
  const dividing = await nodeLabels(dependencies, path, children, signal)
  const uris = [...new Set([...dividing.values()].flatMap((each) => [...each.keys()]))]
  const names = async () => request({ uri: uris.join('|'), properties: 'prefLabel,notation', limit: undefined })
  const collections = uris.length === 0 ? [] : await data(dependencies, await names()).then(recordsIn)
  const divided = complete.map((level) => {
    const arrays = collections.flatMap((record) => {
      const members = dividing.get(level.parent ?? '')?.get(record.uri)
      return members ? { ...record, memberSet: members.map((member) => ({ uri: member })) } : []
    })
    return arrays.length === 0 ? level : { ...level, arrays }
  })
  return { concept, ancestors, siblings: divided.at(-2)!.concepts, levels: divided }
}

function tree(dependencies: AnswerDependencies): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    await sendWhole(request, response, dependencies, async (signal) => {
      const parameters = readParameters(queryOf(request), KNOWN)
      const found = await treeAt(dependencies, String(request.params['vocid']), parameters, signal)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return `${JSON.stringify(found)}\n`
    })
  }
}

/** The endpoint for trees beside a concept. */
export const TREE_ENDPOINTS: readonly Endpoint<AnswerDependencies>[] = [
  {
    path: '/voc/:vocid/tree',
    get: {
      handler: tree,
      operation: operation('Concepts', {
        id: 'getTree',
        summary: 'A concept of a vocabulary with the concepts above it, its siblings and the levels of the way to it',
        description: 'Concepts have `prefLabel`, `notation` and `hasChildren` unless `properties` names others.',
        parameters: ['vocid', 'treeAt', 'properties', 'languages', 'language', 'treeLimit'],
        responses: {
          200: withOther(json('The part of the tree', ref('Tree')), page()),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
]
