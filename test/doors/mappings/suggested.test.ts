/** Mappings that /mappings/suggest-for suggests, over every store. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { identifiersOf, type Mapping } from '../../../src/graph/jskos/mapping.ts'
import { SKOS } from '../../../src/base/namespaces.ts'
import { startApp, type RunningApp } from '../../app.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const [A, B, C] = ['http://example.org/a/', 'http://example.org/b/', 'http://example.org/c/']
const PREFIXES = `@prefix skos: <${SKOS}> . @prefix a: <${A}> . @prefix b: <${B}> . @prefix c: <${C}> .`
const scheme = (uri: string, id: string) => `<${uri}> a skos:ConceptScheme ; skos:notation "${id}" .`
const GRAPHS = {
  [A]: `${PREFIXES} ${scheme(A, 'a')}
    a:1 a skos:Concept ; skos:inScheme <${A}> ; skos:notation "A1" ; skos:prefLabel "Bogenbrücke"@de, "arch bridge"@en ;
      skos:altLabel "Bogenviadukt"@de ; skos:exactMatch b:mapped .
    a:2 a skos:Concept ; skos:inScheme <${A}> ; skos:prefLabel "Bogenbrücke"@nds .
    a:3 a skos:Concept ; skos:inScheme <${A}> .`,
  [B]: `${PREFIXES} ${scheme(B, 'b')}
    b:1 a skos:Concept ; skos:inScheme <${B}> ; skos:notation "B1" ; skos:prefLabel "Bogenbrücke"@de .
    b:2 a skos:Concept ; skos:inScheme <${B}> ; skos:prefLabel "Bogenbrückem"@de .
    b:3 a skos:Concept ; skos:inScheme <${B}> ; skos:prefLabel "Katze"@de .
    b:back a skos:Concept ; skos:inScheme <${B}> ; skos:prefLabel "arch bridge"@en ; skos:closeMatch a:1 .
    b:mapped a skos:Concept ; skos:inScheme <${B}> ; skos:prefLabel "Bogenbrücke"@de .`,
  [C]: `${PREFIXES} ${scheme(C, 'c')}
    c:1 a skos:Concept ; skos:inScheme <${C}> ; skos:prefLabel "Arch bridge"@en .
    c:2 a skos:Concept ; skos:inScheme <${C}> ; skos:prefLabel "Bogenviadukt"@de .`,
}

describeOver(EMBEDDED, 'suggested mappings', (store) => {
  let running: Awaited<ReturnType<typeof store.start>>
  let app: RunningApp
  const suggest = async (parameters: Record<string, string>) => {
    const { status, body, headers } = await app.ask('/mappings/suggest-for', parameters)
    expect({ status, body: status === 200 ? undefined : body }).toEqual({ status: 200, body: undefined })
    return { mappings: body as Mapping[], total: headers.get('x-total-count') }
  }
  const targets = (mappings: readonly Mapping[]) => mappings.map(({ to }) => to.memberSet![0]!.uri!)

  beforeAll(async () => {
    running = await store.start()
    app = await startApp(running.endpoint, { MAX_STALENESS_MS: '100' })
    for (const [graph, text] of Object.entries(GRAPHS)) await app.put(graph, text)
    await app.index.refresh(Object.keys(GRAPHS))
    await app.index.caughtUp()
  })
  afterAll(async () => {
    expect(app.reported).toEqual([])
    await app.close()
    await running.stop()
  })

  test('equal labels of any kind, then similar ones; none of its own vocabulary, none that is mapped', async () => {
    const { mappings, total } = await suggest({ from: `${A}1` })
    const results = targets(mappings)
    expect(new Set(results)).toEqual(new Set([`${B}1`, `${B}2`, `${C}1`, `${C}2`]))
    expect(total).toBe('4')
    const scores = mappings.map(({ mappingRelevance }) => mappingRelevance!)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    expect(Math.max(...scores)).toBeLessThanOrEqual(1)
    expect(Math.min(...scores)).toBeGreaterThan(0)
    const scoreOf = (uri: string) => scores[results.indexOf(uri)]!
    expect(scoreOf(`${B}1`)).toBeGreaterThan(scoreOf(`${B}2`))
  })

  test('a suggestion is a mapping without a URI, with both vocabularies and labels', async () => {
    const { mappings } = await suggest({ from: `${A}1`, toScheme: 'b', limit: '1' })
    const [mapping] = mappings
    expect(mapping).toEqual({
      '@context': app.config.jskosContextUrl,
      from: {
        memberSet: [{ uri: `${A}1`, notation: ['A1'], prefLabel: { de: 'Bogenbrücke', en: 'arch bridge' } }],
      },
      fromScheme: { uri: A, notation: ['a'] },
      to: { memberSet: [{ uri: `${B}1`, notation: ['B1'], prefLabel: { de: 'Bogenbrücke' } }] },
      toScheme: { uri: B, notation: ['b'] },
      type: [`${SKOS}mappingRelation`],
      mappingRelevance: expect.any(Number),
      identifier: identifiersOf(mapping!),
    })
  })

  test('of some vocabularies, by URI or id; pages; nothing is stored', async () => {
    expect(new Set(targets((await suggest({ from: `${A}1`, toScheme: C })).mappings))).toEqual(
      new Set([`${C}1`, `${C}2`]),
    )
    const all = await suggest({ from: `${A}1`, toScheme: `b|${C}` })
    expect(all.total).toBe('4')
    const second = await suggest({ from: `${A}1`, limit: '1', offset: '1' })
    expect([targets(second.mappings), second.total]).toEqual([[targets(all.mappings)[1]], '4'])
    expect((await suggest({ from: `${A}1`, limit: '1', download: 'json' })).total).toBe('4')
    for (const parameters of [{ toScheme: 'nowhere' }, { toScheme: 'a' }]) {
      expect(await suggest({ from: `${A}1`, ...parameters })).toEqual({ mappings: [], total: '0' })
    }
    expect(await suggest({ from: `${A}3` })).toEqual({ mappings: [], total: '0' })
    expect((await app.ask('/mappings')).headers.get('x-total-count')).toBe('2')
  })

  test('there are none for an unknown concept', async () => {
    const { status, body, headers } = await app.ask('/mappings/suggest-for', { from: `${A}none` })
    expect([status, body, headers.get('x-total-count')]).toEqual([200, [], '0'])
  })

  test('bad input names the parameter', async () => {
    for (const [parameters, status, words] of [
      [{}, 400, 'from: expected the URI of a concept'],
      [{ from: 'A1' }, 400, 'from: expected the URI of a concept'],
      [{ from: `${A}1`, limit: 'x' }, 400, 'limit'],
      [{ from: `${A}1`, format: 'sssom' }, 400, 'format'],
    ] as [Record<string, string>, number, string][]) {
      const { status: got, body } = await app.ask('/mappings/suggest-for', parameters)
      expect([parameters, got, body.message]).toEqual([parameters, status, expect.stringContaining(words)])
    }
  })
})
