/** The documents and the comments that cite them: whatever they point to is there. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ENDPOINTS } from '../src/endpoints.ts'
import { openapiDocument } from '../src/doors/openapi/document.ts'
import { REPRESENTATIONS } from '../src/interface/representations/representations.ts'
import { ROOT } from './process.ts'

const filesIn = (folder: string, pattern: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))

const DOCUMENTS = [
  ...readdirSync(ROOT),
  ...filesIn('docs', /./),
  'fuseki/README.md',
  'src/doors/demo/README.md',
].filter((name) => name.endsWith('.md'))
/** As in code and comments. */
const MAX_COLUMNS = 120
const SOURCES = ['src', 'test', 'queries', 'bench'].flatMap((folder) => filesIn(folder, /\.(ts|rq|ru)$/))

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

describe('documents', () => {
  test.each(DOCUMENTS)('%s points to files that are there', (name) => {
    const text = read(name)
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => resolve(ROOT, dirname(name), link!))
    const tests = [...text.matchAll(/\b(test\/[\w./-]+\.ts)\b/g)].map(([, path]) => join(ROOT, path!))
    expect([...links, ...tests].filter((path) => !existsSync(path))).toEqual([])
  })

  test('docs/ names every endpoint', () => {
    const text = filesIn('docs', /\.md$/).map(read).join('\n')
    // The Reconciliation Service API itself describes what is below its address.
    const isOfReconciling = (path: string) => /\/reconcile\//.test(path)
    const paths = Object.keys(openapiDocument('http://localhost:3000/', ENDPOINTS).paths).filter(
      (path) => !isOfReconciling(path),
    )
    expect(paths.length).toBeGreaterThan(40)
    const isNamed = (path: string) => new RegExp(`${path.replace(/[.{}]/g, '\\$&')}(?![\\w/{-])`).test(text)
    expect(paths.filter((path) => !isNamed(path))).toEqual([])
  })

  test('docs/endpoints.md and the OpenAPI document name every value of format and download', () => {
    const [, answers = ''] = /^## Answers\n(.*?)^## /ms.exec(read('docs/endpoints.md')) ?? []
    const rows = answers.matchAll(/^ *\| ((?:`[\w-]+`(?:, )?)+) \| `([\w./+-]+)` \|/gm)
    const named = [...rows].map(([, names, mediaType]) => ({
      mediaType,
      formats: names!.replaceAll('`', '').split(', '),
    }))
    expect(named).toEqual(REPRESENTATIONS.map(({ mediaType, formats }) => ({ mediaType, formats })))
    const { parameters } = openapiDocument('http://localhost:3000/', ENDPOINTS).components
    for (const name of ['format', 'download']) {
      const { description } = parameters[name]!
      for (const format of named.flatMap(({ formats }) => formats)) expect(description).toContain(`\`${format}\``)
    }
  })

  test('comments cite sections of documents that they have', () => {
    const cited = SOURCES.flatMap((name) =>
      // A citation may go on in the next line of its comment.
      [
        ...read(name)
          .replace(/\n\s*(\*|\/\/|#) /g, ' ')
          .matchAll(/\b(docs\/[\w-]+\.md), "([A-Z][^"]*)"/g),
      ].map(([, document, heading]) => ({ name, document: document!, heading })),
    )
    expect(cited.length).toBeGreaterThan(20)
    const hasHeading = (document: string, heading: string | undefined) =>
      existsSync(join(ROOT, document)) && `\n${read(document)}`.includes(`# ${heading}\n`)
    expect(cited.filter(({ document, heading }) => !hasHeading(document, heading))).toEqual([])
  })

  test.each(DOCUMENTS)('%s has no line of more than 120 columns', (name) => {
    let isCode = false
    const long = read(name)
      .split('\n')
      .flatMap((line, at) => {
        if (/^\s*```/.test(line)) isCode = !isCode
        // A row of a table, a command and a link cannot be broken.
        const isWhole = isCode || /^\s*\|/.test(line) || /^ {4}/.test(line) || !/ /.test(line.trim().replace(/^- /, ''))
        return line.length > MAX_COLUMNS && !isWhole ? [`${name}:${at + 1}`] : []
      })
    expect(long).toEqual([])
  })

  test('show every picture; the script takes each screenshot, and each drawing reads in light and dark', () => {
    const shown = DOCUMENTS.map(read).join('\n')
    const script = read('bench/pictures.ts')
    const wrong = filesIn('docs/pictures', /./).filter((path) => {
      const name = path.split('/').at(-1)!
      const isMade = name.endsWith('.svg')
        ? read(path).includes('prefers-color-scheme: dark')
        : script.includes(`name: '${name}'`)
      return !isMade || !shown.includes(`pictures/${name})`)
    })
    expect(wrong).toEqual([])
  })

  test('no comment cites a specification without its name', () => {
    expect(SOURCES.filter((name) => /\(spec[,)]/.test(read(name)))).toEqual([])
  })
})
