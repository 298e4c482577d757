/** The requests of clients that are not run here, as their sources make them, and what each needs of the answers. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import { CONCEPT } from '../../src/base/namespaces.ts'
import { CRAFTS, MATERIALS, type RunningApp } from '../app.ts'
import { startDemo } from '../doors/demo/demo.ts'
import { ROOT } from '../process.ts'
import { runOver } from '../run-over.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

const BOOKBINDING = `${CRAFTS}bookbinding`
const encoded = encodeURIComponent
const PYTHON = join(ROOT, '.ci/venv/bin/python')
const run = promisify(execFile)
const hasRdflib = await run(PYTHON, ['-c', 'import rdflib']).then(
  () => true,
  () => false,
)
const testRdflib = hasRdflib ? test : test.skip
const without = hasRdflib ? '' : ', skipped: there is no rdflib (.ci/tools installs it)'

/** Reads a vocabulary as Annif does: its labels by language, and its notations. */
const ANNIF = `
import json, sys, rdflib, rdflib.util
from rdflib.namespace import OWL, RDF, SKOS
graph = rdflib.Graph()
graph.parse(sys.argv[1], format=rdflib.util.guess_format(sys.argv[1]))
concepts = [c for c in graph.subjects(RDF.type, SKOS.Concept) if (c, OWL.deprecated, rdflib.Literal(True)) not in graph]
print(json.dumps({str(c): {
    'labels': {l.language: str(l) for l in graph.objects(c, SKOS.prefLabel)},
    'notation': str(graph.value(c, SKOS.notation, None, any=True)),
} for c in concepts}))
`

describeOver(EMBEDDED, 'Requests as other clients send them', (store) => {
  let app: RunningApp
  runOver(store, async (endpoint) => {
    app = await startDemo(endpoint)
    // The clients ask at once.
    await app.index.refresh([CRAFTS, MATERIALS])
    await app.index.caughtUp()
    return app
  })
  const ask = async (path: string, headers: Record<string, string> = { accept: 'application/json' }) => {
    const answer = await app.get(path, { headers })
    expect([path, answer.status]).toEqual([path, 200])
    return answer
  }

  describe(tried("TS4NFDI's API Gateway"), () => {
    const FIELDS =
      'notation,definition,prefLabel,altLabel,inScheme,deprecated,created,modified,issued,startDate,endDate'
    const expectConcept = (record: any) =>
      expect(record).toMatchObject({
        uri: BOOKBINDING,
        type: expect.arrayContaining([CONCEPT]),
        prefLabel: { en: 'Bookbinding' },
        altLabel: { en: expect.any(Array) },
        notation: ['B1'],
        inScheme: [{ uri: CRAFTS, prefLabel: { en: 'Crafts and Design' } }],
      })
    const expectVocabulary = (record: any) =>
      expect(record).toMatchObject({
        uri: CRAFTS,
        prefLabel: { en: 'Crafts and Design' },
        notation: expect.arrayContaining(['crafts']),
        license: [{ uri: expect.any(String) }],
        languages: expect.arrayContaining(['en']),
      })

    test.each([
      ['jskos', `/search?query=bookbinding&properties=+${FIELDS}`],
      ['jskos', `/data?voc=crafts&id=${encoded(BOOKBINDING)}&properties=${FIELDS}`],
      ['jskos2', `/concepts/search?search=bookbinding&properties=${FIELDS}`],
      ['jskos2', `/concepts?voc=crafts&uri=${encoded(BOOKBINDING)}&properties=${FIELDS},depiction`],
    ])('%s, concepts: %s', async (_, path) => expectConcept((await ask(path)).body[0]))

    test.each([
      ['jskos', '/voc/crafts'],
      ['jskos2', '/voc?limit=1000000&notation=crafts'],
    ])('%s, a vocabulary: %s', async (_, path) => {
      const { body } = await ask(path)
      expect(body).toHaveLength(1)
      expectVocabulary(body[0])
    })

    test.each([
      ['jskos', '/voc'],
      ['jskos2', '/voc?limit=1000000'],
    ])('%s, all vocabularies: %s', async (_, path) => {
      const { body } = await ask(path)
      expectVocabulary(body.find(({ uri }: { uri: string }) => uri === CRAFTS))
      expect(body.map(({ uri }: { uri: string }) => uri)).toContain(MATERIALS)
    })

    test('skosmos: search and list of vocabularies', async () => {
      const { results } = (await ask('/rest/v1/search?query=bookb*&lang=en&fields=scopeNote')).body
      const hit = results.find(({ uri }: { uri: string }) => uri === BOOKBINDING)
      expect(hit).toMatchObject({
        prefLabel: 'Bookbinding',
        vocab: 'crafts',
        type: expect.arrayContaining(['skos:Concept']),
      })
      const { vocabularies } = (await ask('/rest/v1/vocabularies?lang=en')).body
      expect(vocabularies).toContainEqual(
        expect.objectContaining({ id: 'crafts', uri: 'crafts', title: 'Crafts and Design' }),
      )
    })
  })

  test(tried("TS4NFDI's mapping widgets"), async () => {
    const { body } = await ask(`/mappings?from=${encoded(BOOKBINDING).replaceAll('%3A', ':')}`)
    const mapping = body.find((item: any) =>
      (item.to?.memberSet ?? []).some((member: any) => member.uri === `${MATERIALS}leather`),
    )
    expect(mapping).toMatchObject({
      uri: expect.stringContaining('/mappings/'),
      from: { memberSet: [{ uri: BOOKBINDING, notation: ['B1'] }] },
      fromScheme: { notation: ['crafts'] },
      toScheme: { notation: ['materials'] },
      identifier: expect.any(Array),
    })
    expect(mapping.type[0]).toMatch(/Match$/)
  })

  describe(tried('Dataverse, `skosmos.js`'), () => {
    test('completion', async () => {
      // jQuery puts another & before the query.
      const { body, headers } = await ask('/rest/v1/search?unique=true&vocab=crafts&parent=&lang=en&&query=bookb*', {
        accept: 'application/json, text/javascript, */*; q=0.01',
        origin: 'https://dataverse.example.org',
      })
      expect(headers.get('access-control-allow-origin')).toBe('*')
      for (const { prefLabel } of body.results) expect(prefLabel).toEqual(expect.any(String))
      expect(body.results.map(({ uri }: { uri: string }) => uri)).toContain(BOOKBINDING)
      const below = `/rest/v1/search?unique=true&vocab=crafts&parent=${CRAFTS}textiles&lang=en&&query=bookb*`
      expect((await ask(below)).body.results).toEqual([])
    })

    test('the name of a concept', async () => {
      const { graph } = (await ask(`/rest/v1/data?uri=${encoded(BOOKBINDING)}`)).body
      const { prefLabel } = graph.find(({ uri }: { uri: string }) => uri === BOOKBINDING)
      expect(prefLabel).toContainEqual({ lang: 'en', value: 'Bookbinding' })
    })
  })

  describe(tried('Annif'), () => {
    testRdflib.each(['/voc/crafts/export?format=turtle', '/rest/v1/crafts/data?format=text/turtle'])(
      `%s${without}`,
      async (path) => {
        const { stdout } = await run(PYTHON, ['-c', ANNIF, app.url + path], { maxBuffer: 50_000_000 })
        const concepts = JSON.parse(stdout)
        expect(Object.keys(concepts).filter((uri) => uri.startsWith(CRAFTS)).length).toBeGreaterThan(130)
        expect(concepts[BOOKBINDING]).toEqual({
          labels: { de: 'Buchbinderei', en: 'Bookbinding' },
          notation: 'B1',
        })
      },
    )
  })
})
