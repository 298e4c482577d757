/**
 * The imports of src/, those of types included: none to a floor above, no circles of files or of folders, and no page
 * that imports a page. What files export has a name of its own.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { fromRoot } from '../src/base/root.ts'

/** The files that each file imports, by path below src/. */
type Imports = ReadonlyMap<string, ReadonlySet<string>>

const IMPORT = /(?:\bfrom|\bimport)\s*\(?\s*'(\.[^']+)'/g

function readImports(folder: string): Imports {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => /\.tsx?$/.test(file))
  const importsOf = (file: string) => readFileSync(join(folder, file), 'utf8').matchAll(IMPORT)
  return new Map(
    files.map((file) => [
      file,
      new Set(Array.from(importsOf(file), ([, path]) => normalize(join(dirname(file), path!)))),
    ]),
  )
}

/** The imports between folders; files outside of any folder put the application together. */
function betweenFolders(imports: Imports): Imports {
  const folders = new Map<string, Set<string>>()
  for (const [file, targets] of imports) {
    const from = dirname(file)
    if (!folders.has(from)) folders.set(from, new Set())
    for (const to of [...targets].map(dirname)) if (to !== from && to !== '.') folders.get(from)!.add(to)
  }
  folders.delete('.')
  return folders
}

/** One circle, as the list of its members; undefined if there is none. */
function circleOf(imports: Imports): string[] | undefined {
  const done = new Set<string>()
  const visit = (file: string, path: readonly string[]): string[] | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file]
    if (done.has(file)) return undefined
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next, [...path, file])
      if (circle) return circle
    }
    done.add(file)
    return undefined
  }
  for (const file of imports.keys()) {
    const circle = visit(file, [])
    if (circle) return circle
  }
  return undefined
}

/** The floors, from above. */
const FLOORS = ['doors', 'writing', 'interface', 'graph', 'base']
/** What the floors read from the top of src/. */
const SETTINGS = new Set(['config.ts', 'settings.ts'])

const IMPORTS = readImports(fromRoot('src'))

test('a circle would be found', () => {
  const imports = new Map([
    ['a', new Set(['b'])],
    ['b', new Set(['c', 'd'])],
    ['c', new Set<string>()],
    ['d', new Set(['b'])],
  ])
  expect(circleOf(imports)).toEqual(['b', 'd', 'b'])
  expect(IMPORTS.get('doors/pages/pages.ts')).toContain('doors/pages/vocabulary-page.tsx')
  expect(betweenFolders(IMPORTS).get('doors/pages')).toContain('interface/read')
})

describe('imports', () => {
  test('lead to no floor above', () => {
    const floorOf = (file: string) => FLOORS.indexOf(file.split('/')[0]!)
    const upwards = [...IMPORTS].flatMap(([file, targets]) =>
      [...targets]
        .filter((target) => floorOf(target) >= 0 && floorOf(target) < floorOf(file))
        .map((target) => [file, target]),
    )
    expect(upwards).toEqual([])
  })

  test('of the two lowest floors lead to the top for settings alone', () => {
    const low = [...IMPORTS].filter(([file]) => /^(?:graph|base)\//.test(file))
    const top = low.flatMap(([, targets]) => [...targets].filter((target) => !target.includes('/')))
    expect(top.filter((target) => !SETTINGS.has(target))).toEqual([])
  })

  test('of files make no circle', () => {
    expect(circleOf(IMPORTS)).toBeUndefined()
  })

  test('of folders make no circle', () => {
    expect(circleOf(betweenFolders(IMPORTS))).toBeUndefined()
  })

  test('lead to files that exist', () => {
    const missing = [...IMPORTS].flatMap(([file, targets]) =>
      [...targets].filter((target) => /\.tsx?$/.test(target) && !IMPORTS.has(target)).map((target) => [file, target]),
    )
    expect(missing).toEqual([])
  })

  test('of pages lead to no other page', () => {
    const isPage = (file: string) => /^doors\/pages\/.*-page\.tsx$/.test(file)
    const between = [...IMPORTS].filter(([file]) => isPage(file)).filter(([, targets]) => [...targets].some(isPage))
    expect(between).toEqual([])
  })
})

test('no two files export the same name', () => {
  const EXPORT = /^export (?:declare |abstract |async )*(?:function\*?|const|class|type|interface) (\w+)/gm
  const filesByName = new Map<string, string[]>()
  for (const file of IMPORTS.keys()) {
    if (file.endsWith('.d.ts')) continue
    const source = readFileSync(join(fromRoot('src'), file), 'utf8')
    // A type and a value may share a name in their file.
    for (const name of new Set(Array.from(source.matchAll(EXPORT), ([, name]) => name!)))
      filesByName.set(name, [...(filesByName.get(name) ?? []), file])
  }
  expect([...filesByName].filter(([, files]) => files.length > 1)).toEqual([])
  expect(filesByName.get('composeApplication')).toEqual(['compose-application.ts'])
})
