import compression from 'compression'
import cors from 'cors'
import express, { type Express } from 'express'
import { pino, type Logger } from 'pino'
import type { Config } from './config.ts'
import { ApiError } from './errors.ts'
import { formatEndpoints } from './formats/endpoints.ts'
import { historyEndpoints } from './history/endpoints.ts'
import { errorHandler, methodNotAllowed, notFound, type ReportError } from './http/errors.ts'
import { oldClientPaths, testApiCalls } from './http/old-clients.ts'
import { securityHeaders } from './http/headers.ts'
import { observe, REQUEST_ID_HEADER } from './http/observe.ts'
import { conditionalRequests } from './http/revalidation.ts'
import { QUICK_GZIP } from './http/send.ts'
import { start } from './http/start.ts'
import { status, statusSchema } from './http/status.ts'
import { originForm } from './http/target.ts'
import { createMetrics, type Metrics } from './http/metrics.ts'
import { CONTEXT } from './jskos/fields.ts'
import { openapi, openapiDocument } from './openapi/document.ts'
import type { AskSparql } from './pages/page-request.ts'
import { createPages } from './pages/pages.ts'
import { readEndpoint } from './read/read.ts'
import { RECONCILE_PATHS, reconcileRoutes } from './reconcile/endpoints.ts'
import { ROUTES, type RouteDependencies } from './routes.ts'
import { validateEndpoint } from './validate/endpoint.ts'

export interface AppOptions extends RouteDependencies {
  config: Config
  reportError: ReportError
  /** The log of requests; without it the application logs nothing. */
  log?: Logger
  /** The figures of /metrics; those of this application alone by default. */
  metrics?: Metrics
  /** The SPARQL endpoint of the embedded store, for its power users. */
  sparql?: express.RequestHandler[] | undefined
  /** The same for the SPARQL page. */
  askSparql?: AskSparql | undefined
  /** POST /ingest. */
  ingest?: express.RequestHandler[] | undefined
}

/** The application without a listener: middleware, endpoints, the one error handler. */
export function createApp(options: AppOptions): Express {
  const { config, reportError, sparql, askSparql, ingest, ...dependencies } = options
  const { log = pino({ level: 'silent' }), metrics = createMetrics() } = options
  metrics.watch({
    store: () => dependencies.client.load,
    answers: () => dependencies.answers.figures,
    replicaLag: async () => dependencies.replica?.lagSeconds(),
  })
  const app = express()
  app.disable('x-powered-by')
  // src/http/parameters.ts reads the parameters, because it refuses what a lenient parser would guess at.
  app.set('query parser', false)
  app.set('trust proxy', config.trustProxy)
  // Paths differ in upper and lower case (RFC 3986, section 6.2.2.1); a slash at the end makes no difference, old clients send it.
  app.set('case sensitive routing', true)
  app.use(originForm)
  app.use(observe(log, metrics))
  app.use(conditionalRequests)
  app.use(dependencies.answers.handler)
  app.use(securityHeaders(config.baseUrl))
  app.use(oldClientPaths)
  app.use(
    cors({
      origin: '*',
      methods: ['GET', 'HEAD', 'POST'],
      exposedHeaders: [
        'X-Total-Count',
        'Link',
        'Content-Language',
        'ETag',
        'Retry-After',
        'Location',
        'RateLimit',
        'RateLimit-Policy',
        REQUEST_ID_HEADER,
      ],
      maxAge: 86_400,
    }),
  )
  app.use(cacheControl(config.cacheControl))
  app.use(['/healthz', '/readyz', '/metrics'], cacheControl('no-store'))
  app.use(compression({ filter: isCompressible, ...QUICK_GZIP }))

  const get = (path: string, handler: express.RequestHandler) => {
    app.get(path, handler)
    app.all(path, methodNotAllowed(['GET', 'HEAD']))
  }
  const description = openapiDocument(config.baseUrl, dependencies.history !== undefined)
  const pages = createPages({
    ...dependencies,
    config,
    endpoints: new Map(ROUTES.map((route) => [route.path, route])),
    sparqlUrl: sparql ? `${config.baseUrl}sparql` : config.sparqlPublicUrl,
    askSparql,
    openapi: description,
  })
  app.use(pages.router)
  for (const { path, also, post, ...route } of ROUTES) {
    const endpoint = readEndpoint<RouteDependencies>(dependencies, config, route)
    for (const one of also ? [path, also] : [path]) {
      if (post) app.post(one, requireForm, express.text({ type: FORM, limit: '1mb' }), endpoint)
      app.get(one, endpoint)
      app.all(one, methodNotAllowed(post ? ['GET', 'HEAD', 'POST'] : ['GET', 'HEAD']))
    }
  }
  const reconciling = reconcileRoutes({ ...dependencies, config })
  for (const address of RECONCILE_PATHS) {
    for (const { path, get: read, post } of reconciling) {
      if (read) app.get(address + path, read)
      if (post) app.post(address + path, post)
      app.all(address + path, methodNotAllowed([...(read ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : [])]))
    }
  }
  app
    .post('/validate', validateEndpoint({ ...dependencies, config, toPage: pages.toReportPage }))
    .all('/validate', methodNotAllowed(['GET', 'HEAD', 'POST']))
  for (const [path, handler] of formatEndpoints(dependencies, config)) get(path, handler)
  for (const [path, handler] of historyEndpoints(dependencies, config)) get(path, handler)
  get('/status', status(dependencies.client, config))
  get('/status.schema.json', statusSchema(config))
  get('/healthz', (_request, response) => {
    response.json({ ok: 1 })
  })
  get('/readyz', async (_request, response) => {
    await dependencies.client.ask('ASK {}', { template: 'readyz', timeoutMs: 2000 }).catch((cause: unknown) => {
      throw new ApiError('ServiceUnavailableError', 'The store does not answer.', { cause, retryAfter: 5 })
    })
    if (dependencies.replica && !(await dependencies.replica.isReady())) {
      const message = 'The replica is behind its primary.'
      throw new ApiError('ServiceUnavailableError', message, { retryAfter: 5 })
    }
    response.json({ ok: 1 })
  })
  get('/metrics', async (_request, response) => {
    const { contentType, body } = await metrics.text()
    response.setHeader('Content-Type', contentType)
    response.send(Buffer.from(body))
  })
  get('/', start(config.baseUrl))
  get('/openapi.json', openapi(description))
  get('/testAPICalls', testApiCalls)
  get('/context.json', (_request, response) => {
    response.type('application/ld+json').send(Buffer.from(JSON.stringify(CONTEXT)))
  })
  if (ingest) app.post('/ingest', ingest).all('/ingest', methodNotAllowed(['POST']))
  if (sparql)
    app
      .get('/sparql', sparql)
      .post('/sparql', sparql)
      .all('/sparql', methodNotAllowed(['GET', 'HEAD', 'POST']))

  app.use(pages.ownUris)
  app.use(notFound)
  app.use(errorHandler(reportError, pages.toErrorPage))
  return app
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

const FORM = 'application/x-www-form-urlencoded'

const requireForm: express.RequestHandler = (request, _response, next) => {
  if (!request.is(FORM)) {
    throw new ApiError('MalformedRequestError', `Content-Type: expected ${FORM} for a long list`)
  }
  next()
}
