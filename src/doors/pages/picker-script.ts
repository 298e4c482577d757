import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import type { RequestHandler } from 'express'
import { acceptedEncoding } from '../../interface/http/accept-header.ts'
import { queryOf, readParameters } from '../../interface/http/parameters.ts'
import { softwareVersion } from '../../base/root.ts'
import { IMMUTABLE, type Assets } from './assets.ts'

/**
 * The best compression takes too long for other answers, but the script stays the same, and each site that has a form
 * loads it.
 */
const COMPRESS = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: (body: Buffer) => promisify<Buffer, { level: number }, Buffer>(gzip)(body, { level: 9 }),
  identity: (body: Buffer) => Promise.resolve(body),
}
type ContentEncoding = keyof typeof COMPRESS
const ENCODINGS = Object.keys(COMPRESS) as ContentEncoding[]

/**
 * GET /picker.js: `<vocabulary-picker>` for forms of any site (docs/forms.md). Only with `v`, the version of this
 * software, does the content of the address never change; another `v` has no effect, so that forms keep working after
 * an update of the service.
 */
export function pickerScript(assets: Assets): RequestHandler {
  const { mediaType, body } = assets.get('picker.js')!
  const version = softwareVersion()
  const compressed = new Map<ContentEncoding, Promise<Buffer>>()
  return async (request, response) => {
    const isFixed = readParameters(queryOf(request), ['v']).get('v') === version
    const encoding = acceptedEncoding(request, ENCODINGS, ENCODINGS) ?? 'identity'
    if (!compressed.has(encoding)) compressed.set(encoding, COMPRESS[encoding](body))
    response.setHeader('Content-Type', mediaType)
    response.setHeader('Cache-Control', isFixed ? IMMUTABLE : 'public, max-age=3600')
    if (encoding !== 'identity') response.setHeader('Content-Encoding', encoding)
    response.send(await compressed.get(encoding))
  }
}
