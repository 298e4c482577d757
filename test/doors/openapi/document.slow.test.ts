import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { createServer, type RequestListener, type Server } from 'node:http'
import { createApp } from '../../../src/app.ts'
import { composeReading } from '../../../src/compose.ts'
import { readConfig } from '../../../src/config.ts'
import { statedMappingId } from '../../../src/graph/jskos/mapping.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { History } from '../../../src/writing/history/history.ts'
import { NOTHING } from '../../../src/writing/history/log/digest.ts'
import { ENDPOINTS } from '../../../src/endpoints.ts'
import { openapiDocument } from '../../../src/doors/openapi/document.ts'
import { COMMON_PARAMETERS, READ_PARAMETERS } from '../../../src/interface/read/parameters.ts'
import { ROUTES } from '../../../src/routes.ts'
import { isAbsoluteIri } from '../../../src/graph/sparql/grammar.ts'
import { METHODS } from '../../../src/doors/skosmos/methods.ts'
import { EXPORT_FORMATS } from '../../../src/doors/export/export.ts'
import { closeServer, listen, newDirectory } from '../../process.ts'
import { CRAFTS, MATERIALS, putDemo, startApp, type RunningApp } from '../../app.ts'
import { startDemo } from '../demo/demo.ts'
import { concept, startIngest, type IngestService, type TestAccount } from '../../writing/ingest/service.ts'
import { startStore, type StartedStore } from '../../interface/store/start.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'
import { wholeDocument } from './whole.ts'

const served = openapiDocument('https://example.org/vocabularies/', ENDPOINTS)
const document = wholeDocument(served)

/** The target of a reference such as `#/components/schemas/Concept`. */
const resolve = (pointer: string): any =>
  pointer
    .slice(2)
    .split('/')
    .reduce((value: any, name) => value?.[name.replaceAll('~1', '/').replaceAll('~0', '~')], document)
const deref = (value: any): any => (value?.$ref ? deref(resolve(value.$ref)) : value)
const escape = (name: string) => name.replaceAll('~', '~0').replaceAll('/', '~1')

interface Operation {
  path: string
  method: string
  pointer: string
  operation: any
}
const OPERATIONS: Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method,
    operation,
    pointer: `#/paths/${escape(path)}/${method}`,
  })),
)

function references(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, inner]) => (name === '$ref' ? [inner as string] : references(inner)))
}

describe('The OpenAPI document', () => {
  test('is valid OpenAPI 3.1', async () => {
    for (const description of [served, document]) {
      const validator = new Validator()
      expect(await validator.validate(structuredClone(description) as never)).toEqual({ valid: true })
      expect(validator.version).toBe('3.1')
    }
  })

  test('has no broken and no unused references', () => {
    const used = new Set(references(document))
    for (const reference of used) expect([reference, typeof resolve(reference)]).toEqual([reference, 'object'])
    const all = Object.entries(document.components).flatMap(([kind, entries]) =>
      Object.keys(entries).map((name) => `#/components/${kind}/${name}`),
    )
    expect(all.filter((name) => !used.has(name))).toEqual([])
  })

  test('names and sorts every operation', () => {
    const ids = OPERATIONS.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
    const tags = document.tags.map(({ name }) => name)
    for (const { path, operation } of OPERATIONS) {
      expect([path, operation.summary]).toEqual([path, expect.stringMatching(/^[A-Z].*[^.]$/)])
      expect(tags).toEqual(expect.arrayContaining(operation.tags))
      const parameters = (operation.parameters ?? []).map(deref)
      const inPath = parameters
        .filter((parameter: any) => parameter.in === 'path')
        .map((parameter: any) => `{${parameter.name}}`)
      expect([path, inPath]).toEqual([path, path.match(/\{\w+\}/g) ?? []])
      const names = parameters.map((parameter: any) => parameter.name)
      expect(new Set(names).size).toBe(names.length)
      expect(Object.keys(operation.responses)).toContain('default')
    }
  })

  test.each(ROUTES.map((route) => [route.path, route] as const))(
    'describes %s of the table of routes',
    (path, route) => {
      const methods = (document.paths as Record<string, any>)[path.replace(/:(\w+)/g, '{$1}')]
      const names = methods.get.parameters.map((parameter: object) => deref(parameter).name)
      const declared = (route.parameters ?? []).map((key) => READ_PARAMETERS[key].name)
      const common = Object.keys(COMMON_PARAMETERS).filter((name) => !(route.ignores as string[])?.includes(name))
      expect(names).toEqual(expect.arrayContaining([...declared, ...common]))
      expect(methods.post === undefined).toBe(route.post === undefined)
    },
  )

  test('has every route of the application, and no other', () => {
    const config = readConfig({})
    const nowhere = 'http://127.0.0.1:9/'
    const endpoint = { queryUrl: nowhere, updateUrl: nowhere, graphStoreUrl: nowhere }
    const handler = () => undefined
    const app = createApp({
      config,
      reportError: handler,
      ...composeReading(config, endpoint),
      sparql: [handler],
      ingest: [handler],
    })
    const mounted = app.router.stack.flatMap(({ route }) => route?.path ?? [])
    expect(new Set(mounted)).toEqual(new Set(ENDPOINTS.map(({ path }) => path)))
    const described = [...new Set(mounted)].filter((path) => !ELSEWHERE.includes(path))
    const paths = described.map((path) => path.replace(/[:*](\w+)/g, '{$1}'))
    expect(Object.keys(document.paths).sort()).toEqual(paths.sort())
  })

  test('gives the address of the service', () => {
    expect(document.servers).toEqual([{ url: 'https://example.org/vocabularies' }])
  })
})

