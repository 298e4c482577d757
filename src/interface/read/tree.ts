import type { RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { XKOS } from '../../base/namespaces.ts'
import type { Endpoint } from '../http/endpoint.ts'
import { givenParameters, queryOf, readParameters, requireIri } from '../http/parameters.ts'
import { sendWhole } from '../http/send.ts'
import type { JskosRecord } from '../../graph/jskos/record.ts'
import { operation } from '../openapi/operation.ts'
import { ref } from '../openapi/references.ts'
import { json, MALFORMED, NOT_FOUND, NOT_MODIFIED, pageContent, STORE_ERRORS, withOther } from '../openapi/responses.ts'
import type { AnswerDependencies } from './dependencies.ts'
import type { Item } from '../../graph/jskos/names.ts'
import type { Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { levelsTo, withArrays, type TreeLevel, type TreePath, type TreeQuestion } from './levels.ts'
import { listRequest } from './request.ts'
import { recordsOfVocabularies } from './vocabularies.ts'

/** A level of a classification (XKOS). */
type ClassificationLevel = Item & { depth?: number }

/** A concept with what is above it and beside it. */
interface TreeAt extends TreePath {
  levels: readonly (TreeLevel & { level?: ClassificationLevel })[]
  /** The concepts of its level, itself among them. */
  siblings: readonly JskosRecord[]
}

/** Concepts of a level unless the request says otherwise. */
const LEVEL = 100
const FIELDS = 'prefLabel,notation,hasChildren'
const PARAMETER_NAMES = ['at', 'properties', 'languages', 'language', 'limit']

/**
 * GET /voc/{vocid}/tree: the way from the top to a concept with its siblings in one answer (docs/endpoints.md, "Tree").
 *
 * @param parameters of the request, read.
 * @throws ApiError EntityNotFoundError for an unknown vocabulary, or a concept that it does not have;
 *    MalformedRequestError; the errors of the store.
 */
async function treeAt(
  dependencies: AnswerDependencies,
  vocid: string,
  parameters: ReadonlyMap<string, string>,
  signal: AbortSignal,
): Promise<TreeAt> {
  const vocabulary = await dependencies.registry.require(vocid)
  const uri = requireIri(parameters, 'at')
  const given = { properties: FIELDS, limit: String(LEVEL), ...Object.fromEntries(parameters), at: undefined }
  const question = { vocabulary, parameters: given, signal }
  const path = await levelsTo(dependencies, question, uri)
  if (!path)
    throw new ApiError('EntityNotFoundError', 'at: this vocabulary has no concept with this URI.', {
      missing: 'concept',
    })
  const [levels, ofClassification] = await Promise.all([
    withArrays(dependencies, question, path.levels),
    classificationLevels(dependencies, vocabulary, question),
  ])
  const named = levels.map((level, index) => {
    const inClassification = ofClassification.get(index + 1)
    return inClassification === undefined ? level : { ...level, level: inClassification }
  })
  return { concept: path.concept, ancestors: path.ancestors, siblings: levels.at(-2)!.concepts, levels: named }
}

/** The levels of a classification (XKOS) by their depths, from 1 for top concepts; none if a vocabulary has none. */
async function classificationLevels(
  dependencies: AnswerDependencies,
  { uri, values }: Vocabulary,
  { parameters, signal }: TreeQuestion,
): Promise<ReadonlyMap<number, ClassificationLevel>> {
  if (!values.has(`${XKOS}levels`)) return new Map()
  const given = givenParameters({ ...parameters, properties: 'levels', limit: undefined })
  const request = await listRequest(dependencies, { parameters: given, signal })
  const [scheme] = await recordsOfVocabularies(dependencies, request, [uri])
  const levels: readonly ClassificationLevel[] = scheme?.levels ?? []
  return new Map(levels.map((level, index) => [level.depth ?? index + 1, level]))
}

function tree(dependencies: AnswerDependencies): RequestHandler {
  return async (request, response) => {
    response.vary('Accept')
    await sendWhole(request, response, dependencies, async (signal) => {
      const parameters = readParameters(queryOf(request), PARAMETER_NAMES)
      const answer = await treeAt(dependencies, String(request.params['vocid']), parameters, signal)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return `${JSON.stringify(answer)}\n`
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
        summary: 'A concept of a vocabulary with the concepts above it, its siblings and the levels on the path to it',
        description: 'Concepts have `prefLabel`, `notation` and `hasChildren` unless `properties` names others.',
        parameters: ['vocid', 'treeAt', 'properties', 'languages', 'language', 'treeLimit'],
        responses: {
          200: withOther(json('The part of the tree', ref('Tree')), pageContent()),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
]
