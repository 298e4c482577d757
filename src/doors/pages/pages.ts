import type { Request, RequestHandler, Response } from 'express'
import type { Config } from '../../config.ts'
import { ATOM } from '../../writing/history/atom.ts'
import type { Endpoint } from '../../interface/http/endpoint.ts'
import type { ToErrorPage } from '../../interface/http/errors.ts'
import { givenParameters, queryOf, readParameters, type Parameters } from '../../interface/http/parameters.ts'
import { sendWhole, untilAnswered } from '../../interface/http/send.ts'
import { linkHeader } from '../../interface/http/headers.ts'
import { operation } from '../../interface/openapi/operation.ts'
import { ref } from '../../interface/openapi/references.ts'
import {
  GONE,
  json,
  MALFORMED,
  NOT_FOUND,
  NOT_MODIFIED,
  OTHER_ERRORS,
  pageContent,
  STORE_ERRORS,
  textResponse,
  withOther,
} from '../../interface/openapi/responses.ts'
import { refuseUrl, type ToReportPage } from '../validate/endpoints.ts'
import { aboutPage } from './about-page.tsx'
import { favicon, pickerScript } from './assets.ts'
import { changesPage } from './changes-page.tsx'
import {
  toPageRequest,
  type PageRequest,
  type PageDependencies,
  RECORD_MEDIA_TYPES,
  wantsPage,
} from './page-request.ts'
import { conceptPage } from './concept-page.tsx'
import { labelPage, conceptByLabel } from './label-page.tsx'
import { docsPage } from './docs-page.tsx'
import { documentPage } from './document-page.tsx'
import { entity } from './entity.ts'
import { feedbackEndpoint, feedbackPage } from './feedback-page.tsx'
import { findPage } from './find-page.tsx'
import { historyPage } from './history-page.tsx'
import { groupsPage } from './groups-page.tsx'
import { indexPage } from './index-page.tsx'
import { readLanguage, type ReaderLanguages } from './language.ts'
import { mappingsPage } from './mappings-page.tsx'
import { toHtml, toPart, type PageResult } from './page.tsx'
import { gonePage, problemPage, type Missing } from './problem-page.tsx'
import { proposalsForm } from './proposals-form.ts'
import { proposalsPage } from './proposals-page.tsx'
import { proposeForm, type OnRefusal, type RefusalPage, proposePage } from './propose-page.tsx'
import { robots, sitemap } from './sitemap.ts'
import { voidDescription } from './void.ts'
import { ofService, serviceStatisticsPage } from './service-statistics-page.tsx'
import { sparqlPage } from './sparql-page.tsx'
import { statisticsPage } from './statistics-page.tsx'
import { treePage } from './tree-page.tsx'
import { validatePage } from './validate-page.tsx'
import { vocabulariesPage, VOCABULARIES_PARAMETERS } from './vocabularies-page.tsx'
import { vocabularyPage } from './vocabulary-page.tsx'
import { readVocabularyFacts } from './vocabulary-facts.ts'
import { statistics } from './vocabulary-statistics.ts'

/** A row of the table of pages. */
interface PageRoute {
  path: string
  page: (request: PageRequest) => PageResult | Promise<PageResult>
  /** Parameters besides `lang` and `clang`. */
  parameters?: readonly string[]
  /** For an address that is also an endpoint: true if this request may get a page when it prefers HTML. */
  shared?: (parameters: Parameters) => boolean
  /** The address is the page's alone unless the request has this parameter of the page. */
  sharedWith?: string
  /** Further parameters that ask for the answer of the interface at a shared address. */
  forInterface?: readonly string[]
  /** The form of the page posts to its own address, where an endpoint of the interface takes it. */
  hasForm?: true
  /** The media types besides HTML at a shared address; by default the media types of records. */
  mediaTypes?: readonly string[]
  /** Takes the form of the page, which posts to its own address. */
  form?: (dependencies: PageDependencies) => RequestHandler[]
  /** As in `Endpoint`. */
  absent?: Endpoint<PageDependencies>['absent']
  /** The description of the page in the OpenAPI document, which leaves out most pages. */
  operation?: object
  /** The text for "not found". */
  missing?: Missing
  /** Made anew for each request, in any state of the store. */
  isAlone?: true
  /** Depends on who has logged in, so that nobody may keep it. */
  isPrivate?: true
}