/** Addresses that give nothing but a page or a picture. */
const ELSEWHERE = [
  ...['/voc/:vocid/index', '/voc/:vocid/mappings', '/find', '/concept', '/about', '/docs/:document'],
  ...['/feedback', '/propose', '/favicon.ico', '/mcp'],
]

const OPENAPI = 'https://example.org/openapi.json'

/** The document with every schema of ours closed: what is sent and not described is an error. */
function closedDocument(): object {
  const closed: any = structuredClone(document)
  for (const [name, schema] of Object.entries<any>(closed.components.schemas)) {
    if (schema.properties && !['JsonSchema', 'JsonLdContext'].includes(name)) {
      schema.additionalProperties ??= false
    }
  }
  return { $id: OPENAPI, ...closed }
}

const ajv = new Ajv2020({ strict: false, allErrors: true })
addFormats.default(ajv)
ajv.addFormat('iri', isAbsoluteIri)
ajv.addSchema(closedDocument())

const checked = new Set<string>()

/** Sends a request for an operation and compares the answer with what the document says of it. */
async function check(app: RunningApp, id: string, status: number, path: string, init?: RequestInit): Promise<void> {
  const entry = OPERATIONS.find(({ operation }) => operation.operationId === id)!
  const [address] = path.split('?')
  const form = new RegExp(`^${entry.path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`)
  expect(address).toMatch(form)
  const answer = await app.get(path, { method: entry.method.toUpperCase(), redirect: 'manual', ...init })
  expect([path, answer.status, answer.status === status ? '' : answer.text]).toEqual([path, status, ''])

  let pointer = `${entry.pointer}/responses/${status}`
  const documented = resolve(pointer)
  expect([id, status, typeof documented]).toEqual([id, status, 'object'])
  if (documented.$ref) pointer = documented.$ref
  const response = deref(documented)

  for (const [name, header] of Object.entries<any>(response.headers ?? {})) {
    const { required, schema } = deref(header)
    const value = answer.headers.get(name)
    const isPage = answer.headers.get('content-type')?.startsWith('text/html')
    if (required || (name === 'X-Total-Count' && !isPage))
      expect([id, name, value]).toEqual([id, name, expect.any(String)])
    const typed = schema.type === 'integer' ? Number(value) : value
    if (value !== null) expect([name, value, ajv.validate(schema, typed)]).toEqual([name, value, true])
  }
  checked.add(`${id} ${status}`)
  if (!response.content) {
    expect(answer.text).toBe('')
    return
  }
  const mediaType = answer.headers.get('content-type')!.split(';')[0]!
  expect(Object.keys(response.content)).toContain(mediaType)
  const schema = `${OPENAPI}${pointer}/content/${escape(mediaType)}/schema`
  const body = /json$/.test(mediaType) && mediaType !== 'application/x-ndjson' ? JSON.parse(answer.text) : answer.text
  const validate = ajv.getSchema(schema)!
  expect([path, validate(body), validate.errors]).toEqual([path, true, null])
}

const uri = `uri=${encodeURIComponent(`${CRAFTS}bookbinding`)}`
const scheme = `uri=${encodeURIComponent(CRAFTS)}`

/**
 * Answers that are described and cannot be had here: a query that is too much for the store does not fit into a URL.
 */
const NOT_TRIED = ['sparqlQuery 502']

type Case = [id: string, status: number, path: string, init?: RequestInit]

/** The bodies of POSTs of the Reconciliation Service API. */
const QUERIES = JSON.stringify({ q0: { query: 'Buchbinderei' } })
const RECONCILE_BODIES: [id: string, path: string, body: BodyInit][] = [
  ['reconcileByPost', '', new URLSearchParams({ queries: QUERIES })],
  [
    'reconcileMatch',
    '/match',
    JSON.stringify({ queries: [{ conditions: [{ matchType: 'name', propertyValue: 'Buchbinderei' }] }] }),
  ],
  ['extend', '/extend', JSON.stringify({ ids: [`${CRAFTS}bookbinding`], properties: [{ id: 'notation' }] })],
]
const RECONCILE_ADDRESSES = [
  ['', '/reconcile'],
  ['InVocabulary', '/voc/crafts/reconcile'],
] as const

