import express, { type RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import { quoted } from '../../base/unicode.ts'
import { MAXIMA } from '../../interface/http/maxima.ts'
import { queryOf, readList, readParameters, type Parameters } from '../../interface/http/parameters.ts'
import { sendWhole, setPageHeaders } from '../../interface/http/send.ts'
import { SKOS } from '../../base/namespaces.ts'
import { operation, PAGE_PARAMETERS } from '../../interface/openapi/operation.ts'
import { ref } from '../../interface/openapi/references.ts'
import {
  json,
  lines,
  MALFORMED,
  NOT_FOUND,
  NOT_MODIFIED,
  STORE_ERRORS,
  TOO_LARGE,
  withOther,
} from '../../interface/openapi/responses.ts'
import { recordsIn } from '../../interface/read/list.ts'
import { inOnePiece } from '../../interface/read/pieces.ts'
import { EVERY_MAPPING } from '../../graph/index/mappings/mapping-reader.ts'
import { readNamespaces, spacesOf } from '../../graph/vocabularies/namespaces.ts'
import { findConcordance } from './concordance.ts'
import { isSssom, isTable, MAPPING_FORMATS, sssom } from './mapping-formats.ts'
import { schemeOf } from './record.ts'
import { APPLYING, CHOOSING, MAPPING_PARAMETERS, namesIn, SORTING } from './parameters.ts'
import { readMappingPage, readQuestion, schemesNamed, type NamingContext } from './question.ts'
import type { MappingSet } from './sssom.ts'
import { concordance, concordances } from './concordance-answers.ts'
import { findMappings, namingContext, type MappingDependencies, naming } from './find-mappings.ts'
import { suggestFor } from './suggest-for.ts'
import { LIST_PARAMETERS, sending, slice, type Reading } from './send-list.ts'
import { apply } from './apply.ts'
import { infer } from './infer.ts'

/** The same mappings are the same set in whatever order. */
const NOT_CHOOSING = [...LIST_PARAMETERS, ...namesIn(SORTING)]

/** GET /mappings: the mappings that the parameters choose. */
function list(dependencies: MappingDependencies): RequestHandler {
  const namespaces = readNamespaces(dependencies.config.dataDir)
  const read: Reading = async (parameters, signal, representation) => {
    const context = await namingContext(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const question = readQuestion(parameters, page, context)
    const mappings = await findMappings(dependencies, question, signal, naming(dependencies, isTable(representation)))
    if (!isSssom(representation)) return { ...mappings, page }
    const spaces = spacesOf(context.vocabularies, namespaces)
    return { ...mappings, page, representation: sssom({ ...setOf(parameters, context), spaces }) }
  }
  return sending(dependencies, [...CHOOSING, ...LIST_PARAMETERS], read, MAPPING_FORMATS)
}

/** The set of mappings that parameters choose: a concordance, or what is at an address of this service. */
function setOf(parameters: Parameters, { concordances, baseUrl }: NamingContext): Omit<MappingSet, 'spaces'> {
  const chosen = [...parameters].filter(([name]) => !NOT_CHOOSING.includes(name))
  const [name, ...otherNames] = readList(parameters, 'partOf')
  const concordance = name !== undefined && otherNames.length === 0 ? findConcordance(concordances, name) : undefined
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

/** GET /mappings/{id}: a single mapping. */
function single(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const id = String(request.params['id'])
    await sendWhole(request, response, dependencies, async (signal) => {
      const asked = { ...EVERY_MAPPING, identifier: [id], page: { limit: 1, offset: 0 } }
      const [mapping] = await recordsIn(await findMappings(dependencies, asked, signal, naming(dependencies)))
      if (!mapping) throw new ApiError('EntityNotFoundError', `There is no mapping with the id ${quoted(id)}.`)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      return JSON.stringify(mapping)
    })
  }
}

/** GET /mappings/voc: the vocabularies that mappings lead from and to, with their numbers. */
function schemes(dependencies: MappingDependencies): RequestHandler {
  return sending(dependencies, [...CHOOSING, ...LIST_PARAMETERS], async (parameters, signal) => {
    const context = await namingContext(dependencies, readList(parameters, 'partOf'))
    const page = readMappingPage(parameters, dependencies.config.maxLimit)
    const counts = await dependencies.indexedMappings.schemes(readQuestion(parameters, page, context, 'or'), signal)
    const records = counts.map(([uri, fromCount, toCount]) => {
      const scheme = schemeOf(uri, context.vocabularies)
      const common = { '@context': dependencies.config.jskosContextUrl, type: [`${SKOS}ConceptScheme`] }
      return { ...common, ...scheme, fromCount, toCount }
    })
    return { total: records.length, records: inOnePiece(slice(records, page)), page }
  })
}

/** GET /mappings/suggest: notations of mapped concepts that begin like a text, as OpenSearch suggestions. */
function suggestNotations(dependencies: MappingDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['search', 'voc', 'limit', 'offset'])
    await sendWhole(request, response, dependencies, async (signal) => {
      const page = readMappingPage(parameters, dependencies.config.maxLimit)
      const search = parameters.get('search') ?? ''
      const vocabularies = await dependencies.registry.list()
      const voc = readList(parameters, 'voc').flatMap((name) => schemesNamed(name, vocabularies))
      const notations =
        search === ''
          ? []
          : await dependencies.indexedMappings.notations(search, voc.length > 0 ? voc : undefined, signal)
      const shown = slice(notations, page)
      response.setHeader('Content-Type', 'application/json; charset=utf-8')
      setPageHeaders(request, response, { total: notations.length, page }, dependencies.config.baseUrl)
      return JSON.stringify([search, shown.map(([notation]) => notation), shown.map(([, number]) => number), []])
    })
  }
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

const OF_MAPPINGS = Object.keys(MAPPING_PARAMETERS)

const FILES = [...PAGE_PARAMETERS, 'formatsFormat', 'mappingDownload']

const TO_APPLY = [...Object.keys(APPLYING), ...FILES, 'inferStrict', 'inferDepth']

/** The endpoints of mappings and concordances (docs/mappings.md). */
export const MAPPING_ENDPOINTS: readonly Endpoint<MappingDependencies>[] = [
  {
    path: '/mappings',
    statusName: 'mappings',
    get: {
      handler: list,
      operation: operation('Mappings', {
        id: 'getMappings',
        summary: 'Mappings that vocabularies state, and loaded mappings',
        parameters: [...OF_MAPPINGS, ...Object.keys(SORTING), ...PAGE_PARAMETERS, 'mappingsFormat', 'mappingsDownload'],
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
      handler: suggestNotations,
      operation: operation('Mappings', {
        id: 'suggestMappings',
        summary: 'Notations of mapped concepts that begin like a text, with the numbers of mappings',
        parameters: ['mappingSearch', 'mappingVoc', ...PAGE_PARAMETERS],
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
        summary: 'Mappings of a concept, or mappings that follow from those of broader concepts',
        parameters: [
          ...OF_MAPPINGS.filter((name) => name !== 'mappingTo'),
          ...Object.keys(SORTING),
          ...FILES,
          'inferStrict',
          'inferDepth',
        ],
        responses: { 200: records('The mappings', 'Mapping'), ...READING },
      }),
    },
  },
  {
    path: '/mappings/apply',
    get: {
      handler: apply,
      operation: operation('Mappings', {
        id: 'applyMappings',
        summary: 'The concepts that mappings lead to from some concepts',
        parameters: TO_APPLY,
        responses: { 200: records('The concepts', 'MappedConcept'), ...READING },
      }),
    },
    post: {
      handler: (dependencies) => [express.raw({ type: () => true, limit: MAXIMA.applyBody.most }), apply(dependencies)],
      operation: operation('Mappings', {
        id: 'applyMappingsToSet',
        summary: 'The concepts that mappings lead to from the items of a JSKOS set',
        parameters: TO_APPLY,
        responses: { 200: records('The concepts', 'MappedConcept'), ...MALFORMED, ...TOO_LARGE, ...STORE_ERRORS },
        requestBody: {
          required: true,
          content: {
            'application/json': { schema: { anyOf: [ref('WithUri'), { type: 'array', items: ref('WithUri') }] } },
          },
        },
      }),
    },
  },
  {
    path: '/mappings/suggest-for',
    get: {
      handler: suggestFor,
      operation: operation('Mappings', {
        id: 'suggestMappingsFor',
        summary: 'Suggestions of new mappings of a concept, by its labels',
        parameters: ['suggestForFrom', 'suggestForScheme', ...FILES],
        responses: { 200: records('The mappings, the best first', 'Mapping'), ...READING },
      }),
    },
  },
  {
    path: '/mappings/:id',
    get: {
      handler: single,
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
