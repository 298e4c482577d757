/** A site of its own origin, with pages that have a picker. */
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { closeServer, listen } from '../../process.ts'

export interface Site {
  url: string
  /** The page at `/`. */
  html: string
  /** Headers of that page. */
  headers: Record<string, string>
  /** The forms that were sent to it, as lists of fields. */
  sent: [name: string, value: string][][]
  close(): Promise<void>
}

/** Starts a site on a free port of the loopback interface; POST gets another page. */
export async function startSite(): Promise<Site> {
  const site: Omit<Site, 'url' | 'close'> = { html: '', headers: {}, sent: [] }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const isForm = request.method === 'POST'
      if (isForm) site.sent.push([...new URLSearchParams(body)])
      response.writeHead(request.url === '/favicon.ico' ? 204 : 200, {
        'content-type': 'text/html; charset=utf-8',
        ...site.headers,
      })
      response.end(isForm ? '<!doctype html><html lang="en"><title>Saved</title><h1>Saved</h1></html>' : site.html)
    })
  })
  return Object.assign(site, { url: `${await listen(server)}/`, close: () => closeServer(server) })
}