const RECONCILING: Case[] = RECONCILE_ADDRESSES.flatMap(([suffix, at]) => {
  const concept = `id=${encodeURIComponent(`${CRAFTS}bookbinding`)}`
  const gets: [id: string, good: string, bad: string][] = [
    ['reconcile', `?queries=${encodeURIComponent(QUERIES)}`, '?callback=-'],
    ['suggestEntities', '/suggest/entity?prefix=buch', '/suggest/entity?limit=x'],
    ['suggestProperties', '/suggest/property?prefix=not', '/suggest/property?limit=x'],
    ['suggestTypes', '/suggest/type?prefix=con', '/suggest/type?limit=x'],
    ['flyoutEntity', `/flyout/entity?${concept}`, '/flyout/entity'],
    ['previewEntity', `/preview?${concept}`, '/preview?id=x'],
    ['proposeProperties', '/extend/propose', '/extend/propose?limit=x'],
  ]
  const unknown = suffix === '' ? undefined : '/voc/none/reconcile'
  return [
    ...gets.flatMap(([id, good, bad]): Case[] => [
      [id + suffix, 200, at + good],
      [id + suffix, 400, at + bad],
      ...(unknown ? [[id + suffix, 404, unknown + good] as Case] : []),
    ]),
    ...['flyout/entity', 'preview'].map((path): Case => {
      const id = path === 'preview' ? 'previewEntity' : 'flyoutEntity'
      return [id + suffix, 404, `${at}/${path}?id=http://example.org/none`]
    }),
    ...RECONCILE_BODIES.flatMap(([id, path, body]): Case[] => [
      [id + suffix, 200, at + path, { method: 'POST', body }],
      [id + suffix, 400, at + path, { method: 'POST', body: '{' }],
      [id + suffix, 413, at + path, { method: 'POST', body: 'x'.repeat(1_100_000) }],
      ...(unknown ? [[id + suffix, 404, unknown + path, { method: 'POST', body }] as Case] : []),
    ]),
  ]
})

const STATED = statedMappingId(CRAFTS, `${CRAFTS}bookbinding`, `${SKOS}relatedMatch`, `${MATERIALS}leather`)
const CONCORDANCE = 'http://example.org/concordance'
const MAPPING: Case[] = [
  ['getMappings', 200, `/mappings?from=${encodeURIComponent(`${CRAFTS}bookbinding`)}`],
  ['getMappings', 200, '/mappings?limit=3&format=ndjson'],
  ['getMappings', 400, '/mappings?direction=x'],
  ['getMappingVocabularies', 200, '/mappings/voc'],
  ['getMappingVocabularies', 400, '/mappings/voc?limit=x'],
  ['suggestMappings', 200, '/mappings/suggest?search=B'],
  ['suggestMappings', 400, '/mappings/suggest?limit=x'],
  ['inferMappings', 200, `/mappings/infer?fromScheme=crafts&from=${encodeURIComponent(`${CRAFTS}bookbinding`)}`],
  ['inferMappings', 400, '/mappings/infer?to=x'],
  ['applyMappings', 200, `/mappings/apply?from=${encodeURIComponent(`${CRAFTS}bookbinding`)}`],
  ['applyMappings', 400, '/mappings/apply?depth=x'],
  [
    'applyMappingsToSet',
    200,
    '/mappings/apply',
    { method: 'POST', body: JSON.stringify([{ uri: `${CRAFTS}bookbinding` }]) },
  ],
  ['applyMappingsToSet', 400, '/mappings/apply', { method: 'POST', body: '{' }],
  ['applyMappingsToSet', 413, '/mappings/apply', { method: 'POST', body: 'x'.repeat(1_100_000) }],
  ['suggestMappingsFor', 200, `/mappings/suggest-for?from=${encodeURIComponent(`${CRAFTS}weaving`)}`],
  ['suggestMappingsFor', 400, '/mappings/suggest-for'],
  ['getMapping', 200, `/mappings/${STATED}`],
  ['getMapping', 404, '/mappings/none'],
  ['getConcordances', 200, '/concordances'],
  ['getConcordances', 400, '/concordances?limit=x'],
  ['getConcordance', 200, '/concordances/c'],
  ['getConcordance', 404, '/concordances/none'],
]

const VALIDATING: Case[] = [
  ['getValidate', 200, '/validate'],
  ['getValidate', 400, '/validate?url=http://example.org/'],
  ['validate', 200, '/validate', { body: '[{}]', headers: { 'content-type': 'application/json' } }],
  ['validate', 200, '/validate?type=concept', { body: '{"uri": "x y"}' }],
  ['validate', 200, '/validate', { body: '<urn:a> a <http://www.w3.org/2004/02/skos/core#Concept> .' }],
  ['validate', 400, '/validate', { body: '{' }],
  ['validate', 413, '/validate', { body: 'x'.repeat(1_100_000) }],
]

/** The parameters that methods of the REST API of Skosmos need besides the URI of a concept. */
const SKOSMOS_NEEDS: Record<string, string> = {
  Search: 'query=book*&fields=broader%20prefLabel',
  SearchVocabulary: 'query=book*&unique=true',
  Lookup: 'label=bookbinding',
  GroupMembers: `uri=${encodeURIComponent(`${CRAFTS}collection/japan`)}`,
}
/** Methods without anything that can be unknown. */
const NEVER_UNKNOWN = ['Vocabularies', 'Types']

