/**
 * The workbooks of VocExcel give what VocExcel makes of them: labels, definitions, hierarchy, notations, mappings and
 * collections.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate'
import { Parser } from 'n3'
import type { Quad } from '@rdfjs/types'
import { RDF_TYPE, SKOS } from '../../../src/base/namespaces.ts'
import { NO_DATA, TEST_DATA } from '../../data.ts'
import { temporaryFolder } from '../../folder.ts'
import { readTable } from './read.ts'

const { write } = temporaryFolder()

const COMPARED = [
  ...['prefLabel', 'altLabel', 'definition', 'notation', 'member', 'related'],
  ...['exactMatch', 'closeMatch', 'broadMatch', 'narrowMatch', 'relatedMatch'],
].map((name) => SKOS + name)
const TYPES = ['Concept', 'ConceptScheme', 'Collection'].map((name) => SKOS + name)

/** The statements to compare; the hierarchy upwards. */
function compared(quads: readonly Quad[]): string[] {
  const lines = quads.flatMap(({ subject, predicate, object }) => {
    if (predicate.value === `${SKOS}narrower`) return [`<${object.value}> broader <${subject.value}>`]
    if (predicate.value === `${SKOS}broader`) return [`<${subject.value}> broader <${object.value}>`]
    const isCompared =
      COMPARED.includes(predicate.value) || (predicate.value === RDF_TYPE && TYPES.includes(object.value))
    // Agents have names of their own.
    if (!isCompared || subject.termType === 'BlankNode') return []
    const suffix = object.termType === 'Literal' ? `@${object.language} ${object.datatype.value}` : ''
    return [`<${subject.value}> ${predicate.value} ${object.value}${suffix}`]
  })
  return [...new Set(lines)].sort()
}

const VERSIONS = ['043_exhaustive', '060_simple', '071_demo', '085', '100']

if (NO_DATA) {
  test.skip(`workbooks of VocExcel${NO_DATA}`, () => undefined)
} else {
  const path = (name: string) => join(TEST_DATA, 'sheets', name)

  test.each(VERSIONS)('%s', async (version) => {
    const { quads, mistakes } = await readTable(path(`vocexcel-${version}.xlsx`))
    const expected = new Parser().parse(readFileSync(path(`vocexcel-${version}.ttl`), 'utf8'))
    expect(compared(quads)).toEqual(compared(expected))
    expect(mistakes.filter(({ severity }) => severity === 'violation')).toEqual([])
  })

  test('without its sheet of collections', async () => {
    const files = unzipSync(readFileSync(path('vocexcel-071_demo.xlsx')))
    const book = strFromU8(files['xl/workbook.xml']!)
    expect(book).toContain('name="Collections"')
    const renamed = strToU8(book.replace('name="Collections"', 'name="Rest"'))
    const file = await write('no-collections.xlsx', Buffer.from(zipSync({ ...files, 'xl/workbook.xml': renamed })))
    const [{ quads }, whole] = [await readTable(file), await readTable(path('vocexcel-071_demo.xlsx'))]
    const collections = whole.quads.filter(({ object }) => object.value === `${SKOS}Collection`)
    const isOfRest = ({ subject }: Quad) =>
      collections.every((collection) => collection.subject.value !== subject.value)
    expect(compared(quads)).toEqual(compared(whole.quads.filter(isOfRest)))
    expect(compared(quads).length).toBeGreaterThan(10)
  })

  test('a workbook that VocExcel refuses has a violation with its cell', async () => {
    const { mistakes } = await readTable(path('vocexcel-085_invalid.xlsx'))
    expect(mistakes).toEqual([
      {
        severity: 'violation',
        cell: 'Concept Scheme!B8',
        message: 'Concept Scheme!B8: the template requires a value of "Creator"',
      },
    ])
  })
}
