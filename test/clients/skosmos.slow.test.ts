/**
 * Programs that were written for Skosmos, as they are, over HTTP; real requests to Skosmos get no error of the service.
 */
import { execFile } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { addAllProviders, cdk, type Item, type Registry } from 'cocoda-sdk/dist/esm/index.js'
import { loadVocabulary } from '../../src/writing/loading/load-vocabulary.ts'
import { CRAFTS, MATERIALS, startApp, type RunningApp } from '../app.ts'
import { TEST_DATA } from '../data.ts'
import { startDemo } from '../doors/demo/demo.ts'
import { testLong } from '../long.ts'
import { DEPLOYED, describeOver, EMBEDDED } from '../stores.ts'
import { ROOT } from '../process.ts'
import { tried } from './tried.ts'

addAllProviders()

const BOOKBINDING = `${CRAFTS}bookbinding`
const SKOS = 'http://www.w3.org/2004/02/skos/core#'
const uris = (list: readonly { uri: string }[]) => list.map(({ uri }) => uri)
const run = promisify(execFile)

/** The Python of `.ci/venv`, with the package skosmos_client. */
const PYTHON = join(ROOT, '.ci/venv/bin/python')

/** Calls every method of skosmos_client and prints what they give. */
const SCRIPT = `
import json, sys
from skosmos_client import SkosmosClient
base, vocid, uri, query, label = sys.argv[1:]
client = SkosmosClient(api_base=base)
concept = client.get_concept(vocid, uri)
def refused(call):
    try:
        call()
    except ValueError as error:
        return str(error)
print(json.dumps({
    'vocabularies': client.vocabularies('en'),
    'search': client.search(query, lang='en', vocabs=[vocid], maxhits=5),
    'unique': client.search(query, lang='en', vocabs=vocid, unique=True, type_='skos:Concept'),
    'below': client.search('*', lang='en', vocabs=vocid, parent=uri),
    'triples': [len(client.data(uri)), len(client.data(uri, vocid))],
    'types': [client.types('en'), client.types('en', vocid)],
    'vocabulary': client.get_vocabulary(vocid, 'en'),
    'top': client.top_concepts(vocid, 'en'),
    'lookup': client.lookup(vocid, label, 'en'),
    'groups': client.groups(vocid, 'en'),
    'label': concept.label('en'),
    'broader': concept.broader('en'),
    'above': list(concept.broaderTransitive('en', 10).values()),
    'narrower': concept.narrower('en'),
    'beneath': list(concept.narrowerTransitive('en', 10).values()),
    'related': concept.related('en'),
    'refused': [
        refused(lambda: client.get_vocabulary('none')),
        refused(lambda: client.top_concepts('none')),
        refused(lambda: client.lookup(vocid, 'no such label')),
    ],
}))
`

async function everything(app: RunningApp, ...more: string[]) {
  const { stdout } = await run(PYTHON, ['-c', SCRIPT, `${app.url}/rest/v1/`, ...more], { maxBuffer: 50_000_000 })
  return JSON.parse(stdout)
}

const hasClient = await run(PYTHON, ['-c', 'import skosmos_client']).then(
  () => true,
  () => false,
)
const testClient = hasClient ? test : test.skip
const without = hasClient ? '' : ', skipped: there is no skosmos_client (.ci/tools installs it)'