const SKOSMOS: Case[] = METHODS.flatMap(({ path, id, schema, parameters }): Case[] => {
  const at = `/rest/v1${path.replace(':vocid', 'crafts').replace(':letter', 'B')}`
  const none = path.includes(':vocid') ? at.replace('crafts', 'none') : at
  const needs = SKOSMOS_NEEDS[id] ?? (parameters.some((parameter) => /^skosmos(Data)?Uri$/.test(parameter)) ? uri : '')
  const unknown = id === 'Search' ? 'query=book&vocab=none' : 'uri=http://example.org/none'
  const json = `${at}?lang=en&${needs}`
  return [
    [`skosmos${id}`, 200, schema ? json : `${json}&format=application/json`],
    [`skosmos${id}`, 400, schema ? `${json}&callback=-` : `${at}?${needs}&format=none`],
    ...(NEVER_UNKNOWN.includes(id) ? [] : [[`skosmos${id}`, 404, `${none}?${unknown}`] as Case]),
    ...(schema ? [] : [[`skosmos${id}`, 406, `${at}?${needs}`, { headers: { accept: 'text/html' } }] as Case]),
  ]
})

const CASES: Case[] = [
  ...RECONCILING,
  ['skosmosDataOfVocabulary', 302, '/rest/v1/crafts/data'],
  ...SKOSMOS,
  ['skosmosData', 200, `/rest/v1/data?${uri}&format=text/turtle`],
  ...VALIDATING,
  ...MAPPING,
  ['getEntity', 303, `/entity?${uri}`],
  ['getEntity', 400, '/entity?uri=relative'],
  ['getEntity', 404, '/entity?uri=http://example.org/none'],
  ['getConceptsByLabel', 303, '/label/Bookbinding'],
  ['getConceptsByLabel', 300, '/label/Alike'],
  ['getConceptsByLabel', 400, '/label/Alike?format=x'],
  ['getConceptsByLabel', 404, '/label/None'],
  ['getVoid', 200, '/.well-known/void'],
  ['getSitemap', 200, '/sitemap.xml'],
  ['getSitemap', 200, '/sitemap.xml?voc=crafts&part=0'],
  ['getSitemap', 400, '/sitemap.xml?part=x'],
  ['getSitemap', 404, '/sitemap.xml?voc=none'],
  ['getRobots', 200, '/robots.txt'],
  ['getData', 200, `/data?${uri}`],
  ['getData', 200, `/data?${uri}`, { headers: { accept: 'text/html' } }],
  ['getData', 200, `/data?${uri}&properties=*,descendants`],
  ['getData', 200, `/data?${uri}&properties=%2Bmapping,mappings,altLabel&languages=de&language=en`],
  ['getData', 200, '/data?notation=B1&properties=notation&voc=crafts'],
  ['getData', 200, '/data?id=http://example.org/none'],
  ['getData', 200, `/data?uri=${encodeURIComponent(`${CRAFTS}bookbinding|${CRAFTS}`)}&properties=*`],
  ['getData', 200, `/data?${uri}&format=turtle`],
  ['getData', 200, `/data?${uri}&format=ntriples`],
  ['getData', 200, `/data?${uri}&format=jsonld`],
  ['getData', 200, `/data?${uri}&format=ndjson`],
  ['getData', 200, `/data?${uri}&format=rdfxml`],
  ['getTree', 200, `/voc/crafts/tree?at=${CRAFTS}bookbinding`],
  ['getTree', 400, '/voc/crafts/tree?at=relative'],
  ['getTree', 404, `/voc/none/tree?at=${CRAFTS}bookbinding`],
  ['getStatistics', 200, '/voc/crafts/statistics'],
  ['getStatistics', 200, '/voc/crafts/statistics', { headers: { accept: 'text/html' } }],
  ['getServiceStatistics', 200, '/statistics'],
  ['getServiceStatistics', 200, '/statistics', { headers: { accept: 'text/html' } }],
  ['getStatistics', 404, '/voc/none/statistics'],
  ['getCollections', 200, '/voc/crafts/groups?properties=*'],
  ['getCollections', 400, '/voc/crafts/groups?member=relative'],
  ['getCollections', 404, '/voc/none/groups'],
  ['getData', 400, '/data'],
  ['getData', 404, `/data?${uri}&at=2026-05-01`],
  ['getData', 400, '/data?uri=relative'],
  ['postData', 200, '/data', { body: new URLSearchParams({ uri: `${CRAFTS}bookbinding`, properties: '*' }) }],
  ['postData', 400, '/data', { body: '{}', headers: { 'content-type': 'application/json' } }],
  ['postData', 404, '/data', { body: new URLSearchParams(`${uri}&at=2026-05-01`) }],
  ['postData', 413, '/data', { body: new URLSearchParams({ uri: `${CRAFTS}${'x'.repeat(1_100_000)}` }) }],
  ['getBroader', 200, `/broader?${uri}`],
  ['getBroader', 400, '/broader'],
  ['getNarrower', 200, `/narrower?${uri}&limit=1&properties=narrower`],
  ['getNarrower', 400, `/narrower?${uri}&limit=-1`],
  ['getDescendants', 200, `/descendants?${uri}&voc=subset_crafts-school`],
  ['getDescendants', 400, '/descendants?uri='],
  ['getAncestors', 200, `/ancestors?${uri}&properties=-`],
  ['getAncestors', 400, `/ancestors?${uri}&${uri}`],
  ['getConcepts', 200, '/concepts?limit=3'],
  ['getConcepts', 200, `/concepts?${uri}`],
  ['getConcepts', 400, `/concepts?${uri}&notation=B`],
  ['getConcepts', 404, `/concepts?${uri}&at=2026-05-01`],
  ['getConceptsNarrower', 200, `/concepts/narrower?${uri}`],
  ['getConceptsNarrower', 400, '/concepts/narrower'],
  ['getConceptsAncestors', 200, `/concepts/ancestors?${uri}`],
  ['getConceptsAncestors', 400, '/concepts/ancestors'],
  ['getConceptsSearch', 200, '/concepts/search?query=buch'],
  ['getConceptsSearch', 400, '/concepts/search?limit=x'],
  ['getConceptsSuggest', 200, '/concepts/suggest?search=buch'],
  ['getConceptsSuggest', 400, '/concepts/suggest?limit=x'],
  ['searchVocabularies', 200, '/voc/search?query=handwerk'],
  ['searchVocabularies', 400, '/voc/search?license=x'],
  ['suggestVocabularies', 200, '/voc/suggest?search=handwerk'],
  ['suggestVocabularies', 200, '/voc/suggest?search=handwerk&format=jskos'],
  ['suggestVocabularies', 400, '/voc/suggest?offset=x'],
  ['getVocabularies', 200, '/voc?subset=true&properties=*'],
  ['getVocabularies', 200, '/voc?sort=label&order=desc&license=http://creativecommons.org/publicdomain/zero/1.0/'],
  ['getVocabularies', 200, '/voc?limit=1'],
  ['getVocabularies', 200, '/voc?notation=none'],
  ['getVocabularies', 400, '/voc?limit=1e3'],
  ['getVocabulary', 200, '/voc/crafts'],
  ['getVocabulary', 200, '/voc/crafts', { headers: { accept: 'text/html' } }],
  ['getVocabulary', 200, '/voc/subset_crafts-school?format=jsonld'],
  ['getVocabulary', 400, '/voc/crafts?format=none'],
  ['getVocabulary', 404, '/voc/none'],
  ['getTopConcepts', 200, '/voc/crafts/top?limit=2&offset=2'],
  ['getTopConcepts', 400, '/voc/crafts/top?offset=x'],
  ['getTopConcepts', 404, '/voc/none/top'],
  ['getConceptsOfVocabularyById', 200, '/voc/crafts/concepts?limit=2&offset=2&properties=-'],
  ['getConceptsOfVocabularyById', 200, '/voc/subset_crafts-school/concepts?download=turtle'],
  ['getConceptsOfVocabularyById', 400, '/voc/crafts/concepts?offset=x'],
  ['getConceptsOfVocabularyById', 404, '/voc/none/concepts'],
  ['getTopConceptsByUri', 200, `/voc/top?${scheme}`],
  ['getTopConceptsByUri', 400, '/voc/top'],
  ...EXPORT_FORMATS.map(({ formats }): Case => ['exportVocabulary', 200, `/voc/crafts/export?format=${formats[0]}`]),
  ['exportVocabulary', 200, `/voc/crafts/export?${uri}&format=jsonld`],
  ['exportVocabulary', 206, '/voc/crafts/export', { headers: { range: 'bytes=0-9', 'accept-encoding': 'identity' } }],
  ['exportVocabulary', 416, '/voc/crafts/export', { headers: { range: 'bytes=10000000-' } }],
  ['exportVocabulary', 412, '/voc/crafts/export', { headers: { 'if-match': '"other"' } }],
  ['exportVocabulary', 400, '/voc/crafts/export?format=pdf'],
  ['exportVocabulary', 404, '/voc/none/export'],
  ['exportVocabulary', 404, '/voc/crafts/export?uri=http://example.org/none'],
  ['getConceptsOfVocabulary', 200, `/voc/concepts?${scheme}&properties=*`],
  ['getConceptsOfVocabulary', 200, `/voc/concepts?${scheme}&download=ndjson`],
  ['getConceptsOfVocabulary', 400, `/voc/concepts?${scheme}&download=pdf`],
  ['getTypes', 200, '/types'],
  ['getTypes', 400, '/types?uri=x'],
  ['getTypesOfVocabulary', 200, '/concept-types/test'],
  ['getTypesOfVocabulary', 400, '/concept-types/test?limit=x'],
  ['search', 200, '/search?query=buch&voc=crafts&properties=*'],
  ['search', 200, '/search?limit=2&offset=2&use=label,notation&sort=score'],
  ['search', 200, '/search?query=nothing-like-this'],
  ['search', 200, '/search?query=blaudrck'],
  ['search', 200, '/search?query=buch&format=turtle'],
  ['search', 400, '/search?query=buch&ancestors=relative'],
  ['suggest', 200, '/suggest?search=buch&language=en'],
  ['suggest', 200, '/suggest?search=nothing-like-this'],
  ['suggest', 200, '/suggest?search=blaudrck&format=jskos'],
  ['suggest', 400, '/suggest?search=buch&count=x'],
  ['getFormats', 200, '/formats?limit=3&offset=1'],
  ['getFormats', 200, '/formats?application=application/structure'],
  ['getFormats', 200, '/formats?format=ndjson'],
  ['getFormats', 400, '/formats?limit=x'],
  ['getFormat', 200, '/formats/application'],
  ['getFormat', 404, '/formats/none'],
  ['getHistory', 404, `/history?${uri}`],
  ['getChanges', 404, '/voc/crafts/changes'],
  ['getProposals', 404, '/voc/none/proposals'],
  ['getActivity', 404, '/voc/crafts/activity'],
  ['getActivityPage', 404, '/voc/crafts/activity/page/1'],
  ['getActivityContext', 404, '/activity/context.json'],
  ['getFormatSchema', 200, '/formats/schema.json'],
  ['getFormatContext', 200, '/formats/context.json'],
  ['downloadFormats', 200, '/formats.ndjson'],
  ['downloadFormats', 400, '/formats.ndjson?offset=x'],
  ['getContext', 200, '/context.json'],
  ['getStatus', 200, '/status'],
  ['getStatusSchema', 200, '/status.schema.json'],
  ['getHealth', 200, '/healthz'],
  ['getReadiness', 200, '/readyz'],
  ['getMetrics', 200, '/metrics'],
  ['getOpenapi', 200, '/openapi.json'],
  ['getDocs', 200, '/docs'],
  ['getPicker', 200, '/picker.js?v=1.0.0'],
  ['getPicker', 400, '/picker.js?v=1&v=2'],
  ['getStart', 200, '/'],
  ['getStart', 200, '/', { headers: { accept: 'text/html' } }],
  ['testApiCalls', 200, '/testAPICalls'],
]