const JSON_ALONE = ['application/json']
const SPARQL_RESULTS = [
  'application/sparql-results+json',
  'application/sparql-results+xml',
  'text/csv',
  'text/tab-separated-values',
]

const DOCS = operation('Service', {
  id: 'getDocs',
  summary: 'This document as a page, to read and to try out',
  responses: { 200: textResponse('A page', 'text/html'), ...NOT_MODIFIED, ...OTHER_ERRORS },
})
const VALIDATE_FORM = operation('Data', {
  id: 'getValidate',
  summary: 'A form for checking records and RDF',
  responses: { 200: textResponse('A page', 'text/html'), ...NOT_MODIFIED, ...MALFORMED, ...OTHER_ERRORS },
})

// oxfmt-ignore
/** THE table of pages. At a shared address, the page comes before the endpoint of the interface. */
const PAGES: readonly PageRoute[] = [
  { path: '/', page: vocabulariesPage, parameters: VOCABULARIES_PARAMETERS, shared: always, mediaTypes: JSON_ALONE },
  { path: '/voc/:vocid', page: vocabularyPage, shared: always, missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/tree', page: treePage, parameters: ['uri', 'at', 'offset', 'part', 'unreached'], shared: always, sharedWith: 'at', mediaTypes: JSON_ALONE, missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/index', page: indexPage, parameters: ['letter', 'by', 'at', 'offset', 'part'], missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/groups', page: groupsPage, parameters: ['uri', 'at', 'offset', 'part'], shared: always, forInterface: ['member', 'type', 'top', 'limit'], missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/statistics', page: statisticsPage, shared: always, mediaTypes: JSON_ALONE, missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/mappings', page: mappingsPage, parameters: ['from', 'to', 'offset'], missing: 'unknownVocabulary' },
  { path: '/voc/:vocid/changes', page: changesPage, parameters: ['since', 'kind', 'offset', 'part'], shared: always, mediaTypes: [...RECORD_MEDIA_TYPES, ATOM.mediaType], missing: 'unknownVocabulary',
    absent: ({ history }) => (history ? undefined : 'This service keeps no history.') },
  { path: '/voc/:vocid/proposals', page: proposalsPage, parameters: ['status', 'offset', 'done'], shared: always, missing: 'unknownVocabulary', isAlone: true, isPrivate: true },
  { path: '/statistics', page: serviceStatisticsPage, shared: always, mediaTypes: JSON_ALONE },
  { path: '/feedback', page: feedbackPage, form: feedbackEndpoint, parameters: ['uri', 'sent'], missing: 'unknownConcept',
    absent: ({ sendFeedback }) => (sendFeedback ? undefined : 'This service has no form for reports.') },
  { path: '/propose', page: proposePage, form: (dependencies) => proposeForm(dependencies, onRefusal), parameters: ['voc', 'stored'], missing: 'unknownVocabulary', isAlone: true, isPrivate: true,
    absent: ({ ingest }) => (ingest ? undefined : 'This service accepts no concepts.') },
  { path: '/find', page: findPage, parameters: ['query', 'voc', 'type', 'in', 'ancestors', 'use', 'offset'] },
  { path: '/concept', page: conceptPage, parameters: ['uri', 'voc', 'offset', 'suggest'], missing: 'unknownConcept' },
  { path: '/label/:label', page: labelPage, parameters: ['voc'], shared: always, mediaTypes: JSON_ALONE, missing: 'unknownLabel' },
  { path: '/sparql', page: sparqlPage, parameters: ['query', 'update', 'view', 'example'], shared: isNoProtocol, mediaTypes: [...RECORD_MEDIA_TYPES, ...SPARQL_RESULTS],
    absent: ({ sparqlUrl }) => (sparqlUrl === undefined ? 'This service has no page for SPARQL queries.' : undefined), isAlone: true },
  { path: '/docs', page: docsPage, isAlone: true, operation: DOCS },
  { path: '/docs/:document', page: documentPage, isAlone: true },
  { path: '/about', page: aboutPage, isAlone: true },
  { path: '/data', page: conceptPage, parameters: ['uri', 'voc'], shared: isOneUri, missing: 'unknownConcept' },
  { path: '/history', page: historyPage, parameters: ['uri', 'offset'], shared: isOneUri, missing: 'unknownConcept',
    absent: ({ history }) => (history ? undefined : 'This service keeps no history.') },
  { path: '/validate', page: (request) => validatePage(request), hasForm: true, isAlone: true, operation: VALIDATE_FORM },
]

function always(): boolean {
  return true
}

function isOneUri(parameters: Parameters): boolean {
  return parameters.get('uri')?.includes('|') === false
}

/** A query from anywhere but the page gets the answer of the SPARQL 1.1 Protocol. */
function isNoProtocol(parameters: Parameters): boolean {
  return parameters.has('view') || !(parameters.has('query') || parameters.has('update'))
}

/**
 * Pages load everything from this service, and only their forms may submit elsewhere (Content Security Policy Level 3).
 */
function policyOf({ sparqlPublicUrl }: Config): string {
  const formTargets = sparqlPublicUrl === undefined ? '' : ` ${new URL(sparqlPublicUrl).origin}`
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    `form-action 'self'${formTargets}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join(';')
}

/** The pages as endpoints, and the addresses for programs that follow links and robots. */
export const PAGE_ENDPOINTS: readonly Endpoint<PageDependencies>[] = [
  ...PAGES.map(pageEndpoint),
  {
    path: '/voc/:vocid/statistics',
    get: {
      handler: statistics,
      operation: operation('Vocabularies', {
        id: 'getStatistics',
        summary: 'Numbers of concepts, labels, collections and mappings of a vocabulary',
        parameters: ['vocid'],
        responses: {
          200: withOther(json('The numbers', ref('VocabularyStatistics')), pageContent()),
          ...NOT_MODIFIED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/voc/:vocid/proposals',
    absent: ({ editing }) => (editing ? undefined : 'This service takes no decisions about proposals.'),
    post: { handler: (dependencies) => [markPage({ missing: 'unknownVocabulary' }), ...proposalsForm(dependencies)] },
  },
  {
    path: '/statistics',
    get: {
      handler: ofService,
      operation: operation('Vocabularies', {
        id: 'getServiceStatistics',
        summary: 'Numbers of concepts, labels, collections and mappings of all vocabularies together and of each',
        responses: {
          200: withOther(json('The numbers', ref('ServiceStatistics')), pageContent()),
          ...NOT_MODIFIED,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/entity',
    get: {
      handler: (dependencies) => [markPage({ missing: 'unknownConcept' }), entity(dependencies)],
      operation: operation('Data', {
        id: 'getEntity',
        summary: 'Redirects from a URI to its page or its record, depending on `Accept`',
        description: 'URIs of concepts and vocabularies below the address of the service redirect in the same way.',
        parameters: ['entityUri', 'format', 'pageLanguage'],
        responses: {
          303: withOther(
            textResponse('`Location` is the address of the page or the record', 'text/plain'),
            pageContent(),
          ),
          ...MALFORMED,
          ...NOT_FOUND,
          ...GONE,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/label/:label',
    get: {
      handler: (dependencies) => conceptByLabel(dependencies),
      operation: operation('Data', {
        id: 'getConceptsByLabel',
        summary: 'Redirects from a label to the record or the page of its concept, depending on `Accept`',
        description:
          'Preferred labels take precedence over other labels, and the same letters over a label that differs in case or accents.',
        parameters: ['label', 'voc', 'format'],
        responses: {
          300: json('The concepts, if several have this label', { type: 'array', items: ref('Concept') }),
          303: withOther(
            textResponse('`Location` is the address of the record or the page', 'text/plain'),
            pageContent(),
          ),
          ...MALFORMED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/sitemap.xml',
    get: {
      handler: sitemap,
      operation: operation('Data', {
        id: 'getSitemap',
        summary: 'The addresses of all pages for search engines',
        parameters: ['sitemapVoc', 'sitemapPart'],
        responses: {
          200: withOther(
            { description: 'A sitemap, or the index of all sitemaps' },
            { 'application/xml': { schema: { type: 'string' } } },
          ),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...NOT_FOUND,
          ...STORE_ERRORS,
        },
      }),
    },
  },
  {
    path: '/robots.txt',
    get: {
      handler: robots,
      operation: operation('Data', {
        id: 'getRobots',
        summary: 'Rules for robots',
        responses: { 200: textResponse('The rules', 'text/plain'), ...NOT_MODIFIED, ...OTHER_ERRORS },
      }),
    },
  },
  {
    path: '/picker.js',
    get: {
      handler: ({ assets }) => pickerScript(assets),
      operation: operation('Service', {
        id: 'getPicker',
        summary: 'The element `<vocabulary-picker>` for forms of any site, as a JavaScript module',
        parameters: ['pickerVersion'],
        responses: {
          200: textResponse('The module', 'text/javascript'),
          ...NOT_MODIFIED,
          ...MALFORMED,
          ...OTHER_ERRORS,
        },
      }),
    },
  },
  { path: '/favicon.ico', get: { handler: ({ assets }) => favicon(assets) } },
  {
    path: '/.well-known/void',
    get: {
      handler: voidDescription,
      operation: operation('Data', {
        id: 'getVoid',
        summary: 'The vocabularies, their licences, sizes and downloads in VoID and DCAT',
        responses: { 200: textResponse('The description', 'text/turtle'), ...NOT_MODIFIED, ...STORE_ERRORS },
      }),
    },
  },
]

function pageEndpoint(route: PageRoute): Endpoint<PageDependencies> {
  const { path, hasForm, form, operation } = route
  const handler = (dependencies: PageDependencies) => {
    const page = pageHandler(dependencies, route)
    return hasForm ? [markPage(route), refuseUrl, page] : page
  }
  return {
    path,
    ...(route.absent && { absent: route.absent }),
    get: { handler, ...(operation && { operation }) },
    post: (form || hasForm) && {
      handler: (dependencies) => [markPage(route), ...(form?.(dependencies) ?? [])],
    },
  }
}

/** Remembers that a request wants a page, for the answers made elsewhere: errors, and reports on forms. */
function markPage(route: Pick<PageRoute, 'missing'>): RequestHandler {
  return (request, response, next) => {
    response.vary('Accept')
    response.vary('Accept-Language')
    if (wantsPage(request) && !/[?&]format=/.test(request.target)) pageRoutes.set(response, route)
    next()
  }
}

/** Shows the report on a submitted form as a page. */
export function reportPage(dependencies: PageDependencies): ToReportPage {
  return (request, response, submission, outcome) => {
    if (!pageRoutes.has(response)) return undefined
    const pageRequest = requestByLanguage(dependencies, request, response)
    return toHtml(pageRequest, validatePage(pageRequest, { submission, outcome }))
  }
}

const OF_INTERFACE = ['format', 'download', 'id', 'notation', 'properties', 'at']

/** Answers a request with a page, unless it prefers another format: then the endpoint of the interface answers. */
function pageHandler(dependencies: PageDependencies, route: PageRoute): RequestHandler {
  const parameterNames = ['lang', 'clang', ...(route.parameters ?? [])]
  return async (request, response, next) => {
    const { shared, sharedWith } = route
    if (shared && (sharedWith === undefined || new RegExp(`[?&]${sharedWith}=`).test(request.target))) {
      response.vary('Accept')
      if (!wantsPage(request, route.mediaTypes)) return next()
      // These parameters ask for the answer of the interface.
      const forInterface = [
        ...OF_INTERFACE.filter((name) => !parameterNames.includes(name)),
        ...(route.forInterface ?? []),
      ]
      if (new RegExp(`[?&](${forInterface.join('|')})=`).test(request.target)) return next()
      if (!shared(readParameters(queryOf(request), parameterNames))) return next()
    }
    pageRoutes.set(response, route)
    if (route.isPrivate) response.setHeader('Cache-Control', 'no-store')
    const parameters = readParameters(queryOf(request), parameterNames)
    const reading = readLanguage(request, parameters)
    response.vary('Accept-Language')
    const { config } = dependencies
    // A 304 needs them, too: browsers apply its headers to the page that they have.
    setHeaders(response, reading, config)
    const make = async (signal: AbortSignal) => {
      const pageRequest = toPageRequest(dependencies, request, reading, parameters, signal)
      const result = await route.page(pageRequest)
      if ('location' in result) return result
      if ('part' in result) return toPart(result.request, result.part)
      response.status(result.status ?? 200)
      const links = linkHeader(result.links ?? [])
      if (links) response.setHeader('Link', links)
      const facts = result.vocabulary && (await readVocabularyFacts(pageRequest, result.vocabulary.id))
      const html = toHtml(pageRequest, { ...result, facts })
      return result.isUnfinished || (facts && facts.hasGroups === undefined) ? { unfinished: html } : html
    }
    if (route.isAlone) {
      const { signal, clear } = untilAnswered(response, config)
      // The queries of such a page have their own deadline.
      clear()
      const result = await make(signal)
      // Express adds the ETag and answers 304.
      if (typeof result === 'string') response.send(result)
      else if ('location' in result) response.redirect(303, result.location)
      else response.send(result.unfinished)
      return
    }
    await sendWhole(request, response, dependencies, make)
  }
}

/** Seconds after which clients may retry while the store does not answer. */
const RETRY_AFTER_S = '5'

/** The pages that requests have asked for, so that an error gets a page as well. */
const pageRoutes = new WeakMap<Response, PageOfErrors>()

interface PageOfErrors extends Pick<PageRoute, 'missing'> {
  /** The page that shows the error of a form. */
  refused?: RefusalPage
}

/** Shows the error of a form on the page of the form, if the request wants a page. */
const onRefusal: OnRefusal = (response, refused) => {
  const route = pageRoutes.get(response)
  if (route) pageRoutes.set(response, { ...route, refused })
}

/** The texts for what an error itself says is missing. */
const TEXTS_OF_MISSING = { function: 'absent', concept: 'notInVocabulary' } as const

/** Shows an error as a page if the request asked for a page, or if a browser came to an unknown address. */
export function errorPage(dependencies: PageDependencies): ToErrorPage {
  return (request, response, error) => {
    const route = pageRoutes.get(response)
    const isLost = error.missing === 'function' || (request.route === undefined && [404, 410].includes(error.status))
    if (!route && !(isLost && wantsPage(request))) return undefined
    const pageRequest = requestByLanguage(dependencies, request, response)
    response.vary('Accept-Language')
    // All of these mean the same to a reader: the vocabularies are not available (RFC 9110, section 15.6.4).
    const isAway = error.status >= 502 && error.status <= 504
    if (isAway && !response.hasHeader('Retry-After')) response.setHeader('Retry-After', RETRY_AFTER_S)
    const status = isAway ? 503 : error.status
    const isForm = request.method === 'POST'
    const page = error.gone
      ? gonePage(pageRequest, error.gone)
      : (route?.refused?.(pageRequest, error) ??
        problemPage(
          pageRequest,
          error,
          status,
          error.missing === undefined ? route?.missing : TEXTS_OF_MISSING[error.missing],
          isForm,
        ))
    return { status, html: toHtml(pageRequest, page) }
  }
}

/** A page request with the languages as its only parameters, which may be invalid; sets the headers of the page. */
function requestByLanguage(dependencies: PageDependencies, request: Request, response: Response): PageRequest {
  const reading = readLanguage(request, languageParameter(request))
  setHeaders(response, reading, dependencies.config)
  return toPageRequest(dependencies, request, reading, new Map(), new AbortController().signal)
}

function languageParameter(request: Request): Parameters {
  const of = (name: string) => new RegExp(`[?&]${name}=([a-z]{2,3})\\b`, 'i').exec(request.target)?.[1]
  return givenParameters({ lang: of('lang'), clang: of('clang') })
}

function setHeaders(response: Response, reading: ReaderLanguages, config: Config): void {
  response.setHeader('Content-Security-Policy', policyOf(config))
  response.setHeader('Content-Type', 'text/html; charset=utf-8')
  response.setHeader('Content-Language', reading.page)
}
