import compression from 'compression'
import cors from 'cors'
import express, { type Express } from 'express'
import { pino, type Logger } from 'pino'
import { ENDPOINTS } from './endpoints.ts'
import { mountEndpoints, presentEndpoints } from './interface/http/endpoint.ts'
import { errorHandler, notFound, type ReportError } from './interface/http/errors.ts'
import { vocabularyExtensions } from './interface/representations/formats.ts'
import { FACETS_HEADER, cutHeaders, REPLACED_HEADER, securityHeaders } from './interface/http/headers.ts'
import { observe, REQUEST_ID_HEADER } from './interface/http/observe.ts'
import { QUICK_GZIP } from './interface/http/send.ts'
import { oldClientPaths, originForm } from './interface/http/addresses.ts'
import { createMetrics, type Metrics, type VocabularyFigures } from './interface/http/metrics.ts'
import { inTurn } from './interface/http/server.ts'
import type { Editing } from './writing/ingest/editing.ts'
import type { SendFeedback } from './writing/ingest/feedback.ts'
import type { AcceptIngest } from './writing/ingest/ingest.ts'
import { StoreCache } from './graph/memory/store-state.ts'
import type { ExportDependencies } from './doors/export/endpoints.ts'
import { openapiDocument } from './doors/openapi/document.ts'
import { assetRoutes, readAssets } from './doors/pages/assets.ts'
import { localUris } from './doors/pages/entity.ts'
import type { AskSparql, PageDependencies } from './doors/pages/page-request.ts'
import { errorPage, reportPage } from './doors/pages/pages.ts'
import { readSiteFolder } from './doors/pages/site-folder.ts'
import { Statistics } from './doors/pages/statistics.ts'
import type { ReplicatedReading } from './interface/read/dependencies.ts'
import type { RouteDependencies } from './routes.ts'
import { skosmosPages } from './doors/skosmos/page-addresses.ts'
import { unknownMethods } from './doors/skosmos/endpoints.ts'

export interface AppOptions
  extends RouteDependencies, Pick<ReplicatedReading, 'replica'>, Pick<ExportDependencies, 'dumps'> {
  reportError: ReportError
  /** The log of requests; without it the application logs nothing. */
  log?: Logger
  /** The figures of /metrics; those of this application alone by default. */
  metrics?: Metrics
  /** The SPARQL endpoint of the embedded store, for its power users. */
  sparql?: express.RequestHandler[] | undefined
  /** The same for the SPARQL page. */
  askSparql?: AskSparql | undefined
  /** The way of new concepts into the store, for assistants. */
  acceptIngest?: AcceptIngest | undefined
  /** POST /ingest. */
  ingest?: express.RequestHandler[] | undefined
  /** The login and the decisions of editors. */
  editing?: Editing | undefined
  /** Sends reports of readers to the operator. */
  sendFeedback?: SendFeedback | undefined
}

/**
 * The application without a listener: middleware, endpoints, the one error handler.
 *
 * @throws ConfigError if the folder of the operator is not as it should be.
 */
export function createApp(options: AppOptions): Express {
  const { log = pino({ level: 'silent' }), metrics = createMetrics(), reportError, ...dependencies } = options
  const { config, sparql } = dependencies
  metrics.watch({
    store: () => dependencies.client.load,
    answers: () => dependencies.answers.figures,
    replicaLag: async () => dependencies.replica?.lagSeconds(),
    vocabularies: () => figuresOf(dependencies),
  })
  const app = express()
  app.disable('x-powered-by')
  // src/interface/http/parameters.ts reads the parameters, because it refuses what a lenient parser would guess at.
  app.set('query parser', false)
  app.set('trust proxy', config.trustProxy)
  // Paths differ in upper and lower case (RFC 3986, section 6.2.2.1); a slash at the end makes no difference, old
  // clients send it.
  app.set('case sensitive routing', true)
  app.use(originForm)
  app.use(inTurn)
  app.use(oldClientPaths)
  app.use(cutHeaders)
  app.use(observe(log, metrics))
  app.use(vocabularyExtensions(dependencies.registry))
  app.use(dependencies.answers.handler)
  app.use(securityHeaders(config.baseUrl))
  app.use(
    cors({
      origin: '*',
      methods: ['GET', 'HEAD', 'POST'],
      exposedHeaders: [
        'X-Total-Count',
        'Link',
        'Content-Language',
        'ETag',
        'Accept-Ranges',
        'Content-Range',
        'Retry-After',
        'Location',
        'RateLimit',
        'RateLimit-Policy',
        REPLACED_HEADER,
        FACETS_HEADER,
        REQUEST_ID_HEADER,
      ],
      maxAge: 86_400,
    }),
  )
  app.use(cacheControl(config.cacheControl))
  app.use(['/healthz', '/readyz', '/metrics'], cacheControl('no-store'))
  app.use(compression({ filter: isCompressible, ...QUICK_GZIP }))

  const shared = {
    ...dependencies,
    mcp: config.mcp,
    sparqlUrl: sparql ? `${config.baseUrl}sparql` : config.sparqlPublicUrl,
  }
  const endpoints = presentEndpoints(ENDPOINTS, shared)
  const siteFolder = readSiteFolder(config.site.dir)
  const pages: PageDependencies = {
    ...shared,
    assets: readAssets(config.site, siteFolder),
    siteFolder,
    vocabularyRecords: new StoreCache({ state: dependencies.state, maxSize: 1, sizeOf: () => 1, worthMs: 20 }),
    statistics: new Statistics(shared),
    openapi: openapiDocument(config.baseUrl, endpoints),
  }
  app.use(assetRoutes(pages.assets))
  mountEndpoints(app, ENDPOINTS, {
    ...shared,
    ...pages,
    metrics,
    reportError,
    endpoints,
    toReportPage: reportPage(pages),
  })
  app.use(localUris(pages))
  app.use('/rest/v1', unknownMethods(dependencies))
  app.use(skosmosPages(dependencies))
  app.use(notFound)
  app.use(errorHandler(reportError, errorPage(pages)))
  return app
}

/** The figures of vocabularies; subsets have none. */
async function figuresOf({
  registry,
  index,
}: Pick<PageDependencies, 'registry' | 'index'>): Promise<VocabularyFigures[]> {
  const vocabularies = (await registry.list()).filter(({ isSubset }) => !isSubset)
  return Promise.all(
    vocabularies.map(async (vocabulary) => {
      const { uri, ids, lastLoad } = vocabulary
      const concepts = (await index.lengths(vocabulary))?.concepts
      return { id: ids[0] ?? uri, concepts, triples: lastLoad.triples, loaded: lastLoad.time }
    }),
  )
}

/** Lines of text that mime-db does not recognise as text. */
const LINES = /^application\/(n-triples|x-ndjson)\b/

const isCompressible: compression.CompressionFilter = (request, response) =>
  LINES.test(String(response.getHeader('Content-Type'))) || compression.filter(request, response)

/** Sets Cache-Control and Vary, unless the handler of the answer does it. */
const cacheControl =
  (value: string): express.RequestHandler =>
  (request, response, next) => {
    response.vary('Accept-Encoding')
    response.setHeader('Cache-Control', request.method === 'GET' || request.method === 'HEAD' ? value : 'no-store')
    next()
  }