/** Something good to ask of each operation with GET. */
const GOOD = new Map(
  CASES.filter(([id, status, , init]) => [200, 303].includes(status) && id !== 'postData' && !init).map(
    ([id, , path]) => [id, path],
  ),
)
const documents = (id: string, status: number) =>
  OPERATIONS.find(({ operation }) => operation.operationId === id)!.operation.responses[status] !== undefined

/** A vocabulary with two concepts of one name. */
const ALIKE = 'http://example.org/alike/'

describeOver(EMBEDDED, 'The service gives every documented answer', (store) => {
  let app: RunningApp
  let stop: (() => Promise<void>) | undefined
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    app = await startDemo(running.endpoint)
    const text = JSON.stringify(JSON.stringify({ uri: CONCORDANCE, notation: ['c'] }))
    await app.put(
      CONCORDANCE,
      `<${CONCORDANCE}> a <http://rdfs.org/ns/void#Linkset> ; <urn:x-vocabulary-service:concordance> ${text} .`,
    )
    const alike = ['a', 'b'].map(
      (name) => `<${ALIKE}${name}> a skos:Concept ; skos:inScheme <${ALIKE}> ; skos:prefLabel "Alike"@en .`,
    )
    await app.put(
      ALIKE,
      `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . <${ALIKE}> a skos:ConceptScheme . ${alike.join(' ')}`,
    )
  })
  afterAll(async () => {
    await app?.close()
    await stop?.()
  })

  // An argument more than the row has would be a callback of jest.
  test.each(CASES)('%s %i: %s', async (...row) => {
    const [id, status, path, init] = row
    await check(app, id, status, path, init)
  })

  test.each([...GOOD].filter(([id]) => documents(id, 304)))('%s 304', async (id, path) => {
    const read = async () => (await app.get(path)).headers.get('etag')!
    // On a slow machine, numbers come after the first answer.
    let [before, etag] = ['', await read()]
    while (etag !== before) [before, etag] = [etag, await read()]
    await check(app, id, 304, path, { headers: { 'if-none-match': etag } })
  })

  test('validate 429', async () => {
    const sent = await Promise.all(Array.from({ length: 120 }, () => app.get('/validate', { method: 'POST' })))
    expect(sent.map(({ status }) => status)).toContain(429)
    await check(app, 'validate', 429, '/validate')
  })

  test.each([...GOOD])('%s has no other method', async (_, path) => {
    const answer = await app.get(path, { method: 'PATCH' })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toMatch(/^GET, HEAD(, POST)?$/)
    const validate = ajv.getSchema(`${OPENAPI}#/components/schemas/ApiError`)!
    expect([validate(answer.body), validate.errors]).toEqual([true, null])
  })
})

