import type { Request, Response } from 'express'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { JskosRecord } from '../jskos/record.ts'
import type { Page } from './parameters.ts'

/** How records become the text of an answer. */
export interface Representation {
  mediaType: string
  begin: string
  /** Between two records. */
  separator: string
  end: string
  /** One record as text. */
  write: (record: JskosRecord) => string
}

const JSON_ARRAY: Representation = {
  mediaType: 'application/json; charset=utf-8',
  begin: '[',
  separator: ',\n',
  end: ']\n',
  write: (record) => JSON.stringify(record),
}

/** What a list answer is made of. */
export interface ListAnswer {
  total: number
  records: AsyncIterable<JskosRecord[]>
  page: Page
  /** Public address of the service, for links to other pages. */
  baseUrl: string
}

/**
 * Sends a list of records with its true length (X-Total-Count) and links to other pages (RFC 8288).
 *
 * Nothing is sent before the first records are there, so that an error gets a status of its own. A list that comes in
 * one piece is sent whole, with an ETag; a long one is streamed, and broken off if its rest cannot be had.
 */
export async function sendList(request: Request, response: Response, answer: ListAnswer): Promise<void> {
  const representation = JSON_ARRAY
  const iterator = answer.records[Symbol.asyncIterator]()
  const first = await iterator.next()
  const second = first.done ? first : await iterator.next()

  response.setHeader('Content-Type', representation.mediaType)
  response.setHeader('X-Total-Count', String(answer.total))
  const link = pageLinks(request, answer)
  if (link) response.setHeader('Link', link)

  if (second.done) {
    const records = first.done ? [] : first.value
    response.send(representation.begin + writeAll(representation, records) + representation.end)
    return
  }
  async function* text() {
    yield representation.begin + writeAll(representation, first.value as JskosRecord[])
    for (let next = second; !next.done; next = await iterator.next()) {
      if (next.value.length > 0) yield representation.separator + writeAll(representation, next.value)
    }
    yield representation.end
  }
  if (request.method === 'HEAD') {
    response.end()
    await iterator.return?.()
    return
  }
  await pipeline(Readable.from(text(), { objectMode: true, highWaterMark: 1 }), response)
}

function writeAll({ write, separator }: Representation, records: readonly JskosRecord[]): string {
  return records.map(write).join(separator)
}

/** Links to the other pages of a list; undefined where there is one page only. */
function pageLinks(request: Request, { total, page, baseUrl }: ListAnswer): string | undefined {
  const { limit, offset } = page
  if (limit === 0 || (offset === 0 && total <= limit)) return undefined
  const [path, query] = request.originalUrl.split('?', 2)
  const base = new URL(path!.replace(/^\//, ''), baseUrl)
  const address = (toOffset: number) => {
    const url = new URL(base)
    const pairs = (query ?? '').split('&').filter((pair) => pair !== '' && !/^(limit|offset|count)=/.test(pair))
    url.search = [...pairs, `limit=${limit}`, `offset=${toOffset}`].join('&')
    return url.href
  }
  const last = total === 0 ? 0 : Math.floor((total - 1) / limit) * limit
  const links = [`<${address(0)}>; rel="first"`, `<${address(last)}>; rel="last"`]
  if (offset > 0) links.push(`<${address(Math.max(0, Math.min(offset - limit, last)))}>; rel="prev"`)
  if (offset + limit < total) links.push(`<${address(offset + limit)}>; rel="next"`)
  return links.join(', ')
}
