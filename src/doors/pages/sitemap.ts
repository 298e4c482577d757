import { setImmediate } from 'node:timers/promises'
import type { RequestHandler } from 'express'
import { ApiError } from '../../base/errors.ts'
import { queryOf, readParameters, readWholeNumber } from '../../interface/http/parameters.ts'
import { sendWhole } from '../../interface/http/send.ts'
import { escapeXml } from '../../interface/http/xml.ts'
import { latestDate } from '../../graph/jskos/date.ts'
import { queryTemplate } from '../../graph/sparql/templates.ts'
import { iri } from '../../graph/sparql/terms.ts'
import { idOf, type Vocabulary } from '../../graph/vocabularies/vocabulary.ts'
import { askEndpoint } from '../../routes.ts'
import { publicUrl, type PageDependencies } from './page-request.ts'

/** Addresses in one file (sitemaps.org, "Sitemap file format"). */
const MOST = 50_000
/** Entries written at a time; other requests get their turn in between. */
const SLICE = 2000

const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'
const MEDIA_TYPE = 'application/xml'

/**
 * GET /sitemap.xml: the index of all sitemaps; with `voc` and `part` one of them (sitemaps.org). All share this
 * address, because a sitemap covers only its own folder.
 */
export function sitemap(dependencies: PageDependencies): RequestHandler {
  return async (request, response) => {
    const parameters = readParameters(queryOf(request), ['voc', 'part'])
    const voc = parameters.get('voc')
    const part = readWholeNumber(parameters, 'part') ?? 0
    await sendWhole(request, response, dependencies, async (signal) => {
      response.setHeader('Content-Type', `${MEDIA_TYPE}; charset=utf-8`)
      if (voc === undefined) return sitemapIndex(dependencies)
      const vocabulary = await dependencies.registry.find(voc)
      const text = vocabulary && !vocabulary.isSubset && (await urlSet(dependencies, vocabulary, part, signal))
      if (!text) throw new ApiError('EntityNotFoundError', 'voc, part: there is no such sitemap.')
      return text
    })
  }
}

/** GET /robots.txt: what robots may fetch (RFC 9309), and where the sitemaps are. */
export function robots({ config: { baseUrl } }: PageDependencies): RequestHandler {
  const { pathname } = new URL(baseUrl)
  const withParameters = ['find', 'history', 'search', 'suggest', 'descendants', 'sparql', 'voc/concepts']
  const disallowed = [...withParameters.map((path) => `${path}?`), 'voc/*/concepts', 'voc/*/export']
  const text = [
    'User-agent: *',
    ...disallowed.map((path) => `Disallow: ${pathname}${path}`),
    '',
    `Sitemap: ${baseUrl}sitemap.xml`,
    '',
  ].join('\n')
  return (_request, response) => {
    response.type('text/plain').send(text)
  }
}

/** The index; without the further files of a vocabulary that takes long to count. */
async function sitemapIndex(dependencies: PageDependencies): Promise<string | { unfinished: string }> {
  const vocabularies = (await dependencies.registry.list()).filter(({ isSubset }) => !isSubset)
  const counts = await Promise.all(vocabularies.map((vocabulary) => dependencies.statistics.concepts(vocabulary)))
  const files = vocabularies.flatMap((vocabulary, index) =>
    Array.from({ length: Math.max(1, Math.ceil((counts[index] ?? 0) / MOST)) }, (_, part) =>
      entry('sitemap', publicUrl({ dependencies }, 'sitemap.xml', { voc: idOf(vocabulary), part: String(part) })),
    ),
  )
  const text = document('sitemapindex', files.join(''))
  return counts.includes(undefined) ? { unfinished: text } : text
}

/** A part of the addresses of a vocabulary; the first part includes its own pages. */
async function urlSet(
  dependencies: PageDependencies,
  vocabulary: Vocabulary,
  part: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const query = queryTemplate('sitemap').bind({
    terms: { of: [iri(vocabulary.uri)] },
    limit: MOST,
    offset: part * MOST,
  })
  const path = `voc/${encodeURIComponent(idOf(vocabulary))}`
  const [rows, [record]] = await Promise.all([
    dependencies.client.select(query, { signal }),
    askEndpoint({ dependencies, vocid: idOf(vocabulary), signal }, '/voc/:vocid', {
      properties: 'modified',
    }).then(({ records }) => records),
  ])
  if (rows.length === 0 && part > 0) return undefined
  let text =
    part > 0 ? '' : [path, `${path}/tree`, `${path}/index`].map((pagePath) => page(dependencies, pagePath)).join('')
  for (let start = 0; start < rows.length; start += SLICE) {
    await setImmediate()
    for (const { c, modified } of rows.slice(start, start + SLICE)) {
      if (c?.type === 'uri')
        text += page(dependencies, 'concept', c.value, latestDate(modified ? [modified.value] : []) ?? record?.modified)
    }
  }
  return document('urlset', text)
}

function page(dependencies: PageDependencies, path: string, uri?: string, modified?: string): string {
  return entry('url', publicUrl({ dependencies }, path, { uri }), modified)
}

function entry(element: 'url' | 'sitemap', address: string, modified?: string): string {
  const day = /^\d{4}-\d\d-\d\d/.exec(modified ?? '')?.[0]
  return `<${element}><loc>${escapeXml(address)}</loc>${day ? `<lastmod>${day}</lastmod>` : ''}</${element}>\n`
}

function document(element: 'urlset' | 'sitemapindex', entries: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${element} xmlns="${NAMESPACE}">\n${entries}</${element}>\n`
}