describeOver(EMBEDDED, 'POST /ingest is described', (store) => {
  let service: IngestService
  let stop: (() => Promise<void>) | undefined
  let account: TestAccount
  beforeAll(async () => {
    const running = await store.start()
    stop = () => running.stop()
    service = await startIngest(running.endpoint)
    await putDemo(service)
    account = await service.account()
  })
  afterAll(async () => {
    await service?.close()
    await stop?.()
  })

  const request = (by: object, ...concepts: object[]) => JSON.stringify([{ ...by, data: JSON.stringify(concepts) }])
  test.each<[status: number, what: string, body: () => string | Promise<string>]>([
    [201, 'a concept', () => request(account, concept())],
    [201, 'several concepts', () => request(account, concept(), concept())],
    [400, 'no JSON', () => '[{'],
    [401, 'a wrong token', () => request({ ...account, token: 'wrong' }, concept())],
    [403, 'another vocabulary', () => request(account, concept({ inScheme: [{ uri: MATERIALS }] }))],
    [413, 'a large body', () => request(account, concept({ prefLabel: { de: 'x'.repeat(1_100_000) } }))],
    [422, 'a concept without a name', () => request(account, concept({ prefLabel: {} }))],
    [422, 'no account', () => '[{}]'],
  ])('%i: %s', async (status, _, body) => {
    await check(service, 'ingest', status, '/ingest', { body: await body() })
  })

  test('and so is the history of what it adds', async () => {
    const [{ uri }] = (await service.propose(account, [concept()])).body
    const path = `/history?uri=${encodeURIComponent(uri)}`
    await check(service, 'getHistory', 200, path)
    await check(service, 'getHistory', 200, `${path}&format=ndjson`)
    await check(service, 'getHistory', 200, path, { headers: { accept: 'text/html' } })
    const etag = (await service.get(path)).headers.get('etag')!
    await check(service, 'getHistory', 304, path, { headers: { 'if-none-match': etag } })
    await check(service, 'getHistory', 400, '/history')
    await service.client.update(`DELETE WHERE { GRAPH <${CRAFTS}> { <${uri}> ?p ?o } }`, CRAFTS)
    await service.history!.recordStored(CRAFTS, { by: 'normalise' })
    service.state.changed()
    await check(service, 'getEntity', 410, `/entity?uri=${encodeURIComponent(uri)}`)
    for (const form of ['json', 'ndjson', 'atom', 'jsonld', 'turtle']) {
      await check(service, 'getChanges', 200, `/voc/crafts/changes?format=${form}`)
    }
    await check(service, 'getChanges', 200, '/voc/crafts/changes', { headers: { accept: 'text/html' } })
    const changes = (await service.get('/voc/crafts/changes')).headers.get('etag')!
    await check(service, 'getChanges', 304, '/voc/crafts/changes', { headers: { 'if-none-match': changes } })
    await check(service, 'getChanges', 400, '/voc/crafts/changes?kind=x')
    for (const state of ['open', 'accepted', 'refused']) {
      for (const form of ['json', 'ndjson', 'turtle', 'csv']) {
        await check(service, 'getProposals', 200, `/voc/crafts/proposals?status=${state}&format=${form}`)
      }
    }
    const proposals = (await service.get('/voc/crafts/proposals')).headers.get('etag')!
    await check(service, 'getProposals', 304, '/voc/crafts/proposals', { headers: { 'if-none-match': proposals } })
    await check(service, 'getProposals', 400, '/voc/crafts/proposals?status=x')
    const activity = [
      ['getActivity', '/voc/crafts/activity'],
      ['getActivityPage', '/voc/crafts/activity/page/1'],
      ['getActivityContext', '/activity/context.json'],
    ] as const
    for (const [id, path] of activity) {
      for (const accept of ['application/json', 'application/activity+json', 'application/ld+json']) {
        await check(service, id, 200, path, { headers: { accept } })
      }
      const etag = (await service.get(path)).headers.get('etag')!
      await check(service, id, 304, path, { headers: { 'if-none-match': etag } })
    }
  })

  test('429: more than the account may send', async () => {
    const limited = await service.account({ limits: '1/day' })
    await check(service, 'ingest', 201, '/ingest', { body: request(limited, concept()) })
    await check(service, 'ingest', 429, '/ingest', { body: request(limited, concept()) })
  })
})

