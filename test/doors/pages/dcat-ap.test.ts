/** The catalogue of the service has all that DCAT-AP 3.0 asks for, in the form that it asks for. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { expect, test } from '@jest/globals'
import { Parser, Store, type Quad, type Term } from 'n3'
import Validator from 'rdf-validate-shacl'
import { DCAT, DCT, FOAF, RDF_TYPE } from '../../../src/base/namespaces.ts'
import { putDemo, type RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const SHAPES = new Store(new Parser().parse(await readFile(resolve(import.meta.dirname, 'dcat-ap.ttl'), 'utf8')))
const BARE = 'http://example.org/bare/'
const TIMES = ['2026', '2026-05', '2026-05-01', '2026-05-01T12:00:00Z']
const PREFIXES = `@prefix skos: <http://www.w3.org/2004/02/skos/core#> . @prefix dct: <${DCT}> .`

async function violations(quads: Quad[]): Promise<string[]> {
  const report = await new Validator(SHAPES).validate(new Store(quads))
  return report.results.map(({ focusNode, path, sourceConstraintComponent: component }) => {
    const predicate = Array.isArray(path) ? undefined : (path as Term | null)
    return [focusNode, predicate, component].map((term) => term?.value.replace(/^.*[/#]/, '')).join(' ')
  })
}

describeOver(EMBEDDED, 'DCAT-AP', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await putDemo(app)
    // Neither nor notes, and publishers with and without names.
    await app.put(
      BARE,
      `${PREFIXES} <${BARE}> a skos:ConceptScheme ; dct:publisher <${BARE}people>, [ skos:prefLabel "Ada"@en ] .`,
    )
    for (const [index, time] of TIMES.entries()) {
      const uri = `http://example.org/dated/${index}/`
      await app.put(
        uri,
        `${PREFIXES} <${uri}> a skos:ConceptScheme ; skos:prefLabel "Dated"@en ; dct:modified "${time}" ;
        dct:license <http://example.org/license/1>, <http://example.org/license/2> ; dct:publisher <${BARE}ada> . <${BARE}ada> skos:prefLabel "Ada"@en .`,
      )
    }
  })
  const describeService = async () => new Parser().parse((await app.get('/.well-known/void')).text)

  test('the catalogue, its datasets, files and services violate no shape', async () => {
    const quads = await describeService()
    const graph = new Store(quads)
    const number = (type: string) => graph.countQuads(null, RDF_TYPE, type, null)
    // The shapes have something to check.
    expect(number(`${DCAT}Catalog`)).toBe(1)
    expect(number(`${DCAT}Dataset`)).toBe(graph.countQuads(null, `${DCAT}dataset`, null, null))
    expect(number(`${DCAT}Dataset`)).toBeGreaterThan(TIMES.length + 2)
    expect(number(`${DCAT}Distribution`)).toBeGreaterThan(30)
    expect(number(`${DCAT}DataService`)).toBeGreaterThan(0)
    expect(graph.countQuads(null, `${DCT}modified`, null, null)).toBeGreaterThanOrEqual(TIMES.length)
    expect(await violations(quads)).toEqual([])
  })

  test.each<[predicate: string, component: string, object: string | undefined]>([
    [`${DCT}title`, 'MinCountConstraintComponent', undefined],
    [`${DCT}description`, 'MinCountConstraintComponent', undefined],
    [`${FOAF}name`, 'MinCountConstraintComponent', undefined],
    [`${DCAT}accessURL`, 'MinCountConstraintComponent', undefined],
    [`${DCAT}endpointURL`, 'MinCountConstraintComponent', undefined],
    [RDF_TYPE, 'ClassConstraintComponent', `${FOAF}Document`],
    [RDF_TYPE, 'ClassConstraintComponent', `${DCT}LicenseDocument`],
    [RDF_TYPE, 'ClassConstraintComponent', `${DCT}MediaType`],
  ])('without %s there are violations: %s %s', async (predicate, component, object) => {
    const quads = await describeService()
    const less = quads.filter((quad) => quad.predicate.value !== predicate || (object && quad.object.value !== object))
    expect(less.length).toBeLessThan(quads.length)
    expect((await violations(less)).some((violation) => violation.endsWith(` ${component}`))).toBe(true)
  })
})
