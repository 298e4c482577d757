/** The provider that Cocoda and everything on cocoda-sdk reads vocabularies with, as it is, over HTTP. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { addAllProviders, cdk, type Item, type Registry } from 'cocoda-sdk/dist/esm/index.js'
import { CRAFTS, MATERIALS, type RunningApp } from '../app.ts'
import { startDemo } from '../doors/demo/demo.ts'
import { runOver } from '../run-over.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

addAllProviders()

const uris = (list: { uri: string }[]) => list.map(({ uri }) => uri)

describeOver(EMBEDDED, tried('cocoda-sdk'), (store) => {
  let app: RunningApp

  runOver(store, async (endpoint) => (app = await startDemo(endpoint)))

  describe.each<[how: string, config: () => { status?: string; api?: string }]>([
    ['by its status', () => ({ status: `${app.url}/status` })],
    ['by its address', () => ({ api: `${app.url}/` })],
  ])('told of the service %s', (how, config) => {
    let registry: Registry
    beforeAll(async () => {
      registry = cdk.initializeRegistry({
        uri: `urn:test:${store.name}:${encodeURIComponent(how)}`,
        provider: 'ConceptApi',
        ...config(),
      })
      await registry.init()
    })

    test('has everything that reads concepts', () => {
      const reading = ['schemes', 'top', 'data', 'concepts', 'narrower', 'ancestors', 'types', 'suggest', 'search']
      expect(reading.filter((name) => !registry.has[name])).toEqual([])
    })

    test('schemes, with their names and their number', async () => {
      const schemes = await registry.getSchemes()
      expect(uris(schemes).sort()).toEqual([CRAFTS, MATERIALS])
      expect(schemes._totalCount).toBe(2)
      for (const { prefLabel } of schemes) expect(Object.keys(prefLabel!)).toEqual(expect.arrayContaining(['de', 'en']))
    })

    test.each([CRAFTS, CRAFTS.replace(/\/$/, ''), CRAFTS.replace('http:', 'https:')])(
      'top concepts of %s',
      async (uri) => {
        const top = await registry.getTop({ scheme: { uri } })
        expect(top).toHaveLength(8)
        expect(top._totalCount).toBe(8)
        // Opening a concept loads its narrower concepts.
        expect(top[0]!.narrower).toEqual([null])
        expect(top[0]!.notation).toEqual(['B'])
      },
    )

    test('a scheme of elsewhere is told to be one', async () => {
      await expect(registry.getTop({ scheme: { uri: 'http://example.org/elsewhere/' } })).rejects.toThrow(/unsupported/)
    })

    test('concepts, several at once', async () => {
      const asked = [`${CRAFTS}bookbinding`, `${CRAFTS}textiles`, `${CRAFTS}none`]
      const concepts = await registry.getConcepts({ concepts: asked.map((uri) => ({ uri })) })
      expect(uris(concepts).sort()).toEqual(asked.slice(0, 2))
      expect(concepts.find(({ uri }) => uri === asked[0])!.prefLabel).toEqual({ de: 'Buchbinderei', en: 'Bookbinding' })
    })

    test('down from a top concept and up again', async () => {
      const concept = { uri: `${CRAFTS}book-and-paper` }
      const narrower = await registry.getNarrower({ concept })
      expect(uris(narrower)).toContain(`${CRAFTS}bookbinding`)
      expect(narrower._totalCount).toBe(narrower.length)
      expect(uris(await registry.getAncestors({ concept: { uri: `${CRAFTS}bookbinding` } }))).toEqual([concept.uri])
      const far = await registry.getAncestors({ concept: { uri: `${CRAFTS}blaudruck` } })
      expect(far.length).toBeGreaterThan(1)
      expect(uris(await registry.getTop({ scheme: { uri: CRAFTS } }))).toContain(far.at(-1)!.uri)
      expect(await registry.getAncestors({ concept })).toHaveLength(0)
    })

    test('suggestions, of one vocabulary and of all', async () => {
      const [query, labels, , uris] = await registry.suggest({ search: 'Buchb', scheme: { uri: CRAFTS }, limit: 20 })
      expect([query, labels[0], uris[0]]).toEqual(['Buchb', 'B1 Bookbinding', `${CRAFTS}bookbinding`])
      for (const uri of uris) expect(uri.startsWith(CRAFTS)).toBe(true)
      const [, , , all] = await registry.suggest({ search: 'Seide' })
      expect(all.some((uri) => uri.startsWith(MATERIALS))).toBe(true)
    })

    test('search, by pages and by type', async () => {
      const scheme = { uri: CRAFTS }
      const all = await registry.search({ search: 'ma', scheme })
      expect(all.length).toBeGreaterThan(4)
      expect(all._totalCount).toBe(all.length)
      const page = await registry.search({ search: 'ma', scheme, limit: 2, offset: 2 })
      expect(uris(page)).toEqual(uris(all).slice(2, 4))
      expect(page._totalCount).toBe(all.length)
      const concept = 'http://www.w3.org/2004/02/skos/core#Concept'
      expect(
        uris(await registry.search({ search: 'ma', scheme, types: [concept, 'http://example.org/no-class'] })),
      ).toEqual(uris(all))
      expect(await registry.search({ search: 'ma', scheme, types: ['http://example.org/no-class'] })).toHaveLength(0)
    })

    test('types', async () => {
      const types = await registry.getTypes({ scheme: { uri: CRAFTS } })
      expect(types[0]!.uri).toBe('http://www.w3.org/2004/02/skos/core#Concept')
      expect(types[0]!.prefLabel!['en']).toBe('Concept')
    })
  })

  test('a vocabulary that is registered with its API elsewhere finds the service by that', async () => {
    const API = [{ type: 'http://bartoc.org/api-type/jskos', url: `${app.url}/` }]
    const registry = cdk.registryForScheme({ uri: CRAFTS, API })!
    await registry.init()
    expect(uris(await registry.getSchemes())).toEqual([CRAFTS])
    expect(await registry.getTop({ scheme: { uri: CRAFTS } })).toHaveLength(8)
  })

  describe('mappings by reconciliation', () => {
    const concept = (prefLabel: Record<string, string>): Item => ({
      uri: 'http://example.org/elsewhere/1',
      inScheme: [{ uri: 'http://example.org/elsewhere/' }],
      prefLabel,
    })
    const SKOS = 'http://www.w3.org/2004/02/skos/core#'
    let registry: Registry
    beforeAll(async () => {
      registry = cdk.initializeRegistry({
        uri: `urn:test:${store.name}:reconciliation`,
        provider: 'ReconciliationApi',
        api: `${app.url}/voc/crafts/reconcile`,
        schemes: [{ uri: CRAFTS }],
      })
      await registry.init()
    })

    test.each<[label: Record<string, string>, type: string]>([
      [{ de: 'Buchbinderei' }, `${SKOS}exactMatch`],
      [{ en: 'bookbinding' }, `${SKOS}exactMatch`],
      [{ en: 'Bokbinding' }, `${SKOS}closeMatch`],
    ])('%j: %s', async (prefLabel, type) => {
      const from = concept(prefLabel)
      const [best] = await registry.getMappings({ from, mode: 'or' })
      expect([uris(best!.from.memberSet), uris(best!.to.memberSet)]).toEqual([[from.uri], [`${CRAFTS}bookbinding`]])
      expect(best!.type).toEqual([type])
    })

    test('to a concept of elsewhere', async () => {
      const to = concept({ de: 'Buchbinderei' })
      const [best] = await registry.getMappings({ to, mode: 'or' })
      expect([uris(best!.from.memberSet), uris(best!.to.memberSet)]).toEqual([[`${CRAFTS}bookbinding`], [to.uri]])
    })

    test('a word that is nowhere has none', async () => {
      expect(await registry.getMappings({ from: concept({ de: 'Xyzzyx' }), mode: 'or' })).toHaveLength(0)
    })
  })
})