describe('/sparql is described', () => {
  let store: StartedStore
  let app: RunningApp
  beforeAll(async () => {
    store = await startStore({ queryTimeoutMs: 1000 })
    app = await startApp(store.endpoint, {}, { sparql: store.publicQuery })
    await putDemo(app)
  })
  /**
   * A query that was ended takes the thread of the public with it, and a busy machine takes its time to start another.
   */
  const prepared = async () => {
    while ((await app.get('/sparql?query=ASK%7B%7D')).status !== 200) await sleep(50)
  }
  afterAll(async () => {
    await app.close()
    await store.close()
  })

  const SELECT = 'SELECT ?c WHERE { ?c a <http://www.w3.org/2004/02/skos/core#Concept> } LIMIT 3'
  const CONSTRUCT = 'CONSTRUCT WHERE { ?c a <http://www.w3.org/2004/02/skos/core#Concept> }'
  const ENDLESS = 'SELECT (COUNT(*) AS ?n) WHERE { ?a ?b ?c . ?d ?e ?f . ?g ?h ?i }'
  const DEEP = `SELECT * WHERE { FILTER(${'('.repeat(100_000)}1${')'.repeat(100_000)}) }`
  const LONG = 'x'.repeat(1_100_000)

  test.each<[status: number, query: string, accept: string]>([
    [200, SELECT, 'application/sparql-results+json'],
    [200, SELECT, 'application/sparql-results+xml'],
    [200, SELECT, 'text/csv'],
    [200, SELECT, 'text/tab-separated-values'],
    [200, SELECT, 'application/json'],
    [200, SELECT, 'application/xml'],
    [200, SELECT, 'text/xml'],
    [200, 'ASK {}', 'application/sparql-results+json'],
    [200, CONSTRUCT, 'text/turtle'],
    [200, CONSTRUCT, 'application/n-triples'],
    [200, CONSTRUCT, 'application/ld+json'],
    [200, CONSTRUCT, 'application/rdf+xml'],
    [200, CONSTRUCT, 'application/trig'],
    [200, CONSTRUCT, 'application/n-quads'],
    [200, CONSTRUCT, 'application/json'],
    [200, CONSTRUCT, 'text/plain'],
    [400, 'SELECT', '*/*'],
    [504, ENDLESS, '*/*'],
  ])('%i: %s as %s', async (status, query, accept) => {
    const headers = { accept }
    await prepared()
    await check(app, 'sparqlQuery', status, `/sparql?query=${encodeURIComponent(query)}`, { headers })
    await prepared()
    await check(app, 'sparqlQueryByPost', status, '/sparql', { headers, body: new URLSearchParams({ query }) })
    await prepared()
    const direct = { accept, 'content-type': 'application/sparql-query' }
    await check(app, 'sparqlQueryByPost', status, '/sparql', { headers: direct, body: query })
  })

  test('403: an update', async () => {
    await prepared()
    await check(app, 'sparqlQuery', 403, '/sparql?update=DROP+ALL')
    await check(app, 'sparqlQueryByPost', 403, '/sparql', { body: new URLSearchParams({ update: 'DROP ALL' }) })
  })
  test('413: a long query', async () => {
    await prepared()
    await check(app, 'sparqlQueryByPost', 413, '/sparql', { body: new URLSearchParams({ query: LONG }) })
  })
  test('502: more than the store can hold', async () => {
    await prepared()
    await check(app, 'sparqlQueryByPost', 502, '/sparql', { body: new URLSearchParams({ query: DEEP }) })
  })
  test('503: the store is being closed', async () => {
    await store.close()
    await check(app, 'sparqlQuery', 503, `/sparql?query=${encodeURIComponent(SELECT)}`)
    await check(app, 'sparqlQueryByPost', 503, '/sparql', { body: new URLSearchParams({ query: SELECT }) })
  })
})

