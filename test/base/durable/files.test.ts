import { chmod, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { makeFile, makeFolder, replaceFile } from '../../../src/base/durable/files.ts'
import { temporaryFolder } from '../../folder.ts'

describe('replacing a file', () => {
  const folder = temporaryFolder()

  test('leaves the new one alone, for its owner only', async () => {
    const file = folder.path('a.json')
    await replaceFile(file, 'one')
    await chmod(file, 0o644)
    await replaceFile(file, 'two')
    expect(await readFile(file, 'utf8')).toBe('two')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder.path(''))).toEqual(['a.json'])
  })

  test('by several at once leaves one of them whole', async () => {
    const file = folder.path('b.json')
    const contents = Array.from({ length: 20 }, (_, at) => String(at).repeat(10_000))
    await Promise.all(contents.map((content) => replaceFile(file, content)))
    expect(contents).toContain(await readFile(file, 'utf8'))
  })

  test('that fails leaves nothing behind', async () => {
    await expect(replaceFile(join(folder.path('nowhere'), 'c'), '')).rejects.toThrow('ENOENT')
    // A folder in its place cannot be replaced.
    await expect(replaceFile(folder.path(''), 'x')).rejects.toThrow()
    expect(
      (await readdir(folder.path('..'))).filter((name) => name.includes('files-') && /\.[0-9a-f]{12}$/.test(name)),
    ).toEqual([])
  })
})

describe('making folders and files', () => {
  const folder = temporaryFolder()

  test('makes the folders above, for their owner only', async () => {
    await makeFolder(folder.path('a/b/c'))
    await makeFolder(folder.path('a/b/c'))
    expect((await stat(folder.path('a/b'))).mode & 0o777).toBe(0o700)
  })

  test('where the system makes no folders, it fails', async () => {
    await expect(makeFolder('/proc/none/of/these')).rejects.toMatchObject({ code: 'ENOENT' })
    await writeFile(folder.path('file'), '')
    await expect(makeFolder(folder.path('file/below'))).rejects.toMatchObject({ code: 'ENOTDIR' })
  })

  test('makes an empty file for its owner only, and keeps one that is there', async () => {
    const file = folder.path('x/y.sqlite')
    await makeFile(file)
    await writeFile(file, 'content')
    await chmod(file, 0o644)
    await makeFile(file)
    expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['content', 0o600])
  })
})
