/** The file of an operator with the namespaces of vocabularies that are elsewhere. */
import { expect, test } from '@jest/globals'
import { mkdir } from 'node:fs/promises'
import { NAMESPACES_FILE, readNamespaces } from '../../../src/graph/vocabularies/namespaces.ts'
import { temporaryFolder } from '../../folder.ts'

const { path, write } = temporaryFolder()
const OWN = { 'http://example.org/trees/': 'http://example.org/vocabularies/trees' }

test('adds to the well-known ones', async () => {
  const namespaces = readNamespaces(path('nothing'))
  expect(namespaces.length).toBeGreaterThan(0)
  await write(NAMESPACES_FILE, JSON.stringify(OWN))
  expect(readNamespaces(path(''))).toEqual([...namespaces, ...Object.entries(OWN)])
})

test.each(['[]', '{', '{"http://example.org/trees/": 1}', '{"http://example.org/trees/": "trees"}'])(
  '%s is refused, and the file named',
  async (text) => {
    const file = await write(NAMESPACES_FILE, text)
    expect(() => readNamespaces(path(''))).toThrow(`${file}: expected a JSON object with the URI of a vocabulary`)
  },
)

test('a file that cannot be read is not taken for none', async () => {
  await mkdir(path(`unreadable/${NAMESPACES_FILE}`), { recursive: true })
  expect(() => readNamespaces(path('unreadable'))).toThrow(/EISDIR/)
})