describe.each<[status: number, what: string, listener: RequestListener]>([
  [502, 'refuses', (_, response) => response.writeHead(500).end('a secret of the store')],
  [503, 'has no time', (_, response) => response.writeHead(503).end()],
  [504, 'does not answer', () => undefined],
])('%i where the store %s', (status, _, listener) => {
  // A busy machine must not meet the deadline if the store answers.
  const env = { SPARQL_TIMEOUT_MS: status === 504 ? '100' : '30000' }
  let app: RunningApp
  let server: Server
  beforeAll(async () => {
    server = createServer(listener)
    const url = `${await listen(server)}/`
    app = await startApp({ queryUrl: url, updateUrl: url, graphStoreUrl: url }, env)
  })
  afterAll(async () => {
    await app.close()
    await closeServer(server)
  })

  // Clients of reconciliation, and those that ask whether the service is ready, know 503 alone.
  const fails = (id: string) => documents(id, status) || (status === 502 && documents(id, 503))
  test.each([...GOOD].filter(([id]) => fails(id)))('%s', async (id, path) => {
    await check(app, id, id !== 'getStatus' && documents(id, status) ? status : 503, path)
  })

  test.each(
    RECONCILE_ADDRESSES.flatMap(([suffix, at]) =>
      RECONCILE_BODIES.map(([id, path, body]) => [id + suffix, at + path, body] as const),
    ),
  )('%s', async (id, path, body) => {
    await check(app, id, status === 502 ? 503 : status, path, { method: 'POST', body })
  })

  test('of the history', async () => {
    const history = await History.open(await newDirectory(), app.client)
    const draft = await history.log.drafts.begin(await history.log.intern(CRAFTS), '', { by: 'load' }, '2026-01-01')
    const uri = `${CRAFTS}bookbinding`
    const [before, after] = [NOTHING, NOTHING]
    await history.log.drafts.add(draft, [
      { uri, kind: 'Create', isListed: true, before, after, removed: [], added: [] },
    ])
    const described = await startApp(app.client.endpoint, env, { history })
    await check(described, 'getHistory', status, `/history?uri=${encodeURIComponent(uri)}`)
    await check(described, 'getChanges', status, '/voc/crafts/changes')
    await check(described, 'getProposals', status, '/voc/crafts/proposals')
    await check(described, 'getActivity', status, '/voc/crafts/activity')
    await check(described, 'getActivityPage', status, '/voc/crafts/activity/page/1')
    await described.close()
    await history.close()
  })

  test('postData', async () => {
    await check(app, 'postData', status, '/data', { body: new URLSearchParams({ uri: `${CRAFTS}bookbinding` }) })
  })
  test('applyMappingsToSet', async () => {
    await check(app, 'applyMappingsToSet', status, '/mappings/apply', { method: 'POST', body: '[]' })
  })
})

test('no documented answer was left out', () => {
  // 500 is what nobody has thought of, and default is anything: both have the form of all errors.
  const all = OPERATIONS.flatMap(({ operation }) =>
    Object.keys(operation.responses)
      .filter((status) => !['500', 'default'].includes(status))
      .map((status) => `${operation.operationId} ${status}`),
  )
  expect(all.filter((id) => !checked.has(id))).toEqual(NOT_TRIED)
})