describeOver(DEPLOYED, 'Clients of Skosmos', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  beforeAll(async () => {
    running = await store.start()
    app = await startDemo(running.endpoint)
    // The programs ask at once.
    await app.index.refresh([CRAFTS, MATERIALS])
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  testClient(`every method of ${tried('skosmos_client')}${without}`, async () => {
    const result = await everything(app, 'crafts', BOOKBINDING, 'book*', 'bookbinding')
    expect(result.vocabularies.map(({ id }: any) => id)).toEqual(['crafts', 'materials'])
    expect(result.search).toHaveLength(5)
    expect(uris(result.unique)).toContain(BOOKBINDING)
    expect(uris(result.below)).toContain(`${CRAFTS}book-sewing`)
    expect(Math.min(...result.triples)).toBeGreaterThan(20)
    expect(result.types[0]).toEqual(result.types[1])
    expect(result.vocabulary.title).toBe('Crafts and Design')
    expect(result.top).toHaveLength(8)
    expect(uris(result.lookup)).toEqual([BOOKBINDING])
    expect(result.groups).toHaveLength(2)
    expect(result.label).toBe('Bookbinding')
    expect(uris(result.broader)).toEqual([`${CRAFTS}book-and-paper`])
    expect(uris(result.above)).toEqual([BOOKBINDING, `${CRAFTS}book-and-paper`])
    expect(uris(result.narrower)).toContain(`${CRAFTS}book-sewing`)
    expect(uris(result.beneath)).toHaveLength(10)
    expect(result.related).toHaveLength(4)
    expect(result.refused).toEqual([
      "404 Not Found : Vocabulary id 'none' not found.",
      "404 Not Found : Vocabulary id 'none' not found.",
      "404 Not Found : Could not find label 'no such label'",
    ])
  })

  describe('the provider SkosmosApi of cocoda-sdk', () => {
    const crafts: Item = { uri: CRAFTS, VOCID: 'crafts' }
    const materials: Item = { uri: MATERIALS, VOCID: 'materials' }
    const concept = (uri: string): Item => ({ uri, inScheme: [crafts] })
    let registry: Registry
    beforeAll(() => {
      registry = cdk.initializeRegistry({
        uri: `urn:test:skosmos:${store.name}`,
        provider: 'SkosmosApi',
        api: `${app.url}/rest/v1/`,
        schemes: [crafts, materials],
      })
    })

    test('schemes and top concepts', async () => {
      expect((await registry.getSchemes()).map(({ prefLabel }) => prefLabel)).toEqual([
        { en: 'Crafts and Design' },
        { en: 'Materials' },
      ])
      const top = await registry.getTop({ scheme: crafts })
      expect(top).toHaveLength(8)
      expect(top[0]).toMatchObject({ notation: ['B'], narrower: [null], prefLabel: { en: 'Book and paper crafts' } })
    })

    test('concepts with their neighbours', async () => {
      const [bookbinding] = await registry.getConcepts({ concepts: [concept(BOOKBINDING)] })
      expect(bookbinding).toMatchObject({
        uri: BOOKBINDING,
        notation: ['B1'],
        prefLabel: { de: 'Buchbinderei', en: 'Bookbinding' },
        type: ['http://www.w3.org/2004/02/skos/core#Concept'],
      })
      expect(uris(bookbinding!.broader as Item[])).toEqual([`${CRAFTS}book-and-paper`])
      expect(uris(bookbinding!.narrower as Item[])).toContain(`${CRAFTS}book-sewing`)
      const narrower = await registry.getNarrower({ concept: concept(BOOKBINDING) })
      expect(uris(narrower)).toContain(`${CRAFTS}book-conservation`)
      const ancestors = await registry.getAncestors({ concept: concept(`${CRAFTS}book-sewing`) })
      expect(uris(ancestors)).toEqual([BOOKBINDING, `${CRAFTS}book-and-paper`])
    })

    test('search, suggestions and types', async () => {
      expect(uris(await registry.search({ search: 'bookbind', scheme: crafts }))).toEqual([BOOKBINDING])
      const [, labels, , suggested] = await registry.suggest({ search: 'bookbind', scheme: crafts })
      expect(suggested).toEqual([BOOKBINDING])
      expect(labels[0]).toContain('Bookbinding')
      expect(uris(await registry.getTypes({ scheme: crafts }))).toEqual([`${SKOS}Collection`])
    })
  })
})

const REQUESTS = resolve(TEST_DATA, '../reference/skosmos/requests.txt')
const FINTO = resolve(TEST_DATA, 'finto/requests.tsv.gz')
const STW = resolve(TEST_DATA, 'vocab/stw-9.16.ttl')

const describeReal: typeof describeOver =
  existsSync(REQUESTS) && existsSync(STW) && existsSync(FINTO) ? describeOver : () => undefined

describeReal(EMBEDDED, 'Real requests over a real thesaurus', (store) => {
  let running: { endpoint: RunningApp['client']['endpoint']; stop(): Promise<void> }
  let app: RunningApp
  let concepts: string[]
  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint)
    // The requests name this vocabulary.
    const { uri } = await loadVocabulary(app.client, [STW], { ids: ['yso'] })
    app.registry.invalidate()
    await app.index.refresh([uri])
    concepts = (await app.get('/voc/yso/concepts?limit=500&properties=-')).body.map(({ uri }: Item) => uri)
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  testClient(`every method of skosmos_client${without}`, async () => {
    const [hit] = (await app.get('/rest/v1/yso/lookup?label=Forecast&lang=en')).body.result
    const result = await everything(app, 'yso', hit.uri, 'econom*', 'Forecast')
    expect(uris(result.lookup)).toEqual([hit.uri])
    expect(result.search).toHaveLength(5)
    expect(result.label).toBe('Forecast')
    expect(result.top.length).toBeGreaterThan(5)
    expect(result.above.length).toBeGreaterThan(1)
    expect(Math.min(...result.triples)).toBeGreaterThan(20)
  })

  test('have the answers of Skosmos, never an error of the service', async () => {
    const lines = readFileSync(REQUESTS, 'utf8').split('\n').filter(Boolean)
    for (const [at, line] of lines.entries()) {
      // Every other one as it is, the rest about concepts that there are.
      const path =
        at % 2 === 0
          ? line
          : line
              .replace(/\/v1\/\w+\//, '/v1/yso/')
              .replace(
                /([?&]uri=)[^&]*/,
                (_, name: string) => name + encodeURIComponent(concepts[at % concepts.length]!),
              )
      const { status, text } = await app.get(encodeURI(decodeURI(path.trim())), { redirect: 'manual' })
      expect([path, status, status < 500 ? '' : text]).toEqual([path, expect.any(Number), ''])
      expect([200, 302, 400, 404]).toContain(status)
    }
  })

  testLong('of a day find what they ask for', async () => {
    const rows = gunzipSync(readFileSync(FINTO)).toString().split('\n').slice(0, 400)
    for (const row of rows) {
      const [kind = '', number = '0', language = ''] = row.split('\t')
      if (kind === '' || kind.includes('group')) continue
      const uri = concepts[Number(number) % concepts.length]!
      const query = `label${Number(number) % 50}*`
      const path = `/rest/v1/${kind === 'vocabularies' ? '' : 'yso/'}${kind}`
      const { status } = await app.ask(path, {
        uri,
        query,
        label: 'Forecast',
        lang: language || 'en',
        format: 'application/json',
      })
      expect([row, status]).toEqual([row, 200])
    }
  })
})
