import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { Router, type RequestHandler } from 'express'
import type { Site } from '../../config.ts'
import { notFound } from '../../interface/http/errors.ts'
import { fromRoot, softwareVersion } from '../../base/root.ts'
import type { SiteFolder } from './site-folder.ts'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { acceptedEncoding } from '../../interface/http/headers.ts'
import { queryOf, readParameters } from '../../interface/http/parameters.ts'

/** A file that browsers load with the pages. */
interface Asset {
  /** Below the root of the service; a change of the content changes the path. */
  path: string
  mediaType: string
  body: Buffer
}

/** By name, such as `style.css`. */
export type Assets = ReadonlyMap<string, Asset>

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/vnd.microsoft.icon',
}

/** Cache-Control of an address whose content never changes. */
const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The folder of the addresses of assets. */
const FOLDER = 'assets'

/** The folder of the pictures in documents, which have their paths as names. */
const PICTURES = 'docs/pictures'

/** The names under which pages find the operator's stylesheet and icon. */
export const OWN_STYLE = 'own style'
const OWN_ICON = 'own icon'
/** The name under which pages find the operator's logo. */
export const LOGO = 'logo'

/**
 * The stylesheet and the islands that `build.mjs` has built, with the operator's colour, logo, stylesheet and icon, and
 * the pictures of the documents.
 *
 * @throws Error if the project was not built.
 */
export function readAssets({ color, logo }: Site, { css, icon }: Pick<SiteFolder, 'css' | 'icon'>): Assets {
  const directory = fromRoot('dist/assets')
  const assets = new Map<string, Asset>()
  const add = (key: string, name: string, body: Buffer) => {
    const hash = createHash('sha256').update(body).digest('base64url').slice(0, 10)
    const mediaType = MEDIA_TYPES[extname(name).toLowerCase()]
    if (mediaType) assets.set(key, { path: `${FOLDER}/${hash}/${name}`, mediaType, body })
  }
  for (const name of readdirSync(directory)) {
    const file = readFileSync(`${directory}/${name}`)
    add(name, name, name === 'style.css' ? Buffer.concat([file, Buffer.from(accentStyle(color))]) : file)
  }
  for (const name of readdirSync(fromRoot(PICTURES))) {
    add(`${PICTURES}/${name}`, name, readFileSync(fromRoot(`${PICTURES}/${name}`)))
  }
  if (css) add(OWN_STYLE, 'site.css', css)
  if (icon) add(OWN_ICON, `icon${icon.extension}`, icon.body)
  if (logo !== undefined) add(LOGO, `logo${extname(logo)}`, readFileSync(logo))
  return assets
}

/** GET /assets/...: the content of such an address never changes. */
export function assetRoutes(assets: Assets): Router {
  const files = Router()
  for (const { path, mediaType, body } of assets.values()) {
    files.get(path.slice(FOLDER.length), (_request, response) => {
      response.setHeader('Cache-Control', IMMUTABLE)
      response.setHeader('Content-Type', mediaType)
      response.send(body)
    })
  }
  // Express tries each route of a router for each request, so requests for other paths meet one route alone.
  return Router().use(`/${FOLDER}`, files, notFound)
}

/** The name under which pages find their icon. */
const ICON = 'favicon.svg'

/**
 * GET /favicon.ico, for clients that request it without a page: the operator's icon or logo, or the icon of the
 * service.
 */
export function favicon(assets: Assets): RequestHandler {
  const { mediaType, body } = iconOf(assets)
  return (_request, response) => {
    response.setHeader('Content-Type', mediaType)
    response.setHeader('Cache-Control', 'public, max-age=86400')
    response.send(body)
  }
}

/** The operator's icon or logo, or the icon of the service. */
export function iconOf(assets: Assets): Asset {
  return assets.get(OWN_ICON) ?? assets.get(LOGO) ?? assets.get(ICON)!
}

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

/**
 * `--raised` of the light and the dark look in styles/base.css: the backgrounds on which text has the least contrast.
 */
const LIGHT_RAISED = '#f5f2ec'
const DARK_RAISED = '#202225'
/** A little more than small text needs (WCAG 2.2, 1.4.3). */
const CONTRAST = 5.5

/**
 * The operator's colour for styles/base.css: darkened for light backgrounds and lightened for dark ones until text is
 * readable.
 */
export function accentStyle(color: string): string {
  const onLight = towards(color, '#000000', LIGHT_RAISED)
  const onDark = towards(color, '#ffffff', DARK_RAISED)
  return `:root{--accent-light:${onLight};--accent-dark:${onDark}}`
}

/** Mixes a colour with black or white until it is readable on a background. */
function towards(color: string, end: string, background: string): string {
  const from = channels(color)
  const to = channels(end)
  for (let part = 0; part <= 100; part += 2) {
    const mixed = from.map((value, index) => Math.round(value + ((to[index]! - value) * part) / 100))
    const hex = `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
    if (contrast(hex, background) >= CONTRAST) return hex
  }
  return end
}

/** The contrast of two colours, from 1 to 21 (WCAG 2.2, "contrast ratio"). */
export function contrast(first: string, second: string): number {
  const [light, dark] = [luminance(first), luminance(second)].sort((a, b) => b - a) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

/** WCAG 2.2, "relative luminance" */
function luminance(color: string): number {
  const [red, green, blue] = channels(color).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function channels(color: string): number[] {
  return [1, 3, 5].map((offset) => Number.parseInt(color.slice(offset, offset + 2), 16))
}
