import { readFileSync, realpathSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import type { Token } from 'markdown-it'
import { ConfigError } from '../../config.ts'
import { isObject, parseJsonText } from '../../base/json.ts'
import { codeOf } from '../../base/thrown.ts'
import { markdownReader } from './markdown.ts'
import { PAGE_LANGUAGES, type PageLanguage } from './texts.ts'

/** An operator's own words, look and order (SITE_DIR). */
export interface SiteFolder {
  /** HTML for the page of all vocabularies and for /about, in the languages that the operator has written. */
  front: OperatorTexts
  about: OperatorTexts
  css: Buffer | undefined
  /** The icon of the pages, with its extension. */
  icon: { extension: string; body: Buffer } | undefined
  /** Groups of vocabularies in the operator's order; empty without a list. */
  groups: readonly VocabularyGroup[]
}

/** HTML by the language of its file; undefined for a file without a language. */
export type OperatorTexts = ReadonlyMap<PageLanguage | undefined, string>

/** A group of vocabularies: its name by language, and the ids or URIs of its members. */
interface VocabularyGroup {
  prefLabel: Record<string, string>
  vocabularies: readonly string[]
}

const NONE: SiteFolder = { front: new Map(), about: new Map(), css: undefined, icon: undefined, groups: [] }

const MOST_BYTES = 262_144
const ICONS = ['.svg', '.png', '.ico']

/**
 * Reads the folder of the operator. Nothing in it is executed: HTML in Markdown is text, links lead to the web, to mail
 * and within the service alone.
 *
 * @param dir undefined: nothing.
 * @throws ConfigError naming the file that is too large, leads out of the folder, or cannot be read.
 */
export function readSiteFolder(dir: string | undefined): SiteFolder {
  if (dir === undefined) return NONE
  const file = (name: string): Buffer | undefined => readWithin(dir, name)
  const texts = (name: string): OperatorTexts =>
    new Map(
      [undefined, ...PAGE_LANGUAGES].flatMap((language) => {
        const named = language === undefined ? `${name}.md` : `${name}.${language}.md`
        const content = file(named)
        return content ? [[language, markdownToHtml(asText(named, content))] as const] : []
      }),
    )
  const css = file('style.css')
  if (css) asText('style.css', css)
  const icons = ICONS.flatMap((extension) => {
    const body = file(`favicon${extension}`)
    return body ? [{ extension, body }] : []
  })
  return { front: texts('front'), about: texts('about'), css, icon: icons[0], groups: readGroups(file) }
}

function refuse(message: string, cause?: unknown): never {
  throw new ConfigError(`SITE_DIR: ${message}`, { cause })
}

/** A file directly within a folder; undefined if it is not there. */
function readWithin(dir: string, name: string): Buffer | undefined {
  let root: string
  try {
    root = realpathSync(dir)
    if (!statSync(root).isDirectory()) refuse('expected a folder')
  } catch (error) {
    if (error instanceof ConfigError) throw error
    refuse('expected a folder that can be read', error)
  }
  try {
    const path = realpathSync(join(root, name))
    if (!path.startsWith(root.endsWith(sep) ? root : root + sep)) refuse(`${name} leads out of the folder`)
    const stats = statSync(path)
    if (!stats.isFile()) refuse(`${name} is no file`)
    if (stats.size > MOST_BYTES) refuse(`${name} has more than ${MOST_BYTES} bytes`)
    return readFileSync(path)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    if (codeOf(error) === 'ENOENT') return undefined
    refuse(`${name} cannot be read`, error)
  }
}

function asText(name: string, content: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content)
  } catch (error) {
    refuse(`${name} is not in UTF-8`, error)
  }
}

const LIST = 'vocabularies.json'

function readGroups(file: (name: string) => Buffer | undefined): VocabularyGroup[] {
  const content = file(LIST)
  if (!content) return []
  const wrong = (cause?: unknown): never =>
    refuse(`${LIST}: expected an array of objects with prefLabel (names by language) and vocabularies (ids)`, cause)
  let value: unknown
  try {
    value = parseJsonText(asText(LIST, content))
  } catch (error) {
    if (error instanceof ConfigError) throw error
    wrong(error)
  }
  const isText = (candidate: unknown) => typeof candidate === 'string'
  const isGroup = (candidate: unknown): candidate is VocabularyGroup =>
    isObject(candidate) &&
    isObject(candidate['prefLabel']) &&
    Object.values(candidate['prefLabel']).every(isText) &&
    Array.isArray(candidate['vocabularies']) &&
    candidate['vocabularies'].every(isText)
  return Array.isArray(value) && value.every(isGroup) ? value : wrong()
}

/** Markdown as HTML below the heading of a page. */
function markdownToHtml(text: string): string {
  const markdown = markdownReader()
  markdown.validateLink = isSafeLink
  const tokens = markdown.parse(text, {})
  lowerHeadings(tokens)
  return markdown.renderer.render(tokens, markdown.options, {})
}

/** True for addresses of the web and of mail, and within the service. */
export function isSafeLink(address: string): boolean {
  // Browsers drop control characters and spaces from addresses before they look at the protocol.
  // oxlint-disable-next-line no-control-regex
  const plain = address.replace(/[\u0000-\u0020\u007f-\u009f]/g, '')
  if (/^(?:https?:\/\/|mailto:)/i.test(plain)) return true
  return !/^[a-z][a-z0-9+.-]*:/i.test(plain) && !/^[\\/]{2}/.test(plain)
}

/** The first heading becomes one of the second level, because the page has its own, and no level is left out. */
function lowerHeadings(tokens: Token[]): void {
  let before = 1
  let inside = 0
  for (const token of tokens) {
    if (token.type === 'heading_open') {
      inside = Math.min(Number(token.tag.slice(1)) + 1, before + 1, 6)
      before = inside
    }
    if (/^heading_(open|close)$/.test(token.type)) token.tag = `h${inside}`
  }
}

/** The operator's text for a page in the reader's language, else any; with its language if that is another one. */
export function operatorText(
  texts: OperatorTexts,
  page: PageLanguage,
): { html: string; lang: string | undefined } | undefined {
  for (const language of [page, undefined, ...PAGE_LANGUAGES]) {
    const html = texts.get(language)
    if (html !== undefined) return { html, lang: language === page ? undefined : language }
  }
  return undefined
}
