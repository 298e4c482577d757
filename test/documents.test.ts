/** The documents and the comments that cite them: whatever they point to is there. */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ROOT } from './process.ts'

const filesIn = (folder: string, pattern: RegExp) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => pattern.test(name))
    .map((name) => join(folder, name))

const DOCUMENTS = [...readdirSync(ROOT), ...filesIn('docs', /./), 'fuseki/README.md', 'src/demo/README.md'].filter(
  (name) => name.endsWith('.md'),
)
const SOURCES = ['src', 'test', 'queries', 'bench'].flatMap((folder) => filesIn(folder, /\.(ts|rq|ru)$/))

const read = (name: string) => readFileSync(join(ROOT, name), 'utf8')

describe('documents', () => {
  test.each(DOCUMENTS)('%s points to files that are there', (name) => {
    const text = read(name)
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => resolve(ROOT, dirname(name), link!))
    const tests = [...text.matchAll(/\b(test\/[\w./-]+\.ts)\b/g)].map(([, path]) => join(ROOT, path!))
    expect([...links, ...tests].filter((path) => !existsSync(path))).toEqual([])
  })

  test('comments cite sections of docs/interface.md that it has', () => {
    const headings = [...read('docs/interface.md').matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)
    const cited = SOURCES.flatMap((name) =>
      // A citation may go on in the next line of its comment.
      [
        ...read(name)
          .replace(/\n\s*(\*|\/\/|#) /g, ' ')
          .matchAll(/docs\/interface\.md, "([A-Z][^"]*)"/g),
      ].map(([, heading]) => ({
        name,
        heading,
      })),
    )
    expect(cited.length).toBeGreaterThan(20)
    expect(cited.filter(({ heading }) => !headings.includes(heading))).toEqual([])
  })
})
