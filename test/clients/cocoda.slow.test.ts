/** The registries of docs/cocoda.md, as Cocoda makes them with cocoda-sdk, and what it asks of them. */
import { beforeAll, expect, test } from '@jest/globals'
import { addAllProviders, cdk, type Item, type MappingRegistry, type Registry } from 'cocoda-sdk/dist/esm/index.js'
import { loadDemo } from '../../src/doors/demo/demo.ts'
import { SKOS } from '../../src/base/namespaces.ts'
import { CRAFTS, MATERIALS, startApp, type RunningApp } from '../app.ts'
import { C, loadConcordance } from '../doors/mappings/concordance.ts'
import { HTML } from '../doors/pages/html.ts'
import { temporaryFolder } from '../folder.ts'
import { runOver } from '../run-over.ts'
import { blocksOf } from '../shown-commands.ts'
import { describeOver, EMBEDDED } from '../stores.ts'
import { tried } from './tried.ts'

addAllProviders()

const { write } = temporaryFolder()
const [configuration, byLabel] = (await blocksOf('docs/cocoda.md'))
  .filter(({ language }) => language === 'json')
  .map(({ text }) => text)
const BOOKBINDING = { uri: `${CRAFTS}bookbinding` }

describeOver(EMBEDDED, tried('Cocoda'), (store) => {
  let app: RunningApp
  let concepts: Registry
  let mappings: MappingRegistry
  const here = (text: string) => JSON.parse(text.replaceAll('http://localhost:3000', app.url))
  // The SDK keeps registries by their URIs.
  const registry = (entry: { uri: string }) =>
    cdk.initializeRegistry({ ...entry, uri: `${entry.uri}#${store.name}` } as Parameters<
      typeof cdk.initializeRegistry
    >[0])

  runOver(store, async (endpoint) => {
    app = await startApp(endpoint, { MAX_STALENESS_MS: '100' })
    await loadDemo(app.client, app.config)
    await (await loadConcordance(app, write)).close()
    app.registry.invalidate()
    app.state.changed()
    await app.index.refresh([CRAFTS, MATERIALS])
    await app.index.caughtUp()
    return app
  })
  beforeAll(async () => {
    const { registries } = here(configuration!)
    concepts = registry(registries[0])
    mappings = registry(registries[1]) as unknown as MappingRegistry
    await concepts.init()
    await mappings.init()
  })

  test('are those of the page of a vocabulary', async () => {
    const { text } = await app.get('/voc/crafts?lang=en', HTML)
    const [, lines] = /<summary>Cocoda<\/summary><pre><code>(.*?)<\/code>/s.exec(text)!
    const shown = JSON.parse(lines!.replaceAll('&quot;', '"').replaceAll(app.config.baseUrl, 'http://localhost:3000/'))
    expect(shown).toEqual(JSON.parse(configuration!))
  })

  test('vocabularies, tree, search and details', async () => {
    const schemes = await concepts.getSchemes()
    expect(schemes.map(({ uri }) => uri).sort()).toEqual([CRAFTS, MATERIALS])
    const [top] = await concepts.getTop({ scheme: schemes.find(({ uri }) => uri === CRAFTS)! })
    const below = await concepts.getNarrower({ concept: top! })
    expect(below.map(({ uri }) => uri)).toContain(BOOKBINDING.uri)
    expect((await concepts.getAncestors({ concept: BOOKBINDING })).map(({ uri }) => uri)).toEqual([top!.uri])
    const [, labels, , uris] = await concepts.suggest({ search: 'Buchb', scheme: { uri: CRAFTS } })
    expect([labels[0], uris[0]]).toEqual(['B1 Bookbinding', BOOKBINDING.uri])
    const [hit] = await concepts.search({ search: 'Buchbinderei', scheme: { uri: CRAFTS } })
    expect((await concepts.getConcepts({ concepts: [hit!] }))[0]!.prefLabel).toHaveProperty('de', 'Buchbinderei')
    expect((await concepts.getTypes({ scheme: { uri: CRAFTS } }))[0]!.uri).toBe(`${SKOS}Concept`)
  })

  test('mappings with notations and labels, and concordances', async () => {
    const stated = await mappings.getMappings({ from: BOOKBINDING, direction: 'both' })
    const members = stated.flatMap(({ from, to }) => [...from.memberSet, ...to.memberSet])
    expect(members.map(({ uri }) => uri)).toEqual(expect.arrayContaining([BOOKBINDING.uri, `${MATERIALS}leather`]))
    for (const { prefLabel } of members) expect(prefLabel).toHaveProperty('de')
    const loaded: Item[] = await mappings.getConcordances({})
    expect(loaded.map(({ uri }) => uri)).toEqual([C])
    expect(await mappings.getMappings({ partOf: { uri: C } })).toHaveLength(3)
    const { text } = await app.get(`/mappings?partOf=${encodeURIComponent(C)}&download=csv`)
    expect(text.trim().split('\n')).toHaveLength(4)
  })

  test('nothing offers to save, or to log in', () => {
    const none = { create: false, update: false, delete: false }
    expect(mappings.has['mappings']).toMatchObject({ read: true, ...none, anonymous: false })
    expect(mappings.has['concordances']).toMatchObject({ read: true, ...none })
    expect(['annotations', 'auth', 'occurrences'].filter((name) => mappings.has[name])).toEqual([])
  })

  test('suggestions by label', async () => {
    const suggesting = registry(here(byLabel!))
    await suggesting.init()
    const from = {
      uri: 'http://example.org/elsewhere/1',
      inScheme: [{ uri: 'http://example.org/elsewhere/' }],
      prefLabel: { de: 'Buchbinderei' },
    }
    const [best] = await suggesting.getMappings({ from, mode: 'or' })
    expect(best!.to.memberSet).toMatchObject([BOOKBINDING])
  })
})
