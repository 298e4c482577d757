import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path/posix'
import type { Token } from 'markdown-it'
import { fromRoot } from '../../base/root.ts'
import { markdownReader } from './markdown.ts'

/** A picture of a document, with its size in pixels, so that the text stays in place while it loads. */
interface Picture {
  address: string
  width: number
  height: number
}

/** A document of the software. */
interface Document {
  /** The last part of its address below `/docs/`. */
  name: string
  /** Its path in the project. */
  file: string
  /** Its first heading. */
  title: string
  /**
   * Its content as HTML, with the heading ids of GitHub.
   *
   * @param toAddress gives the address of another document.
   * @param toPicture gives the picture at a path in the project, if there is one.
   */
  toHtml: (toAddress: (name: string) => string, toPicture?: (path: string) => Picture | undefined) => string
}

/** Files outside of `docs/` that its documents link to, and that every package has. */
const OUTSIDE = ['README.md', 'SECURITY.md', 'CHANGELOG.md']

let documents: Promise<ReadonlyMap<string, Document>> | undefined

/** The documents by name, the documents of `docs/` first. They are read once, because they belong to the version. */
export function readDocuments(): Promise<ReadonlyMap<string, Document>> {
  return (documents ??= read())
}

async function read(): Promise<ReadonlyMap<string, Document>> {
  const inside = (await readdir(fromRoot('docs'))).filter((file) => file.endsWith('.md')).sort()
  const files = [...inside.map((file) => `docs/${file}`), ...OUTSIDE]
  const names = new Map(files.map((file) => [file, documentName(file)]))
  const documents = await Promise.all(
    files.map(async (file) => toDocument(file, await readFile(fromRoot(file), 'utf8'), names)),
  )
  return new Map(documents.map((document) => [document.name, document]))
}

/** @example documentName('docs/operation.md') // 'operation' */
function documentName(file: string): string {
  return file
    .slice(file.lastIndexOf('/') + 1)
    .replace(/\.md$/, '')
    .toLowerCase()
}

/**
 * Reads a document.
 *
 * @param file its path in the project.
 * @param names of all documents, by their paths; links to other files become text.
 */
export function toDocument(file: string, text: string, names: ReadonlyMap<string, string>): Document {
  const markdown = markdownReader()
  const tokens = markdown.parse(text, {})
  const title = tokens[tokens.findIndex(({ type }) => type === 'heading_open') + 1]
  addHeadingIds(tokens)
  for (const { children } of tokens) {
    if (children) keepLinks(children, (path) => names.get(join(dirname(file), path)))
  }
  markdown.renderer.rules['link_open'] = (tokenList, index, _options, env) => {
    const { document, hash } = (tokenList[index]!.meta ?? {}) as { document?: string; hash?: string }
    const href =
      document === undefined
        ? tokenList[index]!.attrGet('href')
        : (env!['toAddress'] as (to: string) => string)(document) + hash
    return `<a href="${markdown.utils.escapeHtml(String(href ?? ''))}">`
  }
  const toText = markdown.renderer.rules['image']!
  markdown.renderer.rules['image'] = (tokenList, index, options, env, renderer) => {
    const image = tokenList[index]!
    const path = join(dirname(file), String(image.attrGet('src') ?? ''))
    const picture = (env!['toPicture'] as (path: string) => Picture | undefined)(path)
    if (!picture) return toText(tokenList, index, options, env, renderer)
    const { escapeHtml } = markdown.utils
    const { address, width, height } = picture
    const size = `width="${width}" height="${height}"`
    return `<img src="${escapeHtml(address)}" alt="${escapeHtml(image.content)}" ${size} loading="lazy">`
  }
  const name = documentName(file)
  return {
    name,
    file,
    title: title ? plainText(title) : name,
    toHtml: (toAddress, toPicture = () => undefined) =>
      markdown.renderer.render(tokens, markdown.options, { toAddress, toPicture }),
  }
}

/** The ids that GitHub gives to headings, so that links to parts of documents work in both places. */
function addHeadingIds(tokens: readonly Token[]): void {
  const taken = new Map<string, number>()
  tokens.forEach((token, index) => {
    if (token.type !== 'heading_open') return
    const words = plainText(tokens[index + 1]!).toLowerCase()
    const id = words.replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '').replace(/\s/g, '-')
    const number = taken.get(id) ?? 0
    taken.set(id, number + 1)
    token.attrSet('id', number === 0 ? id : `${id}-${number}`)
  })
}

/**
 * Notes which document a link leads to. Links to files that no package has become text.
 *
 * @param nameAt gives the name of the document at a relative path.
 */
function keepLinks(tokens: Token[], nameAt: (path: string) => string | undefined): void {
  tokens.forEach((token, index) => {
    if (token.type !== 'link_open') return
    const [path = '', part] = String(token.attrGet('href') ?? '').split('#')
    if (path === '' || /^(?:https?|mailto):/.test(path)) return
    const document = nameAt(path)
    if (document !== undefined) {
      token.meta = { document, hash: part === undefined ? '' : `#${part}` }
      return
    }
    const close = tokens.findIndex((other, place) => place > index && other.type === 'link_close')
    for (const linkToken of [token, tokens[close]!])
      Object.assign(linkToken, { type: 'text', tag: '', nesting: 0, content: '' })
  })
}

function plainText({ children, content }: Token): string {
  return children?.map((child) => child.content).join('') ?? content
}

/**
 * The size of a picture in pixels: of a PNG (section 11.2.1) from its header, of a drawing from its first element.
 *
 * @throws Error for a drawing without a size.
 */
export function pictureSize(body: Buffer): { width: number; height: number } {
  if (body.toString('latin1', 1, 4) === 'PNG') return { width: body.readUInt32BE(16), height: body.readUInt32BE(20) }
  const [, width, height] = /^<svg [^>]*width="(\d+)" height="(\d+)"/.exec(body.toString('utf8')) ?? []
  if (height === undefined) throw new Error('a drawing without a width and a height')
  return { width: Number(width), height: Number(height) }
}
