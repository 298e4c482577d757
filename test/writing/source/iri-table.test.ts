import { expect, test } from '@jest/globals'
import { IriTable } from '../../../src/writing/source/iri-table.ts'

test('numbers count from 0, one for each IRI, and lead back to it, through every growth and with too many namespaces', () => {
  const table = new IriTable()
  const iris = Array.from({ length: 70_000 }, (_, at) => `http://example.org/${at % 3 ? 'näme' : 'name'}/${at}/😀`)
  expect(iris.findIndex((iri, at) => table.intern(iri) !== at)).toBe(-1)
  expect(iris.findIndex((iri, at) => table.intern(iri) !== at)).toBe(-1)
  expect(iris.findIndex((iri, at) => table.find(iri) !== at)).toBe(-1)
  expect(iris.findIndex((iri, at) => table.iri(at) !== iri)).toBe(-1)
  expect(table.size).toBe(70_000)
})

test('an IRI that was only looked up has no number', () => {
  const table = new IriTable()
  expect(table.find('http://example.org/')).toBeUndefined()
  expect(table.intern('http://example.org/a')).toBe(0)
  for (const other of ['http://example.org/', 'http://example.org/ab', 'http://example.org/A', '']) {
    expect(table.find(other)).toBeUndefined()
  }
  expect(table.size).toBe(1)
  expect(table.intern('')).toBe(1)
  expect(table.find('')).toBe(1)
})

test('an IRI of any length', () => {
  const table = new IriTable()
  const long = `http://example.org/${'ä'.repeat(100_000)}`
  expect(table.intern(long)).toBe(0)
  expect(table.intern(`${long}b`)).toBe(1)
  expect(table.iri(0)).toBe(long)
  expect(table.find(long)).toBe(0)
})
