import { expect, test } from '@jest/globals'
import { SKOS } from '../../../src/base/namespaces.ts'
import { CRAFTS, putDemo, type RunningApp } from '../../app.ts'
import { shareApp } from '../../run-over.ts'
import { describeOver, EMBEDDED } from '../../stores.ts'

const MANY = 'http://example.org/many/'
const CHILDREN = 130
const concept = (name: string, more: string) => `<${MANY}${name}> a skos:Concept ; skos:inScheme <${MANY}> ; ${more} .`
const VOCABULARY = `@prefix skos: <${SKOS}> .
  <${MANY}> a skos:ConceptScheme ; skos:notation "many" .
  ${concept('top', `skos:topConceptOf <${MANY}>`)} ${concept('other', `skos:topConceptOf <${MANY}>`)}
  ${Array.from({ length: CHILDREN }, (_, at) =>
    concept(`n${1000 + at}`, `skos:broader <${MANY}top> . <${MANY}top> skos:narrower <${MANY}n${1000 + at}>`),
  ).join('\n')}
  <${MANY}array> a skos:Collection ; skos:prefLabel "by number"@en ; skos:member <${MANY}n1000> , <${MANY}n1001> .
  ${concept('a', `skos:broader <${MANY}b> ; skos:narrower <${MANY}b>`)}
  ${concept('b', `skos:broader <${MANY}a> ; skos:narrower <${MANY}a>`)}`

const uris = (list: readonly { uri: string }[]) => list.map(({ uri }) => uri)

describeOver(EMBEDDED, 'A tree open at a concept', (store) => {
  let app: RunningApp
  shareApp(store, async (shared) => {
    app = shared
    await putDemo(app)
    await app.put(MANY, VOCABULARY)
  })

  test('has the same concepts as /ancestors, /narrower and /top', async () => {
    const at = `${CRAFTS}japanese-stab-binding`
    const { body } = await app.ask('/voc/crafts/tree', { at })
    const ancestors = (await app.ask('/ancestors', { uri: at, voc: 'crafts' })).body
    expect(ancestors.length).toBeGreaterThan(1)
    expect(uris(body.ancestors)).toEqual(uris(ancestors))
    expect(body.concept).toMatchObject({ uri: at, prefLabel: { en: expect.any(String) }, hasChildren: false })
    const lists = [
      (await app.get('/voc/crafts/top')).body,
      ...(await Promise.all(
        [...uris(ancestors).reverse(), at].map(
          async (uri) => (await app.ask('/narrower', { uri, voc: 'crafts' })).body,
        ),
      )),
    ]
    expect(body.levels.map((level: any) => uris(level.concepts))).toEqual(lists.map(uris))
    expect(body.levels.map(({ total }: any) => total)).toEqual(lists.map(({ length }) => length))
    expect(body.levels.map(({ parent }: any) => parent)).toEqual([undefined, ...uris(ancestors).reverse(), at])
    expect(uris(body.siblings)).toEqual(uris(lists.at(-2)))
    expect(uris(body.siblings)).toContain(at)
  })

  test('leaves out the class of its concepts by name', async () => {
    const properties = 'prefLabel,-type,-@context'
    const { status, body } = await app.ask('/voc/crafts/tree', { at: `${CRAFTS}bookbinding`, properties })
    expect([status, Object.keys(body.concept).sort()]).toEqual([200, ['prefLabel', 'uri']])
    for (const { concepts } of body.levels) for (const record of concepts) expect(record).not.toHaveProperty('type')
    expect((await app.ask('/voc/crafts/tree', { at: CRAFTS, properties })).status).toBe(404)
  })

  test('has the collections that divide a level', async () => {
    const { body } = await app.ask('/voc/many/tree', { at: `${MANY}n1001` })
    expect(body.levels.map(({ arrays }: any) => arrays)).toEqual([
      undefined,
      [
        expect.objectContaining({
          uri: `${MANY}array`,
          prefLabel: { en: 'by number' },
          memberSet: [{ uri: `${MANY}n1000` }, { uri: `${MANY}n1001` }],
        }),
      ],
      undefined,
    ])
  })

  test('shows a concept that is far down its level, and the length of the level', async () => {
    const { body } = await app.ask('/voc/many/tree', { at: `${MANY}n1120` })
    expect(body.levels[1]).toMatchObject({ parent: `${MANY}top`, total: CHILDREN })
    expect(uris(body.siblings).slice(0, 2)).toEqual([`${MANY}n1120`, `${MANY}n1000`])
    expect(body.siblings).toHaveLength(101)
    const short = await app.ask('/voc/many/tree', { at: `${MANY}n1000`, limit: '5' })
    expect(uris(short.body.siblings)).toEqual([0, 1, 2, 3, 4].map((n) => `${MANY}n100${n}`))
    const round = await app.ask('/voc/many/tree', { at: `${MANY}a` })
    expect(uris(round.body.ancestors)).toEqual([`${MANY}b`])
    expect(uris(round.body.siblings)).toEqual([`${MANY}a`])
  })

  test('stays within a subset', async () => {
    const at = `${CRAFTS}origami`
    const { body } = await app.ask('/voc/subset_crafts-school/tree', { at })
    expect(uris(body.levels[0].concepts)).toEqual(uris((await app.get('/voc/subset_crafts-school/top')).body))
    expect((await app.ask('/voc/subset_crafts-school/tree', { at: `${CRAFTS}parchment-making` })).status).toBe(404)
  })

  test('takes the parameters of records', async () => {
    const { body } = await app.ask('/voc/crafts/tree', { at: `${CRAFTS}bookbinding`, properties: 'notation' })
    expect(Object.keys(body.concept).sort()).toEqual(['@context', 'notation', 'type', 'uri'])
  })

  test('is a page for browsers', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8'
    const { headers, text } = await app.ask('/voc/crafts/tree', { at: `${CRAFTS}bookbinding` }, { headers: { accept } })
    expect(headers.get('content-type')).toContain('text/html')
    expect(text).toContain('id="here"')
    const plain = await app.get('/voc/crafts/tree')
    expect(plain.headers.get('content-type')).toContain('text/html')
  })

  test.each([
    ['crafts', 'http://example.org/none', 404],
    ['none', `${CRAFTS}bookbinding`, 404],
    ['materials', `${CRAFTS}bookbinding`, 404],
    ['crafts', 'relative', 400],
    ['crafts', '', 400],
    ['crafts', `${CRAFTS}bookbinding|${CRAFTS}weaving`, 400],
  ])('of %s at %j is %i', async (voc, at, status) => {
    expect((await app.ask(`/voc/${voc}/tree`, { at })).status).toBe(status)
  })
})
