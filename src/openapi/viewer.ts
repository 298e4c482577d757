import { join } from 'node:path'
import { Router } from 'express'
import helmet from 'helmet'
import getAbsoluteFSPath from 'swagger-ui-dist/absolute-path.js'
import { methodNotAllowed, notFound } from '../http/errors.ts'

/** The files of the viewer that the page needs. */
const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png']

const PAGE = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Vocabulary Service: interface</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="viewer"><noscript>The interface is described in <a href="openapi.json">openapi.json</a>.</noscript></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#viewer',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  presets: [SwaggerUIBundle.presets.apis],
})
`

/**
 * GET /docs: the OpenAPI document to read and to try out. The page loads nothing from elsewhere (Content Security
 * Policy Level 3).
 *
 * @param baseUrl the address that requests are sent to.
 */
export function viewer(baseUrl: string): Router {
  const router = Router({ strict: true, caseSensitive: true })
  router.use(
    '/docs',
    helmet({
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          scriptSrc: ["'self'"],
          // The viewer sets styles on its elements.
          styleSrc: ["'self'", "'unsafe-inline'"],
          imgSrc: ["'self'", 'data:'],
          connectSrc: ["'self'", new URL(baseUrl).origin],
          baseUri: ["'none'"],
          formAction: ["'none'"],
          frameAncestors: ["'none'"],
        },
      },
      // The service as a whole decides whether other sites may read answers.
      crossOriginResourcePolicy: false,
      strictTransportSecurity: false,
    }),
  )
  // Relative addresses in the page need it without a slash.
  router.get('/docs/', (_request, response) => {
    response.redirect(308, '../docs')
  })
  router.get('/docs', (_request, response) => {
    response.type('html').send(PAGE)
  })
  router.get('/docs/start.js', (_request, response) => {
    response.type('js').send(START)
  })
  const directory = getAbsoluteFSPath()
  for (const name of FILES) {
    const file = join(directory, name)
    // Whole files only: one that is compressed on its way has no parts that a Range could name.
    router.get(`/docs/${name}`, (_request, response) =>
      response.sendFile(file, { cacheControl: false, acceptRanges: false }),
    )
  }
  router.get('/docs/*file', notFound)
  router.all(['/docs', '/docs/*file'], methodNotAllowed(['GET', 'HEAD']))
  return router
}
