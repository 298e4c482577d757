import type { RequestHandler } from 'express'

/**
 * GET /: links to begin with, as a page for people and as JSON for programs.
 *
 * @param baseUrl public address of the service.
 */
export function start(baseUrl: string): RequestHandler {
  const url = (path: string) => new URL(path, baseUrl).href
  const body = {
    title: 'Vocabulary Service',
    vocabularies: url('voc'),
    documentation: url('docs'),
    openapi: url('openapi.json'),
    status: url('status'),
  }
  const page = `<!DOCTYPE html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${body.title}</title>
  </head>
  <body>
    <h1>${body.title}</h1>
    <p>Controlled vocabularies for every program. Begin with one of these:</p>
    <ul>
      <li><a href="docs">docs</a>: the interface, to be read and tried out</li>
      <li><a href="voc">voc</a>: the vocabularies that are here</li>
      <li><a href="openapi.json">openapi.json</a>: the interface for programs</li>
      <li><a href="status">status</a>: whether everything runs</li>
    </ul>
  </body>
</html>
`
  return (request, response) => {
    response.vary('Accept')
    if (request.accepts(['json', 'html']) === 'html') {
      response.setHeader('Content-Security-Policy', "default-src 'none'; base-uri 'none'; frame-ancestors 'none'")
      response.type('html').send(page)
    } else {
      response.json(body)
    }
  }
}
